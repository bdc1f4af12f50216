"""The rows of a table of approvals: what each would do, whether it is ticked, and what became of its answer."""

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt, Signal

from app.requests.call_table import CallRow, CallTable, fixed_heads
from app.widgets.visible_text import remove_break_points, tooltip_text
from scheduler.engine.queries.requests import RequestView

MAX_CELL_PX = 320
"""The width of the widest columns, where there is room; longer texts have several lines."""
MAX_CELL_LINES = 5
"""In a column of that width. A row with a longer cell is marked, and does not show it in full."""
_Index = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()
_WHEN = 0
translate = QCoreApplication.translate


class ApprovalModel(QAbstractTableModel):
    """Column 0 has the box and the time; then come the parameters, the script's sentence, and the outcome.

    A row that does not show its whole call has no box until its card was opened.
    """

    ticks_changed = Signal()

    def __init__(self, break_words: Callable[[str], str], count_lines: Callable[[str], int]) -> None:
        """`break_words` lets long words such as paths wrap; `count_lines`: how many lines a text needs then."""
        super().__init__()
        self._break_words, self._count_lines = break_words, count_lines
        self._table = CallTable(columns=(), numeric=frozenset(), rows=())
        self._ticked: set[tuple[str, str | None]] = set()
        """By request and the hash of its call: another call is not ticked."""
        self._opened: set[tuple[str, str | None]] = set()
        self._outcomes: dict[str, str] = {}
        self._fits: dict[str, bool] = {}
        self._cells: dict[str, tuple[str, ...]] = {}
        """As they are shown: long words have break points."""
        self.is_locked = False
        """While an answer is being sent."""

    @property
    def table(self) -> CallTable:
        return self._table

    @property
    def has_outcomes(self) -> bool:
        return bool(self._outcomes)

    def show_table(self, table: CallTable) -> None:
        if table == self._table:
            return
        self.beginResetModel()
        self._table = table
        self._cells = {row.request.id: tuple(map(self._break_words, row.cells)) for row in table.rows}
        lines = {id_: max(map(self._count_lines, cells), default=1) for id_, cells in self._cells.items()}
        self._fits = {row.request.id: row.is_complete and lines[row.request.id] <= MAX_CELL_LINES for row in table.rows}
        self._ticked &= {_key_of(row.request) for row in table.rows}
        self.endResetModel()
        self.ticks_changed.emit()

    def ticked(self) -> list[RequestView]:
        return [row.request for row in self._table.rows if self.is_ticked(row.request)]

    def is_ticked(self, one: RequestView) -> bool:
        return _key_of(one) in self._ticked

    def can_tick(self, one: RequestView) -> bool:
        is_shown = self._fits.get(one.id, False) or _key_of(one) in self._opened
        return is_shown and one.id not in self._outcomes and not self.is_locked

    def count_marked(self) -> int:
        """Rows that must be opened before they can be ticked."""
        return sum(not self.can_tick(row.request) and row.request.id not in self._outcomes for row in self._table.rows)

    def set_ticked(self, requests: Iterable[RequestView], *, on: bool) -> None:
        """Those that cannot be ticked stay as they are."""
        keys = {_key_of(one) for one in requests if self.can_tick(one)}
        self._ticked = self._ticked | keys if on else self._ticked - keys
        self._emit_changed()

    def mark_opened(self, one: RequestView) -> None:
        """Its card, with the whole call, was shown."""
        self._opened.add(_key_of(one))
        self._emit_changed()

    def lock(self, *, on: bool) -> None:
        self.is_locked = on
        self._emit_changed()

    def show_outcomes(self, outcomes: dict[str, str]) -> None:
        """What became of the answers, by request; such rows can no longer be ticked."""
        self._outcomes |= outcomes
        self._ticked = {key for key in self._ticked if key[0] not in self._outcomes}
        self._emit_changed()

    def fits(self, place: int) -> bool:
        return self._fits[self._table.rows[place].request.id]

    def find_row(self, request: str) -> int | None:
        return next((place for place, row in enumerate(self._table.rows) if row.request.id == request), None)

    def rowCount(self, parent: _Index = _NO_PARENT) -> int:  # noqa: N802  # Qt's name
        return 0 if parent.isValid() else len(self._table.rows)

    def columnCount(self, parent: _Index = _NO_PARENT) -> int:  # noqa: N802  # Qt's name
        return 0 if parent.isValid() else len(self._table.columns) + 3

    def flags(self, index: _Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        is_box = index.column() == _WHEN and self.can_tick(self._table.rows[index.row()].request)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if is_box else flags

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._table.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._cell(row, index.column())
            case Qt.ItemDataRole.CheckStateRole if index.column() == _WHEN:
                if self.is_ticked(row.request):
                    return Qt.CheckState.Checked
                return Qt.CheckState.Unchecked if self.can_tick(row.request) else None
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip_text(self._explain(row, index.column()))
            case Qt.ItemDataRole.AccessibleTextRole if index.column() == _WHEN:
                return self._describe(row)
            case Qt.ItemDataRole.TextAlignmentRole:
                is_number = index.column() - 1 in self._table.numeric
                side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
            case _:
                return None

    def setData(self, index: _Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802  # Qt's name
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        self.set_ticked([self._table.rows[index.row()].request], on=Qt.CheckState(value) is Qt.CheckState.Checked)
        return True

    def headerData(  # noqa: N802  # Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.heads()[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section - 1 in self._table.numeric else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def heads(self) -> Sequence[str]:
        asked, says, result = fixed_heads()
        return (asked, *self._table.columns, says, result)

    def _cell(self, row: CallRow, column: int) -> str:
        if column == _WHEN:
            if row.request.id in self._outcomes or self.can_tick(row.request) or self.is_locked:
                return row.when
            return translate("groups", "{time}, does not fit").format(time=row.when)
        if column <= len(self._table.columns):
            return self._cells[row.request.id][column - 1]
        return row.sentence if column == len(self._table.columns) + 1 else self._outcomes.get(row.request.id, "")

    def _explain(self, row: CallRow, column: int) -> str:
        if column == _WHEN and not self._fits.get(row.request.id, False):
            return translate("groups", "Not everything it would do fits into the table. Open it to see all of it.")
        return remove_break_points(self._cell(row, column))

    def _describe(self, row: CallRow) -> str:
        """The first cell for screen readers, which do not all read the box."""
        said = translate("groups", "selected") if self.is_ticked(row.request) else translate("groups", "not selected")
        return f"{self._cell(row, _WHEN)}, {said}"

    def _emit_changed(self) -> None:
        if self._table.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))
        self.ticks_changed.emit()


def _key_of(one: RequestView) -> tuple[str, str | None]:
    return one.id, one.call_hash
