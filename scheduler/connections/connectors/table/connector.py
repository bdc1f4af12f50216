"""A table in a CSV or SQLite file: append rows once per key, and read them."""

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
    ToolExample,
    ToolFailedError,
)
from scheduler.connections.connectors.folder import require_valid_names
from scheduler.connections.connectors.table import csv_table, sqlite_table
from scheduler.connections.connectors.table.rows import validate_rows
from scheduler.connections.errors import logic_failure
from scheduler.connections.safe_files import converting_disk_errors
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_SQLITE_SUFFIXES = (".sqlite", ".sqlite3", ".db")
_MAX_ROWS = 1000


def _path(call: Call) -> Path:
    try:
        place = Path(call.settings["path"]).expanduser()
    except RuntimeError as error:
        raise logic_failure(
            UserText("{path} is in a home folder that does not exist.", path=call.settings["path"])
        ) from error
    require_valid_names(name for name in place.relative_to(place.anchor).parts if name != "..")
    return place


def _table(call: Call) -> str:
    name: str = call.settings.get("table") or "rows"
    if name.lower() == "dayhand_keys" or name.lower().startswith("sqlite_"):
        raise logic_failure(UserText("The table name {name} is reserved. Choose another one.", name=name))
    return name


def _has_formulas(call: Call) -> bool:
    return bool(call.settings.get("formulas"))


def _dispatch(call: Call, of_csv: Callable[[Path], Any], of_sqlite: Callable[[Path], Any]) -> Any:
    place = _path(call)
    with converting_disk_errors(str(place)):
        if not place.parent.is_dir():
            raise logic_failure(
                UserText("The folder {parent} does not exist. Create it, or choose another file.", parent=place.parent)
            )
        if place.exists() and not place.is_file():
            raise logic_failure(UserText("{place} is not a file. Choose another one.", place=place))
        if place.suffix.lower() == ".csv":
            return of_csv(place)
        if place.suffix.lower() in _SQLITE_SUFFIXES:
            return of_sqlite(place)
    raise logic_failure(
        UserText(
            "{place} is not a table. Choose a file that ends in .csv, {sqlite_suffixes}.",
            place=place,
            sqlite_suffixes=", ".join(_SQLITE_SUFFIXES),
        )
    )


def _append(call: Call) -> Any:
    rows, key, seconds = call.parameters["rows"], call.key, call.seconds
    if not key:
        raise ToolFailedError.because(FailureClass.INTERNAL, UserText("The rows have no idempotency key."))
    return _dispatch(
        call,
        lambda place: csv_table.append(place, rows, key, seconds, formulas=_has_formulas(call)),
        lambda place: sqlite_table.append(place, _table(call), rows, key, seconds),
    )


def _check(call: Call) -> Checked:
    checked: Checked = _dispatch(
        call,
        lambda place: csv_table.check(place, call.key, call.seconds),
        lambda place: sqlite_table.check(place, call.key, call.seconds),
    )
    return checked


def _read(call: Call, default: int = _MAX_ROWS) -> Any:
    where = call.parameters.get("where") or {}
    given = call.parameters.get("limit")
    limit = default if given is None else given
    if limit < 0:
        raise logic_failure(UserText('"limit" must be 0 or more.'))
    return _dispatch(
        call,
        lambda place: csv_table.read(place, where, limit, call.seconds, formulas=_has_formulas(call)),
        lambda place: sqlite_table.read(place, _table(call), where, limit, call.seconds),
    )


def _test(call: Call) -> str:
    place = _path(call)
    if not _dispatch(call, Path.exists, Path.exists):
        return UserText("{place} will be created when the first row is added.", place=place)
    _read(call, 1)
    return UserText("{place} can be read.", place=place)


table = Connector(
    kind="table",
    title="Table",
    help=UserText("Adds rows to a CSV or SQLite file on this computer, and reads them."),
    fields=(
        Field(
            name="path",
            label="File",
            help="A file that ends in .csv, .sqlite, .sqlite3 or .db; created if it does not exist.",
            kind=FieldKind.PATH,
        ),
        Field(name="table", label="Table", help="Name of the table in a SQLite file.", required=False, default="rows"),
        Field(
            name="formulas",
            label="Formulas",
            help="Let texts that begin with =, +, - or @ be formulas, which a spreadsheet runs when it opens the file.",
            kind=FieldKind.FLAG,
            required=False,
            default=False,
            is_endpoint=False,
        ),
    ),
    tools=(
        Tool(
            # Keeps the default apply_window: the file may be on a network disk, which may act late.
            name="append",
            may=UserText("add rows to {name}"),
            help=UserText("Appends rows; new names become new columns."),
            parameters={
                "rows": Parameter(
                    ParameterKind.LIST,
                    help="Objects by column, or lists of values in the order of the columns.",
                    editable=True,
                )
            },
            example=ToolExample({"rows": [{"day": "Monday", "total": 12.5}]}, {"added": 1}),
            run=_append,
            mutating=True,
            check=_check,
            validate=lambda parameters: validate_rows(parameters["rows"]),
        ),
        Tool(
            name="read",
            may=UserText("read the rows of {name}"),
            help=UserText("Read the first rows as objects by column; values from CSV are text."),
            parameters={
                "limit": Parameter(ParameterKind.WHOLE, required=False, help="Maximum number of rows; default 1000."),
                "where": Parameter(
                    ParameterKind.OBJECT, required=False, help='Only rows with these values, such as {"day": "Monday"}.'
                ),
            },
            example=ToolExample({"where": {"day": "Monday"}}, [{"day": "Monday", "total": "12.5"}]),
            run=_read,
        ),
    ),
    test=_test,
)
