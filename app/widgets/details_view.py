"""Sections of details as widgets: selectable text, plain tables, nothing cut off without a scroll bar."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QContextMenuEvent, QFontDatabase, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QGridLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.look.dressing import mark
from app.look.theme import Space, Type, make_font
from app.widgets.changes import Changes
from app.widgets.details import Difference, Pairs, Prose, Section, Table
from app.widgets.plain import as_tooltip, fold, unfold

_MOST_ROWS = 8
_MOST_LINES = 8
_WIDEST_COLUMN = 420


class DetailsView(QWidget):
    """What is shown is plain text: markup in data is data."""

    def __init__(self, sections: Sequence[Section], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.SMALL)
        for place, section in enumerate(sections):
            if section.title:
                layout.addSpacing(Space.TIGHT if place else 0)
                layout.addWidget(_make_title(section.title))
            layout.addWidget(_make_body(section))


class Text(QLabel):
    """Wraps, also within a long word, can be selected and copied as it is, and never takes data for markup."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        # Text can be copied with the mouse and by keys from its card; a tab stop for each would be in the way.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802  # Qt's name
        super().setText(fold(text))

    def text(self) -> str:
        return unfold(super().text())

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(unfold(self.selectedText()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        if event.matches(QKeySequence.StandardKey.Copy) and self.hasSelectedText():
            self.copy()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802  # Qt's name
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction(QCoreApplication.translate("details", "Copy"), self.copy)
        copy.setEnabled(self.hasSelectedText())
        select = partial(self.setSelection, 0, len(super().text()))
        menu.addAction(QCoreApplication.translate("details", "Select all"), select)
        menu.popup(event.globalPos())


def make_text(text: str, ink: str = "") -> Text:
    label = Text(text)
    if ink:
        mark(label, "ink", ink)
    return label


def _make_title(text: str) -> QLabel:
    title = QLabel(text)
    title.setTextFormat(Qt.TextFormat.PlainText)
    title.setFont(make_font(Type.STRONG, make_font(Type.CAPTION, title.font())))
    mark(title, "ink", "muted")
    return title


def _make_body(section: Section) -> QWidget:
    match section.body:
        case Pairs(pairs=pairs):
            return _make_pairs(pairs)
        case Table() as table:
            return _make_table(table, section.title)
        case Prose(text=text, is_code=is_code):
            shown = _make_prose(text, section.title)
            if is_code:
                shown.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
            return shown
        case Difference(old=old, new=new):
            return Changes(old, new)


def _make_pairs(pairs: Sequence[tuple[str, str]]) -> QWidget:
    box = QWidget()
    grid = QGridLayout(box)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(Space.LARGE)
    grid.setVerticalSpacing(Space.TIGHT)
    grid.setColumnStretch(1, 1)
    for row, (key, value) in enumerate(pairs):
        name = make_text(key, "muted")
        name.setWordWrap(False)
        grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(make_text(value), row, 1)
    return box


def _make_table(table: Table, title: str) -> QWidget:
    view = QTableWidget(len(table.rows), len(table.columns) or max(map(len, table.rows), default=0))
    view.setAccessibleName(title or QCoreApplication.translate("details", "Details"))
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setShowGrid(False)
    view.setAlternatingRowColors(True)
    view.setWordWrap(False)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    view.horizontalHeader().setVisible(bool(table.columns))
    view.horizontalHeader().setHighlightSections(False)
    for column, name in enumerate(table.columns):
        header = QTableWidgetItem(name)
        header.setTextAlignment(_align(column in table.numeric))
        view.setHorizontalHeaderItem(column, header)
    for row, cells in enumerate(table.rows):
        for column, cell in enumerate(cells):
            item = QTableWidgetItem(cell.replace("\n", " ↵ "))
            item.setTextAlignment(_align(column in table.numeric))
            item.setToolTip("" if len(cell) < 40 else as_tooltip(cell))
            view.setItem(row, column, item)
    _fit(view, len(table.rows))
    return view


def _fit(view: QTableWidget, rows: int) -> None:
    """As tall as its rows up to a few; columns as wide as what they hold, the last one takes the rest."""
    view.verticalHeader().setDefaultSectionSize(QFontMetrics(view.font()).height() + Space.SMALL)
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.resizeColumnsToContents()
    for column in range(view.columnCount()):
        view.setColumnWidth(column, min(view.columnWidth(column) + Space.SMALL, _WIDEST_COLUMN))
    view.horizontalHeader().setStretchLastSection(True)
    header = view.horizontalHeader().sizeHint().height() if view.horizontalHeader().isVisibleTo(view) else 0
    height = header + view.verticalHeader().defaultSectionSize() * min(rows, _MOST_ROWS) + Space.HAIR
    scroll = view.horizontalScrollBar()
    view.setFixedHeight(height)
    # A bar at the foot must not cover the last row.
    scroll.rangeChanged.connect(
        lambda _low, high: view.setFixedHeight(height + bool(high) * scroll.sizeHint().height())
    )


def _make_prose(text: str, title: str) -> QWidget:
    if text.count("\n") < _MOST_LINES and len(text) < 80 * _MOST_LINES:
        return make_text(text)
    view = QPlainTextEdit(text)
    view.setProperty("field", "true")
    view.setReadOnly(True)
    view.setTabChangesFocus(True)
    view.setAccessibleName(title or QCoreApplication.translate("details", "Text"))
    view.setFixedHeight(QFontMetrics(view.font()).lineSpacing() * _MOST_LINES + 2 * Space.SMALL)
    return view


def _align(is_number: bool) -> Qt.AlignmentFlag:  # noqa: FBT001  # a fact about the column
    side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
