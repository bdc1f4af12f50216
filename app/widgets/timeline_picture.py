"""The day as it is painted: its axis, its lanes with their marks, and where now is. Holds nothing."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor

from app.look.theme import Space
from app.widgets.timeline_axis import find_ticks
from app.widgets.timeline_layout import Mark
from app.widgets.timeline_paint import (
    AXIS_HEIGHT,
    Brush,
    lane_height,
    mark_rect,
    paint_axis,
    paint_mark,
    paint_now,
    paint_title,
    paint_unknown,
)
from app.widgets.timeline_scene import Scene
from app.words.times import say_clock, say_day

_TICK_WIDTH = 72
_NOW_WIDTH = 52


def paint_day(
    brush: Brush, scene: Scene, height: int, *, hovered: Mark | None, focused: str | None, earlier: str
) -> None:
    """`focused` is the id of a run; `earlier` is said where it is not known what ran."""
    painter, width = brush.painter, scene.width
    plot = QRect(scene.gutter, AXIS_HEIGHT, width - scene.gutter, height - AXIS_HEIGHT)
    bottom = min(AXIS_HEIGHT + scene.tops[-1] - scene.scrolled, height)
    now_x = scene.x(scene.now)
    has_now = scene.gutter <= now_x <= width
    ticks = [
        (scene.x(tick.at), tick) for tick in find_ticks(scene.start, scene.end, scene.zone, scene.plot // _TICK_WIDTH)
    ]
    hidden = {tick for x, tick in ticks if has_now and abs(x - now_x) < _NOW_WIDTH}
    paint_axis(brush, plot, ticks, hidden, bottom)
    painter.setClipRect(QRect(0, AXIS_HEIGHT + 1, width, height))
    if scene.known is not None and scene.known > scene.start:
        unknown = QRect(plot.left(), AXIS_HEIGHT + 1, round(scene.x(scene.known)) - plot.left(), bottom - AXIS_HEIGHT)
        paint_unknown(brush, unknown & plot, earlier)
    _paint_lanes(brush, scene, plot, hovered=hovered, focused=focused)
    painter.setClipping(False)
    day = say_day(scene.start.astimezone(scene.zone).date(), scene.now.astimezone(scene.zone).date())
    heading = QRect(Space.MEDIUM, 0, scene.gutter - Space.MEDIUM, AXIS_HEIGHT - Space.TIGHT)
    paint_title(brush, heading, day[:1].upper() + day[1:], is_heading=True)
    if has_now:
        paint_now(brush, now_x, bottom, say_clock(scene.now.replace(second=0), scene.zone))


def _paint_lanes(brush: Brush, scene: Scene, plot: QRect, *, hovered: Mark | None, focused: str | None) -> None:
    painter = brush.painter
    origin = scene.origin
    left, right = origin + plot.left() - 4, origin + plot.right() + 4
    for index in scene.in_sight(plot.bottom()):
        lane, layout = scene.lanes[index], scene.layout(index)
        top = scene.lane_top(index)
        bottom = top + lane_height(layout.rows)
        title = QRect(Space.MEDIUM, top, scene.gutter - 2 * Space.MEDIUM, bottom - top)
        paint_title(brush, title, lane.title)
        painter.setPen(QColor(brush.colours.line))
        painter.drawLine(0, bottom, plot.right(), bottom)
        painter.save()
        painter.setClipRect(plot, Qt.ClipOperation.IntersectClip)
        for mark in layout.between(left, right):
            is_focused = focused is not None and any(bar.id == focused for bar in mark.bars)
            rect = mark_rect(mark, origin, top)
            paint_mark(brush, mark, rect, hovered=mark is hovered, focused=is_focused)
        painter.restore()
