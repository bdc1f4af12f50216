"""After deletions the file shrinks in small steps, and backups contain no free pages."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from scheduler.store import key_values, migrations
from scheduler.store.backups import STORE_FILE, back_up, is_usable
from scheduler.store.database import Database
from scheduler.store.errors import StoreForbiddenError
from scheduler.store.free_pages import enable_incremental_vacuum, shrink
from scheduler.store.opening import close_store, open_store
from scheduler.store.sqlite import connect
from tests.store.store_files import NOW

MEGABYTE = 1 << 20


def fill_and_empty(database: Database, number: int = 8) -> None:
    for name in range(number):
        with database.write() as db:
            key_values.write(db, f"large {name}", "x" * MEGABYTE)
    with database.write() as db:
        key_values.delete(db, *(f"large {name}" for name in range(number)))


def size(folder: Path) -> int:
    """Of the file after a checkpoint."""
    with closing(connect(folder / STORE_FILE)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return (folder / STORE_FILE).stat().st_size


def test_the_file_shrinks_after_a_large_deletion_in_steps(tmp_path: Path) -> None:
    database = open_store(tmp_path, NOW).database
    fill_and_empty(database)
    assert size(tmp_path) > 8 * MEGABYTE
    steps: list[int] = []

    def pause() -> bool:
        with database.write() as db:  # a writer gets its turn between two steps
            key_values.write(db, "step", str(len(steps)))
        steps.append(1)
        return False

    assert shrink(tmp_path, pause) > 0
    assert len(steps) > 5
    assert size(tmp_path) < 5 * MEGABYTE
    close_store(database)


def test_shrinking_stops_on_request(tmp_path: Path) -> None:
    database = open_store(tmp_path, NOW).database
    fill_and_empty(database)
    assert shrink(tmp_path, lambda: True) == 100
    close_store(database)


def test_a_store_with_few_free_pages_is_left_alone(tmp_path: Path) -> None:
    database = open_store(tmp_path, NOW).database
    fill_and_empty(database, 2)
    assert shrink(tmp_path, lambda: False) == 0
    close_store(database)


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_an_older_store_is_converted_once_and_loses_nothing(tmp_path: Path, mode: str) -> None:
    with closing(sqlite3.connect(tmp_path / STORE_FILE, isolation_level=None)) as old:
        old.execute(f"PRAGMA journal_mode = {mode}")
        migrations.migrate(old)
        key_values.write(old, "kept", "yes")
        assert old.execute("PRAGMA auto_vacuum").fetchone()[0] == 0
    for _ in range(2):
        opened = open_store(tmp_path, NOW)
        assert opened.damage is None
        assert opened.database.read().execute("PRAGMA auto_vacuum").fetchone()[0] == 2
        assert key_values.read(opened.database.read(), "kept") == "yes"
        close_store(opened.database)


def test_a_backup_has_no_free_pages_and_all_data(tmp_path: Path) -> None:
    database = open_store(tmp_path, NOW).database
    fill_and_empty(database)
    backup = back_up(tmp_path, NOW)
    assert backup.stat().st_size < MEGABYTE < size(tmp_path)
    assert is_usable(backup)
    with closing(connect(backup)) as copy:
        assert copy.execute("PRAGMA auto_vacuum").fetchone()[0] == 2
        assert migrations.version_of(copy) == migrations.latest()
    close_store(database)


def test_a_store_that_cannot_be_converted_is_still_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(tmp_path / STORE_FILE, isolation_level=None)) as old:
        migrations.migrate(old)
        key_values.write(old, "kept", "yes")

    class Refusing:
        """Simulates a disk without room for temporary files; permissions would not stop root."""

        def __init__(self, inner: sqlite3.Connection) -> None:
            self._inner = inner

        def execute(self, statement: str) -> sqlite3.Cursor:
            if statement == "VACUUM":
                raise StoreForbiddenError(tmp_path / STORE_FILE)
            return self._inner.execute(statement)

    with closing(connect(tmp_path / STORE_FILE)) as connection:
        enable_incremental_vacuum(Refusing(connection), tmp_path / STORE_FILE)  # type: ignore[arg-type]
        assert key_values.read(connection, "kept") == "yes"
