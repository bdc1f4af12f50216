"""Opening and closing the store: fast, private, checked only after an unclean exit."""

import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from scheduler.store import dirty_flag, migrations
from scheduler.store.errors import NewerStoreError, OlderStoreError, StoreError, StoreForbiddenError
from scheduler.store.opening import close_store, open_for_reading, open_store
from tests.killing import KILLED
from tests.store.store_files import (
    CLEAN_FILES,
    NOW,
    count,
    count_in,
    end_uncleanly,
    file_names,
    fill,
    make_store,
    modes,
    run_python,
)

DIES = """
import os, sys
from pathlib import Path
from scheduler.store.opening import open_store
from tests.store.store_files import NOW, fill
fill(open_store(Path(sys.argv[1]), NOW).database, 50, "dead")
os.kill(os.getpid(), 9)
"""


def checks(statements: list[str]) -> int:
    return sum("quick_check" in sql for sql in statements)


def test_after_a_clean_exit_there_is_no_check(folder: Path, statements: list[str]) -> None:
    make_store(folder)
    statements.clear()
    for _ in range(3):
        close_store(open_store(folder, NOW).database)
    assert statements
    assert checks(statements) == 0


def test_after_a_kill_there_is_one_check(folder: Path, statements: list[str]) -> None:
    make_store(folder)
    assert run_python(DIES, folder).returncode == KILLED
    for expected in (1, 0):
        statements.clear()
        database = open_store(folder, NOW).database
        assert count(database) == 250
        close_store(database)
        assert checks(statements) == expected


def test_closing_only_the_connections_is_not_a_clean_exit(folder: Path, statements: list[str]) -> None:
    make_store(folder)
    open_store(folder, NOW).database.close()
    statements.clear()
    close_store(open_store(folder, NOW).database)
    assert checks(statements) == 1


def test_a_failed_start_is_not_a_clean_exit(
    folder: Path, statements: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_store(folder)
    with monkeypatch.context() as failing:
        known = migrations._steps()
        failing.setattr(migrations, "_steps", lambda: [*known, (len(known) + 1, "nonsense;")])
        with pytest.raises(StoreError):
            open_store(folder, NOW)
    statements.clear()
    close_store(open_store(folder, NOW).database)
    assert checks(statements) == 1


def test_a_clean_exit_leaves_the_store_and_its_sequence(folder: Path) -> None:
    make_store(folder)
    assert file_names(folder) == CLEAN_FILES


def test_an_unreadable_marker_causes_a_check(folder: Path, statements: list[str]) -> None:
    """A power cut may leave the marker empty."""
    path = make_store(folder)
    end_uncleanly(path)
    path.with_name("dayhand.db-in-use").write_bytes(b"")
    statements.clear()
    close_store(open_store(folder, NOW).database)
    assert checks(statements) == 1
    assert file_names(folder) == CLEAN_FILES


def test_reading_neither_sets_nor_clears_the_marker(folder: Path, statements: list[str]) -> None:
    path = make_store(folder)
    reader = open_for_reading(folder)
    assert count(reader) == 200
    assert not dirty_flag.is_set(path)
    reader.close()
    end_uncleanly(path)
    reader = open_for_reading(folder)
    assert count(reader) == 200
    close_store(reader)
    assert dirty_flag.is_set(path), "even if it is closed the way the app closes it"
    assert checks(statements) == 0


def test_a_reader_sees_what_the_running_app_writes(folder: Path) -> None:
    database = open_store(folder, NOW).database
    reader = open_for_reading(folder)
    assert count(reader) == 0
    fill(database, 5)
    assert count(reader) == 5
    with pytest.raises(StoreForbiddenError), reader.write() as db:
        db.execute("DELETE FROM schedules")
    assert count(reader) == 5
    reader.close()
    assert dirty_flag.is_set(folder / "dayhand.db")
    close_store(database)
    assert count_in(folder / "dayhand.db") == 5


def test_reading_refuses_missing_older_and_newer_stores(folder: Path) -> None:
    with pytest.raises(StoreError, match=r"There is no data in .*data yet\. Start Dayhand once\."):
        open_for_reading(folder)
    assert not folder.exists()
    path = make_store(folder)
    for version, refusal in ((99, NewerStoreError), (0, OlderStoreError)):
        with closing(sqlite3.connect(path)) as db:
            db.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(refusal):
            open_for_reading(folder)


@pytest.mark.posix("Windows has no file modes")
def test_all_files_are_private_from_the_start(folder: Path) -> None:
    mask = os.umask(0)
    try:
        database = open_store(folder, NOW).database
        fill(database, 1)
    finally:
        os.umask(mask)
    assert oct(folder.stat().st_mode & 0o777) == "0o700"
    names = CLEAN_FILES | {"dayhand.db-wal", "dayhand.db-shm", "dayhand.db-in-use"}
    assert modes(folder) == {f"data/{name}": "0o600" for name in names}
    close_store(database)


@pytest.mark.posix("Windows has no file modes")
def test_a_file_readable_by_others_is_made_private(folder: Path) -> None:
    path = make_store(folder)
    path.chmod(0o644)
    close_store(open_store(folder, NOW).database)
    assert modes(folder) == {f"data/{name}": "0o600" for name in CLEAN_FILES}


@pytest.mark.posix("Windows has no file modes")
def test_an_existing_folder_keeps_its_mode(folder: Path) -> None:
    """The user may have chosen a shared folder."""
    folder.mkdir()
    folder.chmod(0o755)
    close_store(open_store(folder, NOW).database)
    assert oct(folder.stat().st_mode & 0o777) == "0o755"


@pytest.mark.parametrize("name", ["with space", "50% off", "#1", "Übung", "a&mode=memory", "nested/deep/er"])
def test_any_folder_name_works(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    assert count_in(make_store(folder)) == 200
    assert file_names(folder) == CLEAN_FILES


def test_a_relative_folder_survives_a_change_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_store(Path("data"))
    assert file_names(tmp_path / "data") == CLEAN_FILES


@pytest.mark.posix("Wine makes no symbolic links")
def test_a_store_behind_a_symbolic_link_is_used_in_place(folder: Path) -> None:
    elsewhere = folder.with_name("elsewhere")
    elsewhere.mkdir()
    folder.mkdir()
    (folder / "dayhand.db").symlink_to(elsewhere / "real.db")
    make_store(folder)
    assert count_in(elsewhere / "real.db") == 200


@pytest.mark.posix("has a limit in time, which Wine exceeds")
def test_a_store_with_fifty_thousand_schedules_opens_quickly(folder: Path) -> None:
    make_store(folder, 50_000)
    took = []
    for _ in range(5):
        began = time.perf_counter()
        database = open_store(folder, NOW).database
        database.read().execute("SELECT 1 FROM schedules LIMIT 1").fetchone()
        took.append(time.perf_counter() - began)
        close_store(database)
    assert min(took) < 0.1


def test_a_copied_folder_is_an_independent_store(folder: Path) -> None:
    make_store(folder)
    shutil.copytree(folder, folder.with_name("copy"))
    database = open_store(folder.with_name("copy"), NOW).database
    fill(database, 1, "new")
    close_store(database)
    assert count_in(folder / "dayhand.db") == 200
