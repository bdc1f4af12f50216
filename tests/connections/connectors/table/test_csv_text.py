"""CSV as text: what is written is read back, and files of other programs keep their dialect."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.connections.connectors.table.csv_text import (
    Dialect,
    Header,
    format_cell,
    format_line,
    parse_records,
    read_header,
    record_to_object,
)

texts = st.text(st.characters(codec="utf-8") | st.sampled_from(',;\t"\r\n\0 \ufeff='))
dialects = st.builds(Dialect, st.sampled_from(",;\t"), st.sampled_from(["\n", "\r\n"]))


def lines_of(text: str) -> Any:
    return iter(io.StringIO(text, newline=""))


@settings(deadline=None)
@given(rows=st.lists(st.lists(texts, min_size=1), min_size=1), dialect=dialects)
def test_written_rows_are_read_back(rows: list[list[str]], dialect: Dialect) -> None:
    text = "".join(format_line(row, dialect) for row in rows)
    assert list(parse_records(lines_of(text), dialect)) == rows


@settings(deadline=None)
@given(columns=st.lists(texts, min_size=1), row=st.lists(texts, min_size=1), dialect=dialects)
def test_the_dialect_is_detected_from_the_header(columns: list[str], row: list[str], dialect: Dialect) -> None:
    header, rest = read_header(lines_of(format_line(columns, dialect) + format_line(row, dialect)))
    assert header is not None
    assert header.columns == columns
    assert header.dialect.newline == dialect.newline
    if len(columns) > 1:
        assert header.dialect == dialect
        assert list(parse_records(rest, header.dialect)) == [row]


@settings(deadline=None)
@given(rows=st.lists(st.lists(texts, min_size=1), min_size=1))
def test_other_programs_read_the_same_rows(rows: list[list[str]]) -> None:
    """The standard library's reader in strict mode."""
    text = "".join(format_line(row, Dialect()) for row in rows)
    assert list(csv.reader(io.StringIO(text, newline=""), strict=True)) == rows


@pytest.mark.parametrize(
    ("text", "columns", "delimiter", "newline"),
    [
        ("a,b\n", ["a", "b"], ",", "\n"),
        ("a;b;c\r\n1;2;3\r\n", ["a", "b", "c"], ";", "\r\n"),
        ("a\tb", ["a", "b"], "\t", "\n"),
        ('"a;b",c\n', ["a;b", "c"], ",", "\n"),
        ('"x\r\ny",z\nmore\r\n', ["x\r\ny", "z"], ",", "\n"),
        ("\r\n\r\na,b\r\n", ["a", "b"], ",", "\r\n"),
        ('5" disk;b\r\n1;"2"\r\n', ['5" disk', "b"], ";", "\r\n"),
        (';","\n', ["", ","], ";", "\n"),
        ("a,b\r1,2\r", ["a", "b"], ",", "\r"),
    ],
)
def test_headers_of_other_programs_are_read(text: str, columns: list[str], delimiter: str, newline: str) -> None:
    assert read_header(lines_of(text))[0] == Header(columns, Dialect(delimiter, newline))


def test_without_a_line_there_is_no_header() -> None:
    assert read_header(lines_of(""))[0] is None
    assert read_header(lines_of("\n\r\n"))[0] is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "true"),
        (3, "3"),
        (1.5, "1.5"),
        (0.1, "0.1"),
        ("=1+1", "=1+1"),
        ("+49 30", "+49 30"),
        (["é", 1], '["é", 1]'),
        ({"a": None}, '{"a": null}'),
    ],
)
def test_values_are_formatted_as_plain_text(value: Any, text: str) -> None:
    assert format_cell(value) == text


def test_a_very_large_cell_can_be_read() -> None:
    large = "x" * 1_000_000
    assert list(parse_records(lines_of(format_line([large, "a"], Dialect())), Dialect())) == [[large, "a"]]


def test_short_and_long_rows_are_tolerated() -> None:
    assert record_to_object(["a", "b"], ["1"]) == {"a": "1", "b": ""}
    assert record_to_object(["a", "b"], ["1", "2", "3"]) == {"a": "1", "b": "2"}
    assert list(record_to_object(["b", "a"], [])) == ["b", "a"]
    assert record_to_object(["a", "a"], ["1", "2"]) == {"a": "1"}
