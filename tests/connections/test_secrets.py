"""What the keyring says, in the words of runs: wait, or reconnect. Over a real Secret Service."""

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.keeper import Keeper
from scheduler.connections.vault_errors import NotInVaultError, NoVaultError, VaultLockedError
from scheduler.engine.clock import SystemClock
from scheduler.rules.failures import Failure, FailureClass
from tests.connections.secret_service import SecretService
from tests.connections.waiting import gathering


def failure_of(keeper: Keeper, connection: str = "imap:home") -> Failure:
    with gathering(), pytest.raises(ToolFailedError) as failed:
        keeper.read(connection)
    return failed.value.failure


def test_what_is_kept_is_read_in_another_life(service: SecretService) -> None:
    with service.keyring("pw"):
        Keeper(SystemClock().now).keep("imap:home", {"password": "old"})
        Keeper(SystemClock().now).keep("imap:home", {"password": "hünter2"})
        assert Keeper(SystemClock().now).read("imap:home") == {"password": "hünter2"}


def test_what_is_not_there_asks_for_a_reconnect(service: SecretService) -> None:
    with service.keyring("pw"):
        keeper = Keeper(SystemClock().now)
        assert failure_of(keeper) == NotInVaultError("imap:home").failure
        keeper.keep("imap:home", {"password": "x"})
        keeper.forget("imap:home")
        keeper.forget("imap:home")
        assert failure_of(keeper).kind is FailureClass.AUTH


def test_a_keyring_that_is_not_there_or_locked_makes_runs_wait(service: SecretService) -> None:
    """U9: never a new login, and nobody is to blame."""
    keeper = Keeper(SystemClock().now)
    assert failure_of(keeper) == NoVaultError().failure
    with service.keyring("pw"):
        keeper.keep("imap:home", {"password": "x"})
    with service.keyring(None):
        failure = failure_of(Keeper(SystemClock().now))
        assert failure == VaultLockedError().failure
        assert (failure.kind, failure.counts) == (FailureClass.TRANSIENT, False)
        with gathering(), pytest.raises(ToolFailedError):
            Keeper(SystemClock().now).keep("imap:home", {"password": "y"})
    with service.keyring("pw"):
        assert Keeper(SystemClock().now).read("imap:home") == {"password": "x"}
