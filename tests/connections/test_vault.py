"""Secrets: in the real keyring of the system or nowhere, and every way it can fail told apart."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections import keyrings, vault_errors
from scheduler.connections import vault as vault_module
from scheduler.connections.keyrings import explain_keyring, find_keyring
from scheduler.connections.vault import Vault
from scheduler.connections.vault_errors import (
    NotInVaultError,
    NotKeptError,
    NoVaultError,
    VaultDismissedError,
    VaultError,
    VaultLateError,
    VaultLockedError,
)
from scheduler.rules.failures import FailureClass
from tests.connections.secret_service import SecretService
from tests.connections.waiting import gathering, wait_until

SECRETS = {"password": "hünter2 \n", "token": None}


def fails(act: Callable[[], Any]) -> type[VaultError]:
    """How it fails; no secret is ever quoted."""
    with gathering():
        with pytest.raises(VaultError) as error:
            act()
        kind = error.type
        assert "hünter2" not in str(error.value)
        del error
    return kind


def test_secrets_come_back_in_another_life_of_the_app(service: SecretService) -> None:
    with service.keyring("pw"):
        Vault().put("imap:home", SECRETS)
        assert Vault().get("imap:home") == SECRETS


def test_there_is_one_entry_per_connection_under_our_name(service: SecretService) -> None:
    with service.keyring("pw"):
        vault = Vault()
        vault.put("imap:home", {"password": "old"})
        vault.put("imap:home", SECRETS)
        vault.put("imap:work", {"password": "other"})
        assert vault.get("imap:home") == SECRETS
        read = find_keyring().get_password
        assert json.loads(read("dayhand", "imap:home")) == SECRETS
        assert read("dayhand", "imap:work") == '{"password": "other"}'


def test_what_is_not_there_asks_for_a_reconnect(service: SecretService) -> None:
    with service.keyring("pw"):
        with pytest.raises(NotInVaultError, match=r"imap:home\. Reconnect") as refused:
            Vault().get("imap:home")
        assert refused.value.failure.kind is FailureClass.AUTH


def test_what_is_removed_is_gone_and_may_be_removed_again(service: SecretService) -> None:
    with service.keyring("pw"):
        vault = Vault()
        vault.put("imap:home", SECRETS)
        for _ in range(2):
            vault.remove("imap:home")
            with pytest.raises(NotInVaultError):
                vault.get("imap:home")


def test_an_entry_that_makes_no_sense_counts_as_none(service: SecretService) -> None:
    with service.keyring("pw"):
        for value in ("not json", "5", "null"):
            find_keyring().set_password("dayhand", "imap:home", value)
            with pytest.raises(NotInVaultError):
                Vault().get("imap:home")


def test_what_was_read_is_kept_while_the_app_runs(service: SecretService) -> None:
    vault = Vault()
    with service.keyring("pw"):
        Vault().put("imap:home", SECRETS)
        vault.get("imap:home")["password"] = "changed by the one who asked"
    assert vault.get("imap:home") == SECRETS
    vault.forget()
    assert fails(lambda: vault.get("imap:home")) is NoVaultError


def test_what_was_read_is_still_known_after_a_locked_keyring_refused_a_change(service: SecretService) -> None:
    vault = Vault()
    with service.keyring("pw"):
        vault.put("imap:home", SECRETS)
        service.lock()
        assert fails(lambda: vault.remove("imap:home")) in (VaultLockedError, VaultDismissedError)
        assert fails(lambda: vault.put("imap:home", {"password": "new"})) in (VaultLockedError, VaultDismissedError)
        assert vault.get("imap:home") == SECRETS
        service.unlock("pw")
        assert Vault().get("imap:home") == SECRETS


def test_a_keyring_that_comes_up_later_is_found(service: SecretService) -> None:
    """The choice of the keyring library is made once and would stay at none."""
    vault = Vault()
    assert fails(lambda: vault.put("imap:home", SECRETS)) is NoVaultError
    with service.keyring("pw"):
        vault.put("imap:home", SECRETS)
    assert fails(lambda: Vault().get("imap:home")) is NoVaultError
    with service.keyring("pw"):
        assert Vault().get("imap:home") == SECRETS


def test_a_locked_keyring_is_not_gone(service: SecretService) -> None:
    """U9"""
    with service.keyring("pw"):
        Vault().put("imap:home", SECRETS)
    with service.keyring(None):
        assert fails(lambda: Vault().get("imap:home")) is VaultLockedError
        assert fails(lambda: Vault().put("imap:home", SECRETS)) is VaultLockedError
    with service.keyring("pw"):
        assert Vault().get("imap:home") == SECRETS


def test_a_question_that_nobody_answers_is_dismissed(service: SecretService) -> None:
    """There is no keyring yet, and the dialog that would make one is not answered."""
    with service.keyring(None):
        assert fails(lambda: Vault().put("imap:home", SECRETS)) is VaultDismissedError


def test_a_keyring_that_does_not_answer_is_late_and_what_it_brings_is_kept(service: SecretService) -> None:
    with service.keyring("pw") as daemon:
        Vault().put("imap:home", SECRETS)
        vault = Vault(0.2)
        daemon.send_signal(signal.SIGSTOP)
        try:
            for _ in range(3):
                with pytest.raises(VaultLateError):
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
def test_nothing_stands_in_for_a_keyring(service: SecretService, monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    """U9: whatever the environment says."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", backend)
    monkeypatch.setenv("HOME", str(service.home))
    monkeypatch.setenv("XDG_DATA_HOME", str(service.home))
    assert fails(lambda: Vault().put("imap:home", SECRETS)) is NoVaultError
    assert list(service.home.rglob("*")) == []


