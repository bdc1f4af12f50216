"""One workflow: its state and commands at the top, and tabs for everything else."""

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QTabWidget, QVBoxLayout, QWidget

from app.background import BackgroundTasks, resume_workflow, run_command
from app.i18n.translate import translate_text
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, Tone
from app.tray.menu import list_pause_ends
from app.widgets.confirm_dialog import confirm
from app.widgets.details_view import make_label
from app.widgets.flow_layout import FlowLayout
from app.widgets.page_stack import size_by_current_tab
from app.widgets.status_chip import StatusChip
from app.widgets.status_signs import workflow_sign
from app.widgets.visible_text import escape_invisible
from app.window.external_editor import open_in_editor
from app.window.feedback import StatusLine, make_button, make_heading
from app.window.new_workflow.answers_change import GivenAnswers, read_given_answers
from app.window.new_workflow.answers_dialog import ChangeAnswersDialog
from app.window.new_workflow.deploy_dialog import DeployDialog
from app.window.new_workflow.dry_run_dialog import DryRunDialog
from app.window.workflows.backfill_dialog import BackfillDialog
from app.window.workflows.list_model import describe_next_run
from app.window.workflows.overview_tab import OverviewTab
from app.window.workflows.permissions_tab import PermissionsTab
from app.window.workflows.run_menu import list_run_targets, needs_menu
from app.window.workflows.schedule_dialog import ScheduleDialog
from app.window.workflows.settings_tab import WorkflowSettingsTab
from app.window.workflows.versions_tab import VersionsTab
from app.window.workflows.workflow_data import WorkflowData, read_workflow
from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.schedule_data import ScheduleData
from scheduler.rules.handler_ids import handler_id
from scheduler.rules.requests import Block
from scheduler.rules.workflow_state import WorkflowState

_CAN_BE_TRIED = (Block.SCRIPT_ERROR, Block.TOO_MANY_FAILURES, Block.INTERNAL)
"""What stops a workflow until it is tried again, also once its report was dismissed."""


