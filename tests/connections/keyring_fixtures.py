"""Fixtures with a real keyring: `service` is a bus without one, `keyring` has an unlocked one."""

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.connections.vault import Vault
from scheduler.engine.keyring_names import read_entries
from scheduler.store.opening import open_for_reading
from tests.connections.secret_service import SecretService
from tests.connections.waiting import collecting_garbage, wait_until


def vault_of(folder: Path) -> Vault:
    """The vault of a data folder."""
    database = open_for_reading(folder)
    try:
        return Vault(entries=read_entries(folder, database.read()))
    finally:
        database.close()


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[SecretService]:
    """In a short path of its own, because socket paths are limited."""
    if sys.platform == "win32":
        pytest.skip("needs the keyring of a Linux desktop")
    with tempfile.TemporaryDirectory() as folder, collecting_garbage():
        service = SecretService(Path(folder), dict(os.environ))
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", service.address)
        with service.bus():
            yield service
            wait_until(lambda: not any(thread.name == "keyring" for thread in threading.enumerate()))


@pytest.fixture
def keyring(service: SecretService) -> Iterator[SecretService]:
    with service.keyring("pw"):
        yield service
