"""Texts that a spreadsheet would run as a formula are written as text, unless the connection allows formulas."""

import csv
from pathlib import Path

import pytest

from scheduler.connections.spreadsheet_text import escape_formula, unescape_formula
from tests.connections.connectors.table.table_tools import append, call, read, table, tool_of

DANGEROUS = ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+cmd|x", "\t=1", "\r=1", "\uff1d1+1", "=", "--1a", "+A1"]
HARMLESS = [
    "",
    "Lamp",
    "-12.50",
    "+49 170 1234567",
    "-3",
    "1-2",
    "a=b",
    "'quoted'",
    "it's",
    "- 5",
    "-",
    "+1 (555) 010-99",
]


@pytest.mark.parametrize("text", DANGEROUS)
def test_a_text_that_would_run_is_shown_instead_and_read_back_unchanged(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    append(path, [{"subject": text}])
    append(path, [{"more": "x", "subject": f"'{text}"}], "k2")  # a new column writes the whole file again
    with path.open(encoding="utf-8", newline="") as file:
        cells = [cell for record in csv.reader(file) for cell in record]
    assert cells == ["subject", "more", f"'{text}", "", f"''{text}", "x"]
    assert [row["subject"] for row in read(path)] == [text, f"'{text}"]
    assert [row["subject"] for row in read(path, where={"subject": text})] == [text]


@pytest.mark.parametrize("text", HARMLESS)
def test_other_texts_are_written_as_they_are(text: str) -> None:
    assert escape_formula(text) == text
    assert unescape_formula(text) == text


def test_a_column_whose_name_would_run_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    append(path, [{"=A1": "1"}])
    append(path, [{"=A1": "2"}], "k2")
    assert path.read_text() == "'=A1\n1\n2\n"
    assert read(path) == [{"=A1": "1"}, {"=A1": "2"}]


def test_a_connection_may_allow_formulas(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    settings = {"path": str(path), "formulas": True}
    tool_of(table, "append").run(call(settings, "k", rows=[{"total": "=SUM(A1:A3)", "x": "'=1"}]))
    assert path.read_text() == "total,x\n=SUM(A1:A3),'=1\n"
    assert tool_of(table, "read").run(call(settings)) == [{"total": "=SUM(A1:A3)", "x": "'=1"}]


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    append(path, [{"a": -5, "b": -1.5, "c": None, "d": True}])
    assert path.read_text() == "a,b,c,d\n-5,-1.5,,true\n"
