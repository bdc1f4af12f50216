"""Connecting: what is secret goes to a real keyring and nowhere else, what is refused changes nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Call, Connector, Field, ToolFailedError
from scheduler.connections.errors import BadSettingsError
from scheduler.connections.keeper import Keeper
from scheduler.connections.registry import Registry
from scheduler.connections.vault import Vault
from scheduler.connections.vault_errors import NotInVaultError, NoVaultError, VaultLockedError
from scheduler.engine.clock import SystemClock
from scheduler.engine.refusal import RefusedError
from scheduler.store import connections
from tests.connections import doorman as door
from tests.connections.doorman import Doorman, doors
from tests.connections.secret_service import SecretService
from tests.connections.waiting import gathering
from tests.runs.shop import Shop

doorman = door.doorman


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    shop.world.registry = doors  # type: ignore[method-assign]
    shop.secrets = Keeper(shop.clock.now)
    shop.crash()
    yield shop
    shop.close()


def settings_of(shop: Shop, name: str) -> dict[str, Any] | None:
    row = connections.find(shop.database.read(), name)
    return None if row is None else row.settings


def kept_for(name: str) -> dict[str, Any] | None:
    """What the keyring has, as another life of the app finds it."""
    try:
        return Vault().get(name)
    except NotInVaultError:
        return None


def test_what_is_secret_goes_to_the_keyring_and_the_rest_to_the_store(
    shop: Shop, doorman: Doorman, keyring: SecretService
) -> None:
    answer = shop.house.connect("door:home", {"url": doorman.url, "password": "hunter2"}, test=True)
    assert answer["sentence"] == "door:home is connected."
    assert doorman.let_in == ["/test"]
    assert settings_of(shop, "door:home") == {"url": doorman.url, "badge": None}
    assert kept_for("door:home") == {"password": "hunter2"}
    stored = b"".join(file.read_bytes() for file in shop.folder.rglob("*") if file.is_file())
    assert b"hunter2" not in stored
    assert b"door:home" in stored


def test_what_does_not_work_is_not_kept_and_its_secret_is_not_quoted(
    shop: Shop, doorman: Doorman, keyring: SecretService
) -> None:
    with pytest.raises(ToolFailedError) as failed:
        shop.house.connect("door:home", {"url": doorman.url, "password": "wrong"}, test=True)
    assert str(failed.value) == "The doorman did not let door:home in with •••."
    assert (settings_of(shop, "door:home"), kept_for("door:home")) == (None, None)
    shop.house.connect("door:home", {"url": doorman.url, "password": "wrong"}, test=False)
    assert kept_for("door:home") == {"password": "wrong"}
    assert len(doorman.seen) == 1, "tried although it was not to be"


def test_a_fault_while_it_is_tried_quotes_no_secret(tmp_path: Path, keyring: SecretService) -> None:
    def fail(call: Call) -> str:
        raise RuntimeError(f"https://me:{call.settings['password']}@x")

    fields = (Field(name="password", label="Password", secret=True),)
    shop = Shop(tmp_path)
    shop.world.registry = lambda: Registry(  # type: ignore[method-assign]
        [Connector(kind="odd", title="Odd", help="", fields=fields, tools=(), test=fail)]
    )
    shop.crash()
    with pytest.raises(ToolFailedError) as failed:
        shop.house.connecting.test("odd:x", {"password": "hunter2"})
    assert "https://me:•••@x" in str(failed.value)
    assert failed.value.__cause__ is None and failed.value.__suppress_context__
    shop.close()


def test_connecting_again_keeps_the_secrets_that_are_not_given(
    shop: Shop, doorman: Doorman, keyring: SecretService
) -> None:
    shop.house.connect("door:home", {"url": "http://127.0.0.1:1", "password": "hunter2", "badge": "7"})
    shop.house.connect("door:home", {"url": doorman.url, "password": ""}, test=True)
    assert settings_of(shop, "door:home") == {"url": doorman.url}
    assert kept_for("door:home") == {"password": "hunter2", "badge": "7"}
    assert shop.house.connecting.test("door:home") == "The doorman knows you."


def test_a_secret_that_is_needed_and_was_never_given_is_asked_for(shop: Shop, keyring: SecretService) -> None:
    with pytest.raises(BadSettingsError, match="Password"):
        shop.house.connect("door:home", {"url": "http://x"})


def test_without_secrets_no_keyring_is_needed(shop: Shop, service: SecretService) -> None:
    """There is none here, and nobody is told so."""
    shop.house.connect("plain:x", {"path": "/a"})
    assert settings_of(shop, "plain:x") == {"path": "/a", "token": None}
    assert shop.house.connecting.test("plain:x") == "Fine."
    shop.house.connecting.disconnect("plain:x", lambda: shop.house.allowing.disconnected("plain:x"))
    assert settings_of(shop, "plain:x") is None


def test_without_a_keyring_nothing_is_kept(shop: Shop, service: SecretService) -> None:
    """U9: no half connection, and nothing in plain text."""
    with gathering(), pytest.raises(ToolFailedError) as failed:
        shop.house.connect("plain:x", {"path": "/a", "token": "hunter2"})
    assert str(failed.value) == NoVaultError().sentence
    assert settings_of(shop, "plain:x") is None


def test_secrets_are_as_before_if_the_rest_cannot_be_kept(shop: Shop, keyring: SecretService) -> None:
    def refuse(_: dict[str, Any]) -> dict[str, Any]:
        raise RefusedError("store", "The disk is full.")

    connect = shop.house.connecting.connect
    with pytest.raises(RefusedError):
        connect("door:home", {"url": "http://x", "password": "new"}, refuse, test=False)
    assert kept_for("door:home") is None
    shop.house.connect("door:home", {"url": "http://x", "password": "old"})
    with pytest.raises(RefusedError):
        connect("door:home", {"url": "http://y", "password": "new"}, refuse, test=False)
    assert (settings_of(shop, "door:home"), kept_for("door:home")) == (
        {"url": "http://x", "badge": None},
        {"password": "old"},
    )
    row = connections.find(shop.database.read(), "door:home")
    assert row is not None and row.trouble is None


def test_while_secrets_and_the_rest_change_nobody_uses_half_of_them(shop: Shop, keyring: SecretService) -> None:
    """New secrets with the address of before would go to the wrong server."""
    shop.house.connect("door:home", {"url": "http://x", "password": "old"})
    seen: list[str | None] = []

    def look_and_save(plain: dict[str, Any]) -> dict[str, Any]:
        row = connections.find(shop.database.read(), "door:home")
        seen.append(None if row is None else row.trouble)
        return shop.house.allowing.connected("door:home", plain)

    connect = shop.house.connecting.connect
    connect("door:home", {"url": "http://y", "password": "new"}, look_and_save, test=False)
    connect("door:home", {"url": "http://y", "password": "newer"}, look_and_save, test=False)
    connect("door:home", {"url": "http://z"}, look_and_save, test=False)
    assert seen == ["door:home was not connected to the end. Connect it again.", None, None]
    row = connections.find(shop.database.read(), "door:home")
    assert row is not None and row.trouble is None and kept_for("door:home") == {"password": "newer"}


def test_the_same_request_again_changes_nothing(shop: Shop, keyring: SecretService) -> None:
    first = shop.house.connect("door:home", {"url": "http://x", "password": "old"}, request_id="r1")
    shop.house.connect("door:home", {"url": "http://x", "password": "new"})
    assert shop.house.connect("door:home", {"url": "http://x", "password": "old"}, request_id="r1") == first
    assert kept_for("door:home") == {"password": "new"}


def test_disconnecting_leaves_nothing_in_the_keyring(shop: Shop, keyring: SecretService) -> None:
    shop.house.connect("door:home", {"url": "http://x", "password": "hunter2"})
    shop.house.connecting.disconnect("door:home", lambda: shop.house.allowing.disconnected("door:home"))
    assert (settings_of(shop, "door:home"), kept_for("door:home")) == (None, None)


def test_what_was_left_by_a_crash_is_taken_away(shop: Shop, keyring: SecretService) -> None:
    """Killed between the keyring and the store: there is an entry, and no connection."""
    Keeper(SystemClock().now).keep("door:home", {"password": "hunter2"})
    with pytest.raises(RefusedError, match="no connection door:home"):
        shop.house.connecting.disconnect("door:home", lambda: shop.house.allowing.disconnected("door:home"))
    assert kept_for("door:home") is None


def test_while_the_keyring_is_locked_nothing_is_disconnected(shop: Shop, service: SecretService) -> None:
    with service.keyring("pw"):
        shop.house.connect("door:home", {"url": "http://x", "password": "hunter2"})
    shop.crash()
    with service.keyring(None), gathering(), pytest.raises(ToolFailedError) as failed:
        shop.house.connecting.disconnect("door:home", lambda: shop.house.allowing.disconnected("door:home"))
    assert str(failed.value) == VaultLockedError().sentence
    assert settings_of(shop, "door:home") is not None
