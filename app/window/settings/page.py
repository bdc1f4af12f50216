"""What the person may set for the whole app. Every choice holds at once and is kept."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import time
from typing import Any

from PySide6.QtCore import QSignalBlocker, QTime
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QTimeEdit,
    QWidget,
)

from app.keeping.preferences import MOST_AT_ONCE, Preferences, PreferencesError, keep_preferences, read_preferences
from app.life.command import start_command
from app.life.installation import Installation
from app.look.dressing import indent
from app.look.theme import Appearance, Space, Tone
from app.platform.autostart import Autostart, AutostartError, find_autostart
from app.widgets.details_view import make_text
from app.widgets.wheel import leave_wheel
from app.window.editing import read_command
from app.window.frame import Column, make_section
from app.window.page import Page
from app.window.saying import Saying, add_row, make_button
from app.window.settings_data import DataSection
from app.window.settings_fixer import FixerSection
from app.window.settings_words import APPEARANCES, CATCHUPS, KEPT, LANGUAGES, OVERLAPS, say
from app.words.languages import Language
from scheduler.engine.refusal import RefusedError
from scheduler.timing.policies import Catchup, Overlap

_BOX_WIDTH = 360
_LABEL_WIDTH = 230


class SettingsPage(Page):
    def __init__(self, installation: Installation, autostart: Autostart | None = None) -> None:
        super().__init__(installation)
        self.title = self.tr("Settings")
        self._autostart = autostart or find_autostart(start_command(installation.folder))
        self.preferences = Preferences()
        self._has_read = False
        self.saying = Saying()
        self._make_controls()
        self._lay_out()
        leave_wheel(self)
        self._connect()
        self._show(self.preferences)

    def refresh(self) -> None:
        folder, autostart = self.installation.folder, self._autostart
        self.asking.ask_latest(
            "settings", lambda: (read_preferences(folder), autostart.is_on()), lambda found: self._take(*found)
        )

    def _make_controls(self) -> None:
        self.login = QCheckBox(self.tr("Start &when I log in, without a window"))
        self.appearance = self._make_box(self.tr("Appearance"), APPEARANCES)
        self.language = self._make_box(self.tr("Language"), LANGUAGES)
        self.editor = QLineEdit()
        self.editor.setAccessibleName(self.tr("Editor"))
        self.editor.setPlaceholderText(self.tr("What your system has for Python files"))
        self.editor.setMaximumWidth(_BOX_WIDTH)
        self.notices = QCheckBox(self.tr("Tell me when something &needs me"))
        self.quiet = QCheckBox(self.tr("&Quiet hours"))
        self.quiet_from, self.quiet_until = QTimeEdit(), QTimeEdit()
        for field, name in ((self.quiet_from, self.tr("Quiet from")), (self.quiet_until, self.tr("Quiet until"))):
            field.setDisplayFormat("HH:mm")
            field.setAccessibleName(name)
            indent(field)
        self.approvals = QCheckBox(self.tr("Questions may &disturb me all the same"))
        self.test = make_button(self.tr("Send a test notice"))
        self.concurrency = QSpinBox()
        self.concurrency.setRange(1, MOST_AT_ONCE)
        self.concurrency.setAccessibleName(self.tr("Runs at once"))
        self.concurrency.setMaximumWidth(110)
        indent(self.concurrency)
        self.overlap = self._make_box(self.tr("When a time comes while the run before is going"), OVERLAPS)
        self.catchup = self._make_box(self.tr("Times that passed while the computer was off"), CATCHUPS)
        self.kept = self._make_box(self.tr("Keep history for"), KEPT)
        self.fixer = FixerSection(self.installation, _LABEL_WIDTH)
        self.data = DataSection(self.installation)

    def _make_box(self, name: str, choices: dict[Any, object]) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setMaximumWidth(_BOX_WIDTH)
        for value, words in choices.items():
            box.addItem(say(words), value)
        return box

    def _lay_out(self) -> None:
        column = Column(self.title)
        column.under.hide()
        parts = column.parts
        parts.addWidget(self.saying)
        hours = QWidget()
        row = QHBoxLayout(hours)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Space.SMALL)
        for part in (
            QLabel(self.tr("from")),
            self.quiet_from,
            QLabel(self.tr("until")),
            self.quiet_until,
        ):
            row.addWidget(part)
        row.addStretch(1)
        self._hours = hours
        for title, rows in (
            (
                self.tr("This app"),
                (
                    ("", self.login),
                    (self.tr("&Appearance"), self.appearance),
                    (self.tr("&Language, from the next start on"), self.language),
                    (self.tr("Edito&r for scripts"), self.editor),
                    ("", make_text(self.tr("A command, as in: code --goto {file}:{line}"), "muted")),
                ),
            ),
            (
                self.tr("Notices"),
                (("", self.notices), ("", self.quiet), ("", hours), ("", self.approvals), ("", _left(self.test))),
            ),
            (
                self.tr("Runs"),
                (
                    (self.tr("Runs at &once"), self.concurrency),
                    (self.tr("If the run before is &still going"), self.overlap),
                    (self.tr("Times that passed &unseen"), self.catchup),
                    ("", make_text(self.tr("What a script says itself comes before these two."), "muted")),
                ),
            ),
            (self.tr("Repairs"), (("", self.fixer),)),
            (self.tr("History"), ((self.tr("&Keep history for"), self.kept),)),
            (self.tr("Data"), (("", self.data),)),
        ):
            parts.addWidget(make_section(title))
            parts.addLayout(_form(rows))
        parts.addStretch(1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(column)

    def _connect(self) -> None:
        self.login.clicked.connect(lambda on: self._switch_login(on=on))
        for box in (self.notices, self.quiet, self.approvals):
            box.clicked.connect(self._choose)
        for field in (self.quiet_from, self.quiet_until):
            field.editingFinished.connect(self._choose)
        for choice in (self.appearance, self.language, self.overlap, self.catchup, self.kept):
            choice.activated.connect(self._choose)
        self.concurrency.valueChanged.connect(self._choose)
        self.editor.editingFinished.connect(self._choose_editor)
        self.test.clicked.connect(self._send_test)
        self.fixer.kept.connect(self.refresh)
        self.data.import_wanted.connect(self.import_wanted)

    def chosen(self) -> Preferences:
        return replace(
            self.preferences,
            concurrency=self.concurrency.value(),
            overlap=Overlap(self.overlap.currentData()),
            catchup=Catchup(self.catchup.currentData()),
            keep_days=int(self.kept.currentData()),
            is_quiet=self.quiet.isChecked(),
            quiet_from=_time(self.quiet_from),
            quiet_until=_time(self.quiet_until),
            approvals_pass=self.approvals.isChecked(),
            notices=self.notices.isChecked(),
            appearance=Appearance(self.appearance.currentData()),
            language=Language(self.language.currentData()),
            editor=self.editor.text().strip(),
        )

    def _take(self, preferences: Preferences, starts: bool) -> None:  # noqa: FBT001  # as it was read
        self._has_read = True
        self.preferences = preferences
        self._show(preferences)
        self.login.setChecked(starts)

    def _show(self, preferences: Preferences) -> None:
        with QSignalBlocker(self.concurrency):
            self.concurrency.setValue(preferences.concurrency)
        if self.kept.findData(preferences.keep_days) < 0:
            words = self.tr("{number} days").format(number=preferences.keep_days)
            self.kept.addItem(words, preferences.keep_days)
        for box, value in (
            (self.overlap, preferences.overlap),
            (self.catchup, preferences.catchup),
            (self.appearance, preferences.appearance),
            (self.language, preferences.language),
            (self.kept, preferences.keep_days),
        ):
            box.setCurrentIndex(max(box.findData(value), 0))
        if not self.editor.hasFocus():
            self.editor.setText(preferences.editor)
        self.quiet.setChecked(preferences.is_quiet)
        self.approvals.setChecked(preferences.approvals_pass)
        self.notices.setChecked(preferences.notices)
        for field, at in ((self.quiet_from, preferences.quiet_from), (self.quiet_until, preferences.quiet_until)):
            if not field.hasFocus():
                field.setTime(QTime(at.hour, at.minute))
        self.fixer.show_choice(preferences.fixer)
        self._offer()

    def _offer(self) -> None:
        tells, is_quiet = self.notices.isChecked(), self.quiet.isChecked()
        self.quiet.setEnabled(tells)
        for widget in (self._hours, self.approvals):
            widget.setEnabled(tells and is_quiet)

    def _choose_editor(self) -> None:
        """Only one that can be started is kept."""
        editor = self.editor.text().strip()
        try:
            if editor:
                read_command(editor)
        except RefusedError as error:
            self.saying.refuse(error)
            self.editor.setText(self.preferences.editor)
        else:
            self._choose()

    def _choose(self) -> None:
        """Hold it at once, keep it, and say so only where that fails."""
        chosen = self.chosen()
        self._offer()
        if chosen == self.preferences or not self._has_read:
            return
        self.preferences = chosen
        self.preferred.emit(chosen)
        installation = self.installation

        def act() -> None:
            # Who repairs scripts is kept by a command of its own, maybe given elsewhere meanwhile.
            context, fixer = installation.house.engine.context, read_preferences(installation.folder).fixer
            whole = replace(chosen, fixer=fixer)
            asked = installation.ask_for_user(lambda _: setattr(context, "settings", whole.settle(context.settings)))
            asked.result(60)
            keep_preferences(installation.folder, whole)

        self.asking.ask_latest("keep", act, lambda _: self.saying.clear(), self._refuse)

    def _refuse(self, error: Exception) -> None:
        if isinstance(error, PreferencesError | AutostartError):
            self.saying.say(str(error), Tone.BAD)
        else:
            self.saying.refuse(error)

    def _switch_login(self, *, on: bool) -> None:
        """What is shown afterwards is what the session will find, whatever came of the wish."""
        autostart = self._autostart

        def act() -> None:
            if on:
                autostart.turn_on()
            else:
                autostart.turn_off()

        def refuse(error: Exception) -> None:
            self._refuse(error)
            self.refresh()

        self.asking.ask(act, lambda _: self.refresh(), refuse)

    def _send_test(self) -> None:
        self.installation.told.emit(self.tr("Dayhand"), self.tr("This is how a notice looks. All is well."))
        self.saying.say(self.tr("A notice was sent. If none appears, look at your system's settings for notices."))


def _time(field: QTimeEdit) -> time:
    return time(field.time().hour(), field.time().minute())


def _left(*widgets: QWidget) -> QWidget:
    box = QWidget()
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(Space.SMALL)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return box


def _form(rows: Sequence[tuple[str, QWidget]]) -> QFormLayout:
    form = QFormLayout()
    form.setHorizontalSpacing(Space.LARGE)
    form.setVerticalSpacing(Space.SMALL)
    form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
    for label, widget in rows:
        if label:
            add_row(form, label, widget)
            form.labelForField(widget).setMinimumWidth(_LABEL_WIDTH)
        else:
            form.addRow(widget)
    return form
