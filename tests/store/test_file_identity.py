"""A store that is deleted or replaced while it is open takes no more writes: nobody would find them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scheduler.store import facts, marker
from scheduler.store.database import Database
from scheduler.store.errors import StoreClosedError, StoreGoneError
from scheduler.store.health import open_store
from tests.store.stores import NOW


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_store(tmp_path, NOW).database
    write(database, "before")
    yield database
    database.close()


def write(database: Database, value: str) -> None:
    with database.write() as db:
        facts.write(db, "test", value)


def replace(path: Path) -> None:
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
@pytest.mark.parametrize("harm", [Path.unlink, replace])
def test_it_refuses_to_write_with_a_sentence(database: Database, suffix: str, harm: Callable[[Path], None]) -> None:
    harm(Path(f"{database.path}{suffix}"))
    with pytest.raises(StoreGoneError, match="was deleted or replaced while Dayhand was using it"):
        write(database, "after")


def test_one_that_is_put_back_is_used_again(database: Database) -> None:
    away = database.path.rename(database.path.with_name("away.db"))
    with pytest.raises(StoreGoneError):
        write(database, "after")
    away.rename(database.path)
    write(database, "after")
    assert facts.read(database.read(), "test") == "after"


def test_the_next_start_looks_at_every_page(database: Database) -> None:
    away = database.path.rename(database.path.with_name("away.db"))
    with pytest.raises(StoreGoneError):
        write(database, "after")
    away.rename(database.path)
    database.close()
    marker.lift(database.path)
    assert marker.is_there(database.path)


def test_one_that_was_closed_says_that(database: Database) -> None:
    database.close()
    with pytest.raises(StoreClosedError):
        write(database, "after")
