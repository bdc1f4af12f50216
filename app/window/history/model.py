"""The history as a table model that loads more rows while scrolling; new rows appear on top, the others stay.

Cells are Qt's own items, so that painting and scrolling never call Python.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import IntEnum
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, QSignalBlocker, Qt
from PySide6.QtGui import QColor, QIcon, QStandardItem, QStandardItemModel

from app.i18n.state_labels import RunState
from app.i18n.time_text import format_clock_time, format_day_and_time, format_duration, format_time_range
from app.widgets.status_signs import run_sign
from app.widgets.visible_text import escape_invisible, tooltip_text
from app.window.history.history_data import HistoryRow, HistoryRows, describe_asked
from scheduler.engine.clock import SystemClock
from scheduler.rules.history_query import QuietRuns, RunRange

Index = QModelIndex | QPersistentModelIndex
_ACCESSIBLE_TEXT = Qt.ItemDataRole.AccessibleTextRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
translate = QCoreApplication.translate


_FOLDED_MARK, _UNFOLDED_MARK = "▸", "▾"


class HistoryColumn(IntEnum):
    WHEN = 0
    RESULT = 1
    WORKFLOW = 2
    JOB = 3
    PLANNED = 4
    WHAT = 5
    DURATION = 6


class HistoryModel(QStandardItemModel):
    """Does not read data itself: it calls `fetch_page` with its cursor, and the owner answers with `append`."""

    def __init__(
        self, zone: ZoneInfo, parent: QObject | None = None, *, fetch_page: Callable[[str], None] = lambda _: None
    ) -> None:
        super().__init__(0, len(HistoryColumn), parent)
        self._zone, self._now = zone, SystemClock().now().astimezone(zone)
        self._rows: list[HistoryRow] = []
        self._chips: Mapping[RunState, QIcon] = {}
        self._muted = QColor()
        self._minutes: dict[datetime, str] = {}
        self._cursor: str | None = None
        self._is_loading = False
        self._fetch_page = fetch_page
        self.setHorizontalHeaderLabels(
            [
                translate("history", "When"),
                translate("history", "Result"),
                translate("history", "Workflow"),
                translate("history", "Job"),
                translate("history", "Originally"),
                translate("history", "What happened"),
                translate("history", "Duration"),
            ]
        )
        self.horizontalHeaderItem(HistoryColumn.DURATION).setTextAlignment(_RIGHT)

    @property
    def rows(self) -> Sequence[HistoryRow]:
        return self._rows

    @property
    def cursor(self) -> str | None:
        return self._cursor

    @property
    def entry_count(self) -> int:
        """How many runs and times the rows stand for."""
        return sum(1 if row.quiet is None else 0 if row.quiet.is_unfolded else row.quiet.number for row in self._rows)

    @property
    def unfolded(self) -> tuple[RunRange, ...]:
        """The runs that the user has unfolded."""
        return tuple(row.quiet.runs for row in self._rows if row.quiet is not None and row.quiet.is_unfolded)

    def set_icons(self, chips: Mapping[RunState, QIcon], muted: QColor) -> None:
        """Set the icon of each state, and the colour of rows that stand for several runs."""
        self._chips, self._muted = chips, muted
        for place, row in enumerate(self._rows):
            self.item(place, HistoryColumn.RESULT).setIcon(chips[row.state])
            if row.quiet is not None:
                self._fill(place, [row])

    def find(self, key: str) -> int:
        """The place of a row; -1 if it is not loaded."""
        return next((place for place, row in enumerate(self._rows) if row.key == key), -1)

    def unfold(self, key: str, read: HistoryRows) -> None:
        """Show the runs that a row stands for below it."""
        place = self.find(key)
        if place >= 0 and read.rows:
            self._change(place, read.rows[0])
            self._insert(place + 1, read.rows[1:])

    def fold(self, key: str) -> None:
        """Hide the runs below the row that stands for them."""
        place = self.find(key)
        quiet = None if place < 0 else self._rows[place].quiet
        if quiet is None or not quiet.is_unfolded:
            return
        end = place + 1
        while end < len(self._rows) and self._rows[end].is_unfolded:
            end += 1
        self._remove(place + 1, end)
        self._change(place, replace(self._rows[place], quiet=replace(quiet, is_unfolded=False)))

    def copy_rows(self, places: Iterable[int]) -> str:
        """The rows as lines with tabs between the columns, as spreadsheets take them."""
        return "".join(f"{self._copy_row(self._rows[place])}\n" for place in places)

    def _copy_row(self, row: HistoryRow) -> str:
        cells = (
            f"{row.at.astimezone(self._zone):%Y-%m-%d %H:%M:%S}",
            run_sign(row.state).word,
            row.name,
            row.job,
            "" if row.planned is None else f"{row.planned.astimezone(self._zone):%Y-%m-%d %H:%M:%S}",
            self._describe(row),
            "" if row.duration is None else format_duration(row.duration),
            row.run or "",
        )
        return "\t".join(" ".join(cell.split()) for cell in cells)

    def replace_rows(self, read: HistoryRows, now: datetime) -> None:
        """Replace all rows: the filters changed."""
        self._now, self._cursor, self._is_loading = now, None, False  # an empty view would request more at once
        self._minutes = {}
        self._remove(0, len(self._rows))
        self._insert(0, read.rows)
        self._cursor = read.cursor

    def append(self, read: HistoryRows) -> None:
        self._is_loading = False
        self._cursor = read.cursor
        known = {row.key for row in self._rows}
        self._insert(len(self._rows), [row for row in read.rows if row.key not in known])

    def stop_loading(self) -> None:
        """More rows could not be read; the next scroll tries again."""
        self._is_loading = False

    def update_rows(self, read: HistoryRows, now: datetime) -> None:
        """Update to the first page as it is now: insert, change and remove rows in place."""
        self._remove_moved(read.rows)
        known = {row.key for row in self._rows}
        if not any(row.key in known for row in read.rows):
            self.replace_rows(read, now)
            return
        is_another_day = now.astimezone(self._zone).date() != self._now.astimezone(self._zone).date()
        self._now, self._minutes = now, {} if is_another_day else self._minutes
        place, new = 0, list[HistoryRow]()
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
        self._fail_followed(place, {row.retry_of for row in read.rows})
        if is_another_day:
            for place, row in enumerate(self._rows):
                self.item(place, HistoryColumn.WHEN).setText(self._format_when(row))
                self.item(place, HistoryColumn.PLANNED).setText(self._format_planned(row))

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802  # Qt's name
        return not parent.isValid() and self._cursor is not None and not self._is_loading

    def fetchMore(self, parent: Index) -> None:  # noqa: N802  # Qt's name
        if self.canFetchMore(parent) and self._cursor is not None:
            self._is_loading = True
            self._fetch_page(self._cursor)

    def tooltip(self, index: Index) -> str:
        """The tooltip of a cell."""
        row = self._rows[index.row()]
        if index.column() == HistoryColumn.WHEN:
            return f"{row.at.astimezone(self._zone):%Y-%m-%d %H:%M:%S %Z}"
        if index.column() == HistoryColumn.PLANNED and row.planned is not None:
            return f"{row.planned.astimezone(self._zone):%Y-%m-%d %H:%M:%S %Z}"
        has_text = index.column() == (HistoryColumn.WHAT if row.quiet is None else HistoryColumn.WORKFLOW)
        return tooltip_text(self._describe(row)) if has_text else ""

    def _insert(self, place: int, rows: Sequence[HistoryRow]) -> None:
        if rows:
            self._rows[place:place] = rows
            self.insertRows(place, len(rows))
            self._fill(place, rows)

    def _remove(self, first: int, end: int) -> None:
        if first < end:
            del self._rows[first:end]
            self.removeRows(first, end - first)

    def _change(self, place: int, row: HistoryRow) -> None:
        if self._rows[place] != row:
            self._rows[place] = row
            self._fill(place, [row])

    def _remove_moved(self, rows: Sequence[HistoryRow]) -> None:
        """Remove the runs that have another place now: those that continued after an answer."""
        times = {row.key: row.at for row in rows if row.run is not None}
        for place in range(len(self._rows) - 1, -1, -1):
            row = self._rows[place]
            if times.get(row.key, row.at) != row.at:
                self._remove(place, place + 1)

    def _fail_followed(self, first: int, followed: set[str | None]) -> None:
        """For rows below the first page: a waiting attempt counts as failed once another one follows it."""
        for place, row in enumerate(self._rows[first:], first):
            if row.run in followed and row.state in (RunState.RETRYING, RunState.WAITING):
                self._change(place, replace(row, state=RunState.FAILED))

    def _fill(self, first: int, rows: Sequence[HistoryRow]) -> None:
        """Notify views once, not for each cell."""
        with QSignalBlocker(self):
            for place, row in enumerate(rows, first):
                for column, item in enumerate(self._make_items(row)):
                    self.setItem(place, column, item)
        last = self.index(first + len(rows) - 1, len(HistoryColumn) - 1)
        self.dataChanged.emit(self.index(first, 0), last)

    def _make_items(self, row: HistoryRow) -> tuple[QStandardItem, ...]:
        result = QStandardItem()
        result.setData(run_sign(row.state).word, _ACCESSIBLE_TEXT)
        if row.state in self._chips:
            result.setIcon(self._chips[row.state])
        took = QStandardItem("" if row.duration is None else format_duration(row.duration))
        took.setTextAlignment(_RIGHT)
        what = QStandardItem(escape_invisible(self._describe(row)).replace("\n", " "))
        items = (
            QStandardItem(self._format_when(row)),
            result,
            QStandardItem(escape_invisible(row.name)),
            QStandardItem(escape_invisible(row.job)),
            QStandardItem(self._format_planned(row)),
            what,
            took,
        )
        if row.quiet is not None:
            self._write_across(row.quiet, row, items)
        return items

    def _write_across(self, quiet: QuietRuns, row: HistoryRow, items: Sequence[QStandardItem]) -> None:
        """One text instead of the columns from WORKFLOW on, which the view joins."""
        across, mark = items[HistoryColumn.WORKFLOW], _UNFOLDED_MARK if quiet.is_unfolded else _FOLDED_MARK
        across.setText(f"{mark} {self._describe(row)} · {across.text()}")
        across.setData(self._describe_folding(row), _ACCESSIBLE_TEXT)
        items[HistoryColumn.WHAT].setText("")
        for item in items:
            item.setForeground(self._muted)

    def _describe(self, row: HistoryRow) -> str:
        """What happened; with the times of several runs."""
        if row.quiet is None:
            return row.what
        first, last = (format_clock_time(at.replace(second=0), self._zone) for at in (row.quiet.first, row.quiet.last))
        return f"{row.what}, {first}" if first == last else f"{row.what}, {first}\N{EN DASH}{last}"

    def _describe_folding(self, row: HistoryRow) -> str:
        is_unfolded = row.quiet is not None and row.quiet.is_unfolded
        said = translate("history", "{what}, expanded") if is_unfolded else translate("history", "{what}, collapsed")
        return said.format(what=self._describe(row))

    def _format_planned(self, row: HistoryRow) -> str:
        """`for 14:00`, or `asked 09:00`; with the day if it differs from the one on which it ran."""
        if row.asked is not None and row.planned is None:
            return describe_asked(row.asked, row.at, self._zone, self._now)
        if row.planned is None:
            return ""
        is_same_day = row.planned.astimezone(self._zone).date() == row.at.astimezone(self._zone).date()
        at = (
            format_clock_time(row.planned, self._zone)
            if is_same_day
            else format_day_and_time(row.planned, self._zone, self._now)
        )
        return translate("history", "for {time}").format(time=at)

    def _format_when(self, row: HistoryRow) -> str:
        """Cached by minute: many runs start in the same one."""
        at = row.at.replace(second=0, microsecond=0)
        if row.until is not None:
            return _capitalise(format_time_range(at, row.until.replace(second=0), self._zone, self._now))
        if at not in self._minutes:
            self._minutes[at] = _capitalise(format_day_and_time(at, self._zone, self._now))
        return self._minutes[at]


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
