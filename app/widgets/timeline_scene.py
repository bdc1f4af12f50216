"""What the timeline shows and where: lanes, marks and the visible span. Knows no events and no painter."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPointF, QRectF

from app.theme.tokens import Space
from app.widgets.timeline_layout import (
    CLUSTER_WIDTH,
    EPOCH,
    LaneLayout,
    TimedBar,
    TimelineBar,
    TimelineLane,
    TimelineMark,
    lay_out,
    local_day,
    sort_bars,
    to_epoch_ms,
)

MIN_SPAN, MAX_SPAN = timedelta(minutes=10), timedelta(days=7)
_MILLISECOND = timedelta(milliseconds=1)
RIGHT_MARGIN = round(CLUSTER_WIDTH)
AXIS_HEIGHT = 32
ROW_HEIGHT = 24
BAR_HEIGHT = 20
LANE_PADDING = Space.SMALL


class TimelineScene:
    """Coordinates are viewport pixels; `gutter` is the width of the titles on the left."""

    def __init__(self) -> None:
        self.lanes: tuple[TimelineLane, ...] = ()
        self.lane_tops: list[int] = [0]
        """Top of each lane below the axis, then the bottom of the last one."""
        self.zone = ZoneInfo("UTC")
        self.now = EPOCH
        self.known_since: datetime | None = None
        self.start, self.end = local_day(EPOCH, self.zone)
        self.gutter = 0
        self.width = 1
        self.scrolled = 0
        self._bars: list[list[TimelineBar]] = []
        self._timed: dict[int, list[TimedBar]] = {}
        self._layouts: dict[int, LaneLayout] = {}
        self._rows: dict[int, int] = {}
        self._lane_of: dict[str, int] | None = None
        self._layout_key: tuple[float, datetime] | None = None

    @property
    def scale(self) -> float:
        """Milliseconds per pixel."""
        return (self.end - self.start) / _MILLISECOND / self.plot

    @property
    def plot(self) -> int:
        """The width of the visible span, leaving room for a mark that starts at its very end."""
        return max(self.width - self.gutter - RIGHT_MARGIN, 1)

    @property
    def origin(self) -> float:
        """Pixels from the epoch to the viewport's left edge."""
        return to_epoch_ms(self.start) / self.scale - self.gutter

    def set_bars(self, lanes: Sequence[TimelineLane], bars: Sequence[TimelineBar]) -> None:
        """Set lanes and bars; the bars of a lane are laid out when it becomes visible."""
        places = {lane.id: place for place, lane in enumerate(lanes)}
        if tuple(lanes) != self.lanes:
            self._rows = {}
        self.lanes = tuple(lanes)
        self._bars = [[] for _ in lanes]
        for bar in bars:
            if (place := places.get(bar.lane)) is not None:
                self._bars[place].append(bar)
        self._timed, self._lane_of = {}, None
        self._layout_key = None

    def arrange(self, height: int) -> None:
        """Lay out the visible lanes."""
        self._stack_lanes()
        # A lane that turns out taller pushes others out of sight, never more into it.
        for lane in self.visible_lanes(height):
            self.layout(lane)
        self._stack_lanes()

    def layout(self, lane: int) -> LaneLayout:
        """The marks of the lane, computed on demand. They depend on the scale only, so panning keeps them."""
        if self._layout_key != (self.scale, self.now):
            self._layout_key = self.scale, self.now
            self._layouts = {}
        if lane not in self._layouts:
            if lane not in self._timed:
                self._timed[lane] = sort_bars(self._bars[lane])
            self._layouts[lane] = lay_out(self._timed[lane], scale=self.scale, now=self.now)
            self._rows[lane] = self._layouts[lane].rows
        return self._layouts[lane]

    def visible_lanes(self, height: int) -> range:
        """The lanes visible in a viewport of that height."""
        first = bisect_right(self.lane_tops, self.scrolled) - 1
        last = bisect_left(self.lane_tops, self.scrolled + height - AXIS_HEIGHT)
        return range(max(first, 0), min(last, len(self.lanes)))

    def _stack_lanes(self) -> None:
        """Compute the lane tops; a lane not laid out yet counts as one row."""
        heights = (lane_height(self._rows.get(lane, 1)) for lane in range(len(self.lanes)))
        self.lane_tops = list(accumulate(heights, initial=0))

    def set_span(self, start: datetime, end: datetime) -> bool:
        """Set the visible span, limited to SHORTEST and LONGEST; returns whether it changed."""
        length = min(max(end - start, MIN_SPAN), MAX_SPAN)
        middle = start + (end - start) / 2
        before = self.start, self.end
        self.start = middle - length / 2
        self.end = self.start + length
        return (self.start, self.end) != before

    def x_of(self, at: datetime) -> float:
        return to_epoch_ms(at) / self.scale - self.origin

    def instant_at(self, x: float) -> datetime:
        return self.start + _MILLISECOND * (x - self.gutter) * self.scale

    def lane_top(self, index: int) -> int:
        return AXIS_HEIGHT + self.lane_tops[index] - self.scrolled

    def lane_at(self, y: float) -> int | None:
        """The lane at that y; None on the axis and below the last lane."""
        inside = y - AXIS_HEIGHT + self.scrolled
        if y < AXIS_HEIGHT or inside >= self.lane_tops[-1]:
            return None
        return bisect_right(self.lane_tops, inside) - 1

    def rect_of(self, lane: int, mark: TimelineMark) -> QRectF:
        return mark_rect(mark, self.origin, self.lane_top(lane))

    def mark_at(self, point: QPointF) -> tuple[int, TimelineMark] | None:
        """The lane and mark under the point."""
        lane = self.lane_at(point.y())
        if lane is None or point.x() < self.gutter:
            return None
        at = self.origin + point.x()
        for mark in reversed(self.layout(lane).marks_between(at - 2, at + 2)):
            if self.rect_of(lane, mark).adjusted(-1, -2, 1, 2).contains(point):
                return lane, mark
        return None

    def find_mark(self, bar_id: str | None) -> tuple[int, TimelineMark] | None:
        """The lane and mark that contain the run."""
        if bar_id is None:
            return None
        if self._lane_of is None:
            self._lane_of = {bar.id: lane for lane, bars in enumerate(self._bars) for bar in bars}
        if (lane := self._lane_of.get(bar_id)) is None:
            return None
        marks = self.layout(lane).marks
        return lane, next(mark for mark in marks if any(bar.id == bar_id for bar in mark.bars))

    def neighbour(self, bar_id: str | None, lanes: int, marks: int) -> tuple[int, TimelineMark] | None:
        """The mark that many lanes or marks away; without a start, the first visible one."""
        here = self.find_mark(bar_id)
        if here is None:
            return self._first_visible()
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

    def _first_visible(self) -> tuple[int, TimelineMark] | None:
        left, right = self.origin + self.gutter, self.origin + self.width
        lanes = range(len(self.lanes))
        return next(((lane, mark) for lane in lanes for mark in self.layout(lane).marks_between(left, right)), None)


def lane_height(rows: int) -> int:
    return rows * ROW_HEIGHT + 2 * LANE_PADDING


def mark_rect(mark: TimelineMark, origin: float, top: float) -> QRectF:
    """The rectangle of a mark in a lane that starts at `top`; `origin` as in Scene."""
    y = top + LANE_PADDING + mark.row * ROW_HEIGHT + (ROW_HEIGHT - BAR_HEIGHT) / 2
    return QRectF(mark.left - origin, y, mark.right - mark.left, BAR_HEIGHT)
