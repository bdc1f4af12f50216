"""A small grid to edit the rows of a table: cells, added rows, removed rows. Numbers stay numbers."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.theme.tokens import Space
from app.widgets.flow_layout import FlowLayout
from app.widgets.visible_text import escape_invisible

MAX_ROWS, MAX_COLUMNS = 100, 20
MAX_CELL_CHARS = 2_000
_MAX_VISIBLE_ROWS = 8
_ABSENT: Any = object()
"""In place of the value of a cell whose row does not have that column."""


def can_edit_rows(rows: Any) -> bool:
    """Whether they fit into the grid: not too many, all of the same form, and nothing hidden or nested in a cell."""
    if not isinstance(rows, list) or not 0 < len(rows) <= MAX_ROWS:
        return False
    if all(isinstance(row, dict) for row in rows):
        cells = [value for row in rows for value in row.values()]
        names = {name for row in rows for name in row}
        return 0 < len(names) <= MAX_COLUMNS and all(map(_is_plain, cells)) and all(map(_is_plain, names))
    if all(isinstance(row, list) for row in rows):
        longest = max(map(len, rows))
        return 0 < longest <= MAX_COLUMNS and all(_is_plain(value) for row in rows for value in row)
    return False


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_CELL_CHARS and "\n" not in value and escape_invisible(value) == value
    return value is None or isinstance(value, int | float)


class RowGrid(QWidget):
    changed = Signal()

    def __init__(self, rows: Sequence[Any], name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._are_objects = isinstance(rows[0], dict)
        self._columns: list[Any] = (
            list(dict.fromkeys(key for row in rows for key in row))
            if self._are_objects
            else list(range(max(map(len, rows))))
        )
        self._originals: list[list[Any]] = []
        """The values as they were given, by row and column: a cell only has text."""
        self.table = QTableWidget(0, len(self._columns))
        self.table.setAccessibleName(name)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.table.setTabKeyNavigation(False)
        self.table.setHorizontalHeaderLabels([str(one) if self._are_objects else str(one + 1) for one in self._columns])
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for row in rows:
            self._append(row)
        self.table.resizeColumnsToContents()
        self.table.itemChanged.connect(lambda _: self.changed.emit())
        self.add = QPushButton(self.tr("Add row"))
        self.remove = QPushButton(self.tr("Remove row"))
        for button in (self.add, self.remove):
            button.setAutoDefault(False)
        self.add.clicked.connect(self._add_row)
        self.remove.clicked.connect(self._remove_row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.SMALL)
        layout.addWidget(self.table)
        buttons = FlowLayout()
        buttons.addWidget(self.add)
        buttons.addWidget(self.remove)
        layout.addLayout(buttons)
        self._fit_height()

    def rows(self) -> list[Any]:
        """As they are now, in the form in which they were given."""
        return [self._read_row(place) for place in range(self.table.rowCount())]

    def _read_row(self, place: int) -> Any:
        cells = [(column, self._read_cell(place, index)) for index, column in enumerate(self._columns)]
        if self._are_objects:
            return {column: value for column, value in cells if value is not _ABSENT}
        values = [value for _, value in cells]
        while values and values[-1] is _ABSENT:
            values.pop()
        return [None if value is _ABSENT else value for value in values]

    def _read_cell(self, row: int, column: int) -> Any:
        """The original value if its text was not changed; a number if its column has numbers."""
        item = self.table.item(row, column)
        original, text = self._originals[row][column], "" if item is None else item.text()
        if text == _write(original):
            return original
        number = _parse_number(text)
        return number if number is not None and self._has_numbers(column) else text

    def _has_numbers(self, column: int) -> bool:
        values = [row[column] for row in self._originals]
        return any(isinstance(one, int | float) and not isinstance(one, bool) for one in values)

    def _append(self, row: Any) -> None:
        place = self.table.rowCount()
        self.table.insertRow(place)
        self._originals.append([])
        for index, column in enumerate(self._columns):
            has_cell = column in row if self._are_objects else column < len(row)
            value = row[column] if has_cell else _ABSENT
            self._originals[-1].append(value)
            self.table.setItem(place, index, QTableWidgetItem(_write(value)))

    def _add_row(self) -> None:
        if self.table.rowCount() < MAX_ROWS:
            self._append({} if self._are_objects else [])
            self._fit_height()
            self.table.setCurrentCell(self.table.rowCount() - 1, 0)
            self.table.setFocus()
            self.changed.emit()

    def _remove_row(self) -> None:
        place = self.table.currentRow()
        if place >= 0 and self.table.rowCount() > 1:
            self.table.removeRow(place)
            del self._originals[place]
            self._fit_height()
            self.changed.emit()

    def _fit_height(self) -> None:
        shown = min(self.table.rowCount(), _MAX_VISIBLE_ROWS)
        height = self.table.verticalHeader().defaultSectionSize() * shown
        self.table.setFixedHeight(self.table.horizontalHeader().sizeHint().height() + height + 2 * Space.SMALL)


def _write(value: Any) -> str:
    if value is _ABSENT or value is None:
        return ""
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _parse_number(text: str) -> int | float | None:
    for read in (int, float):
        try:
            number = read(text.strip())
        except ValueError:
            continue
        return number if abs(number) < float("inf") else None
    return None
