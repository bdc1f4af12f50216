"""Migration steps: each is applied completely or not at all, after a backup."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from scheduler.store import migrations
from scheduler.store.backups import find_last_backup
from scheduler.store.errors import DiskFullError, MigrationError, NewerStoreError
from scheduler.store.opening import close_store, open_store
from scheduler.store.sqlite import connect
from tests.killing import KILLED
from tests.store.store_files import CLEAN_FILES, NOW, ROOT, count, count_in, file_names, fill, make_store, run_python

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
    assert file_names(folder) == CLEAN_FILES


def test_an_up_to_date_file_is_left_alone(folder: Path, statements: list[str]) -> None:
    make_store(folder)
    statements.clear()
    close_store(open_store(folder, NOW).database)
    assert not [sql for sql in statements if "CREATE" in sql or sql.startswith(("BEGIN", "PRAGMA user_version ="))]
    assert file_names(folder) == CLEAN_FILES


def test_new_steps_are_applied_in_order_after_a_backup(folder: Path, add_steps: AddSteps) -> None:
    path = make_store(folder)
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
    path = make_store(folder)
    add_steps("CREATE TABLE first (x TEXT) STRICT;", broken)
    with pytest.raises(MigrationError, match=rf"step {migrations.latest()}: .* Nothing was changed.* report"):
        open_store(folder, NOW)
    assert version(path) == migrations.latest() - 1, "the previous step is kept"
    assert "colour" not in columns(path)
    assert count_in(path) == 200


def test_a_failing_first_step_leaves_a_store_that_the_old_version_opens(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_store(folder)
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


DIES_HALFWAY = """
import os, sys
from pathlib import Path
from scheduler.store import opening, migrations
from tests.store.store_files import NOW

steps, connect = migrations._steps(), opening.connect
script = "ALTER TABLE schedules ADD COLUMN colour TEXT;\\nUPDATE schedules SET colour = spec;\\nSELECT die();\\n"

def connect_to_die(path, **settings):
    connection = connect(path, **settings)
    connection.execute("PRAGMA cache_size = 10")  # so that half of it has reached the disk
    connection.create_function("die", 0, lambda: os.kill(os.getpid(), 9))
    return connection

migrations._steps = lambda: [*steps, (len(steps) + 1, script)]
opening.connect = connect_to_die
opening.open_store(Path(sys.argv[1]), NOW)
"""


def test_a_migration_killed_halfway_leaves_the_old_database_usable(folder: Path, add_steps: AddSteps) -> None:
    """With kill -9 after thousands of changed rows reached the file."""
    path = make_store(folder, 5000)
    ended = run_python(DIES_HALFWAY, folder)
    assert ended.returncode == KILLED, ended.stderr
    assert (folder / "dayhand.db-wal").stat().st_size > 1_000_000
    backup = find_last_backup(folder, NOW)
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


def test_a_first_start_killed_halfway_can_be_repeated(folder: Path) -> None:
    code = DIES_HALFWAY.replace(
        "migrations._steps = lambda: [*steps,", "migrations._steps = lambda: [(1, 'SELECT die();'),"
    )
    assert run_python(code, folder).returncode == KILLED
    opened = open_store(folder, NOW)
    assert opened.damage is None
    fill(opened.database, 1)
    close_store(opened.database)


def test_a_full_disk_during_a_migration_is_reported_and_changes_nothing(folder: Path, add_steps: AddSteps) -> None:
    path = make_store(folder)
    add_steps(
        "CREATE TABLE big (x BLOB) STRICT;\nPRAGMA max_page_count = 1;\nINSERT INTO big VALUES (zeroblob(9000000));"
    )
    with pytest.raises(DiskFullError, match="is full"):
        open_store(folder, NOW)
    assert version(path) == migrations.latest() - 1
    assert count_in(path) == 200


def test_a_table_that_others_reference_can_be_rebuilt(folder: Path, add_steps: AddSteps) -> None:
    make_store(folder)
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


def test_foreign_keys_are_enforced_again_after_migrating(tmp_path: Path) -> None:
    (tmp_path / "some.db").touch()
    with closing(connect(tmp_path / "some.db")) as connection:
        migrations.migrate(connection)
        assert connection.execute("PRAGMA foreign_keys").fetchone()[0] == 1


def test_a_step_that_breaks_references_is_rolled_back(folder: Path, add_steps: AddSteps) -> None:
    path = make_store(folder)
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
    path = make_store(folder)
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
    assert file_names(folder) <= CLEAN_FILES | {"dayhand.db-wal", "dayhand.db-shm"}


def test_every_table_is_strict(folder: Path) -> None:
    database = open_store(folder, NOW).database
    ours = "schema = 'main' AND type = 'table'"  # SQLite creates those of the search index itself
    tables = database.read().execute(f"SELECT name, strict FROM pragma_table_list WHERE {ours}").fetchall()
    assert len(tables) > 5
    assert {row["name"] for row in tables if not row["strict"]} == {"sqlite_schema"}
    close_store(database)
