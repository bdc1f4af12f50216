"""All of what a card shows a part of: a text page by page, or a table with each row in full below it."""

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

from app.look.theme import Space
from app.widgets.details import Table
from app.widgets.fitting import fit
from app.widgets.paged_text import PagedText
from app.widgets.plain import reveal
from app.widgets.table_model import TableModel

_SIZE = QSize(860, 620)
_COLUMN = 160


class ShowAllDialog(QDialog):
    """Everything that it holds is gone when it is closed."""

    def __init__(self, title: str, body: QWidget, parent: QWidget) -> None:
        super().__init__(parent.window())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.body = body
        fit(self, _SIZE)
        close = QPushButton(self.tr("Close"))
        close.clicked.connect(self.reject)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(body, 1)
        layout.addLayout(row)


class WholeTable(QSplitter):
    """All rows and columns; the row that is chosen stands below, exactly and wrapped."""

    def __init__(self, table: Table, name: str) -> None:
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
        self.view.horizontalHeader().setDefaultSectionSize(_COLUMN)
        self.view.horizontalHeader().setStretchLastSection(True)
        self.view.selectionModel().currentRowChanged.connect(self._show_row)
        self.row = PagedText(name=self.tr("The chosen row"))
        self.addWidget(self.view)
        self.addWidget(self.row)
        self.setChildrenCollapsible(False)
        self.setStretchFactor(0, 3)
        self.setStretchFactor(1, 2)
        if table.rows:
            self.view.selectRow(0)

    def _show_row(self, current: QModelIndex, _before: QModelIndex) -> None:
        place = current.row()
        whole = "\n".join(self._table.rows[place]) if self._table.whole is None else self._table.whole(place)
        self.row.set_text(whole)


def show_text(title: str, read: Callable[[], str], parent: QWidget) -> ShowAllDialog:
    return _open(ShowAllDialog(reveal(title), PagedText(read(), reveal(title)), parent))


def show_table(title: str, table: Table, parent: QWidget) -> ShowAllDialog:
    return _open(ShowAllDialog(reveal(title), WholeTable(table, reveal(title)), parent))


def _open(dialog: ShowAllDialog) -> ShowAllDialog:
    dialog.open()
    return dialog
