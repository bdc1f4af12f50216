"""CSV as text: what is written is read again, and files of others are written on in their own way."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.connections.connectors.table.csv_text import Dialect, Header, as_object, cell, line, read_header, records

texts = st.text(st.characters(codec="utf-8") | st.sampled_from(',;\t"\r\n\0 \ufeff='))
dialects = st.builds(Dialect, st.sampled_from(",;\t"), st.sampled_from(["\n", "\r\n"]))


def lines_of(text: str) -> Any:
    return iter(io.StringIO(text, newline=""))


@settings(deadline=None)
@given(rows=st.lists(st.lists(texts, min_size=1), min_size=1), dialect=dialects)
def test_what_is_written_is_read_again(rows: list[list[str]], dialect: Dialect) -> None:
    text = "".join(line(row, dialect) for row in rows)
    assert list(records(lines_of(text), dialect)) == rows


@settings(deadline=None)
@given(columns=st.lists(texts, min_size=1), row=st.lists(texts, min_size=1), dialect=dialects)
def test_a_header_of_ours_says_how_the_file_is_written(columns: list[str], row: list[str], dialect: Dialect) -> None:
    header, rest = read_header(lines_of(line(columns, dialect) + line(row, dialect)))
    assert header is not None
    assert header.columns == columns
    assert header.dialect.newline == dialect.newline
    if len(columns) > 1:
        assert header.dialect == dialect
        assert list(records(rest, header.dialect)) == [row]


@settings(deadline=None)
@given(rows=st.lists(st.lists(texts, min_size=1), min_size=1))
def test_other_programs_read_the_same(rows: list[list[str]]) -> None:
    """The reader of the standard library, set as strictly as it can be."""
    text = "".join(line(row, Dialect()) for row in rows)
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
def test_headers_of_others(text: str, columns: list[str], delimiter: str, newline: str) -> None:
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
def test_values_become_texts_as_they_are(value: Any, text: str) -> None:
    assert cell(value) == text


def test_a_very_large_cell_can_be_read() -> None:
    large = "x" * 1_000_000
    assert list(records(lines_of(line([large, "a"], Dialect())), Dialect())) == [[large, "a"]]


def test_rows_that_are_too_short_or_too_long() -> None:
    assert as_object(["a", "b"], ["1"]) == {"a": "1", "b": ""}
    assert as_object(["a", "b"], ["1", "2", "3"]) == {"a": "1", "b": "2"}
    assert list(as_object(["b", "a"], [])) == ["b", "a"]
    assert as_object(["a", "a"], ["1", "2"]) == {"a": "1"}
