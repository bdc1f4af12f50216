"""Opening and leaving the store: fast, private, checked after an unclean end and only then."""

import os
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from scheduler.store import marker, migrations
from scheduler.store.errors import NewerStoreError, OlderStoreError, StoreError, StoreForbiddenError
from scheduler.store.health import close_store, open_for_reading, open_store
from tests.store.stores import NOW, count, count_in, end_uncleanly, fill, listing, made, modes, run_python

DIES = """
import os, signal, sys
from pathlib import Path
from scheduler.store.health import open_store
from tests.store.stores import NOW, fill
fill(open_store(Path(sys.argv[1]), NOW).database, 50, "dead")
os.kill(os.getpid(), signal.SIGKILL)
"""


def checks(statements: list[str]) -> int:
    return sum("quick_check" in said for said in statements)


def test_a_clean_end_spares_the_check(folder: Path, statements: list[str]) -> None:
    made(folder)
    statements.clear()
    for _ in range(3):
        close_store(open_store(folder, NOW).database)
    assert statements
    assert checks(statements) == 0


def test_a_kill_is_followed_by_one_check(folder: Path, statements: list[str]) -> None:
    made(folder)
    assert run_python(DIES, folder).returncode == -signal.SIGKILL
    for expected in (1, 0):
        statements.clear()
        database = open_store(folder, NOW).database
        assert count(database) == 250
        close_store(database)
        assert checks(statements) == expected


def test_closing_without_leaving_is_no_clean_end(folder: Path, statements: list[str]) -> None:
    made(folder)
    open_store(folder, NOW).database.close()
    statements.clear()
    close_store(open_store(folder, NOW).database)
    assert checks(statements) == 1


def test_a_start_that_failed_is_no_clean_end(
    folder: Path, statements: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made(folder)
    with monkeypatch.context() as failing:
        known = migrations._steps()
        failing.setattr(migrations, "_steps", lambda: [*known, (len(known) + 1, "nonsense;")])
        with pytest.raises(StoreError):
            open_store(folder, NOW)
    statements.clear()
    close_store(open_store(folder, NOW).database)
    assert checks(statements) == 1


def test_a_clean_end_leaves_one_file(folder: Path) -> None:
    made(folder)
    assert listing(folder) == {"dayhand.db"}


def test_a_marker_that_nobody_can_read_means_check(folder: Path, statements: list[str]) -> None:
    """A power cut may leave the marker empty."""
    path = made(folder)
    end_uncleanly(path)
    path.with_name("dayhand.db-in-use").write_bytes(b"")
    statements.clear()
    close_store(open_store(folder, NOW).database)
    assert checks(statements) == 1
    assert listing(folder) == {"dayhand.db"}


def test_reading_neither_sets_nor_clears_the_marker(folder: Path, statements: list[str]) -> None:
    path = made(folder)
    reader = open_for_reading(folder)
    assert count(reader) == 200
    assert not marker.is_there(path)
    reader.close()
    end_uncleanly(path)
    reader = open_for_reading(folder)
    assert count(reader) == 200
    close_store(reader)
    assert marker.is_there(path), "even if it is closed as the app would close it"
    assert checks(statements) == 0


def test_reading_beside_the_running_app_sees_what_it_writes(folder: Path) -> None:
    database = open_store(folder, NOW).database
    reader = open_for_reading(folder)
    assert count(reader) == 0
    fill(database, 5)
    assert count(reader) == 5
    with pytest.raises(StoreForbiddenError), reader.write() as db:
        db.execute("DELETE FROM schedules")
    assert count(reader) == 5
    reader.close()
    assert marker.is_there(folder / "dayhand.db")
    close_store(database)
    assert count_in(folder / "dayhand.db") == 5


def test_reading_refuses_what_it_does_not_know(folder: Path) -> None:
    with pytest.raises(StoreError, match=r"There is no data in .*data yet\. Start Dayhand once\."):
        open_for_reading(folder)
    assert not folder.exists()
    path = made(folder)
    for version, refusal in ((99, NewerStoreError), (0, OlderStoreError)):
        with closing(sqlite3.connect(path)) as db:
            db.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(refusal):
            open_for_reading(folder)


def test_everything_is_private_from_its_first_moment(folder: Path) -> None:
    mask = os.umask(0)
    try:
        database = open_store(folder, NOW).database
        fill(database, 1)
    finally:
        os.umask(mask)
    assert oct(folder.stat().st_mode & 0o777) == "0o700"
    assert modes(folder) == {f"data/dayhand.db{suffix}": "0o600" for suffix in ("", "-wal", "-shm", "-in-use")}
    close_store(database)


def test_a_file_that_others_could_read_is_closed_to_them(folder: Path) -> None:
    path = made(folder)
    path.chmod(0o644)
    close_store(open_store(folder, NOW).database)
    assert modes(folder) == {"data/dayhand.db": "0o600"}


def test_a_folder_that_was_there_keeps_its_mode(folder: Path) -> None:
    """It may be one that the person chose and shares."""
    folder.mkdir()
    folder.chmod(0o755)
    close_store(open_store(folder, NOW).database)
    assert oct(folder.stat().st_mode & 0o777) == "0o755"


@pytest.mark.parametrize("name", ["with space", "50% off?", "#1", "Übung", "a&mode=memory", "nested/deep/er"])
def test_any_folder_name_will_do(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    assert count_in(made(folder)) == 200
    assert listing(folder) == {"dayhand.db"}


def test_a_relative_folder_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(Path("data"))
    assert listing(tmp_path / "data") == {"dayhand.db"}


def test_a_store_behind_a_link_is_used_where_it_is(folder: Path) -> None:
    elsewhere = folder.with_name("elsewhere")
    elsewhere.mkdir()
    folder.mkdir()
    (folder / "dayhand.db").symlink_to(elsewhere / "real.db")
    made(folder)
    assert count_in(elsewhere / "real.db") == 200


def test_opening_fifty_thousand_schedules_takes_no_time(folder: Path) -> None:
    made(folder, 50_000)
    took = []
    for _ in range(5):
        began = time.perf_counter()
        database = open_store(folder, NOW).database
        database.read().execute("SELECT 1 FROM schedules LIMIT 1").fetchone()
        took.append(time.perf_counter() - began)
        close_store(database)
    assert min(took) < 0.1


def test_a_copied_folder_is_a_store_of_its_own(folder: Path) -> None:
    made(folder)
    shutil.copytree(folder, folder.with_name("copy"))
    database = open_store(folder.with_name("copy"), NOW).database
    fill(database, 1, "new")
    close_store(database)
    assert count_in(folder / "dayhand.db") == 200
