"""Past runs and times as a table that grows while one scrolls; news come on top, and nothing else moves.

The cells are Qt's own items, so that drawing and scrolling never wait for Python.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import IntEnum
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, QSignalBlocker, Qt
from PySide6.QtGui import QIcon, QStandardItem, QStandardItemModel

from app.widgets.plain import as_tooltip, reveal
from app.widgets.signs import sign_run
from app.window.history_rows import Read, Row
from app.words.states import RunState
from app.words.times import say_range, say_span, say_time
from scheduler.engine.clock import SystemClock

Index = QModelIndex | QPersistentModelIndex
_WORD = Qt.ItemDataRole.AccessibleTextRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
translate = QCoreApplication.translate


class Column(IntEnum):
    WHEN = 0
    RESULT = 1
    WORKFLOW = 2
    WHAT = 3
    TOOK = 4


class HistoryModel(QStandardItemModel):
    """Whoever owns it reads pages; it asks for more through `more` and is given them."""

    def __init__(self, zone: ZoneInfo, parent: QObject | None = None) -> None:
        super().__init__(0, len(Column), parent)
        self._zone, self._now = zone, SystemClock().now().astimezone(zone)
        self._rows: list[Row] = []
        self._chips: Mapping[RunState, QIcon] = {}
        self._minutes: dict[datetime, str] = {}
        self._cursor: str | None = None
        self._is_waiting = False
        self.more: Callable[[str], None] = lambda _: None
        """Told where to go on when the view wants more; the answer comes as `append`."""
        self.setHorizontalHeaderLabels(
            [
                translate("history", "When"),
                translate("history", "Result"),
                translate("history", "Workflow"),
                translate("history", "What happened"),
                translate("history", "Took"),
            ]
        )
        self.horizontalHeaderItem(Column.TOOK).setTextAlignment(_RIGHT)

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    @property
    def cursor(self) -> str | None:
        return self._cursor

    def dress(self, chips: Mapping[RunState, QIcon]) -> None:
        """Show results with these."""
        self._chips = chips
        for place, row in enumerate(self._rows):
            self.item(place, Column.RESULT).setIcon(chips[row.state])

    def start(self, read: Read, now: datetime) -> None:
        """Other rows altogether: something else is looked for."""
        self._now, self._cursor, self._is_waiting = now, None, False  # an empty view would want more at once
        self._minutes = {}
        self._remove(0, len(self._rows))
        self._insert(0, read.rows)
        self._cursor = read.cursor

    def append(self, read: Read) -> None:
        self._is_waiting = False
        self._cursor = read.cursor
        known = {row.key for row in self._rows}
        self._insert(len(self._rows), [row for row in read.rows if row.key not in known])

    def give_up(self) -> None:
        """More could not be read; the next scroll tries again."""
        self._is_waiting = False

    def renew(self, read: Read, now: datetime) -> None:
        """The first page as it is now: what is new is put in, what changed is changed, what is gone goes."""
        known = {row.key for row in self._rows}
        if not any(row.key in known for row in read.rows):
            self.start(read, now)
            return
        is_another_day = now.astimezone(self._zone).date() != self._now.astimezone(self._zone).date()
        self._now, self._minutes = now, {} if is_another_day else self._minutes
        place, new = 0, list[Row]()
        for row in read.rows:
            if row.key not in known:
                new.append(row)
                continue
            self._insert(place, new)
            place, new = place + len(new), []
            self._remove(place, next(at for at in range(place, len(self._rows)) if self._rows[at].key == row.key))
            self._change(place, row)
            place += 1
        self._insert(place, new)
        place += len(new)
        if read.cursor is None:
            self._remove(place, len(self._rows))
        self._settle(place, {row.retry_of for row in read.rows})
        if is_another_day:
            for place, row in enumerate(self._rows):
                self.item(place, Column.WHEN).setText(self._say_when(row))

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802  # Qt's name
        return not parent.isValid() and self._cursor is not None and not self._is_waiting

    def fetchMore(self, parent: Index) -> None:  # noqa: N802  # Qt's name
        if self.canFetchMore(parent) and self._cursor is not None:
            self._is_waiting = True
            self.more(self._cursor)

    def tip(self, index: Index) -> str:
        """What there is to read about a cell that it does not show."""
        row = self._rows[index.row()]
        if index.column() == Column.WHEN:
            return f"{row.at.astimezone(self._zone):%Y-%m-%d %H:%M:%S %Z}"
        return as_tooltip(row.what) if index.column() == Column.WHAT else ""

    def _insert(self, place: int, rows: Sequence[Row]) -> None:
        if rows:
            self._rows[place:place] = rows
            self.insertRows(place, len(rows))
            self._fill(place, rows)

    def _remove(self, first: int, end: int) -> None:
        if first < end:
            del self._rows[first:end]
            self.removeRows(first, end - first)

    def _change(self, place: int, row: Row) -> None:
        if self._rows[place] != row:
            self._rows[place] = row
            self._fill(place, [row])

    def _settle(self, first: int, followed: set[str | None]) -> None:
        """Rows that were not read again: what waited no longer does once another attempt took its place."""
        for place, row in enumerate(self._rows[first:], first):
            if row.run in followed and row.state in (RunState.RETRYING, RunState.WAITING):
                self._change(place, replace(row, state=RunState.FAILED))

    def _fill(self, first: int, rows: Sequence[Row]) -> None:
        """Told to views once, not cell by cell."""
        with QSignalBlocker(self):
            for place, row in enumerate(rows, first):
                for column, item in enumerate(self._make_items(row)):
                    self.setItem(place, column, item)
        last = self.index(first + len(rows) - 1, len(Column) - 1)
        self.dataChanged.emit(self.index(first, 0), last)

    def _make_items(self, row: Row) -> tuple[QStandardItem, ...]:
        result = QStandardItem()
        result.setData(sign_run(row.state).word, _WORD)
        if row.state in self._chips:
            result.setIcon(self._chips[row.state])
        took = QStandardItem("" if row.took is None else say_span(row.took))
        took.setTextAlignment(_RIGHT)
        return (
            QStandardItem(self._say_when(row)),
            result,
            QStandardItem(reveal(row.name)),
            QStandardItem(reveal(row.what).replace("\n", " ")),
            took,
        )

    def _say_when(self, row: Row) -> str:
        """Many begin in the same minute, which is said once."""
        at = row.at.replace(second=0, microsecond=0)
        if row.until is not None:
            return _upper(say_range(at, row.until.replace(second=0), self._zone, self._now))
        if at not in self._minutes:
            self._minutes[at] = _upper(say_time(at, self._zone, self._now))
        return self._minutes[at]


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
