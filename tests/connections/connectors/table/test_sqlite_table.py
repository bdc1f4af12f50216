"""SQLite tables: existing tables are used as they are, and rows and key are written together."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connectors.table import sqlite_errors
from scheduler.rules.failures import FailureClass
from tests.connections.connectors.table.table_tools import append, check, read, refused


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "100% t?#.sqlite"


def run(path: Path, *statements: str) -> list[Any]:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        return [db.execute(statement).fetchall() for statement in statements][-1]


def test_values_keep_their_type(path: Path) -> None:
    row = {"text": "é", "whole": 3, "number": 1.5, "none": None, "large": 2**70, "list": [1, "x"], "flag": True}
    append(path, [row])
    assert read(path) == [{**row, "large": str(2**70), "list": '[1, "x"]', "flag": 1}]


def test_values_that_json_cannot_represent_are_read_as_text(path: Path) -> None:
    run(path, "CREATE TABLE rows (a, b)", "INSERT INTO rows VALUES (x'ff00', 9e999)")
    assert read(path) == [{"a": "/wA=", "b": "inf"}]


def test_an_existing_table_keeps_its_defaults_and_keys(path: Path) -> None:
    run(path, "CREATE TABLE Costs (id INTEGER PRIMARY KEY, what TEXT NOT NULL, paid INTEGER DEFAULT 0)")
    append(path, [{"WHAT": "tea"}, [None, "milk", 1], {"what": "rice", "note": "new"}], table="Costs")
    assert read(path, table="Costs") == [
        {"id": 1, "what": "tea", "paid": 0, "note": None},
        {"id": 2, "what": "milk", "paid": 1, "note": None},
        {"id": 3, "what": "rice", "paid": 0, "note": "new"},
    ]
    assert read(path, table="Costs", where={"What": "milk"})[0]["id"] == 2
    assert read(path, table="Costs", where={"note": None}, limit=1)[0]["id"] == 1


def test_a_refused_row_rolls_back_the_others(path: Path) -> None:
    run(path, "CREATE TABLE rows (a INTEGER PRIMARY KEY)")
    assert "UNIQUE" in refused(FailureClass.LOGIC, append, path, [{"a": 1}, {"a": 1}, {"b": 1}])
    assert read(path) == []
    assert not check(path).happened
    assert run(path, "SELECT count(*) FROM pragma_table_info('rows')") == [(1,)]


def test_a_row_that_names_a_column_twice_is_refused(path: Path) -> None:
    assert "twice" in refused(FailureClass.LOGIC, append, path, [{"a": 1, "A": 2}])


def test_an_empty_row_gets_the_defaults(path: Path) -> None:
    run(path, "CREATE TABLE rows (a DEFAULT 7)")
    append(path, [{}])
    assert read(path) == [{"a": 7}]


def test_a_key_applies_to_all_tables_of_a_file(path: Path) -> None:
    append(path, [{"a": 1}], "1", table="one")
    append(path, [{"a": 1}], "2", table="two")
    assert check(path, "1", table="two").happened
    assert len(read(path, table="two")) == 1


@pytest.mark.parametrize("name", ["dayhand_keys", "Dayhand_Keys", "sqlite_master", "sqlite_x"])
def test_reserved_table_names_are_refused(path: Path, name: str) -> None:
    assert "is reserved" in refused(FailureClass.LOGIC, append, path, [{"a": 1}], table=name)
    assert "is reserved" in refused(FailureClass.LOGIC, read, path, table=name)


@pytest.mark.parametrize("name", ['we"ird', "select", "a;b", "é x"])
def test_tables_and_columns_may_have_any_name(path: Path, name: str) -> None:
    append(path, [{name: 1}], table=name)
    assert read(path, table=name, where={name: 1}) == [{name: 1}]


def test_names_that_sqlite_does_not_support_are_refused(path: Path) -> None:
    assert "does not support" in refused(FailureClass.LOGIC, append, path, [{"a\0b": 1}])


def test_a_missing_table_has_no_rows(path: Path) -> None:
    append(path, [{"a": 1}])
    assert read(path, table="other") == []
    run(path, "DROP TABLE dayhand_keys")
    assert not check(path).happened


@pytest.mark.parametrize(
    ("code", "certain", "if_perhaps_done"),
    [
        (sqlite3.SQLITE_BUSY, FailureClass.TRANSIENT, FailureClass.TRANSIENT),
        (sqlite3.SQLITE_FULL, FailureClass.TRANSIENT, FailureClass.TRANSIENT),
        (sqlite3.SQLITE_IOERR_FSYNC, FailureClass.TRANSIENT, FailureClass.UNSURE),
        (sqlite3.SQLITE_READONLY, FailureClass.PERMISSION, FailureClass.PERMISSION),
        (sqlite3.SQLITE_CANTOPEN, FailureClass.PERMISSION, FailureClass.PERMISSION),
        (sqlite3.SQLITE_CORRUPT, FailureClass.LOGIC, FailureClass.LOGIC),
        (sqlite3.SQLITE_CONSTRAINT, FailureClass.LOGIC, FailureClass.LOGIC),
    ],
)
def test_the_failure_class_of_an_error(code: int, certain: FailureClass, if_perhaps_done: FailureClass) -> None:
    error = sqlite3.OperationalError("x")
    error.sqlite_errorcode = code
    explain = sqlite_errors.explain_database
    assert explain(error, Path("t")).failure.kind is certain
    assert explain(error, Path("t"), perhaps_done=True).failure.kind is if_perhaps_done
