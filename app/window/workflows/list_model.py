"""The list of workflows: rows, the reader that loads them in the background, the model and its filter."""

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

from app.i18n.state_labels import RunState
from app.i18n.time_text import format_time_until
from app.i18n.translate import translate_text
from app.session import Session
from app.widgets.outcome_strip import describe_strip
from app.widgets.status_signs import workflow_sign
from app.widgets.visible_text import tooltip_text
from app.window.history.history_data import read_outcomes
from scheduler.engine.lookup import natural_sort_key
from scheduler.engine.queries.workflows import WorkflowView
from scheduler.rules.workflow_state import WorkflowState, rank_by_need

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
translate = QCoreApplication.translate
_SHOWS_NEXT = {WorkflowState.IDLE, WorkflowState.QUEUED, WorkflowState.RUNNING, WorkflowState.RETRYING}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowListRow:
    view: WorkflowView
    outcomes: tuple[RunState, ...] | None = ()
    """Its last outcomes; None until they are read."""

    @property
    def is_paused(self) -> bool:
        return self.view.state is WorkflowState.PAUSED

    @property
    def outcomes_text(self) -> str:
        return "" if self.outcomes is None else describe_strip(self.outcomes)


def describe_next_run(view: WorkflowView, now: datetime) -> str:
    """`Next in 3 min`; empty if it will not run on its own."""
    if view.next is None or view.state not in _SHOWS_NEXT:
        return ""
    if view.next <= now:
        return translate("workflows", "Due now")
    return translate("workflows", "Next {until}").format(until=format_time_until(view.next, now))


def _sort_key(view: WorkflowView) -> tuple[object, ...]:
    """What needs the user first, then by name."""
    return rank_by_need(view.state, is_failing=view.is_failing), natural_sort_key(view.name), view.workflow


def keep_order(rows: Sequence[WorkflowListRow], shown: Sequence[WorkflowListRow]) -> list[WorkflowListRow]:
    """The rows in the order in which they are shown; new ones where they belong."""
    places = {one.view.workflow: place for place, one in enumerate(shown)}
    kept = iter(sorted((one for one in rows if one.view.workflow in places), key=lambda one: places[one.view.workflow]))
    return [next(kept) if one.view.workflow in places else one for one in rows]


@dataclass(slots=True)
class RowReader:
    """Reads all rows, but outcomes only of workflows that changed. Not for use by two threads at once."""

    session: Session
    _number: int = -1
    _views: dict[str, WorkflowView] = field(default_factory=dict)
    _strips: dict[str, tuple[RunState, ...]] = field(default_factory=dict)

    def read(self, *, archived: bool = False, outcomes: bool = True) -> list[WorkflowListRow]:
        """Fast without `outcomes`, so that the list appears at once."""
        views = self.session.queries
        found = views.workflows()
        if archived:
            found += views.workflows(state=WorkflowState.ARCHIVED)
        if outcomes:
            self._read_outcomes(found)
        found.sort(key=_sort_key)
        return [WorkflowListRow(view=one, outcomes=self._strips.get(one.workflow)) for one in found]

    def _read_outcomes(self, found: Sequence[WorkflowView]) -> None:
        views = self.session.queries
        stale = {one.workflow for one in found if self._views.get(one.workflow) != one}
        if self._number >= 0:
            stale |= {run.workflow for run in views.changes_since(self._number).runs}
        self._number = views.last_run_number()
        known = {one.workflow for one in found}
        self._strips |= read_outcomes(self.session, stale & known)
        self._views = {one.workflow: one for one in found}


