"""Behaviour that CSV and SQLite tables share."""

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.table.connector import table
from scheduler.rules.failures import FailureClass
from tests.connections.connectors.table.table_tools import append, check, read, refused
from tests.connections.tool_calls import call


@pytest.fixture(params=["t.csv", "t.CSV", "t.sqlite", "t.db"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


def texts(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """SQLite keeps numbers and NULL, CSV only texts."""
    return [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows]


def test_rows_are_read_in_order(path: Path) -> None:
    assert append(path, [{"a": "x", "b": 1}, {"b": 2, "a": "y"}], "1") == {"added": 2}
    append(path, [["z", 3]], "2")
    assert texts(read(path)) == [{"a": "x", "b": "1"}, {"a": "y", "b": "2"}, {"a": "z", "b": "3"}]


def test_a_known_key_adds_nothing_and_returns_the_first_result(path: Path) -> None:
    append(path, [{"a": 1}, {"a": 2}], "1")
    assert append(path, [{"a": 3}], "1") == {"added": 2}
    assert len(read(path)) == 2


def test_equal_rows_with_different_keys_are_added(path: Path) -> None:
    for key in "12":
        append(path, [{"a": 1}], key)
    assert len(read(path)) == 2


def test_the_checker_knows_every_key(path: Path) -> None:
    assert check(path, "1") == Checked(happened=False)
    append(path, [{"a": 1}], "1")
    assert check(path, "1") == Checked(happened=True, result={"added": 1})
    assert check(path, "2") == Checked(happened=False)


def test_new_names_become_new_columns(path: Path) -> None:
    append(path, [{"a": "1"}], "1")
    append(path, [{"b": "2"}, {"a": "3", "c": "é,\n"}], "2")
    assert texts(read(path)) == [
        {"a": "1", "b": "", "c": ""},
        {"a": "", "b": "2", "c": ""},
        {"a": "3", "b": "", "c": "é,\n"},
    ]


def test_rows_are_filtered_by_value(path: Path) -> None:
    append(path, [{"day": day, "n": number} for number, day in enumerate(["Mon", "Tue", "Mon", "Mon"])])
    assert texts(read(path, where={"day": "Mon"}, limit=2)) == [{"day": "Mon", "n": "0"}, {"day": "Mon", "n": "2"}]
    assert texts(read(path, where={"day": "Mon", "n": 3})) == [{"day": "Mon", "n": "3"}]
    assert read(path, where={"day": "Sun"}) == []
    assert read(path, limit=0) == []
    assert 'no column "dya". It has: day, n' in refused(FailureClass.LOGIC, read, path, where={"dya": "x"})
    refused(FailureClass.LOGIC, read, path, limit=-1)


def test_a_thousand_rows_are_read_by_default(path: Path) -> None:
    append(path, [{"a": number} for number in range(1001)])
    assert len(read(path)) == 1000
    assert len(read(path, limit=2000)) == 1001


def test_invalid_rows_add_nothing(path: Path) -> None:
    assert "no columns yet" in refused(FailureClass.LOGIC, append, path, [[1]])
    assert "no columns yet" in refused(FailureClass.LOGIC, append, path, [{}])
    append(path, [{"a": 1}], "first")
    assert "must be an object" in refused(FailureClass.LOGIC, append, path, ["x"])
    assert "2 values" in refused(FailureClass.LOGIC, append, path, [{"a": 2}, [1, 2]])
    assert "UTF-8" in refused(FailureClass.LOGIC, append, path, [{"a": 2}, {"a": "\ud800"}])
    assert len(read(path)) == 1
    assert not check(path).happened


def test_an_empty_addition_is_recorded(path: Path) -> None:
    assert append(path, []) == {"added": 0}
    assert check(path).happened


def test_rows_without_a_key_are_an_internal_error(path: Path) -> None:
    refused(FailureClass.INTERNAL, append, path, [{"a": 1}], "")


def test_names_and_values_are_never_code(path: Path) -> None:
    nasty = '"; DROP TABLE rows; --'
    append(path, [{nasty: "=cmd|' /C calc'!A0", "'": "@x"}])
    assert read(path) == [{nasty: "=cmd|' /C calc'!A0", "'": "@x"}]


def test_a_missing_file_or_folder_is_refused(path: Path) -> None:
    for act in (read, check, lambda place: append(place, [{"a": 1}])):
        assert "Create it, or choose another file" in refused(FailureClass.LOGIC, act, path.parent / "gone" / path.name)
    refused(FailureClass.LOGIC, read, path)


def test_a_file_that_is_not_a_table_is_refused(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00 this is neither CSV nor SQLite" * 100)
    before = path.read_bytes()
    refused(FailureClass.LOGIC, append, path, [{"a": 1}])
    refused(FailureClass.LOGIC, read, path)
    assert path.read_bytes() == before


def test_other_file_types_are_refused(tmp_path: Path) -> None:
    assert ".csv, .sqlite" in refused(FailureClass.LOGIC, append, tmp_path / "a.xls", [{"a": 1}])
    with pytest.raises(ToolFailedError, match="not a table"):
        table.test(call({"path": str(tmp_path / "a.xls")}))


ADD = """
import sys
from pathlib import Path
from tests.connections.connectors.table.table_tools import append
for number in range(20):
    row = {"who": sys.argv[2], "n": number}
    append(Path(sys.argv[1]), [row, row], f"{sys.argv[2]}-{number}")
"""


def test_parallel_processes_lose_and_mix_no_rows(path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", ADD, str(path), who]) for who in "ab"]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    rows = [(row["who"], int(row["n"])) for row in read(path)]
    assert sorted(rows) == sorted((who, number) for who in "ab" for number in range(20) for _ in range(2))
    assert rows[::2] == rows[1::2]


def test_parallel_threads_add_a_key_once(path: Path) -> None:
    threads = [threading.Thread(target=append, args=(path, [{"a": "x"}], "same")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts(read(path)) == [{"a": "x"}]


def test_a_locked_table_is_a_transient_error(path: Path) -> None:
    append(path, [{"a": 1}], "1")
    if path.suffix.lower() == ".csv":
        from scheduler.connections.safe_files import locked

        held: Any = locked(path.with_name(f".{path.name}.dayhand-lock"), 1, "it")
    else:
        held = closing(sqlite3.connect(path, isolation_level=None))
    with held as db:
        if db is not None:
            db.execute("BEGIN EXCLUSIVE")
        assert "nothing was done" in refused(FailureClass.TRANSIENT, append, path, [{"a": 2}], "2", 0.05)
    assert not check(path, "2").happened
    append(path, [{"a": 2}], "2")
    assert len(read(path)) == 2


def test_testing_a_connection_reports_the_file(path: Path) -> None:
    settings = {"path": str(path)}
    assert table.test(call(settings)) == f"{path} will be created when the first row is added."
    append(path, [{"a": 1}])
    assert table.test(call(settings)) == f"{path} can be read."
    with pytest.raises(ToolFailedError, match="Create it, or choose another file"):
        table.test(call({"path": str(path.parent / "gone" / path.name)}))


def test_a_tilde_means_the_home_folder(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(path.parent))
    append(Path("~") / path.name, [{"a": 1}])
    assert path.exists()
    assert "does not exist" in refused(
        FailureClass.LOGIC, append, Path("~nobody-has-this-name") / path.name, [{"a": 1}]
    )


def test_adding_rows_needs_no_approval() -> None:
    assert {tool.name: (tool.mutating, tool.acts_on_others) for tool in table.tools} == {
        "append": (True, False),
        "read": (False, False),
    }
