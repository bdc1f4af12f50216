"""Edits a schedule: the picker, the time zone, a description and the next times."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QFormLayout, QLabel, QVBoxLayout, QWidget

from app.i18n.time_text import format_time_until, format_zoned_time
from app.i18n.translate import translate_text
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, make_font
from app.widgets.schedule_choice import apply_choice, parse_choice
from app.widgets.schedule_picker import SchedulePicker
from scheduler.timing.description import describe_schedule
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.spec import ScheduleSpec
from scheduler.timing.zones import LOCAL, find_zone

MAX_SHOWN_TIMES = 5
_MAX_ZONE_WIDTH = 420


class ScheduleEditor(QWidget):
    """Takes a schedule and returns the edited one. Untouched parts are returned unchanged."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._written: dict[str, Any] = {"every": "1h"}
        self._machine_zone, self._now = "UTC", datetime(1970, 1, 1, tzinfo=UTC)
        self._ran = 0
        self._value: dict[str, Any] | None = None
        self._error: BadScheduleError | None = None
        self.picker = SchedulePicker()
        self.zone = self._make_zone()
        self.description_label, self.times_label, self.error_label = QLabel(), QLabel(), QLabel()
        self.description_label.setFont(make_font(TextStyle.STRONG, self.description_label.font()))
        self.error_label.setTextFormat(Qt.TextFormat.PlainText)
        set_style(self.error_label, "ink", "bad")
        set_style(self.times_label, "ink", "muted")
        for label in (self.description_label, self.times_label, self.error_label):
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
        for label in (self.description_label, self.times_label, self.error_label):
            layout.addWidget(label)
        layout.addStretch(1)
        self.picker.changed.connect(self._change)
        self.zone.currentTextChanged.connect(self._change)

    def set_schedule(self, written: Mapping[str, Any], *, machine_zone: str, now: datetime, ran: int = 0) -> None:
        """Start from this schedule; `ran` runs count against its limit."""
        self._written, self._machine_zone, self._now, self._ran = dict(written), machine_zone, now, ran
        self.picker.set_choice(parse_choice(written))
        with QSignalBlocker(self.zone):
            self.zone.setItemText(0, self.tr("This computer's time zone ({zone})").format(zone=machine_zone))
            zone = written.get("timezone") or machine_zone
            if zone == LOCAL:
                self.zone.setCurrentIndex(0)
            else:
                self.zone.setCurrentText(str(zone))
        self._refresh()

    def value(self) -> dict[str, Any] | None:
        """The edited schedule, or None while it is invalid."""
        return self._value

    def is_changed(self) -> bool:
        return self._value is not None and self._value != self._written

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        """Make labels as tall as one line of a field, so that they align with its first line."""
        super().showEvent(event)
        for label in self._labels:
            label.setFixedHeight(self.picker.kind.sizeHint().height())

    def _change(self) -> None:
        before = self._value
        self._refresh()
        if self._value != before or self._value is None:
            self.changed.emit()

    def _refresh(self) -> None:
        """Compute the chosen schedule and show it, or the error."""
        try:
            value = apply_choice(self._written, self.picker.choice(), self._chosen_zone())
            spec = ScheduleSpec.read(value, machine_zone=self._machine_zone, now=self._now)
            number = MAX_SHOWN_TIMES if spec.limit is None else min(max(spec.limit - self._ran, 0), MAX_SHOWN_TIMES)
            times = spec.compile(self._machine_zone).upcoming(self._now, number)
        except BadScheduleError as error:
            self._value, self._error = None, error
            self.error_label.setText(translate_text(error.sentence))
        else:
            self._value, self._error = value, None
            self.description_label.setText(translate_text(describe_schedule(spec, viewer_zone=self._machine_zone)))
            self.times_label.setText(self._format_times(times, spec))
        self.picker.cron.setAccessibleDescription(translate_text(self._error.sentence) if self._error else "")
        self.error_label.setVisible(self._error is not None)
        for label in (self.description_label, self.times_label):
            label.setVisible(self._error is None)

    def _format_times(self, times: list[datetime], spec: ScheduleSpec) -> str:
        local = ZoneInfo(self._machine_zone)
        zone = local if spec.timezone == LOCAL else find_zone(spec.timezone)
        lines = [format_zoned_time(at, zone, local, self._now) for at in times]
        if times:
            lines[0] += f" · {format_time_until(times[0], self._now)}"
        if len(times) < MAX_SHOWN_TIMES:
            lines.append(self.tr("No further runs.") if times else self.tr("No upcoming runs."))
        return "\n".join(line[:1].upper() + line[1:] for line in lines)

    def _chosen_zone(self) -> str | None:
        """None if the schedule has no zone and the machine's is chosen; the engine fills that in."""
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
        zone.setMaximumWidth(_MAX_ZONE_WIDTH)
        zone.addItem("")
        zone.addItems(_zone_names())
        line = zone.lineEdit()
        assert line is not None, "an editable combo box has a line edit"
        line.setAccessibleName(self.tr("Time zone"))
        completer = zone.completer()
        assert completer is not None, "an editable combo box has a completer"
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        return zone


@cache
def _zone_names() -> list[str]:
    """Cached: reads hundreds of files."""
    return sorted(name for name in available_timezones() if "/" in name or name == "UTC")
