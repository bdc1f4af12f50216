"""What is looked for in history: words, workflow, result, what made it start, and when."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from PySide6.QtCore import QDate, Signal
from PySide6.QtWidgets import QComboBox, QDateEdit, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.look.theme import Space
from app.widgets.choices import name_box, refill
from app.widgets.flow import Flow
from app.widgets.search_field import SearchField
from app.window.history_details import say_trigger
from app.words.interpreting import interpret
from app.words.states import RunState, say_run
from scheduler.engine.workflows.names import as_people_count
from scheduler.engine.workflows.views.history import Found
from scheduler.timing.occurrences import Reason

_RESULTS = {
    RunState.DONE: "done",
    RunState.FAILED: "failed",
    RunState.WAITING: "waiting",
    RunState.RETRYING: "retrying",
    RunState.RUNNING: "running",
    RunState.CANCELLED: "cancelled",
    RunState.SKIPPED: "skipped",
    RunState.MISSED: "missed",
    RunState.REPLACED: "replaced",
    RunState.DROPPED: "dropped",
}
_CHOSEN = -1
"""In place of a number of days: the person says which ones."""
_MOMENT = timedelta(milliseconds=1)


class HistoryFilters(QWidget):
    changed = Signal()

    def __init__(self, zone: ZoneInfo, today: datetime) -> None:
        super().__init__()
        self._zone = zone
        self._names: Mapping[str, str] = {}
        self.field = SearchField(self.tr("Search history"))
        self.workflow, self.result, self.trigger, self.since = (QComboBox() for _ in range(4))
        self._fill()
        day = QDate(today.year, today.month, today.day)
        self.first = self._make_day(self.tr("From"), day.addDays(-30))
        self.last = self._make_day(self.tr("Up to"), day)
        self._lay_out()
        self.field.searched.connect(lambda _: self.changed.emit())
        for box in self._boxes:
            box.currentIndexChanged.connect(self._change)
        for edit in (self.first, self.last):
            edit.dateChanged.connect(lambda _: self.changed.emit())

    def wanted(self, now: datetime) -> Found:
        since, until = self._reach(now)
        text = self.field.text().strip()
        return Found(
            workflow=self.workflow.currentData() or None,
            status=self.result.currentData() or None,
            since=since,
            until=until,
            text=text,
            trigger=self.trigger.currentData() or None,
            said=tuple((one.value, interpret(one.sentence)) for one in Reason) if text else (),
        )

    def show_names(self, names: Mapping[str, str]) -> None:
        """Workflows to choose from, by slug."""
        if names == self._names:
            return
        self._names = names
        by_name = sorted(names.items(), key=lambda one: as_people_count(one[1]))
        refill(self.workflow, ((name, slug) for slug, name in by_name))

    def show_all(self) -> None:
        for box in self._boxes:
            box.setCurrentIndex(0)
        self.field.clear()

    @property
    def _boxes(self) -> tuple[QComboBox, ...]:
        return self.workflow, self.result, self.trigger, self.since

    def _fill(self) -> None:
        name_box(self.workflow, self.tr("Workflow"))
        self.workflow.addItem(self.tr("All workflows"), "")
        self.workflow.setMaximumWidth(240)
        name_box(self.result, self.tr("Result"))
        self.result.addItem(self.tr("All results"), "")
        for state, word in _RESULTS.items():
            self.result.addItem(say_run(state), word)
        name_box(self.trigger, self.tr("Why it ran"))
        self.trigger.addItem(self.tr("Any reason"), "")
        for trigger in ("automatic", "event", "manual", "backfill", "deploy"):
            said = say_trigger(trigger)
            self.trigger.addItem(f"{said[:1].upper()}{said[1:]}", trigger)
        name_box(self.since, self.tr("Time"))
        for label, days in (
            (self.tr("Any time"), None),
            (self.tr("Today"), 0),
            (self.tr("Last 7 days"), 6),
            (self.tr("Last 30 days"), 29),
            (self.tr("Choose days"), _CHOSEN),
        ):
            self.since.addItem(label, days)

    def _make_day(self, name: str, day: QDate) -> QDateEdit:
        edit = QDateEdit(day)
        edit.setDisplayFormat("yyyy-MM-dd")
        edit.setCalendarPopup(True)
        edit.setKeyboardTracking(False)
        edit.setAccessibleName(name)
        return edit

    def _lay_out(self) -> None:
        bar = Flow()
        bar.add_growing(self.field)
        for box in self._boxes:
            bar.addWidget(box)
        self._days = QWidget()
        days = QHBoxLayout(self._days)
        days.setContentsMargins(0, 0, 0, 0)
        days.setSpacing(Space.SMALL)
        days.addStretch(1)
        for edit in (self.first, self.last):
            label = QLabel(edit.accessibleName())
            label.setBuddy(edit)
            days.addWidget(label)
            days.addWidget(edit)
        self._days.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.SMALL)
        layout.addLayout(bar)
        layout.addWidget(self._days)

    def _change(self) -> None:
        self._days.setVisible(self.since.currentData() == _CHOSEN)
        self.changed.emit()

    def _reach(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        days = self.since.currentData()
        if days is None:
            return None, None
        if days == _CHOSEN:
            return self._begin(self.first.date()), self._begin(self.last.date().addDays(1)) - _MOMENT
        today = now.astimezone(self._zone).date()
        return datetime.combine(today - timedelta(days=days), time(), self._zone), None

    def _begin(self, day: QDate) -> datetime:
        return datetime(day.year(), day.month(), day.day(), tzinfo=self._zone)
