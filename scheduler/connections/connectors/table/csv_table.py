"""A table in a CSV file: rows are appended atomically and once per key, even if the process is killed."""

import csv
import errno
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.table import csv_text
from scheduler.connections.connectors.table.csv_text import Dialect, Header
from scheduler.connections.connectors.table.ledger import Ledger, open_ledger
from scheduler.connections.connectors.table.rows import arrange_rows
from scheduler.connections.connectors.table.safe_append import (
    FileVersion,
    append_bytes,
    changed_while_adding_error,
    recover,
    replace_content,
    require_unchanged,
    sidecar_path,
)
from scheduler.connections.errors import logic_failure
from scheduler.connections.safe_files import converting_disk_errors, locked
from scheduler.connections.spreadsheet_text import escape_formula, unescape_formula
from scheduler.file_system import open_no_follow
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_BOM = "\ufeff".encode()


def append(path: Path, rows: Sequence[Any], key: str, seconds: float, *, formulas: bool = False) -> Any:
    """Append the rows, or return the earlier result for a known key.

    Unless `formulas`, texts that a spreadsheet would run are written so that it shows them.
    """
    with _open_table(path, seconds) as (place, ledger):
        known = ledger.find_state(key)
        if known is not None and known[0] == "unknown":  # a retry means that the rows are known to be missing
            ledger.remove(key)
            known = None
        return known[1] if known else _add(place, rows, key, ledger, formulas=formulas)


def check(path: Path, key: str, seconds: float) -> Checked:
    """Whether the rows with that key were added."""
    place = path.resolve()
    if place.exists() and not sidecar_path(place, "ledger").exists():
        raise ToolFailedError.because(
            FailureClass.UNSURE,
            UserText("Dayhand's record of {place} is missing. Check whether the rows are in it.", place=place),
        )
    with _open_table(path, seconds) as (place, ledger):
        return _check_known(place, ledger, key)


def read(
    path: Path, where: Mapping[str, Any], limit: int, seconds: float, *, formulas: bool = False
) -> list[dict[str, str]]:
    """The first rows that match `where`, as they were appended with the same `formulas`."""
    place = path.resolve()
    with converting_disk_errors(str(place)), ExitStack() as held:
        place.stat()
        try:
            held.enter_context(locked(sidecar_path(place, "lock"), seconds, str(place)))
        except OSError as error:
            if not isinstance(error, PermissionError) and error.errno != errno.EROFS:
                raise  # where no lock can be created, no rows can be added either
        else:
            if sidecar_path(place, "ledger").exists():
                recover(place, held.enter_context(open_ledger(sidecar_path(place, "ledger"))))
        return _find(held.enter_context(_lines(place)), where, limit, str if formulas else unescape_formula)


def _find(
    lines: Iterator[str], where: Mapping[str, Any], limit: int, unescape: Callable[[str], str]
) -> list[dict[str, str]]:
    header, rest = csv_text.read_header(lines)
    columns = [unescape(name) for name in header.columns] if header else []
    for name in where:
        if name not in columns:
            raise logic_failure(
                UserText(
                    'The table has no column "{name}". It has: {columns}.',
                    name=name,
                    columns=", ".join(columns) or "none",
                )
            )
    expected = {name: csv_text.format_cell(value) for name, value in where.items()}
    found: list[dict[str, str]] = []
    for values in csv_text.parse_records(rest, header.dialect) if header else ():
        if len(found) == limit:
            break
        row = csv_text.record_to_object(columns, [unescape(text) for text in values])
        if all(row[name] == text for name, text in expected.items()):
            found.append(row)
    return found


@contextmanager
def _open_table(path: Path, seconds: float) -> Iterator[tuple[Path, Ledger]]:
    """The file with its ledger, locked and with interrupted additions resolved."""
    place = path.resolve()  # two names of one file share a lock
    with (
        converting_disk_errors(str(place)),
        locked(sidecar_path(place, "lock"), seconds, str(place)),
        open_ledger(sidecar_path(place, "ledger")) as ledger,
    ):
        recover(place, ledger)
        yield place, ledger


def _check_known(place: Path, ledger: Ledger, key: str) -> Checked:
    known = ledger.find_state(key)
    if known is not None and known[0] == "unknown":
        raise changed_while_adding_error(place)
    return Checked(happened=known is not None, result=known[1] if known else None)


def _add(place: Path, rows: Sequence[Any], key: str, ledger: Ledger, *, formulas: bool) -> dict[str, int]:
    seen = FileVersion.of(place)
    header = _header(place)
    before, dialect = (header.columns, header.dialect) if header else ([], Dialect())
    if not formulas:
        before = [unescape_formula(name) for name in before]
    columns, values = arrange_rows(rows, before)
    if not formulas:
        columns, values = _escape(columns), map(_escape, values)
    added = "".join(csv_text.format_line(row, dialect) for row in values)
    result = {"added": len(rows)}
    try:
        if header is None:
            named = csv_text.format_line(columns, dialect) if columns else ""
            append_bytes(place, (named + added).encode(), key, result, ledger, seen)
        elif len(columns) == len(before):
            append_bytes(place, _line_end(place, dialect) + added.encode(), key, result, ledger, seen)
        else:
            content = _with_columns(place, header, columns, seen) + added.encode()
            replace_content(place, content, key, result, ledger, seen)
    except UnicodeEncodeError as error:
        raise logic_failure(UserText('"rows" contains characters that cannot be encoded as UTF-8.')) from error
    return result


def _escape(values: Iterable[Any]) -> list[Any]:
    return [escape_formula(value) if isinstance(value, str) else value for value in values]


def _header(place: Path) -> Header | None:
    try:
        with _lines(place) as lines:
            return csv_text.read_header(lines)[0]
    except FileNotFoundError:
        return None


def _line_end(place: Path, dialect: Dialect) -> bytes:
    """The newline that the last line lacks, if any."""
    with place.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return b"" if file.read() in b"\r\n" else dialect.newline.encode()


def _with_columns(place: Path, header: Header, columns: Sequence[str], seen: FileVersion | None) -> bytes:
    """The whole file with additional, empty columns."""
    rows = [csv_text.format_line(columns, header.dialect)]
    with _lines(place) as lines:
        for values in csv_text.parse_records(csv_text.read_header(lines)[1], header.dialect):
            if len(values) > len(header.columns):
                require_unchanged(place, seen)  # otherwise these are other columns
                raise logic_failure(
                    UserText(
                        "A row of {place} has more cells than the table has columns ({values}), so no column can "
                        "be added. Correct that row first.",
                        place=place,
                        values=", ".join(values),
                    )
                )
            rows.append(csv_text.format_line([*values, *[""] * (len(columns) - len(values))], header.dialect))
    with place.open("rb") as file:
        bom = _BOM if file.read(len(_BOM)) == _BOM else b""
    return bom + "".join(rows).encode()


@contextmanager
def _lines(place: Path) -> Iterator[Iterator[str]]:
    """The lines of the file with their line ends; a file that is not CSV is refused."""
    try:
        with open(place, encoding="utf-8-sig", newline="", opener=open_no_follow) as file:
            yield iter(file)
    except UnicodeDecodeError as error:
        raise logic_failure(UserText("{place} is not UTF-8 text. Save it as CSV in UTF-8.", place=place)) from error
    except csv.Error as error:
        raise logic_failure(UserText("{place} is not a CSV file ({error}).", place=place, error=error)) from error
