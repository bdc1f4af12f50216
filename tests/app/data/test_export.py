"""Everything in one file without secrets, and going on from it elsewhere: the same workflows, paused, nothing twice."""

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

from app import cli
from app.keeping.export import check_export, is_used
from app.keeping.preferences import Preferences, keep_preferences, read_preferences
from scheduler.engine.fixing.choice import FixerChoice, FixerKind
from scheduler.rules.mutations import Mutation
from scheduler.store import connections, mutations, runs, schedules, workflows
from scheduler.store.lock import hold
from scheduler.store.mutations import MutationRow
from tests.engine.workflows.views.shop import RECEIPTS, Shop

FIXER = FixerChoice(kind=FixerKind.COMMAND, command="llm -m small")


def fill(folder: Path) -> Shop:
    """Asks whether it may file one receipt; an account with a password; a past of two runs."""
    shop = Shop(folder)
    shop.connect_table()
    with shop.database.write() as db:
        settings = {"host": "imap.example.org", "port": 993, "user": "anna", "security": "tls"}
        connections.save(db, "imap:home", settings, shop.clock.wall)
    shop.deploy(RECEIPTS.replace('["table:expenses"]', '["table:expenses", "imap:home"]'))
    shop.settle()
    keep_preferences(shop.folder, Preferences(concurrency=7, fixer=FIXER))
    return shop


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Shop]:
    shop = fill(tmp_path / "old")
    yield shop
    shop.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An export, made once."""
    folder = tmp_path_factory.mktemp("written")
    fill(folder / "old").close()
    assert cli.run(["export", str(folder / "all.zip"), "--data-dir", str(folder / "old")]) == 0
    return (folder / "all.zip").read_bytes()


@pytest.fixture
def export(old: Shop, tmp_path: Path) -> Path:
    target = tmp_path / "all.zip"
    assert cli.run(["export", str(target), "--data-dir", str(old.folder)]) == 0
    return target


def take_in(path: Path, folder: Path, *more: str) -> int:
    return cli.run(["import", str(path), "--data-dir", str(folder), *more])


@pytest.fixture
def moved(export: Path, tmp_path: Path) -> Iterator[Shop]:
    assert take_in(export, tmp_path / "new") == 0
    shop = Shop(tmp_path / "new")
    yield shop
    shop.close()


def test_the_same_workflows_schedules_versions_and_history_arrive(old: Shop, moved: Shop) -> None:
    """D3"""
    before, after = old.views.workflow("receipts"), moved.views.workflow("receipts")
    assert (after.name, after.tags, after.version) == (before.name, before.tags, before.version)
    assert [(one.id, one.spec, one.policies) for one in schedules.every_one(moved.database.read())] == [
        (one.id, one.spec, one.policies) for one in schedules.every_one(old.database.read())
    ]
    scripts = [workflows.find_script(shop.database.read(), "receipts", 1) for shop in (old, moved)]
    assert scripts[0] is not None and scripts[0] == scripts[1]
    assert [one.id for one in after.recent] == [one.id for one in before.recent]
    assert read_preferences(moved.folder).concurrency == 7


def test_nobody_repairs_scripts_on_another_computer_before_the_person_says_so(moved: Shop) -> None:
    fixer = read_preferences(moved.folder).fixer
    assert (fixer.command, fixer.is_on) == ("llm -m small", False)


def test_everything_arrives_paused(moved: Shop) -> None:
    """D3"""
    assert moved.views.workflow("receipts").state == "needs-attention"  # its account, nothing else
    [row] = workflows.every_one(moved.database.read())
    assert row.status == "paused"
    before = len(moved.views.workflow("receipts").recent)
    moved.move(days=2)
    assert len(moved.views.workflow("receipts").recent) == before


def test_an_account_comes_without_its_password_and_asks_to_be_connected_again(moved: Shop) -> None:
    [request] = moved.views.attention()
    assert (request.kind, request.subject, request.workflow) == ("reconnect", "imap:home", "receipts")
    row = connections.find(moved.database.read(), "imap:home")
    assert row is not None and row.trouble is not None and "without its password" in row.trouble
    assert row.settings["user"] == "anna"
    table = connections.find(moved.database.read(), "table:expenses")
    assert table is not None and table.trouble is None
    moved.house.allowing.connected("imap:home", row.settings)
    assert moved.views.attention() == []


def test_what_waited_for_a_yes_is_asked_again_where_it_goes_on_and_done_once(old: Shop, moved: Shop) -> None:
    row = connections.find(moved.database.read(), "imap:home")
    assert row is not None
    moved.house.allowing.connected("imap:home", row.settings)
    moved.house.commands.resume("receipts")
    moved.settle()
    while (request := moved.views.attention()[0]).kind == "permission":  # what was allowed there is not allowed here
        moved.house.answering.approve(request.id)
        moved.settle()
    assert request.kind == "approval"
    moved.house.answering.approve(request.id)
    moved.settle()
    assert moved.views.attention() == []
    table = (old.folder / "expenses.csv").read_text().splitlines()
    assert sorted(set(table)) == sorted(table), "each row once"
    assert len(table) >= 2


def test_the_command_says_what_to_do_next(export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert take_in(export, tmp_path / "new") == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 workflow arrived, paused: look at each and resume it.",
        "Connect imap:home again: dayhand connect imap:home",
    ]


@pytest.mark.parametrize(
    ("known", "becomes"),
    [(Mutation.IN_FLIGHT, "skipped"), (Mutation.UNSURE, "skipped"), (Mutation.APPLIED, "consumed")],
)
def test_what_may_have_been_done_outside_stays_with_whoever_exported_it(
    old: Shop, tmp_path: Path, known: Mutation, becomes: str
) -> None:
    [run] = runs.unfinished(old.database.read(), "receipts")
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
    assert cli.run(["export", str(tmp_path / "all.zip"), "--data-dir", str(old.folder)]) == 0
    assert take_in(tmp_path / "all.zip", tmp_path / "new") == 0
    new = Shop(tmp_path / "new")
    db = new.database.read()
    assert {row[0] for row in db.execute("SELECT state FROM events")} == {becomes}
    assert mutations.unsettled(db) == []
    new.house.commands.resume("receipts", None)
    new.settle()
    new.close()
    assert not (old.folder / "expenses.csv").exists()


def test_a_script_whose_file_is_not_there_gets_one(moved: Shop) -> None:
    [row] = workflows.every_one(moved.database.read())
    assert Path(row.path) == moved.folder / "workflows" / "receipts.py"
    assert "dayhand.Workflow" in Path(row.path).read_text()


def test_a_zone_that_nobody_knows_here_blocks_with_the_reason(
    old: Shop, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """S18"""
    with old.database.write() as db:
        spec = json.loads(schedules.every_one(db)[1].spec) | {"timezone": "Mars/Olympus"}
        schedules.update(db, "receipts/tidy", spec=json.dumps(spec))
    assert cli.run(["export", str(tmp_path / "all.zip"), "--data-dir", str(old.folder)]) == 0
    assert take_in(tmp_path / "all.zip", tmp_path / "new") == 0
    assert "receipts/tidy was set aside" in capsys.readouterr().out
    new = Shop(tmp_path / "new")
    row = schedules.find(new.database.read(), "receipts/tidy")
    new.close()
    assert row is not None and row.trouble is not None and "Mars/Olympus" in row.trouble


def test_without_history_what_is_over_stays_behind(old: Shop, tmp_path: Path) -> None:
    old.house.answering.approve(old.views.attention()[0].id)
    old.settle()
    for minutes in range(5, 30, 5):
        old.move(minutes=5)
        for one in old.views.attention():
            old.house.answering.approve(one.id)
        old.settle()
        assert minutes
    with_it = len(old.views.workflow("receipts").recent)
    line = ["export", str(tmp_path / "all.zip"), "--without-history", "--data-dir", str(old.folder)]
    assert cli.run(line) == 0
    assert not check_export(tmp_path, tmp_path / "all.zip").has_history
    assert take_in(tmp_path / "all.zip", tmp_path / "new") == 0
    new = Shop(tmp_path / "new")
    assert len(new.views.workflow("receipts").recent) < with_it
    assert [one.id for one in schedules.every_one(new.database.read())] == ["receipts/poll", "receipts/tidy"]
    new.close()


def test_only_its_person_can_read_it(export: Path) -> None:
    assert stat.S_IMODE(export.stat().st_mode) == 0o600


def test_an_export_overwrites_nothing(export: Path, old: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    before = export.read_bytes()
    assert cli.run(["export", str(export), "--data-dir", str(old.folder)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert export.read_bytes() == before


def test_data_that_is_here_is_set_aside_only_on_request(
    export: Path, old: Shop, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "used"
    Shop(folder).close()
    assert not is_used(folder)
    used = Shop(folder)
    used.deploy(RECEIPTS.replace("Receipts", "Mine"))
    used.close()
    assert take_in(export, folder) == 1
    assert "--replace" in capsys.readouterr().err
    assert take_in(export, folder, "--replace") == 0
    aside = next(folder.glob("dayhand-replaced-*.db"))
    assert str(aside) in capsys.readouterr().out
    with closing(sqlite3.connect(aside)) as db:
        assert db.execute("SELECT slug FROM workflows").fetchall() == [("mine",)]


def test_it_is_refused_while_dayhand_runs(export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with hold(tmp_path / "new"):
        assert take_in(export, tmp_path / "new") == 1
    assert "already running" in capsys.readouterr().err


Damage = Callable[[Path], None]


def rewrite(path: Path, **parts: bytes | None) -> None:
    """The same bundle with other parts; None leaves one out."""
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
    """A byte in the middle of what is packed."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))


