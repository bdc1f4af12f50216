"""What the timeline shows and where: lanes, their marks, the span in sight. Knows no events and no painter."""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPointF, QRectF

from app.widgets.timeline_axis import day_span
from app.widgets.timeline_layout import EPOCH, Bar, Lane, LaneLayout, Mark, Timed, lay_out, time_bars, to_ms
from app.widgets.timeline_paint import AXIS_HEIGHT, lane_height, mark_rect

SHORTEST, LONGEST = timedelta(minutes=10), timedelta(days=7)
_MILLISECOND = timedelta(milliseconds=1)


class Scene:
    """Pixels are those of the viewport; `gutter` is the width of the titles on the left."""

    def __init__(self) -> None:
        self.lanes: tuple[Lane, ...] = ()
        self.layouts: list[LaneLayout] = []
        self.tops: list[int] = [0]
        """Where each lane begins below the axis, and where the last one ends."""
        self.zone = ZoneInfo("UTC")
        self.now = EPOCH
        self.start, self.end = day_span(EPOCH, self.zone)
        self.gutter = 0
        self.width = 1
        self.scrolled = 0
        self._bars: list[list[Timed]] = []
        self._arranged: tuple[float, datetime] | None = None

    @property
    def scale(self) -> float:
        """Milliseconds per pixel."""
        return (self.end - self.start) / _MILLISECOND / max(self.width - self.gutter, 1)

    @property
    def origin(self) -> float:
        """How many pixels lie between the epoch and the viewport's left edge."""
        return to_ms(self.start) / self.scale - self.gutter

    def fill(self, lanes: Sequence[Lane], bars: Sequence[Bar]) -> None:
        by_lane: dict[str, list[Bar]] = {lane.id: [] for lane in lanes}
        for bar in bars:
            if bar.lane in by_lane:
                by_lane[bar.lane].append(bar)
        self.lanes = tuple(lanes)
        self._bars = [time_bars(bars) for bars in by_lane.values()]
        self._arranged = None

    def arrange(self) -> None:
        """Place all marks, unless only the span was moved: where they lie to each other depends on the scale."""
        if self._arranged == (self.scale, self.now):
            return
        self._arranged = self.scale, self.now
        self.layouts = [lay_out(bars, scale=self.scale, now=self.now) for bars in self._bars]
        self.tops = list(accumulate((lane_height(layout.rows) for layout in self.layouts), initial=0))

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
        for mark in reversed(self.layouts[lane].between(at - 2, at + 2)):
            if self.rect_of(lane, mark).adjusted(-1, -2, 1, 2).contains(point):
                return lane, mark
        return None

    def find(self, bar_id: str | None) -> tuple[int, int] | None:
        """Lane and place of the mark that stands for the run."""
        for lane, layout in enumerate(self.layouts):
            for place, mark in enumerate(layout.marks):
                if any(bar.id == bar_id for bar in mark.bars):
                    return lane, place
        return None

    def neighbour(self, bar_id: str | None, lanes: int, marks: int) -> tuple[int, Mark] | None:
        """The mark so many lanes or marks away; from nowhere, the first one in sight."""
        here = self.find(bar_id)
        if here is None:
            return self._first_in_sight()
        lane, place = here
        if not lanes:
            beside = self.layouts[lane].marks
            return lane, beside[min(max(place + marks, 0), len(beside) - 1)]
        left = self.layouts[lane].marks[place].left
        lane += lanes
        while 0 <= lane < len(self.layouts):
            if self.layouts[lane].marks:
                return lane, min(self.layouts[lane].marks, key=lambda mark: abs(mark.left - left))
            lane += lanes
        return here[0], self.layouts[here[0]].marks[place]

    def _first_in_sight(self) -> tuple[int, Mark] | None:
        left, right = self.origin + self.gutter, self.origin + self.width
        seen = ((lane, mark) for lane, layout in enumerate(self.layouts) for mark in layout.between(left, right))
        return next(seen, None)
