"""Times and tables as they read in a terminal."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from scheduler.engine.clock import SystemClock

_CELL = 60


def now() -> datetime:
    return SystemClock().now()


def say_time(text: str | None, nothing: str = "") -> str:
    """`14:05` today, `Tue 17 Nov 14:05` on another day, in the time of this machine."""
    if text is None:
        return nothing
    local = datetime.fromisoformat(text).astimezone()
    today = now().astimezone().date()
    shown = f"{local:%H:%M:%S}" if local.second else f"{local:%H:%M}"
    if local.date() == today:
        return shown
    year = "" if local.year == today.year else f" {local.year}"
    return f"{local:%a} {local.day} {local:%b}{year} {shown}"


def say_length(began: str | None, ended: str | None) -> str:
    """How long it took."""
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


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Aligned columns; the last one is as wide as it is."""
    shown = [[_cell(cell) for cell in row] for row in rows]
    widths = [max(len(row[place]) for row in [list(heads), *shown]) for place in range(len(heads))]
    for row in [list(heads), *shown]:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        yield "  ".join([*cells, row[-1]]).rstrip()


def on_one_line(value: Any) -> str:
    """Whatever a script says: its lines must not be taken for ours."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())


def _cell(value: Any) -> str:
    text = "" if value is None else on_one_line(str(value))
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"


def say_state(state: str) -> str:
    """`needs-attention` as people read it."""
    return state.replace("-", " ").capitalize()


STATUS = {
    "active": "running",
    "paused:transient": "tries again",
    "paused:approval": "waits for you",
    "paused:reconciliation": "finds out",
    "failed:logic": "failed",
    "failed:internal": "failed",
    "committed": "done",
    "crashed": "interrupted",
    "cancelled": "stopped",
    "coalesced": "replaced",
}
"""A stored status in a word or two that people use."""


def say_status(status: str) -> str:
    return STATUS.get(status, status)


def say_how(run: dict[str, Any]) -> str:
    """How a run stands; what waited no longer does once another attempt took its place."""
    waited = run["is_followed"] and run["status"].startswith("paused:")
    return "failed" if waited else say_status(run["status"])


RUN_HEADS = ("WHEN", "TOOK", "WORKFLOW", "HANDLER", "HOW", "RUN", "WHAT")


def run_row(run: dict[str, Any]) -> tuple[Any, ...]:
    """One run under those heads."""
    return (
        say_time(run["began"]),
        say_length(run["began"], run["ended"]),
        run["workflow"],
        run["handler"],
        say_how(run),
        run["id"],
        run["error"] or run["summary"],
    )
