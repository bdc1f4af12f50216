"""Data of earlier versions, opened by this one: nothing pending may be lost.

stores/0.1.0.db was written by the first version, which was killed: one approval waits, one job runs, two are queued.
stores/schema-2.db is the same in the first schema with approvals."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scheduler.store import migrations
from scheduler.store.errors import NewerStoreError
from scheduler.store.opening import close_store, open_store
from tests.desktop.processes import wait_until

STORES = Path(__file__).with_name("stores")
NOW = datetime(2026, 11, 16, 17, 30, tzinfo=UTC)


@pytest.fixture(params=sorted(path.name for path in STORES.glob("*.db")))
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    made = tmp_path / "data"
    made.mkdir()
    shutil.copy(STORES / request.param, made / "dayhand.db")
    return made


def ask(folder: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "dayhand.db")) as db:
        return [tuple(row) for row in db.execute(sql)]


def shape(folder: Path) -> dict[object, object]:
    """Tables with their columns, indexes and triggers."""
    things = ask(folder, "SELECT name, type, tbl_name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    return {thing: sorted(map(repr, ask(folder, f"PRAGMA table_xinfo({thing[0]})"))) for thing in things}


def dayhand(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "app.main", *arguments, "--data-dir", str(folder)]
    surroundings = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    return subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=120, check=False)


def approvals(folder: Path) -> list[dict[str, str]]:
    """As shown by the command line; empty until an app has migrated the file."""
    answer = json.loads(dayhand(folder, "attention", "--json").stdout)
    return [request for request in answer.get("requests", []) if request["kind"] == "approval"]


def approve_what_is_open(folder: Path) -> list[dict[str, str]]:
    """The requests whose answer was accepted."""
    return [request for request in approvals(folder) if dayhand(folder, "approve", request["id"]).returncode == 0]


def test_opening_migrates_to_the_current_schema_without_damage(folder: Path) -> None:
    opened = open_store(folder, NOW)
    close_store(opened.database)
    assert opened.damage is None
    assert ask(folder, "PRAGMA user_version") == [(migrations.latest(),)]
    assert ask(folder, "PRAGMA integrity_check") == [("ok",)]
    assert ask(folder, "PRAGMA foreign_key_check") == []


def test_an_upgraded_store_has_the_schema_of_a_new_one(folder: Path, tmp_path: Path) -> None:
    """A migration that is changed after its release would fail here."""
    new = tmp_path / "new"
    new.mkdir()
    for each in (folder, new):
        close_store(open_store(each, NOW).database)
    assert shape(folder) == shape(new)


def test_pending_work_is_still_there(folder: Path) -> None:
    queued = "SELECT key, due, state FROM occurrences WHERE state IN ('queued', 'started') ORDER BY key"
    waiting = "SELECT id, kind, workflow, sentence FROM requests WHERE answer IS NULL"
    events = "SELECT COUNT(*) FROM events"
    before = [ask(folder, sql) for sql in (queued, waiting, events)]
    assert [len(rows) for rows in before] == [3, 1, 1]
    close_store(open_store(folder, NOW).database)
    assert [ask(folder, sql) for sql in (queued, waiting, events)] == before


def test_the_new_app_shows_the_request_and_accepts_the_answer(folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "expenses.csv"
    (tmp_path / "receipts").mkdir()
    with closing(sqlite3.connect(folder / "dayhand.db")) as db, db:
        db.execute("UPDATE connections SET settings = replace(settings, '/home/ada', ?)", (str(tmp_path),))
    command = [sys.executable, "-m", "app.main", "--headless", "--data-dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as app:
        try:
            # The request does not name its table, so the new app asks again before it accepts an answer.
            answered = wait_until(lambda: approve_what_is_open(folder), "an accepted answer")
            assert [request["sentence"] for request in answered] == ["Add 1 receipt (7.40) to Expenses"]
            wait_until(lambda: table.exists() and "Corner Bakery" in table.read_text(), "the row")
            assert approvals(folder) == []
        finally:
            app.terminate()


def test_an_older_app_does_not_touch_the_data_of_a_newer_one(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "dayhand.db")) as db:
        db.execute("PRAGMA user_version = 999")
    written = (folder / "dayhand.db").read_bytes()
    with pytest.raises(NewerStoreError):
        open_store(folder, NOW)
    output = dayhand(folder, "--headless", "--seconds", "1")
    assert output.returncode == 1
    assert "newer" in output.stderr
    assert (folder / "dayhand.db").read_bytes() == written
