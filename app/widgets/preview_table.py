"""A table on a card: it fits the card's width and never scrolls sideways; what does not fit is counted."""

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

from app.look.theme import Space
from app.widgets.details import Table
from app.widgets.table_model import TableModel
from app.words.times import say_number

SHOWN_ROWS = 8
_MAX_WIDTH, _MIN_WIDTH = 420, 88
_SAMPLE = 20
translate = QCoreApplication.translate


class PreviewTable(QTableView):
    changed = Signal()
    """What fits is different now: look at `caption` and `is_whole` again."""

    def __init__(self, table: Table, title: str) -> None:
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
        self._wanted = self._measure()
        self._columns = len(self._wanted)
        self._is_cut = False
        header = self.horizontalHeader().sizeHint().height() if table.columns else 0
        shown = min(len(table.rows), SHOWN_ROWS)
        self.setFixedHeight(header + self.verticalHeader().defaultSectionSize() * shown + Space.HAIR)

    @property
    def is_whole(self) -> bool:
        """Whether all of it is in sight."""
        return not self._is_cut and len(self.table.rows) <= SHOWN_ROWS and self._columns == len(self._wanted)

    @property
    def caption(self) -> str:
        """How much there is, where that is more than is in sight."""
        number, width = len(self.table.rows), len(self._wanted)
        rows = translate("details", "{number} rows").format(number=say_number(number))
        if number == 1:
            rows = translate("details", "1 row")
        if self._columns < width:
            columns = translate("details", "{shown} of {number} columns shown")
            return f"{rows}, {columns.format(shown=self._columns, number=width)}"
        return rows if number > SHOWN_ROWS else ""

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        self._share(self.viewport().width())
        self.changed.emit()

    def _measure(self) -> list[int]:
        """How wide each column would like to be, by its head and its first rows."""
        self.ensurePolished()
        metrics, rows = self.fontMetrics(), self.table.rows[:_SAMPLE]
        heads = self.table.columns or ("",) * self.model().columnCount()
        return [
            max(map(metrics.horizontalAdvance, (head, *(row[place] for row in rows if place < len(row)))))
            + 3 * Space.SMALL
            for place, head in enumerate(heads)
        ]

    def _share(self, room: int) -> None:
        """As many columns as get a readable width; narrow ones what they want, wide ones a fair part of the rest."""
        self._columns = min(len(self._wanted), max(room // _MIN_WIDTH, 1))
        wanted = [min(width, _MAX_WIDTH) for width in self._wanted[: self._columns]]
        widths, left, open_ = [0] * len(wanted), room, sorted(range(len(wanted)), key=wanted.__getitem__)
        for number, place in enumerate(open_):
            widths[place] = min(wanted[place], left // (len(open_) - number))
            left -= widths[place]
        if widths:
            widths[-1] += max(left, 0)
        for place in range(len(self._wanted)):
            self.setColumnHidden(place, place >= self._columns)
            if place < self._columns:
                self.setColumnWidth(place, widths[place])
        self._is_cut = any(self._wanted[place] > width for place, width in enumerate(widths))
