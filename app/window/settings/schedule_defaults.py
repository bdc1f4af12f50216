"""The advanced section of the settings: defaults for schedules that do not set their own."""

from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QSpinBox, QWidget

from app.data.preferences import Preferences
from app.theme.stylesheet import indent_spin_box
from app.theme.tokens import Space, scale_to_text
from app.widgets.details_view import make_label
from app.window.feedback import add_row
from app.window.settings.labels import JITTERS, LOOKAHEADS, PRODUCER_OVERLAPS, describe_jitter, label_text
from scheduler.engine.setting_values import MAX_BUFFER_LIMIT, MAX_CATCHUP_PER_TICK
from scheduler.timing.durations import describe_duration, parse_duration
from scheduler.timing.policies import Overlap

_BOX_WIDTH = 420
_NUMBER_WIDTH = 130
_MIN_BOX_CHARS = 24
"""A box may cut its text in a narrow window."""


class ScheduleDefaultsSection(QWidget):
    changed = Signal()

    def __init__(self, label_width: int) -> None:
        super().__init__()
        self.producers = _make_box(self.tr("If the previous check is still going"), PRODUCER_OVERLAPS)
        self.jitter = _make_box(self.tr("Vary start times"), JITTERS)
        self.lookahead = _make_box(self.tr("Spread missed runs over"), LOOKAHEADS)
        self.catchup_per_tick = _make_number(self.tr("Missed runs queued at a time"), MAX_CATCHUP_PER_TICK)
        self.buffer_limit = _make_number(self.tr("Waiting runs per schedule"), MAX_BUFFER_LIMIT)
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(Space.LARGE)
        form.setVerticalSpacing(Space.SMALL)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        rows: tuple[tuple[str, QWidget], ...] = (
            (self.tr("If the previous check is still going"), self.producers),
            (self.tr("Vary start times"), self.jitter),
            (self.tr("Spread missed runs over"), self.lookahead),
            (self.tr("Missed runs queued at a time"), self.catchup_per_tick),
            (self.tr("Waiting runs per schedule, at most"), self.buffer_limit),
        )
        for label, widget in rows:
            add_row(form, label, widget)
            form.labelForField(widget).setMinimumWidth(label_width)
        form.addRow(
            make_label(
                self.tr("Changes apply to upcoming runs of every schedule that does not set its own value."), "muted"
            )
        )
        for box in (self.producers, self.jitter, self.lookahead):
            box.activated.connect(lambda _: self.changed.emit())
        for field in (self.catchup_per_tick, self.buffer_limit):
            field.valueChanged.connect(lambda _: self.changed.emit())

    def read(self) -> dict[str, Any]:
        """The chosen values, by the name of their preference."""
        return {
            "overlap_producers": Overlap(self.producers.currentData()),
            "jitter": str(self.jitter.currentData()),
            "lookahead": str(self.lookahead.currentData()),
            "catchup_per_tick": self.catchup_per_tick.value(),
            "buffer_limit": self.buffer_limit.value(),
        }

    def show_choice(self, preferences: Preferences) -> None:
        _add_missing(self.jitter, preferences.jitter, describe_jitter(preferences.jitter))
        lookahead = preferences.lookahead
        _add_missing(self.lookahead, lookahead, describe_duration(parse_duration(lookahead, "lookahead")))
        for box, value in (
            (self.producers, preferences.overlap_producers),
            (self.jitter, preferences.jitter),
            (self.lookahead, lookahead),
        ):
            box.setCurrentIndex(max(box.findData(value), 0))
        for field, number in (
            (self.catchup_per_tick, preferences.catchup_per_tick),
            (self.buffer_limit, preferences.buffer_limit),
        ):
            with QSignalBlocker(field):
                field.setValue(number)


def _make_box(name: str, choices: dict[Any, object]) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    box.setMaximumWidth(_BOX_WIDTH)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(_MIN_BOX_CHARS)
    for value, words in choices.items():
        box.addItem(label_text(words), value)
    return box


def _make_number(name: str, high: int) -> QSpinBox:
    field = QSpinBox()
    field.setRange(1, high)
    field.setAccessibleName(name)
    field.setMaximumWidth(scale_to_text(_NUMBER_WIDTH, field.font()))
    field.setGroupSeparatorShown(True)
    field.setKeyboardTracking(False)
    indent_spin_box(field)
    return field


def _add_missing(box: QComboBox, value: str, words: str) -> None:
    """A value that the command line set."""
    if box.findData(value) < 0:
        box.addItem(words, value)
