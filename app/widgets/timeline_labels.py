"""What a mark of the timeline says when one points at it, what is read aloud, and its keys in words."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from app.widgets.timeline_layout import URGENCY, Lane, Mark
from app.words.states import RunState, say_run
from app.words.times import say_range, say_span


def describe(lane: Lane, mark: Mark, *, zone: ZoneInfo, now: datetime) -> str:
    """A few lines: whose, in which state, when and for how long, and its sentence."""
    first, last = mark.bars[0], mark.bars[-1]
    if mark.is_cluster:
        counts = Counter(bar.state for bar in mark.bars)
        states = ", ".join(f"{counts[state]} {say_run(state).lower()}" for state in URGENCY if counts[state])
        heading = QCoreApplication.translate("timeline", "{count} times: {states}").format(
            count=len(mark.bars), states=states
        )
        return "\n".join([lane.title, heading, say_range(first.start, last.end or last.start, zone, now)])
    is_over = first.end is not None or first.state is RunState.COMING
    when = say_range(first.start, (first.end or first.start) if is_over else None, zone, now)
    lines = [lane.title, f"{say_run(first.state)} · {when}"]
    if first.end is not None and first.end > first.start and first.state is not RunState.COMING:
        took = QCoreApplication.translate("timeline", "Took {span}").format(span=say_span(first.end - first.start))
        lines.append(took)
    return "\n".join([*lines, first.words] if first.words else lines)


def list_timeline_keys() -> Iterator[tuple[str, str]]:
    """What its keys do while it has the focus, and the keys."""
    for words, keys in (
        (QCoreApplication.translate("timeline", "Timeline: from run to run"), ("Left", "Right", "Up", "Down")),
        (QCoreApplication.translate("timeline", "Timeline: open the run"), ("Return",)),
        (QCoreApplication.translate("timeline", "Timeline: earlier, later"), ("Ctrl+Left", "Ctrl+Right")),
        (QCoreApplication.translate("timeline", "Timeline: nearer, farther"), ("+", "-")),
        (QCoreApplication.translate("timeline", "Timeline: the whole day"), ("0",)),
    ):
        yield words, ", ".join(QKeySequence(one).toString(QKeySequence.SequenceFormat.NativeText) for one in keys)
