"""The table of past runs: chips for results, columns that fit, one line per row."""

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.theme import Space, Type, colours_of, make_font
from app.widgets.chip import measure_chip, paint_chip
from app.widgets.signs import sign_run
from app.window.history_model import ROW, Column, HistoryModel, Index
from app.window.history_rows import Row
from app.window.workflows_list import paint_ground
from app.words import RunState

_NAME_WIDTH = 170


class ResultDelegate(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(ROW)
        view, area = option.widget, option.rect
        font = make_font(Type.CAPTION, option.font)
        sign = sign_run(row.state)
        top = area.center().y() - measure_chip(sign, font).height() // 2
        painter.save()
        painter.setClipRect(area)
        paint_ground(painter, option, colours_of(view), line=False)
        paint_chip(painter, QPoint(area.left() + Space.SMALL, top), sign, font, colours_of(view))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:  # noqa: N802  # Qt's name
        font = make_font(Type.CAPTION, option.font)
        return QSize(max(measure_chip(sign_run(state), font).width() for state in RunState) + Space.LARGE, 24)


class TextDelegate(QStyledItemDelegate):
    """Text on the row's own ground, so that a chosen row can be read in both looks."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view, area = option.widget, option.rect
        colours = colours_of(view)
        painter.save()
        paint_ground(painter, option, colours, line=False)
        painter.setFont(option.font)
        quiet = index.column() in (Column.WHEN, Column.TOOK)
        painter.setPen(colours.muted if quiet else colours.text)
        inner = area.adjusted(Space.SMALL, 0, -Space.SMALL, 0)
        text = QFontMetrics(option.font).elidedText(str(index.data() or ""), Qt.TextElideMode.ElideRight, inner.width())
        side = Qt.AlignmentFlag.AlignRight if index.column() == Column.TOOK else Qt.AlignmentFlag.AlignLeft
        painter.drawText(inner, side | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


class HistoryTable(QTableView):
    def __init__(self, model: HistoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(TextDelegate(self))
        self.setItemDelegateForColumn(Column.RESULT, ResultDelegate(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setCornerButtonEnabled(False)
        self.setAccessibleName(self.tr("What ran and what did not"))
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(QFontMetrics(self.font()).height() + Space.LARGE)
        heads = self.horizontalHeader()
        heads.setHighlightSections(False)
        heads.setSectionsClickable(False)
        heads.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        heads.setSectionResizeMode(Column.WHAT, QHeaderView.ResizeMode.Stretch)
        metrics = QFontMetrics(self.font())
        option = QStyleOptionViewItem()
        option.font = self.font()
        self.setColumnWidth(Column.WHEN, metrics.horizontalAdvance("Last Wednesday 00:00") + 2 * Space.SMALL)
        self.setColumnWidth(Column.RESULT, ResultDelegate().sizeHint(option, model.index(0, 0)).width())
        self.setColumnWidth(Column.WORKFLOW, _NAME_WIDTH)
        self.setColumnWidth(Column.TOOK, metrics.horizontalAdvance("00 min 00 s") + 2 * Space.SMALL)

    def be_narrow(self, *, on: bool) -> None:
        """With something beside it: what happened is worth more than how long it took."""
        self.setColumnHidden(Column.TOOK, on)
        self.setColumnWidth(Column.WORKFLOW, 120 if on else _NAME_WIDTH)

    def chosen(self) -> Row | None:
        index = self.currentIndex()
        return index.data(ROW) if index.isValid() else None
