"""Data of a call as a person reads it: pairs, tables and texts instead of JSON. Pure; nothing is left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.widgets.plain import reveal

_LONG = 120
_NOTHING = "\N{EN DASH}"
_INSIDE = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Without columns it is a plain list."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    """Columns that hold nothing but numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    text: str
    is_code: bool = False
    """Shown as it stands in a script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two versions of a text, of which only the changes are shown."""

    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    title: str
    body: Pairs | Table | Prose | Difference


def read_details(value: Any) -> tuple[Section, ...]:
    """Short values as pairs first, then every list and every long text under its own title."""
    if not isinstance(value, Mapping):
        return (Section(title="", body=_read_body(value)),)
    pairs, sections = [], []
    for key, inner in _flatten(value):
        if _is_short(inner):
            pairs.append((key, say_value(inner)))
        else:
            sections.append(Section(title=key, body=_read_body(inner)))
    first = (Section(title="", body=Pairs(pairs=tuple(pairs))),) if pairs else ()
    return (*first, *sections)


def say_value(value: Any) -> str:
    """One value in a line or a few; what is nested is written out."""
    if value is None:
        return _NOTHING
    if isinstance(value, bool):
        yes, no = QCoreApplication.translate("details", "yes"), QCoreApplication.translate("details", "no")
        return yes if value else no
    if isinstance(value, str):
        return reveal(value) if value else QCoreApplication.translate("details", "(empty)")
    if isinstance(value, Mapping):
        inside = ", ".join(f"{say_key(key)}: {say_value(inner)}" for key, inner in value.items())
        return inside or QCoreApplication.translate("details", "(nothing)")
    if isinstance(value, Sequence):
        return ", ".join(map(say_value, value)) or QCoreApplication.translate("details", "(nothing)")
    return str(value)


def say_key(key: Any) -> str:
    """`Message id` of message_id."""
    words = reveal(str(key)).replace("_", " ").strip()
    return words[:1].upper() + words[1:] or reveal(str(key)) or _NOTHING


def _flatten(value: Mapping[Any, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        name = f"{above}{say_key(key)}"
        if isinstance(inner, Mapping) and inner:
            yield from _flatten(inner, f"{name}{_INSIDE}")
        else:
            yield name, inner


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONG and "\n" not in value
    if isinstance(value, Sequence):
        return not value
    return True


def _read_body(value: Any) -> Pairs | Table | Prose:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return Prose(text=say_value(value))
    if value and all(isinstance(row, Mapping) for row in value):
        return _tabulate(value)
    if value and all(isinstance(row, Sequence) and not isinstance(row, str) for row in value):
        width = max(map(len, value))
        rows = tuple(tuple(map(say_value, row)) + ("",) * (width - len(row)) for row in value)
        return Table(columns=(), rows=rows)
    return Table(columns=(), rows=tuple((say_value(item),) for item in value))


def _tabulate(rows: Sequence[Mapping[Any, Any]]) -> Table:
    """A column for every key that occurs, in the order in which they do."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    numeric = frozenset(
        place
        for place, key in enumerate(keys)
        if all(isinstance(row[key], int | float) and not isinstance(row[key], bool) for row in rows if key in row)
    )
    return Table(
        columns=tuple(map(say_key, keys)),
        rows=tuple(tuple(say_value(row[key]) if key in row else "" for key in keys) for row in rows),
        numeric=numeric,
    )
