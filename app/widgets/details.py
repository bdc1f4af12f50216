"""Data of a call as a person reads it: pairs, tables and texts instead of JSON. Pure; nothing is left out.

What is made for a card is bounded whatever the data: at most MAX_PAIRS pairs and MAX_SECTIONS sections; cells of tables
are written when they are shown.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, overload

from PySide6.QtCore import QCoreApplication

from app.look.theme import Tone
from app.widgets.value_labels import Path, is_cut, make_labels
from app.widgets.value_text import say_line, say_value, write_json
from app.words.times import say_number

MAX_PAIRS = 30
MAX_SECTIONS = 8
MAX_COLUMNS = 40
MAX_CELL = 200
"""Characters of one cell; the rest is behind Show all."""
_MAX_ROWS_WITH_COLUMNS = 50_000
"""Rows that are looked through for their columns; more are shown one below the other as they are written."""
_LONG = 120
_DEEPEST = 3
_MAX_INSIDE = 12
_SAMPLE = 100
translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Without columns it is a plain list."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    numeric: frozenset[int] = frozenset()
    """Columns that hold nothing but numbers."""
    whole: Callable[[int], str] | None = field(default=None, compare=False)
    """All of a row, exactly, where cells may be cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """As it was given; whoever shows it writes out what is hidden in it."""

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
    tone: Tone | None = None
    """Of what must not be overlooked."""
    whole: Callable[[], str] | None = field(default=None, compare=False)
    """All of it, exactly, where the body says less."""


