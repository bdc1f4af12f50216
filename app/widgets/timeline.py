"""The timeline of a day: a lane per workflow with its past and upcoming runs as bars, and a line for now."""

from collections.abc import Sequence
from datetime import datetime
from math import ceil
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QToolTip, QWidget

from app.theme.stylesheet import set_style
from app.theme.tokens import Space, colours_of
from app.widgets.timeline_labels import describe_mark
from app.widgets.timeline_layout import TimelineBar, TimelineLane, TimelineMark, local_day
from app.widgets.timeline_paint import PaintContext, paint_day
from app.widgets.timeline_scene import AXIS_HEIGHT, MAX_SPAN, MIN_SPAN, TimelineScene, lane_height
from app.widgets.visible_text import tooltip_text

_ZOOM_FACTOR = 1.25
_MIN_TITLE_WIDTH, _MAX_TITLE_WIDTH = 80, 220
_MAX_TITLE_SHARE = 0.3
"""Of the width; longer names end in dots."""
_MAX_HEIGHT = 400
_NORMAL_TEXT_HEIGHT = 16


class Timeline(QAbstractScrollArea):
    """Ctrl+wheel zooms; Shift+wheel, a horizontal wheel and dragging pan; arrow keys move between runs."""

    opened = Signal(str)
    """The id of a run that was clicked."""
    cluster_opened = Signal(object)
    """The ids of runs that share a mark and are too close to separate by zooming in."""
    lane_opened = Signal(str)
    span_changed = Signal(object, object)
    """Start and end of the visible span: more may have to be loaded."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene = TimelineScene()
        self._unit = 1.0
        """Scale factor: the scene is laid out for normal text and enlarged with the font."""
        self._hovered: TimelineMark | None = None
        self._focused: str | None = None
        self._pressed: QPoint | None = None
        self._clicked_mark = False
        """Whether the last click opened something: its double click must not show the whole day."""
        self._panning = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName(self.tr("Timeline of the day"))
        set_style(self, "surface", "card")

    @property
    def span(self) -> tuple[datetime, datetime]:
        """Start and end of the visible span."""
        return self._scene.start, self._scene.end

    @property
    def focused(self) -> str | None:
        """The id of the run that the keys act on."""
        return self._focused

    def set_day(
        self,
        lanes: Sequence[TimelineLane],
        bars: Sequence[TimelineBar],
        *,
        zone: ZoneInfo,
        now: datetime,
        known_since: datetime | None = None,
    ) -> None:
        """Show these runs. The span resets to the whole day if nothing was shown before or a new day has begun.

        Runs before `known_since` are not included.
        """
        scene = self._scene
        if not scene.lanes or local_day(now, zone) != local_day(scene.now, scene.zone):
            scene.start, scene.end = local_day(now, zone)
        scene.zone, scene.now, scene.known_since = zone, now, known_since
        scene.set_bars(lanes, bars)
        self._measure()

    @property
    def is_whole_day(self) -> bool:
        """Whether the whole day around now is shown: neither zoomed nor moved."""
        return self.span == local_day(self._scene.now, self._scene.zone)

    def show_span(self, start: datetime, end: datetime) -> None:
        """Show this span, limited to SHORTEST and LONGEST."""
        if self._scene.set_span(start, end):
            self._arrange()
            self.span_changed.emit(*self.span)

    def show_day(self) -> None:
        """The whole local day around now."""
        self.show_span(*local_day(self._scene.now, self._scene.zone))

    def zoom(self, factor: float, at: datetime | None = None) -> None:
        """Zoom in by `factor`; the instant `at` stays in place."""
        start, end = self.span
        at = at or start + (end - start) / 2
        length = min(max((end - start) / factor, MIN_SPAN), MAX_SPAN)
        start = at - length * ((at - start) / (end - start))
        self.show_span(start, start + length)

    def pan(self, share: float) -> None:
        """Move by this share of the visible span."""
        start, end = self.span
        step = (end - start) * share
        self.show_span(start + step, end + step)

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        size = QSize(720, min(self._scene.lane_tops[-1], _MAX_HEIGHT) + AXIS_HEIGHT + Space.TIGHT) * self._unit
        return size.grownBy(self.contentsMargins())

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return QSize(self._scene.gutter + 120, AXIS_HEIGHT + lane_height(1)) * self._unit

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        view, scene, colours = self.viewport(), self._scene, colours_of(self)
        painter = QPainter(view)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), colours.surface)
        painter.scale(self._unit, self._unit)
        brush = PaintContext(painter, colours, self._normal_font(), view.devicePixelRatioF() * self._unit)
        focused = self._focused if self.hasFocus() else None
        earlier = self.tr("Earlier runs are in History")
        paint_day(brush, scene, self._height(), hovered=self._hovered, focused=focused, earlier=earlier)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        self._measure()

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            text = self._describe_at(QPointF(event.pos()) / self._unit)
            QToolTip.showText(event.globalPos(), tooltip_text(text) if text else "", self.viewport())
            return True
        if event.type() is QEvent.Type.Leave:
            self._hover(None)
        return super().viewportEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802  # Qt's name
        delta = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(_ZOOM_FACTOR ** (delta.y() / 120), self._scene.instant_at(event.position().x() / self._unit))
        elif delta.x() or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.pan(-(delta.x() or delta.y()) / 120 / 8)
        elif self.verticalScrollBar().maximum():
            super().wheelEvent(event)
        else:
            event.ignore()
            return
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed, self._panning = event.position().toPoint(), False

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Back to the whole day, unless the first click opened something."""
        if not self._clicked_mark:
            self.show_day()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        point = event.position().toPoint()
        if self._pressed is None:
            found = self._scene.mark_at(event.position() / self._unit)
            self._hover(found[1] if found else None)
            return
        if self._panning or (point - self._pressed).manhattanLength() >= QApplication.startDragDistance():
            self._panning = True
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self.pan((self._pressed.x() - point.x()) / self._unit / self._scene.plot)
            self._pressed = point

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        was_click = self._pressed is not None and not self._panning
        self._pressed, self._panning = None, False
        self.viewport().unsetCursor()
        if not was_click or event.button() is not Qt.MouseButton.LeftButton:
            return
        point = event.position() / self._unit
        found = self._scene.mark_at(point)
        self._clicked_mark = found is not None or point.x() < self._scene.gutter
        if found is not None:
            self._focus(*found)
            self._open(found[1])
        elif point.x() < self._scene.gutter:
            lane = self._scene.lane_at(point.y())
            if lane is not None:
                self.lane_opened.emit(self._scene.lanes[lane].id)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        is_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        match event.key():
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom(_ZOOM_FACTOR)
            case Qt.Key.Key_Minus:
                self.zoom(1 / _ZOOM_FACTOR)
            case Qt.Key.Key_0 | Qt.Key.Key_Home:
                self.show_day()
            case Qt.Key.Key_Left | Qt.Key.Key_Right if is_control:
                self.pan(-0.25 if event.key() == Qt.Key.Key_Left else 0.25)
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                self._step(0, -1 if event.key() == Qt.Key.Key_Left else 1)
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                self._step(-1 if event.key() == Qt.Key.Key_Up else 1, 0)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space:
                if (found := self._scene.find_mark(self._focused)) is not None:
                    self._open(found[1])
            case _:
                super().keyPressEvent(event)
                return
        event.accept()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:  # noqa: N802  # Qt's name
        self._scene.scrolled = self.verticalScrollBar().value()
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange and hasattr(self, "_scene"):
            self._measure()

    def _measure(self) -> None:
        """Scale everything with the text size."""
        self._unit = max(QFontMetrics(self.font()).height() / _NORMAL_TEXT_HEIGHT, 1.0)
        metrics = QFontMetrics(self._normal_font())
        widest = max((metrics.horizontalAdvance(lane.title) for lane in self._scene.lanes), default=0)
        room = max(
            min(_MAX_TITLE_WIDTH, int(self.viewport().width() / self._unit * _MAX_TITLE_SHARE)), _MIN_TITLE_WIDTH
        )
        self._scene.gutter = min(widest + Space.HAIR, room) + 2 * Space.MEDIUM
        self._arrange()
        self.updateGeometry()

    def _normal_font(self) -> QFont:
        font = QFont(self.font())
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() / self._unit)
        else:
            font.setPixelSize(round(font.pixelSize() / self._unit))
        return font

    def _height(self) -> int:
        return ceil(self.viewport().height() / self._unit)

    def _arrange(self) -> None:
        """Lay everything out again and update the scroll bar."""
        scene = self._scene
        scene.width = ceil(self.viewport().width() / self._unit)
        scene.arrange(self._height())
        visible = self._height() - AXIS_HEIGHT
        self.verticalScrollBar().setPageStep(max(visible, 1))
        self.verticalScrollBar().setSingleStep(lane_height(1))
        self.verticalScrollBar().setRange(0, max(scene.lane_tops[-1] + 1 - visible, 0))
        self._hovered = None
        self.viewport().update()

    def _describe_at(self, point: QPointF) -> str:
        """The mark there, or the whole name of the workflow, which may be elided."""
        if found := self._scene.mark_at(point):
            return self._describe(*found)
        lane = self._scene.lane_at(point.y()) if point.x() < self._scene.gutter else None
        return "" if lane is None else self._scene.lanes[lane].title

    def _describe(self, lane: int, mark: TimelineMark) -> str:
        return describe_mark(self._scene.lanes[lane], mark, zone=self._scene.zone, now=self._scene.now)

    def _hover(self, mark: TimelineMark | None) -> None:
        if mark is not self._hovered:
            self._hovered = mark
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if mark else Qt.CursorShape.ArrowCursor)
            self.viewport().update()

    def _step(self, lanes: int, marks: int) -> None:
        if (found := self._scene.neighbour(self._focused, lanes, marks)) is not None:
            self._focus(*found)

    def _focus(self, lane: int, mark: TimelineMark) -> None:
        """Move the keyboard focus to the mark, scroll to it and announce it."""
        self._focused = mark.bars[0].id
        self.setAccessibleDescription(self._describe(lane, mark))
        rect = self._scene.rect_of(lane, mark)
        if not self._scene.gutter <= rect.left() <= self._scene.width - rect.width():
            start, end = self.span
            offset = self._scene.instant_at(rect.center().x()) - (start + (end - start) / 2)
            self.show_span(start + offset, end + offset)
        bar = self.verticalScrollBar()
        if rect.top() < AXIS_HEIGHT or rect.bottom() > self._height():
            bar.setValue(self._scene.lane_tops[lane])
        self.viewport().update()

    def _open(self, mark: TimelineMark) -> None:
        """Open a single run; zoom in on a cluster, or list its runs if zooming cannot separate them."""
        if not mark.is_cluster:
            self.opened.emit(mark.bars[0].id)
            return
        first, last = mark.bars[0].start, max(bar.end or bar.start for bar in mark.bars)
        start, end = self.span
        if last - first < MIN_SPAN / 4 or end - start <= MIN_SPAN:
            self.cluster_opened.emit([bar.id for bar in mark.bars])
        else:
            self.show_span(first - (last - first) / 4, last + (last - first) / 4)
