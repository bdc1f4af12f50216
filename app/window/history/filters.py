"""The filters of the History page: text, workflow, result, trigger and dates."""

from collections.abc import Mapping
from datetime import date, datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QVBoxLayout, QWidget

from app.i18n.state_labels import RunState, run_state_label
from app.i18n.translate import translate_text
from app.theme.tokens import Space
from app.widgets.flow_layout import FlowLayout
from app.widgets.form_controls import name_combo_box, refill_combo_box
from app.widgets.search_field import SearchField
from app.window.history.date_filter import DateFilter
from app.window.history.run_details import describe_trigger
from scheduler.engine.lookup import natural_sort_key
from scheduler.rules.history_query import HistoryQuery
from scheduler.timing.occurrences import OccurrenceReason

_STATUSES = (
    RunState.DONE,
    RunState.FAILED,
    RunState.WAITING,
    RunState.RETRYING,
    RunState.RUNNING,
    RunState.REJECTED,
    RunState.EXPIRED,
    RunState.CANCELLED,
    RunState.SKIPPED,
    RunState.MISSED,
    RunState.REPLACED,
    RunState.DROPPED,
)
_FILTER_PREFIX = "filter:"


def make_filter_subject(status: str, first: date, last: date) -> str:
    """A subject for the History page: entries with that result, from the first day to the last."""
    return f"{_FILTER_PREFIX}{status}:{first.isoformat()}:{last.isoformat()}"


class HistoryFilters(QWidget):
    changed = Signal()

    def __init__(self, zone: ZoneInfo, today: datetime) -> None:
        super().__init__()
        self._zone = zone
        self._names: Mapping[str, str] = {}
        self.search_field = SearchField(self.tr("Search history"))
        self.workflow, self.result, self.trigger = (QComboBox() for _ in range(3))
        self.since = DateFilter(zone, today.astimezone(zone).date())
        self.all_runs = QCheckBox(self.tr("Show all runs"))
        self.all_runs.setToolTip(self.tr("Also each run that had nothing to report"))
        self._fill()
        self._lay_out()
        self.search_field.searched.connect(lambda _: self.changed.emit())
        for box in (self.workflow, self.result, self.trigger):
            box.currentIndexChanged.connect(lambda _: self.changed.emit())
        self.since.range_changed.connect(self.changed)
        self.all_runs.toggled.connect(lambda _: self.changed.emit())

    def query(self, now: datetime) -> HistoryQuery:
        since, until = self.since.find_range(now)
        text, status = self.search_field.text().strip(), self.result.currentData()
        return HistoryQuery(
            workflow=self.workflow.currentData() or None,
            statuses=(status,) if status else (),
            since=since,
            until=until,
            text=text,
            trigger=self.trigger.currentData() or None,
            reason_texts=tuple((one.value, translate_text(one.sentence)) for one in OccurrenceReason) if text else (),
        )

    @property
    def folds_quiet_runs(self) -> bool:
        return not self.all_runs.isChecked()

    def show_today(self, now: datetime) -> None:
        self.since.show_today(now.astimezone(self._zone).date())

    def show_names(self, names: Mapping[str, str]) -> None:
        """The workflows to choose from, by slug."""
        if names == self._names:
            return
        self._names = names
        by_name = sorted(names.items(), key=lambda one: natural_sort_key(one[1]))
        refill_combo_box(self.workflow, ((name, slug) for slug, name in by_name))

    def apply_subject(self, subject: str) -> bool:
        """Show only what `make_filter_subject` describes; False if the subject is something else."""
        if not subject.startswith(_FILTER_PREFIX):
            return False
        status, first, last = subject.removeprefix(_FILTER_PREFIX).split(":")
        self.show_all()
        self.since.choose_range(date.fromisoformat(first), date.fromisoformat(last))
        self.result.setCurrentIndex(max(self.result.findData(status), 0))
        return True

    def show_all(self) -> None:
        for box in self._boxes:
            box.setCurrentIndex(0)
        self.search_field.clear()

    @property
    def _boxes(self) -> tuple[QComboBox, ...]:
        return self.workflow, self.result, self.trigger, self.since

    def _fill(self) -> None:
        name_combo_box(self.workflow, self.tr("Workflow"))
        self.workflow.addItem(self.tr("All workflows"), "")
        self.workflow.setMaximumWidth(240)
        name_combo_box(self.result, self.tr("Result"))
        self.result.addItem(self.tr("All results"), "")
        for state in _STATUSES:
            self.result.addItem(run_state_label(state), state.value)
        name_combo_box(self.trigger, self.tr("Why it ran"))
        self.trigger.addItem(self.tr("Any reason"), "")
        for trigger in ("automatic", "event", "manual", "backfill", "deploy"):
            said = describe_trigger(trigger)
            self.trigger.addItem(f"{said[:1].upper()}{said[1:]}", trigger)

    def _lay_out(self) -> None:
        bar = FlowLayout()
        bar.add_expanding(self.search_field)
        for box in self._boxes:
            bar.addWidget(box)
        bar.addWidget(self.all_runs)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.SMALL)
        layout.addLayout(bar)
        layout.addWidget(self.since.day_row)
