"""The error dialog when the app is started from a menu and cannot start."""

import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from scheduler.store.opening import close_store, open_store
from tests.desktop.desktop import Desktop
from tests.desktop.processes import wait_until

ROOT = Path(__file__).parents[2]


def test_data_of_a_newer_version_shows_an_error_dialog(desk: Desktop, tmp_path: Path) -> None:
    """After a downgrade."""
    close_store(open_store(tmp_path, datetime(2026, 11, 16, tzinfo=UTC)).database)
    with closing(sqlite3.connect(tmp_path / "dayhand.db")) as db:
        db.execute("PRAGMA user_version = 999")
    written = (tmp_path / "dayhand.db").read_bytes()
    line = [sys.executable, "-m", "app.main", "--data-dir", str(tmp_path), "--background"]
    program = desk.start(line, PYTHONPATH=str(ROOT))
    desk.wait_for_text("dayhand", "Your data was written by a newer Dayhand")
    desk.press("dayhand", "OK")
    assert wait_until(lambda: program.poll() is not None and [program.returncode], "its end") == [1]
    assert (tmp_path / "dayhand.db").read_bytes() == written


def test_an_unusable_folder_shows_an_error_dialog(desk: Desktop, tmp_path: Path) -> None:
    """Before the store is opened."""
    (tmp_path / "file").write_text("")
    line = [sys.executable, "-m", "app.main", "--data-dir", str(tmp_path / "file")]
    program = desk.start(line, PYTHONPATH=str(ROOT))
    desk.wait_for_text("dayhand", "cannot be opened or changed")
    desk.press("dayhand", "OK")
    assert wait_until(lambda: program.poll() is not None and [program.returncode], "its end") == [1]
