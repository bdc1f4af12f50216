"""Export without secrets, and import elsewhere: the same workflows, paused, and nothing done twice."""

import io
import json
import sqlite3
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.cli import command_line
from app.data.preferences import Preferences, read_preferences, save_preferences
from scheduler.engine.data_folder import has_data
from scheduler.engine.fixer_config import FixerConfig, FixerKind
from scheduler.rules.mutations import MutationStatus
from scheduler.store import connections, mutations, runs, schedules, workflows
from scheduler.store.lock import hold
from scheduler.store.mutations import MutationRow
from tests.engine.queries.runtime_fixture import RECEIPTS, QueryRuntimeFixture

FIXER = FixerConfig(kind=FixerKind.COMMAND, command="llm -m small")


def fill(folder: Path) -> QueryRuntimeFixture:
    """A workflow with two runs and an open approval request, and an account with a password."""
    runtime = QueryRuntimeFixture(folder)
    runtime.connect_table()
    with runtime.database.write() as db:
        settings = {"host": "imap.example.org", "port": 993, "user": "anna", "security": "tls"}
        connections.save(db, "imap:home", settings, runtime.clock.wall)
    runtime.deploy(RECEIPTS.replace('["table:expenses"]', '["table:expenses", "imap:home"]'))
    runtime.run_until_idle()
    save_preferences(runtime.folder, Preferences(concurrency=7, fixer=FIXER))
    return runtime


@pytest.fixture
def old(tmp_path: Path) -> Iterator[QueryRuntimeFixture]:
    runtime = fill(tmp_path / "old")
    yield runtime
    runtime.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An export, shared by the module's tests."""
    folder = tmp_path_factory.mktemp("written")
    fill(folder / "old").close()
    assert command_line.run(["export", str(folder / "all.zip"), "--data-dir", str(folder / "old")]) == 0
    return (folder / "all.zip").read_bytes()


@pytest.fixture
def export(old: QueryRuntimeFixture, tmp_path: Path) -> Path:
    target = tmp_path / "all.zip"
    assert command_line.run(["export", str(target), "--data-dir", str(old.folder)]) == 0
    return target


def import_file(path: Path, folder: Path, *more: str) -> int:
    return command_line.run(["import", str(path), "--data-dir", str(folder), *more])


@pytest.fixture
def moved(export: Path, tmp_path: Path) -> Iterator[QueryRuntimeFixture]:
    assert import_file(export, tmp_path / "new") == 0
    runtime = QueryRuntimeFixture(tmp_path / "new")
    yield runtime
    runtime.close()


def test_workflows_schedules_versions_and_history_are_imported(
    old: QueryRuntimeFixture, moved: QueryRuntimeFixture
) -> None:
    before, after = old.queries.workflow("receipts"), moved.queries.workflow("receipts")
    assert (after.name, after.tags, after.version) == (before.name, before.tags, before.version)
    assert [(one.id, one.spec, one.policies) for one in schedules.list_all(moved.database.read())] == [
        (one.id, one.spec, one.policies) for one in schedules.list_all(old.database.read())
    ]
    scripts = [workflows.find_script(runtime.database.read(), "receipts", 1) for runtime in (old, moved)]
    assert scripts[0] is not None and scripts[0] == scripts[1]
    assert [one.id for one in after.recent] == [one.id for one in before.recent]
    assert read_preferences(moved.folder).concurrency == 7


def test_the_fixer_is_off_after_an_import(moved: QueryRuntimeFixture) -> None:
    fixer = read_preferences(moved.folder).fixer
    assert (fixer.command, fixer.is_on) == ("llm -m small", False)


def test_every_imported_workflow_is_paused(moved: QueryRuntimeFixture) -> None:
    assert moved.queries.workflow("receipts").state == "needs-attention"  # only because of its account
    [row] = workflows.list_all(moved.database.read())
    assert row.status == "paused"
    before = len(moved.queries.workflow("receipts").recent)
    moved.move(days=2)
    assert len(moved.queries.workflow("receipts").recent) == before


def test_an_imported_account_has_no_password_and_asks_to_reconnect(moved: QueryRuntimeFixture) -> None:
    [request] = moved.queries.attention()
    assert (request.kind, request.subject, request.workflow) == ("reconnect", "imap:home", "receipts")
    row = connections.find(moved.database.read(), "imap:home")
    assert row is not None and row.trouble is not None and "without its password" in row.trouble
    assert row.settings["user"] == "anna"
    table = connections.find(moved.database.read(), "table:expenses")
    assert table is not None and table.trouble is None
    moved.services.grant_commands.save_connection("imap:home", row.settings)
    assert moved.queries.attention() == []


