"""The first tab of a workflow: health of the week, its schedules, pending events and recent runs."""

from collections.abc import Sequence
from datetime import datetime
from itertools import zip_longest
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QScrollArea, QVBoxLayout, QWidget

from app.i18n.time_text import format_number, format_time_until, format_zoned_time
from app.i18n.translate import translate_text
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, make_font
from app.widgets.details_view import make_label
from app.widgets.flow_layout import FlowLayout
from app.widgets.outcome_strip import OutcomeStrip
from app.widgets.visible_text import add_break_points, escape_invisible
from app.window.feedback import make_button, make_heading
from app.window.history.history_data import HistoryRows
from app.window.history.model import HistoryColumn, HistoryModel
from app.window.history.table import HistoryTable
from app.window.page import make_section_heading
from app.window.workflows.pending_events import PendingEventsList
from app.window.workflows.workflow_data import WorkflowData
from scheduler.engine.queries.schedule_data import ScheduleData
from scheduler.timing.occurrences import OccurrenceState
from scheduler.timing.zones import LOCAL, find_zone

translate = QCoreApplication.translate


class ScheduleBlock(QFrame):
    """One schedule: its description, its next times, and its commands."""

    acted = Signal(str, str)
    """An action (run, edit, skip, past, cancel), and the schedule or backfill it applies to."""

    def __init__(self, schedule: ScheduleData, *, is_alone: bool) -> None:
        super().__init__()
        self.schedule = schedule
        set_style(self, "surface", "card")
        self.title, self.words = make_heading("", TextStyle.STRONG), make_heading("", TextStyle.STRONG)
        self._plain_font = self.font()
        for label in (self.title, self.words):
            label.setWordWrap(True)
        self.command = make_label("", "muted")
        self.command.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._is_alone = is_alone
        self.times = _Lines()
        self.run = make_button(self.tr("Run now"))
        self.run.setVisible(not is_alone)
        self.edit = make_button(self.tr("Change schedule…"))
        self.skip = make_button(self.tr("Skip next"))
        self.past = make_button(self.tr("Run missed times…"))
        buttons = {"run": self.run, "edit": self.edit, "skip": self.skip, "past": self.past}
        row = FlowLayout()
        for name, button in buttons.items():
            button.clicked.connect(lambda _=False, name=name: self.acted.emit(name, self.schedule.id))
            row.addWidget(button)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Catch-up runs"))
        self.made = QLabel()
        self.cancel = make_button(self.tr("Cancel"))
        self.cancel.clicked.connect(lambda: self.acted.emit("cancel", self.schedule.backfills[0].backfill))
        self._backfill_row = QHBoxLayout()
        for widget in (self.made, self.progress, self.cancel):
            self._backfill_row.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.LARGE, Space.MEDIUM, Space.LARGE, Space.MEDIUM)
        layout.setSpacing(Space.SMALL)
        layout.addWidget(self.title)
        layout.addWidget(self.command)
        layout.addWidget(self.words)
        layout.addWidget(self.times)
        layout.addLayout(self._backfill_row)
        layout.addLayout(row)

    def show_schedule(self, schedule: ScheduleData, machine_zone: str, now: datetime) -> None:
        self.schedule = schedule
        self.words.setText(translate_text(schedule.description))
        title, command = self._list_titles(schedule)
        for part, text in ((self.title, title), (self.command, command)):
            part.setText(add_break_points(escape_invisible(text)))
            part.setVisible(bool(text))
        self.words.setFont(make_font(TextStyle.BODY if title else TextStyle.STRONG, self._plain_font))
        for button in (self.run, self.edit, self.skip, self.past):
            label = self.tr("{action}: {words}").format(action=button.text(), words=title or self.words.text())
            button.setAccessibleName(label)
        self.times.show_lines(describe_next_times(schedule, machine_zone, now))
        self.skip.setEnabled(bool(schedule.next_times) and schedule.skipped_time is None and not schedule.is_paused)
        backfill = schedule.backfills[0] if schedule.backfills else None
        for widget in (self.progress, self.made, self.cancel):
            widget.setVisible(backfill is not None)
        if backfill is not None:
            self.progress.setRange(0, backfill.total)
            self.progress.setValue(min(backfill.made, backfill.total))
            said = self.tr("Catch-up runs: {made} of {total}")
            self.made.setText(said.format(made=format_number(backfill.made), total=format_number(backfill.total)))

    def _list_titles(self, schedule: ScheduleData) -> tuple[str, str]:
        """The job and its command. The page's own heading names the only job of a workflow."""
        return (schedule.command, "") if self._is_alone else (schedule.job, schedule.command)


