"""A closed keyring dialog comes back only when the user tries again."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.connections import vault as vault_module
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.errors import VaultDismissedError, VaultError, VaultLockedError
from scheduler.connections.secrets import SecretStore
from scheduler.connections.vault import Vault
from scheduler.engine.clock import SystemClock
from tests.connections import password_server as door
from tests.connections.keyring_prompter import Prompter, running_prompter
from tests.connections.password_server import PasswordServer, password_registry
from tests.connections.secret_service import SecretService
from tests.connections.waiting import collecting_garbage, wait_until
from tests.engine.engine_fixture import HOUR
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import job

READS = job('ctx.call("door:home", "look")\nctx.done("read")').replace("world:x", "door:home")
BOTH = job('ctx.call("door:home", "look")\nctx.call("door:other", "look")').replace(
    '["world:x"]', '["door:home", "door:other"]'
)

password_server = door.password_server


@pytest.fixture
def locked(service: SecretService) -> Iterator[Prompter]:
    """A lockable keyring with the secrets of two connections, and a prompter that closes every dialog."""
    with service.keyring("pw"), running_prompter(service.address) as prompter, collecting_garbage():
        for name in ("door:home", "door:other"):
            SecretStore(SystemClock().now).keep(name, {"password": "hunter2"})
        service.lock()
        yield prompter


@pytest.fixture
def runtime(
    tmp_path: Path, locked: Prompter, service: SecretService, password_server: PasswordServer
) -> Iterator[RuntimeFixture]:
    runtime = RuntimeFixture(tmp_path)
    runtime.service.registry = password_registry  # type: ignore[method-assign]
    runtime.secrets = SecretStore(runtime.clock.now)
    runtime.crash()
    for name in ("door:home", "door:other"):
        runtime.services.grant_commands.save_connection(name, {"url": password_server.url, "badge": None})
    yield runtime
    runtime.close()


def unlock(runtime: RuntimeFixture, service: SecretService) -> None:
    """Unlock from outside, and let the app notice."""
    service.unlock("pw")
    vault = runtime.secrets._vault  # type: ignore[union-attr]
    vault.check_availability()
    wait_until(lambda: vault._state is None)
    runtime.services.grant_commands.resume_keyring_waits()


def lock_out(runtime: RuntimeFixture, *names: str) -> None:
    for name in names:
        runtime.deploy(READS.replace('"W"', repr(name)), path=f"{name}.py")
    runtime.clock.move(HOUR)
    runtime.tick()


def test_many_attempts_open_one_dialog(runtime: RuntimeFixture, locked: Prompter) -> None:
    lock_out(runtime, "a")
    assert locked.dialogs == 1
    runtime.pass_time(2 * HOUR)
    assert len(runtime.runs("j", "a")) > 4
    assert locked.dialogs == 1
    assert [one.kind for one in runtime.requests()] == ["keyring"]


def test_many_workflows_open_one_dialog(runtime: RuntimeFixture, locked: Prompter) -> None:
    """Even those that wait while it is open."""
    locked.hold = threading.Event()
    for name in "abc":
        runtime.deploy(READS.replace('"W"', repr(name)), path=f"{name}.py")
    runtime.clock.move(HOUR)
    runtime.wait(lambda: runtime._tick_once() is not None and len(runtime.active()) == 3 and locked.dialogs == 1)
    locked.hold.set()
    runtime.tick()
    assert [runtime.runs("j", name)[-1].status for name in "abc"] == ["paused:transient"] * 3
    assert locked.dialogs == 1


def test_trying_again_opens_the_dialog_once_more(runtime: RuntimeFixture, locked: Prompter) -> None:
    lock_out(runtime, "a")
    for count in (2, 3):
        runtime.request_commands.retry(runtime.requests()[0].run or "")
        runtime.pass_time(HOUR)
        assert locked.dialogs == count
        assert [one.kind for one in runtime.requests()] == ["keyring"]


def test_a_restart_does_not_open_the_dialog_again(runtime: RuntimeFixture, locked: Prompter) -> None:
    lock_out(runtime, "a")
    runtime.secrets = SecretStore(runtime.clock.now)
    runtime.crash()
    runtime.pass_time(2 * HOUR)
    assert locked.dialogs == 1
    runtime.request_commands.retry(runtime.requests()[0].run or "")
    runtime.tick()
    assert locked.dialogs == 2


def test_everything_resumes_when_the_keyring_is_unlocked_elsewhere(
    runtime: RuntimeFixture, locked: Prompter, service: SecretService, password_server: PasswordServer
) -> None:
    lock_out(runtime, "a")
    unlock(runtime, service)
    runtime.pass_time(HOUR)
    assert password_server.let_in
    assert (runtime.runs("j", "a")[-1].status, runtime.requests()) == ("committed", [])
    assert locked.dialogs == 1


def test_an_unlocked_keyring_is_read_although_the_user_has_not_answered(
    runtime: RuntimeFixture, locked: Prompter, service: SecretService, password_server: PasswordServer
) -> None:
    lock_out(runtime, "a")
    service.unlock("pw")
    runtime.pass_time(HOUR)
    assert runtime.runs("j", "a")[-1].status == "committed"
    assert (locked.dialogs, password_server.let_in[:1]) == (1, ["/look"])


def test_a_keyring_that_is_locked_again_asks_again(
    runtime: RuntimeFixture, locked: Prompter, service: SecretService, password_server: PasswordServer
) -> None:
    lock_out(runtime, "a")
    unlock(runtime, service)
    runtime.tick()
    service.lock()
    runtime.deploy(BOTH.replace('"W"', '"b"'), path="b.py")
    runtime.pass_time(2 * HOUR)
    assert locked.dialogs == 2
    assert [one.kind for one in runtime.requests()] == ["keyring"]


def test_a_cached_secret_does_not_use_up_the_dialog(
    runtime: RuntimeFixture, locked: Prompter, service: SecretService, password_server: PasswordServer
) -> None:
    """One of two is cached and the user tries again: the dialog is for the other one."""
    service.unlock("pw")
    lock_out(runtime, "a")
    service.lock()
    runtime.deploy(BOTH.replace('"W"', '"b"'), path="b.py")
    runtime.pass_time(HOUR)
    assert locked.dialogs == 1
    runtime.request_commands.retry(runtime.requests()[0].run or "")
    runtime.tick()
    assert locked.dialogs == 2


def test_connecting_opens_a_dialog_every_time(runtime: RuntimeFixture, locked: Prompter) -> None:
    lock_out(runtime, "a")
    for count in (2, 3):
        with pytest.raises(ToolFailedError):
            runtime.services.connect("door:home", {"url": "http://x", "password": "new"})
        assert locked.dialogs == count
    with pytest.raises(ToolFailedError):
        runtime.services.connection_setup.test("door:home")
    assert locked.dialogs == 4


class Secretive:
    """Fake: a keyring that shows a dialog at every use without notice, as on other systems."""

    uses = 0
    is_willing = False

    def get_password(self, *_: str) -> str:
        from keyring.errors import KeyringLocked

        Secretive.uses += 1
        if not self.is_willing:
            raise KeyringLocked
        return '{"password": "x"}'


def test_if_a_dialog_cannot_be_predicted_the_last_one_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault_module, "find_keyring", Secretive)
    monkeypatch.setattr(vault_module, "is_unlocked", lambda: None)
    vault = Vault()

    def ask(*, may: bool) -> type[VaultError] | None:
        try:
            vault.get("imap:home", lambda: may)
        except VaultError as error:
            return type(error)
        return None

    assert (ask(may=False), Secretive.uses) == (VaultLockedError, 1), "nothing is known against it"
    assert (ask(may=False), Secretive.uses) == (VaultLockedError, 1)
    monkeypatch.setattr(Secretive, "is_willing", True)
    assert (ask(may=False), Secretive.uses) == (VaultLockedError, 1)
    assert (ask(may=True), Secretive.uses) == (None, 2)
    wait_until(lambda: not any(thread.name == "keyring" for thread in threading.enumerate()))


def test_a_dialog_that_may_not_open_gives_the_same_error_as_before(service: SecretService) -> None:
    """There is no keyring yet, and the dialog to create one was closed."""
    with service.keyring(None):
        vault = Vault()
        for may_ask in (True, False):
            with pytest.raises(VaultDismissedError):
                vault.get("imap:home", lambda may=may_ask: may)
    with service.keyring(None), pytest.raises(VaultLockedError):
        Vault().get("imap:home", lambda: False)
