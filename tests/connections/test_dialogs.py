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

doorman = door.password_server


@pytest.fixture
def locked(service: SecretService) -> Iterator[Prompter]:
    """A lockable keyring with the secrets of two connections, and a prompter that closes every dialog."""
    with service.keyring("pw"), running_prompter(service.address) as prompter, collecting_garbage():
        for name in ("door:home", "door:other"):
            SecretStore(SystemClock().now).keep(name, {"password": "hunter2"})
        service.lock()
        yield prompter


@pytest.fixture
def shop(tmp_path: Path, locked: Prompter, service: SecretService, doorman: PasswordServer) -> Iterator[RuntimeFixture]:
    shop = RuntimeFixture(tmp_path)
    shop.service.registry = password_registry  # type: ignore[method-assign]
    shop.secrets = SecretStore(shop.clock.now)
    shop.crash()
    for name in ("door:home", "door:other"):
        shop.services.grant_commands.save_connection(name, {"url": doorman.url, "badge": None})
    yield shop
    shop.close()


def unlock(shop: RuntimeFixture, service: SecretService) -> None:
    """Unlock from outside, and let the app notice."""
    service.unlock("pw")
    vault = shop.secrets._vault  # type: ignore[union-attr]
    vault.check_availability()
    wait_until(lambda: vault._state is None)
    shop.services.grant_commands.resume_keyring_waits()


def lock_out(shop: RuntimeFixture, *names: str) -> None:
    for name in names:
        shop.deploy(READS.replace('"W"', repr(name)), path=f"{name}.py")
    shop.clock.move(HOUR)
    shop.tick()


def test_many_attempts_open_one_dialog(shop: RuntimeFixture, locked: Prompter) -> None:
    lock_out(shop, "a")
    assert locked.dialogs == 1
    shop.pass_time(2 * HOUR)
    assert len(shop.runs("j", "a")) > 4
    assert locked.dialogs == 1
    assert [one.kind for one in shop.requests()] == ["keyring"]


def test_many_workflows_open_one_dialog(shop: RuntimeFixture, locked: Prompter) -> None:
    """Even those that wait while it is open."""
    locked.hold = threading.Event()
    for name in "abc":
        shop.deploy(READS.replace('"W"', repr(name)), path=f"{name}.py")
    shop.clock.move(HOUR)
    shop.wait(lambda: shop._tick_once() is not None and len(shop.active()) == 3 and locked.dialogs == 1)
    locked.hold.set()
    shop.tick()
    assert [shop.runs("j", name)[-1].status for name in "abc"] == ["paused:transient"] * 3
    assert locked.dialogs == 1


def test_trying_again_opens_the_dialog_once_more(shop: RuntimeFixture, locked: Prompter) -> None:
    lock_out(shop, "a")
    for count in (2, 3):
        shop.request_commands.retry(shop.requests()[0].run or "")
        shop.pass_time(HOUR)
        assert locked.dialogs == count
        assert [one.kind for one in shop.requests()] == ["keyring"]


def test_a_restart_does_not_open_the_dialog_again(shop: RuntimeFixture, locked: Prompter) -> None:
    lock_out(shop, "a")
    shop.secrets = SecretStore(shop.clock.now)
    shop.crash()
    shop.pass_time(2 * HOUR)
    assert locked.dialogs == 1
    shop.request_commands.retry(shop.requests()[0].run or "")
    shop.tick()
    assert locked.dialogs == 2


def test_everything_resumes_when_the_keyring_is_unlocked_elsewhere(
    shop: RuntimeFixture, locked: Prompter, service: SecretService, doorman: PasswordServer
) -> None:
    lock_out(shop, "a")
    unlock(shop, service)
    shop.pass_time(HOUR)
    assert doorman.let_in
    assert (shop.runs("j", "a")[-1].status, shop.requests()) == ("committed", [])
    assert locked.dialogs == 1


def test_an_unlocked_keyring_is_read_although_the_user_has_not_answered(
    shop: RuntimeFixture, locked: Prompter, service: SecretService, doorman: PasswordServer
) -> None:
    lock_out(shop, "a")
    service.unlock("pw")
    shop.pass_time(HOUR)
    assert shop.runs("j", "a")[-1].status == "committed"
    assert (locked.dialogs, doorman.let_in[:1]) == (1, ["/look"])


def test_a_keyring_that_is_locked_again_asks_again(
    shop: RuntimeFixture, locked: Prompter, service: SecretService, doorman: PasswordServer
) -> None:
    lock_out(shop, "a")
    unlock(shop, service)
    shop.tick()
    service.lock()
    shop.deploy(BOTH.replace('"W"', '"b"'), path="b.py")
    shop.pass_time(2 * HOUR)
    assert locked.dialogs == 2
    assert [one.kind for one in shop.requests()] == ["keyring"]


def test_a_cached_secret_does_not_use_up_the_dialog(
    shop: RuntimeFixture, locked: Prompter, service: SecretService, doorman: PasswordServer
) -> None:
    """One of two is cached and the user tries again: the dialog is for the other one."""
    service.unlock("pw")
    lock_out(shop, "a")
    service.lock()
    shop.deploy(BOTH.replace('"W"', '"b"'), path="b.py")
    shop.pass_time(HOUR)
    assert locked.dialogs == 1
    shop.request_commands.retry(shop.requests()[0].run or "")
    shop.tick()
    assert locked.dialogs == 2


def test_connecting_opens_a_dialog_every_time(shop: RuntimeFixture, locked: Prompter) -> None:
    lock_out(shop, "a")
    for count in (2, 3):
        with pytest.raises(ToolFailedError):
            shop.services.connect("door:home", {"url": "http://x", "password": "new"})
        assert locked.dialogs == count
    with pytest.raises(ToolFailedError):
        shop.services.connection_setup.test("door:home")
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
