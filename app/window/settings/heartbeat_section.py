"""The sign of life in the settings: which monitoring service is told that Dayhand runs, and how often."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QWidget

from app.data.preferences import Preferences
from app.i18n.translate import translate_text
from app.session import Session
from app.theme.tokens import Space
from app.widgets.details_view import make_label
from app.window.feedback import add_row
from app.window.settings.connection_box import ConnectionBox
from scheduler.rules.pings import PING_KIND
from scheduler.timing.durations import describe_duration, parse_duration

_BOX_WIDTH = 420
_MIN_BOX_CHARS = 16
_INTERVALS = ("1m", "5m", "15m", "1h")


class HeartbeatSection(QWidget):
    changed = Signal()

    def __init__(self, session: Session, label_width: int) -> None:
        super().__init__()
        self.connection = ConnectionBox(session, PING_KIND, self.tr("None"))
        self.connection.names_read.connect(self._enable_controls)
        self.interval = QComboBox()
        for interval in _INTERVALS:
            self._add_interval(interval)
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(Space.LARGE)
        form.setVerticalSpacing(Space.SMALL)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        rows: tuple[tuple[str, QComboBox], ...] = (
            (self.tr("Monitoring service"), self.connection),
            (self.tr("Interval"), self.interval),
        )
        for label, box in rows:
            _size_box(box, label)
            add_row(form, label, box)
            form.labelForField(box).setMinimumWidth(label_width)
            box.activated.connect(lambda _: self._choose())
        note = self.tr(
            "A monitoring service such as Healthchecks or Uptime Kuma is pinged while Dayhand works, and tells you "
            "when the pings stop. Connect its address on the Connections page as a ping."
        )
        form.addRow(make_label(note, "muted"))

    def read(self) -> dict[str, Any]:
        """The chosen values, by the name of their preference."""
        return {"ping": self.connection.chosen, "ping_every": str(self.interval.currentData())}

    def show_choice(self, preferences: Preferences) -> None:
        if self.interval.findData(preferences.ping_every) < 0:
            self._add_interval(preferences.ping_every)
        self.interval.setCurrentIndex(self.interval.findData(preferences.ping_every))
        self.connection.show_choice(preferences.ping)

    def _enable_controls(self) -> None:
        self.interval.setEnabled(bool(self.connection.chosen))

    def _choose(self) -> None:
        self._enable_controls()
        self.changed.emit()

    def _add_interval(self, interval: str) -> None:
        length = translate_text(describe_duration(parse_duration(interval, "ping_every")))
        self.interval.addItem(length, interval)


def _size_box(box: QComboBox, name: str) -> None:
    box.setAccessibleName(name)
    box.setMaximumWidth(_BOX_WIDTH)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(_MIN_BOX_CHARS)
