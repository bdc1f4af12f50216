"""One workflow: its head with the commands, and below it a tab for each thing one may want to know."""

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QTabWidget, QVBoxLayout, QWidget

from app.asking import Asking, command, resume
from app.life.installation import Installation
from app.look.dressing import mark
from app.look.theme import Space, Tone, Type
from app.tray.menu import list_ends
from app.widgets.chip import Chip
from app.widgets.details_view import make_text
from app.widgets.flow import Flow
from app.widgets.plain import reveal
from app.widgets.question import confirm
from app.widgets.signs import sign_workflow
from app.window.deploy_dialog import DeployDialog
from app.window.editing import edit
from app.window.saying import Saying, make_button, make_heading
from app.window.try_dialog import TryDialog
from app.window.workflow_facts import ScheduleFacts, WorkflowFacts, read_sources, read_workflow
from app.window.workflow_overview import OverviewTab
from app.window.workflow_past import PastDialog
from app.window.workflow_permissions import PermissionsTab
from app.window.workflow_settings import WorkflowSettingsTab
from app.window.workflow_times import TimesDialog
from app.window.workflow_versions import VersionsTab
from app.window.workflows_model import say_next
from app.words.interpreting import interpret
from scheduler.engine.refusal import RefusedError
from scheduler.rules.states import WorkflowState

_PATIENCE = 120.0


