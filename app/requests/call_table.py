"""Calls that differ only in their parameters as a table: a column per parameter, a row per request. Pure.

A row that does not show its whole call is marked, and must be opened before it can be approved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.i18n.connector_labels import parameter_labels
from app.i18n.time_text import format_day_and_time
from app.overview import Overview
from app.requests.presentation import list_action_facts
from app.requests.request_text import describe_target
from app.widgets.details import flatten_values
from app.widgets.server_names import find_look_alikes
from app.widgets.value_text import KeyPath, format_line, is_truncated, make_labels
from app.widgets.visible_text import ELLIPSIS
from scheduler.connections.registry import Registry
from scheduler.engine.queries.requests import RequestView

MAX_COLUMNS = 12
"""Of parameters; a call with others is marked."""
_MAX_TEXT_CHARS = 400
_MAX_VALUE_CHARS = 80
"""Of anything but text: a longer list is read on its card."""
_MAX_SENTENCE_CHARS = 160
_MAX_CHECKED = 20_000
"""Values that are checked for look-alike addresses; a call with more is marked."""
_SEPARATOR = " · "
translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    request: RequestView
    when: str
    cells: tuple[str, ...]
    """One per column of the table; empty where the call has no such parameter."""
    sentence: str
    """What the script says about it, not checked."""
    is_complete: bool
    """Whether the cells show the whole call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTable:
    columns: tuple[str, ...]
    numeric: frozenset[int]
    """Indexes of columns that hold only numbers."""
    rows: tuple[CallRow, ...]


def fixed_heads() -> tuple[str, str, str]:
    """The heads of what is not a parameter; no parameter may look like one."""
    return translate("groups", "Asked"), translate("groups", "The workflow says"), translate("groups", "Result")


def make_call_table(requests: Sequence[RequestView], overview: Overview, places: Sequence[str] = ()) -> CallTable:
    """The calls of one group, in the order of the requests.

    `places`: for each request where it would be done, such as the account, unless that is the same for all.
    """
    whose = [overview.name_of(one.workflow, one.job) for one in requests]
    others = {translate("groups", "Workflow"): whose} if len(set(whose)) > 1 else {}
    if places:
        others[translate("groups", "Where")] = list(places)
    values = [_read_values(one.call["parameters"]) for one in requests]
    paths = list(dict.fromkeys(path for row in values for path in row))[:MAX_COLUMNS]
    targets = [describe_target(one.call.get("target"), overview.zone, overview.now) for one in requests]
    target_label = translate("answers", "Currently there")
    own = (target_label, *others, *fixed_heads())
    labels = make_labels(paths, parameter_labels(), own, is_short=True)
    has_targets = any(targets)
    rows = []
    for number, (one, row, target) in enumerate(zip(requests, values, targets, strict=True)):
        cells = [_format_cell(row[path]) if path in row else "" for path in paths]
        cells += [target] if has_targets else []
        cells += [_format_cell(texts[number]) for texts in others.values()]
        is_complete = not (
            any(path not in paths or is_truncated(path) for path in row)
            or any(ELLIPSIS in cell for cell in cells)
            or _needs_warning(one.call["parameters"])
        )
        rows.append(
            CallRow(
                request=one,
                when=format_day_and_time(one.created.replace(second=0, microsecond=0), overview.zone, overview.now),
                cells=tuple(cells),
                sentence=format_line(" ".join(one.sentence[: 2 * _MAX_SENTENCE_CHARS].split()), _MAX_SENTENCE_CHARS),
                is_complete=is_complete,
            )
        )
    numeric = frozenset(
        place for place, path in enumerate(paths) if all(_is_number(row[path]) for row in values if path in row)
    )
    columns = (*labels, *([target_label] if has_targets else ()), *others)
    return CallTable(columns=columns, numeric=numeric, rows=tuple(rows))


def share_facts(requests: Sequence[RequestView], registry: Registry) -> tuple[list[tuple[str, str]], list[str]]:
    """The facts that are the same for all, and for each request the others; none if nothing differs."""
    facts = [list_action_facts(one, registry) for one in requests]
    if len({pairs[0] for pairs in facts}) > 1:
        facts = [[*_split_connection(pairs[0]), *pairs[1:]] for pairs in facts]
    shared = [fact for fact in facts[0] if all(fact in own for own in facts)]
    places = [_SEPARATOR.join(value for label, value in own if (label, value) not in shared) for own in facts]
    return shared, places if any(places) else []


def _read_values(parameters: Mapping[str, Any]) -> dict[KeyPath, Any]:
    """By path. The only object in a list is read as if it were not in a list: a batch of one is common."""
    unpacked = {key: value[0] if _is_single(value) else value for key, value in parameters.items()}
    paths, values = flatten_values(unpacked)
    return dict(zip(paths, values, strict=True))


def _format_cell(value: Any) -> str:
    return format_line(value, _MAX_TEXT_CHARS if isinstance(value, str) else _MAX_VALUE_CHARS)


def _is_single(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and bool(value[0])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _needs_warning(parameters: Mapping[str, Any]) -> bool:
    checked = find_look_alikes(parameters, _MAX_CHECKED)
    return bool(checked.look_alikes) or not checked.is_complete


def _split_connection(fact: tuple[str, str]) -> list[tuple[str, str]]:
    """Its name, and its type, which other connections share."""
    label, described = fact
    name, _, kind = described.partition(_SEPARATOR)
    return [(label, name), *([(translate("answers", "Type"), kind)] if kind else [])]