class WorkflowPane(QWidget):
    back_requested = Signal(str)
    """Back to the list, with a message if something was done."""
    open_page = Signal(str, str)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session, self._background = session, BackgroundTasks(self)
        self.slug = ""
        self.data: WorkflowData | None = None
        self.back = make_button(self.tr("← Workflows"), importance="link")
        self.chip = StatusChip(workflow_sign(WorkflowState.IDLE))
        self.name = make_heading("", TextStyle.DISPLAY)
        self.state_text = make_label("")
        self.description = make_label("", "muted")
        self.answer = make_button(self.tr("Review"), importance="primary")
        self.try_again = make_button(self.tr("Try again"), importance="primary")
        for button in (self.answer, self.try_again):
            button.hide()
        self.run = make_button(self.tr("Run now"), "Ctrl+R", importance="primary")
        self.run_as = make_button(self.tr("Run…"))
        self.run_choices = QMenu(self.run_as)
        self.run_as.setMenu(self.run_choices)
        self.stop = make_button(self.tr("Stop"), "Ctrl+.")
        self.change_answers = make_button(self.tr("Change answers…"))
        self.change_answers.hide()
        self.test_run_button = make_button(self.tr("Test run…"), "Ctrl+T")
        self.pause = make_button(self.tr("Pause"), "Ctrl+P")
        self.pause_for = make_button(self.tr("Pause for…"))
        self.pauses = QMenu(self.pause_for)
        self.pause_for.setMenu(self.pauses)
        set_style(self.pause_for, "menu", "true")
        self.status_line = StatusLine()
        self.overview = OverviewTab(session)
        self.versions = VersionsTab(session)
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
        size_by_current_tab(self.tabs)
        self._lay_out()
        self._connect()

    def open(self, slug: str) -> None:
        if slug != self.slug:
            self.slug, self.data = slug, None
            self.status_line.clear()
            self.tabs.setCurrentIndex(0)
            self.name.setText("")
            self.state_text.setText("")
            self.description.setText("")
            self.tabs.setEnabled(False)

    def refresh(self) -> None:
        slug, session = self.slug, self._session
        if slug:
            self._background.run_latest(
                "facts", lambda: read_workflow(session, slug), lambda facts: self._show(slug, facts), self._fail
            )

    def _lay_out(self) -> None:
        head = FlowLayout()
        head.addWidget(self.name)
        head.addWidget(self.chip)
        buttons = (self.stop, self.change_answers, self.test_run_button, self.pause, self.pause_for)
        head.add_right_aligned(self.answer, self.try_again, self.run, self.run_as, *buttons)
        first = QHBoxLayout()
        first.addWidget(self.back)
        first.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.LARGE, Space.WIDE, Space.WIDE)
        layout.setSpacing(Space.SMALL)
        layout.addLayout(first)
        layout.addLayout(head)
        for widget in (self.state_text, self.description, self.status_line):
            layout.addWidget(widget)
        layout.addSpacing(Space.SMALL)
        layout.addWidget(self.tabs, 1)

    def _connect(self) -> None:
        self.back.clicked.connect(lambda: self.back_requested.emit(""))
        self.answer.clicked.connect(
            lambda: self.open_page.emit("attention", "" if self.data is None else self.data.request)
        )
        self.try_again.clicked.connect(lambda: self._command(self.tr("Trying again…"), "retry", target=self.slug))
        self.run.clicked.connect(lambda: self._command(self.tr("Started."), "run", target=self.slug))
        self.stop.clicked.connect(self._stop)
        self.change_answers.clicked.connect(self._open_answers)
        self.test_run_button.clicked.connect(self._open_test_run)
        self.pause.clicked.connect(self._pause_or_resume)
        self.pauses.aboutToShow.connect(self._list_pauses)
        self.run_choices.aboutToShow.connect(self._list_run_choices)
        self.overview.acted.connect(self._act)
        self.overview.opened.connect(lambda run: self.open_page.emit("history", run))
        self.versions.rollback.connect(self._roll_back)
        allowed, revoked = self.tr("Allowed."), self.tr("Permission revoked.")
        self.permissions.allow.connect(lambda name, tool: self._permit("grant", name, tool, allowed))
        self.permissions.revoke.connect(lambda name, tool: self._permit("revoke", name, tool, revoked))
        self.permissions.connect_requested.connect(lambda name: self.open_page.emit("connections", name))
        self.settings.watch.connect(lambda on: self._watch(on=on))
        self.settings.archive.connect(self._archive)
        self.settings.remove.connect(self._remove)
        self.settings.update_requested.connect(self._update_script)
        self.settings.edit_requested.connect(
            lambda path: open_in_editor(self._session, self._background, path, self.status_line.show_error)
        )

    def _show(self, slug: str, facts: WorkflowData) -> None:
        if slug != self.slug:
            return
        before, self.data = self.data, facts
        details = facts.details
        self.name.setText(escape_invisible(details.name))
        self.chip.set_sign(workflow_sign(details.state))
        self.state_text.setText(
            " · ".join(part for part in (translate_text(details.words), describe_next_run(details, facts.now)) if part)
        )
        self.description.setText(escape_invisible(details.description.strip()))
        self.description.setVisible(bool(details.description.strip()))
        is_paused, is_archived = details.state is WorkflowState.PAUSED, details.state is WorkflowState.ARCHIVED
        self.answer.setVisible(bool(facts.request))
        self.try_again.setVisible(not facts.request and any(one.blocked in _CAN_BE_TRIED for one in details.lanes))
        has_choice = needs_menu(details)
        self.run.setVisible(not has_choice)
        self.run_as.setVisible(has_choice)
        set_style(self.run, "importance", "" if details.attention else "primary")
        for button in (self.run, self.run_as):
            button.setEnabled(not is_paused and not is_archived)
        parts = (
            details.state,
            *(handler.state for handler in details.handlers),
        )  # one may run while another waits for an answer
        self.stop.setVisible(WorkflowState.RUNNING in parts)
        self.change_answers.setVisible(facts.has_answers and not is_archived)
        self.pause.setText(self.tr("Resume") if is_paused else self.tr("Pause"))
        self.pause.setShortcut("Ctrl+P")
        self.pause.setEnabled(not is_archived)
        self.pause_for.setVisible(not is_paused and not is_archived)
        self.tabs.setEnabled(True)
        if before != facts:
            for tab in (self.overview, self.versions, self.permissions, self.settings):
                tab.show_data(facts)

    def _fail(self, error: Exception) -> None:
        if isinstance(error, RefusedError) and error.code == "unknown":
            self.back_requested.emit(self.tr("This workflow no longer exists."))
        else:
            self.status_line.show_error(error)

    def _command(self, said: str, verb: str, **arguments: Any) -> None:
        session = self._session
        self.status_line.clear()
        self._background.run(
            lambda: run_command(session, verb, **arguments), lambda _: self._done(said), self.status_line.show_error
        )

    def _done(self, sentence: str) -> None:
        self.status_line.show_message(sentence, Tone.GOOD)
        self.refresh()

    def _stop(self) -> None:
        """Stop only the parts that run, so that requests of other parts stay open."""
        assert self.data is not None
        details = self.data.details
        running = [handler_id(self.slug, one.name) for one in details.handlers if one.state is WorkflowState.RUNNING]
        for target in [self.slug] if details.state is WorkflowState.RUNNING else running:
            self._command(self.tr("Stopping…"), "stop", target=target)

    def _pause_or_resume(self) -> None:
        if self.data is not None and self.data.details.state is WorkflowState.PAUSED:
            session, slug, said = self._session, self.slug, self.tr("Resumed.")
            self.status_line.clear()
            self._background.run(
                lambda: resume_workflow(session, slug),
                lambda is_everything: self._done(self.tr("Everything resumed.") if is_everything else said),
                self.status_line.show_error,
            )
        else:
            self._command(self.tr("Paused until you resume it."), "pause", target=self.slug)

    def _list_run_choices(self) -> None:
        """Directly, or in a submenu for each job if there are several things to start."""
        self.run_choices.clear()
        assert self.data is not None
        targets = list_run_targets(self.data.details, self.data.schedules)
        for target in targets:
            menu = self.run_choices if len(targets) == 1 else self.run_choices.addMenu(target.name)
            for choice in target.choices:
                menu.addAction(choice.label).triggered.connect(
                    lambda _=False, choice=choice: self._command(choice.said, "run", **choice.arguments)
                )

    def _list_pauses(self) -> None:
        """Only those with an end; the Pause button has none."""
        self.pauses.clear()
        for words, end in list_pause_ends(self._session.now(), ZoneInfo(self._session.zone)):
            if end:
                said = self.tr("Paused; it will not run until then.")
                action = self.pauses.addAction(words)
                action.triggered.connect(
                    lambda _=False, end=end, said=said: self._command(said, "pause", target=self.slug, **end)
                )

    def _open_answers(self) -> None:
        session, slug = self._session, self.slug
        self.status_line.clear()

        def show(given: GivenAnswers) -> None:
            dialog = ChangeAnswersDialog(session, given, self)
            dialog.changed.connect(self._done)
            dialog.open()

        self._background.run(lambda: read_given_answers(session, slug), show, self.status_line.show_error)

    def _open_test_run(self) -> None:
        """Test the deployed version, not the file."""
        if self.data is None:
            return
        session, slug, details = self._session, self.slug, self.data.details

        def show(source: str) -> None:
            DryRunDialog(session, Path(details.path), name=details.name, source=source, parent=self).open()

        self._background.run(lambda: session.queries.source(slug, details.version), show, self.status_line.show_error)

    def _permit(self, verb: str, connection: str, tool: str, said: str) -> None:
        self._command(said, verb, workflow=self.slug, connection=connection, tool=tool)

    def _watch(self, *, on: bool) -> None:
        yes, no = self.tr("It updates whenever its file is saved."), self.tr("Its file is no longer watched.")
        self._command(yes if on else no, "watch", workflow=self.slug, on=on)

    def _act(self, what: str, subject: str) -> None:
        schedule = self._find_schedule(subject)
        if what == "cancel":
            self._cancel_backfill(subject)
        elif schedule is None:
            return
        elif what == "run":
            self._command(self.tr("Started."), "run", target=schedule.id)
        elif what == "skip":
            self._command(self.tr("The next run will be skipped."), "skip_next", target=schedule.id)
        elif what == "edit":
            dialog = ScheduleDialog(self._session, schedule, self)
            dialog.changed.connect(self._done)
            dialog.open()
        else:
            backfill = BackfillDialog(self._session, schedule, self)
            backfill.started.connect(self._done)
            backfill.open()

    def _find_schedule(self, identity: str) -> ScheduleData | None:
        known = () if self.data is None else self.data.schedules
        return next((one for one in known if one.id == identity), None)

    def _cancel_backfill(self, backfill: str) -> None:
        session = self._session

        def act() -> object:
            return session.execute_for_user(lambda runtime: runtime.schedule_commands.cancel_backfill(backfill))

        self._background.run(act, lambda _: self._done(self.tr("Catch-up cancelled.")), self.status_line.show_error)

    def _roll_back(self, version: int) -> None:
        question = self.tr("Roll back to version {number}?").format(number=version)
        more = self.tr("It becomes a new version. Data stored by runs is kept.")
        if self._confirm(self.tr("Roll back"), question, more):
            said = self.tr("Rolled back to version {number}.").format(number=version)
            self._command(said, "rollback", workflow=self.slug, version=version)

    def _archive(self) -> None:
        more = self.tr("It will not run until you add it again.")
        if self._confirm(self.tr("Archive"), self.tr("Archive {name}?"), more):
            self._leave_after("archive", self.tr("{name} archived."))

    def _remove(self) -> None:
        more = self.tr("This cannot be undone. Your script file is kept.")
        if self._confirm(self.tr("Remove"), self.tr("Remove {name} and all its history?"), more):
            self._leave_after("remove", self.tr("{name} removed."))

    def _leave_after(self, verb: str, said: str) -> None:
        slug, session, sentence = self.slug, self._session, said.format(name=self.name.text())

        def leave(_: object) -> None:
            self.slug = ""
            self.back_requested.emit(sentence)

        self._background.run(lambda: run_command(session, verb, workflow=slug), leave, self.status_line.show_error)

    def _confirm(self, action: str, question: str, more: str) -> bool:
        return confirm(action, question.format(name=self.name.text()), action, self, more)

    def _update_script(self, path: str) -> None:
        dialog = DeployDialog(self._session, Path(path), self)
        dialog.deployed.connect(lambda _slug, said: self._done(said))
        dialog.open()
