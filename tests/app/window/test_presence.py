"""An absence ends when the window is shown again; it is remembered until its summary is dismissed."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.session import Session
from app.window.presence import Absence, PresenceStore, PresenceWatcher
from tests.clocks import ManualClock

BEGAN = ManualClock().now()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def session(qtbot: QtBot, tmp_path: Path, clock: ManualClock) -> Iterator[Session]:
    """Never started: only its clock and folder matter."""
    made = Session(tmp_path, clock=clock)
    yield made
    made.stop()
    made.close()


def open_window(qtbot: QtBot, session: Session) -> tuple[QWidget, PresenceWatcher]:
    window = QWidget()
    qtbot.addWidget(window)
    watcher = PresenceWatcher(window, session)
    window.show()
    return window, watcher


def absence(session: Session) -> timedelta | None:
    """The length of the stored absence, read from the file again."""
    found = PresenceStore(session.folder).absence
    return None if found is None else found.until - found.since


def test_the_first_start_ends_no_absence(qtbot: QtBot, session: Session) -> None:
    open_window(qtbot, session)
    assert absence(session) is None


@pytest.mark.parametrize(("hours", "is_absence"), [(7, False), (8, True)])
def test_a_window_hidden_for_eight_hours_ends_an_absence(
    qtbot: QtBot, session: Session, clock: ManualClock, hours: int, *, is_absence: bool
) -> None:
    window, watcher = open_window(qtbot, session)
    window.hide()
    clock.move(timedelta(hours=hours))
    with qtbot.waitSignal(watcher.returned, raising=False, timeout=0 if not is_absence else 5_000):
        window.show()
    assert absence(session) == (timedelta(hours=hours) if is_absence else None)


def test_an_hour_of_sleep_ends_an_absence_although_the_window_stays_open(
    qtbot: QtBot, session: Session, clock: ManualClock
) -> None:
    _, watcher = open_window(qtbot, session)
    clock.move(timedelta(hours=1))
    watcher.note_sleep()
    assert PresenceStore(session.folder).absence == Absence(since=BEGAN, until=BEGAN + timedelta(hours=1))


def test_sleep_counts_while_the_window_is_hidden(qtbot: QtBot, session: Session, clock: ManualClock) -> None:
    window, watcher = open_window(qtbot, session)
    window.hide()
    clock.move(timedelta(hours=1))
    watcher.note_sleep()
    assert absence(session) is None  # nobody is back yet
    window.show()
    assert absence(session) == timedelta(hours=1)


def test_after_a_restart_the_time_without_dayhand_counts(qtbot: QtBot, session: Session, clock: ManualClock) -> None:
    window, _ = open_window(qtbot, session)
    window.hide()
    clock.move(timedelta(hours=1))
    open_window(qtbot, session)
    assert absence(session) == timedelta(hours=1)


def test_a_quick_restart_is_no_absence(qtbot: QtBot, session: Session, clock: ManualClock) -> None:
    window, _ = open_window(qtbot, session)
    window.hide()
    clock.move(timedelta(minutes=1))
    open_window(qtbot, session)
    assert absence(session) is None


def test_an_absence_is_remembered_until_it_is_dismissed(qtbot: QtBot, session: Session, clock: ManualClock) -> None:
    window, watcher = open_window(qtbot, session)
    clock.move(timedelta(hours=1))
    watcher.note_sleep()
    window.hide()
    clock.move(timedelta(minutes=1))
    open_window(qtbot, session)
    assert absence(session) == timedelta(hours=1)
    PresenceStore(session.folder).dismiss()
    assert absence(session) is None


def test_a_minimised_window_is_not_seen(qtbot: QtBot, session: Session, clock: ManualClock) -> None:
    window, _ = open_window(qtbot, session)
    window.showMinimized()
    clock.move(timedelta(hours=9))
    window.showNormal()
    assert absence(session) == timedelta(hours=9)


def test_unreadable_instants_are_ignored(tmp_path: Path, qtbot: QtBot) -> None:
    text = "[presence]\nseen=yesterday\naway_since=2026-11-16T10:00:00\naway_until=\n"
    (tmp_path / "window.ini").write_text(text, encoding="utf-8")
    store = PresenceStore(tmp_path)
    assert store.absence is None
    assert not store.record(BEGAN, was_interrupted=True)
