"""The dialog with the rules of one channel: what is sent, when, and what others may see."""

from datetime import time
from typing import Any

from PySide6.QtCore import Qt, QTime, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLineEdit, QSpinBox, QTimeEdit, QVBoxLayout, QWidget

from app.background import BackgroundTasks, run_command
from app.i18n.connector_labels import translate_connector_text
from app.i18n.time_text import time_format
from app.session import Session
from app.theme.stylesheet import indent_spin_box
from app.theme.tokens import Space, scale_to_text
from app.widgets.details_view import make_label
from app.widgets.form_controls import install_wheel_guard
from app.widgets.wrapping_check_box import WrappingCheckBox
from app.window.dialog import Dialog
from app.window.feedback import StatusLine, add_row, make_button
from app.window.settings.channel_labels import CODES, TIMINGS, TOPICS
from app.window.settings.labels import label_text
from scheduler.engine.queries.channels import ChannelView
from scheduler.rules.channels import MAX_HOURLY, MAX_MINUTES, ChannelTiming, ChannelTopic

_NUMBER_WIDTH = 110


class ChannelDialog(Dialog):
    changed = Signal()
    """The rules were saved."""

    def __init__(
        self, session: Session, channel: ChannelView, parent: QWidget | None = None, *, turns_on: bool = False
    ) -> None:
        """`turns_on`: saving also starts to use the channel."""
        super().__init__(560, parent)
        self._turns_on = turns_on
        title = translate_connector_text(channel.title)
        self.set_titles(self.tr("Channel"), f"{title} · {channel.channel}")
        self._session, self._channel = session, channel
        self._background = BackgroundTasks(self)
        self._make_controls()
        self._lay_out()
        self._show(channel.rules)
        install_wheel_guard(self)
        self.timing.activated.connect(self._enable_controls)
        self.quiet.clicked.connect(self._enable_controls)
        self.code_button.clicked.connect(self._create_code)
        self.cancel.clicked.connect(self.reject)
        self.save_button.clicked.connect(self._save)

    def _make_controls(self) -> None:
        self.topics = {topic: WrappingCheckBox(label_text(words)) for topic, words in TOPICS.items()}
        self.timing, self.code = self._make_box(TIMINGS), self._make_box(CODES)
        self.minutes, self.hourly = self._make_number(MAX_MINUTES), self._make_number(MAX_HOURLY)
        self.workflows, self.to = QLineEdit(), QLineEdit()
        self.workflows.setPlaceholderText(self.tr("All"))
        self.to.setPlaceholderText(self.tr("for example, you@example.org"))
        self.quiet = WrappingCheckBox(self.tr("&Quiet hours"))
        self.quiet_from, self.quiet_until = QTimeEdit(), QTimeEdit()
        for field, name in ((self.quiet_from, self.tr("Quiet from")), (self.quiet_until, self.tr("Quiet until"))):
            field.setDisplayFormat(time_format())
            field.setAccessibleName(name)
            indent_spin_box(field)
        self.questions_pass = WrappingCheckBox(self.tr("&Let questions through"))
        self.shows_call = WrappingCheckBox(self.tr("&Say exactly what would be done; the service can read it"))
        self.code_button = make_button(self.tr("Set up authenticator app…"))
        self.key = make_label("")
        self.key.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.key.hide()
        self.status_line = StatusLine()
        self.cancel = make_button(self.tr("Cancel"))
        self.save_button = make_button(self.tr("Save"), "Ctrl+Return", importance="primary")

    def _make_box(self, choices: Any) -> QComboBox:
        box = QComboBox()
        for value, words in choices.items():
            box.addItem(label_text(words), value)
        return box

    def _make_number(self, most: int) -> QSpinBox:
        spin = QSpinBox()
        spin.setRange(1, most)
        spin.setMaximumWidth(scale_to_text(_NUMBER_WIDTH, spin.font()))
        indent_spin_box(spin)
        return spin

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(Space.LARGE)
        form.setVerticalSpacing(Space.SMALL)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        if self._channel.needs_recipient:
            add_row(form, self.tr("Send &to"), self.to)
        kinds = QWidget()
        column = QVBoxLayout(kinds)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.SMALL)
        for box in self.topics.values():
            column.addWidget(box)
        add_row(form, self.tr("What is sent"), kinds, self.topics[ChannelTopic.QUESTIONS])
        add_row(form, self.tr("Only these &workflows"), self.workflows)
        add_row(form, self.tr("W&hen"), self.timing)
        add_row(form, self.tr("Away after (&minutes)"), self.minutes)
        self.away_note = make_label(
            self.tr("The screen is locked, nobody uses the computer, or nobody has answered for that long."), "muted"
        )
        form.addRow("", self.away_note)
        add_row(form, self.tr("Messages an hour, at &most"), self.hourly)
        form.addRow("", self.quiet)
        self._hours = QWidget()
        row = QHBoxLayout(self._hours)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Space.SMALL)
        for part in (make_label(self.tr("from")), self.quiet_from, make_label(self.tr("until")), self.quiet_until):
            row.addWidget(part)
        row.addStretch(1)
        form.addRow("", self._hours)
        form.addRow("", self.questions_pass)
        form.addRow("", self.shows_call)
        if self._channel.proves_sender and self._channel.takes_answers:
            add_row(form, self.tr("Ask for the &code"), self.code)
        self.parts.addLayout(form)
        if self._channel.takes_answers and not self._channel.proves_sender:
            self.parts.addWidget(self.code_button, 0, Qt.AlignmentFlag.AlignLeft)
            self.parts.addWidget(self.key)
        self.parts.addWidget(self.status_line)
        self.parts.addStretch(1)
        self.add_buttons(others=[self.cancel], last=self.save_button)

    def _show(self, rules: dict[str, Any]) -> None:
        for topic, box in self.topics.items():
            box.setChecked(topic in rules["topics"])
        for choice, value in ((self.timing, rules["timing"]), (self.code, rules["code"])):
            choice.setCurrentIndex(max(choice.findData(value), 0))
        self.minutes.setValue(rules["minutes"])
        self.hourly.setValue(rules["hourly"])
        self.workflows.setText(", ".join(rules["workflows"]))
        self.to.setText(rules["to"])
        self.quiet.setChecked(rules["is_quiet"])
        self.questions_pass.setChecked(rules["questions_pass"])
        self.shows_call.setChecked(rules["shows_call"])
        for field, text in ((self.quiet_from, rules["quiet_from"]), (self.quiet_until, rules["quiet_until"])):
            at = time.fromisoformat(text)
            field.setTime(QTime(at.hour, at.minute))
        self._enable_controls()

    def _enable_controls(self) -> None:
        is_away = self.timing.currentData() == ChannelTiming.AWAY
        for widget in (self.minutes, self.away_note):
            widget.setEnabled(is_away)
        for part in (self._hours, self.questions_pass):
            part.setEnabled(self.quiet.isChecked())

    def read_controls(self) -> dict[str, Any]:
        rules: dict[str, Any] = {
            "topics": [topic.value for topic, box in self.topics.items() if box.isChecked()],
            "workflows": self.workflows.text().strip() or "all",
            "timing": str(self.timing.currentData()),
            "minutes": self.minutes.value(),
            "hourly": self.hourly.value(),
            "is_quiet": self.quiet.isChecked(),
            "quiet_from": self.quiet_from.time().toString("HH:mm"),
            "quiet_until": self.quiet_until.time().toString("HH:mm"),
            "questions_pass": self.questions_pass.isChecked(),
            "shows_call": self.shows_call.isChecked(),
            "code": str(self.code.currentData()),
        }
        if self._channel.needs_recipient:
            rules["to"] = self.to.text().strip()
        return {**rules, "is_on": True} if self._turns_on else rules

    def _save(self) -> None:
        session, name, changes = self._session, self._channel.channel, self.read_controls()
        self._background.run(
            lambda: run_command(session, "channel_change", channel=name, changes=changes),
            lambda _: self._close_saved(),
            self.status_line.show_error,
        )

    def _close_saved(self) -> None:
        self.changed.emit()
        self.accept()

    def _create_code(self) -> None:
        session, name = self._session, self._channel.channel
        self._background.run(
            lambda: run_command(session, "channel_code", channel=name), self._show_code, self.status_line.show_error
        )

    def _show_code(self, answer: dict[str, Any]) -> None:
        key = answer["key"]
        shown = " ".join(key[place : place + 4] for place in range(0, len(key), 4))
        words = self.tr("Enter this key in your authenticator app now; it is not shown again:\n{key}")
        self.key.setText(words.format(key=shown))
        self.key.show()
        self.fit()
        self.changed.emit()