def spoil_pages(path: Path) -> None:
    """A page of the data file, in a bundle that is whole."""
    with zipfile.ZipFile(path) as bundle:
        store = bytearray(bundle.read("dayhand.db"))
    store[4096 * 2 : 4096 * 4] = b"\x99" * 8192
    rewrite(path, dayhand_db=bytes(store))


def nothing_inside(path: Path) -> None:
    made = io.BytesIO()
    zipfile.ZipFile(made, "w").close()
    path.write_bytes(made.getvalue())


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda path: path.write_bytes(b""), "not an export"),
        (lambda path: path.write_bytes(b"PK\x03\x04 no zip at all" * 50), "not an export"),
        (truncate, "not an export"),
        (flip, "not an export"),
        (nothing_inside, "not an export"),
        (lambda path: rewrite(path, export_json=None), "not an export"),
        (lambda path: rewrite(path, export_json=b"{"), "not an export"),
        (lambda path: rewrite(path, export_json=b"[]"), "not an export"),
        (lambda path: rewrite(path, export_json=b'{"format": 99}'), "newer Dayhand"),
        (lambda path: rewrite(path, dayhand_db=None), "not an export"),
        (lambda path: rewrite(path, dayhand_db=b"no data" * 1000), "damaged or not of Dayhand"),
        (lambda path: rewrite(path, dayhand_db=b""), "damaged or not of Dayhand"),
        (spoil_pages, "damaged or not of Dayhand"),
        (lambda path: change_store(path, "PRAGMA user_version = 999"), "newer Dayhand"),
        (lambda path: change_store(path, "DROP TABLE gaps"), "damaged or not of Dayhand"),
        (
            lambda path: change_store(
                path, "CREATE TRIGGER t AFTER UPDATE ON workflows BEGIN DELETE FROM scripts; END"
            ),
            "damaged or not of Dayhand",
        ),
        (
            lambda path: change_store(path, "PRAGMA foreign_keys = OFF", "DELETE FROM workflows"),
            "damaged or not of Dayhand",
        ),
    ],
)
def test_a_wrong_or_damaged_file_gets_a_sentence_and_changes_nothing(
    written: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: Damage, said: str
) -> None:
    export = tmp_path / "all.zip"
    export.write_bytes(written)
    damage(export)
    folder = tmp_path / "new"
    Shop(folder).close()
    before = _contents(folder)
    capsys.readouterr()
    assert take_in(export, folder) == 1
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
    assert _contents(folder) == before


def test_a_file_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert take_in(tmp_path / "gone.zip", tmp_path / "new") == 1
    assert "cannot be read: No such file" in capsys.readouterr().err


def _contents(folder: Path) -> dict[str, Any]:
    """But for what looking at it leaves: the lock, and SQLite's own notes about an empty journal."""
    passing = ("-shm", "-wal", ".lock")
    return {one.name: one.read_bytes() for one in folder.iterdir() if not one.name.endswith(passing)}
