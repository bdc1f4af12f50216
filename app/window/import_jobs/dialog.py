"""The dialog that imports jobs: where from, which, with their times side by side, and what to do afterwards."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QStandardPaths, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.background import BackgroundTasks, run_command
from app.i18n.time_text import format_number
from app.job_importer import ImportPlan, ImportResult, JobImport, import_jobs, plan_import, undo_import
from app.session import Session
from app.theme.tokens import Space, Tone
from app.widgets.details_view import DetailsView, make_label
from app.widgets.file_dialog import choose_file
from app.widgets.form_controls import name_combo_box
from app.widgets.wrapping_check_box import WrappingCheckBox
from app.window.dialog import Dialog
from app.window.feedback import StatusLine, add_row, make_button, make_path_button
from app.window.import_jobs.job_list import JobList, describe_entry
from app.window.import_jobs.result_panel import ImportResultPanel
from scheduler.job_import.reader import JobQuery, JobSource, find_user_timers

_WIDTH, _LIST_HEIGHT = 860, 360
_PROGRESS_MS = 150
_SOURCES = {".timer": JobSource.SYSTEMD, ".service": JobSource.SYSTEMD, ".xml": JobSource.TASKS}
"""By the end of a file's name; any other file is a crontab."""


class ImportJobsDialog(Dialog):
    imported = Signal(str)
    """Something was imported, started or removed; with a message."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(_WIDTH, parent)
        self.set_titles(self.tr("Import jobs"))
        self._session, self._background = session, BackgroundTasks(self)
        self.plan: ImportPlan | None = None
        self.results: list[ImportResult] = []
        self._stop = Event()
        self._make_controls()
        self._lay_out()
        self._connect()
        self._read(self.source.currentData())

    def reject(self) -> None:
        """What was imported so far stays; the rest can be imported later."""
        self._stop.set()
        super().reject()

    def _make_controls(self) -> None:
        self.source = QComboBox()
        name_combo_box(self.source, self.tr("Import from"))
        if shutil.which("crontab") is not None:
            self.source.addItem(self.tr("My crontab"), JobQuery(source=JobSource.CRONTAB))
        if find_user_timers():
            self.source.addItem(self.tr("My systemd timers"), JobQuery(source=JobSource.SYSTEMD))
        self.source.addItem(self.tr("A file"), None)
        self.choose = make_button(self.tr("Choose a &file…"))
        self.jobs = JobList()
        self.jobs.setMinimumHeight(_LIST_HEIGHT)
        self.all = WrappingCheckBox(self.tr("&All"))
        self.all.setChecked(True)
        self.details = QScrollArea()
        self.details.setWidgetResizable(True)
        self.details.setFrameShape(QFrame.Shape.NoFrame)
        self.details.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.details.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.paused = WrappingCheckBox(self.tr("Import &paused"))
        self.paused.setChecked(True)
        self.folder = QLineEdit(str(suggest_folder()))
        self.progress = QProgressBar()
        self.progress.setAccessibleName(self.tr("Jobs imported"))
        self.progress.hide()
        self.status_line = StatusLine()
        self.results_panel = ImportResultPanel()
        self.results_panel.hide()
        self.cancel = make_button(self.tr("Cancel"))
        self.import_button = make_button(self.tr("Import"), "Ctrl+Return", importance="primary")
        self._timer = QTimer(self, interval=_PROGRESS_MS)

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(Space.SMALL)
        for control in (make_label(self.tr("From")), self.source, self.choose):
            first.addWidget(control)
        first.addStretch(1)
        first.addWidget(self.all)
        columns = QHBoxLayout()
        columns.setSpacing(Space.MEDIUM)
        columns.addWidget(self.jobs, 4)
        columns.addWidget(self.details, 5)
        row = QHBoxLayout()
        row.setSpacing(Space.SMALL)
        row.addWidget(self.folder, 1)
        row.addWidget(make_path_button(self.folder, self.tr("Choose the folder for the scripts"), is_folder=True))
        line = QWidget()
        row.setContentsMargins(0, 0, 0, 0)
        line.setLayout(row)
        form = QFormLayout()
        add_row(form, self.tr("Save the &scripts in"), line, self.folder)
        self._choices = QWidget()
        choices = QVBoxLayout(self._choices)
        choices.setContentsMargins(0, 0, 0, 0)
        choices.setSpacing(Space.MEDIUM)
        for layout in (first, columns, form):
            choices.addLayout(layout)
        choices.addWidget(self.paused)
        choices.addWidget(make_label(self.tr("Start them once the old entries are switched off."), "muted"))
        for part in (self.progress, self._choices, self.results_panel, self.status_line):
            self.parts.addWidget(part)
        self.parts.addStretch(1)
        self.add_buttons(others=[self.cancel], last=self.import_button)

    def _connect(self) -> None:
        self.source.activated.connect(lambda _: self._choose_source())
        self.choose.clicked.connect(self._choose_file)
        self.jobs.checks_changed.connect(self._show_choice)
        self.jobs.currentItemChanged.connect(lambda *_: self._show_details())
        self.folder.textChanged.connect(self.status_line.clear_error)
        self.all.clicked.connect(lambda on: self.jobs.check_all(is_checked=on))
        self.cancel.clicked.connect(self.reject)
        self.import_button.clicked.connect(self._import)
        self.results_panel.start_requested.connect(self._start)
        self.results_panel.undo_requested.connect(self._undo)
        self._timer.timeout.connect(lambda: self.progress.setValue(len(self.results)))

    def _choose_source(self) -> None:
        query = self.source.currentData()
        if query is None:
            self._choose_file()
        else:
            self._read(query)

    def _choose_file(self) -> None:
        found = choose_file(self, self.tr("Choose a crontab, a timer or a task"), "")
        if found:
            self.source.setCurrentIndex(self.source.count() - 1)
            self.read_file(Path(found))

    def read_file(self, path: Path) -> None:
        self._read(JobQuery(source=_SOURCES.get(path.suffix.lower(), JobSource.CRONTAB), files=(str(path),)))

    def _read(self, query: JobQuery | None) -> None:
        if query is None:
            self._show_plan(None)
            self.status_line.show_message(self.tr("Choose a crontab, a .timer file or the XML of a task."), Tone.QUIET)
            return
        session = self._session
        call, zone, now = partial(run_command, session), session.zone, session.now()
        self.status_line.show_message(self.tr("Reading…"), Tone.QUIET)
        self._background.run_latest("plan", lambda: plan_import(query, call, zone, now), self._show_plan, self._refuse)

    def _refuse(self, error: Exception) -> None:
        self._show_plan(None)
        self.status_line.show_error(error)

    def _show_plan(self, plan: ImportPlan | None) -> None:
        self.plan = plan
        self.status_line.clear()
        empty = JobQuery(source=JobSource.CRONTAB)
        self.jobs.show_plan(plan or ImportPlan(query=empty, jobs=(), left=()))
        self._show_details()
        if plan is not None and not plan.new:
            said = self.tr("Everything was imported before.") if plan.jobs else self.tr("No jobs were found.")
            self.status_line.show_message(said, Tone.QUIET)
        self.all.setEnabled(plan is not None and bool(plan.new))
        for part in (self.jobs, self.details, self.all):
            part.setVisible(plan is not None)
        (self.choose if plan is None else self.jobs).setFocus()
        self.fit()

    def _show_choice(self) -> None:
        number, every = len(self.jobs.list_chosen()), 0 if self.plan is None else len(self.plan.new)
        self.all.setChecked(0 < number == every)
        self.import_button.setEnabled(number > 0)
        said = self.tr("Import 1 job") if number == 1 else self.tr("Import {number} jobs")
        self.import_button.setText(said.format(number=format_number(number)) if number else self.tr("Import"))
        self.import_button.setShortcut("Ctrl+Return")

    def _show_details(self) -> None:
        entry, plan = self.jobs.selected_entry, self.plan
        if entry is None or plan is None:
            self.details.setWidget(QWidget())
            return
        zone = ZoneInfo(self._session.zone)
        shown = QWidget()
        layout = QVBoxLayout(shown)
        layout.setContentsMargins(0, 0, Space.SMALL, 0)
        layout.addWidget(DetailsView(tuple(describe_entry(entry, plan.query.source, zone, self._session.now()))))
        layout.addStretch(1)
        self.details.setWidget(shown)

    def _import(self) -> None:
        chosen, folder = self.jobs.list_chosen(), self.folder.text().strip()
        if not folder:
            self.status_line.show_message(self.tr("Choose a folder for the scripts."), Tone.BAD)
            self.folder.setFocus()
            return
        self._set_busy(len(chosen))
        act = self._make_import(chosen, Path(folder).expanduser(), paused=self.paused.isChecked())
        self._background.run(act, lambda _: self._show_results(None), self._show_results)

    def _make_import(self, chosen: list[JobImport], folder: Path, *, paused: bool) -> Callable[[], None]:
        """For another thread: it only appends to the results, which the timer counts."""
        results, stop, call = self.results, self._stop, partial(run_command, self._session)

        def act() -> None:
            for one in import_jobs(chosen, folder, call, paused=paused):
                results.append(one)
                if stop.is_set():
                    return

        return act

    def _set_busy(self, number: int) -> None:
        self._choices.setEnabled(False)
        self.import_button.setEnabled(False)
        self.status_line.show_message(self.tr("Importing…"), Tone.QUIET)
        self.progress.setRange(0, number)
        self.progress.setValue(0)
        self.progress.show()
        self._timer.start()

    def _show_results(self, error: Exception | None) -> None:
        """Also after an error: what was imported before it stays, and the rest can be imported later."""
        assert self.plan is not None
        self._timer.stop()
        self.progress.hide()
        self.status_line.clear()
        if error is not None:
            self.status_line.show_error(error)
        if not self.results:
            self._choices.setEnabled(True)
            self.import_button.setEnabled(True)
            return
        self._choices.hide()
        self.import_button.hide()
        self.results_panel.show_results(self.plan, self.results, is_paused=self.paused.isChecked())
        self.results_panel.show()
        self._offer_close()
        self.imported.emit(self.results_panel.summary.text())

    def _offer_close(self) -> None:
        self.cancel.setText(self.tr("Close"))
        self.cancel.setDefault(True)
        self.cancel.setFocus()
        self.fit()

    def _created(self) -> list[str]:
        return [one.workflow for one in self.results if one.workflow is not None]

    def _start(self) -> None:
        names, session = self._created(), self._session

        def act() -> None:
            for name in names:
                run_command(session, "resume", target=name)

        self._follow_up(act, self.tr("The imported jobs are started."))

    def _undo(self) -> None:
        results, call = list(self.results), partial(run_command, self._session)
        self._follow_up(lambda: undo_import(results, call), self.tr("The import was undone; the scripts are deleted."))

    def _follow_up(self, act: Callable[[], Any], said: str) -> None:
        self.results_panel.setEnabled(False)
        self._background.run(act, lambda _: self._finish(said), self._fail)

    def _finish(self, said: str) -> None:
        self.imported.emit(said)
        self.accept()

    def _fail(self, error: Exception) -> None:
        self.results_panel.setEnabled(True)
        self.status_line.show_error(error)


def suggest_folder() -> Path:
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return Path(documents or Path.home()) / "Dayhand" / "Imported"
