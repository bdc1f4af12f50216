"""A yes is for the account or folder that a connection led to when it was given, not for its name."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from scheduler.connections.connector import Connector, Field, FieldKind
from scheduler.connections.connectors.caldav.connector import caldav
from scheduler.connections.connectors.files import actions, checks
from scheduler.connections.connectors.http.connector import http
from scheduler.connections.connectors.mail.imap import imap
from scheduler.store import grants
from tests.runs.folder_shop import FolderShop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[FolderShop]:
    shop = FolderShop(tmp_path)
    yield shop
    shop.close()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    place = tmp_path / "elsewhere"
    place.mkdir()
    (place / "b.txt").write_text("dear")
    return place


def always_allow(shop: FolderShop) -> None:
    """Deleting in the inbox, by a yes to the first one."""
    for name in ("a.txt", "b.txt"):
        (shop.inbox / name).write_text("cheap")
    shop.begin("delete", path="a.txt")
    shop.answering.approve(shop.asked().id, always=True)
    shop.tick()
    assert approvals(shop) == 1


def approvals(shop: FolderShop) -> int:
    return sum(one.kind == "approval" for one in grants.of_workflow(shop.database.read(), "w"))


def delete_next(shop: FolderShop) -> None:
    shop.publish("b", {"path": "b.txt"})
    shop.tick()


def test_what_was_always_allowed_is_asked_again_in_another_folder(shop: FolderShop, elsewhere: Path) -> None:
    always_allow(shop)
    said = shop.house.connect("files:inbox", {"path": str(elsewhere)})
    assert "ask again" in said["sentence"]
    delete_next(shop)
    assert shop.asked().call["endpoint"] == {"path": str(elsewhere)}, "it may still use the connection, but asks"
    assert (elsewhere / "b.txt").exists()


def test_what_was_always_allowed_is_asked_again_after_a_disconnect(shop: FolderShop, elsewhere: Path) -> None:
    always_allow(shop)
    shop.house.connecting.disconnect("files:inbox", lambda: shop.house.allowing.disconnected("files:inbox"))
    shop.house.connect("files:inbox", {"path": str(elsewhere)})
    delete_next(shop)
    assert shop.asked().kind == "approval"
    assert (elsewhere / "b.txt").exists()


def test_connecting_the_same_folder_again_changes_nothing(shop: FolderShop) -> None:
    always_allow(shop)
    said = shop.house.connect("files:inbox", {"path": f"{shop.inbox}/../inbox/"})
    assert said["sentence"] == "files:inbox is connected."
    delete_next(shop)
    assert shop.requests() == []
    assert not (shop.inbox / "b.txt").exists()


def test_a_yes_does_not_go_along_to_another_folder(shop: FolderShop, elsewhere: Path) -> None:
    """Nothing has that name in either, so only the folder tells the two calls apart."""
    shop.begin("write", path="new.txt", text="x")
    assert shop.asked().call["endpoint"] == {"path": str(shop.inbox)}
    shop.house.connect("files:inbox", {"path": str(elsewhere)})
    shop.say_yes()
    assert not (elsewhere / "new.txt").exists()
    assert shop.asked().call["endpoint"] == {"path": str(elsewhere)}
    shop.say_yes()
    assert (elsewhere / "new.txt").exists()


def test_whether_it_happened_is_not_looked_up_in_another_folder(
    shop: FolderShop, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There the file is not, which says nothing about the one that was to be deleted."""
    (shop.inbox / "a.txt").write_text("old")

    def fail(_: Path) -> None:
        raise OSError(5, "broken")

    for module in (actions, checks):
        monkeypatch.setattr(module, "sync_folder", fail)
    shop.begin("delete", "never", path="a.txt")
    monkeypatch.undo()
    shop.house.connect("files:inbox", {"path": str(elsewhere)})
    shop.pass_time(timedelta(minutes=10))
    [request] = shop.requests()
    assert request.kind == "unsure"
    assert shop.outcome() == "unsure"


@pytest.mark.parametrize(
    ("connector", "one", "other"),
    [
        (imap, {"host": "a", "user": "me", "security": "tls"}, {"host": "a", "user": "me", "security": "starttls"}),
        (caldav, {"url": "https://a/me/"}, {"url": "https://a/me", "certificate": "/c.pem", "password": "x"}),
        (http, {"base_url": "https://a", "auth": "none"}, {"base_url": "https://a", "auth": "bearer", "secret": "x"}),
    ],
)
def test_another_way_to_the_same_account_is_no_other_account(
    connector: Connector, one: dict[str, object], other: dict[str, object]
) -> None:
    assert connector.endpoint(one) == connector.endpoint(other)


@pytest.mark.parametrize(
    ("connector", "one", "other"),
    [
        (imap, {"host": "a", "user": "me"}, {"host": "a", "user": "you"}),
        (caldav, {"url": "https://a/me/"}, {"url": "https://a/you/"}),
        (http, {"base_url": "https://a"}, {"base_url": "https://b"}),
    ],
)
def test_another_account_is_another(connector: Connector, one: dict[str, object], other: dict[str, object]) -> None:
    assert connector.endpoint(one) != connector.endpoint(other)


def test_what_is_secret_is_no_part_of_it() -> None:
    """It is stored with the question and shown."""
    field = Field(name="token", label="Token", secret=True, kind=FieldKind.TEXT)
    connector = Connector(kind="x", title="X", help="", fields=(field,), tools=(), test=lambda _: "")
    assert connector.endpoint({"token": "secret"}) == {}


def test_another_port_is_another_server() -> None:
    """Bridges and tunnels on this computer tell their accounts apart by nothing else."""
    one, other = ({"host": "127.0.0.1", "user": "me", "port": port} for port in (1143, 2143))
    assert imap.endpoint(one) != imap.endpoint(other)
