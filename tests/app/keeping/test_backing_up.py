"""Backups by themselves: one a day, and a failure is said."""

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.keeping.backing_up import back_up_now_and_then
from scheduler.engine.clock import SystemClock
from scheduler.store.health import close_store, open_store


def count(folder: Path) -> int:
    return len(list((folder / "backups").glob("*.db")))


def test_one_is_made_at_once_and_none_again_while_it_is_fresh(qtbot: QtBot, tmp_path: Path) -> None:
    close_store(open_store(tmp_path, datetime.now(UTC)).database)
    said: list[str] = []
    timer = back_up_now_and_then(tmp_path, SystemClock(), said.append)
    qtbot.waitUntil(lambda: count(tmp_path) == 1, timeout=30_000)
    timer.timeout.emit()
    again = back_up_now_and_then(tmp_path, SystemClock(), said.append)
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
    timer = back_up_now_and_then(tmp_path, SystemClock(), said.append)
    qtbot.waitUntil(lambda: bool(said), timeout=30_000)
    timer.stop()
    assert said[0].startswith("No backup could be made: ")


def test_the_first_look_can_wait_until_everything_has_started(qtbot: QtBot, tmp_path: Path) -> None:
    close_store(open_store(tmp_path, datetime.now(UTC)).database)
    timer = back_up_now_and_then(tmp_path, SystemClock(), lambda _: None, first=3_000_000)
    assert timer.remainingTime() > 2_000_000
    timer.timeout.emit()
    qtbot.waitUntil(lambda: count(tmp_path) == 1, timeout=30_000)
    assert timer.interval() == 3_600_000
    timer.stop()
