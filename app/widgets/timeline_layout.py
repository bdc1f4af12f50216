"""Where runs lie on the timeline: turns bars and a scale into marks that never overlap. Also its time axis. Pure."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from operator import itemgetter
from zoneinfo import ZoneInfo

from app.i18n.state_labels import RunState
from app.i18n.time_text import format_wall_time

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_STEPS = [timedelta(minutes=minutes) for minutes in (1, 5, 15, 30, 60, 120, 180, 360, 720, 1440)]
_QUARTER_HOUR = timedelta(minutes=15)
_DAY = timedelta(days=1)
MIN_MARK_WIDTH = 16.0
"""The width of the shortest run, so that it can be seen and clicked."""
CLUSTER_WIDTH = 40.0
"""Runs that start closer together than this share one numbered mark."""
GAP = 2.0
MAX_ROWS = 3
"""Rows of one lane; what does not fit is merged into the last row."""
STATES_BY_URGENCY = (
    *(RunState.WAITING, RunState.FAILED, RunState.RUNNING, RunState.RETRYING, RunState.QUEUED, RunState.MISSED),
    *(RunState.EXPIRED, RunState.DROPPED, RunState.CANCELLED, RunState.REJECTED, RunState.SKIPPED, RunState.REPLACED),
    *(RunState.DONE, RunState.COMING),
)
"""A cluster shows the first of these states that it contains."""
_RANK = {state: rank for rank, state in enumerate(STATES_BY_URGENCY)}


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineLane:
    """One workflow on the timeline."""

    id: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineBar:
    """One run: past, running or upcoming. Without an end it lasts until now."""

    id: str
    lane: str
    start: datetime
    end: datetime | None = None
    state: RunState
    text: str = ""
    """What it did, or why it did not run: `Filed 3 receipts`."""


TimedBar = tuple[int, int | None, TimelineBar]
"""Start and end in milliseconds, and the bar; a running one has no end."""


@dataclass(slots=True, kw_only=True)
class TimelineMark:
    """One or several bars drawn as one; left and right are pixels from the epoch."""

    left: float
    right: float
    bars: list[TimelineBar]
    state: RunState
    row: int = 0

    @property
    def is_cluster(self) -> bool:
        return len(self.bars) > 1

    @property
    def reach(self) -> float:
        """A bar that starts before this would touch the mark."""
        is_row = len(self.bars) == 1 or self.state is RunState.COMING
        return self.right + GAP if is_row else self.left + CLUSTER_WIDTH

    def add(self, bar: TimelineBar) -> None:
        self.bars.append(bar)
        self.right = max(self.right, self.left + CLUSTER_WIDTH - GAP)
        if _RANK[bar.state] < _RANK[self.state]:
            self.state = bar.state


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneLayout:
    """Marks sorted by left edge; `reach` is the running maximum of right edges."""

    marks: list[TimelineMark]
    lefts: list[float]
    reach: list[float]
    rows: int

    def marks_between(self, left: float, right: float) -> list[TimelineMark]:
        """Marks that may be visible there, by binary search."""
        return self.marks[bisect_left(self.reach, left) : bisect_right(self.lefts, right)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisTick:
    at: datetime
    label: str
    is_midnight: bool


def to_epoch_ms(instant: datetime) -> int:
    return (instant - EPOCH) // _MILLISECOND


def sort_bars(bars: Iterable[TimelineBar]) -> list[TimedBar]:
    """Sorted by start, with precomputed milliseconds."""
    timed = []
    for bar in bars:
        start = to_epoch_ms(bar.start)
        open_end = start if bar.state is RunState.COMING else None
        timed.append((start, open_end if bar.end is None else to_epoch_ms(bar.end), bar))
    return sorted(timed, key=itemgetter(0))


def lay_out(bars: Sequence[TimedBar], *, scale: float, now: datetime) -> LaneLayout:
    """Place the bars of one lane at `scale` milliseconds per pixel."""
    marks = _assign_rows(sorted(_make_marks(bars, scale, to_epoch_ms(now)), key=lambda mark: mark.left))
    return LaneLayout(
        marks=marks,
        lefts=[mark.left for mark in marks],
        reach=list(accumulate((mark.right for mark in marks), max)),
        rows=max((mark.row for mark in marks), default=0) + 1,
    )


def _make_marks(bars: Sequence[TimedBar], scale: float, now: int) -> list[TimelineMark]:
    """Each long run gets its own mark; short ones of the same state that would touch share one."""
    marks = []
    short: dict[RunState, TimelineMark] = {}
    for start, end, bar in bars:
        left = start / scale
        right = max((now if end is None else end) / scale, left + MIN_MARK_WIDTH)
        is_long = right - left >= CLUSTER_WIDTH
        is_coming = bar.state is RunState.COMING
        last = short.get(bar.state)
        if not is_long and last is not None and left < last.reach:
            last.add(bar)
            if is_coming:
                last.right = max(last.right, right)  # repeated upcoming runs become one long bar
            continue
        mark = TimelineMark(left=left, right=right, bars=[bar], state=bar.state)
        marks.append(mark)
        if not is_long:
            short[bar.state] = mark
    return marks


def _assign_rows(marks: Sequence[TimelineMark]) -> list[TimelineMark]:
    """Put each mark in the first row with room; beyond the last row, merge it into one of its state, or the last."""
    placed: list[TimelineMark] = []
    ends: list[TimelineMark] = []
    for mark in marks:
        for row, end in enumerate(ends):
            if end.right + GAP <= mark.left:
                mark.row = row
                ends[row] = mark
                placed.append(mark)
                break
        else:
            if len(ends) < MAX_ROWS:
                mark.row = len(ends)
                ends.append(mark)
                placed.append(mark)
            else:
                into = next((end for end in reversed(ends) if end.state is mark.state), ends[-1])
                for bar in mark.bars:
                    into.add(bar)
                into.right = max(into.right, mark.right)
    return placed


def find_ticks(start: datetime, end: datetime, zone: ZoneInfo, max_ticks: int) -> list[AxisTick]:
    """About `max_ticks` ticks or fewer, at round local times; correct across clock changes."""
    step = next((step for step in _STEPS if (end - start) / step <= max(max_ticks, 1)), _DAY)
    # UTC offsets are multiples of 15 minutes, so round local times lie on this grid.
    stride = min(step, _QUARTER_HOUR)
    at = datetime.fromtimestamp(start.timestamp() // stride.total_seconds() * stride.total_seconds(), UTC)
    found: list[AxisTick] = []
    while at <= end:
        local = at.astimezone(zone)
        since_midnight = timedelta(hours=local.hour, minutes=local.minute, seconds=local.second)
        if at >= start and not since_midnight % step:
            found.append(AxisTick(at=at, label=format_wall_time(local.time()), is_midnight=not since_midnight))
        at += stride
    return found


def local_day(at: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """From midnight to midnight of the local day that contains the instant: 23, 24 or 25 hours."""
    local = at.astimezone(zone)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    following = (midnight.replace(tzinfo=None) + _DAY).replace(tzinfo=zone)
    return midnight.astimezone(UTC), following.astimezone(UTC)
