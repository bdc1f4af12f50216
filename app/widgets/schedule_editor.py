"""Edits when something runs: the picker, the zone, and beside them the words and the next times."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QFormLayout, QLabel, QVBoxLayout, QWidget

from app.look.dressing import mark
from app.look.theme import Space, Type, make_font
from app.widgets.schedule_choice import apply_choice, read_choice
from app.widgets.schedule_picker import SchedulePicker
from app.words.interpreting import interpret
from app.words.times import say_until, say_zoned
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.spec import Spec
from scheduler.timing.words import say
from scheduler.timing.zones import LOCAL, find_zone

SHOWN_TIMES = 5
_WIDEST_ZONE = 420


class ScheduleEditor(QWidget):
    """Given what is written, gives back what is to be written. What nobody touches comes back as it was."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._written: dict[str, Any] = {"every": "1h"}
        self._machine_zone, self._now = "UTC", datetime(1970, 1, 1, tzinfo=UTC)
        self._ran = 0
        self._value: dict[str, Any] | None = None
        self._refusal: BadScheduleError | None = None
        self.picker = SchedulePicker()
        self.zone = self._make_zone()
        self.words, self.times, self.refusal = QLabel(), QLabel(), QLabel()
        self.words.setFont(make_font(Type.STRONG, self.words.font()))
        self.refusal.setTextFormat(Qt.TextFormat.PlainText)
        mark(self.refusal, "ink", "bad")
        mark(self.times, "ink", "muted")
        for label in (self.words, self.times, self.refusal):
            label.setWordWrap(True)
        form = QFormLayout()
        form.setHorizontalSpacing(Space.LARGE)
        form.setVerticalSpacing(Space.MEDIUM)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._labels = QLabel(self.tr("&Runs")), QLabel(self.tr("Time &zone"))
        for label, field in zip(self._labels, (self.picker, self.zone), strict=True):
            form.addRow(label, field)
            form.setAlignment(label, Qt.AlignmentFlag.AlignTop)
        self._labels[0].setBuddy(self.picker.kind)
        self._labels[1].setBuddy(self.zone)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.SMALL)
        layout.addLayout(form)
        layout.addSpacing(Space.SMALL)
        for label in (self.words, self.times, self.refusal):
            layout.addWidget(label)
        layout.addStretch(1)
        self.picker.changed.connect(self._change)
        self.zone.currentTextChanged.connect(self._change)

    def set_schedule(self, written: Mapping[str, Any], *, machine_zone: str, now: datetime, ran: int = 0) -> None:
        """Start from what a script or an earlier edit says; so many runs count against its limit."""
        self._written, self._machine_zone, self._now, self._ran = dict(written), machine_zone, now, ran
        self.picker.set_choice(read_choice(written))
        with QSignalBlocker(self.zone):
            self.zone.setItemText(0, self.tr("Where this computer is ({zone})").format(zone=machine_zone))
            zone = written.get("timezone") or machine_zone
            if zone == LOCAL:
                self.zone.setCurrentIndex(0)
            else:
                self.zone.setCurrentText(str(zone))
        self._look()

    def set_now(self, now: datetime) -> None:
        self._now = now
        self._look()

    def value(self) -> dict[str, Any] | None:
        """What to write, or None while it is refused."""
        return self._value

    def is_changed(self) -> bool:
        return self._value is not None and self._value != self._written

    def refused_field(self) -> str:
        """Which part is wrong, empty if none is."""
        return self._refusal.field if self._refusal else ""

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        """The labels are as tall as the fields, so that both stand on one line also where a field has two."""
        super().showEvent(event)
        for label in self._labels:
            label.setFixedHeight(self.picker.kind.sizeHint().height())

    def _change(self) -> None:
        before = self._value
        self._look()
        if self._value != before or self._value is None:
            self.changed.emit()

    def _look(self) -> None:
        """Work out what is chosen, and show it or why it cannot be."""
        try:
            value = apply_choice(self._written, self.picker.choice(), self._chosen_zone())
            spec = Spec.read(value, machine_zone=self._machine_zone, now=self._now)
            number = SHOWN_TIMES if spec.limit is None else min(max(spec.limit - self._ran, 0), SHOWN_TIMES)
            times = spec.times(self._machine_zone).upcoming(self._now, number)
        except BadScheduleError as error:
            self._value, self._refusal = None, error
            self.refusal.setText(interpret(error.sentence))
        else:
            self._value, self._refusal = value, None
            self.words.setText(interpret(say(spec, viewer_zone=self._machine_zone)))
            self.times.setText(self._say_times(times, spec))
        self.picker.cron.setAccessibleDescription(interpret(self._refusal.sentence) if self._refusal else "")
        self.refusal.setVisible(self._refusal is not None)
        for label in (self.words, self.times):
            label.setVisible(self._refusal is None)

    def _say_times(self, times: list[datetime], spec: Spec) -> str:
        local = ZoneInfo(self._machine_zone)
        zone = local if spec.timezone == LOCAL else find_zone(spec.timezone)
        lines = [say_zoned(at, zone, local, self._now) for at in times]
        if times:
            lines[0] += f" · {say_until(times[0], self._now)}"
        if len(times) < SHOWN_TIMES:
            lines.append(self.tr("No more times after that.") if times else self.tr("No more times."))
        return "\n".join(line[:1].upper() + line[1:] for line in lines)

    def _chosen_zone(self) -> str | None:
        """None where nothing was written and nothing else is chosen: the machine's zone is filled in elsewhere."""
        if self.zone.currentText() == self.zone.itemText(0):
            return LOCAL
        chosen = self.zone.currentText().strip()
        if self._written.get("timezone") is None and chosen == self._machine_zone:
            return None
        return chosen

    def _make_zone(self) -> QComboBox:
        zone = QComboBox(editable=True)
        zone.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        zone.setAccessibleName(self.tr("Time zone"))
        zone.setMaximumWidth(_WIDEST_ZONE)
        zone.addItem("")
        zone.addItems(_zone_names())
        line = zone.lineEdit()
        assert line is not None, "an editable box has one"
        line.setAccessibleName(self.tr("Time zone"))
        completer = zone.completer()
        assert completer is not None, "and this too"
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        return zone


@cache
def _zone_names() -> list[str]:
    """Read from disk once: there are hundreds of files."""
    return sorted(name for name in available_timezones() if "/" in name or name == "UTC")
