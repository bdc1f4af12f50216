"""Where runs lie in the picture of a day. Pure: bars and a scale in, marks that never overlap out."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from operator import itemgetter

from app.words.states import RunState

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
MARK_WIDTH = 16.0
"""However short a run was, it is seen and can be clicked."""
CLUSTER_WIDTH = 40.0
"""Runs that start closer together than this share one mark with their number."""
GAP = 2.0
MOST_ROWS = 3
"""Side by side in one lane; what does not fit shares the last row's mark."""
URGENCY = (
    *(RunState.WAITING, RunState.FAILED, RunState.RUNNING, RunState.RETRYING, RunState.QUEUED, RunState.MISSED),
    *(RunState.DROPPED, RunState.CANCELLED, RunState.SKIPPED, RunState.REPLACED, RunState.DONE, RunState.COMING),
)
"""Which state a mark of several shows: the one that a person would want to know of."""
_RANK = {state: rank for rank, state in enumerate(URGENCY)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A row of the picture: one workflow."""

    id: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One run, past, present or coming. Without an end it goes on until now."""

    id: str
    lane: str
    start: datetime
    end: datetime | None = None
    state: RunState
    words: str = ""
    """What it did, or why not: `Filed 3 receipts`."""


Timed = tuple[int, int | None, Bar]
"""A bar with its start and end in milliseconds; one that goes on has no end."""


@dataclass(slots=True, kw_only=True)
class Mark:
    """One or several bars as one thing to see and click; left and right in pixels from the epoch."""

    left: float
    right: float
    bars: list[Bar]
    state: RunState
    row: int = 0

    @property
    def is_cluster(self) -> bool:
        return len(self.bars) > 1

    @property
    def reach(self) -> float:
        """What starts before this would touch it."""
        is_row = len(self.bars) == 1 or self.state is RunState.COMING
        return self.right + GAP if is_row else self.left + CLUSTER_WIDTH

    def take(self, bar: Bar) -> None:
        self.bars.append(bar)
        self.right = max(self.right, self.left + CLUSTER_WIDTH - GAP)
        if _RANK[bar.state] < _RANK[self.state]:
            self.state = bar.state


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneLayout:
    """Marks by their left edge; `reach` is the furthest right edge so far, so that it is in order too."""

    marks: list[Mark]
    lefts: list[float]
    reach: list[float]
    rows: int

    def between(self, left: float, right: float) -> list[Mark]:
        """Those that may be seen there, found without looking at the others."""
        return self.marks[bisect_left(self.reach, left) : bisect_right(self.lefts, right)]


def to_ms(instant: datetime) -> int:
    return (instant - EPOCH) // _MILLISECOND


def time_bars(bars: Iterable[Bar]) -> list[Timed]:
    """In the order of their starts, with the milliseconds that each layout needs."""
    timed = []
    for bar in bars:
        start = to_ms(bar.start)
        open_end = start if bar.state is RunState.COMING else None
        timed.append((start, open_end if bar.end is None else to_ms(bar.end), bar))
    return sorted(timed, key=itemgetter(0))


def lay_out(bars: Sequence[Timed], *, scale: float, now: datetime) -> LaneLayout:
    """Place the bars of one lane at `scale` milliseconds per pixel."""
    marks = _put_in_rows(sorted(_gather(bars, scale, to_ms(now)), key=lambda mark: mark.left))
    return LaneLayout(
        marks=marks,
        lefts=[mark.left for mark in marks],
        reach=list(accumulate((mark.right for mark in marks), max)),
        rows=max((mark.row for mark in marks), default=0) + 1,
    )


def _gather(bars: Sequence[Timed], scale: float, now: int) -> list[Mark]:
    """Long runs are marks of their own; short ones that would touch each other share one."""
    marks = []
    short: dict[bool, Mark] = {}
    for start, end, bar in bars:
        left = start / scale
        right = max((now if end is None else end) / scale, left + MARK_WIDTH)
        is_long = right - left >= CLUSTER_WIDTH
        is_coming = bar.state is RunState.COMING
        last = short.get(is_coming)
        if not is_long and last is not None and left < last.reach:
            last.take(bar)
            if is_coming:
                last.right = max(last.right, right)  # what comes again and again is one long bar, not a row of them
            continue
        mark = Mark(left=left, right=right, bars=[bar], state=bar.state)
        marks.append(mark)
        if not is_long:
            short[is_coming] = mark
    return marks


def _put_in_rows(marks: Sequence[Mark]) -> list[Mark]:
    """The first row with room; beyond the last row, marks merge with what is there."""
    placed: list[Mark] = []
    ends: list[Mark] = []
    for mark in marks:
        for row, end in enumerate(ends):
            if end.right + GAP <= mark.left:
                mark.row = row
                ends[row] = mark
                placed.append(mark)
                break
        else:
            if len(ends) < MOST_ROWS:
                mark.row = len(ends)
                ends.append(mark)
                placed.append(mark)
            else:
                for bar in mark.bars:
                    ends[-1].take(bar)
                ends[-1].right = max(ends[-1].right, mark.right)
    return placed
