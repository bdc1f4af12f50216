"""Arranges the rows of a script, objects or lists, by the columns of a table."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from scheduler.connections.errors import logic_failure
from scheduler.user_text import UserText

MAX_COLUMNS = 1_000
"""How many columns rows may create: each row gets a cell for each of them."""


def arrange_rows(
    rows: Sequence[Any], columns: Sequence[str], fold: Callable[[str], str] = str
) -> tuple[list[str], Iterator[list[Any]]]:
    """The columns including new ones, and the values of each row in that order.

    Names that `fold` makes equal are one column. A list is taken cell by cell and adds no columns.
    """
    places: dict[str, int] = {}
    for place, column in enumerate(columns):
        places.setdefault(fold(column), place)
    all_columns = list(columns)
    validate_rows(rows)
    for row in rows:
        for name in row if isinstance(row, dict) else ():
            if fold(name) not in places:
                places[fold(name)] = len(all_columns)
                all_columns.append(name)
                if len(all_columns) > MAX_COLUMNS:
                    raise logic_failure(
                        UserText(
                            "The table would get more than {max_columns} columns. Use the same names in each row.",
                            max_columns=f"{MAX_COLUMNS:,}",
                        )
                    )
    if rows and not all_columns:
        raise logic_failure(
            UserText("The table has no columns yet. Give the first rows as objects; their names become the columns.")
        )
    return all_columns, (_values(row, all_columns, places, fold) for row in rows)


def validate_rows(rows: Sequence[Any]) -> None:
    """Refuse what cannot be a row of any table."""
    if not all(isinstance(row, dict | list | tuple) for row in rows):
        raise logic_failure(
            UserText('Each of the "rows" must be an object such as {"day": "Monday"} or a list of values.')
        )


def _values(row: Any, columns: list[str], places: dict[str, int], fold: Callable[[str], str]) -> list[Any]:
    if not isinstance(row, dict):
        if len(row) > len(columns):
            raise logic_failure(
                UserText(
                    "A row has {count} values, but the table has {columns} columns.",
                    count=len(row),
                    columns=len(columns),
                )
            )
        return [*row, *[None] * (len(columns) - len(row))]
    values: list[Any] = [None] * len(columns)
    if len({fold(name) for name in row}) < len(row):
        raise logic_failure(UserText("A row names a column twice: {row}.", row=", ".join(row)))
    for name, value in row.items():
        values[places[fold(name)]] = value
    return values
