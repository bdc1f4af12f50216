"""The data of a call as readable sections: pairs, tables and texts instead of JSON. Pure; nothing is left out.

The size is bounded for any data: at most MAX_PAIRS pairs and MAX_SECTIONS sections; cells are formatted on access.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, overload

from PySide6.QtCore import QCoreApplication

from app.i18n.time_text import format_number
from app.theme.tokens import Tone
from app.widgets.value_text import KeyPath, format_json, format_line, format_value, is_truncated, make_labels

MAX_PAIRS = 30
MAX_SECTIONS = 8
MAX_COLUMNS = 40
MAX_CELL_CHARS = 200
"""Characters of one cell; Show all has the rest."""
_MAX_ROWS_WITH_COLUMNS = 50_000
"""Above this many rows the columns are not determined; each row is shown as JSON."""
_MAX_SHORT_CHARS = 120
_MAX_DEPTH = 3
_MAX_NESTED_KEYS = 12
_SAMPLED_ROWS = 100
translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DetailTable:
    """A plain list if it has no columns."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    numeric: frozenset[int] = frozenset()
    """Indexes of columns that hold only numbers."""
    full_row: Callable[[int], str] | None = field(default=None, compare=False)
    """The full text of a row, where cells may be truncated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """Raw text; the view escapes hidden characters."""

    text: str
    is_code: bool = False
    """Shown in a fixed-width font."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDiff:
    """Two versions of a text; only the changes are shown."""

    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DetailSection:
    title: str
    body: Pairs | DetailTable | TextBlock | TextDiff
    tone: Tone | None = None
    """Set on sections that must not be overlooked."""
    full_text: Callable[[], str] | None = field(default=None, compare=False)
    """The full content, where the body is truncated."""


class LazyRows(Sequence[tuple[str, ...]]):
    """Rows whose cells are formatted on access."""

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


def make_sections(
    value: Any, known_labels: Mapping[str, str] | None = None, reserved_labels: Collection[str] = ()
) -> tuple[DetailSection, ...]:
    """Short values as pairs first, then every list and every long text under its own title.

    `known_labels` maps top-level keys to labels; `reserved_labels` are already used on the same card.
    """
    if not isinstance(value, dict):
        return (DetailSection(title="", body=_read_body(value)),)
    if len(value) > MAX_PAIRS:
        return (DetailSection(title=_add_count(translate("details", "Values"), len(value)), body=_list_values(value)),)
    paths, values = flatten_values(value)
    labels = make_labels(paths, known_labels or {}, reserved_labels)
    short = [(label, format_value(one)) for label, one in zip(labels, values, strict=True) if _is_short(one)]
    long = [(label, one) for label, one in zip(labels, values, strict=True) if not _is_short(one)]
    whole = (lambda: format_json(value)) if any(map(is_truncated, paths)) else None
    return (
        *_show_pairs(short, whole),
        *(
            DetailSection(title=_make_title(label, one), body=_read_body(one), full_text=whole)
            for label, one in long[:MAX_SECTIONS]
        ),
        *_list_rest(long[MAX_SECTIONS:]),
    )


def _show_pairs(pairs: Sequence[tuple[str, str]], whole: Callable[[], str] | None) -> Iterator[DetailSection]:
    if len(pairs) > MAX_PAIRS:
        yield DetailSection(
            title=_add_count(translate("details", "Values"), len(pairs)), body=_list_values(dict(pairs))
        )
    elif pairs:
        yield DetailSection(title="", body=Pairs(pairs=tuple(pairs)), full_text=whole)


def _list_rest(pairs: Sequence[tuple[str, Any]]) -> Iterator[DetailSection]:
    if pairs:
        yield DetailSection(
            title=_add_count(translate("details", "More values"), len(pairs)), body=_list_values(dict(pairs))
        )


def _list_values(values: Mapping[str, Any]) -> DetailTable:
    keys = list(values)
    return DetailTable(
        columns=(translate("details", "Name"), translate("details", "Value")),
        rows=LazyRows(keys, lambda key: (format_line(key, MAX_CELL_CHARS), format_line(values[key], MAX_CELL_CHARS))),
        full_row=lambda place: format_json({keys[place]: values[keys[place]]}),
    )


