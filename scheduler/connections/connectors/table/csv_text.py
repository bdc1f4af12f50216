"""CSV as text: cells, lines and records. What is written here is read back unchanged."""

import csv
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

csv.field_size_limit(sys.maxsize)  # global: a cell over 128 KB must not make a file unreadable

_DELIMITERS = ",;\t"
_QUOTED_CELL = re.compile(rf'(^|[{_DELIMITERS}])"(?:[^"]|"")*"')
_QUOTED = frozenset(f'{_DELIMITERS}"\r\n\ufeff')


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a file separates cells and ends lines; the defaults are for new files."""

    delimiter: str = ","
    newline: str = "\n"


@dataclass(frozen=True, slots=True)
class Header:
    columns: list[str]
    dialect: Dialect


def format_cell(value: Any) -> str:
    """A JSON value as the text of a cell."""
    match value:
        case None:
            return ""
        case str():
            return value
        case bool() | dict() | list() | tuple():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)


def format_line(values: Iterable[Any], dialect: Dialect) -> str:
    cells = [_quote(format_cell(value)) for value in values]
    # A single empty cell would be an empty line, which readers skip.
    return (dialect.delimiter.join(cells) or '""') + dialect.newline


def _quote(text: str) -> str:
    if not _QUOTED.isdisjoint(text) or text.strip() != text:
        return '"' + text.replace('"', '""') + '"'
    return text


def read_header(lines: Iterator[str]) -> tuple[Header | None, Iterator[str]]:
    """The header with its dialect, and the remaining lines; lines keep their ends."""
    first = next((text for text in lines if text.strip("\r\n")), None)
    if first is None:
        return None, lines
    taken = [first]
    while sum(text.count('"') for text in taken) % 2 and (more := next(lines, None)) is not None:
        taken.append(more)
    bare = _QUOTED_CELL.sub(r"\1", "".join(taken))
    delimiter = max(_DELIMITERS, key=bare.count)
    reader = csv.reader(taken, delimiter=delimiter)
    columns = next(reader)
    last = taken[reader.line_num - 1]
    ending = last[len(last.rstrip("\r\n")) :]
    return Header(columns, Dialect(delimiter, ending or Dialect().newline)), chain(taken[reader.line_num :], lines)


def parse_records(lines: Iterable[str], dialect: Dialect) -> Iterator[list[str]]:
    """The records in the lines, which keep their ends; empty lines are skipped."""
    return filter(None, csv.reader(lines, delimiter=dialect.delimiter))


def record_to_object(columns: Sequence[str], values: Sequence[str]) -> dict[str, str]:
    """A record by column; missing cells are empty, and the first of two columns with the same name counts."""
    row: dict[str, str] = {}
    for column, text in zip_longest(columns, values[: len(columns)], fillvalue=""):
        row.setdefault(column, text)
    return row
