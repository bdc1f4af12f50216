"""Changing when something runs. Whoever was faster is not overwritten: both versions are shown first."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.asking import Asking
from app.life.installation import Installation
from app.look.theme import Tone
from app.widgets.details_view import make_text
from app.widgets.schedule_editor import ScheduleEditor
from app.window.dialog import Dialog
from app.window.saying import Saying, make_button
from app.window.workflow_facts import ScheduleFacts, find_schedule
from app.words.interpreting import interpret
from scheduler.engine.refusal import RefusedError
from scheduler.timing.errors import BadScheduleError

_PATIENCE = 120.0


class TimesDialog(Dialog):
    changed = Signal(str)
    """A sentence: the times are stored."""

    def __init__(self, installation: Installation, schedule: ScheduleFacts, parent: QWidget | None = None) -> None:
        super().__init__(760, parent)
        self.entitle(self.tr("When it runs"))
        self._installation, self._asking = installation, Asking(self)
        self.schedule = schedule
        self.editor = ScheduleEditor()
        self.saying = Saying()
        self.both = make_text("")
        self.both.hide()
        self.theirs = make_button(self.tr("Start from what is stored"))
        self.theirs.hide()
        self.cancel = make_button(self.tr("Cancel"))
        self.save = make_button(self.tr("Save"), "Ctrl+Return", importance="primary")
        self.parts.addWidget(self.editor, 1)
        note = self.tr("This holds until the script itself is deployed with other times.")
        self.parts.addWidget(make_text(note, "muted"))
        for widget in (self.saying, self.both):
            self.parts.addWidget(widget)
        self.conclude(self.theirs, others=[self.cancel], last=self.save)
        self.editor.changed.connect(self._offer)
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._save)
        self.theirs.clicked.connect(self._take_theirs)
        self._edit(schedule)

    def _edit(self, schedule: ScheduleFacts) -> None:
        context = self._installation.house.engine.context
        self.schedule = schedule
        now = context.clock.now()
        self.editor.set_schedule(schedule.spec, machine_zone=context.machine_zone, now=now, ran=schedule.ran)
        self._offer()

    def _offer(self) -> None:
        self.save.setEnabled(self.editor.is_changed())
        self.fit()

    def _save(self) -> None:
        value, schedule, installation = self.editor.value(), self.schedule, self._installation
        if value is None:
            return
        self.save.setEnabled(False)

        def act() -> object:
            edit = installation.house.schedules.edit
            return installation.ask_for_user(lambda _: edit(schedule.id, version=schedule.version, spec=value)).result(
                _PATIENCE
            )

        self._asking.ask(act, lambda _: self._finish(), self._refuse)

    def _finish(self) -> None:
        self.accept()
        self.changed.emit(self.tr("Its times are changed."))
        self.deleteLater()

    def _refuse(self, error: Exception) -> None:
        self._offer()
        if isinstance(error, RefusedError) and error.code == "stale":
            installation, identity = self._installation, self.schedule.id
            self._asking.ask(lambda: find_schedule(installation, identity), self._show_both, self.saying.refuse)
        elif isinstance(error, BadScheduleError):
            self.saying.say(interpret(error.sentence), Tone.BAD)
        else:
            self.saying.refuse(error)

    def _show_both(self, stored: ScheduleFacts | None) -> None:
        """What is stored now and what was wanted, beside each other; nothing was changed."""
        if stored is None:
            self.saying.say(self.tr("It was removed meanwhile; there is nothing to change."), Tone.BAD)
            return
        self.saying.say(
            self.tr("Somebody else changed these times while you did. Nothing was saved yet."), Tone.ATTENTION
        )
        said = self.tr("Stored now: {theirs}\nYours: {mine}")
        self.both.setText(said.format(theirs=interpret(stored.words), mine=self.editor.words.text()))
        self.both.show()
        self.theirs.show()
        self.fit()
        self._theirs = stored
        # A second press says: mine, knowing theirs.
        self.schedule = stored
        self.save.setText(self.tr("Save mine instead"))
        self.save.setEnabled(True)

    def _take_theirs(self) -> None:
        self._edit(self._theirs)
        self.both.hide()
        self.theirs.hide()
        self.saying.clear()
        self.save.setText(self.tr("Save"))