class WorkflowsModel(QAbstractListModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[WorkflowListRow] = []
        self._now: datetime | None = None

    @property
    def rows(self) -> Sequence[WorkflowListRow]:
        return self._rows

    def set_rows(self, rows: Sequence[WorkflowListRow], now: datetime) -> None:
        """Update changed rows in place. Selection and current row stay with their workflow if the order differs."""
        self._now = now
        if [one.view.workflow for one in rows] != [one.view.workflow for one in self._rows]:
            self._remove_missing({one.view.workflow for one in rows})
            self._insert_new(rows)
            self._reorder([one.view.workflow for one in rows])
        changed = [place for place, (old, new) in enumerate(zip(self._rows, rows, strict=True)) if old != new]
        self._rows = list(rows)
        if changed:  # once: for each signal the filter looks at its rows again
            self.dataChanged.emit(self.index(changed[0]), self.index(changed[-1]))

    def set_now(self, now: datetime) -> None:
        """Update the relative times of the next runs."""
        self._now = now
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1), [Qt.ItemDataRole.DisplayRole])

    def find_row(self, workflow: str) -> int:
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
                return self._describe(row)
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip_text(f"{translate_text(row.view.words)}\n{row.outcomes_text}".strip())
            case _:
                return row if role == ROW else None

    def describe_next_run(self, row: WorkflowListRow) -> str:
        return "" if self._now is None else describe_next_run(row.view, self._now)

    def _describe(self, row: WorkflowListRow) -> str:
        parts = (
            row.view.name,
            workflow_sign(row.view.state).word,
            translate_text(row.view.words),
            self.describe_next_run(row),
            row.outcomes_text,
        )
        return ". ".join(part.rstrip(".") for part in parts if part)

    def _remove_missing(self, kept: set[str]) -> None:
        for place in reversed(range(len(self._rows))):
            if self._rows[place].view.workflow not in kept:
                self.beginRemoveRows(QModelIndex(), place, place)
                del self._rows[place]
                self.endRemoveRows()

    def _insert_new(self, rows: Sequence[WorkflowListRow]) -> None:
        if not self._rows:
            self.beginInsertRows(QModelIndex(), 0, len(rows) - 1)
            self._rows = list(rows)
            self.endInsertRows()
            return
        for place, row in enumerate(rows):
            if place < len(self._rows) and self._rows[place].view.workflow == row.view.workflow:
                continue
            if self.find_row(row.view.workflow) >= 0:
                continue
            self.beginInsertRows(QModelIndex(), place, place)
            self._rows.insert(place, row)
            self.endInsertRows()

    def _reorder(self, workflows: Sequence[str]) -> None:
        before = [one.view.workflow for one in self._rows]
        if before == workflows:
            return
        self.layoutAboutToBeChanged.emit()
        known = {one.view.workflow: one for one in self._rows}
        new_places = {workflow: place for place, workflow in enumerate(workflows)}
        self._rows = [known[workflow] for workflow in workflows]
        kept = self.persistentIndexList()
        self.changePersistentIndexList(kept, [self.index(new_places[before[one.row()]]) for one in kept])
        self.layoutChanged.emit()


class WorkflowsFilter(QSortFilterProxyModel):
    """By text, state and tag."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text, self._state, self._tag = "", "", ""

    def set_filters(self, *, text: str | None = None, state: str | None = None, tag: str | None = None) -> None:
        """None leaves a filter as it is."""
        self._text = self._text if text is None else text.casefold()
        self._state = self._state if state is None else state
        self._tag = self._tag if tag is None else tag
        self.invalidate()

    @property
    def is_active(self) -> bool:
        return bool(self._text or self._state or self._tag)

    def filterAcceptsRow(self, place: int, parent: Index) -> bool:  # noqa: N802  # Qt's name
        row: WorkflowListRow = self.sourceModel().index(place, 0, parent).data(ROW)
        view = row.view
        if self._state and view.state.value != self._state:
            return False
        if not self._state and view.state is WorkflowState.ARCHIVED:
            return False
        if self._tag and self._tag not in view.tags:
            return False
        if not self._text:
            return True
        searched = " ".join((view.name, view.workflow, translate_text(view.words), *view.tags)).casefold()
        return all(word in searched for word in self._text.split())
