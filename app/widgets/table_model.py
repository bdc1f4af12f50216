"""A table for Qt's views: cells are written when they are drawn, so that a million rows cost nothing."""

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from app.widgets.details import Table
from app.widgets.plain import as_tooltip

_LONG_CELL = 40
_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class TableModel(QAbstractTableModel):
    def __init__(self, table: Table) -> None:
        super().__init__()
        self._table = table
        self._width = len(table.columns) or max(map(len, table.rows[:1]), default=0)

    def rowCount(self, parent: _Index = _NOWHERE) -> int:  # noqa: N802  # Qt's name
        return 0 if parent.isValid() else len(self._table.rows)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:  # noqa: N802  # Qt's name
        return 0 if parent.isValid() else self._width

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._read(index).replace("\n", " ↵ ")
            case Qt.ItemDataRole.ToolTipRole:
                cell = self._read(index)
                return None if len(cell) < _LONG_CELL else as_tooltip(cell)
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._align(index.column())
            case _:
                return None

    def headerData(  # noqa: N802  # Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self._table.columns[section] if self._table.columns else ""
            if role == Qt.ItemDataRole.ToolTipRole and self._table.columns:
                return as_tooltip(self._table.columns[section])
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return self._align(section)
        elif role == Qt.ItemDataRole.DisplayRole:
            return str(section + 1)
        return None

    def _read(self, index: _Index) -> str:
        row = self._table.rows[index.row()]
        return row[index.column()] if index.column() < len(row) else ""

    def _align(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in self._table.numeric else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter
