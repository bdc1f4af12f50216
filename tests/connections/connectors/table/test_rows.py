"""Rows with other names each would make a table as wide as it is long, and fill the memory on the way."""

import tracemalloc
from pathlib import Path

import pytest

from scheduler.connections.connectors.table.rows import MOST_COLUMNS
from scheduler.rules.failures import FailureClass
from tests.connections.connectors.table.tables import append, read, refused


@pytest.fixture(params=["t.csv", "t.sqlite"])
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return tmp_path / str(request.param)


def test_rows_with_other_names_each_are_refused_and_change_nothing(path: Path) -> None:
    append(path, [{"a": 1}], "first")
    rows = [{f"k{n}": n} for n in range(20_000)]
    sentence = refused(FailureClass.LOGIC, append, path, rows, "second")
    assert sentence == "The rows would give the table more than 1,000 columns. Use the same names in each row."
    assert [list(row) for row in read(path)] == [["a"]]


def test_many_rows_below_many_columns_take_no_memory_for_their_empty_cells(path: Path) -> None:
    rows = [{f"k{n % MOST_COLUMNS}": n} for n in range(4_000)]
    tracemalloc.start()
    append(path, rows, "first")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000 * MOST_COLUMNS * 8, "a list of all cells alone would take as much"


def test_a_table_that_is_wider_already_takes_rows_that_add_no_column(path: Path) -> None:
    if path.suffix == ".csv":
        path.write_text(",".join(f"c{n}" for n in range(MOST_COLUMNS + 5)) + "\n")
        append(path, [{"c7": "x"}], "first")
        assert read(path)[0]["c7"] == "x"
