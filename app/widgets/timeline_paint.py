"""Draws the picture of a day from laid-out marks. Knows colours and shapes, nothing of mice and keys."""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QPainter, QPen, QPixmap, QPolygonF

from app.look.icons import glyph
from app.look.theme import DARK, LIGHT, Colours, Space, Type, make_font
from app.widgets.signs import shape_run
from app.widgets.timeline_axis import Tick
from app.widgets.timeline_layout import CLUSTER_WIDTH, Mark
from app.words.states import RunState

AXIS_HEIGHT = 32
ROW_HEIGHT = 24
BAR_HEIGHT = 20
LANE_PADDING = Space.SMALL
_GLYPH = 12
_CORNER = 5.0
_ROOM_FOR_WORDS = 64
_STRONG = {RunState.WAITING, RunState.FAILED, RunState.RUNNING}
"""Filled, so that they are found at a glance, also without colour."""
_HOLLOW = {RunState.SKIPPED, RunState.MISSED, RunState.REPLACED, RunState.DROPPED, RunState.CANCELLED}
"""Did not run, or not to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dress:
    """How a mark of one state is drawn."""

    fill: QBrush
    edge: QPen
    hovered: QPen
    inside: QColor
    shape: QPixmap


class Brush:
    """A painter with what every stroke needs to know, worked out once per picture."""

    def __init__(self, painter: QPainter, colours: Colours, font: QFont, ratio: float) -> None:
        self.painter = painter
        self.colours = colours
        self.ratio = ratio
        self.font = font
        self.key = font.toString()
        self.small = make_font(Type.CAPTION, font)
        self.metrics = QFontMetrics(self.small)
        self._dresses: dict[RunState, Dress] = {}

    def dress(self, state: RunState) -> Dress:
        if state not in self._dresses:
            self._dresses[state] = self._make_dress(state)
        return self._dresses[state]

    def _make_dress(self, state: RunState) -> Dress:
        shape, tone = shape_run(state)
        ink = self.colours.tones[tone]
        fill, edge, inside, line = ink.soft, ink.soft, ink.text, Qt.PenStyle.SolidLine
        if state in _STRONG:
            fill, edge, inside = ink.text, ink.text, self.colours.surface
        elif state is RunState.COMING:
            fill, edge = self.colours.surface, self.colours.edge
        elif state in _HOLLOW:
            fill, edge, line = self.colours.surface, ink.text, Qt.PenStyle.DashLine
        return Dress(
            fill=QBrush(QColor(fill)),
            edge=QPen(QColor(edge), 1.0, line),
            hovered=QPen(QColor(self.colours.text), 1.0, line),
            inside=QColor(inside),
            shape=glyph(shape, _GLYPH, inside, self.ratio),
        )


def lane_height(rows: int) -> int:
    return rows * ROW_HEIGHT + 2 * LANE_PADDING


def mark_rect(mark: Mark, origin: float, top: float) -> QRectF:
    """Where it lies: `origin` is the pixel from the epoch at the picture's zero, `top` the lane's."""
    y = top + LANE_PADDING + mark.row * ROW_HEIGHT + (ROW_HEIGHT - BAR_HEIGHT) / 2
    return QRectF(mark.left - origin, y, mark.right - mark.left, BAR_HEIGHT)


def paint_axis(brush: Brush, plot: QRect, ticks: list[tuple[float, Tick]], hidden: set[Tick], bottom: int) -> None:
    """A line down from each hour, midnight stronger; labels on top except where something else stands."""
    painter, colours = brush.painter, brush.colours
    painter.setFont(brush.small)
    half = QFontMetrics(painter.font()).horizontalAdvance("00:00") / 2
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


def paint_title(brush: Brush, rect: QRect, title: str, *, is_heading: bool = False) -> None:
    painter = brush.painter
    font = make_font(Type.STRONG, brush.small) if is_heading else brush.font
    painter.setFont(font)
    painter.setPen(QColor(brush.colours.muted if is_heading else brush.colours.text))
    shown = QFontMetrics(font).elidedText(title, Qt.TextElideMode.ElideRight, rect.width())
    across = Qt.AlignmentFlag.AlignBottom if is_heading else Qt.AlignmentFlag.AlignVCenter
    painter.drawText(rect, across | Qt.AlignmentFlag.AlignLeft, shown)


def paint_unknown(brush: Brush, rect: QRect, words: str) -> None:
    """Not empty, but not shown either."""
    painter = brush.painter
    painter.fillRect(rect, QBrush(QColor(brush.colours.line), Qt.BrushStyle.BDiagPattern))
    painter.setFont(brush.small)
    painter.setPen(QColor(brush.colours.muted))
    if QFontMetrics(brush.small).horizontalAdvance(words) < rect.width():
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, words)


def paint_mark(brush: Brush, mark: Mark, rect: QRectF, *, hovered: bool, focused: bool) -> None:
    """Small marks look alike, so they are drawn once and stamped; a picture of a full day has hundreds."""
    if hovered or rect.width() > CLUSTER_WIDTH:
        _draw_mark(brush, mark.state, rect, len(mark.bars), mark.bars[0].words, hovered=hovered)
    else:
        stamp = _stamp(mark.state, round(rect.width()), len(mark.bars), brush.ratio, brush.colours.is_dark, brush.key)
        brush.painter.drawPixmap(QPointF(round(rect.left()), rect.top()), stamp)
    if focused:
        painter = brush.painter
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(brush.colours.text), 2))
        painter.drawRoundedRect(rect.adjusted(-2, -2, 2, 2), _CORNER + 2, _CORNER + 2)


@lru_cache(maxsize=1024)
def _stamp(state: RunState, width: int, count: int, ratio: float, is_dark: bool, font: str) -> QPixmap:  # noqa: FBT001  # keys of a cache
    stamp = QPixmap(ceil(width * ratio), ceil(BAR_HEIGHT * ratio))
    stamp.setDevicePixelRatio(ratio)
    stamp.fill(Qt.GlobalColor.transparent)
    like = QFont()
    like.fromString(font)
    painter = QPainter(stamp)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    brush = Brush(painter, DARK if is_dark else LIGHT, like, ratio)
    _draw_mark(brush, state, QRectF(0, 0, width, BAR_HEIGHT), count, "", hovered=False)
    painter.end()
    return stamp


def _draw_mark(brush: Brush, state: RunState, rect: QRectF, count: int, words: str, *, hovered: bool) -> None:
    """A filled, soft, hollow or outlined bar with the shape of its state, and its number or words if they fit."""
    painter, dress = brush.painter, brush.dress(state)
    painter.setBrush(dress.fill)
    painter.setPen(dress.hovered if hovered else dress.edge)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), _CORNER, _CORNER)
    is_narrow = rect.width() < _GLYPH + 3 * Space.TIGHT
    inset = (rect.width() - _GLYPH) / 2 if is_narrow else Space.TIGHT
    at = QPointF(rect.left() + inset, rect.top() + (rect.height() - _GLYPH) / 2)
    painter.drawPixmap(QPointF(at.toPoint()) if brush.ratio == 1 else at, dress.shape)
    room = rect.adjusted(Space.TIGHT + _GLYPH, 0, -Space.HAIR, 0)
    painter.setFont(brush.small)
    painter.setPen(dress.inside)
    if count > 1:
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, say_count(count))
    elif words and room.width() >= _ROOM_FOR_WORDS:
        space = int(room.width()) - 2 * Space.TIGHT
        shown = brush.metrics.elidedText(words, Qt.TextElideMode.ElideRight, space)
        painter.drawText(room.adjusted(Space.TIGHT, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, shown)


def paint_now(brush: Brush, x: float, height: int, label: str) -> None:
    """A line through the picture, with the time on the axis."""
    painter, colours = brush.painter, brush.colours
    painter.setPen(QPen(QColor(colours.accent), 2))
    painter.drawLine(QPointF(x, AXIS_HEIGHT), QPointF(x, height))
    painter.setFont(make_font(Type.STRONG, brush.small))
    width = QFontMetrics(painter.font()).horizontalAdvance(label) + 2 * Space.TIGHT + Space.HAIR
    top = AXIS_HEIGHT - Space.HAIR - BAR_HEIGHT
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colours.accent))
    painter.drawRoundedRect(QRectF(x - width / 2, top - 4, width, BAR_HEIGHT), _CORNER, _CORNER)
    foot = top + BAR_HEIGHT - 4
    painter.drawPolygon(QPolygonF([QPointF(x - 5, foot), QPointF(x + 5, foot), QPointF(x, foot + 6)]))
    painter.setPen(QColor(colours.on_accent))
    painter.drawText(QRectF(x - width / 2, top - 4, width, BAR_HEIGHT), Qt.AlignmentFlag.AlignCenter, label)


def say_count(number: int) -> str:
    """Never more than three characters, so that it fits."""
    if number < 1000:
        return str(number)
    return f"{number // 1000}k" if number < 100_000 else "99k"
