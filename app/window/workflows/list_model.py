"""The workflows as rows of a list: read away from the GUI thread, changed only where something changed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)

from app.life.installation import Installation
from app.widgets.plain import as_tooltip
from app.widgets.signs import sign_workflow
from app.widgets.strip import describe_strip
from app.window.history_rows import read_strips
from app.words.interpreting import interpret
from app.words.states import RunState
from app.words.times import say_until
from scheduler.engine.workflows.names import as_people_count
from scheduler.engine.workflows.views.workflows import WorkflowView
from scheduler.rules.states import WorkflowState

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
translate = QCoreApplication.translate
_WAITS = {WorkflowState.IDLE, WorkflowState.QUEUED, WorkflowState.RUNNING, WorkflowState.RETRYING}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRow:
    view: WorkflowView
    strip: tuple[RunState, ...] | None = ()
    """Its last outcomes, or None before they are read."""

    @property
    def is_paused(self) -> bool:
        return self.view.state is WorkflowState.PAUSED

    @property
    def past(self) -> str:
        return "" if self.strip is None else describe_strip(self.strip)


def say_next(view: WorkflowView, now: datetime) -> str:
    """`Next in 3 min`; nothing where it is not going to run by itself."""
    if view.next is None or view.state not in _WAITS:
        return ""
    if view.next <= now:
        return translate("workflows", "Due now")
    return translate("workflows", "Next {until}").format(until=say_until(view.next, now))


@dataclass(slots=True)
class RowReader:
    """Reads all rows again, but outcomes only of those that something happened to. One question at a time."""

    installation: Installation
    _number: int = -1
    _views: dict[str, WorkflowView] = field(default_factory=dict)
    _strips: dict[str, tuple[RunState, ...]] = field(default_factory=dict)

    def read(self, *, archived: bool = False, outcomes: bool = True) -> list[WorkflowRow]:
        """Without `outcomes` it is quick, however many there are: something to see at once."""
        views = self.installation.views
        found = views.workflows()
        if archived:
            found += views.workflows(state=WorkflowState.ARCHIVED)
        if outcomes:
            self._read_outcomes(found)
        found.sort(key=lambda one: (as_people_count(one.name), one.workflow))
        return [WorkflowRow(view=one, strip=self._strips.get(one.workflow)) for one in found]

    def _read_outcomes(self, found: Sequence[WorkflowView]) -> None:
        views = self.installation.views
        stale = {one.workflow for one in found if self._views.get(one.workflow) != one}
        if self._number >= 0:
            stale |= {run.workflow for run in views.news(self._number).runs}
        self._number = views.last_number()
        known = {one.workflow for one in found}
        self._strips |= read_strips(self.installation, stale & known)
        self._views = {one.workflow: one for one in found}


class WorkflowsModel(QAbstractListModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[WorkflowRow] = []
        self._now: datetime | None = None

    @property
    def rows(self) -> Sequence[WorkflowRow]:
        return self._rows

    def set_rows(self, rows: Sequence[WorkflowRow], now: datetime) -> None:
        """Changed rows are changed in place; only a different set of workflows moves anything."""
        self._now = now
        if [one.view.workflow for one in rows] != [one.view.workflow for one in self._rows]:
            self._take_out({one.view.workflow for one in rows})
            self._put_in(rows)
        for place, (old, new) in enumerate(zip(self._rows, rows, strict=True)):
            if old != new:
                self._rows[place] = new
                self.dataChanged.emit(self.index(place), self.index(place))

    def set_now(self, now: datetime) -> None:
        """What is said of coming times changes as time goes by."""
        self._now = now
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1), [Qt.ItemDataRole.DisplayRole])

    def place_of(self, workflow: str) -> int:
        return next((place for place, one in enumerate(self._rows) if one.view.workflow == workflow), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008  # Qt's name and default
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.view.name
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._say(row)
            case Qt.ItemDataRole.ToolTipRole:
                return as_tooltip(f"{interpret(row.view.words)}\n{row.past}".strip())
            case _:
                return row if role == ROW else None

    def say_next(self, row: WorkflowRow) -> str:
        return "" if self._now is None else say_next(row.view, self._now)

    def _say(self, row: WorkflowRow) -> str:
        parts = (
            row.view.name,
            sign_workflow(row.view.state).word,
            interpret(row.view.words),
            self.say_next(row),
            row.past,
        )
        return ". ".join(part.rstrip(".") for part in parts if part)

    def _take_out(self, kept: set[str]) -> None:
        for place in reversed(range(len(self._rows))):
            if self._rows[place].view.workflow not in kept:
                self.beginRemoveRows(QModelIndex(), place, place)
                del self._rows[place]
                self.endRemoveRows()

    def _put_in(self, rows: Sequence[WorkflowRow]) -> None:
        if not self._rows:
            self.beginInsertRows(QModelIndex(), 0, len(rows) - 1)
            self._rows = list(rows)
            self.endInsertRows()
            return
        for place, row in enumerate(rows):
            if place < len(self._rows) and self._rows[place].view.workflow == row.view.workflow:
                continue
            if self.place_of(row.view.workflow) >= 0:  # renamed: the order changed
                self.beginResetModel()
                self._rows = list(rows)
                self.endResetModel()
                return
            self.beginInsertRows(QModelIndex(), place, place)
            self._rows.insert(place, row)
            self.endInsertRows()


class WorkflowsFilter(QSortFilterProxyModel):
    """By a part of name or words, by state, by tag."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text, self._state, self._tag = "", "", ""

    def narrow(self, *, text: str | None = None, state: str | None = None, tag: str | None = None) -> None:
        """What is None stays."""
        self._text = self._text if text is None else text.casefold()
        self._state = self._state if state is None else state
        self._tag = self._tag if tag is None else tag
        self.invalidate()

    @property
    def is_narrow(self) -> bool:
        return bool(self._text or self._state or self._tag)

    def filterAcceptsRow(self, place: int, parent: Index) -> bool:  # noqa: N802  # Qt's name
        row: WorkflowRow = self.sourceModel().index(place, 0, parent).data(ROW)
        view = row.view
        if self._state and view.state.value != self._state:
            return False
        if not self._state and view.state is WorkflowState.ARCHIVED:
            return False
        if self._tag and self._tag not in view.tags:
            return False
        searched = " ".join((view.name, view.workflow, interpret(view.words), *view.tags)).casefold()
        return all(word in searched for word in self._text.split())
