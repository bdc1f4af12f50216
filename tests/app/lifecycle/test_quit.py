"""Quitting while an outside action is in progress."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QProgressBar, QPushButton
from pytestqt.qtbot import QtBot

from app.background import close_background_tasks, run_command
from app.lifecycle.quit import QuitFlow
from app.session import Session
from scheduler.engine.queries.requests import RequestView
from scheduler.rules.mutations import MutationStatus
from scheduler.store import mutations, runs
from scheduler.store.mutations import MutationRow
from tests.app.app_fixture import LIMIT, Wait, deploy, installation, request_, wait

__all__ = ["installation", "request_", "wait"]


class Actions:
    """The actions in progress, set by the test."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ("Receipts",)
        self.checks = 0

    def __call__(self) -> tuple[str, ...]:
        self.checks += 1
        return self.names


@pytest.fixture
def actions() -> Actions:
    return Actions()


@pytest.fixture
def leaving(qtbot: QtBot, actions: Actions) -> Iterator[QuitFlow]:
    made = QuitFlow(actions, lambda: None)
    yield made
    made.close()
    close_background_tasks()


def press(leaving: QuitFlow, label: str) -> None:
    assert leaving.question is not None
    button = next(one for one in leaving.question.findChildren(QPushButton) if one.text() == label)
    button.click()


def test_quitting_is_immediate_if_no_action_is_in_progress(qtbot: QtBot, leaving: QuitFlow, actions: Actions) -> None:
    actions.names = ()
    with qtbot.waitSignal(leaving.finished, timeout=LIMIT):
        leaving.start()
    assert leaving.question is None


def test_it_asks_and_waits_for_the_action_to_finish(
    qtbot: QtBot, leaving: QuitFlow, actions: Actions, wait: Wait
) -> None:
    leaving.start()
    wait(lambda: leaving.question)
    assert "Receipts" in leaving.question.text()
    press(leaving, "Wait, then quit")
    wait(lambda: leaving.progress is not None and actions.checks > 3)
    with qtbot.waitSignal(leaving.finished, timeout=LIMIT):
        actions.names = ()
    assert leaving.progress is None


def test_waiting_has_a_limit(qtbot: QtBot, actions: Actions) -> None:
    leaving = QuitFlow(actions, lambda: None, timeout_s=0.4)
    with qtbot.waitSignal(leaving.finished, timeout=LIMIT):
        leaving.start(ask=False)
    assert actions.checks == 3
    leaving.close()
    close_background_tasks()


def test_the_user_can_quit_now_or_not_at_all(qtbot: QtBot, leaving: QuitFlow, wait: Wait) -> None:
    ended: list[str] = []
    leaving.finished.connect(lambda: ended.append("left"))
    leaving.start()
    wait(lambda: leaving.question)
    press(leaving, "Don't quit")
    assert ended == [] and leaving.question is None
    leaving.start()
    wait(lambda: leaving.question)
    press(leaving, "Quit now")
    assert ended == ["left"]


def test_a_second_request_opens_no_second_question(leaving: QuitFlow, actions: Actions, wait: Wait) -> None:
    leaving.start()
    wait(lambda: leaving.question)
    first = leaving.question
    leaving.start()
    assert leaving.question is first
    assert actions.checks == 1


def test_a_request_without_asking_closes_the_open_question(
    qtbot: QtBot, leaving: QuitFlow, actions: Actions, wait: Wait
) -> None:
    """`dayhand quit` promises to end; an upgrade must not wait for an absent user."""
    leaving.start()
    wait(lambda: leaving.question)
    leaving.start(ask=False)
    assert leaving.question is None
    wait(lambda: leaving.progress)
    with qtbot.waitSignal(leaving.finished, timeout=LIMIT):
        actions.names = ()


def test_waiting_can_be_cancelled(leaving: QuitFlow, actions: Actions, wait: Wait) -> None:
    leaving.start(ask=False)
    wait(lambda: leaving.progress)
    assert leaving.progress.findChild(QProgressBar).accessibleName() == "Waiting for the action to finish…"
    leaving.progress.findChild(QPushButton).click()
    assert leaving.progress is None
    assert not leaving._check_timer.isActive()


def test_an_outside_action_is_in_progress_from_its_start_to_its_outcome(
    installation: Session, request_: RequestView, tmp_path: Path
) -> None:
    """As the runner records it before and after the call."""
    assert installation.queries.uninterruptible() == ()
    call, now = request_.call, request_.created
    row = MutationRow(
        run=str(request_.run),
        workflow="receipts",
        connection=call["connection"],
        tool=call["tool"],
        parameters=call["parameters"],
        key="k",
        status=MutationStatus.IN_FLIGHT,
        begun=now,
    )
    with installation._runtime.database.write() as db:
        mutations.begin(db, row)
    assert installation.queries.uninterruptible() == ("Receipts",)
    with installation._runtime.database.write() as db:
        mutations.record_outcome(db, row.run, MutationStatus.IN_FLIGHT, MutationStatus.APPLIED, now)
    assert installation.queries.uninterruptible() == ()


@pytest.mark.parametrize(("after_crash", "counts"), [("ask", True), ("never", True), ("again", False)])
def test_a_job_is_in_progress_unless_it_may_be_repeated(
    installation: Session, wait: Wait, tmp_path: Path, after_crash: str, *, counts: bool
) -> None:
    """Its commands are outside actions; an interrupted one asks at the next start whether it finished."""
    started, done = tmp_path / "started", tmp_path / "done"
    body = f"open({str(started)!r}, 'w').close()\n    while not os.path.exists({str(done)!r}): time.sleep(0.01)"
    when = f'cron="0 4 1 1 *", after_crash={after_crash!r}'
    deploy(installation, "Backup", f"import os, time\n    {body}", when=when)
    run_command(installation, "run", target="backup")
    wait(started.exists)
    assert installation.queries.uninterruptible() == (("Backup",) if counts else ())
    done.touch()
    wait(
        lambda: (
            installation.queries.uninterruptible() == () and not runs.list_active(installation._runtime.database.read())
        )
    )


@pytest.mark.parametrize(
    ("names", "said"), [(("Receipts",), "for it to finish"), (("Receipts", "Backup"), "for them to finish")]
)
def test_the_question_speaks_of_one_or_several_actions(
    leaving: QuitFlow, actions: Actions, wait: Wait, names: tuple[str, ...], said: str
) -> None:
    actions.names = names
    leaving.start()
    wait(lambda: leaving.question is not None)
    assert leaving.question is not None
    assert said in leaving.question.informativeText()
    assert "Dayhand" not in leaving.question.windowTitle().removesuffix(" — Dayhand")