class WorkflowPane(QWidget):
    left = Signal(str)
    """Back to the list, with a sentence if something was done."""
    open_page = Signal(str, str)

    def __init__(self, installation: Installation) -> None:
        super().__init__()
        self._installation, self._asking = installation, Asking(self)
        self.slug = ""
        self.facts: WorkflowFacts | None = None
        self.back = make_button(self.tr("← Workflows"), "Alt+Left", importance="link")
        self.chip = Chip(sign_workflow(WorkflowState.IDLE))
        self.name = make_heading("", Type.DISPLAY)
        self.words = make_text("")
        self.description = make_text("", "muted")
        self.answer = make_button(self.tr("Answer"), importance="primary")
        self.run = make_button(self.tr("Run now"), "Ctrl+R", importance="primary")
        self.stop = make_button(self.tr("Stop"), "Ctrl+.")
        self.try_button = make_button(self.tr("Try it…"), "Ctrl+T")
        self.pause = make_button(self.tr("Pause"), "Ctrl+P")
        self.pause_for = make_button(self.tr("Pause for…"))
        self.pauses = QMenu(self.pause_for)
        self.pause_for.setMenu(self.pauses)
        self.saying = Saying()
        self.overview = OverviewTab(installation)
        self.versions = VersionsTab(installation)
        self.permissions, self.settings = PermissionsTab(), WorkflowSettingsTab()
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        for tab, label in (
            (self.overview, self.tr("&Overview")),
            (self.versions, self.tr("&Versions")),
            (self.permissions, self.tr("P&ermissions")),
            (self.settings, self.tr("&Settings")),
        ):
            self.tabs.addTab(tab, label)
        self._lay_out()
        self._connect()

    def open(self, slug: str) -> None:
        if slug != self.slug:
            self.slug, self.facts = slug, None
            self.saying.clear()
            self.tabs.setCurrentIndex(0)
            self.name.setText("")
            self.words.setText("")
            self.description.setText("")
            self.tabs.setEnabled(False)

    def refresh(self) -> None:
        slug, installation = self.slug, self._installation
        if slug:
            self._asking.ask_latest(
                "facts", lambda: read_workflow(installation, slug), lambda facts: self._show(slug, facts), self._fail
            )

    def _lay_out(self) -> None:
        head = Flow()
        head.addWidget(self.name)
        head.addWidget(self.chip)
        head.add_after_gap(self.answer, self.run, self.stop, self.try_button, self.pause, self.pause_for)
        first = QHBoxLayout()
        first.addWidget(self.back)
        first.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.LARGE, Space.WIDE, Space.WIDE)
        layout.setSpacing(Space.SMALL)
        layout.addLayout(first)
        layout.addLayout(head)
        for widget in (self.words, self.description, self.saying):
            layout.addWidget(widget)
        layout.addSpacing(Space.SMALL)
        layout.addWidget(self.tabs, 1)

    def _connect(self) -> None:
        self.back.clicked.connect(lambda: self.left.emit(""))
        self.answer.clicked.connect(
            lambda: self.open_page.emit("attention", "" if self.facts is None else self.facts.request)
        )
        self.run.clicked.connect(lambda: self._command(self.tr("It starts now."), "run", target=self.slug))
        self.stop.clicked.connect(self._stop)
        self.try_button.clicked.connect(self._try)
        self.pause.clicked.connect(self._pause_or_resume)
        self.pauses.aboutToShow.connect(self._list_pauses)
        self.overview.acted.connect(self._act)
        self.overview.opened.connect(lambda run: self.open_page.emit("history", run))
        self.versions.rollback.connect(self._roll_back)
        allowed, taken = self.tr("It is allowed."), self.tr("It is no longer allowed.")
        self.permissions.allow.connect(lambda name, tool: self._permit("grant", name, tool, allowed))
        self.permissions.revoke.connect(lambda name, tool: self._permit("revoke", name, tool, taken))
        self.permissions.connect_wanted.connect(lambda name: self.open_page.emit("connections", name))
        self.settings.watch.connect(lambda on: self._watch(on=on))
        self.settings.archive.connect(self._archive)
        self.settings.remove.connect(self._remove)
        self.settings.update_wanted.connect(self._deploy_again)
        self.settings.edit_wanted.connect(lambda path: edit(self._installation, self._asking, path, self.saying.refuse))

    def _show(self, slug: str, facts: WorkflowFacts) -> None:
        if slug != self.slug:
            return
        before, self.facts = self.facts, facts
        details = facts.details
        self.name.setText(reveal(details.name))
        self.chip.set_sign(sign_workflow(details.state))
        self.words.setText(
            " · ".join(part for part in (interpret(details.words), say_next(details, facts.now)) if part)
        )
        self.description.setText(reveal(details.description.strip()))
        self.description.setVisible(bool(details.description.strip()))
        is_paused, is_away = details.state is WorkflowState.PAUSED, details.state is WorkflowState.ARCHIVED
        self.answer.setVisible(details.attention > 0)
        self.run.setVisible(details.state is not WorkflowState.RUNNING)
        mark(self.run, "importance", "" if details.attention else "primary")
        self.run.setEnabled(not is_paused and not is_away)
        parts = (details.state, *(handler.state for handler in details.handlers))  # one may run while another asks
        self.stop.setVisible(WorkflowState.RUNNING in parts)
        self.pause.setText(self.tr("Resume") if is_paused else self.tr("Pause"))
        self.pause.setShortcut("Ctrl+P")
        self.pause.setEnabled(not is_away)
        self.pause_for.setVisible(bool(facts.schedules) and not is_paused and not is_away)
        self.tabs.setEnabled(True)
        if before != facts:
            for tab in (self.overview, self.versions, self.permissions, self.settings):
                tab.show_facts(facts)

    def _fail(self, error: Exception) -> None:
        if isinstance(error, RefusedError) and error.code == "unknown":
            self.left.emit(self.tr("That workflow is no longer there."))
        else:
            self.saying.refuse(error)

    def _command(self, said: str, verb: str, **arguments: Any) -> None:
        installation = self._installation
        self.saying.clear()
        self._asking.ask(
            lambda: command(installation, verb, **arguments), lambda _: self._done(said), self.saying.refuse
        )

    def _done(self, sentence: str) -> None:
        self.saying.say(sentence, Tone.GOOD)
        self.refresh()

    def _stop(self) -> None:
        """Where one part runs while another asks, what is asked stays open."""
        assert self.facts is not None
        details = self.facts.details
        running = [f"{self.slug}/{one.name}" for one in details.handlers if one.state is WorkflowState.RUNNING]
        for target in [self.slug] if details.state is WorkflowState.RUNNING else running:
            self._command(self.tr("It is being stopped."), "stop", target=target)

    def _pause_or_resume(self) -> None:
        if self.facts is not None and self.facts.details.state is WorkflowState.PAUSED:
            installation, slug, said = self._installation, self.slug, self.tr("It goes on.")
            self.saying.clear()
            self._asking.ask(
                lambda: resume(installation, slug),
                lambda is_everything: self._done(self.tr("Everything goes on.") if is_everything else said),
                self.saying.refuse,
            )
        else:
            self._command(self.tr("It is paused; nothing of it starts."), "pause", target=self.slug)

    def _list_pauses(self) -> None:
        """Those with an end; without one there is Pause."""
        self.pauses.clear()
        context = self._installation.house.engine.context
        for words, end in list_ends(context.clock.now(), ZoneInfo(context.machine_zone)):
            if end:
                said = self.tr("It is paused; its times pass until then.")
                action = self.pauses.addAction(words)
                action.triggered.connect(
                    lambda _=False, end=end, said=said: self._command(said, "pause", target=self.slug, **end)
                )

    def _try(self) -> None:
        """The version that is in use, wherever its file is now."""
        if self.facts is None:
            return
        installation, slug, details = self._installation, self.slug, self.facts.details

        def show(sources: tuple[str, str]) -> None:
            TryDialog(installation, Path(details.path), name=details.name, source=sources[1], parent=self).open()

        self._asking.ask(lambda: read_sources(installation, slug, None, details.version), show, self.saying.refuse)

    def _permit(self, verb: str, connection: str, tool: str, said: str) -> None:
        self._command(said, verb, workflow=self.slug, connection=connection, tool=tool)

    def _watch(self, *, on: bool) -> None:
        yes, no = self.tr("It is deployed again whenever its file is saved."), self.tr("Its file is no longer watched.")
        self._command(yes if on else no, "watch", workflow=self.slug, on=on)

    def _act(self, what: str, subject: str) -> None:
        schedule = self._schedule(subject)
        if what == "cancel":
            self._cancel_past(subject)
        elif schedule is None:
            return
        elif what == "run":
            self._command(self.tr("It starts now."), "run", target=schedule.id)
        elif what == "skip":
            self._command(self.tr("Its next time is skipped."), "skip_next", target=schedule.id)
        elif what == "edit":
            dialog = TimesDialog(self._installation, schedule, self)
            dialog.changed.connect(self._done)
            dialog.open()
        else:
            past = PastDialog(self._installation, schedule, self)
            past.started.connect(self._done)
            past.open()

    def _schedule(self, identity: str) -> ScheduleFacts | None:
        known = () if self.facts is None else self.facts.schedules
        return next((one for one in known if one.id == identity), None)

    def _cancel_past(self, backfill: str) -> None:
        installation = self._installation

        def act() -> object:
            cancel = installation.house.schedules.cancel_backfill
            return installation.ask_for_user(lambda _: cancel(backfill)).result(_PATIENCE)

        self._asking.ask(act, lambda _: self._done(self.tr("No more past times are run.")), self.saying.refuse)

    def _roll_back(self, version: int) -> None:
        question = self.tr("Use version {number} again?").format(number=version)
        more = self.tr("It becomes a new version; what was stored by runs stays.")
        if self._confirm(self.tr("Roll back"), question, more):
            said = self.tr("Version {number} is in use again.").format(number=version)
            self._command(said, "rollback", workflow=self.slug, version=version)

    def _archive(self) -> None:
        more = self.tr("Nothing of it runs until you deploy it again.")
        if self._confirm(self.tr("Put away"), self.tr("Put {name} away?"), more):
            self._leave_after("archive", self.tr("{name} is put away."))

    def _remove(self) -> None:
        more = self.tr("This cannot be taken back. Your file stays.")
        if self._confirm(self.tr("Remove"), self.tr("Remove {name} with all its history?"), more):
            self._leave_after("remove", self.tr("{name} is removed."))

    def _leave_after(self, verb: str, said: str) -> None:
        slug, installation, sentence = self.slug, self._installation, said.format(name=self.name.text())

        def leave(_: object) -> None:
            self.slug = ""
            self.left.emit(sentence)

        self._asking.ask(lambda: command(installation, verb, workflow=slug), leave, self.saying.refuse)

    def _confirm(self, action: str, question: str, more: str) -> bool:
        return confirm(action, question.format(name=self.name.text()), action, self, more)

    def _deploy_again(self, path: str) -> None:
        dialog = DeployDialog(self._installation, Path(path), self)
        dialog.deployed.connect(lambda _slug, said: self._done(said))
        dialog.open()
