"""Dialogs with the full content that a card truncates: a paged text, or a table with its selected row in full."""

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.theme.tokens import Space
from app.widgets.details import DetailTable
from app.widgets.fit_to_screen import fit_to_screen
from app.widgets.paged_text import PagedText
from app.widgets.preview_table import TableModel
from app.widgets.visible_text import escape_invisible

_DIALOG_SIZE = QSize(860, 620)
_COLUMN_WIDTH = 160


class ShowAllDialog(QDialog):
    """Deleted with its content on close."""

    def __init__(self, title: str, body: QWidget, parent: QWidget) -> None:
        super().__init__(parent.window())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.body = body
        fit_to_screen(self, _DIALOG_SIZE)
        close = QPushButton(self.tr("Close"))
        close.clicked.connect(self.reject)
        close.setDefault(True)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(body, 1)
        layout.addLayout(row)


class FullTable(QSplitter):
    """All rows and columns; the selected row is below, in full and wrapped."""

    def __init__(self, table: DetailTable, name: str) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._table = table
        self.view = QTableView()
        self.view.setModel(TableModel(table))
        self.view.model().setParent(self.view)
        self.view.setAccessibleName(name)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setTabKeyNavigation(False)
        self.view.setWordWrap(False)
        self.view.setAlternatingRowColors(True)
        self.view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.view.horizontalHeader().setVisible(bool(table.columns))
        self.view.horizontalHeader().setDefaultSectionSize(_COLUMN_WIDTH)
        self.view.horizontalHeader().setStretchLastSection(True)
        self.view.selectionModel().currentRowChanged.connect(self._show_row)
        self.row = PagedText(name=self.tr("Selected row"))
        self.addWidget(self.view)
        self.addWidget(self.row)
        self.setChildrenCollapsible(False)
        self.setStretchFactor(0, 3)
        self.setStretchFactor(1, 2)
        if table.rows:
            self.view.selectRow(0)

    def _show_row(self, current: QModelIndex, _before: QModelIndex) -> None:
        place = current.row()
        whole = "\n".join(self._table.rows[place]) if self._table.full_row is None else self._table.full_row(place)
        self.row.set_text(whole)


def open_text_dialog(title: str, load_text: Callable[[], str], parent: QWidget) -> ShowAllDialog:
    return _open(ShowAllDialog(escape_invisible(title), PagedText(load_text(), escape_invisible(title)), parent))


def open_table_dialog(title: str, table: DetailTable, parent: QWidget) -> ShowAllDialog:
    return _open(ShowAllDialog(escape_invisible(title), FullTable(table, escape_invisible(title)), parent))


def _open(dialog: ShowAllDialog) -> ShowAllDialog:
    dialog.open()
    return dialog
