"""Tables of details: a lazy model, and a preview that fits its card and counts what does not fit."""

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

from app.i18n.time_text import format_number
from app.theme.tokens import Space
from app.widgets.details import DetailTable
from app.widgets.visible_text import tooltip_text

MAX_VISIBLE_ROWS = 8
_MAX_WIDTH, _MIN_WIDTH = 420, 88
_SAMPLED_ROWS = 20
_MIN_TOOLTIP_CHARS = 40
_Index = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()
translate = QCoreApplication.translate


class TableModel(QAbstractTableModel):
    """Formats cells when they are drawn, so that a million rows cost nothing."""

    def __init__(self, table: DetailTable) -> None:
        super().__init__()
        self._table = table
        self._width = len(table.columns) or max(map(len, table.rows[:1]), default=0)

    def rowCount(self, parent: _Index = _NO_PARENT) -> int:  # noqa: N802  # Qt's name
        return 0 if parent.isValid() else len(self._table.rows)

    def columnCount(self, parent: _Index = _NO_PARENT) -> int:  # noqa: N802  # Qt's name
        return 0 if parent.isValid() else self._width

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._cell(index).replace("\n", " ↵ ")
            case Qt.ItemDataRole.ToolTipRole:
                cell = self._cell(index)
                return None if len(cell) < _MIN_TOOLTIP_CHARS else tooltip_text(cell)
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
                return tooltip_text(self._table.columns[section])
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return self._align(section)
        elif role == Qt.ItemDataRole.DisplayRole:
            return str(section + 1)
        return None

    def _cell(self, index: _Index) -> str:
        row = self._table.rows[index.row()]
        return row[index.column()] if index.column() < len(row) else ""

    def _align(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in self._table.numeric else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


class PreviewTable(QTableView):
    changed = Signal()
    """`caption` and `is_fully_visible` may have changed."""

    def __init__(self, table: DetailTable, title: str) -> None:
        super().__init__()
        self.table = table
        self.setModel(TableModel(table))
        self.model().setParent(self)
        self.setAccessibleName(title or translate("details", "Details"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setVisible(bool(table.columns))
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setMinimumSectionSize(1)
        self.verticalHeader().setDefaultSectionSize(QFontMetrics(self.font()).height() + Space.SMALL)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._preferred = self._measure()
        self._columns = len(self._preferred)
        self._is_cut = False
        header = self.horizontalHeader().sizeHint().height() if table.columns else 0
        shown = min(len(table.rows), MAX_VISIBLE_ROWS)
        self.setFixedHeight(header + self.verticalHeader().defaultSectionSize() * shown + Space.HAIR)

    @property
    def is_fully_visible(self) -> bool:
        """Whether every row, column and cell is fully visible."""
        return not self._is_cut and len(self.table.rows) <= MAX_VISIBLE_ROWS and self._columns == len(self._preferred)

    @property
    def caption(self) -> str:
        """How much there is, if not all of it is visible."""
        number, width = len(self.table.rows), len(self._preferred)
        rows = translate("details", "{number} rows").format(number=format_number(number))
        if number == 1:
            rows = translate("details", "1 row")
        if self._columns < width:
            columns = translate("details", "{shown} of {number} columns shown")
            return f"{rows}, {columns.format(shown=self._columns, number=width)}"
        return rows if number > MAX_VISIBLE_ROWS else ""

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        self._distribute(self.viewport().width())
        self.changed.emit()

    def _measure(self) -> list[int]:
        """The preferred width of each column, by its header and first rows."""
        self.ensurePolished()
        metrics, rows = self.fontMetrics(), self.table.rows[:_SAMPLED_ROWS]
        heads = self.table.columns or ("",) * self.model().columnCount()
        return [
            max(map(metrics.horizontalAdvance, (head, *(row[place] for row in rows if place < len(row)))))
            + 3 * Space.SMALL
            for place, head in enumerate(heads)
        ]

    def _distribute(self, room: int) -> None:
        """Show as many columns as get a readable width; wide ones share what narrow ones leave."""
        self._columns = min(len(self._preferred), max(room // _MIN_WIDTH, 1))
        preferred = [min(width, _MAX_WIDTH) for width in self._preferred[: self._columns]]
        widths, spare, order = [0] * len(preferred), room, sorted(range(len(preferred)), key=preferred.__getitem__)
        for number, place in enumerate(order):
            widths[place] = min(preferred[place], spare // (len(order) - number))
            spare -= widths[place]
        if widths:
            widths[-1] += max(spare, 0)
        for place in range(len(self._preferred)):
            self.setColumnHidden(place, place >= self._columns)
            if place < self._columns:
                self.setColumnWidth(place, widths[place])
        self._is_cut = any(self._preferred[place] > width for place, width in enumerate(widths))
