"""Secrets are only in the system's keyring, and each of its failures has its own error."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections import errors, keyring_backend
from scheduler.connections import vault as vault_module
from scheduler.connections.errors import (
    SecretMissingError,
    SecretNotSavedError,
    VaultDismissedError,
    VaultError,
    VaultLockedError,
    VaultTimeoutError,
    VaultUnavailableError,
)
from scheduler.connections.keyring_backend import find_keyring, to_vault_error
from scheduler.connections.vault import Vault
from scheduler.rules.failures import FailureClass
from tests.connections.secret_service import SecretService
from tests.connections.waiting import collecting_garbage, wait_until

SECRETS = {"password": "hünter2 \n", "token": None}


def fails(act: Callable[[], Any]) -> type[VaultError]:
    """The type of the error, which never quotes a secret."""
    with collecting_garbage():
        with pytest.raises(VaultError) as error:
            act()
        kind = error.type
        assert "hünter2" not in str(error.value)
        del error
    return kind


def test_secrets_are_read_after_a_restart(service: SecretService) -> None:
    with service.keyring("pw"):
        Vault().save("imap:home", SECRETS)
        assert Vault().get("imap:home") == SECRETS


def test_there_is_one_entry_per_connection_under_our_name(service: SecretService) -> None:
    with service.keyring("pw"):
        vault = Vault()
        vault.save("imap:home", {"password": "old"})
        vault.save("imap:home", SECRETS)
        vault.save("imap:work", {"password": "other"})
        assert vault.get("imap:home") == SECRETS
        read = find_keyring().get_password
        assert json.loads(read("dayhand", "imap:home")) == SECRETS
        assert read("dayhand", "imap:work") == '{"password": "other"}'


def test_a_missing_entry_asks_for_a_reconnect(service: SecretService) -> None:
    with service.keyring("pw"):
        with pytest.raises(SecretMissingError, match=r"imap:home\. Reconnect") as refused:
            Vault().get("imap:home")
        assert refused.value.failure.kind is FailureClass.AUTH


def test_a_removed_entry_is_gone_and_may_be_removed_again(service: SecretService) -> None:
    with service.keyring("pw"):
        vault = Vault()
        vault.save("imap:home", SECRETS)
        for _ in range(2):
            vault.remove("imap:home")
            with pytest.raises(SecretMissingError):
                vault.get("imap:home")


def test_a_corrupt_entry_counts_as_missing(service: SecretService) -> None:
    with service.keyring("pw"):
        for value in ("not json", "5", "null"):
            find_keyring().set_password("dayhand", "imap:home", value)
            with pytest.raises(SecretMissingError):
                Vault().get("imap:home")


def test_secrets_are_cached_while_the_app_runs(service: SecretService) -> None:
    vault = Vault()
    with service.keyring("pw"):
        Vault().save("imap:home", SECRETS)
        vault.get("imap:home")["password"] = "changed by the one who asked"
    assert vault.get("imap:home") == SECRETS
    vault._cache.clear()
    assert fails(lambda: vault.get("imap:home")) is VaultUnavailableError


def test_the_cache_survives_a_failed_save(service: SecretService) -> None:
    vault = Vault()
    with service.keyring("pw"):
        vault.save("imap:home", SECRETS)
        service.lock()
        assert fails(lambda: vault.remove("imap:home")) in (VaultLockedError, VaultDismissedError)
        assert fails(lambda: vault.save("imap:home", {"password": "new"})) in (VaultLockedError, VaultDismissedError)
        assert vault.get("imap:home") == SECRETS
        service.unlock("pw")
        assert Vault().get("imap:home") == SECRETS


def test_a_keyring_that_starts_later_is_found(service: SecretService) -> None:
    """The keyring library chooses once and would stay without one."""
    vault = Vault()
    assert fails(lambda: vault.save("imap:home", SECRETS)) is VaultUnavailableError
    with service.keyring("pw"):
        vault.save("imap:home", SECRETS)
    assert fails(lambda: Vault().get("imap:home")) is VaultUnavailableError
    with service.keyring("pw"):
        assert Vault().get("imap:home") == SECRETS


def test_a_locked_keyring_is_not_a_missing_one(service: SecretService) -> None:
    with service.keyring("pw"):
        Vault().save("imap:home", SECRETS)
    with service.keyring(None):
        assert fails(lambda: Vault().get("imap:home")) is VaultLockedError
        assert fails(lambda: Vault().save("imap:home", SECRETS)) is VaultLockedError
    with service.keyring("pw"):
        assert Vault().get("imap:home") == SECRETS


def test_an_unanswered_dialog_counts_as_dismissed(service: SecretService) -> None:
    """There is no keyring yet, and the dialog to create one is not answered."""
    with service.keyring(None):
        assert fails(lambda: Vault().save("imap:home", SECRETS)) is VaultDismissedError


def test_a_late_keyring_times_out_and_its_result_is_cached(service: SecretService) -> None:
    with service.keyring("pw") as daemon:
        Vault().save("imap:home", SECRETS)
        vault = Vault(0.2)
        daemon.send_signal(signal.SIGSTOP)
        try:
            for _ in range(3):
                with pytest.raises(VaultTimeoutError):
                    vault.get("imap:home")
            asking = [thread for thread in threading.enumerate() if thread.name == "keyring"]
            assert len(asking) == 1, "a second question while the first is open"
        finally:
            daemon.send_signal(signal.SIGCONT)
        asking[0].join(60)
        daemon.send_signal(signal.SIGSTOP)
        assert vault.get("imap:home") == SECRETS
        daemon.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("backend", ["keyring.backends.null.Keyring", "keyring.backends.fail.Keyring", "tests.x.Plain"])
def test_no_other_backend_replaces_the_keyring(
    service: SecretService, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    """Whatever the environment says."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", backend)
    monkeypatch.setenv("HOME", str(service.home))
    monkeypatch.setenv("XDG_DATA_HOME", str(service.home))
    assert fails(lambda: Vault().save("imap:home", SECRETS)) is VaultUnavailableError
    assert list(service.home.rglob("*")) == []


