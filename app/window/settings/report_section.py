"""Reports in the settings: how often one is mailed, through which connection, and to whom."""

from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QWidget

from app.data.preferences import Preferences
from app.session import Session
from app.theme.tokens import Space
from app.widgets.details_view import make_label
from app.window.feedback import add_row
from app.window.settings.connection_box import ConnectionBox
from app.window.settings.labels import label_text
from scheduler.rules.report_periods import ReportInterval

_BOX_WIDTH = 420
_MIN_BOX_CHARS = 16
_MAIL_KIND = "smtp"
_INTERVALS: dict[ReportInterval, object] = {
    ReportInterval.OFF: QT_TRANSLATE_NOOP("settings", "Never"),
    ReportInterval.DAILY: QT_TRANSLATE_NOOP("settings", "Every morning"),
    ReportInterval.WEEKLY: QT_TRANSLATE_NOOP("settings", "Every Monday morning"),
}


class ReportSection(QWidget):
    changed = Signal()

    def __init__(self, session: Session, label_width: int) -> None:
        super().__init__()
        self.interval, self.to = QComboBox(), QLineEdit()
        self.connection = ConnectionBox(session, _MAIL_KIND, self.tr("Choose a mail connection"))
        self.connection.names_read.connect(self._enable_controls)
        for value, words in _INTERVALS.items():
            self.interval.addItem(label_text(words), value)
        self.to.setPlaceholderText(self.tr("Yourself, the sender of the connection"))
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(Space.LARGE)
        form.setVerticalSpacing(Space.SMALL)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        rows: tuple[tuple[str, QComboBox | QLineEdit], ...] = (
            (self.tr("Mail a report"), self.interval),
            (self.tr("Through"), self.connection),
            (self.tr("To"), self.to),
        )
        for label, field in rows:
            field.setAccessibleName(label)
            field.setMaximumWidth(_BOX_WIDTH)
            add_row(form, label, field)
            form.labelForField(field).setMinimumWidth(label_width)
        for box in (self.interval, self.connection):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(_MIN_BOX_CHARS)
            box.activated.connect(lambda _: self._choose())
        self.to.editingFinished.connect(self.changed)
        note = self.tr(
            "It says what ran, what you approved, what did not run and why, and what waits for you. "
            "Today shows the same under Report. Connect a mail server on the Connections page."
        )
        form.addRow(make_label(note, "muted"))

    def read(self) -> dict[str, Any]:
        """The chosen values, by the name of their preference."""
        to = self.to.text().strip()
        return {
            "report": ReportInterval(self.interval.currentData()),
            "report_connection": self.connection.chosen,
            "report_to": to if to.count("@") == 1 else "",
        }

    def show_choice(self, preferences: Preferences) -> None:
        self.interval.setCurrentIndex(self.interval.findData(preferences.report))
        if not self.to.hasFocus():
            self.to.setText(preferences.report_to)
        self.connection.show_choice(preferences.report_connection)

    def _choose(self) -> None:
        """The first mail connection is chosen with the interval."""
        is_on = ReportInterval(self.interval.currentData()) is not ReportInterval.OFF
        if is_on and not self.connection.chosen and self.connection.count() > 1:
            self.connection.setCurrentIndex(1)
        self._enable_controls()
        self.changed.emit()

    def _enable_controls(self) -> None:
        is_on = ReportInterval(self.interval.currentData()) is not ReportInterval.OFF
        for field in (self.connection, self.to):
            field.setEnabled(is_on)
