"""Imports of hostile exports are refused without any change, or everything works afterwards."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.app.data.hostile_exports import edit, every_column_has_a_rule, tamper
from tests.app.data.import_folder import REFUSED, TAKEN, Home, make_good

NUMBER = int(os.environ.get("DAYHAND_HOSTILE_EXPORTS", "200"))
"""More can be tried with `python -m tests.app.data.hostile_exports`, which counts outcomes."""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return make_good(tmp_path_factory.mktemp("good"))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "around" / "home")


def test_a_valid_export_is_imported_and_overwrites_nothing(good: bytes, home: Home) -> None:
    assert home.take_in(good) == TAKEN


def rename(slug: str, name: str) -> Callable[[sqlite3.Connection], None]:
    def change(db: sqlite3.Connection) -> None:
        db.execute("UPDATE workflows SET slug = ?, name = ?, path = '/nowhere/x.py'", (slug, name))
        for table in (
            "scripts",
            "lanes",
            "handlers",
            "subscriptions",
            "events",
            "runs",
            "mutations",
            "requests",
            "grants",
        ):
            db.execute(f"UPDATE {table} SET workflow = ?", (slug,))

    return change


@pytest.mark.parametrize("slug", ["../../outside", "/tmp/outside", "..", "a/../../../outside", "Receipts", "other"])
def test_a_slug_that_does_not_match_its_name_is_refused(good: bytes, home: Home, slug: str) -> None:
    """The slug becomes a file name."""
    assert home.take_in(edit(good, rename(slug, "Receipts"))) == REFUSED
    assert home.take_in(edit(good, rename(slug, slug))) == REFUSED


def test_a_script_that_does_not_match_its_description_is_refused(good: bytes, home: Home) -> None:
    assert home.take_in(edit(good, lambda db: db.execute("UPDATE scripts SET source = 'import os'"))) == REFUSED


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("parameters", '"text"'),
        ("parameters", "[1]"),
        ("parameters", "null"),
        ("target", '{"kind": "file"}'),
        ("target", '{"kind": "file", "size": 1, "modified_ns": "soon"}'),
        ("target", '{"kind": "file", "size": 1, "modified_ns": 1e300}'),
    ],
)
def test_an_action_that_cannot_be_displayed_is_refused(good: bytes, home: Home, field: str, value: str) -> None:
    call = '{"connection": "table:expenses", "tool": "append", "parameters": {}}'
    statement = "UPDATE requests SET call = json_set(?, ?, json(?))"
    assert home.take_in(edit(good, lambda db: db.execute(statement, (call, f"$.{field}", value)))) == REFUSED


def test_every_column_of_every_table_has_a_rule() -> None:
    every_column_has_a_rule()


@pytest.mark.parametrize("part", range(4))
def test_every_modified_export_is_refused_or_works(good: bytes, home: Home, part: int) -> None:
    outcomes = {home.take_in(tamper(good, number)) for number in range(part, NUMBER, 4)}
    assert outcomes == {REFUSED, TAKEN}
