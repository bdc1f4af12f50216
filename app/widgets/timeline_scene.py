"""What the timeline shows and where: lanes, their marks, the span in sight. Knows no events and no painter."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPointF, QRectF

from app.widgets.timeline_axis import day_span
from app.widgets.timeline_layout import (
    CLUSTER_WIDTH,
    EPOCH,
    Bar,
    Lane,
    LaneLayout,
    Mark,
    Timed,
    lay_out,
    time_bars,
    to_ms,
)
from app.widgets.timeline_paint import AXIS_HEIGHT, lane_height, mark_rect

SHORTEST, LONGEST = timedelta(minutes=10), timedelta(days=7)
_MILLISECOND = timedelta(milliseconds=1)
EDGE = round(CLUSTER_WIDTH)


class Scene:
    """Pixels are those of the viewport; `gutter` is the width of the titles on the left."""

    def __init__(self) -> None:
        self.lanes: tuple[Lane, ...] = ()
        self.tops: list[int] = [0]
        """Where each lane begins below the axis, and where the last one ends."""
        self.zone = ZoneInfo("UTC")
        self.now = EPOCH
        self.known: datetime | None = None
        self.start, self.end = day_span(EPOCH, self.zone)
        self.gutter = 0
        self.width = 1
        self.scrolled = 0
        self._bars: list[list[Bar]] = []
        self._timed: dict[int, list[Timed]] = {}
        self._layouts: dict[int, LaneLayout] = {}
        self._rows: dict[int, int] = {}
        self._lane_of: dict[str, int] | None = None
        self._arranged: tuple[float, datetime] | None = None

    @property
    def scale(self) -> float:
        """Milliseconds per pixel."""
        return (self.end - self.start) / _MILLISECOND / self.plot

    @property
    def plot(self) -> int:
        """The width that stands for the span in sight; what begins at its very end has room beside it."""
        return max(self.width - self.gutter - EDGE, 1)

    @property
    def origin(self) -> float:
        """How many pixels lie between the epoch and the viewport's left edge."""
        return to_ms(self.start) / self.scale - self.gutter

    def fill(self, lanes: Sequence[Lane], bars: Sequence[Bar]) -> None:
        """Take these; a lane's bars are looked at when the lane comes into sight, for there may be many."""
        places = {lane.id: place for place, lane in enumerate(lanes)}
        if tuple(lanes) != self.lanes:
            self._rows = {}
        self.lanes = tuple(lanes)
        self._bars = [[] for _ in lanes]
        for bar in bars:
            if (place := places.get(bar.lane)) is not None:
                self._bars[place].append(bar)
        self._timed, self._lane_of = {}, None
        self._arranged = None

    def arrange(self, height: int) -> None:
        """Place the lanes in sight."""
        self._stack()
        # A lane that turns out taller pushes others out of sight, never more into it.
        for lane in self.in_sight(height):
            self.layout(lane)
        self._stack()

    def layout(self, lane: int) -> LaneLayout:
        """The marks of the lane, worked out when they are first asked for.

        Where marks lie to each other depends on the scale, so panning keeps them.
        """
        if self._arranged != (self.scale, self.now):
            self._arranged = self.scale, self.now
            self._layouts = {}
        if lane not in self._layouts:
            if lane not in self._timed:
                self._timed[lane] = time_bars(self._bars[lane])
            self._layouts[lane] = lay_out(self._timed[lane], scale=self.scale, now=self.now)
            self._rows[lane] = self._layouts[lane].rows
        return self._layouts[lane]

    def in_sight(self, height: int) -> range:
        """The lanes that a viewport of that height shows."""
        first = bisect_right(self.tops, self.scrolled) - 1
        last = bisect_left(self.tops, self.scrolled + height - AXIS_HEIGHT)
        return range(max(first, 0), min(last, len(self.lanes)))

    def _stack(self) -> None:
        """A lane that was never in sight is taken to have one row."""
        heights = (lane_height(self._rows.get(lane, 1)) for lane in range(len(self.lanes)))
        self.tops = list(accumulate(heights, initial=0))

    def look_at(self, start: datetime, end: datetime) -> bool:
        """Bring the span into sight, as far as it can be told apart and still is a picture; says if that is new."""
        length = min(max(end - start, SHORTEST), LONGEST)
        middle = start + (end - start) / 2
        before = self.start, self.end
        self.start = middle - length / 2
        self.end = self.start + length
        return (self.start, self.end) != before

    def x(self, at: datetime) -> float:
        return to_ms(at) / self.scale - self.origin

    def instant(self, x: float) -> datetime:
        return self.start + _MILLISECOND * (x - self.gutter) * self.scale

    def lane_top(self, index: int) -> int:
        return AXIS_HEIGHT + self.tops[index] - self.scrolled

    def lane_at(self, y: float) -> int | None:
        """The lane at that height; None on the axis and below the last one."""
        inside = y - AXIS_HEIGHT + self.scrolled
        if y < AXIS_HEIGHT or inside >= self.tops[-1]:
            return None
        return bisect_right(self.tops, inside) - 1

    def rect_of(self, lane: int, mark: Mark) -> QRectF:
        return mark_rect(mark, self.origin, self.lane_top(lane))

    def mark_at(self, point: QPointF) -> tuple[int, Mark] | None:
        """The lane and mark under the point."""
        lane = self.lane_at(point.y())
        if lane is None or point.x() < self.gutter:
            return None
        at = self.origin + point.x()
        for mark in reversed(self.layout(lane).between(at - 2, at + 2)):
            if self.rect_of(lane, mark).adjusted(-1, -2, 1, 2).contains(point):
                return lane, mark
        return None

    def find(self, bar_id: str | None) -> tuple[int, Mark] | None:
        """Lane and mark that stand for the run."""
        if bar_id is None:
            return None
        if self._lane_of is None:
            self._lane_of = {bar.id: lane for lane, bars in enumerate(self._bars) for bar in bars}
        if (lane := self._lane_of.get(bar_id)) is None:
            return None
        marks = self.layout(lane).marks
        return lane, next(mark for mark in marks if any(bar.id == bar_id for bar in mark.bars))

    def neighbour(self, bar_id: str | None, lanes: int, marks: int) -> tuple[int, Mark] | None:
        """The mark so many lanes or marks away; from nowhere, the first one in sight."""
        here = self.find(bar_id)
        if here is None:
            return self._first_in_sight()
        lane, mark = here
        if not lanes:
            beside = self.layout(lane).marks
            return lane, beside[min(max(beside.index(mark) + marks, 0), len(beside) - 1)]
        lane += lanes
        while 0 <= lane < len(self.lanes):
            if self.layout(lane).marks:
                return lane, min(self.layout(lane).marks, key=lambda other: abs(other.left - mark.left))
            lane += lanes
        return here

    def _first_in_sight(self) -> tuple[int, Mark] | None:
        left, right = self.origin + self.gutter, self.origin + self.width
        lanes = range(len(self.lanes))
        return next(((lane, mark) for lane in lanes for mark in self.layout(lane).between(left, right)), None)
