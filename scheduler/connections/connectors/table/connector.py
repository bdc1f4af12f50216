"""A table of this computer, in a CSV or SQLite file: add rows, once per key, and read them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from scheduler.connections.connector import (
    Call,
    Checked,
    Connector,
    Field,
    FieldKind,
    Parameter,
    ParameterKind,
    Tool,
    ToolFailedError,
)
from scheduler.connections.connectors.table import csv_table, sqlite_table
from scheduler.connections.disk import explained
from scheduler.connections.mistakes import wrong
from scheduler.rules.failures import FailureClass

_SQLITE = (".sqlite", ".sqlite3", ".db")
_MOST = 1000


def _place(call: Call) -> Path:
    try:
        return Path(call.settings["path"]).expanduser()
    except RuntimeError as error:
        raise wrong(f"{call.settings['path']} is below a home that is not there.") from error


def _table(call: Call) -> str:
    name: str = call.settings.get("table") or "rows"
    if name.lower() == "dayhand_keys" or name.lower().startswith("sqlite_"):
        raise wrong(f"The table {name} is not for rows. Choose another name.")
    return name


def _by_kind(call: Call, of_csv: Callable[[Path], Any], of_sqlite: Callable[[Path], Any]) -> Any:
    place = _place(call)
    with explained(str(place)):
        if not place.parent.is_dir():
            raise wrong(f"The folder {place.parent} is not there. Make it, or choose another file.")
        if place.exists() and not place.is_file():
            raise wrong(f"{place} is not a file. Choose another one.")
        if place.suffix.lower() == ".csv":
            return of_csv(place)
        if place.suffix.lower() in _SQLITE:
            return of_sqlite(place)
    raise wrong(f"{place} is not a table. Choose a file that ends in .csv, {', '.join(_SQLITE)}.")


def _append(call: Call) -> Any:
    rows, key, seconds = call.parameters["rows"], call.key, call.seconds
    if not key:
        raise ToolFailedError.because(FailureClass.INTERNAL, "Rows came without a key that tells them from others.")
    return _by_kind(
        call,
        lambda place: csv_table.append(place, rows, key, seconds),
        lambda place: sqlite_table.append(place, _table(call), rows, key, seconds),
    )


def _check(call: Call) -> Checked:
    checked: Checked = _by_kind(
        call,
        lambda place: csv_table.check(place, call.key, call.seconds),
        lambda place: sqlite_table.check(place, call.key, call.seconds),
    )
    return checked


def _read(call: Call, most: int = _MOST) -> Any:
    where = call.parameters.get("where") or {}
    given = call.parameters.get("limit")
    limit = most if given is None else given
    if limit < 0:
        raise wrong('"limit" takes a number from 0 on.')
    return _by_kind(
        call,
        lambda place: csv_table.read(place, where, limit, call.seconds),
        lambda place: sqlite_table.read(place, _table(call), where, limit, call.seconds),
    )


def _test(call: Call) -> str:
    place = _place(call)
    if not _by_kind(call, Path.exists, Path.exists):
        return f"{place} will be made when the first row is added."
    _read(call, 1)
    return f"{place} can be read."


table = Connector(
    kind="table",
    title="Table",
    help="Adds rows to a CSV or SQLite file of this computer, and reads them.",
    fields=(
        Field(
            name="path",
            label="File",
            help="A file that ends in .csv, .sqlite, .sqlite3 or .db; made if it is not there.",
            kind=FieldKind.PATH,
        ),
        Field(name="table", label="Table", help="Which table of a SQLite file.", required=False, default="rows"),
    ),
    tools=(
        Tool(
            # apply_window stays as it is: the file may be on a disk in the network, which may act late.
            name="append",
            may="add rows to {name}",
            help="Add rows at the end, once. Names that are new become new columns.",
            parameters={
                "rows": Parameter(
                    ParameterKind.LIST, help="Objects by column, or lists of values in the order of the columns."
                )
            },
            run=_append,
            mutating=True,
            check=_check,
        ),
        Tool(
            name="read",
            may="read the rows of {name}",
            help="The first rows, as objects by column. What comes from CSV is text.",
            parameters={
                "limit": Parameter(ParameterKind.WHOLE, required=False, help="How many at most; 1000 if not given."),
                "where": Parameter(
                    ParameterKind.OBJECT, required=False, help='Only rows with these values, such as {"day": "Monday"}.'
                ),
            },
            run=_read,
        ),
    ),
    test=_test,
)
