"""A table in a CSV file: rows are added once per key and whole, whoever is killed at whatever moment."""

import csv
import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.table import csv_text
from scheduler.connections.connectors.table.csv_text import Dialect, Header
from scheduler.connections.connectors.table.ledger import Ledger, open_ledger
from scheduler.connections.connectors.table.rows import arrange
from scheduler.connections.connectors.table.writing import (
    Version,
    append_bytes,
    beside,
    changed_while_added,
    replace_content,
    require,
    settle,
)
from scheduler.connections.disk import explained, open_without_waiting
from scheduler.connections.locks import locked
from scheduler.connections.mistakes import wrong
from scheduler.rules.failures import FailureClass

_MARK = "\ufeff".encode()


def append(path: Path, rows: Sequence[Any], key: str, seconds: float) -> Any:
    """Add the rows at the end, or answer as before if that key has been here."""
    with _at_rest(path, seconds) as (place, ledger):
        known = ledger.state(key)
        if known is not None and known[0] == "unknown":  # whoever asks again was told that the rows are not there
            ledger.forget(key)
            known = None
        return known[1] if known else _add(place, rows, key, ledger)


def check(path: Path, key: str, seconds: float) -> Checked:
    """Whether the rows with that key are or were in the table."""
    place = path.resolve()
    if place.exists() and not beside(place, "ledger").exists():
        raise ToolFailedError.because(
            FailureClass.UNSURE,
            f"What Dayhand noted about {place} is gone, so it cannot tell. Look whether the rows are in it.",
        )
    with _at_rest(path, seconds) as (place, ledger):
        return _known(place, ledger, key)


def read(path: Path, where: Mapping[str, Any], limit: int, seconds: float) -> list[dict[str, str]]:
    """The first rows whose cells are what `where` says."""
    place = path.resolve()
    with explained(str(place)), ExitStack() as held:
        place.stat()
        try:
            held.enter_context(locked(beside(place, "lock"), seconds, str(place)))
        except OSError as error:
            if not isinstance(error, PermissionError) and error.errno != errno.EROFS:
                raise  # where no lock can be made, nobody adds rows either
        else:
            if beside(place, "ledger").exists():
                settle(place, held.enter_context(open_ledger(beside(place, "ledger"))))
        return _find(held.enter_context(_lines(place)), where, limit)


def _find(lines: Iterator[str], where: Mapping[str, Any], limit: int) -> list[dict[str, str]]:
    header, rest = csv_text.read_header(lines)
    columns = header.columns if header else []
    for name in where:
        if name not in columns:
            raise wrong(f'The table has no column "{name}". It has: {", ".join(columns) or "none"}.')
    wanted = {name: csv_text.cell(value) for name, value in where.items()}
    found: list[dict[str, str]] = []
    for values in csv_text.records(rest, header.dialect) if header else ():
        if len(found) == limit:
            break
        row = csv_text.as_object(columns, values)
        if all(row[name] == text for name, text in wanted.items()):
            found.append(row)
    return found


@contextmanager
def _at_rest(path: Path, seconds: float) -> Iterator[tuple[Path, Ledger]]:
    """The file with its ledger: nobody else adds rows, and none are half added."""
    place = path.resolve()  # two names of one file share its lock
    with (
        explained(str(place)),
        locked(beside(place, "lock"), seconds, str(place)),
        open_ledger(beside(place, "ledger")) as ledger,
    ):
        settle(place, ledger)
        yield place, ledger


def _known(place: Path, ledger: Ledger, key: str) -> Checked:
    known = ledger.state(key)
    if known is not None and known[0] == "unknown":
        raise changed_while_added(place)
    return Checked(happened=known is not None, result=known[1] if known else None)


def _add(place: Path, rows: Sequence[Any], key: str, ledger: Ledger) -> dict[str, int]:
    seen = Version.of(place)
    header = _header(place)
    before, dialect = (header.columns, header.dialect) if header else ([], Dialect())
    columns, values = arrange(rows, before)
    added = "".join(csv_text.line(row, dialect) for row in values)
    result = {"added": len(rows)}
    try:
        if header is None:
            named = csv_text.line(columns, dialect) if columns else ""
            append_bytes(place, (named + added).encode(), key, result, ledger, seen)
        elif len(columns) == len(before):
            append_bytes(place, _line_end(place, dialect) + added.encode(), key, result, ledger, seen)
        else:
            content = _widened(place, header, columns, seen) + added.encode()
            replace_content(place, content, key, result, ledger, seen)
    except UnicodeEncodeError as error:
        raise wrong('"rows" holds characters that cannot be written as UTF-8.') from error
    return result


def _header(place: Path) -> Header | None:
    try:
        with _lines(place) as lines:
            return csv_text.read_header(lines)[0]
    except FileNotFoundError:
        return None


def _line_end(place: Path, dialect: Dialect) -> bytes:
    """What a last line lacks that an editor left without its end."""
    with place.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return b"" if file.read() in b"\r\n" else dialect.newline.encode()


def _widened(place: Path, header: Header, columns: Sequence[str], seen: Version | None) -> bytes:
    """The whole file with more columns, their cells empty."""
    rows = [csv_text.line(columns, header.dialect)]
    with _lines(place) as lines:
        for values in csv_text.records(csv_text.read_header(lines)[1], header.dialect):
            if len(values) > len(header.columns):
                require(place, seen)  # else these are other columns
                raise wrong(
                    f"A row of {place} has more cells than there are columns ({', '.join(values)}), so no column "
                    "can be added. Put that row right first."
                )
            rows.append(csv_text.line([*values, *[""] * (len(columns) - len(values))], header.dialect))
    with place.open("rb") as file:
        mark = _MARK if file.read(len(_MARK)) == _MARK else b""
    return mark + "".join(rows).encode()


@contextmanager
def _lines(place: Path) -> Iterator[Iterator[str]]:
    """The lines of the file with their ends; what cannot be read as CSV is a mistake."""
    try:
        with open(place, encoding="utf-8-sig", newline="", opener=open_without_waiting) as file:
            yield iter(file)
    except UnicodeDecodeError as error:
        raise wrong(f"{place} is not UTF-8 text. Save it as CSV in UTF-8.") from error
    except csv.Error as error:
        raise wrong(f"{place} is not a CSV file ({error}).") from error
