"""A real keyring for tests of what is above it: `service` is a bus with none yet, `keyring` one that is open."""

import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.keeping.entries import read_entries
from scheduler.connections.vault import Vault
from scheduler.store.health import open_for_reading
from tests.connections.secret_service import SecretService
from tests.connections.waiting import gathering, wait_until


def vault_of(folder: Path) -> Vault:
    """What the keyring has for that data folder."""
    database = open_for_reading(folder)
    try:
        return Vault(entries=read_entries(folder, database.read()))
    finally:
        database.close()


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[SecretService]:
    """The paths of sockets are short, so it lives in a place of its own."""
    with tempfile.TemporaryDirectory() as folder, gathering():
        service = SecretService(Path(folder), dict(os.environ))
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", service.address)
        with service.bus():
            yield service
            wait_until(lambda: not any(thread.name == "keyring" for thread in threading.enumerate()))


@pytest.fixture
def keyring(service: SecretService) -> Iterator[SecretService]:
    with service.keyring("pw"):
        yield service