def test_a_pending_approval_is_asked_again_and_done_once(old: QueryRuntimeFixture, moved: QueryRuntimeFixture) -> None:
    row = connections.find(moved.database.read(), "imap:home")
    assert row is not None
    moved.services.grant_commands.save_connection("imap:home", row.settings)
    moved.services.workflow_commands.resume("receipts")
    moved.run_until_idle()
    while (request := moved.queries.attention()[0]).kind == "permission":  # permissions are not imported
        moved.services.request_commands.approve(request.id)
        moved.run_until_idle()
    assert request.kind == "approval"
    moved.services.request_commands.approve(request.id)
    moved.run_until_idle()
    assert moved.queries.attention() == []
    table = (old.folder / "expenses.csv").read_text().splitlines()
    assert sorted(set(table)) == sorted(table), "each row once"
    assert len(table) >= 2


def test_the_command_says_what_to_do_next(export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert import_file(export, tmp_path / "new") == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 workflow imported and paused. Check each one, then resume it.",
        f"Connect imap:home again: dayhand connect --data-dir {tmp_path / 'new'} imap:home",
    ]


@pytest.mark.parametrize(
    ("known", "becomes"),
    [(MutationStatus.IN_FLIGHT, "skipped"), (MutationStatus.UNSURE, "skipped"), (MutationStatus.APPLIED, "consumed")],
)
def test_an_unfinished_outside_action_is_not_imported(
    old: QueryRuntimeFixture, tmp_path: Path, known: MutationStatus, becomes: str
) -> None:
    [run] = runs.list_unfinished(old.database.read(), "receipts")
    with old.database.write() as db:
        mutations.begin(
            db,
            MutationRow(
                run=run.id,
                workflow="receipts",
                connection="table:expenses",
                tool="append",
                parameters={},
                key="k",
                status=known,
                begun=old.clock.wall,
            ),
        )
    assert command_line.run(["export", str(tmp_path / "all.zip"), "--data-dir", str(old.folder)]) == 0
    assert import_file(tmp_path / "all.zip", tmp_path / "new") == 0
    new = QueryRuntimeFixture(tmp_path / "new")
    db = new.database.read()
    assert {row[0] for row in db.execute("SELECT state FROM events")} == {becomes}
    assert mutations.list_unresolved(db) == []
    new.services.workflow_commands.resume("receipts", None)
    new.run_until_idle()
    new.close()
    assert not (old.folder / "expenses.csv").exists()


def test_a_script_without_a_file_gets_one(moved: QueryRuntimeFixture) -> None:
    [row] = workflows.list_all(moved.database.read())
    assert Path(row.path) == moved.folder / "workflows" / "receipts.py"
    assert "dayhand.Workflow" in Path(row.path).read_text()


