"""Backups by themselves: one a day whatever the clock says, and a failure is said once."""

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.keeping.backing_up import BackupTimer
from scheduler.engine.clock import SystemClock
from scheduler.store.health import close_store, open_store
from tests.engine.harness import MovedClock


def count(folder: Path) -> int:
    return len(list((folder / "backups").glob("*.db")))


def test_one_is_made_at_once_and_none_again_while_it_is_fresh(qtbot: QtBot, tmp_path: Path) -> None:
    close_store(open_store(tmp_path, datetime.now(UTC)).database)
    said: list[str] = []
    timer = BackupTimer(tmp_path, SystemClock(), said.append)
    qtbot.waitUntil(lambda: count(tmp_path) == 1, timeout=30_000)
    timer.timeout.emit()
    again = BackupTimer(tmp_path, SystemClock(), said.append)
    for one in (timer, again):
        one.stop()
    for thread in threading.enumerate():
        if thread.name == "backup":
            thread.join(60)
    assert count(tmp_path) == 1
    assert said == []


@pytest.mark.parametrize("content", [b"not a database at all" * 100])
def test_one_that_fails_is_said(qtbot: QtBot, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "dayhand.db").write_bytes(content)
    said: list[str] = []
    timer = BackupTimer(tmp_path, SystemClock(), said.append)
    qtbot.waitUntil(lambda: bool(said), timeout=30_000)
    timer.stop()
    assert said[0].startswith("No backup could be made: ")


def test_the_first_look_can_wait_until_everything_has_started(qtbot: QtBot, tmp_path: Path) -> None:
    close_store(open_store(tmp_path, datetime.now(UTC)).database)
    timer = BackupTimer(tmp_path, SystemClock(), lambda _: None, first=3_000_000)
    assert timer.remainingTime() > 2_000_000
    timer.timeout.emit()
    qtbot.waitUntil(lambda: count(tmp_path) == 1, timeout=30_000)
    assert timer.interval() == 3_600_000
    timer.stop()


def work(timer: BackupTimer) -> None:
    """One look, and all that it does."""
    timer.timeout.emit()
    assert timer._thread is not None
    timer._thread.join(60)


def test_a_clock_that_leaps_ahead_replaces_no_backup(qtbot: QtBot, tmp_path: Path) -> None:
    clock, passed = MovedClock(), [0.0]
    close_store(open_store(tmp_path, clock.wall).database)
    timer = BackupTimer(tmp_path, clock, lambda _: None, first=3_000_000, uptime=lambda: passed[0])
    work(timer)
    kept = sorted((tmp_path / "backups").glob("*.db"))
    assert len(kept) == 1
    for days in (400, 800, -1200):
        clock.wall += timedelta(days=days)
        passed[0] += 12
        work(timer)
    assert sorted((tmp_path / "backups").glob("*.db")) == kept
    clock.wall += timedelta(days=1)
    passed[0] += 86_400
    work(timer)
    assert count(tmp_path) == 2
    timer.stop()


def test_the_same_failure_is_said_once(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "dayhand.db").write_bytes(b"not a database at all" * 100)
    said: list[str] = []
    timer = BackupTimer(tmp_path, SystemClock(), said.append, first=3_000_000)
    for _ in range(3):
        work(timer)
    assert len(said) == 1
    timer.stop()
