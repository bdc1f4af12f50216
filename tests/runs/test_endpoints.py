"""An approval is for the account or folder a connection pointed to, not for its name."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from scheduler.connections.connector import Connector, Field, FieldKind
from scheduler.connections.connectors.caldav.connector import caldav
from scheduler.connections.connectors.files import actions
from scheduler.connections.connectors.http.connector import http
from scheduler.connections.connectors.mail.imap import imap
from scheduler.store import grants
from tests.runs.folder_runtime import FolderRuntime


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[FolderRuntime]:
    runtime = FolderRuntime(tmp_path)
    yield runtime
    runtime.close()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    place = tmp_path / "elsewhere"
    place.mkdir()
    (place / "b.txt").write_text("dear")
    return place


def always_allow(runtime: FolderRuntime) -> None:
    """Allow deleting in the inbox, with the first approval."""
    for name in ("a.txt", "b.txt"):
        (runtime.inbox / name).write_text("cheap")
    runtime.start("delete", path="a.txt")
    runtime.request_commands.approve(runtime.only_request().id, always=True)
    runtime.tick()
    assert approvals(runtime) == 1


def approvals(runtime: FolderRuntime) -> int:
    return sum(one.kind == "approval" for one in grants.of_workflow(runtime.database.read(), "w"))


def delete_next(runtime: FolderRuntime) -> None:
    runtime.publish("b", {"path": "b.txt"})
    runtime.tick()


def test_a_standing_approval_ends_when_the_connection_points_to_another_folder(
    runtime: FolderRuntime, elsewhere: Path
) -> None:
    always_allow(runtime)
    answer = runtime.services.connect("files:inbox", {"path": str(elsewhere)})
    assert "ask again" in answer["sentence"]
    delete_next(runtime)
    assert runtime.only_request().call["endpoint"] == {"path": str(elsewhere)}, "it still has permission, but asks"
    assert (elsewhere / "b.txt").exists()


def test_a_standing_approval_ends_with_a_disconnect(runtime: FolderRuntime, elsewhere: Path) -> None:
    always_allow(runtime)
    runtime.services.connection_setup.disconnect(
        "files:inbox", lambda: runtime.services.grant_commands.remove_connection("files:inbox")
    )
    runtime.services.connect("files:inbox", {"path": str(elsewhere)})
    delete_next(runtime)
    assert runtime.only_request().kind == "approval"
    assert (elsewhere / "b.txt").exists()


def test_a_request_of_an_earlier_version_is_asked_again_before_it_can_be_answered(runtime: FolderRuntime) -> None:
    """It does not say which folder it was for, so an approval of it would lead to the same question again."""
    (runtime.inbox / "a.txt").write_text("cheap")
    runtime.start("delete", path="a.txt")
    old = runtime.only_request()
    with runtime.database.write() as db:
        db.execute("UPDATE requests SET call = json_remove(call, '$.endpoint'), hash = 'old'")
    runtime.crash()
    runtime.tick()
    new = runtime.only_request()
    assert new.id != old.id and new.call["endpoint"] == {"path": str(runtime.inbox)}
    runtime.request_commands.approve(new.id)
    runtime.tick()
    assert not (runtime.inbox / "a.txt").exists()
    assert [one for one in runtime.requests() if one.answer is None] == []


def test_connecting_the_same_folder_again_changes_nothing(runtime: FolderRuntime) -> None:
    always_allow(runtime)
    answer = runtime.services.connect("files:inbox", {"path": f"{runtime.inbox}/../inbox/"})
    assert answer["sentence"] == "files:inbox is connected."
    delete_next(runtime)
    assert runtime.requests() == []
    assert not (runtime.inbox / "b.txt").exists()


def test_an_approval_does_not_apply_to_another_folder(runtime: FolderRuntime, elsewhere: Path) -> None:
    """Neither folder has that file, so only the folder differs between the calls."""
    runtime.start("write", path="new.txt", text="x")
    assert runtime.only_request().call["endpoint"] == {"path": str(runtime.inbox)}
    runtime.services.connect("files:inbox", {"path": str(elsewhere)})
    runtime.approve()
    assert not (elsewhere / "new.txt").exists()
    assert runtime.only_request().call["endpoint"] == {"path": str(elsewhere)}
    runtime.approve()
    assert (elsewhere / "new.txt").exists()


def test_the_checker_does_not_look_in_another_folder(
    runtime: FolderRuntime, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing file there says nothing about the file to be deleted."""
    (runtime.inbox / "a.txt").write_text("old")

    def fail(_: Path) -> None:
        raise OSError(5, "broken")

    monkeypatch.setattr(actions, "sync_folder", fail)
    runtime.start("delete", "never", path="a.txt")
    monkeypatch.undo()
    runtime.services.connect("files:inbox", {"path": str(elsewhere)})
    runtime.pass_time(timedelta(minutes=10))
    [request] = runtime.requests()
    assert request.kind == "unsure"
    assert runtime.outcome() == "unsure"


@pytest.mark.parametrize(
    ("connector", "one", "other"),
    [
        (imap, {"host": "a", "user": "me", "security": "tls"}, {"host": "a", "user": "me", "security": "starttls"}),
        (caldav, {"url": "https://a/me/"}, {"url": "https://a/me", "certificate": "/c.pem", "password": "x"}),
        (http, {"base_url": "https://a", "auth": "none"}, {"base_url": "https://a", "auth": "bearer", "secret": "x"}),
    ],
)
def test_other_ways_to_the_same_account_have_the_same_endpoint(
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
def test_different_accounts_have_different_endpoints(
    connector: Connector, one: dict[str, object], other: dict[str, object]
) -> None:
    assert connector.endpoint(one) != connector.endpoint(other)


def test_an_endpoint_contains_no_secrets() -> None:
    """It is stored with the request and shown."""
    field = Field(name="token", label="Token", secret=True, kind=FieldKind.TEXT)
    connector = Connector(kind="x", title="X", help="", fields=(field,), tools=(), test=lambda _: "")
    assert connector.endpoint({"token": "secret"}) == {}


def test_a_different_port_is_a_different_endpoint() -> None:
    """Local bridges and tunnels differ only by port."""
    one, other = ({"host": "127.0.0.1", "user": "me", "port": port} for port in (1143, 2143))
    assert imap.endpoint(one) != imap.endpoint(other)
