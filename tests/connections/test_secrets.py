"""Keyring errors as tool failures: wait or reconnect. With a real Secret Service."""

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.errors import SecretMissingError, VaultLockedError, VaultUnavailableError
from scheduler.connections.secrets import SecretStore
from scheduler.engine.clock import SystemClock
from scheduler.rules.failures import Failure, FailureClass
from tests.connections.secret_service import SecretService
from tests.connections.waiting import collecting_garbage


def failure_of(store: SecretStore, connection: str = "imap:home") -> Failure:
    with collecting_garbage(), pytest.raises(ToolFailedError) as failed:
        store.read(connection)
    return failed.value.failure


def test_saved_secrets_are_read_after_a_restart(service: SecretService) -> None:
    with service.keyring("pw"):
        SecretStore(SystemClock().now).keep("imap:home", {"password": "old"})
        SecretStore(SystemClock().now).keep("imap:home", {"password": "hünter2"})
        assert SecretStore(SystemClock().now).read("imap:home") == {"password": "hünter2"}


def test_a_missing_entry_asks_for_a_reconnect(service: SecretService) -> None:
    with service.keyring("pw"):
        store = SecretStore(SystemClock().now)
        assert failure_of(store) == SecretMissingError("imap:home").failure
        store.keep("imap:home", {"password": "x"})
        store.forget("imap:home")
        store.forget("imap:home")
        assert failure_of(store).kind is FailureClass.AUTH


def test_a_missing_or_locked_keyring_makes_runs_wait(service: SecretService) -> None:
    """Never a reconnect, and it does not count as a failure of the script."""
    store = SecretStore(SystemClock().now)
    assert failure_of(store) == VaultUnavailableError().failure
    with service.keyring("pw"):
        store.keep("imap:home", {"password": "x"})
    with service.keyring(None):
        failure = failure_of(SecretStore(SystemClock().now))
        assert failure == VaultLockedError().failure
        assert (failure.kind, failure.counts) == (FailureClass.TRANSIENT, False)
        with collecting_garbage(), pytest.raises(ToolFailedError):
            SecretStore(SystemClock().now).keep("imap:home", {"password": "y"})
    with service.keyring("pw"):
        assert SecretStore(SystemClock().now).read("imap:home") == {"password": "x"}
