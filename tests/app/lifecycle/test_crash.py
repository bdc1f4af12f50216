"""Unexpected errors of the app: one dialog with details to copy, a log entry, never many dialogs."""

import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.data.log_file import open_log
from app.lifecycle.crash import CrashReporter
from tests.clocks import MonotonicClock


@pytest.fixture
def clock() -> MonotonicClock:
    return MonotonicClock(1_000.0)


@pytest.fixture
def crashes(qtbot: QtBot, tmp_path: Path, clock: MonotonicClock) -> Iterator[CrashReporter]:
    with open_log(tmp_path) as path:
        made = CrashReporter(path, clock=clock)
        yield made
        made.close()


def raise_error(message: str = "by accident") -> None:
    """As an error in a slot reaches the hook."""
    try:
        raise RuntimeError(message)
    except RuntimeError as error:
        sys.excepthook(RuntimeError, error, error.__traceback__)


def raise_other_error() -> None:
    try:
        raise KeyError("another")
    except KeyError as error:
        sys.excepthook(KeyError, error, error.__traceback__)


def read_log(tmp_path: Path) -> str:
    return (tmp_path / "logs" / "dayhand.log").read_text(encoding="utf-8")


def test_an_error_in_a_slot_is_shown_and_logged(qtbot: QtBot, crashes: CrashReporter, tmp_path: Path) -> None:
    with qtbot.captureExceptions():  # else its hook replaces ours
        sys.excepthook = crashes._handle_exception
        QTimer.singleShot(0, lambda: "".index("x"))
        qtbot.waitUntil(lambda: crashes.dialog is not None, timeout=30_000)
    assert crashes.dialog is not None
    assert "ValueError" in crashes.dialog.details.toPlainText()
    assert "your workflows keep running" in crashes.dialog.message.text()
    assert "ValueError" in read_log(tmp_path)


def test_the_details_can_be_copied(qtbot: QtBot, crashes: CrashReporter) -> None:
    raise_error()
    qtbot.waitUntil(lambda: crashes.dialog is not None, timeout=30_000)
    assert crashes.dialog is not None
    crashes.dialog.copy_button.click()
    copied = QGuiApplication.clipboard().text()
    assert "RuntimeError: by accident" in copied and copied.startswith("Dayhand ")


def test_many_errors_open_one_dialog_with_a_count(qtbot: QtBot, crashes: CrashReporter, tmp_path: Path) -> None:
    for number in range(1_000):
        raise_error(f"number {number}")
    qtbot.waitUntil(
        lambda: crashes.dialog is not None and "999 more" in crashes.dialog.repeats_label.text(), timeout=30_000
    )
    assert read_log(tmp_path).count("RuntimeError: number") == 500


def test_one_repeat_is_worded_in_the_singular(qtbot: QtBot, crashes: CrashReporter) -> None:
    raise_error("first")
    raise_error("second")
    qtbot.waitUntil(lambda: crashes.dialog is not None and bool(crashes.dialog.repeats_label.text()), timeout=30_000)
    assert crashes.dialog is not None
    assert crashes.dialog.repeats_label.text() == "It happened once more; see the log."


def test_no_second_dialog_opens_within_a_minute(qtbot: QtBot, crashes: CrashReporter, clock: MonotonicClock) -> None:
    raise_error()
    qtbot.waitUntil(lambda: crashes.dialog is not None, timeout=30_000)
    assert crashes.dialog is not None
    crashes.dialog.close_button.click()
    assert crashes.dialog is None
    raise_other_error()
    QGuiApplication.processEvents()
    assert crashes.dialog is None
    clock.now += 61
    raise_other_error()
    qtbot.waitUntil(lambda: crashes.dialog is not None, timeout=30_000)


def test_the_same_error_is_shown_once(qtbot: QtBot, crashes: CrashReporter, clock: MonotonicClock) -> None:
    raise_error()
    qtbot.waitUntil(lambda: crashes.dialog is not None, timeout=30_000)
    assert crashes.dialog is not None
    crashes.dialog.reject()
    clock.now += 600
    raise_error("with other words")
    QGuiApplication.processEvents()
    assert crashes.dialog is None


def test_an_error_in_another_thread_is_logged_and_not_shown(crashes: CrashReporter, tmp_path: Path) -> None:
    thread = threading.Thread(target=lambda: {}["missing"], name="reader")
    thread.start()
    thread.join()
    QGuiApplication.processEvents()
    assert crashes.dialog is None
    assert "In the thread reader" in read_log(tmp_path) and "KeyError" in read_log(tmp_path)


def test_a_keyboard_interrupt_is_not_an_error(
    crashes: CrashReporter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[type[BaseException]] = []
    crashes._previous_hooks = (lambda kind, *_: reported.append(kind), crashes._previous_hooks[1])
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert reported == [KeyboardInterrupt]
    assert read_log(tmp_path) == ""
    crashes._previous_hooks = (sys.__excepthook__, crashes._previous_hooks[1])


def test_closing_restores_the_previous_hooks(qtbot: QtBot, tmp_path: Path) -> None:
    before = (sys.excepthook, threading.excepthook)
    crashes = CrashReporter(tmp_path / "log")
    assert sys.excepthook != before[0]
    crashes.close()
    assert (sys.excepthook, threading.excepthook) == before
    assert logging.getLogger("app.lifecycle.crash").level == logging.NOTSET
