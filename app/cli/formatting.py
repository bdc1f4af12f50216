"""Times, states and tables formatted for a terminal."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from textwrap import wrap
from typing import Any

from scheduler.engine.clock import SystemClock
from scheduler.rules.phases import RunStatus
from scheduler.timing.occurrences import OccurrenceReason

TIME_EXAMPLES = "14:00, mon 09:00, yesterday, tomorrow 18:00, 2d or 2026-11-20T09:00"
"""How a TIME may be written, for the help."""
_MAX_CELL_CHARS = 60
_LINE_CHARS = 100


def now() -> datetime:
    return SystemClock().now()


def format_time(text: str | None, nothing: str = "") -> str:
    """`14:05` today, `Tue 17 Nov 14:05` on another day, in local time."""
    if text is None:
        return nothing
    local = datetime.fromisoformat(text).astimezone()
    today = now().astimezone().date()
    shown = f"{local:%H:%M:%S}" if local.second else f"{local:%H:%M}"
    if local.date() == today:
        return shown
    year = "" if local.year == today.year else f" {local.year}"
    return f"{local:%a} {local.day} {local:%b}{year} {shown}"


def format_duration(began: str | None, ended: str | None) -> str:
    if began is None or ended is None:
        return ""
    length = datetime.fromisoformat(ended) - datetime.fromisoformat(began)
    if length < timedelta(seconds=0.1):
        return "< 0.1 s"
    if length < timedelta(seconds=10):
        return f"{length.total_seconds():.1f} s"
    minutes, seconds = divmod(int(length.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def format_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Aligned columns; the last one is not padded."""
    shown = [[_cell(cell) for cell in row] for row in rows]
    widths = [max(len(row[place]) for row in [list(heads), *shown]) for place in range(len(heads))]
    for row in [list(heads), *shown]:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        yield "  ".join([*cells, row[-1]]).rstrip()


def format_entries(entries: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Each name with its explanation indented below it, in full."""
    for name, text in entries:
        yield f"  {name}"
        yield from wrap(text, _LINE_CHARS, initial_indent="      ", subsequent_indent="      ")


def to_single_line(value: Any) -> str:
    """Text from a script, whose lines must not be mistaken for our own."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())


def _cell(value: Any) -> str:
    text = "" if value is None else to_single_line(str(value))
    return text if len(text) <= _MAX_CELL_CHARS else f"{text[: _MAX_CELL_CHARS - 1]}…"


def format_state(state: str) -> str:
    """`needs-attention` as `Needs attention`."""
    return state.replace("-", " ").capitalize()


STATUS = {
    "active": "running",
    "paused:transient": "retrying",
    "paused:approval": "waiting for you",
    "paused:reconciliation": "checking",
    "failed:logic": "failed",
    "failed:internal": "failed",
    "committed": "done",
    "crashed": "interrupted",
    "cancelled": "stopped",
    "coalesced": "replaced",
}
"""Stored statuses in plain words."""


def format_status(status: str) -> str:
    return STATUS.get(status, status)


_TRIGGERS = {
    "automatic": "started on schedule",
    "manual": "started by you",
    "backfill": "started by you for a time in the past",
    "deploy": "started because it was added or updated",
    "event": "started because new data arrived",
}


def format_trigger(trigger: str) -> str:
    """What started a run."""
    return _TRIGGERS.get(trigger, f"started by {trigger}")


def format_run_status(run: dict[str, Any]) -> str:
    """The status of a run; one that waited counts as failed once another attempt has followed it."""
    if run["refusal"] is not None:
        return str(run["refusal"])
    waited = run["is_followed"] and run["status"].startswith("paused:")
    return "failed" if waited else format_status(run["status"])


def happened_at(run: dict[str, Any]) -> str | None:
    """When it started, or continued after an answer."""
    at: str | None = run["resumed"] or run["began"]
    return at


RUN_COLUMNS = ("WHEN", "TOOK", "WORKFLOW", "HANDLER", "STATUS", "RUN", "SUMMARY")


def run_row(run: dict[str, Any]) -> tuple[Any, ...]:
    return (
        format_time(happened_at(run)),
        format_duration(happened_at(run), run["ended"]),
        run["workflow"],
        run["handler"],
        format_run_status(run),
        run["id"],
        describe_outcome(run),
    )


def describe_outcome(run: dict[str, Any]) -> str | None:
    """What a run did or why it failed; if it was stopped, why, which says more than an earlier failure."""
    if run["status"] == RunStatus.CANCELLED and run["summary"]:
        return str(run["summary"])
    said: str | None = run["error"] or run["summary"]
    if not said and run["status"] == RunStatus.CRASHED:
        return OccurrenceReason.INTERRUPTED.sentence
    return said


def render_times(times: dict[str, Any]) -> Iterator[str]:
    """What became of every time that was due; the numbers in front add up."""
    states = {state: times["planned"].get(state, 0) for state in ("succeeded", "failed", "cancelled", "started")}
    yield f"Planned times: {'more than ' if times['more'] else ''}{times['due']:,} due"
    ended = f"{states['succeeded']:,} succeeded, {states['failed']:,} failed, {states['cancelled']:,} stopped"
    rows = (
        (times["ran"], f"ran: {ended}, {states['started']:,} not finished"),
        (times["queued"], "waiting to run"),
        (times["coalesced"], f"replaced by a later run: {times['held_up']:,} of them held up"),
        (sum(times["skipped"].values()), "skipped"),
        (times["missed"], f"missed: {times['missed_outside_window']:,} of them older than the catch-up window"),
        (times["dropped"], "dropped"),
    )
    yield from (f"{number:>10,}  {words}" for number, words in rows if number)
    every = f"{times['succeeded']:,} succeeded, {times['failed']:,} failed, {times['cancelled']:,} stopped"
    yield f"All runs, including manual ones: {every}"
    yield f"Failed attempts that were retried: {times['transient_failures']:,}"
    delays = [f"{one['label']}: {one['runs']:,}" for one in times["drift"] if one["runs"]]
    if delays:
        yield f"Start after the planned time: {', '.join(delays)}"
