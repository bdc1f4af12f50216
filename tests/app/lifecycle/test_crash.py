"""A mistake of Dayhand's own: one sentence, the details to copy, the log, and never a storm of dialogs."""

import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.keeping.logbook import keep_log
from app.life.crash import Crashes


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def crashes(qtbot: QtBot, tmp_path: Path, clock: Clock) -> Iterator[Crashes]:
    with keep_log(tmp_path) as path:
        made = Crashes(path, clock=clock)
        yield made
        made.close()


def make_mistake(words: str = "by accident") -> None:
    """As one in a slot reaches the hook."""
    try:
        raise RuntimeError(words)
    except RuntimeError as error:
        sys.excepthook(RuntimeError, error, error.__traceback__)


def make_another() -> None:
    try:
        raise KeyError("another")
    except KeyError as error:
        sys.excepthook(KeyError, error, error.__traceback__)


def log_of(tmp_path: Path) -> str:
    return (tmp_path / "logs" / "dayhand.log").read_text(encoding="utf-8")


def test_a_mistake_in_a_slot_is_shown_and_written_down(qtbot: QtBot, crashes: Crashes, tmp_path: Path) -> None:
    with qtbot.captureExceptions():  # its own hook stands in the way of ours otherwise
        sys.excepthook = crashes._hear
        QTimer.singleShot(0, lambda: "".index("x"))
        qtbot.waitUntil(lambda: crashes.dialog is not None, timeout=30_000)
    assert crashes.dialog is not None
    assert "ValueError" in crashes.dialog.details.toPlainText()
    assert "your workflows go on" in crashes.dialog.sentence.text()
    assert "ValueError" in log_of(tmp_path)


def test_the_details_can_be_copied(qtbot: QtBot, crashes: Crashes) -> None:
    make_mistake()
    qtbot.waitUntil(lambda: crashes.dialog is not None, timeout=30_000)
    assert crashes.dialog is not None
    crashes.dialog.copy.click()
    copied = QGuiApplication.clipboard().text()
    assert "RuntimeError: by accident" in copied and copied.startswith("Dayhand ")


def test_a_storm_of_mistakes_is_one_dialog_that_counts(qtbot: QtBot, crashes: Crashes, tmp_path: Path) -> None:
    for number in range(1_000):
        make_mistake(f"number {number}")
    qtbot.waitUntil(lambda: crashes.dialog is not None and "999 more" in crashes.dialog.more.text(), timeout=30_000)
    assert log_of(tmp_path).count("RuntimeError: number") == 500


def test_a_mistake_that_came_twice_is_counted_as_one_says_it(qtbot: QtBot, crashes: Crashes) -> None:
    make_mistake("first")
    make_mistake("second")
    qtbot.waitUntil(lambda: crashes.dialog is not None and bool(crashes.dialog.more.text()), timeout=30_000)
    assert crashes.dialog is not None
    assert crashes.dialog.more.text() == "It happened once more since; the log has it."


def test_soon_after_one_dialog_no_other_comes(qtbot: QtBot, crashes: Crashes, clock: Clock) -> None:
    make_mistake()
    qtbot.waitUntil(lambda: crashes.dialog is not None, timeout=30_000)
    assert crashes.dialog is not None
    crashes.dialog.close_button.click()
    assert crashes.dialog is None
    make_another()
    QGuiApplication.processEvents()
    assert crashes.dialog is None
    clock.now += 61
    make_another()
    qtbot.waitUntil(lambda: crashes.dialog is not None, timeout=30_000)


def test_the_same_mistake_is_shown_once(qtbot: QtBot, crashes: Crashes, clock: Clock) -> None:
    make_mistake()
    qtbot.waitUntil(lambda: crashes.dialog is not None, timeout=30_000)
    assert crashes.dialog is not None
    crashes.dialog.reject()
    clock.now += 600
    make_mistake("with other words")
    QGuiApplication.processEvents()
    assert crashes.dialog is None


def test_a_mistake_in_another_thread_is_written_down_and_not_shown(crashes: Crashes, tmp_path: Path) -> None:
    thread = threading.Thread(target=lambda: {}["missing"], name="reader")
    thread.start()
    thread.join()
    QGuiApplication.processEvents()
    assert crashes.dialog is None
    assert "In the thread reader" in log_of(tmp_path) and "KeyError" in log_of(tmp_path)


def test_a_wish_to_end_is_no_mistake(crashes: Crashes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[type[BaseException]] = []
    crashes._before = (lambda kind, *_: heard.append(kind), crashes._before[1])
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert heard == [KeyboardInterrupt]
    assert log_of(tmp_path) == ""
    crashes._before = (sys.__excepthook__, crashes._before[1])


def test_afterwards_the_hooks_are_those_of_before(qtbot: QtBot, tmp_path: Path) -> None:
    before = (sys.excepthook, threading.excepthook)
    crashes = Crashes(tmp_path / "log")
    assert sys.excepthook != before[0]
    crashes.close()
    assert (sys.excepthook, threading.excepthook) == before
    assert logging.getLogger("app.life.crash").level == logging.NOTSET