class _Lines(QWidget):
    """Lines of text below each other, with some space between them."""

    def __init__(self) -> None:
        super().__init__()
        self.labels: list[QLabel] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, Space.TIGHT)
        self._layout.setSpacing(Space.SMALL)

    def show_lines(self, lines: Sequence[str]) -> None:
        while len(self.labels) < len(lines):
            self.labels.append(make_label("", "muted"))
            self._layout.addWidget(self.labels[-1])
        for label, line in zip_longest(self.labels, lines):
            label.setText(line or "")
            label.setVisible(line is not None)


def describe_next_times(schedule: ScheduleData, machine_zone: str, now: datetime) -> list[str]:
    """The next times, one per line, in the schedule's zone and, if it differs, in the local one."""
    local = ZoneInfo(machine_zone)
    zone = local if schedule.zone == LOCAL else find_zone(schedule.zone)
    if schedule.is_stopped:
        return [translate("schedule", "Stopped after too many failures: resume it or run it again.")]
    times = schedule.next_times
    if len(times) > 1 and len({at.second for at in times}) == 1:  # then they say nothing
        times = tuple(at.replace(second=0) for at in times)
    lines = [format_zoned_time(at, zone, local, now) for at in times]
    if lines:
        lines[0] = f"{lines[0]} · {format_time_until(schedule.next_times[0], now)}"
    lines = [line[:1].upper() + line[1:] for line in lines]
    if schedule.skipped_time is not None:
        said = translate("schedule", "Skipped: {time}").format(
            time=format_zoned_time(schedule.skipped_time, zone, local, now)
        )
        lines.insert(0, said)
    if schedule.is_paused:
        lines.insert(0, translate("schedule", "Paused: it will not run at these times."))
    return lines or [translate("schedule", "No more runs scheduled.")]


_MAX_RUNS = 8


