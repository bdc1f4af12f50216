"""The app's own half: tidies up when it is quiet, passes messages on, hears who wants the window."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from app.asking import command
from app.control import client
from app.life import installation as installation_module
from app.life.installation import Installation
from scheduler.connections.vault_errors import VaultLockedError
from scheduler.engine.workflows.deploying import Wish
from scheduler.store import history
from tests.app.verbs.served import job, serving
from tests.connections.doorman import Doorman, door
from tests.connections.secret_service import SecretService
from tests.store.past import add_past

LIMIT = 60.0
NOTIFYING = """
import dayhand
flow = dayhand.Workflow("Notes", connections=["notify:me"])
things = flow.topic("things")

@flow.consumer(subscribe=[things], approve="never")
class Tell:
    def prepare(self, ctx, state):
        found = ctx.peek(things, limit=1)
        return dayhand.prepared(reserve=found) if found else dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("notify:me", "send", title="Hello", text=prepared.reserve[0].title)
"""
READS = """
import dayhand
flow = dayhand.Workflow("NAME", connections=["door:home"])

@flow.job(cron="0 4 1 1 *")
def read(ctx):
    ctx.call("door:home", "look")
"""


def wait_for(holds: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end, "it never came to be"
        QCoreApplication.processEvents()
        time.sleep(0.01)


@pytest.fixture
def installation(tmp_path: Path, qapp: QApplication) -> Iterator[Installation]:
    with serving(tmp_path / "data") as installation:
        yield installation


def deploy(installation: Installation, source: str) -> None:
    validated = installation.house.validation.validate("script.py", source)
    installation.host.ask(lambda _: installation.house.commands.deploy(validated, Wish(grant=True))).result(LIMIT)


def test_after_a_while_of_quiet_the_history_is_indexed(installation: Installation) -> None:
    deploy(installation, job())
    installation.host.ask(lambda _: installation.house.commands.run("backup")).result(LIMIT)
    db = installation.database.read()
    wait_for(lambda: history.lag(db))
    wait_for(lambda: not history.lag(db))
    assert db.execute("SELECT count(*) FROM history").fetchone()[0] == 1


def test_where_news_never_cease_the_history_is_indexed_all_the_same(installation: Installation) -> None:
    deploy(installation, job())
    with installation.database.write() as db:
        for number in range(300):
            add_past(db, f"r{number}", workflow="backup")
    db = installation.database.read()
    assert history.lag(db) == 300

    def hears_more() -> bool:
        installation.announced.emit(None)
        return history.lag(db) <= 100

    wait_for(hears_more)


def test_a_message_of_a_workflow_arrives(installation: Installation) -> None:
    told: list[tuple[str, str]] = []
    installation.told.connect(lambda title, text: told.append((title, text)))
    deploy(installation, NOTIFYING)
    publish = installation.house.events.publish
    installation.host.ask(lambda _: publish("notes", "things", "1", title="World")).result(LIMIT)
    wait_for(lambda: told)
    assert told == [("Hello", "World")]


def ask(folder: Path, verb: str) -> "Future[dict[str, Any]]":
    """What a command is told, which waits for this thread."""
    end = client.reach(folder)
    assert end is not None
    told: Future[dict[str, Any]] = Future()
    Thread(target=lambda: told.set_result(list(client.ask(end, verb, {}))[-1])).start()
    return told


@pytest.mark.parametrize(
    ("verb", "name", "said"), [("window", "show_wanted", "no window"), ("quit", "quit_wanted", "Dayhand ends.")]
)
def test_a_wish_is_answered_once_it_was_heard(
    installation: Installation, tmp_path: Path, verb: str, name: str, said: str
) -> None:
    wanted: list[int] = []
    getattr(installation, name).connect(lambda: wanted.append(1))
    told = ask(tmp_path / "data", verb)
    wait_for(told.done)
    assert said in told.result()["answer"]["sentence"]
    assert wanted == [1]


def test_where_the_window_hangs_nobody_says_that_all_is_well(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its thread does nothing here; the one that hears commands is alive."""
    monkeypatch.setattr(installation_module, "_HEARING", 0.0)
    assert "does not answer" in ask(tmp_path / "data", "window").result(LIMIT)["error"]["message"]


def test_it_is_quiet_when_there_is_nothing_left_to_do(installation: Installation) -> None:
    deploy(installation, job())
    assert installation.host.ask(lambda _: installation.is_quiet()).result(LIMIT)
    installation.host.ask(lambda _: installation.house.commands.run("backup")).result(LIMIT)
    wait_for(lambda: installation.views.last_number() == 1)
    wait_for(lambda: installation.host.ask(lambda _: installation.is_quiet()).result(LIMIT))
    assert installation.views.workflow("backup").recent[0].status == "committed"


def test_a_locked_keyring_is_said_and_everything_goes_on_when_it_is_unlocked(
    installation: Installation, service: SecretService
) -> None:
    """U9, with a keyring that is locked and unlocked while the app runs; nobody tells the installation."""
    installation.house.registry._connectors["door"] = door
    with service.keyring("pw"), Doorman().working() as doorman:
        given = {"name": "door:home", "settings": {"url": doorman.url}, "secrets": {"password": "hunter2"}}
        command(installation, "connect", **given)
        installation._vault.forget()
        service.lock()
        for name in ("A", "B"):
            command(installation, "deploy", path=f"/{name}.py", source=READS.replace("NAME", name), grant=True)
            command(installation, "run", target=name)
        wait_for(lambda: [one.workflows for one in installation.views.attention()] == [("a", "b")])
        [request] = installation.views.attention()
        assert (request.kind, request.sentence) == ("keyring", VaultLockedError().sentence)
        assert doorman.let_in == ["/test"]
        service.unlock("pw")
        wait_for(lambda: doorman.let_in == ["/test", "/look", "/look"])
        wait_for(lambda: installation.views.attention() == [])
