"""One schedule of a workflow: its words, its next times, and what one does about them."""

from collections.abc import Sequence
from datetime import datetime
from itertools import zip_longest
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from app.look.dressing import mark
from app.look.theme import Space, Type
from app.widgets.details_view import make_text
from app.widgets.flow import Flow
from app.window.saying import make_button, make_heading
from app.window.workflow_facts import ScheduleFacts
from app.words.interpreting import interpret
from app.words.times import say_number, say_until, say_zoned
from scheduler.timing.zones import LOCAL, find_zone

translate = QCoreApplication.translate


class ScheduleBlock(QFrame):
    acted = Signal(str, str)
    """What to do (run, edit, skip, past, cancel) and the schedule or backfill it is about."""

    def __init__(self, schedule: ScheduleFacts, *, is_alone: bool) -> None:
        super().__init__()
        self.schedule = schedule
        mark(self, "surface", "card")
        self.words = make_heading("", Type.STRONG)
        self.words.setWordWrap(True)
        self.times = _Lines()
        self.run = make_button(self.tr("Run now"))
        self.run.setVisible(not is_alone)
        self.edit = make_button(self.tr("Change times…"))
        self.skip = make_button(self.tr("Skip next"))
        self.past = make_button(self.tr("Run past times…"))
        buttons = {"run": self.run, "edit": self.edit, "skip": self.skip, "past": self.past}
        row = Flow()
        for name, button in buttons.items():
            button.clicked.connect(lambda _=False, name=name: self.acted.emit(name, self.schedule.id))
            row.addWidget(button)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Past times that were run"))
        self.made = QLabel()
        self.cancel = make_button(self.tr("Cancel"))
        self.cancel.clicked.connect(lambda: self.acted.emit("cancel", self.schedule.backfills[0].id))
        self._going = QHBoxLayout()
        for widget in (self.made, self.progress, self.cancel):
            self._going.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.LARGE, Space.MEDIUM, Space.LARGE, Space.MEDIUM)
        layout.setSpacing(Space.SMALL)
        layout.addWidget(self.words)
        layout.addWidget(self.times)
        layout.addLayout(self._going)
        layout.addLayout(row)

    def show_facts(self, schedule: ScheduleFacts, machine_zone: str, now: datetime) -> None:
        self.schedule = schedule
        self.words.setText(interpret(schedule.words))
        self.words.setToolTip(schedule.handler)
        for button in (self.run, self.edit, self.skip, self.past):
            label = self.tr("{action}: {words}").format(action=button.text(), words=self.words.text())
            button.setAccessibleName(label)
        self.times.show_lines(say_coming(schedule, machine_zone, now))
        self.skip.setEnabled(bool(schedule.coming) and schedule.skips is None and not schedule.is_paused)
        going = schedule.backfills[0] if schedule.backfills else None
        for widget in (self.progress, self.made, self.cancel):
            widget.setVisible(going is not None)
        if going is not None:
            self.progress.setRange(0, going.total)
            self.progress.setValue(min(going.made, going.total))
            said = self.tr("Past times: {made} of {total}")
            self.made.setText(said.format(made=say_number(going.made), total=say_number(going.total)))


class _Lines(QWidget):
    """One below the other, with room between them."""

    def __init__(self) -> None:
        super().__init__()
        self.labels: list[QLabel] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, Space.TIGHT)
        self._layout.setSpacing(Space.SMALL)

    def show_lines(self, lines: Sequence[str]) -> None:
        while len(self.labels) < len(lines):
            self.labels.append(make_text("", "muted"))
            self._layout.addWidget(self.labels[-1])
        for label, line in zip_longest(self.labels, lines):
            label.setText(line or "")
            label.setVisible(line is not None)


def say_coming(schedule: ScheduleFacts, machine_zone: str, now: datetime) -> list[str]:
    """The next times, a line each, in the schedule's zone and here where that differs."""
    local = ZoneInfo(machine_zone)
    zone = local if schedule.zone == LOCAL else find_zone(schedule.zone)
    lines = [say_zoned(at, zone, local, now) for at in schedule.coming]
    if lines:
        lines[0] = f"{lines[0]} · {say_until(schedule.coming[0], now)}"
    lines = [line[:1].upper() + line[1:] for line in lines]
    if schedule.skips is not None:
        said = translate("schedule", "Skipped: {time}").format(time=say_zoned(schedule.skips, zone, local, now))
        lines.insert(0, said)
    if schedule.is_paused:
        lines.insert(0, translate("schedule", "Paused: these times pass without running."))
    return lines or [translate("schedule", "No more times.")]
