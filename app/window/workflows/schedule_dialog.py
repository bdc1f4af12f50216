"""The dialog that edits a schedule. If it was changed elsewhere, both versions are shown before saving."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.background import BackgroundTasks
from app.i18n.translate import translate_text
from app.session import Session
from app.theme.tokens import Tone
from app.widgets.details_view import make_label
from app.widgets.schedule_editor import ScheduleEditor
from app.window.dialog import Dialog
from app.window.feedback import StatusLine, make_button
from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.schedule_data import ScheduleData
from scheduler.timing.errors import BadScheduleError


class ScheduleDialog(Dialog):
    changed = Signal(str)
    """A message: the schedule was saved."""

    def __init__(self, session: Session, schedule: ScheduleData, parent: QWidget | None = None) -> None:
        super().__init__(820, parent)
        self.set_titles(self.tr("When it runs"))
        self._session, self._background = session, BackgroundTasks(self)
        self.schedule = schedule
        self._saved: ScheduleData | None = None
        """As it was changed elsewhere, while the user compares it with theirs."""
        self.editor = ScheduleEditor()
        self.status_line = StatusLine()
        self.comparison = make_label("")
        self.comparison.hide()
        self.use_saved_button = make_button(self.tr("Use the saved schedule"))
        self.use_saved_button.hide()
        self.cancel = make_button(self.tr("Cancel"))
        self.save = make_button(self.tr("Save"), "Ctrl+Return", importance="primary")
        self.parts.addWidget(self.editor, 1)
        note = self.tr("Applies until the script's own schedule changes.")
        self.parts.addWidget(make_label(note, "muted"))
        for widget in (self.status_line, self.comparison):
            self.parts.addWidget(widget)
        self.add_buttons(self.use_saved_button, others=[self.cancel], last=self.save)
        self.editor.changed.connect(self.status_line.clear_error)
        self.editor.changed.connect(self._enable_save)
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._save)
        self.use_saved_button.clicked.connect(self._use_saved)
        self._edit(schedule)

    def _edit(self, schedule: ScheduleData) -> None:
        self.schedule = schedule
        zone, now = self._session.zone, self._session.now()
        self.editor.set_schedule(schedule.spec, machine_zone=zone, now=now, ran=schedule.run_count)
        self._enable_save()

    def _enable_save(self) -> None:
        self.save.setEnabled(self.editor.is_changed())
        self._compare()
        self.fit()

    def _save(self) -> None:
        value, schedule, session = self.editor.value(), self.schedule, self._session
        if value is None:
            return
        self.save.setEnabled(False)

        def act() -> object:
            return session.execute_for_user(
                lambda runtime: runtime.schedule_commands.edit(schedule.id, version=schedule.version, spec=value)
            )

        self._background.run(act, lambda _: self._finish(), self._refuse)

    def _finish(self) -> None:
        self.accept()
        self.changed.emit(self.tr("Schedule changed."))
        self.deleteLater()

    def _refuse(self, error: Exception) -> None:
        self._enable_save()
        if isinstance(error, RefusedError) and error.code == "stale":
            session, identity = self._session, self.schedule.id
            self._background.run(
                lambda: session.queries.schedule(identity), self._show_both, self.status_line.show_error
            )
        elif isinstance(error, BadScheduleError):
            self.status_line.show_message(translate_text(error.sentence), Tone.BAD)
        else:
            self.status_line.show_error(error)

    def _show_both(self, stored: ScheduleData | None) -> None:
        """Show the saved schedule and the edited one; nothing is changed yet."""
        if stored is None:
            self.status_line.show_message(self.tr("This schedule was removed; there is nothing to change."), Tone.BAD)
            return
        self.status_line.show_message(
            self.tr("The schedule was changed elsewhere while you were editing. Nothing has been saved yet."),
            Tone.ATTENTION,
        )
        self._saved = stored
        self._compare()
        self.comparison.show()
        self.use_saved_button.show()
        self.fit()
        # Pressing Save again overwrites the saved one.
        self.schedule = stored
        self.save.setText(self.tr("Save mine"))
        self.save.setEnabled(True)

    def _compare(self) -> None:
        """The saved schedule and the edited one, which may be edited further."""
        if self._saved is not None:
            said = self.tr("Saved: {theirs}\nYours: {mine}")
            mine = self.editor.description_label.text()
            self.comparison.setText(said.format(theirs=translate_text(self._saved.description), mine=mine))

    def _use_saved(self) -> None:
        assert self._saved is not None
        self._edit(self._saved)
        self._saved = None
        self.comparison.hide()
        self.use_saved_button.hide()
        self.status_line.clear()
        self.save.setText(self.tr("Save"))
