"""The Settings page. Every change takes effect and is saved at once."""

from dataclasses import fields, replace
from datetime import time
from typing import Any

from PySide6.QtCore import QSignalBlocker, QTime
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QTimeEdit,
    QWidget,
)

from app.data.preferences import Preferences, PreferencesError, read_preferences, save_preferences
from app.i18n.languages import Language
from app.i18n.time_text import time_format
from app.i18n.translate import translate_text
from app.platform.autostart import Autostart, AutostartError, autostart_command, find_autostart
from app.session import Session
from app.theme.stylesheet import indent_spin_box
from app.theme.tokens import Appearance, Space, Tone, scale_to_text
from app.widgets.details_view import make_label
from app.widgets.form_controls import install_wheel_guard
from app.widgets.wrapping_check_box import WrappingCheckBox
from app.window.external_editor import parse_command
from app.window.feedback import StatusLine, align_left, make_button
from app.window.page import Page, PageColumn, make_section_heading
from app.window.settings.channels_section import ChannelsSection
from app.window.settings.data_section import DataSection
from app.window.settings.fixer_section import FixerSection
from app.window.settings.form_rows import make_form
from app.window.settings.heartbeat_section import HeartbeatSection
from app.window.settings.labels import APPEARANCES, CATCHUPS, HISTORY_AGES, LANGUAGES, OVERLAPS, label_text
from app.window.settings.metrics_section import MetricsSection
from app.window.settings.report_section import ReportSection
from app.window.settings.schedule_defaults import ScheduleDefaultsSection
from scheduler.engine.errors import RefusedError
from scheduler.engine.runtime import Runtime
from scheduler.engine.setting_values import MAX_CONCURRENCY
from scheduler.timing.policies import Catchup, Overlap
from scheduler.workers.sandbox import describe_sandbox, warn_about_sandbox

_BOX_WIDTH = 420
_LABEL_WIDTH = 230
_NUMBER_WIDTH = 110
_MIN_EDITOR_WIDTH = 200
_MIN_BOX_CHARS = 16


