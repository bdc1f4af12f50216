"""The first thing one sees of a workflow: how it is doing, when it runs, what waits, what it did."""

from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.life.installation import Installation
from app.look.theme import Space
from app.widgets.details_view import make_text
from app.widgets.strip import Strip
from app.window.frame import make_section
from app.window.history_model import Column, HistoryModel
from app.window.history_rows import Read
from app.window.history_table import HistoryTable
from app.window.saying import make_button
from app.window.workflow_facts import WorkflowFacts
from app.window.workflow_schedule import ScheduleBlock
from app.window.workflow_waiting import WaitingList
from app.words.times import say_number
from scheduler.timing.occurrences import State

_SHOWN_RUNS = 8


class OverviewTab(QScrollArea):
    acted = Signal(str, str)
    opened = Signal(str)
    """A run."""

    def __init__(self, installation: Installation) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.blocks: list[ScheduleBlock] = []
        self.week, self.strip = make_text(""), Strip()
        self.waiting = make_text("")
        self.events = WaitingList(installation)
        self.events.hide()
        self.more = make_button(self.tr("Details"))
        self.more.setCheckable(True)
        self.more.toggled.connect(self._show_events)
        self.model = HistoryModel(ZoneInfo(installation.house.engine.context.machine_zone), self)
        self.table = HistoryTable(self.model)
        self.table.setColumnHidden(Column.WORKFLOW, True)  # noqa: FBT003  # Qt takes it so
        self.table.setAccessibleName(self.tr("Recent runs"))
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.clicked.connect(lambda _: self._open())
        self.table.activated.connect(lambda _: self._open())
        inner = QWidget()
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(0, Space.MEDIUM, Space.SMALL, 0)
        layout.setSpacing(Space.MEDIUM)
        health = QHBoxLayout()
        health.addWidget(self.week, 1)
        health.addWidget(self.strip)
        layout.addLayout(health)
        self._schedules = QVBoxLayout()
        self._schedules.setSpacing(Space.SMALL)
        self._when = make_section(self.tr("When it runs"))
        layout.addWidget(self._when)
        layout.addLayout(self._schedules)
        row = QHBoxLayout()
        row.addWidget(self.waiting, 1)
        row.addWidget(self.more)
        layout.addLayout(row)
        layout.addWidget(self.events)
        layout.addWidget(make_section(self.tr("What it did")))
        self.never = make_text(self.tr("It has not run yet."), "muted")
        layout.addWidget(self.never)
        layout.addWidget(self.table)
        layout.addStretch(1)
        self.setWidget(inner)

    def show_facts(self, facts: WorkflowFacts) -> None:
        self.week.setText(self._say_week(facts))
        self.strip.set_states([row.state for row in reversed(facts.recent)])
        self._show_schedules(facts)
        pending = sum(facts.details.pending.values())
        said = self.tr("1 thing waits to be dealt with.") if pending == 1 else self.tr("{number} things wait.")
        self.waiting.setText(said.format(number=say_number(pending)))
        for widget in (self.waiting, self.more):
            widget.setVisible(pending > 0)
        self.events.set_workflow(facts.details.workflow)
        self._show_events()
        self.model.renew(Read(rows=facts.recent[:_SHOWN_RUNS], cursor=None), facts.now)
        rows = self.model.rowCount()
        self.never.setVisible(not rows)
        self.table.setVisible(bool(rows))
        height = self.table.horizontalHeader().sizeHint().height()
        self.table.setFixedHeight(height + rows * self.table.verticalHeader().defaultSectionSize() + Space.TIGHT)

    def _show_events(self) -> None:
        """Read only while somebody wants to see them."""
        is_wanted = self.more.isVisibleTo(self) and self.more.isChecked()
        self.events.setVisible(is_wanted)
        if is_wanted:
            self.events.refresh()

    def _show_schedules(self, facts: WorkflowFacts) -> None:
        if [block.schedule.id for block in self.blocks] != [one.id for one in facts.schedules]:
            for block in self.blocks:
                block.deleteLater()
            self.blocks = [ScheduleBlock(one, is_alone=len(facts.schedules) == 1) for one in facts.schedules]
            for block in self.blocks:
                block.acted.connect(self.acted)
                self._schedules.addWidget(block)
        for block, one in zip(self.blocks, facts.schedules, strict=True):
            block.show_facts(one, facts.machine_zone, facts.now)
        self._when.setVisible(bool(facts.schedules))

    def _say_week(self, facts: WorkflowFacts) -> str:
        """What became of the times that were due, then all runs: a person and events start some, too."""
        times, runs = facts.week.times, sum(one.runs for one in facts.week.workflows)
        became = times.planned
        counted = (
            (times.due, self.tr("{number} expected")),
            (became.get(State.SUCCEEDED, 0), self.tr("{number} done")),
            (became.get(State.FAILED, 0), self.tr("{number} failed")),
            (became.get(State.CANCELLED, 0), self.tr("{number} stopped")),
            (became.get(State.MISSED, 0), self.tr("{number} missed")),
            (became.get(State.SKIPPED, 0), self.tr("{number} skipped")),
            (became.get(State.COALESCED, 0), self.tr("{number} replaced")),
            (became.get(State.DROPPED, 0), self.tr("{number} dropped")),
        )
        said = [words.format(number=say_number(number)) for number, words in counted if number]
        failed = sum(one.failed for one in facts.week.workflows)
        in_all = [
            self.tr("1 run in all") if runs == 1 else self.tr("{number} runs in all").format(number=say_number(runs))
        ]
        if failed:
            in_all.append(self.tr("{number} failed").format(number=say_number(failed)))
        if not said and not runs:
            return self.tr("Nothing was due in the last 7 days.")
        parts = [", ".join(part) for part in (said, in_all if runs else []) if part]
        return self.tr("Last 7 days: {counted}").format(counted=" · ".join(parts))

    def _open(self) -> None:
        row = self.table.chosen()
        if row is not None and row.run is not None:
            self.opened.emit(row.run)
