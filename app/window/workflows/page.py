"""The Workflows page: the list with its filters and commands, and the pane of an open workflow."""

from collections.abc import Callable
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QLabel, QVBoxLayout, QWidget

from app.background import pause_workflows, resume_workflows, run_command
from app.i18n.time_text import format_number
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, Tone
from app.widgets.empty_state import EmptyState
from app.widgets.file_dialog import choose_file
from app.widgets.flow_layout import FlowLayout
from app.widgets.form_controls import name_combo_box, refill_combo_box
from app.widgets.page_stack import PageStack
from app.widgets.search_field import SearchField
from app.widgets.status_signs import workflow_sign
from app.window.external_editor import open_in_editor
from app.window.feedback import StatusLine, make_button, make_heading
from app.window.page import NEW_WORKFLOW, Page, focus_list
from app.window.workflows.list_model import ROW, RowReader, WorkflowListRow, WorkflowsFilter, WorkflowsModel, keep_order
from app.window.workflows.list_view import WorkflowsList
from scheduler.engine.lookup import natural_sort_key
from scheduler.rules.workflow_state import WorkflowState

if TYPE_CHECKING:
    from app.window.workflows.workflow_pane import WorkflowPane

_NEXT_UPDATE_MS = 15_000
"""How often the relative times of the next runs are updated."""


