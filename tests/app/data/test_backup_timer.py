"""Automatic backups: one a day whatever the clock says, and a failure is reported once."""

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.data.backup_timer import BackupTimer
from scheduler.engine.clock import SystemClock
from scheduler.store.opening import close_store, open_store
from tests.clocks import ManualClock


def count(folder: Path) -> int:
    return len(list((folder / "backups").glob("*.db")))


def test_a_backup_is_made_at_the_start_and_not_repeated(qtbot: QtBot, tmp_path: Path) -> None:
    close_store(open_store(tmp_path, datetime.now(UTC)).database)
    reported: list[str] = []
    timer = BackupTimer(tmp_path, SystemClock(), reported.append)
    qtbot.waitUntil(lambda: count(tmp_path) == 1, timeout=30_000)
    timer.timeout.emit()
    again = BackupTimer(tmp_path, SystemClock(), reported.append)
    for one in (timer, again):
        one.stop()
    for thread in threading.enumerate():
        if thread.name == "backup":
            thread.join(60)
    assert count(tmp_path) == 1
    assert reported == []


@pytest.mark.parametrize("content", [b"not a database at all" * 100])
def test_a_failed_backup_is_reported(qtbot: QtBot, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "dayhand.db").write_bytes(content)
    reported: list[str] = []
    timer = BackupTimer(tmp_path, SystemClock(), reported.append)
    qtbot.waitUntil(lambda: bool(reported), timeout=30_000)
    timer.stop()
    assert reported[0].startswith("The backup failed: ")


def test_the_first_check_can_be_delayed(qtbot: QtBot, tmp_path: Path) -> None:
    close_store(open_store(tmp_path, datetime.now(UTC)).database)
    timer = BackupTimer(tmp_path, SystemClock(), lambda _: None, first_delay_ms=3_000_000)
    assert timer.remainingTime() > 2_000_000
    timer.timeout.emit()
    qtbot.waitUntil(lambda: count(tmp_path) == 1, timeout=30_000)
    assert timer.interval() == 3_600_000
    timer.stop()


def check(timer: BackupTimer) -> None:
    """One check, until its thread has finished."""
    timer.timeout.emit()
    assert timer._thread is not None
    timer._thread.join(60)


def test_a_clock_jump_replaces_no_backup(qtbot: QtBot, tmp_path: Path) -> None:
    clock, passed = ManualClock(), [0.0]
    close_store(open_store(tmp_path, clock.wall).database)
    timer = BackupTimer(tmp_path, clock, lambda _: None, first_delay_ms=3_000_000, uptime=lambda: passed[0])
    check(timer)
    first = sorted((tmp_path / "backups").glob("*.db"))
    assert len(first) == 1
    for days in (400, 800, -1200):
        clock.wall += timedelta(days=days)
        passed[0] += 12
        check(timer)
    assert sorted((tmp_path / "backups").glob("*.db")) == first
    clock.wall += timedelta(days=1)
    passed[0] += 86_400
    check(timer)
    assert count(tmp_path) == 2
    timer.stop()


def test_the_same_failure_is_reported_once(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "dayhand.db").write_bytes(b"not a database at all" * 100)
    reported: list[str] = []
    timer = BackupTimer(tmp_path, SystemClock(), reported.append, first_delay_ms=3_000_000)
    for _ in range(3):
        check(timer)
    assert len(reported) == 1
    timer.stop()