def _make_title(label: str, value: Any) -> str:
    """Titles of lists include the number of items."""
    return _add_count(label, len(value)) if isinstance(value, list | tuple | dict) else label


def _add_count(label: str, number: int) -> str:
    return f"{label} ({format_number(number)})"


def flatten_values(value: Mapping[str, Any]) -> tuple[list[KeyPath], list[Any]]:
    """Paths and values, with small nested objects flattened; deeper ones are kept whole."""
    paths: list[KeyPath] = []
    values: list[Any] = []

    def visit(above: KeyPath, inner: Mapping[str, Any]) -> None:
        for key, one in inner.items():
            path = (*above, str(key))
            if isinstance(one, dict) and 0 < len(one) <= _MAX_NESTED_KEYS and len(path) < _MAX_DEPTH:
                visit(path, one)
            else:
                paths.append(path)
                values.append(one)

    visit((), value)
    return paths, values


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _MAX_SHORT_CHARS and "\n" not in value
    return not (isinstance(value, dict | list | tuple) and value)


def _read_body(value: Any) -> DetailTable | TextBlock:
    if isinstance(value, str) and not value.isspace():
        return TextBlock(text=value or format_value(value))
    if isinstance(value, dict) and value:
        return (
            _list_values(value) if len(value) > _MAX_NESTED_KEYS else TextBlock(text=format_json(value), is_code=True)
        )
    if not (isinstance(value, list | tuple) and value):
        return TextBlock(text=format_value(value))
    return _tabulate(value) if len(value) <= _MAX_ROWS_WITH_COLUMNS else _list_items(value)


def _tabulate(rows: Sequence[Any]) -> DetailTable:
    """A column per key in order of appearance, unless there are too many."""
    if all(isinstance(row, dict) for row in rows):
        keys = _find_keys(rows)
        if 0 < len(keys) <= MAX_COLUMNS:
            return _make_columns(rows, keys)
    elif all(isinstance(row, list | tuple) for row in rows):
        width = max(map(len, rows))
        if width <= MAX_COLUMNS:
            return DetailTable(
                columns=(), rows=LazyRows(rows, lambda row: _pad_row(row, width)), full_row=_row_formatter(rows)
            )
    return _list_items(rows)


def _make_columns(rows: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> DetailTable:
    def write(row: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(format_line(row[key], MAX_CELL_CHARS) if key in row else "" for key in keys)

    numeric = frozenset(
        place
        for place, key in enumerate(keys)
        if all(
            isinstance(row[key], int | float) and not isinstance(row[key], bool) for row in _sample_rows_with(key, rows)
        )
    )
    labels = make_labels([(key,) for key in keys], {})
    return DetailTable(
        columns=tuple(labels), rows=LazyRows(rows, write), numeric=numeric, full_row=_row_formatter(rows)
    )


def _sample_rows_with(key: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    return (row for row in rows[:_SAMPLED_ROWS] if key in row)


def _find_keys(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Stops at one more than MAX_COLUMNS."""
    keys: dict[str, None] = {}
    for row in rows:
        keys.update(dict.fromkeys(row))
        if len(keys) > MAX_COLUMNS:
            break
    return list(keys)[: MAX_COLUMNS + 1]


def _pad_row(row: Sequence[Any], width: int) -> tuple[str, ...]:
    return (*(format_line(one, MAX_CELL_CHARS) for one in row), *("",) * (width - len(row)))


def _list_items(items: Sequence[Any]) -> DetailTable:
    return DetailTable(
        columns=(),
        rows=LazyRows(items, lambda one: (format_line(one, MAX_CELL_CHARS),)),
        full_row=_row_formatter(items),
    )


def _row_formatter(rows: Sequence[Any]) -> Callable[[int], str]:
    return lambda place: rows[place] if isinstance(rows[place], str) else format_json(rows[place])