def test_without_a_bus_there_is_no_keyring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    assert fails(lambda: Vault().get("imap:home")) is VaultUnavailableError
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert fails(lambda: Vault().get("imap:home")) is VaultUnavailableError


@pytest.mark.parametrize("platform", ["darwin", "win32", "linux"])
def test_keyrings_of_other_systems_do_not_work_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    monkeypatch.setattr(keyring_backend.sys, "platform", platform)
    with pytest.raises(VaultUnavailableError):
        find_keyring()


class Forgetful:
    """Fake: a keyring that accepts everything and stores nothing."""

    def set_password(self, *_: str) -> None: ...

    def get_password(self, *_: str) -> None: ...


def test_secrets_that_cannot_be_read_back_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault_module, "find_keyring", Forgetful)
    vault = Vault()
    with pytest.raises(SecretNotSavedError, match="imap:home"):
        vault.save("imap:home", SECRETS)
    with pytest.raises(SecretMissingError):
        vault.get("imap:home")


def test_a_bug_of_ours_is_not_reported_as_a_keyring_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault_module, "find_keyring", object)
    vault = Vault()
    for _ in range(2):  # the next call still works
        with pytest.raises(AttributeError):
            vault.get("imap:home")


def chained(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def test_keyring_errors_are_converted_by_type() -> None:
    import keyring.errors as theirs
    from secretstorage import exceptions as below

    expected: list[tuple[Exception, type[VaultError] | None]] = [
        (theirs.KeyringLocked(), VaultLockedError),
        (below.LockedException(), VaultLockedError),
        (below.PromptDismissedException(), VaultDismissedError),
        (chained(theirs.InitError(), below.PromptDismissedException()), VaultDismissedError),
        (theirs.InitError("locked"), VaultUnavailableError),
        (theirs.PasswordSetError(), VaultUnavailableError),
        (below.SecretServiceNotAvailableException(), VaultUnavailableError),
        (ConnectionResetError(), VaultUnavailableError),
        (KeyError("locked"), None),
    ]
    for error, kind in expected:
        assert type(to_vault_error(error)) is (kind or type(None))


def test_only_a_missing_entry_asks_for_a_reconnect_and_nothing_counts_against_the_script() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, VaultError)]
    assert len(kinds) == 7
    for kind in kinds:
        error: VaultError = (
            kind("imap:home") if kind in (VaultError, SecretNotSavedError, SecretMissingError) else kind()
        )  # type: ignore[call-arg]
        expected = FailureClass.AUTH if kind is SecretMissingError else FailureClass.TRANSIENT
        assert (error.failure.kind, error.failure.counts, error.failure.sentence) == (expected, False, str(error))


def test_the_keyring_library_is_loaded_lazily() -> None:
    code = "import sys, scheduler.connections.vault, scheduler.connections.registry; sys.exit('keyring' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_losing_and_regaining_the_keyring_is_reported_once_each(service: SecretService) -> None:
    """Locked and unlocked while the app runs, noticed without a dialog."""
    reported: list[type[VaultError] | None] = []
    vault = Vault(changed=lambda trouble: reported.append(None if trouble is None else type(trouble)))
    with service.keyring("pw"):
        vault.save("imap:home", SECRETS)
        vault.save("imap:work", SECRETS)
        assert reported == [None]
        service.lock()
        vault._cache.clear()
        for _ in range(2):
            assert fails(lambda: vault.get("imap:home")) is VaultLockedError
        vault.check_availability()
        wait_until(lambda: not any(thread.name == "keyring" for thread in threading.enumerate()))
        assert reported == [None, VaultLockedError]
        service.unlock("pw")
        vault.check_availability()
        wait_until(lambda: len(reported) == 3)
        assert reported[2] is None
        assert vault.get("imap:home") == SECRETS
        with pytest.raises(SecretMissingError):
            vault.get("imap:nobody")
        assert len(reported) == 3, "a missing entry is not an error of the keyring"


def test_nothing_is_checked_while_the_keyring_works(service: SecretService) -> None:
    vault = Vault()
    vault.check_availability()
    assert not any(thread.name == "keyring" for thread in threading.enumerate())
