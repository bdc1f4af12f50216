"""A dialog of the keyring that is closed comes back when the person wants it to, and never by itself."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.connections import vault as vault_module
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.keeper import Keeper
from scheduler.connections.vault import Vault
from scheduler.connections.vault_errors import VaultDismissedError, VaultError, VaultLockedError
from scheduler.engine.clock import SystemClock
from tests.connections import doorman as door
from tests.connections.doorman import Doorman, doors
from tests.connections.prompter import Prompter, prompting
from tests.connections.secret_service import SecretService
from tests.connections.waiting import gathering, wait_until
from tests.engine.harness import HOUR
from tests.runs.scripts import job
from tests.runs.shop import Shop

READS = job('ctx.call("door:home", "look")\nctx.done("read")').replace("world:x", "door:home")
BOTH = job('ctx.call("door:home", "look")\nctx.call("door:other", "look")').replace(
    '["world:x"]', '["door:home", "door:other"]'
)

doorman = door.doorman


@pytest.fixture
def locked(service: SecretService) -> Iterator[Prompter]:
    """The secrets of two doors are in a keyring that can be locked, with somebody who closes every dialog."""
    with service.keyring("pw"), prompting(service.address) as prompter, gathering():
        for name in ("door:home", "door:other"):
            Keeper(SystemClock().now).keep(name, {"password": "hunter2"})
        service.lock()
        yield prompter


@pytest.fixture
def shop(tmp_path: Path, locked: Prompter, service: SecretService, doorman: Doorman) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    shop.world.registry = doors  # type: ignore[method-assign]
    shop.secrets = Keeper(shop.clock.now)
    shop.crash()
    for name in ("door:home", "door:other"):
        shop.house.allowing.connected(name, {"url": doorman.url, "badge": None})
    yield shop
    shop.close()


def unlock(shop: Shop, service: SecretService) -> None:
    """Somebody else does, and the app finds out."""
    service.unlock("pw")
    vault = shop.secrets._vault  # type: ignore[union-attr]
    vault.look()
    wait_until(lambda: vault._state is None)
    shop.house.allowing.keyring_is_back()


def lock_out(shop: Shop, *names: str) -> None:
    for name in names:
        shop.deploy(READS.replace('"W"', repr(name)), path=f"{name}.py")
    shop.clock.move(HOUR)
    shop.tick()


def test_many_tries_open_one_dialog(shop: Shop, locked: Prompter) -> None:
    lock_out(shop, "a")
    assert locked.dialogs == 1
    shop.pass_time(2 * HOUR)
    assert len(shop.runs("j", "a")) > 4
    assert locked.dialogs == 1
    assert [one.kind for one in shop.requests()] == ["keyring"]


def test_many_workflows_open_one_dialog(shop: Shop, locked: Prompter) -> None:
    """Those that wait while it is open, too."""
    locked.hold = threading.Event()
    for name in "abc":
        shop.deploy(READS.replace('"W"', repr(name)), path=f"{name}.py")
    shop.clock.move(HOUR)
    shop.wait(lambda: shop._turn() is not None and len(shop.active()) == 3 and locked.dialogs == 1)
    locked.hold.set()
    shop.tick()
    assert [shop.runs("j", name)[-1].status for name in "abc"] == ["paused:transient"] * 3
    assert locked.dialogs == 1


def test_trying_again_opens_it_again_once(shop: Shop, locked: Prompter) -> None:
    lock_out(shop, "a")
    for count in (2, 3):
        shop.answering.retry(shop.requests()[0].run or "")
        shop.pass_time(HOUR)
        assert locked.dialogs == count
        assert [one.kind for one in shop.requests()] == ["keyring"]


def test_a_restart_does_not_open_it_again(shop: Shop, locked: Prompter) -> None:
    lock_out(shop, "a")
    shop.secrets = Keeper(shop.clock.now)
    shop.crash()
    shop.pass_time(2 * HOUR)
    assert locked.dialogs == 1
    shop.answering.retry(shop.requests()[0].run or "")
    shop.tick()
    assert locked.dialogs == 2


def test_everything_goes_on_when_something_else_unlocks_it(
    shop: Shop, locked: Prompter, service: SecretService, doorman: Doorman
) -> None:
    lock_out(shop, "a")
    unlock(shop, service)
    shop.pass_time(HOUR)
    assert doorman.let_in
    assert (shop.runs("j", "a")[-1].status, shop.requests()) == ("committed", [])
    assert locked.dialogs == 1


def test_an_open_keyring_is_read_although_the_person_has_not_answered(
    shop: Shop, locked: Prompter, service: SecretService, doorman: Doorman
) -> None:
    lock_out(shop, "a")
    service.unlock("pw")
    shop.pass_time(HOUR)
    assert shop.runs("j", "a")[-1].status == "committed"
    assert (locked.dialogs, doorman.let_in[:1]) == (1, ["/look"])


def test_one_that_is_locked_once_more_asks_once_more(
    shop: Shop, locked: Prompter, service: SecretService, doorman: Doorman
) -> None:
    lock_out(shop, "a")
    unlock(shop, service)
    shop.tick()
    service.lock()
    shop.deploy(BOTH.replace('"W"', '"b"'), path="b.py")
    shop.pass_time(2 * HOUR)
    assert locked.dialogs == 2
    assert [one.kind for one in shop.requests()] == ["keyring"]


def test_a_secret_that_is_known_uses_up_nobodys_dialog(
    shop: Shop, locked: Prompter, service: SecretService, doorman: Doorman
) -> None:
    """One of two is in memory already, and the person tries again: the other one is what the dialog is for."""
    service.unlock("pw")
    lock_out(shop, "a")
    service.lock()
    shop.deploy(BOTH.replace('"W"', '"b"'), path="b.py")
    shop.pass_time(HOUR)
    assert locked.dialogs == 1
    shop.answering.retry(shop.requests()[0].run or "")
    shop.tick()
    assert locked.dialogs == 2


def test_who_connects_is_asked_every_time(shop: Shop, locked: Prompter) -> None:
    lock_out(shop, "a")
    for count in (2, 3):
        with pytest.raises(ToolFailedError):
            shop.house.connect("door:home", {"url": "http://x", "password": "new"})
        assert locked.dialogs == count
    with pytest.raises(ToolFailedError):
        shop.house.connecting.test("door:home")
    assert locked.dialogs == 4


class Secretive:
    """Fake: a keyring that shows a dialog at every use and does not tell before, as on other systems."""

    uses = 0
    is_willing = False

    def get_password(self, *_: str) -> str:
        from keyring.errors import KeyringLocked

        Secretive.uses += 1
        if not self.is_willing:
            raise KeyringLocked
        return '{"password": "x"}'


def test_where_nobody_can_tell_the_last_dialog_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault_module, "find_keyring", Secretive)
    monkeypatch.setattr(vault_module, "is_open", lambda: None)
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


def test_a_dialog_that_nobody_may_open_is_told_as_before(service: SecretService) -> None:
    """There is no keyring yet, and the dialog that would make one was closed."""
    with service.keyring(None):
        vault = Vault()
        for may_ask in (True, False):
            with pytest.raises(VaultDismissedError):
                vault.get("imap:home", lambda may=may_ask: may)
    with service.keyring(None), pytest.raises(VaultLockedError):
        Vault().get("imap:home", lambda: False)