class OverviewTab(QScrollArea):
    acted = Signal(str, str)
    opened = Signal(str)
    """A run."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.blocks: list[ScheduleBlock] = []
        self.week, self.strip = make_label(""), OutcomeStrip()
        self.pending_label = make_label("")
        self.events = PendingEventsList(session)
        self.events.hide()
        self.more = make_button(self.tr("Details"))
        self.more.setCheckable(True)
        self.more.toggled.connect(self._show_events)
        self.model = HistoryModel(ZoneInfo(session.zone), self)
        self.table = HistoryTable(self.model)
        self.table.setColumnHidden(HistoryColumn.WORKFLOW, True)  # noqa: FBT003  # Qt takes it so
        self.table.setAccessibleName(self.tr("Recent runs"))
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.clicked.connect(lambda _: self._open_run())
        self.table.activated.connect(lambda _: self._open_run())
        inner = QWidget()
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(0, Space.MEDIUM, Space.SMALL, 0)
        layout.setSpacing(Space.MEDIUM)
        health = FlowLayout()
        health.add_expanding(self.week)
        health.addWidget(self.strip)
        layout.addLayout(health)
        self._schedules = QVBoxLayout()
        self._schedules.setSpacing(Space.SMALL)
        self._when = make_section_heading(self.tr("When it runs"))
        layout.addWidget(self._when)
        layout.addLayout(self._schedules)
        row = QHBoxLayout()
        row.addWidget(self.pending_label, 1)
        row.addWidget(self.more)
        layout.addLayout(row)
        layout.addWidget(self.events)
        layout.addWidget(make_section_heading(self.tr("Recent runs")))
        self.never = make_label(self.tr("It has not run yet."), "muted")
        layout.addWidget(self.never)
        layout.addWidget(self.table)
        layout.addStretch(1)
        self.setWidget(inner)

    def show_data(self, facts: WorkflowData) -> None:
        self.week.setText(self._describe_week(facts))
        self.strip.set_states([row.state for row in reversed(facts.recent)])
        self._show_schedules(facts)
        pending = sum(facts.details.pending.values())
        said = self.tr("1 item pending") if pending == 1 else self.tr("{number} items pending")
        self.pending_label.setText(said.format(number=format_number(pending)))
        for widget in (self.pending_label, self.more):
            widget.setVisible(pending > 0)
        self.events.set_workflow(facts.details.workflow)
        self._show_events()
        self.model.update_rows(HistoryRows(rows=facts.recent[:_MAX_RUNS], cursor=None), facts.now)
        self.table.show_used_columns()
        rows = self.model.rowCount()
        self.never.setVisible(not rows)
        self.table.setVisible(bool(rows))
        height = self.table.horizontalHeader().sizeHint().height()
        self.table.setFixedHeight(height + rows * self.table.verticalHeader().defaultSectionSize() + Space.TIGHT)

    def _show_events(self) -> None:
        """Read them only while they are shown."""
        is_open = self.more.isVisibleTo(self) and self.more.isChecked()
        self.events.setVisible(is_open)
        if is_open:
            self.events.refresh()

    def _show_schedules(self, facts: WorkflowData) -> None:
        if [block.schedule.id for block in self.blocks] != [one.id for one in facts.schedules]:
            for block in self.blocks:
                block.deleteLater()
            self.blocks = [ScheduleBlock(one, is_alone=len(facts.schedules) == 1) for one in facts.schedules]
            for block in self.blocks:
                block.acted.connect(self.acted)
                self._schedules.addWidget(block)
            self._order_tabs()
        for block, one in zip(self.blocks, facts.schedules, strict=True):
            block.show_schedule(one, facts.machine_zone, facts.now)
        self._when.setVisible(bool(facts.schedules))

    def _order_tabs(self) -> None:
        """Tab reaches the schedules before what is below them, although they were created later."""
        before: QWidget = self.more.previousInFocusChain()  # type: ignore[assignment]  # a shown widget has one
        for block in self.blocks:
            for button in (block.cancel, block.run, block.edit, block.skip, block.past):
                QWidget.setTabOrder(before, button)
                before = button

    def _describe_week(self, facts: WorkflowData) -> str:
        """All runs, then what became of the scheduled ones: the user and events start runs, too."""
        times, runs = facts.week.times, sum(one.runs for one in facts.week.workflows)
        if not times.due and not runs:
            return self.tr("Nothing was scheduled in the last 7 days.")
        said = self.tr("1 run") if runs == 1 else self.tr("{number} runs").format(number=format_number(runs))
        counted = said if runs else self.tr("no runs")
        if failed := sum(one.failed for one in facts.week.workflows):
            counted += ", " + self.tr("{number} failed").format(number=format_number(failed))
        if refused := sum(one.refused for one in facts.week.workflows):
            counted += ", " + self.tr("{number} not approved").format(number=format_number(refused))
        if times.due:
            counted += f" ({self._describe_scheduled(facts)})"
        return self.tr("Last 7 days: {counted}").format(counted=counted)

    def _describe_scheduled(self, facts: WorkflowData) -> str:
        due, planned = facts.week.times.due, facts.week.times.planned
        done = format_number(planned.get(OccurrenceState.SUCCEEDED, 0))
        said = self.tr("{done} of {number} scheduled").format(done=done, number=format_number(due))
        not_run = (
            (OccurrenceState.CANCELLED, self.tr("{number} stopped")),
            (OccurrenceState.MISSED, self.tr("{number} missed")),
            (OccurrenceState.SKIPPED, self.tr("{number} skipped")),
            (OccurrenceState.COALESCED, self.tr("{number} replaced")),
            (OccurrenceState.DROPPED, self.tr("{number} dropped")),
        )
        rest = [words.format(number=format_number(planned[state])) for state, words in not_run if planned.get(state)]
        return f"{said}: {', '.join(rest)}" if rest else said

    def _open_run(self) -> None:
        row = self.table.selected_row()
        if row is not None and row.run is not None:
            self.opened.emit(row.run)
