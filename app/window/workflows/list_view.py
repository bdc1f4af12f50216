"""Painting of lists: the workflows with state, next run and outcomes, and short lists of wrapped text."""

from functools import lru_cache

from PySide6.QtCore import QAbstractProxyModel, QModelIndex, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QFrame, QListView, QListWidget, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.i18n.translate import translate_text
from app.theme.stylesheet import style_as_card
from app.theme.tokens import Colours, Space, TextStyle, Tone, colours_of, make_font
from app.widgets.outcome_strip import paint_strip, strip_size
from app.widgets.status_chip import chip_size, paint_chip
from app.widgets.status_signs import workflow_sign
from app.widgets.visible_text import escape_invisible
from app.window.workflows.list_model import ROW, Index, WorkflowListRow, WorkflowsModel
from scheduler.rules.workflow_state import WorkflowState

_NARROW_PX = 760
"""Below this width the last outcomes are left out."""
_NEXT_WIDTH = 200


class WorkflowsDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:  # noqa: N802  # Qt's name
        line = QFontMetrics(option.font).height()
        return QSize(320, 2 * line + Space.TIGHT + 2 * Space.MEDIUM)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: WorkflowListRow = index.data(ROW)
        view = option.widget
        colours = colours_of(view)
        area: QRect = option.rect
        painter.save()
        paint_background(painter, option, colours)
        inner = area.adjusted(Space.LARGE, 0, -Space.LARGE, 0)
        font = option.font
        caption = make_font(TextStyle.CAPTION, font)
        sign = workflow_sign(row.view.state)
        chip = chip_size(sign, caption)
        paint_chip(painter, QPoint(inner.left(), inner.center().y() - chip.height() // 2), sign, caption, colours)
        left = inner.left() + _chip_column(view) + Space.MEDIUM
        right = inner.right()
        if area.width() >= _NARROW_PX:
            strip = QRectF(right - strip_size().width(), inner.top(), strip_size().width(), inner.height())
            paint_strip(painter, strip, row.outcomes or (), colours)
            right -= strip_size().width() + Space.WIDE
        coming = _model_of(index).describe_next_run(row)
        painter.setPen(QColor(colours.muted))
        painter.setFont(font)
        width = min(QFontMetrics(font).horizontalAdvance(coming), _NEXT_WIDTH)
        place = QRect(right - width, inner.top(), width, inner.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, coming)
        self._paint_words(
            painter, QRect(left, inner.top(), place.left() - left - Space.LARGE, inner.height()), row, view
        )
        painter.restore()

    def _paint_words(self, painter: QPainter, area: QRect, row: WorkflowListRow, view: QWidget) -> None:
        strong = make_font(TextStyle.STRONG, view.font())
        colours, metrics, bold = colours_of(view), QFontMetrics(view.font()), QFontMetrics(strong)
        top = area.center().y() - (bold.height() + Space.HAIR + metrics.height()) // 2
        elide = Qt.TextElideMode.ElideRight
        painter.setFont(strong)
        painter.setPen(QColor(colours.text))
        name = bold.elidedText(escape_invisible(row.view.name), elide, area.width())
        painter.drawText(QRect(area.left(), top, area.width(), bold.height()), Qt.AlignmentFlag.AlignLeft, name)
        painter.setFont(view.font())
        painter.setPen(QColor(colours.muted))
        words = metrics.elidedText(
            escape_invisible(translate_text(row.view.words)).replace("\n", " "), elide, area.width()
        )
        below = QRect(area.left(), top + bold.height() + Space.HAIR, area.width(), metrics.height())
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, words)


def paint_background(painter: QPainter, option: QStyleOptionViewItem, colours: Colours, *, line: bool = True) -> None:
    """Paint the background of a row (selected, hovered or plain) and a line below it."""
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
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.setAccessibleName(self.tr("Workflows"))
        style_as_card(self)

    def selected_rows(self) -> list[WorkflowListRow]:
        """In the order of the list."""
        return [index.data(ROW) for index in sorted(self.selectedIndexes(), key=QModelIndex.row)]


def _chip_column(view: QWidget) -> int:
    """Width of the widest state, so that names are aligned."""
    return _widest_chip(make_font(TextStyle.CAPTION, view.font()).toString())


@lru_cache(maxsize=8)
def _widest_chip(written: str) -> int:
    font = QFont()
    font.fromString(written)
    return max(chip_size(workflow_sign(state), font).width() for state in WorkflowState)


def _model_of(index: Index) -> WorkflowsModel:
    model = index.model()
    while isinstance(model, QAbstractProxyModel):
        model = model.sourceModel()
    assert isinstance(model, WorkflowsModel)
    return model


_ICON_SIZE = 16
_TEXT_FLAGS = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


def make_text_list(name: str) -> QListWidget:
    """An empty list with this accessible name."""
    widget = QListWidget()
    widget.setAccessibleName(name)
    widget.setFrameShape(QFrame.Shape.NoFrame)
    widget.setWordWrap(True)  # else Qt does not lay it out again when the width changes
    widget.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    widget.setItemDelegate(TextListDelegate(widget))
    style_as_card(widget)
    return widget


class TextListDelegate(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours = colours_of(option.widget)
        painter.save()
        paint_background(painter, option, colours)
        painter.setFont(option.font)
        painter.setPen(QColor(colours.text))
        room = option.rect.adjusted(Space.MEDIUM, 0, -Space.MEDIUM, 0)
        if icon := index.data(Qt.ItemDataRole.DecorationRole):
            icon.paint(painter, room.adjusted(0, 0, _ICON_SIZE - room.width(), 0))
            room.setLeft(room.left() + _ICON_SIZE + Space.MEDIUM)
        painter.drawText(room, _TEXT_FLAGS, str(index.data()))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802  # Qt's name
        beside = _ICON_SIZE + Space.MEDIUM if index.data(Qt.ItemDataRole.DecorationRole) else 0
        width = max((option.rect.width() or 220) - 2 * Space.MEDIUM - beside, 120)
        room = QFontMetrics(option.font).boundingRect(QRect(0, 0, width, 10_000), _TEXT_FLAGS, str(index.data()))
        return QSize(width, room.height() + 2 * Space.MEDIUM)
