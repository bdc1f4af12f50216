"""Texts of the timeline: the description of a mark (tooltip, screen reader) and its keys."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from app.i18n.state_labels import RunState, run_state_label
from app.i18n.time_text import format_duration, format_time_range
from app.widgets.timeline_layout import STATES_BY_URGENCY, TimelineBar, TimelineLane, TimelineMark


def describe_mark(lane: TimelineLane, mark: TimelineMark, *, zone: ZoneInfo, now: datetime) -> str:
    """A few lines: workflow, state, time, duration and summary."""
    first, last = mark.bars[0], mark.bars[-1]
    if mark.is_cluster:
        counts = Counter(bar.state for bar in mark.bars)
        states = ", ".join(
            f"{counts[state]} {run_state_label(state).lower()}" for state in STATES_BY_URGENCY if counts[state]
        )
        heading = QCoreApplication.translate("timeline", "{count} runs: {states}").format(
            count=len(mark.bars), states=states
        )
        return "\n".join([lane.title, heading, format_time_range(first.start, last.end or last.start, zone, now)])
    is_over = first.end is not None or first.state is RunState.COMING
    when = format_time_range(first.start, (first.end or first.start) if is_over else None, zone, now)
    lines = [lane.title, f"{run_state_label(first.state)} · {when}"]
    if first.end is not None and first.end > first.start and first.state is not RunState.COMING:
        took = QCoreApplication.translate("timeline", "Took {span}").format(
            span=format_duration(first.end - first.start)
        )
        lines.append(took)
    return "\n".join([*lines, first.text] if first.text else lines)


def describe_bar(title: str, bar: TimelineBar, *, zone: ZoneInfo, now: datetime) -> str:
    """One line: time, workflow, state and summary."""
    is_over = bar.end is not None or bar.state is RunState.COMING
    when = format_time_range(bar.start, (bar.end or bar.start) if is_over else None, zone, now)
    said = f"{when[:1].upper()}{when[1:]} · {title} · {run_state_label(bar.state)}"
    return f"{said}: {bar.text}" if bar.text else said


def list_timeline_keys() -> Iterator[tuple[str, str]]:
    """What each key does, and the keys."""
    for label, keys in (
        (QCoreApplication.translate("timeline", "Timeline: move between runs"), ("Left", "Right", "Up", "Down")),
        (QCoreApplication.translate("timeline", "Timeline: open the run"), ("Return",)),
        (QCoreApplication.translate("timeline", "Timeline: move earlier, later"), ("Ctrl+Left", "Ctrl+Right")),
        (QCoreApplication.translate("timeline", "Timeline: zoom in, out"), ("+", "-")),
        (QCoreApplication.translate("timeline", "Timeline: show the whole day"), ("0",)),
    ):
        yield label, ", ".join(QKeySequence(one).toString(QKeySequence.SequenceFormat.NativeText) for one in keys)
