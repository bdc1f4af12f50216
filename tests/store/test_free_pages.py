"""What was deleted gives its room back: the file shrinks in small steps, and backups hold no free pages."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from scheduler.store import facts, migrations
from scheduler.store.backups import FILE, back_up, is_good
from scheduler.store.connection import connect
from scheduler.store.database import Database
from scheduler.store.errors import StoreForbiddenError
from scheduler.store.free_pages import convert, give_back
from scheduler.store.health import close_store, open_store
from tests.store.stores import NOW

MEGABYTE = 1 << 20


def fill_and_empty(database: Database, number: int = 8) -> None:
    for name in range(number):
        with database.write() as db:
            facts.write(db, f"large {name}", "x" * MEGABYTE)
    with database.write() as db:
        facts.forget(db, *(f"large {name}" for name in range(number)))


def size(folder: Path) -> int:
    """Of the file, with all that was written moved into it."""
    with closing(connect(folder / FILE)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return (folder / FILE).stat().st_size


def test_the_file_shrinks_after_a_large_deletion_in_steps(tmp_path: Path) -> None:
    database = open_store(tmp_path, NOW).database
    fill_and_empty(database)
    assert size(tmp_path) > 8 * MEGABYTE
    steps: list[int] = []

    def pause() -> bool:
        with database.write() as db:  # a writer gets its turn between two steps
            facts.write(db, "step", str(len(steps)))
        steps.append(1)
        return False

    assert give_back(tmp_path, pause) > 0
    assert len(steps) > 5
    assert size(tmp_path) < 5 * MEGABYTE
    close_store(database)


def test_it_stops_when_it_is_told_to(tmp_path: Path) -> None:
    database = open_store(tmp_path, NOW).database
    fill_and_empty(database)
    assert give_back(tmp_path, lambda: True) == 100
    close_store(database)


def test_a_store_with_little_free_is_left_as_it_is(tmp_path: Path) -> None:
    database = open_store(tmp_path, NOW).database
    fill_and_empty(database, 2)
    assert give_back(tmp_path, lambda: False) == 0
    close_store(database)


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_store_of_before_is_converted_once_and_loses_nothing(tmp_path: Path, mode: str) -> None:
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as old:
        old.execute(f"PRAGMA journal_mode = {mode}")
        migrations.migrate(old)
        facts.write(old, "kept", "yes")
        assert old.execute("PRAGMA auto_vacuum").fetchone()[0] == 0
    for _ in range(2):
        opened = open_store(tmp_path, NOW)
        assert opened.damage is None
        assert opened.database.read().execute("PRAGMA auto_vacuum").fetchone()[0] == 2
        assert facts.read(opened.database.read(), "kept") == "yes"
        close_store(opened.database)


def test_a_backup_holds_no_free_pages_and_is_as_good_as_the_store(tmp_path: Path) -> None:
    database = open_store(tmp_path, NOW).database
    fill_and_empty(database)
    backup = back_up(tmp_path, NOW)
    assert backup.stat().st_size < MEGABYTE < size(tmp_path)
    assert is_good(backup)
    with closing(connect(backup)) as copy:
        assert copy.execute("PRAGMA auto_vacuum").fetchone()[0] == 2
        assert migrations.version_of(copy) == migrations.latest()
    close_store(database)


def test_a_store_that_cannot_be_converted_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as old:
        migrations.migrate(old)
        facts.write(old, "kept", "yes")

    class Refusing:
        """Stands in for a disk on which no temporary file can be made, which root cannot be refused."""

        def __init__(self, inner: sqlite3.Connection) -> None:
            self._inner = inner

        def execute(self, statement: str) -> sqlite3.Cursor:
            if statement == "VACUUM":
                raise StoreForbiddenError(tmp_path / FILE)
            return self._inner.execute(statement)

    with closing(connect(tmp_path / FILE)) as connection:
        convert(Refusing(connection), tmp_path / FILE)  # type: ignore[arg-type]
        assert facts.read(connection, "kept") == "yes"
