"""Quitting while something outside is being done."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QProgressBar, QPushButton
from pytestqt.qtbot import QtBot

from app.asking import close_asking, command
from app.life.installation import Installation
from app.life.leaving import Leaving
from scheduler.engine.workflows.views.requests import RequestView
from scheduler.rules.mutations import Mutation
from scheduler.store import mutations, runs
from scheduler.store.mutations import MutationRow
from tests.app.living import LIMIT, Wait, deploy, installation, request_, wait

__all__ = ["installation", "request_", "wait"]


class Outside:
    """What is being done outside, as a test wants it."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ("Receipts",)
        self.looks = 0

    def __call__(self) -> tuple[str, ...]:
        self.looks += 1
        return self.names


@pytest.fixture
def outside() -> Outside:
    return Outside()


@pytest.fixture
def leaving(qtbot: QtBot, outside: Outside) -> Iterator[Leaving]:
    made = Leaving(outside, lambda: None)
    yield made
    made.close()
    close_asking()


def press(leaving: Leaving, label: str) -> None:
    assert leaving.question is not None
    button = next(one for one in leaving.question.findChildren(QPushButton) if one.text() == label)
    button.click()


def test_with_nothing_under_way_it_ends_without_a_question(qtbot: QtBot, leaving: Leaving, outside: Outside) -> None:
    outside.names = ()
    with qtbot.waitSignal(leaving.left, timeout=LIMIT):
        leaving.leave()
    assert leaving.question is None


def test_it_asks_and_waits_until_the_action_is_over(
    qtbot: QtBot, leaving: Leaving, outside: Outside, wait: Wait
) -> None:
    """U2"""
    leaving.leave()
    wait(lambda: leaving.question)
    assert "Receipts" in leaving.question.text()
    press(leaving, "Wait, then quit")
    wait(lambda: leaving.progress is not None and outside.looks > 3)
    with qtbot.waitSignal(leaving.left, timeout=LIMIT):
        outside.names = ()
    assert leaving.progress is None


def test_it_does_not_wait_for_ever(qtbot: QtBot, outside: Outside) -> None:
    leaving = Leaving(outside, lambda: None, patience=0.4)
    with qtbot.waitSignal(leaving.left, timeout=LIMIT):
        leaving.leave(ask=False)
    assert outside.looks == 3
    leaving.close()
    close_asking()


def test_one_may_quit_at_once_or_not_at_all(qtbot: QtBot, leaving: Leaving, wait: Wait) -> None:
    ended: list[str] = []
    leaving.left.connect(lambda: ended.append("left"))
    leaving.leave()
    wait(lambda: leaving.question)
    press(leaving, "Don't quit")
    assert ended == [] and leaving.question is None
    leaving.leave()
    wait(lambda: leaving.question)
    press(leaving, "Quit at once")
    assert ended == ["left"]


def test_a_second_wish_to_quit_asks_no_second_question(leaving: Leaving, outside: Outside, wait: Wait) -> None:
    leaving.leave()
    wait(lambda: leaving.question)
    first = leaving.question
    leaving.leave()
    assert leaving.question is first
    assert outside.looks == 1


def test_where_nobody_can_be_asked_an_open_question_is_taken_away(
    qtbot: QtBot, leaving: Leaving, outside: Outside, wait: Wait
) -> None:
    """`dayhand quit` says that it ends; an upgrade must not wait for somebody who is not there."""
    leaving.leave()
    wait(lambda: leaving.question)
    leaving.leave(ask=False)
    assert leaving.question is None
    wait(lambda: leaving.progress)
    with qtbot.waitSignal(leaving.left, timeout=LIMIT):
        outside.names = ()


def test_while_it_waits_one_may_still_stay(leaving: Leaving, outside: Outside, wait: Wait) -> None:
    leaving.leave(ask=False)
    wait(lambda: leaving.progress)
    assert leaving.progress.findChild(QProgressBar).accessibleName() == "Waiting for an outside action to finish…"
    leaving.progress.findChild(QPushButton).click()
    assert leaving.progress is None
    assert not leaving._again.isActive()


def test_an_outside_action_counts_from_its_beginning_to_its_outcome(
    installation: Installation, request_: RequestView, tmp_path: Path
) -> None:
    """As the run layer writes it down before the call and after."""
    assert installation.views.underway() == ()
    call, now = request_.call, request_.created
    row = MutationRow(
        run=str(request_.run),
        workflow="receipts",
        connection=call["connection"],
        tool=call["tool"],
        parameters=call["parameters"],
        key="k",
        status=Mutation.IN_FLIGHT,
        begun=now,
    )
    with installation.database.write() as db:
        mutations.begin(db, row)
    assert installation.views.underway() == ("Receipts",)
    with installation.database.write() as db:
        mutations.settle(db, row.run, Mutation.IN_FLIGHT, Mutation.APPLIED, now)
    assert installation.views.underway() == ()


@pytest.mark.parametrize(("after_crash", "counts"), [("ask", True), ("never", True), ("again", False)])
def test_a_job_counts_unless_it_may_be_done_again(
    installation: Installation, wait: Wait, tmp_path: Path, after_crash: str, *, counts: bool
) -> None:
    """Its commands act outside, and one that is cut off asks at the next start whether it finished."""
    started, done = tmp_path / "started", tmp_path / "done"
    body = f"open({str(started)!r}, 'w').close()\n    while not os.path.exists({str(done)!r}): time.sleep(0.01)"
    when = f'cron="0 4 1 1 *", after_crash={after_crash!r}'
    deploy(installation, "Backup", f"import os, time\n    {body}", when=when)
    command(installation, "run", target="backup")
    wait(started.exists)
    assert installation.views.underway() == (("Backup",) if counts else ())
    done.touch()
    wait(lambda: installation.views.underway() == () and not runs.active(installation.database.read()))