class Rows(Sequence[tuple[str, ...]]):
    """Rows of cells that are written when somebody looks at them."""

    def __init__(self, source: Sequence[Any], write: Callable[[Any], tuple[str, ...]]) -> None:
        self._source = source
        self._row = lru_cache(maxsize=64)(lambda place: write(source[place]))

    def __len__(self) -> int:
        return len(self._source)

    @overload
    def __getitem__(self, place: int) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[tuple[str, ...]]: ...
    def __getitem__(self, place: int | slice) -> tuple[str, ...] | Sequence[tuple[str, ...]]:
        if isinstance(place, slice):
            return [self._row(one) for one in range(len(self))[place]]
        return self._row(range(len(self))[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(tuple.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]


def read_details(
    value: Any, words: Mapping[str, str] | None = None, taken: Collection[str] = ()
) -> tuple[Section, ...]:
    """Short values as pairs first, then every list and every long text under its own title.

    `words` are labels for keys at the top, `taken` those that something else on the same card has.
    """
    if not isinstance(value, dict):
        return (Section(title="", body=_read_body(value)),)
    if len(value) > MAX_PAIRS:
        return (Section(title=_count(translate("details", "Values"), len(value)), body=_list_values(value)),)
    paths, values = _flatten(value)
    labels = make_labels(paths, words or {}, taken)
    short = [(label, say_value(one)) for label, one in zip(labels, values, strict=True) if _is_short(one)]
    long = [(label, one) for label, one in zip(labels, values, strict=True) if not _is_short(one)]
    whole = (lambda: write_json(value)) if any(map(is_cut, paths)) else None
    return (
        *_show_pairs(short, whole),
        *(Section(title=_title(label, one), body=_read_body(one), whole=whole) for label, one in long[:MAX_SECTIONS]),
        *_show_rest(long[MAX_SECTIONS:]),
    )


def _show_pairs(pairs: Sequence[tuple[str, str]], whole: Callable[[], str] | None) -> Iterator[Section]:
    if len(pairs) > MAX_PAIRS:
        yield Section(title=_count(translate("details", "Values"), len(pairs)), body=_list_values(dict(pairs)))
    elif pairs:
        yield Section(title="", body=Pairs(pairs=tuple(pairs)), whole=whole)


def _show_rest(pairs: Sequence[tuple[str, Any]]) -> Iterator[Section]:
    if pairs:
        yield Section(title=_count(translate("details", "More values"), len(pairs)), body=_list_values(dict(pairs)))


def _list_values(values: Mapping[str, Any]) -> Table:
    keys = list(values)
    return Table(
        columns=(translate("details", "Name"), translate("details", "Value")),
        rows=Rows(keys, lambda key: (say_line(key, MAX_CELL), say_line(values[key], MAX_CELL))),
        whole=lambda place: write_json({keys[place]: values[keys[place]]}),
    )


def _title(label: str, value: Any) -> str:
    """A long table scrolls, so its title says how many rows there are."""
    return _count(label, len(value)) if isinstance(value, list | tuple | dict) else label


def _count(label: str, number: int) -> str:
    return f"{label} ({say_number(number)})"


def _flatten(value: Mapping[str, Any]) -> tuple[list[Path], list[Any]]:
    """What is inside small objects gets its way as its label; what is deeper stays together."""
    paths: list[Path] = []
    values: list[Any] = []

    def visit(above: Path, inner: Mapping[str, Any]) -> None:
        for key, one in inner.items():
            path = (*above, str(key))
            if isinstance(one, dict) and 0 < len(one) <= _MAX_INSIDE and len(path) < _DEEPEST:
                visit(path, one)
            else:
                paths.append(path)
                values.append(one)

    visit((), value)
    return paths, values


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONG and "\n" not in value
    return not (isinstance(value, dict | list | tuple) and value)


def _read_body(value: Any) -> Table | Prose:
    if isinstance(value, str) and not value.isspace():
        return Prose(text=value or say_value(value))
    if isinstance(value, dict) and value:
        return _list_values(value) if len(value) > _MAX_INSIDE else Prose(text=write_json(value), is_code=True)
    if not (isinstance(value, list | tuple) and value):
        return Prose(text=say_value(value))
    return _tabulate(value) if len(value) <= _MAX_ROWS_WITH_COLUMNS else _list_items(value)


def _tabulate(rows: Sequence[Any]) -> Table:
    """A column for every key that occurs, in the order in which they do, if there are not too many."""
    if all(isinstance(row, dict) for row in rows):
        keys = _find_keys(rows)
        if 0 < len(keys) <= MAX_COLUMNS:
            return _make_columns(rows, keys)
    elif all(isinstance(row, list | tuple) for row in rows):
        width = max(map(len, rows))
        if width <= MAX_COLUMNS:
            return Table(columns=(), rows=Rows(rows, lambda row: _fill(row, width)), whole=_write_row(rows))
    return _list_items(rows)


def _make_columns(rows: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> Table:
    def write(row: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(say_line(row[key], MAX_CELL) if key in row else "" for key in keys)

    numeric = frozenset(
        place
        for place, key in enumerate(keys)
        if all(isinstance(row[key], int | float) and not isinstance(row[key], bool) for row in _having(key, rows))
    )
    labels = make_labels([(key,) for key in keys], {})
    return Table(columns=tuple(labels), rows=Rows(rows, write), numeric=numeric, whole=_write_row(rows))


def _having(key: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    return (row for row in rows[:_SAMPLE] if key in row)


def _find_keys(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """At most one more than there may be columns."""
    keys: dict[str, None] = {}
    for row in rows:
        keys.update(dict.fromkeys(row))
        if len(keys) > MAX_COLUMNS:
            break
    return list(keys)[: MAX_COLUMNS + 1]


def _fill(row: Sequence[Any], width: int) -> tuple[str, ...]:
    return (*(say_line(one, MAX_CELL) for one in row), *("",) * (width - len(row)))


def _list_items(items: Sequence[Any]) -> Table:
    return Table(columns=(), rows=Rows(items, lambda one: (say_line(one, MAX_CELL),)), whole=_write_row(items))


def _write_row(rows: Sequence[Any]) -> Callable[[int], str]:
    return lambda place: rows[place] if isinstance(rows[place], str) else write_json(rows[place])
