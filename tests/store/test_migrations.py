"""Numbered steps to today's schema: each whole or not at all, and never without a way back."""

import re
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from scheduler.store import migrations
from scheduler.store.backups import last_backup
from scheduler.store.connection import connect
from scheduler.store.errors import DiskFullError, MigrationError, NewerStoreError
from scheduler.store.health import close_store, open_store
from tests.store.stores import NOW, ROOT, count, count_in, fill, listing, made, run_python

AddSteps = Callable[..., None]


def columns(path: Path, table: str = "schedules") -> set[str]:
    with closing(sqlite3.connect(path)) as db:
        return {row[1] for row in db.execute(f"PRAGMA table_info({table})")}


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def test_the_steps_are_numbered_from_one_without_a_gap() -> None:
    assert [number for number, _ in migrations._steps()] == list(range(1, migrations.latest() + 1))
    names = [path.name for path in (ROOT / "scheduler/store/migrations").glob("*.sql")]
    assert all(re.fullmatch(r"\d{4}_[a-z_]+\.sql", name) for name in names)


def test_a_fresh_file_gets_every_step_and_no_backup(folder: Path) -> None:
    database = open_store(folder, NOW).database
    fill(database, 3)
    assert count(database) == 3
    close_store(database)
    assert version(folder / "dayhand.db") == migrations.latest()
    assert listing(folder) == {"dayhand.db"}


def test_a_migrated_file_is_left_as_it_is(folder: Path, statements: list[str]) -> None:
    made(folder)
    statements.clear()
    close_store(open_store(folder, NOW).database)
    assert not [said for said in statements if "CREATE" in said or said.startswith(("BEGIN", "PRAGMA user_version ="))]
    assert listing(folder) == {"dayhand.db"}


def test_new_steps_are_applied_in_order_after_a_backup(folder: Path, add_steps: AddSteps) -> None:
    path = made(folder)
    add_steps("ALTER TABLE schedules ADD COLUMN colour TEXT;", "UPDATE schedules SET colour = 'blue';")
    database = open_store(folder, NOW).database
    assert {row[0] for row in database.read().execute("SELECT colour FROM schedules")} == {"blue"}
    close_store(database)
    assert version(path) == migrations.latest()
    (backup,) = (folder / "backups").iterdir()
    assert count_in(backup) == 200
    assert version(backup) == migrations.latest() - 2
    assert "colour" not in columns(backup)


@pytest.mark.parametrize(
    "broken",
    [
        "ALTER TABLE schedules ADD COLUMN colour TEXT;\nUPDATE nowhere SET colour = 'blue';",
        "ALTER TABLE schedules ADD COLUMN colour TEXT;\nthis is not SQL;",
        "ALTER TABLE schedules ADD COLUMN colour TEXT;\nUPDATE schedules SET version = NULL;",
        "ALTER TABLE schedules ADD COLUMN colour TEXT;\nthis is not SQL and lacks its semicolon",
    ],
)
def test_a_failing_step_leaves_the_old_database_usable(folder: Path, add_steps: AddSteps, broken: str) -> None:
    """D2"""
    path = made(folder)
    add_steps("CREATE TABLE first (x TEXT) STRICT;", broken)
    with pytest.raises(MigrationError, match=rf"step {migrations.latest()}: .* Nothing was changed.* report"):
        open_store(folder, NOW)
    assert version(path) == migrations.latest() - 1, "the step before it is kept"
    assert "colour" not in columns(path)
    assert count_in(path) == 200


