"""A store that is deleted or replaced while open refuses writes, which would be lost."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scheduler.store import dirty_flag, key_values
from scheduler.store.database import Database
from scheduler.store.errors import StoreClosedError, StoreGoneError
from scheduler.store.opening import open_store
from tests.store.store_files import NOW


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_store(tmp_path, NOW).database
    write(database, "before")
    yield database
    database.close()


def write(database: Database, value: str) -> None:
    with database.write() as db:
        key_values.write(db, "test", value)


def replace(path: Path) -> None:
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)


@pytest.mark.posix("Windows keeps an open file from being deleted or replaced")
@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
@pytest.mark.parametrize("harm", [Path.unlink, replace])
def test_a_deleted_or_replaced_store_refuses_writes(
    database: Database, suffix: str, harm: Callable[[Path], None]
) -> None:
    harm(Path(f"{database.path}{suffix}"))
    with pytest.raises(StoreGoneError, match="was deleted or replaced while Dayhand was using it"):
        write(database, "after")


@pytest.mark.posix("Windows keeps an open file from being renamed")
def test_a_store_that_is_put_back_is_used_again(database: Database) -> None:
    away = database.path.rename(database.path.with_name("away.db"))
    with pytest.raises(StoreGoneError):
        write(database, "after")
    away.rename(database.path)
    write(database, "after")
    assert key_values.read(database.read(), "test") == "after"


@pytest.mark.posix("Windows keeps an open file from being renamed")
def test_the_next_start_checks_every_page(database: Database) -> None:
    away = database.path.rename(database.path.with_name("away.db"))
    with pytest.raises(StoreGoneError):
        write(database, "after")
    away.rename(database.path)
    database.close()
    dirty_flag.clear(database.path)
    assert dirty_flag.is_set(database.path)


def test_a_closed_store_reports_that_it_is_closed(database: Database) -> None:
    database.close()
    with pytest.raises(StoreClosedError):
        write(database, "after")
