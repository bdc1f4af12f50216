"""Tasks off the GUI thread."""

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from app.background import BackgroundTasks, close_background_tasks, run_command
from app.session import Session
from scheduler.engine.errors import RefusedError
from tests.app.app_fixture import LIMIT, empty

__all__ = ["empty"]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    close_background_tasks()


def test_a_task_runs_in_another_thread_and_delivers_in_this_one(qtbot: QtBot) -> None:
    delivered: list[tuple[str, str]] = []
    tasks = BackgroundTasks()
    tasks.run(
        lambda: threading.current_thread().name, lambda name: delivered.append((name, threading.current_thread().name))
    )
    qtbot.waitUntil(lambda: bool(delivered), timeout=LIMIT)
    assert delivered[0][0].startswith("background")
    assert delivered[0][1] == threading.current_thread().name


def test_an_error_is_delivered_to_the_error_callback(qtbot: QtBot) -> None:
    delivered: list[Exception] = []

    def fail() -> None:
        raise ValueError("no")

    tasks = BackgroundTasks()
    tasks.run(fail, lambda _: pytest.fail("it should have failed"), delivered.append)
    qtbot.waitUntil(lambda: bool(delivered), timeout=LIMIT)
    assert str(delivered[0]) == "no"


def test_a_result_is_dropped_once_the_page_is_gone(qtbot: QtBot) -> None:
    page, other = QObject(), QObject()
    gate, delivered = threading.Event(), []
    BackgroundTasks(page).run(lambda: gate.wait(60), lambda _: delivered.append("gone"))
    delete(page)
    gate.set()
    BackgroundTasks(other).run(lambda: None, lambda _: delivered.append("here"))
    qtbot.waitUntil(lambda: "here" in delivered, timeout=LIMIT)
    close_background_tasks()
    assert delivered == ["here"]


def test_repeated_calls_run_once_more_afterwards(qtbot: QtBot) -> None:
    gate, calls, delivered = threading.Event(), [], []
    tasks = BackgroundTasks()

    def count() -> int:
        gate.wait(60)
        calls.append(1)
        return len(calls)

    for _ in range(20):
        tasks.run_latest("day", count, delivered.append)
    gate.set()
    qtbot.waitUntil(lambda: delivered == [1, 2], timeout=LIMIT)
    assert len(calls) == 2


def test_a_subject_can_run_again_after_an_error(qtbot: QtBot) -> None:
    tasks, delivered = BackgroundTasks(), []

    def fail() -> None:
        raise ValueError("no")

    tasks.run_latest("day", fail, delivered.append, lambda _: delivered.append("failed"))
    qtbot.waitUntil(lambda: delivered == ["failed"], timeout=LIMIT)
    tasks.run_latest("day", lambda: "well", delivered.append)
    qtbot.waitUntil(lambda: delivered == ["failed", "well"], timeout=LIMIT)


def test_a_refused_command_raises_its_sentence(empty: Session) -> None:
    with pytest.raises(RefusedError) as refused:
        run_command(empty, "run", target="nobody")
    assert "nobody" in refused.value.sentence
    assert run_command(empty, "list") == {"workflows": []}