def test_a_failing_first_step_leaves_a_store_that_the_old_version_opens(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D2"""
    made(folder)
    with monkeypatch.context() as later:
        known = migrations._steps()
        later.setattr(migrations, "_steps", lambda: [*known, (len(known) + 1, "DROP TABLE answers;\nnonsense;")])
        with pytest.raises(MigrationError):
            open_store(folder, NOW)
    opened = open_store(folder, NOW)
    assert opened.damage is None
    assert count(opened.database) == 200
    assert opened.database.read().execute("SELECT count(*) FROM answers").fetchone()[0] == 0
    close_store(opened.database)


KILLED = """
import os, signal, sys
from pathlib import Path
from scheduler.store import health, migrations
from tests.store.stores import NOW

steps, connect = migrations._steps(), health.connect
script = "ALTER TABLE schedules ADD COLUMN colour TEXT;\\nUPDATE schedules SET colour = spec;\\nSELECT die();\\n"

def connect_to_die(path, **settings):
    connection = connect(path, **settings)
    connection.execute("PRAGMA cache_size = 10")  # so that half of it has reached the disk
    connection.create_function("die", 0, lambda: os.kill(os.getpid(), signal.SIGKILL))
    return connection

migrations._steps = lambda: [*steps, (len(steps) + 1, script)]
health.connect = connect_to_die
health.open_store(Path(sys.argv[1]), NOW)
"""


def test_a_migration_killed_halfway_leaves_the_old_database_usable(folder: Path, add_steps: AddSteps) -> None:
    """D2, with kill -9 after thousands of changed rows went into the file"""
    path = made(folder, 5000)
    ended = run_python(KILLED, folder)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert (folder / "dayhand.db-wal").stat().st_size > 1_000_000
    backup = last_backup(folder, NOW)
    assert backup is not None and count_in(backup) == 5000

    opened = open_store(folder, NOW)
    assert opened.damage is None
    assert count(opened.database) == 5000
    close_store(opened.database)
    assert "colour" not in columns(path)

    add_steps("ALTER TABLE schedules ADD COLUMN colour TEXT;")
    close_store(open_store(folder, NOW).database)
    assert "colour" in columns(path)
    assert count_in(path) == 5000


def test_a_first_start_killed_halfway_is_just_a_first_start(folder: Path) -> None:
    """D2"""
    code = KILLED.replace("migrations._steps = lambda: [*steps,", "migrations._steps = lambda: [(1, 'SELECT die();'),")
    assert run_python(code, folder).returncode == -signal.SIGKILL
    opened = open_store(folder, NOW)
    assert opened.damage is None
    fill(opened.database, 1)
    close_store(opened.database)


def test_a_full_disk_during_a_migration_says_so_and_changes_nothing(folder: Path, add_steps: AddSteps) -> None:
    """D2, D5"""
    path = made(folder)
    add_steps(
        "CREATE TABLE big (x BLOB) STRICT;\nPRAGMA max_page_count = 1;\nINSERT INTO big VALUES (zeroblob(9000000));"
    )
    with pytest.raises(DiskFullError, match="no room left"):
        open_store(folder, NOW)
    assert version(path) == migrations.latest() - 1
    assert count_in(path) == 200


def test_a_table_that_others_refer_to_can_be_rebuilt(folder: Path, add_steps: AddSteps) -> None:
    made(folder)
    database = open_store(folder, NOW).database
    with database.write() as db:
        db.execute("INSERT INTO gaps VALUES ('w1/h', 0, 1, 1, 0, 'missed', 'off', 0)")
    close_store(database)
    add_steps(
        "CREATE TABLE rebuilt AS SELECT * FROM schedules;\nDROP TABLE schedules;\n"
        "CREATE TABLE schedules (id TEXT PRIMARY KEY, spec TEXT NOT NULL) STRICT, WITHOUT ROWID;\n"
        "INSERT INTO schedules SELECT id, spec FROM rebuilt;\nDROP TABLE rebuilt;"
    )
    database = open_store(folder, NOW).database
    assert count(database) == 200
    with pytest.raises(sqlite3.IntegrityError), database.write() as db:
        db.execute("INSERT INTO gaps VALUES ('nobody/h', 0, 1, 1, 0, 'missed', 'off', 0)")
    close_store(database)


def test_references_are_watched_again_after_migrating(tmp_path: Path) -> None:
    (tmp_path / "some.db").touch()
    with closing(connect(tmp_path / "some.db")) as connection:
        migrations.migrate(connection)
        assert connection.execute("PRAGMA foreign_keys").fetchone()[0] == 1


def test_a_step_that_breaks_references_is_taken_back(folder: Path, add_steps: AddSteps) -> None:
    path = made(folder)
    database = open_store(folder, NOW).database
    with database.write() as db:
        db.execute("INSERT INTO gaps VALUES ('w1/h', 0, 1, 1, 0, 'missed', 'off', 0)")
    close_store(database)
    add_steps("DELETE FROM schedules;")
    with pytest.raises(MigrationError, match="a row of gaps refers to a row of schedules that is gone"):
        open_store(folder, NOW)
    assert count_in(path) == 200


@pytest.mark.parametrize("is_unclean", [False, True])
def test_a_newer_store_is_refused_with_nothing_changed(folder: Path, *, is_unclean: bool) -> None:
    path = made(folder)
    code = (
        "import os, sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None); "
        "db.execute('DROP TABLE facts'); db.execute('CREATE TABLE news (x)'); db.execute('PRAGMA user_version = 99'); "
        "os._exit(0) if sys.argv[2] == 'True' else db.close()"
    )
    assert run_python(code, path, is_unclean).returncode == 0
    journal = folder / "dayhand.db-wal"
    assert journal.exists() == is_unclean
    before = path.read_bytes(), journal.read_bytes() if is_unclean else b""
    for _ in range(2):
        with pytest.raises(NewerStoreError, match=r"newer Dayhand \(format 99; .*Nothing was changed\."):
            open_store(folder, NOW)
    assert (path.read_bytes(), journal.read_bytes() if journal.exists() else b"") == before
    assert listing(folder) <= {"dayhand.db", "dayhand.db-wal", "dayhand.db-shm"}


def test_every_table_is_strict(folder: Path) -> None:
    database = open_store(folder, NOW).database
    ours = "schema = 'main' AND type = 'table'"  # SQLite makes those of the search index itself
    tables = database.read().execute(f"SELECT name, strict FROM pragma_table_list WHERE {ours}").fetchall()
    assert len(tables) > 5
    assert {row["name"] for row in tables if not row["strict"]} == {"sqlite_schema"}
    close_store(database)