def test_without_a_bus_there_is_no_keyring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    assert fails(lambda: Vault().get("imap:home")) is NoVaultError
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert fails(lambda: Vault().get("imap:home")) is NoVaultError


@pytest.mark.parametrize("platform", ["darwin", "win32", "linux"])
def test_the_keyring_of_another_system_does_not_work_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    monkeypatch.setattr(keyrings.sys, "platform", platform)
    with pytest.raises(NoVaultError):
        find_keyring()


class Forgetful:
    """Fake: a keyring that takes everything and keeps nothing."""

    def set_password(self, *_: str) -> None: ...

    def get_password(self, *_: str) -> None: ...


def test_what_the_keyring_did_not_keep_was_not_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault_module, "find_keyring", Forgetful)
    vault = Vault()
    with pytest.raises(NotKeptError, match="imap:home"):
        vault.put("imap:home", SECRETS)
    with pytest.raises(NotInVaultError):
        vault.get("imap:home")


def test_a_mistake_of_ours_is_not_taken_for_the_keyrings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault_module, "find_keyring", object)
    vault = Vault()
    for _ in range(2):  # and the next one has its turn
        with pytest.raises(AttributeError):
            vault.get("imap:home")


def chained(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def test_errors_of_keyrings_by_type() -> None:
    import keyring.errors as theirs
    from secretstorage import exceptions as below

    expected: list[tuple[Exception, type[VaultError] | None]] = [
        (theirs.KeyringLocked(), VaultLockedError),
        (below.LockedException(), VaultLockedError),
        (below.PromptDismissedException(), VaultDismissedError),
        (chained(theirs.InitError(), below.PromptDismissedException()), VaultDismissedError),
        (theirs.InitError("locked"), NoVaultError),
        (theirs.PasswordSetError(), NoVaultError),
        (below.SecretServiceNotAvailableException(), NoVaultError),
        (ConnectionResetError(), NoVaultError),
        (KeyError("locked"), None),
    ]
    for error, kind in expected:
        assert type(explain_keyring(error)) is (kind or type(None))


def test_only_what_is_gone_asks_for_a_reconnect_and_nothing_blames_the_script() -> None:
    kinds = [kind for kind in vars(vault_errors).values() if isinstance(kind, type) and issubclass(kind, VaultError)]
    assert len(kinds) == 7
    for kind in kinds:
        error: VaultError = kind("imap:home") if kind in (VaultError, NotKeptError, NotInVaultError) else kind()  # type: ignore[call-arg]
        expected = FailureClass.AUTH if kind is NotInVaultError else FailureClass.TRANSIENT
        assert (error.failure.kind, error.failure.counts, error.failure.sentence) == (expected, False, str(error))


def test_the_keyring_library_is_loaded_when_it_is_needed() -> None:
    code = "import sys, scheduler.connections.vault, scheduler.connections.registry; sys.exit('keyring' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_it_is_told_once_when_the_keyring_goes_and_once_when_it_is_back(service: SecretService) -> None:
    """U9: locked and unlocked while it runs, and found out without a dialog."""
    told: list[type[VaultError] | None] = []
    vault = Vault(changed=lambda trouble: told.append(None if trouble is None else type(trouble)))
    with service.keyring("pw"):
        vault.put("imap:home", SECRETS)
        vault.put("imap:work", SECRETS)
        assert told == [None]
        service.lock()
        vault.forget()
        for _ in range(2):
            assert fails(lambda: vault.get("imap:home")) is VaultLockedError
        vault.look()
        wait_until(lambda: not any(thread.name == "keyring" for thread in threading.enumerate()))
        assert told == [None, VaultLockedError]
        service.unlock("pw")
        vault.look()
        wait_until(lambda: len(told) == 3)
        assert told[2] is None
        assert vault.get("imap:home") == SECRETS
        with pytest.raises(NotInVaultError):
            vault.get("imap:nobody")
        assert len(told) == 3, "what is not there is no fault of the keyring"


def test_nothing_is_looked_at_while_all_is_well(service: SecretService) -> None:
    vault = Vault()
    vault.look()
    assert not any(thread.name == "keyring" for thread in threading.enumerate())
