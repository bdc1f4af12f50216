"""Paints the timeline from laid-out marks. Knows nothing of mouse and keyboard."""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QPainter, QPen, QPixmap, QPolygonF

from app.i18n.state_labels import RunState
from app.i18n.time_text import format_clock_time, format_day
from app.theme.icons import draw_glyph
from app.theme.tokens import DARK, LIGHT, Colours, Space, TextStyle, make_font
from app.widgets.status_signs import run_glyph_and_tone
from app.widgets.timeline_layout import CLUSTER_WIDTH, AxisTick, TimelineMark, find_ticks
from app.widgets.timeline_scene import AXIS_HEIGHT, BAR_HEIGHT, TimelineScene, lane_height, mark_rect

_MIN_TICK_DISTANCE = 72
_NOW_LABEL_WIDTH = 52
_GLYPH_SIZE = 12
_CORNER_RADIUS = 5.0
_MIN_TEXT_WIDTH = 64
_FILLED_STATES = {RunState.WAITING, RunState.FAILED, RunState.RUNNING}
"""Drawn filled, so that they stand out even without colour."""
_HOLLOW_STATES = {
    *(RunState.SKIPPED, RunState.MISSED, RunState.REPLACED, RunState.DROPPED),
    *(RunState.CANCELLED, RunState.REJECTED, RunState.EXPIRED),
}
"""Did not run, or did not do what it wanted to; drawn hollow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkStyle:
    """How a mark of one state is drawn."""

    fill: QBrush
    edge: QPen
    hovered: QPen
    inside: QColor
    shape: QPixmap


class PaintContext:
    """A painter with colours, fonts and styles, computed once per picture."""

    def __init__(self, painter: QPainter, colours: Colours, font: QFont, ratio: float) -> None:
        self.painter = painter
        self.colours = colours
        self.ratio = ratio
        self.font = font
        self.font_key = font.toString()
        self.small = make_font(TextStyle.CAPTION, font)
        self.metrics = QFontMetrics(self.small)
        self._styles: dict[RunState, MarkStyle] = {}

    def mark_style(self, state: RunState) -> MarkStyle:
        if state not in self._styles:
            self._styles[state] = self._make_style(state)
        return self._styles[state]

    def _make_style(self, state: RunState) -> MarkStyle:
        shape, tone = run_glyph_and_tone(state)
        ink = self.colours.tones[tone]
        fill, edge, inside, line = ink.soft, ink.soft, ink.text, Qt.PenStyle.SolidLine
        if state in _FILLED_STATES:
            fill, edge, inside = ink.text, ink.text, self.colours.surface
        elif state is RunState.COMING:
            fill, edge = self.colours.surface, self.colours.edge
        elif state in _HOLLOW_STATES:
            fill, edge, line = self.colours.surface, ink.text, Qt.PenStyle.DashLine
        return MarkStyle(
            fill=QBrush(QColor(fill)),
            edge=QPen(QColor(edge), 1.0, line),
            hovered=QPen(QColor(self.colours.text), 1.0, line),
            inside=QColor(inside),
            shape=draw_glyph(shape, _GLYPH_SIZE, inside, self.ratio),
        )


def paint_day(
    brush: PaintContext,
    scene: TimelineScene,
    height: int,
    *,
    hovered: TimelineMark | None,
    focused: str | None,
    earlier: str,
) -> None:
    """Paint everything. `focused` is a run id; `earlier` is the text for the period before known runs."""
    painter, width = brush.painter, scene.width
    plot = QRect(scene.gutter, AXIS_HEIGHT, width - scene.gutter, height - AXIS_HEIGHT)
    bottom = min(AXIS_HEIGHT + scene.lane_tops[-1] - scene.scrolled, height)
    now_x = scene.x_of(scene.now)
    has_now = scene.gutter <= now_x <= width
    ticks = [
        (scene.x_of(tick.at), tick)
        for tick in find_ticks(scene.start, scene.end, scene.zone, scene.plot // _MIN_TICK_DISTANCE)
    ]
    now_label = format_clock_time(scene.now.replace(second=0), scene.zone)
    distance = max(brush.metrics.horizontalAdvance(now_label) + 4 * Space.TIGHT, _NOW_LABEL_WIDTH)
    hidden = {tick for x, tick in ticks if has_now and abs(x - now_x) < distance}
    paint_axis(brush, plot, ticks, hidden, bottom)
    painter.setClipRect(QRect(0, AXIS_HEIGHT + 1, width, height))
    if scene.known_since is not None and scene.known_since > scene.start:
        unknown = QRect(
            plot.left(), AXIS_HEIGHT + 1, round(scene.x_of(scene.known_since)) - plot.left(), bottom - AXIS_HEIGHT
        )
        paint_unknown_period(brush, unknown & plot, earlier)
    _paint_lanes(brush, scene, plot, hovered=hovered, focused=focused)
    painter.setClipping(False)
    day = format_day(scene.start.astimezone(scene.zone).date(), scene.now.astimezone(scene.zone).date())
    heading = QRect(Space.MEDIUM, 0, scene.gutter - Space.MEDIUM, AXIS_HEIGHT - Space.TIGHT)
    paint_title(brush, heading, day[:1].upper() + day[1:], is_heading=True)
    if has_now:
        paint_now(brush, now_x, bottom, now_label)


def _paint_lanes(
    brush: PaintContext, scene: TimelineScene, plot: QRect, *, hovered: TimelineMark | None, focused: str | None
) -> None:
    painter = brush.painter
    origin = scene.origin
    left, right = origin + plot.left() - 4, origin + plot.right() + 4
    for index in scene.visible_lanes(plot.bottom()):
        lane, layout = scene.lanes[index], scene.layout(index)
        top = scene.lane_top(index)
        bottom = top + lane_height(layout.rows)
        title = QRect(Space.MEDIUM, top, scene.gutter - 2 * Space.MEDIUM, bottom - top)
        paint_title(brush, title, lane.title)
        painter.setPen(QColor(brush.colours.line))
        painter.drawLine(0, bottom, plot.right(), bottom)
        painter.save()
        painter.setClipRect(plot, Qt.ClipOperation.IntersectClip)
        for mark in layout.marks_between(left, right):
            is_focused = focused is not None and any(bar.id == focused for bar in mark.bars)
            rect = mark_rect(mark, origin, top)
            paint_mark(brush, mark, rect, hovered=mark is hovered, focused=is_focused)
        painter.restore()


def paint_axis(
    brush: PaintContext, plot: QRect, ticks: list[tuple[float, AxisTick]], hidden: set[AxisTick], bottom: int
) -> None:
    """A vertical line per tick, stronger at midnight; labels on top except for `hidden` ticks."""
    painter, colours = brush.painter, brush.colours
    painter.setFont(brush.small)
    metrics = QFontMetrics(painter.font())
    half = max((metrics.horizontalAdvance(tick.label) for _, tick in ticks), default=0) / 2
    for x, tick in ticks:
        painter.setPen(QPen(QColor(colours.edge if tick.is_midnight else colours.line), 1))
        painter.drawLine(QPointF(round(x) + 0.5, AXIS_HEIGHT), QPointF(round(x) + 0.5, bottom))
        if tick in hidden:
            continue
        middle = min(max(x, plot.left() + half), plot.right() - half)
        label = QRectF(middle - half - 1, 0, 2 * half + 2, AXIS_HEIGHT - Space.SMALL)
        painter.setPen(QColor(colours.muted))
        painter.drawText(label, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignHCenter, tick.label)
    painter.setPen(QPen(QColor(colours.line), 1))
    painter.drawLine(QPointF(0, AXIS_HEIGHT + 0.5), QPointF(plot.right(), AXIS_HEIGHT + 0.5))


def paint_title(brush: PaintContext, rect: QRect, title: str, *, is_heading: bool = False) -> None:
    painter = brush.painter
    font = make_font(TextStyle.STRONG, brush.small) if is_heading else brush.font
    painter.setFont(font)
    painter.setPen(QColor(brush.colours.muted if is_heading else brush.colours.text))
    shown = QFontMetrics(font).elidedText(title, Qt.TextElideMode.ElideRight, rect.width())
    across = Qt.AlignmentFlag.AlignBottom if is_heading else Qt.AlignmentFlag.AlignVCenter
    painter.drawText(rect, across | Qt.AlignmentFlag.AlignLeft, shown)


def paint_unknown_period(brush: PaintContext, rect: QRect, words: str) -> None:
    """Hatch the period whose runs are not shown."""
    painter = brush.painter
    painter.fillRect(rect, QBrush(QColor(brush.colours.line), Qt.BrushStyle.BDiagPattern))
    painter.setFont(brush.small)
    painter.setPen(QColor(brush.colours.muted))
    if QFontMetrics(brush.small).horizontalAdvance(words) < rect.width():
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, words)


def paint_mark(brush: PaintContext, mark: TimelineMark, rect: QRectF, *, hovered: bool, focused: bool) -> None:
    """Small marks are drawn once, cached and copied; a full day has hundreds."""
    if hovered or rect.width() > CLUSTER_WIDTH:
        _draw_mark(brush, mark.state, rect, len(mark.bars), mark.bars[0].text, hovered=hovered)
    else:
        stamp = _cached_mark(
            mark.state, round(rect.width()), len(mark.bars), brush.ratio, brush.colours.is_dark, brush.font_key
        )
        brush.painter.drawPixmap(QPointF(round(rect.left()), rect.top()), stamp)
    if focused:
        painter = brush.painter
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(brush.colours.text), 2))
        painter.drawRoundedRect(rect.adjusted(-2, -2, 2, 2), _CORNER_RADIUS + 2, _CORNER_RADIUS + 2)


@lru_cache(maxsize=1024)
def _cached_mark(state: RunState, width: int, count: int, ratio: float, is_dark: bool, font: str) -> QPixmap:  # noqa: FBT001  # cache key
    stamp = QPixmap(ceil(width * ratio), ceil(BAR_HEIGHT * ratio))
    stamp.setDevicePixelRatio(ratio)
    stamp.fill(Qt.GlobalColor.transparent)
    like = QFont()
    like.fromString(font)
    painter = QPainter(stamp)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    brush = PaintContext(painter, DARK if is_dark else LIGHT, like, ratio)
    _draw_mark(brush, state, QRectF(0, 0, width, BAR_HEIGHT), count, "", hovered=False)
    painter.end()
    return stamp


def _draw_mark(brush: PaintContext, state: RunState, rect: QRectF, count: int, words: str, *, hovered: bool) -> None:
    """A bar in the style of its state, with its glyph, and its count or text if it fits."""
    painter, dress = brush.painter, brush.mark_style(state)
    painter.setBrush(dress.fill)
    painter.setPen(dress.hovered if hovered else dress.edge)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), _CORNER_RADIUS, _CORNER_RADIUS)
    is_narrow = rect.width() < _GLYPH_SIZE + 3 * Space.TIGHT
    inset = (rect.width() - _GLYPH_SIZE) / 2 if is_narrow else Space.TIGHT
    at = QPointF(rect.left() + inset, rect.top() + (rect.height() - _GLYPH_SIZE) / 2)
    painter.drawPixmap(QPointF(at.toPoint()) if brush.ratio == 1 else at, dress.shape)
    room = rect.adjusted(Space.TIGHT + _GLYPH_SIZE, 0, -Space.HAIR, 0)
    painter.setFont(brush.small)
    painter.setPen(dress.inside)
    if count > 1:
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, format_count(count))
    elif words and room.width() >= _MIN_TEXT_WIDTH:
        space = int(room.width()) - 2 * Space.TIGHT
        shown = brush.metrics.elidedText(words, Qt.TextElideMode.ElideRight, space)
        painter.drawText(room.adjusted(Space.TIGHT, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, shown)


def paint_now(brush: PaintContext, x: float, height: int, label: str) -> None:
    """A vertical line, with the time on the axis."""
    painter, colours = brush.painter, brush.colours
    painter.setPen(QPen(QColor(colours.accent), 2))
    painter.drawLine(QPointF(x, AXIS_HEIGHT), QPointF(x, height))
    painter.setFont(make_font(TextStyle.STRONG, brush.small))
    width = QFontMetrics(painter.font()).horizontalAdvance(label) + 2 * Space.TIGHT + Space.HAIR
    top = AXIS_HEIGHT - Space.HAIR - BAR_HEIGHT
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colours.accent))
    painter.drawRoundedRect(QRectF(x - width / 2, top - 4, width, BAR_HEIGHT), _CORNER_RADIUS, _CORNER_RADIUS)
    foot = top + BAR_HEIGHT - 4
    painter.drawPolygon(QPolygonF([QPointF(x - 5, foot), QPointF(x + 5, foot), QPointF(x, foot + 6)]))
    painter.setPen(QColor(colours.on_accent))
    painter.drawText(QRectF(x - width / 2, top - 4, width, BAR_HEIGHT), Qt.AlignmentFlag.AlignCenter, label)


def format_count(number: int) -> str:
    """At most three characters."""
    if number < 1000:
        return str(number)
    return f"{number // 1000}k" if number < 100_000 else "99k"