class SettingsPage(Page):
    def __init__(self, session: Session, autostart: Autostart | None = None) -> None:
        super().__init__(session)
        self.title = self.tr("Settings")
        self._autostart = autostart or find_autostart(autostart_command(session.folder))
        self.preferences = Preferences()
        self._has_read = False
        self._unsaved: dict[str, Any] = {}
        self.status_line = StatusLine()
        self._make_controls()
        self._lay_out()
        install_wheel_guard(self)
        self._connect()
        self._show(self.preferences)

    def refresh(self) -> None:
        folder, autostart = self.session.folder, self._autostart
        self.channels.refresh()
        self.background.run_latest(
            "settings", lambda: (read_preferences(folder), autostart.is_on()), lambda found: self._take(*found)
        )

    def _make_controls(self) -> None:
        self.login = WrappingCheckBox(self.tr("Start in the background &when I log in"))
        self.appearance = self._make_box(self.tr("Appearance"), APPEARANCES)
        self.language = self._make_box(self.tr("Language"), LANGUAGES)
        self.editor = QLineEdit()
        self.editor.setAccessibleName(self.tr("Editor"))
        self.editor.setPlaceholderText(self.tr("System default"))
        self.editor.setMinimumWidth(_MIN_EDITOR_WIDTH)
        self.editor.setMaximumWidth(_BOX_WIDTH)
        self.notifications = WrappingCheckBox(self.tr("&Notify me when something needs my attention"))
        self.quiet = WrappingCheckBox(self.tr("&Quiet hours"))
        self.quiet_from, self.quiet_until = QTimeEdit(), QTimeEdit()
        for field, name in ((self.quiet_from, self.tr("Quiet from")), (self.quiet_until, self.tr("Quiet until"))):
            field.setDisplayFormat(time_format())
            field.setAccessibleName(name)
            indent_spin_box(field)
        self.approvals = WrappingCheckBox(self.tr("Let appro&val requests through"))
        self.test_button = make_button(self.tr("Send a test notification"))
        self.concurrency = QSpinBox()
        self.concurrency.setRange(1, MAX_CONCURRENCY)
        self.concurrency.setAccessibleName(self.tr("Parallel runs"))
        self.concurrency.setMaximumWidth(scale_to_text(_NUMBER_WIDTH, self.concurrency.font()))
        indent_spin_box(self.concurrency)
        self.overlap = self._make_box(self.tr("If the previous run is still going"), OVERLAPS)
        self.catchup = self._make_box(self.tr("Missed runs"), CATCHUPS)
        self.history_age = self._make_box(self.tr("Keep history for"), HISTORY_AGES)
        tone = "muted" if warn_about_sandbox() is None else Tone.ATTENTION.value
        self.sandbox = make_label(translate_text(describe_sandbox()), tone)
        self.schedule_defaults = ScheduleDefaultsSection(_LABEL_WIDTH)
        self.fixer = FixerSection(self.session, _LABEL_WIDTH)
        self.heartbeat, self.metrics = HeartbeatSection(self.session, _LABEL_WIDTH), MetricsSection()
        self.channels = ChannelsSection(self.session)
        self.reports = ReportSection(self.session, _LABEL_WIDTH)
        self._sections = (self.reports, self.heartbeat, self.metrics, self.schedule_defaults)
        self.data = DataSection(self.session)

    def _make_box(self, name: str, choices: dict[Any, object]) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setMaximumWidth(_BOX_WIDTH)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(_MIN_BOX_CHARS)
        for value, words in choices.items():
            box.addItem(label_text(words), value)
        return box

    def _lay_out(self) -> None:
        column = PageColumn(self.title)
        column.subtitle.hide()
        parts = column.parts
        parts.addWidget(self.status_line)
        hours = QWidget()
        row = QHBoxLayout(hours)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Space.SMALL)
        for part in (QLabel(self.tr("from")), self.quiet_from, QLabel(self.tr("until")), self.quiet_until):
            row.addWidget(part)
        row.addStretch(1)
        self._hours = hours
        for title, rows in (
            (
                self.tr("General"),
                (
                    ("", self.login),
                    (self.tr("&Appearance"), self.appearance),
                    (self.tr("&Language (after restart)"), self.language),
                    (self.tr("Edito&r for scripts"), self.editor),
                    ("", make_label(self.tr("A command, for example: code --goto {file}:{line}"), "muted")),
                ),
            ),
            (
                self.tr("Notifications"),
                (
                    ("", self.notifications),
                    ("", self.quiet),
                    ("", hours),
                    ("", self.approvals),
                    ("", align_left(self.test_button)),
                ),
            ),
            (self.tr("Away from the desk"), (("", self.channels),)),
            (
                self.tr("Runs"),
                (
                    (self.tr("Parallel r&uns"), self.concurrency),
                    (self.tr("If the previous run is &still going"), self.overlap),
                    (self.tr("Misse&d runs"), self.catchup),
                    ("", make_label(self.tr("A script's own settings take precedence."), "muted")),
                    ("", self.sandbox),
                ),
            ),
            (self.tr("Repairs"), (("", self.fixer),)),
            (self.tr("History"), ((self.tr("&Keep history for"), self.history_age),)),
            (self.tr("Reports"), (("", self.reports),)),
            (self.tr("Monitoring"), (("", self.heartbeat), ("", self.metrics))),
            (self.tr("Data"), (("", self.data),)),
            (self.tr("Advanced"), (("", self.schedule_defaults),)),
        ):
            parts.addWidget(make_section_heading(title))
            parts.addLayout(make_form(rows, _LABEL_WIDTH))
        parts.addStretch(1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(column)

    def _connect(self) -> None:
        self.login.clicked.connect(lambda on: self._set_autostart(on=on))
        for box in (self.notifications, self.quiet, self.approvals):
            box.clicked.connect(self._choose)
        for field in (self.quiet_from, self.quiet_until):
            field.editingFinished.connect(self._choose)
        for choice in (self.appearance, self.language, self.overlap, self.catchup, self.history_age):
            choice.activated.connect(self._choose)
        self.concurrency.valueChanged.connect(self._choose)
        self.editor.editingFinished.connect(self._choose_editor)
        self.editor.textEdited.connect(self.status_line.clear_error)
        self.test_button.clicked.connect(self._send_test)
        self.fixer.saved.connect(self.refresh)
        for section in self._sections:
            section.changed.connect(self._choose)
        self.data.import_requested.connect(self.import_requested)

    def read_controls(self) -> Preferences:
        return replace(
            self.preferences,
            concurrency=self.concurrency.value(),
            overlap_jobs=Overlap(self.overlap.currentData()),
            catchup=Catchup(self.catchup.currentData()),
            keep_days=int(self.history_age.currentData()),
            is_quiet=self.quiet.isChecked(),
            quiet_from=_read_time(self.quiet_from),
            quiet_until=_read_time(self.quiet_until),
            approvals_pass=self.approvals.isChecked(),
            notices=self.notifications.isChecked(),
            appearance=Appearance(self.appearance.currentData()),
            language=Language(self.language.currentData()),
            editor=self.editor.text().strip(),
            **{name: value for section in self._sections for name, value in section.read().items()},
        )

    def _take(self, preferences: Preferences, starts: bool) -> None:  # noqa: FBT001  # as read
        self._has_read = True
        self.preferences = replace(preferences, **self._unsaved)
        self._show(self.preferences)
        self.login.setChecked(starts)

    def _show(self, preferences: Preferences) -> None:
        with QSignalBlocker(self.concurrency):
            self.concurrency.setValue(preferences.concurrency)
        if self.history_age.findData(preferences.keep_days) < 0:
            words = self.tr("{number} days").format(number=preferences.keep_days)
            self.history_age.addItem(words, preferences.keep_days)
        for box, value in (
            (self.overlap, preferences.overlap_jobs),
            (self.catchup, preferences.catchup),
            (self.appearance, preferences.appearance),
            (self.language, preferences.language),
            (self.history_age, preferences.keep_days),
        ):
            box.setCurrentIndex(max(box.findData(value), 0))
        if not self.editor.hasFocus():
            self.editor.setText(preferences.editor)
        self.quiet.setChecked(preferences.is_quiet)
        self.approvals.setChecked(preferences.approvals_pass)
        self.notifications.setChecked(preferences.notices)
        for field, at in ((self.quiet_from, preferences.quiet_from), (self.quiet_until, preferences.quiet_until)):
            if not field.hasFocus():
                field.setTime(QTime(at.hour, at.minute))
        self.fixer.show_choice(preferences.fixer)
        for section in self._sections:
            section.show_choice(preferences)
        self._enable_controls()

    def _enable_controls(self) -> None:
        notifies, is_quiet = self.notifications.isChecked(), self.quiet.isChecked()
        self.quiet.setEnabled(notifies)
        for widget in (self._hours, self.approvals):
            widget.setEnabled(notifies and is_quiet)

    def _choose_editor(self) -> None:
        """Save the editor only if it can be started."""
        editor = self.editor.text().strip()
        try:
            if editor:
                parse_command(editor)
        except RefusedError as error:
            self.status_line.show_error(error)
            self.editor.setText(self.preferences.editor)
        else:
            self._choose()

    def _choose(self) -> None:
        """Apply and save the settings; say so only if that fails."""
        chosen = self.read_controls()
        self._enable_controls()
        if chosen == self.preferences or not self._has_read:
            return
        self._unsaved |= {
            one.name: getattr(chosen, one.name)
            for one in fields(chosen)
            if getattr(chosen, one.name) != getattr(self.preferences, one.name)
        }
        self.preferences = chosen
        self.preferences_changed.emit(chosen)
        self.background.run_latest("keep", self._save, self._saved, self._refuse)

    def _save(self) -> dict[str, Any]:
        """Save what the user changed here, and nothing else: commands may have changed other preferences since."""
        session, changes = self.session, dict(self._unsaved)

        def save(runtime: Runtime) -> None:
            whole = replace(read_preferences(session.folder), **changes)
            try:
                save_preferences(session.folder, whole)
            finally:
                runtime.change_settings(whole.apply_to)

        session.execute_for_user(save)
        return changes

    def _saved(self, changes: dict[str, Any]) -> None:
        self._unsaved = {name: value for name, value in self._unsaved.items() if changes.get(name) != value}
        self.status_line.clear()

    def _refuse(self, error: Exception) -> None:
        if isinstance(error, PreferencesError | AutostartError):
            self.status_line.show_message(str(error), Tone.BAD)
        else:
            self.status_line.show_error(error)

    def _set_autostart(self, *, on: bool) -> None:
        """Then show the actual state, whether or not the change succeeded."""
        autostart = self._autostart
        self.status_line.clear_error()

        def act() -> None:
            if on:
                autostart.turn_on()
            else:
                autostart.turn_off()

        def refuse(error: Exception) -> None:
            self._refuse(error)
            self.refresh()

        self.background.run(act, lambda _: self.refresh(), refuse)

    def _send_test(self) -> None:
        self.session.message_sent.emit(self.tr("Dayhand"), self.tr("This is a test notification. Everything works."))
        self.status_line.show_message(
            self.tr("Test notification sent. If it does not appear, check your system's notification settings.")
        )


def _read_time(field: QTimeEdit) -> time:
    return time(field.time().hour(), field.time().minute())
