"""Real store files: creating, filling, crashing and inspecting them."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from scheduler.store import dirty_flag
from scheduler.store.database import Database
from scheduler.store.opening import close_store, open_store

NOW = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
ROOT = Path(__file__).parents[2]
CLEAN_FILES = {"dayhand.db", "dayhand.db-sequence"}
"""Of a store that was closed cleanly."""


def fill(database: Database, number: int, word: str = "w") -> None:
    rows = [(f"{word}{place}/h", f"{word}{place}", "x" * 200) for place in range(number)]
    with database.write() as db:
        db.executemany(
            "INSERT INTO schedules (id, workflow, handler, kind, spec, policies, version, computed, created) "
            "VALUES (?, ?, 'h', 'job', ?, '{}', 1, 0, 0)",
            rows,
        )


def make_store(folder: Path, number: int = 200) -> Path:
    """A cleanly closed store with that many schedules."""
    database = open_store(folder, NOW).database
    fill(database, number)
    close_store(database)
    return folder / "dayhand.db"


def make_crashed_store(folder: Path) -> Path:
    """A store with 100 schedules in its file and 100 more only in its journal."""
    alive = folder.with_name(f"alive {folder.name}")
    database = open_store(alive, NOW).database
    fill(database, 100, "old")
    database.read().execute("PRAGMA wal_checkpoint")
    database.read().execute("PRAGMA wal_autocheckpoint = 0")
    fill(database, 100, "new")
    shutil.copytree(alive, folder)
    database.close()
    assert file_names(folder) == CLEAN_FILES | {"dayhand.db-wal", "dayhand.db-shm", "dayhand.db-in-use"}
    return folder / "dayhand.db"


def count(database: Database) -> int:
    return int(database.read().execute("SELECT count(*) FROM schedules").fetchone()[0])


def count_in(path: Path) -> int:
    """Count with plain SQLite."""
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(db.execute("SELECT count(*) FROM schedules").fetchone()[0])


def zero_pages(path: Path, start: int | None = None) -> None:
    """Like a failing disk: a readable header and schema, but zeros in place of the latest rows."""
    content = bytearray(path.read_bytes())
    first, number = (len(content) // 4096 - 6, 5) if start is None else (start // 4096, 1)
    content[first * 4096 : (first + number) * 4096] = bytes(number * 4096)
    path.write_bytes(content)


def end_uncleanly(path: Path) -> None:
    dirty_flag.mark_in_use(path)


def file_names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def modes(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder.parent)): oct(path.stat().st_mode & 0o777) for path in folder.rglob("*")}


def run_python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run code in another process, which may die."""
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def run_in_threads(*acts: Callable[[], object]) -> list[BaseException]:
    """Run them in parallel to the end; returns what they raised."""
    raised: list[BaseException] = []

    def run(act: Callable[[], object]) -> None:
        try:
            act()
        except BaseException as error:  # noqa: BLE001  checked by the test
            raised.append(error)

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised
