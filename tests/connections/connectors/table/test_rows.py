"""Rows with many different names are refused: the table would become as wide as it is long."""

import tracemalloc
from pathlib import Path

import pytest

from scheduler.connections.connectors.table.rows import MAX_COLUMNS
from scheduler.rules.failures import FailureClass
from tests.connections.connectors.table.table_tools import append, read, refused


@pytest.fixture(params=["t.csv", "t.sqlite"])
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return tmp_path / str(request.param)


def test_too_many_different_names_are_refused_and_change_nothing(path: Path) -> None:
    append(path, [{"a": 1}], "first")
    rows = [{f"k{n}": n} for n in range(20_000)]
    sentence = refused(FailureClass.LOGIC, append, path, rows, "second")
    assert sentence == "The table would get more than 1,000 columns. Use the same names in each row."
    assert [list(row) for row in read(path)] == [["a"]]


def test_empty_cells_take_no_memory(path: Path) -> None:
    rows = [{f"k{n % MAX_COLUMNS}": n} for n in range(4_000)]
    tracemalloc.start()
    append(path, rows, "first")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000 * MAX_COLUMNS * 8, "a list of all cells alone would take as much"


def test_a_wide_table_accepts_rows_without_new_columns(path: Path) -> None:
    if path.suffix == ".csv":
        path.write_text(",".join(f"c{n}" for n in range(MAX_COLUMNS + 5)) + "\n")
        append(path, [{"c7": "x"}], "first")
        assert read(path)[0]["c7"] == "x"
