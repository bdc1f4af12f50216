"""A session: maintenance when idle, messages of workflows, commands for the window, and the keyring."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from app import session as session_module
from app.background import run_command
from app.ipc import client
from app.session import Session
from scheduler.connections.errors import VaultLockedError
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.store import history_index
from tests.app.cli.live_cli import job, running_session
from tests.connections.password_server import PasswordServer, door
from tests.connections.secret_service import SecretService
from tests.store.history_samples import add_ended_run

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
        assert time.monotonic() < end, "timed out"
        QCoreApplication.processEvents()
        time.sleep(0.01)


@pytest.fixture
def installation(tmp_path: Path, qapp: QApplication) -> Iterator[Session]:
    with running_session(tmp_path / "data") as installation:
        yield installation


def deploy(installation: Session, source: str) -> None:
    validated = installation._runtime.validation.validate("script.py", source)
    installation.engine_thread.submit(
        lambda _: installation._runtime.workflow_commands.deploy(validated, DeployOptions(grant=True))
    ).result(LIMIT)


def test_the_history_is_indexed_when_idle(installation: Session) -> None:
    deploy(installation, job())
    installation.engine_thread.submit(lambda _: installation._runtime.workflow_commands.run("backup")).result(LIMIT)
    db = installation._runtime.database.read()
    wait_for(lambda: history_index.count_unindexed(db))
    wait_for(lambda: not history_index.count_unindexed(db))
    assert db.execute("SELECT count(*) FROM history").fetchone()[0] == 1


def test_the_history_is_indexed_despite_constant_announcements(installation: Session) -> None:
    deploy(installation, job())
    with installation._runtime.database.write() as db:
        for number in range(300):
            add_ended_run(db, f"r{number}", workflow="backup")
    db = installation._runtime.database.read()
    assert history_index.count_unindexed(db) == 300

    def announce_more() -> bool:
        installation.announced.emit(None)
        return history_index.count_unindexed(db) <= 100

    wait_for(announce_more)


def test_a_message_of_a_workflow_is_emitted(installation: Session) -> None:
    messages: list[tuple[str, str]] = []
    installation.message_sent.connect(lambda title, text: messages.append((title, text)))
    deploy(installation, NOTIFYING)
    publish = installation._runtime.event_commands.publish
    installation.engine_thread.submit(lambda _: publish("notes", "things", "1", title="World")).result(LIMIT)
    wait_for(lambda: messages)
    assert messages == [("Hello", "World")]


def ask(folder: Path, verb: str) -> "Future[dict[str, Any]]":
    """The answer of a command, which waits for this thread."""
    end = client.connect(folder)
    assert end is not None
    answer: Future[dict[str, Any]] = Future()
    Thread(target=lambda: answer.set_result(list(client.call(end, verb, {}))[-1])).start()
    return answer


@pytest.mark.parametrize(
    ("verb", "signal", "sentence"),
    [
        ("window", lambda session: session.show_requested, "without a window"),
        ("quit", lambda session: session.quit_requested, "Dayhand is quitting."),
    ],
)
def test_a_window_command_is_answered_once_it_was_handled(
    installation: Session, tmp_path: Path, verb: str, signal: Callable[[Session], Any], sentence: str
) -> None:
    emitted: list[int] = []
    signal(installation).connect(lambda: emitted.append(1))
    answer = ask(tmp_path / "data", verb)
    wait_for(answer.done)
    assert sentence in answer.result()["answer"]["sentence"]
    assert emitted == [1]


def test_a_hanging_window_is_reported(installation: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The GUI thread does nothing here; the server's thread is alive."""
    monkeypatch.setattr(session_module, "_GUI_TIMEOUT_S", 0.0)
    assert "does not respond" in ask(tmp_path / "data", "window").result(LIMIT)["error"]["message"]


def test_it_is_idle_when_there_is_nothing_left_to_do(installation: Session) -> None:
    deploy(installation, job())
    assert installation.engine_thread.submit(lambda _: installation.is_idle()).result(LIMIT)
    installation.engine_thread.submit(lambda _: installation._runtime.workflow_commands.run("backup")).result(LIMIT)
    wait_for(lambda: installation.queries.last_run_number() == 1)
    wait_for(lambda: installation.engine_thread.submit(lambda _: installation.is_idle()).result(LIMIT))
    assert installation.queries.workflow("backup").recent[0].status == "committed"


def test_a_locked_keyring_is_reported_and_runs_continue_when_unlocked(
    installation: Session, service: SecretService
) -> None:
    """The keyring is locked and unlocked while the app runs; the session must notice it itself."""
    installation._runtime.registry._connectors["door"] = door
    with service.keyring("pw"), PasswordServer().working() as server:
        given = {"name": "door:home", "settings": {"url": server.url}, "secrets": {"password": "hunter2"}}
        run_command(installation, "connect", **given)
        installation._vault._cache.clear()
        service.lock()
        for name in ("A", "B"):
            run_command(installation, "deploy", path=f"/{name}.py", source=READS.replace("NAME", name), grant=True)
            run_command(installation, "run", target=name)
        wait_for(lambda: [one.workflows for one in installation.queries.attention()] == [("a", "b")])
        [request] = installation.queries.attention()
        assert (request.kind, request.sentence) == ("keyring", VaultLockedError().sentence)
        assert server.let_in == ["/test"]
        service.unlock("pw")
        wait_for(lambda: server.let_in == ["/test", "/look", "/look"])
        wait_for(lambda: installation.queries.attention() == [])
