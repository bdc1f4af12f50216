"""Past runs and times as a table that grows while one scrolls; news come on top, and nothing else moves."""

from collections.abc import Callable, Sequence
from datetime import datetime
from enum import IntEnum
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.times import say_range, say_span, say_time
from app.widgets.plain import as_tooltip, reveal
from app.widgets.signs import sign_run
from app.window.history_rows import Read, Row, settle_retries
from app.words import RunState

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
_ANSWERED = frozenset(
    (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.TextAlignmentRole, ROW)
)
"""A view asks for many more, for every cell that it draws."""
translate = QCoreApplication.translate


class Column(IntEnum):
    WHEN = 0
    RESULT = 1
    WORKFLOW = 2
    WHAT = 3
    TOOK = 4


class HistoryModel(QAbstractTableModel):
    """Whoever owns it reads pages; it asks for more through `more` and is given them."""

    def __init__(self, zone: ZoneInfo, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._zone, self._now = zone, datetime.now(zone)
        self._rows: list[Row] = []
        self._followed: set[str] = set()
        self._cursor: str | None = None
        self._is_waiting = False
        self.more: Callable[[str], None] = lambda _: None
        """Told where to go on when the view wants more; the answer comes as `append`."""

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    @property
    def cursor(self) -> str | None:
        return self._cursor

    def start(self, read: Read, now: datetime) -> None:
        """Other rows altogether: something else is looked for."""
        self.beginResetModel()
        self._now, self._cursor, self._is_waiting = now, read.cursor, False
        self._followed = _followed(read.rows)
        self._rows = settle_retries(read.rows, self._followed)
        self.endResetModel()

    def append(self, read: Read) -> None:
        self._is_waiting = False
        self._cursor = read.cursor
        self._followed |= _followed(read.rows)
        known = {row.key for row in self._rows}
        fresh = settle_retries([row for row in read.rows if row.key not in known], self._followed)
        if fresh:
            first = len(self._rows)
            self.beginInsertRows(QModelIndex(), first, first + len(fresh) - 1)
            self._rows += fresh
            self.endInsertRows()

    def give_up(self) -> None:
        """More could not be read; the next scroll tries again."""
        self._is_waiting = False

    def renew(self, read: Read, now: datetime) -> None:
        """The first page as it is now: what is new is put on top, what changed is changed."""
        self._now = now
        self._followed |= _followed(read.rows)
        fresh = settle_retries(read.rows, self._followed)
        places = {row.key: place for place, row in enumerate(fresh)}
        first = None if not self._rows else places.get(self._rows[0].key)
        keys = [row.key for row in self._rows[: len(fresh) - (first or 0)]]
        if first is None or [row.key for row in fresh[first:]] != keys:
            if self._rows or fresh:
                self.start(read, now)
            return
        if first:
            self.beginInsertRows(QModelIndex(), 0, first - 1)
            self._rows[:0] = fresh[:first]
            self.endInsertRows()
        for place in range(first, len(fresh)):
            self._change(place, fresh[place])
        for place in range(len(fresh), len(self._rows)):
            if self._rows[place].state is RunState.RETRYING:
                self._change(place, settle_retries([self._rows[place]], self._followed)[0])

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008  # Qt's name and default
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008  # Qt's name and default
        return 0 if parent.isValid() else len(Column)

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802  # Qt's name
        return not parent.isValid() and self._cursor is not None and not self._is_waiting

    def fetchMore(self, parent: Index) -> None:  # noqa: N802  # Qt's name
        if self.canFetchMore(parent) and self._cursor is not None:
            self._is_waiting = True
            self.more(self._cursor)

    def headerData(  # noqa: N802  # Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role != Qt.ItemDataRole.DisplayRole or orientation is not Qt.Orientation.Horizontal:
            return None
        match Column(section):
            case Column.WHEN:
                return translate("history", "When")
            case Column.RESULT:
                return translate("history", "Result")
            case Column.WORKFLOW:
                return translate("history", "Workflow")
            case Column.WHAT:
                return translate("history", "What happened")
            case Column.TOOK:
                return translate("history", "Took")

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in _ANSWERED or not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._say(row, Column(index.column()))
            case Qt.ItemDataRole.ToolTipRole:
                return self._tip(row, Column(index.column()))
            case Qt.ItemDataRole.TextAlignmentRole if index.column() == Column.TOOK:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case _:
                return row if role == ROW else None

    def _say(self, row: Row, column: Column) -> str:
        match column:
            case Column.WHEN:
                at = row.at.replace(second=0, microsecond=0)
                if row.until is not None:
                    return _upper(say_range(at, row.until.replace(second=0), self._zone, self._now))
                return _upper(say_time(at, self._zone, self._now))
            case Column.RESULT:
                return sign_run(row.state).word
            case Column.WORKFLOW:
                return reveal(row.name)
            case Column.WHAT:
                return reveal(row.what).replace("\n", " ")
            case Column.TOOK:
                return "" if row.took is None else say_span(row.took)

    def _tip(self, row: Row, column: Column) -> str:
        if column is Column.WHEN:
            return f"{row.at.astimezone(self._zone):%Y-%m-%d %H:%M:%S %Z}"
        return as_tooltip(row.what) if column is Column.WHAT else ""

    def _change(self, place: int, row: Row) -> None:
        if self._rows[place] != row:
            self._rows[place] = row
            self.dataChanged.emit(self.index(place, 0), self.index(place, len(Column) - 1))


def _followed(rows: Sequence[Row]) -> set[str]:
    return {row.retry_of for row in rows if row.retry_of is not None}


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
