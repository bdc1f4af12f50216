"""Draws workflows in a list: state, name and words, the next time, the last outcomes. No widget per row."""

from functools import lru_cache

from PySide6.QtCore import QAbstractProxyModel, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.look.dressing import lay_on_card
from app.look.theme import Colours, Space, Tone, Type, colours_of, make_font
from app.widgets.chip import measure_chip, paint_chip
from app.widgets.plain import reveal
from app.widgets.signs import sign_workflow
from app.widgets.strip import measure_strip, paint_strip
from app.window.workflows_model import ROW, Index, WorkflowRow, WorkflowsModel
from app.words.interpreting import interpret
from scheduler.rules.states import WorkflowState

_NARROW = 760
"""Where there is less room, the last outcomes are left out."""
_NEXT_WIDTH = 200


class WorkflowsDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:  # noqa: N802  # Qt's name
        line = QFontMetrics(option.font).height()
        return QSize(320, 2 * line + Space.TIGHT + 2 * Space.MEDIUM)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: WorkflowRow = index.data(ROW)
        view = option.widget
        colours = colours_of(view)
        area: QRect = option.rect
        painter.save()
        paint_ground(painter, option, colours)
        inner = area.adjusted(Space.LARGE, 0, -Space.LARGE, 0)
        font = option.font
        caption = make_font(Type.CAPTION, font)
        sign = sign_workflow(row.view.state)
        chip = measure_chip(sign, caption)
        paint_chip(painter, QPoint(inner.left(), inner.center().y() - chip.height() // 2), sign, caption, colours)
        left = inner.left() + _chip_column(view) + Space.MEDIUM
        right = inner.right()
        if area.width() >= _NARROW:
            strip = QRectF(right - measure_strip().width(), inner.top(), measure_strip().width(), inner.height())
            paint_strip(painter, strip, row.strip or (), colours)
            right -= measure_strip().width() + Space.WIDE
        coming = _model_of(index).say_next(row)
        painter.setPen(QColor(colours.muted))
        painter.setFont(font)
        width = min(QFontMetrics(font).horizontalAdvance(coming), _NEXT_WIDTH)
        place = QRect(right - width, inner.top(), width, inner.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, coming)
        self._paint_words(
            painter, QRect(left, inner.top(), place.left() - left - Space.LARGE, inner.height()), row, view
        )
        painter.restore()

    def _paint_words(self, painter: QPainter, area: QRect, row: WorkflowRow, view: QWidget) -> None:
        strong = make_font(Type.STRONG, view.font())
        colours, metrics, bold = colours_of(view), QFontMetrics(view.font()), QFontMetrics(strong)
        top = area.center().y() - (bold.height() + Space.HAIR + metrics.height()) // 2
        elide = Qt.TextElideMode.ElideRight
        painter.setFont(strong)
        painter.setPen(QColor(colours.text))
        name = bold.elidedText(reveal(row.view.name), elide, area.width())
        painter.drawText(QRect(area.left(), top, area.width(), bold.height()), Qt.AlignmentFlag.AlignLeft, name)
        painter.setFont(view.font())
        painter.setPen(QColor(colours.muted))
        words = metrics.elidedText(reveal(interpret(row.view.words)).replace("\n", " "), elide, area.width())
        below = QRect(area.left(), top + bold.height() + Space.HAIR, area.width(), metrics.height())
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, words)


def paint_ground(painter: QPainter, option: QStyleOptionViewItem, colours: Colours, *, line: bool = True) -> None:
    """The row's own ground: chosen, pointed at, or neither; and a line below it."""
    area: QRect = option.rect
    state = option.state
    if state & QStyle.StateFlag.State_Selected:
        painter.fillRect(area, QColor(colours.tones[Tone.BUSY].soft))
        if line and state & QStyle.StateFlag.State_HasFocus:
            painter.fillRect(QRect(area.left(), area.top(), 3, area.height()), QColor(colours.accent))
    elif state & QStyle.StateFlag.State_MouseOver:
        ground = QColor(colours.text)
        ground.setAlphaF(0.04)
        painter.fillRect(area, ground)
    if line:
        painter.setPen(QColor(colours.line))
        painter.drawLine(area.bottomLeft(), area.bottomRight())


class WorkflowsList(QListView):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(WorkflowsDelegate(self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Workflows"))
        lay_on_card(self)


def _chip_column(view: QWidget) -> int:
    """As wide as the longest word of a state, so that names stand below each other."""
    return _widest_chip(make_font(Type.CAPTION, view.font()).toString())


@lru_cache(maxsize=8)
def _widest_chip(written: str) -> int:
    font = QFont()
    font.fromString(written)
    return max(measure_chip(sign_workflow(state), font).width() for state in WorkflowState)


def _model_of(index: Index) -> WorkflowsModel:
    model = index.model()
    while isinstance(model, QAbstractProxyModel):
        model = model.sourceModel()
    assert isinstance(model, WorkflowsModel)
    return model