def test_an_unknown_time_zone_blocks_the_schedule(
    old: QueryRuntimeFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with old.database.write() as db:
        spec = json.loads(schedules.list_all(db)[1].spec) | {"timezone": "Mars/Olympus"}
        schedules.update(db, "receipts/tidy", spec=json.dumps(spec))
    assert command_line.run(["export", str(tmp_path / "all.zip"), "--data-dir", str(old.folder)]) == 0
    assert import_file(tmp_path / "all.zip", tmp_path / "new") == 0
    assert "receipts/tidy is blocked" in capsys.readouterr().out
    new = QueryRuntimeFixture(tmp_path / "new")
    row = schedules.find(new.database.read(), "receipts/tidy")
    new.close()
    assert row is not None and row.trouble is not None and "Mars/Olympus" in row.trouble


def test_without_history_finished_runs_are_omitted(old: QueryRuntimeFixture, tmp_path: Path) -> None:
    old.services.request_commands.approve(old.queries.attention()[0].id)
    old.run_until_idle()
    for minutes in range(5, 30, 5):
        old.move(minutes=5)
        for one in old.queries.attention():
            old.services.request_commands.approve(one.id)
        old.run_until_idle()
        assert minutes
    with_it = len(old.queries.workflow("receipts").recent)
    line = ["export", str(tmp_path / "all.zip"), "--without-history", "--data-dir", str(old.folder)]
    assert command_line.run(line) == 0
    assert import_file(tmp_path / "all.zip", tmp_path / "new") == 0
    new = QueryRuntimeFixture(tmp_path / "new")
    assert len(new.queries.workflow("receipts").recent) < with_it
    assert [one.id for one in schedules.list_all(new.database.read())] == ["receipts/poll", "receipts/tidy"]
    new.close()


def test_only_the_user_can_read_it(export: Path) -> None:
    assert stat.S_IMODE(export.stat().st_mode) == 0o600


def test_an_export_never_overwrites_a_file(
    export: Path, old: QueryRuntimeFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    before = export.read_bytes()
    assert command_line.run(["export", str(export), "--data-dir", str(old.folder)]) == 1
    assert "already exists" in capsys.readouterr().err
    assert export.read_bytes() == before


def test_existing_data_is_set_aside_only_with_replace(
    export: Path, old: QueryRuntimeFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "used"
    QueryRuntimeFixture(folder).close()
    assert not has_data(folder)
    used = QueryRuntimeFixture(folder)
    used.deploy(RECEIPTS.replace("Receipts", "Mine"))
    used.close()
    assert import_file(export, folder) == 1
    assert "--replace" in capsys.readouterr().err
    assert import_file(export, folder, "--replace") == 0
    aside = next(folder.glob("dayhand-replaced-*.db"))
    assert str(aside) in capsys.readouterr().out
    with closing(sqlite3.connect(aside)) as db:
        assert db.execute("SELECT slug FROM workflows").fetchall() == [("mine",)]


def test_it_is_refused_while_dayhand_runs(export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with hold(tmp_path / "new"):
        assert import_file(export, tmp_path / "new") == 1
    assert "already running" in capsys.readouterr().err


Damage = Callable[[Path], None]


def rewrite(path: Path, **parts: bytes | None) -> None:
    """Replace members of the zip file; None removes one."""
    with zipfile.ZipFile(path) as bundle:
        kept: dict[str, bytes | None] = {name: bundle.read(name) for name in bundle.namelist()}
    kept |= {name.replace("_", "."): content for name, content in parts.items()}
    with zipfile.ZipFile(path, "w") as bundle:
        for name, content in kept.items():
            if content is not None:
                bundle.writestr(name, content)


def change_store(path: Path, *statements: str) -> None:
    with zipfile.ZipFile(path) as bundle:
        before = bundle.read("dayhand.db")
    place = path.with_suffix(".db")
    place.write_bytes(before)
    with closing(sqlite3.connect(place, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)
    rewrite(path, dayhand_db=place.read_bytes())
    place.unlink()


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    """Change a byte in the middle of the file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))


def damage_pages(path: Path) -> None:
    """Damage pages of the data file inside a valid zip file."""
    with zipfile.ZipFile(path) as bundle:
        store = bytearray(bundle.read("dayhand.db"))
    store[4096 * 2 : 4096 * 4] = b"\x99" * 8192
    rewrite(path, dayhand_db=bytes(store))


def empty(path: Path) -> None:
    made = io.BytesIO()
    zipfile.ZipFile(made, "w").close()
    path.write_bytes(made.getvalue())


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda path: path.write_bytes(b""), "not a Dayhand export"),
        (lambda path: path.write_bytes(b"PK\x03\x04 no zip at all" * 50), "not a Dayhand export"),
        (truncate, "not a Dayhand export"),
        (flip, "not a Dayhand export"),
        (empty, "not a Dayhand export"),
        (lambda path: rewrite(path, export_json=None), "not a Dayhand export"),
        (lambda path: rewrite(path, export_json=b"{"), "not a Dayhand export"),
        (lambda path: rewrite(path, export_json=b"[]"), "not a Dayhand export"),
        (lambda path: rewrite(path, export_json=b'{"format": 99}'), "newer Dayhand"),
        (lambda path: rewrite(path, dayhand_db=None), "not a Dayhand export"),
        (lambda path: rewrite(path, dayhand_db=b"no data" * 1000), "damaged or not from Dayhand"),
        (lambda path: rewrite(path, dayhand_db=b""), "damaged or not from Dayhand"),
        (damage_pages, "damaged or not from Dayhand"),
        (lambda path: change_store(path, "PRAGMA user_version = 999"), "newer Dayhand"),
        (lambda path: change_store(path, "DROP TABLE gaps"), "damaged or not from Dayhand"),
        (
            lambda path: change_store(
                path, "CREATE TRIGGER t AFTER UPDATE ON workflows BEGIN DELETE FROM scripts; END"
            ),
            "damaged or not from Dayhand",
        ),
        (
            lambda path: change_store(path, "PRAGMA foreign_keys = OFF", "DELETE FROM workflows"),
            "damaged or not from Dayhand",
        ),
    ],
)
def test_an_invalid_file_is_refused_and_changes_nothing(
    written: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: Damage, expected: str
) -> None:
    export = tmp_path / "all.zip"
    export.write_bytes(written)
    damage(export)
    folder = tmp_path / "new"
    QueryRuntimeFixture(folder).close()
    before = _contents(folder)
    capsys.readouterr()
    assert import_file(export, folder) == 1
    error = capsys.readouterr().err
    assert expected in error and error.count("\n") == 1
    assert _contents(folder) == before


def test_a_missing_file_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert import_file(tmp_path / "gone.zip", tmp_path / "new") == 1
    assert "cannot be read: No such file" in capsys.readouterr().err


def _contents(folder: Path) -> dict[str, Any]:
    """Without the files that reading creates: the lock and SQLite's journal."""
    ignored = ("-shm", "-wal", ".lock")
    return {one.name: one.read_bytes() for one in folder.iterdir() if not one.name.endswith(ignored)}
