"""All workflows in a list, with what one does to them at once; and, opened, one of them."""

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QLabel, QVBoxLayout, QWidget

from app.asking import command, resume
from app.life.installation import Installation
from app.look.dressing import mark
from app.look.theme import Space, Tone, Type
from app.widgets.choices import name_box, refill
from app.widgets.empty import EmptyPage
from app.widgets.file_dialog import choose_file
from app.widgets.flow import Flow
from app.widgets.search_field import SearchField
from app.widgets.signs import sign_workflow
from app.widgets.stack import Stack
from app.window.deploy_dialog import DeployDialog
from app.window.editing import edit
from app.window.new_dialog import NewDialog
from app.window.new_script import take_back
from app.window.page import Page
from app.window.saying import Saying, make_button, make_heading
from app.window.workflow import WorkflowPane
from app.window.workflows_list import WorkflowsList
from app.window.workflows_model import ROW, RowReader, WorkflowRow, WorkflowsFilter, WorkflowsModel
from app.words.times import say_number
from scheduler.engine.workflows.names import as_people_count
from scheduler.rules.states import WorkflowState

_MINUTE = 15_000
"""Milliseconds after which coming times are said anew."""


class WorkflowsPage(Page):
    def __init__(self, installation: Installation) -> None:
        super().__init__(installation)
        self.title = self.tr("Workflows")
        self._reader = RowReader(installation)
        self._has_read = False
        self.model, self.filter = WorkflowsModel(self), WorkflowsFilter(self)
        self.filter.setSourceModel(self.model)
        self.saying = Saying()
        self.list = WorkflowsList()
        self.list.setModel(self.filter)
        self._make_controls()
        self.empty = EmptyPage(
            "workflow",
            self.tr("No workflows yet"),
            self.tr(
                "A workflow is one Python file that does a chore for you. Begin with one of ours, "
                "or drop a .py file of yours here. You see what it may do before anything runs."
            ),
            action=self.tr("New workflow…"),
            other=self.tr("Deploy a script…"),
        )
        self.nothing = EmptyPage(
            "search",
            self.tr("Nothing matches"),
            self.tr("No workflow has these words, this state and this tag."),
            action=self.tr("Show all"),
        )
        self.pane = WorkflowPane(installation)
        self._lay_out()
        self._connect()
        self._clock = QTimer(self, interval=_MINUTE)
        self._clock.timeout.connect(lambda: self.model.set_now(self._now()))

    def refresh(self) -> None:
        if self.stack.currentWidget() is self.pane:
            self.pane.refresh()
        archived, outcomes = self.state.currentData() == WorkflowState.ARCHIVED.value, self._has_read
        read = partial(self._reader.read, archived=archived, outcomes=outcomes)
        self.asking.ask_latest("rows", read, self._show, self.saying.refuse)

    def open_subject(self, subject: str) -> None:
        """A workflow by its slug; empty is the list."""
        if subject:
            self.pane.open(subject)
            self.stack.setCurrentWidget(self.pane)
            self.pane.back.setFocus()  # else the keys would go on at the foot of the window
        else:
            self._show_list()

    def search(self) -> None:
        self._show_list()
        self.field.come()

    def chosen(self) -> WorkflowRow | None:
        index = self.list.currentIndex()
        return index.data(ROW) if index.isValid() and self.list.selectionModel().isSelected(index) else None

    def choose_file(self) -> None:
        found = choose_file(self, self.tr("Deploy a script"), self.tr("Python files (*.py)"))
        if found:
            self.deploy(Path(found))

    def deploy(self, path: Path) -> None:
        """Show what it may do, and ask."""
        dialog = DeployDialog(self.installation, path, self)
        dialog.deployed.connect(self._after_deploy)
        dialog.open()

    def begin_new(self) -> None:
        """From a template, which asks what it needs to know."""
        dialog = NewDialog(self.installation, self)
        dialog.written.connect(self._propose)
        dialog.open()

    def take_file(self, path: Path) -> None:
        self.deploy(path)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        super().showEvent(event)
        self._clock.start()
        self.model.set_now(self._now())

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802  # Qt's name
        super().hideEvent(event)
        self._clock.stop()

    def _make_controls(self) -> None:
        self.field = SearchField(self.tr("Search workflows"))
        self.state, self.tag = QComboBox(), QComboBox()
        name_box(self.state, self.tr("State"))
        self.state.addItem(self.tr("All states"), "")
        for state in WorkflowState:
            self.state.addItem(sign_workflow(state).word, state.value)
        name_box(self.tag, self.tr("Tag"))
        self.tag.addItem(self.tr("All tags"), "")
        self.tag.hide()
        self.count = QLabel()
        mark(self.count, "ink", "muted")
        self.new = make_button(self.tr("New workflow…"), "Ctrl+N", importance="primary")
        self.add = make_button(self.tr("Deploy a script…"), "Ctrl+O")
        self.run = make_button(self.tr("Run now"), "Ctrl+R")
        self.pause = make_button(self.tr("Pause"), "Ctrl+P")
        self.open = make_button(self.tr("Open"))
        for button in (self.run, self.pause, self.open):
            button.setEnabled(False)

    def _lay_out(self) -> None:
        top = Flow()
        top.addWidget(make_heading(self.title, Type.DISPLAY))
        top.add_after_gap(self.add, self.new)
        bar = Flow()
        bar.add_growing(self.field)
        for part in (self.state, self.tag):
            bar.addWidget(part)
        foot = Flow()
        foot.addWidget(self.count)
        foot.add_after_gap(self.run, self.pause, self.open)
        self._foot = QWidget()
        self._foot.setLayout(foot)
        self._bar = QWidget()
        self._bar.setLayout(bar)
        self.body = Stack()
        for page in (QWidget(), self.list, self.empty, self.nothing):
            self.body.addWidget(page)
        self.page = QWidget()
        layout = QVBoxLayout(self.page)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.WIDE)
        layout.setSpacing(Space.MEDIUM)
        layout.addLayout(top)
        layout.addWidget(self._bar)
        layout.addWidget(self.saying)
        layout.addWidget(self.body, 1)
        layout.addWidget(self._foot)
        self.stack = Stack()
        self.stack.addWidget(self.page)
        self.stack.addWidget(self.pane)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stack)

    def _connect(self) -> None:
        self.field.searched.connect(lambda text: self._narrow(text=text))
        self.field.left.connect(self._go_to_list)
        self.state.currentIndexChanged.connect(self._choose_state)
        self.tag.currentIndexChanged.connect(lambda: self._narrow(tag=self.tag.currentData()))
        self.list.selectionModel().selectionChanged.connect(self._offer)
        self.model.dataChanged.connect(self._offer)
        self.list.activated.connect(self._open)
        self.open.clicked.connect(lambda: self._open(self.list.currentIndex()))
        self.run.clicked.connect(lambda: self._command("run", self.tr("{name} starts now.")))
        self.pause.clicked.connect(self._pause_or_resume)
        self.new.clicked.connect(self.begin_new)
        self.add.clicked.connect(self.choose_file)
        self.empty.acted.connect(self.begin_new)
        self.empty.other_acted.connect(self.choose_file)
        self.nothing.acted.connect(self._show_all)
        self.pane.left.connect(self._leave_pane)
        self.pane.open_page.connect(self.open_page)

    def _show(self, rows: list[WorkflowRow]) -> None:
        if not self._has_read:
            self._has_read = True
            self.refresh()  # for their outcomes
        self.model.set_rows(rows, self._now())
        self._show_tags(sorted({tag for row in rows for tag in row.view.tags}, key=as_people_count))
        self._show_body()
        self._offer()

    def _show_body(self) -> None:
        shown, all_rows = self.filter.rowCount(), self.model.rowCount()
        is_empty = not all_rows and not self.filter.is_narrow
        for part in (self._bar, self._foot):
            part.setVisible(not is_empty)
        for button in (self.new, self.add):
            button.setVisible(not is_empty)
        self.body.setCurrentWidget(self.empty if is_empty else self.list if shown else self.nothing)
        said = self.tr("{shown} of {all}") if shown != all_rows else self.tr("{all} in all")
        self.count.setText("" if is_empty else said.format(shown=say_number(shown), all=say_number(all_rows)))

    def _show_tags(self, tags: list[str]) -> None:
        known = [self.tag.itemText(place) for place in range(1, self.tag.count())]
        if tags != known:
            refill(self.tag, ((tag, tag) for tag in tags))
            self._narrow(tag=self.tag.currentData())
        self.tag.setVisible(bool(tags))

    def _choose_state(self) -> None:
        self._narrow(state=self.state.currentData())
        self.refresh()

    def _narrow(self, **wanted: Any) -> None:
        self.filter.narrow(**wanted)
        if self._has_read:
            self._show_body()

    def _show_all(self) -> None:
        self.field.clear()
        self.state.setCurrentIndex(0)
        self.tag.setCurrentIndex(0)

    def _go_to_list(self) -> None:
        if self.filter.rowCount():
            self.list.setFocus()
            index = self.filter.index(0, 0)
            self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _offer(self) -> None:
        row = self.chosen()
        for button in (self.run, self.pause, self.open):
            button.setEnabled(row is not None)
        if row is not None:
            self.pause.setText(self.tr("Resume") if row.is_paused else self.tr("Pause"))
            rests = row.is_paused or row.view.state is WorkflowState.ARCHIVED
            self.run.setEnabled(not rests)
            self.pause.setEnabled(row.view.state is not WorkflowState.ARCHIVED)
        self.pause.setShortcut("Ctrl+P")

    def _open(self, index: QModelIndex) -> None:
        row = index.data(ROW) if index.isValid() else None
        if row is not None:
            self.open_subject(row.view.workflow)
            self.pane.refresh()

    def _pause_or_resume(self) -> None:
        row = self.chosen()
        if row is not None and row.is_paused:
            slug, said = row.view.workflow, self.tr("{name} goes on.").format(name=row.view.name)
            self.saying.clear()
            self.asking.ask(
                lambda: resume(self.installation, slug),
                lambda is_everything: self._done(self.tr("Everything goes on.") if is_everything else said),
                self.saying.refuse,
            )
        else:
            self._command("pause", self.tr("{name} is paused; nothing of it starts until you resume it."))

    def _command(self, verb: str, said: str) -> None:
        row = self.chosen()
        if row is None:
            return
        slug, sentence = row.view.workflow, said.format(name=row.view.name)
        self.saying.clear()
        self.asking.ask(
            lambda: command(self.installation, verb, target=slug), lambda _: self._done(sentence), self.saying.refuse
        )

    def _done(self, sentence: str) -> None:
        self.saying.say(sentence, Tone.GOOD)
        self.refresh()

    def _after_deploy(self, slug: str, sentence: str) -> None:
        self.saying.say(sentence, Tone.GOOD)
        self.open_subject(slug)
        self.refresh()

    def _propose(self, path: Path, script: str, edits: bool) -> None:  # noqa: FBT001  # a signal's
        """A script from a template: deployed after a look at what it may do, or taken back."""
        dialog = DeployDialog(self.installation, path, self, is_ours=True)
        dialog.deployed.connect(self._after_deploy)
        if edits:
            dialog.deployed.connect(lambda *_: edit(self.installation, self.asking, str(path), self.saying.refuse))
        dialog.rejected.connect(lambda: self.asking.ask(lambda: take_back(path, script), lambda _: None))
        dialog.open()

    def _leave_pane(self, sentence: str) -> None:
        self._show_list()
        if sentence:
            self.saying.say(sentence, Tone.GOOD)
        self.refresh()

    def _show_list(self) -> None:
        self.stack.setCurrentWidget(self.page)
        self.list.setFocus()

    def _now(self) -> Any:
        return self.installation.house.engine.context.clock.now()