class WorkflowsPage(Page):
    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.title = self.tr("Workflows")
        self._reader = RowReader(session)
        self._has_read = False
        self._sorts_next = True
        """Whether the next rows are sorted again even if the list is in use."""
        self.model, self.filter = WorkflowsModel(self), WorkflowsFilter(self)
        self.filter.setSourceModel(self.model)
        self.status_line = StatusLine()
        self.list = WorkflowsList()
        self.list.setModel(self.filter)
        self._make_controls()
        self.empty = EmptyState(
            "workflow",
            self.tr("No workflows yet"),
            self.tr(
                "Each chore is a workflow; start from a template, no programming needed, or drop your own .py file "
                "here. You see what it may do before anything runs."
            ),
            action=self.tr("New workflow…"),
            shortcut="Ctrl+N",
            secondary=self.tr("Add a script…"),
        )
        self.no_matches = EmptyState(
            "search",
            self.tr("No matches"),
            self.tr("No workflow matches this search and these filters."),
            action=self.tr("Show all"),
        )
        self._lay_out()
        self._connect()
        self._clock = QTimer(self, interval=_NEXT_UPDATE_MS)
        self._clock.timeout.connect(lambda: self.model.set_now(self.session.now()))

    @cached_property
    def pane(self) -> "WorkflowPane":
        """Made when a workflow is first opened, so that the list appears at once."""
        from app.window.workflows.workflow_pane import WorkflowPane  # noqa: PLC0415  slow to load

        pane = WorkflowPane(self.session)
        pane.back_requested.connect(self._leave_pane)
        pane.open_page.connect(self.open_page)
        self.stack.addWidget(pane)
        return pane

    def refresh(self) -> None:
        if self._is_pane_open():
            self.pane.refresh()
        archived, outcomes = self.state.currentData() == WorkflowState.ARCHIVED.value, self._has_read
        read = partial(self._reader.read, archived=archived, outcomes=outcomes)
        self.background.run_latest("rows", read, self._show, self.status_line.show_error)

    def open_subject(self, subject: str) -> None:
        """Open a workflow by its slug; empty shows the list."""
        if subject == NEW_WORKFLOW:
            self._show_list()
            self.create_workflow()
        elif subject:
            self.pane.open(subject)
            self.stack.setCurrentWidget(self.pane)
            self.pane.back.setFocus()  # else the focus moves to the status line of the window
        else:
            self._show_list()

    def go_back(self) -> None:
        if self._is_pane_open():
            self.pane.back.click()

    def show_start(self) -> None:
        self._sorts_next = True
        self.stack.setCurrentWidget(self.page)

    def focus_first(self) -> None:
        if not focus_list(self.list):
            super().focus_first()

    def search(self) -> None:
        self._show_list()
        self.search_field.focus_and_select()

    def selected_row(self) -> WorkflowListRow | None:
        """None also if several are selected."""
        return rows[0] if len(rows := self.list.selected_rows()) == 1 else None

    def choose_file(self) -> None:
        found = choose_file(self, self.tr("Add a script"), self.tr("Python files (*.py)"))
        if found:
            self.deploy(Path(found))

    def deploy(self, path: Path) -> None:
        """Show what the script may do, and offer to add it."""
        _load_dialogs().open_deploy(self, path, self._after_deploy)

    def create_workflow(self) -> None:
        """Create a workflow from a template."""
        _load_dialogs().open_new(self, self._after_start, self.import_jobs)

    def import_jobs(self) -> None:
        """Import jobs of cron, systemd or the Windows Task Scheduler."""
        _load_dialogs().open_import(self, self._done)

    def offer_script(self, path: Path) -> None:
        self.deploy(path)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        super().showEvent(event)
        self._sorts_next = True
        self._clock.start()
        self.model.set_now(self.session.now())

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802  # Qt's name
        super().hideEvent(event)
        self._clock.stop()

    def _is_pane_open(self) -> bool:
        return self.stack.currentWidget() is not self.page

    def _make_controls(self) -> None:
        self.search_field = SearchField(self.tr("Search workflows"))
        self.state, self.tag = QComboBox(), QComboBox()
        name_combo_box(self.state, self.tr("State"))
        self.state.addItem(self.tr("All states"), "")
        for state in WorkflowState:
            self.state.addItem(workflow_sign(state).word, state.value)
        name_combo_box(self.tag, self.tr("Tag"))
        self.tag.addItem(self.tr("All tags"), "")
        self.tag.hide()
        self.count = QLabel()
        set_style(self.count, "ink", "muted")
        self.new = make_button(self.tr("New workflow…"), "Ctrl+N", importance="primary")
        self.add = make_button(self.tr("Add a script…"), "Ctrl+O")
        self.import_button = make_button(self.tr("Import…"), "Ctrl+Shift+O")
        self.run = make_button(self.tr("Run now"), "Ctrl+R")
        self.pause = make_button(self.tr("Pause"), "Ctrl+P")
        self.open = make_button(self.tr("Open"))
        for button in (self.run, self.pause, self.open):
            button.setEnabled(False)

    def _lay_out(self) -> None:
        top = FlowLayout()
        top.addWidget(make_heading(self.title, TextStyle.DISPLAY))
        top.add_right_aligned(self.import_button, self.add, self.new)
        bar = FlowLayout()
        bar.add_expanding(self.search_field)
        for part in (self.state, self.tag):
            bar.addWidget(part)
        foot = FlowLayout()
        foot.addWidget(self.count)
        foot.add_right_aligned(self.run, self.pause, self.open)
        self._foot = QWidget()
        self._foot.setLayout(foot)
        self._bar = QWidget()
        self._bar.setLayout(bar)
        self.body = PageStack()
        for page in (QWidget(), self.list, self.empty, self.no_matches):
            self.body.addWidget(page)
        self.page = QWidget()
        layout = QVBoxLayout(self.page)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.WIDE)
        layout.setSpacing(Space.MEDIUM)
        layout.addLayout(top)
        layout.addWidget(self._bar)
        layout.addWidget(self.status_line)
        layout.addWidget(self.body, 1)
        layout.addWidget(self._foot)
        self.stack = PageStack()
        self.stack.addWidget(self.page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stack)

    def _connect(self) -> None:
        self.search_field.searched.connect(lambda text: self._narrow(text=text))
        self.search_field.down_pressed.connect(lambda: focus_list(self.list))
        self.state.currentIndexChanged.connect(self._choose_state)
        self.tag.currentIndexChanged.connect(lambda: self._narrow(tag=self.tag.currentData()))
        self.list.selectionModel().selectionChanged.connect(self._enable_buttons)
        self.model.dataChanged.connect(self._enable_buttons)
        self.list.activated.connect(self._open)
        self.open.clicked.connect(lambda: self._open(self.list.currentIndex()))
        self.run.clicked.connect(self._run)
        self.pause.clicked.connect(self._pause_or_resume)
        self.new.clicked.connect(self.create_workflow)
        self.add.clicked.connect(self.choose_file)
        self.import_button.clicked.connect(self.import_jobs)
        self.empty.action_clicked.connect(self.create_workflow)
        self.empty.secondary_clicked.connect(self.choose_file)
        self.no_matches.action_clicked.connect(self._show_all)

    def _show(self, rows: list[WorkflowListRow]) -> None:
        if not self._has_read:
            self._has_read = True
            self.refresh()  # now with outcomes
        self.model.set_rows(rows if self._may_sort() else keep_order(rows, self.model.rows), self.session.now())
        self._sorts_next = False
        self._show_tags(sorted({tag for row in rows for tag in row.view.tags}, key=natural_sort_key))
        self._show_body()
        self._enable_buttons()

    def _may_sort(self) -> bool:
        """Rows must not move under the user's hands: not while the list has the focus or the pointer."""
        return self._sorts_next or not self.list.isVisible() or not (self.list.hasFocus() or self.list.underMouse())

    def _show_body(self) -> None:
        shown, all_rows = self.filter.rowCount(), self.model.rowCount()
        is_empty = not all_rows and not self.filter.is_active
        for part in (self._bar, self._foot):
            part.setVisible(not is_empty)
        for button in (self.new, self.add):
            button.setVisible(not is_empty)
        self.body.setCurrentWidget(self.empty if is_empty else self.list if shown else self.no_matches)
        said = self.tr("1 workflow") if all_rows == 1 else self.tr("{all} workflows")
        if shown != all_rows:
            said = self.tr("{shown} of {all} workflows")
        self.count.setText("" if is_empty else said.format(shown=format_number(shown), all=format_number(all_rows)))

    def _show_tags(self, tags: list[str]) -> None:
        known = [self.tag.itemText(place) for place in range(1, self.tag.count())]
        if tags != known:
            refill_combo_box(self.tag, ((tag, tag) for tag in tags))
            self._narrow(tag=self.tag.currentData())
        self.tag.setVisible(bool(tags))

    def _choose_state(self) -> None:
        self._narrow(state=self.state.currentData())
        self.refresh()

    def _narrow(self, **wanted: Any) -> None:
        self.filter.set_filters(**wanted)
        if self._has_read:
            self._show_body()

    def _show_all(self) -> None:
        self.search_field.clear()
        self.state.setCurrentIndex(0)
        self.tag.setCurrentIndex(0)

    def _enable_buttons(self) -> None:
        rows, row = self.list.selected_rows(), self.selected_row()
        self.open.setEnabled(row is not None)
        is_archived = any(one.view.state is WorkflowState.ARCHIVED for one in rows)
        self.run.setEnabled(row is not None and not row.is_paused and not is_archived)
        self.pause.setEnabled(bool(rows) and not is_archived)
        if rows:
            self.pause.setText(self.tr("Resume") if all(one.is_paused for one in rows) else self.tr("Pause"))
        self.pause.setShortcut("Ctrl+P")

    def _open(self, index: QModelIndex) -> None:
        row = index.data(ROW) if index.isValid() else None
        if row is not None:
            self.open_subject(row.view.workflow)
            self.pane.refresh()

    def _run(self) -> None:
        row = self.selected_row()
        if row is not None:
            slug, said = row.view.workflow, self.tr("{name} started.").format(name=row.view.name)
            self._change(lambda: run_command(self.session, "run", target=slug), said)

    def _pause_or_resume(self) -> None:
        """Of several selected workflows, those that run are paused first; if none does, all are resumed."""
        rows = self.list.selected_rows()
        resumes = all(row.is_paused for row in rows)
        chosen = [row.view for row in rows if row.is_paused is resumes]
        if not chosen:
            return
        said = self.tr("{name} resumed.") if resumes else self.tr("{name} is paused until you resume it.")
        if len(chosen) > 1:
            many = self.tr("{number} workflows are paused until you resume them.")
            said = self.tr("{number} workflows resumed.") if resumes else many
        said = said.format(name=chosen[0].name, number=format_number(len(chosen)))
        change = resume_workflows if resumes else pause_workflows
        self._change(lambda: change(self.session, [one.workflow for one in chosen]), said)

    def _change(self, work: Callable[[], Any], said: str) -> None:
        def show(result: Any) -> None:
            self._done(self.tr("Everything resumed.") if result is True else said)

        self.status_line.clear()
        self.background.run(work, show, self.status_line.show_error)

    def _done(self, sentence: str) -> None:
        self.status_line.show_message(sentence, Tone.GOOD)
        self.refresh()

    def _after_deploy(self, slug: str, sentence: str) -> None:
        self.status_line.show_message(sentence, Tone.GOOD)
        self.open_subject(slug)
        self.refresh()

    def _after_start(self, slug: str, sentence: str, file: str) -> None:
        self._after_deploy(slug, sentence)
        if file:
            open_in_editor(self.session, self.background, file, self.status_line.show_error)

    def _leave_pane(self, sentence: str) -> None:
        self._show_list()
        if sentence:
            self.status_line.show_message(sentence, Tone.GOOD)
        self.refresh()

    def _show_list(self) -> None:
        self.show_start()
        self.list.setFocus()


def _load_dialogs() -> ModuleType:
    return import_module("app.window.workflows.dialogs")
