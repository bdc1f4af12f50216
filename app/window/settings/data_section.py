"""The data section of the settings: data folder, backup, export, import and diagnostics."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QGridLayout, QMessageBox, QPushButton, QWidget

from app.background import BackgroundTasks
from app.data.atomic_file import DataFileError
from app.data.diagnostics import write_diagnostics
from app.data.export import check_export, write_export
from app.i18n.translate import translate_text
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, Tone
from app.widgets.confirm_dialog import make_message_box
from app.widgets.details_view import make_label
from app.widgets.file_dialog import choose_file, choose_save_path
from app.widgets.flow_layout import FlowLayout
from app.window.feedback import StatusLine, make_button
from scheduler.engine.data_folder import StoreError, back_up, has_data
from scheduler.engine.data_import import ImportSummary

_MIN_TEXT_WIDTH = 120
translate = QCoreApplication.translate


class DataSection(QWidget):
    import_requested = Signal(str)
    """Path of a checked export that the user wants to restore from."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.status_line = StatusLine()
        self._background = BackgroundTasks(self)
        self.question: QMessageBox | None = None
        self.folder = make_label(str(session.folder))
        self.open_folder = make_button(self.tr("Open folder"))
        self.back_up_button = make_button(self.tr("Back up now"))
        self.export_button = make_button(self.tr("&Export everything…"))
        self.import_button = make_button(self.tr("&Import…"))
        self.diagnostics_button = make_button(self.tr("Save dia&gnostics…"))
        self._lay_out()
        self.open_folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(session.folder))))
        self.back_up_button.clicked.connect(self._back_up)
        self.export_button.clicked.connect(self._choose_export)
        self.import_button.clicked.connect(self._choose_import)
        self.diagnostics_button.clicked.connect(self._choose_diagnostics)

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(Space.LARGE)
        grid.setVerticalSpacing(Space.SMALL)
        grid.setColumnStretch(1, 1)
        rows: tuple[tuple[tuple[QPushButton, ...], QWidget], ...] = (
            ((self.open_folder, self.back_up_button), self.folder),
            (
                (self.export_button, self.import_button),
                make_label(
                    self.tr("All workflows, history and settings in one file. Passwords are not included."), "muted"
                ),
            ),
            (
                (self.diagnostics_button,),
                make_label(self.tr("For troubleshooting. Contains no scripts, data or passwords."), "muted"),
            ),
        )
        for place, (buttons, words) in enumerate(rows):
            row = FlowLayout()
            for button in buttons:
                row.addWidget(button)
            grid.addLayout(row, place, 0)
            words.setMinimumWidth(_MIN_TEXT_WIDTH)  # else a long word would widen the page
            grid.addWidget(words, place, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(self.status_line, len(rows), 0, 1, 2)

    def write_export(self, target: Path) -> None:
        folder, clock = self._session.folder, self._session.clock
        done = self.tr("Exported to {path}. Passwords are not included.").format(path=target)
        self._do(self.tr("Exporting…"), lambda: write_export(folder, target, clock.now()), done)

    def write_diagnostics(self, target: Path) -> None:
        folder = self._session.folder
        done = self.tr("Saved to {path}. Review it before you share it.").format(path=target)
        self._do(self.tr("Saving…"), lambda: write_diagnostics(folder, target), done)

    def check_import(self, path: Path) -> None:
        """Check the file, then ask for confirmation."""
        folder = self._session.folder

        def check() -> bool:
            check_export(folder, path)
            return has_data(folder)

        self.status_line.show_message(self.tr("Checking {file}…").format(file=path.name), Tone.QUIET)
        self._background.run(check, lambda used: self._ask(path, used=used), self._refuse)

    def _ask(self, path: Path, *, used: bool) -> None:
        self.status_line.clear()
        more = self.tr("All imported workflows start paused. Dayhand will restart.")
        if used:
            more += " " + self.tr("Your current data is set aside in the data folder.")
        question = self.tr("Restore from {file}?").format(file=path.name)
        box = make_message_box(self.tr("Import"), question, more, self.window())
        yes = box.addButton(self.tr("Import"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        set_style(yes, "importance", "primary")
        box.setDefaultButton(yes)
        box.finished.connect(lambda _: self._answer(path, wanted=box.clickedButton() is yes))
        self.question = box
        box.open()

    def _answer(self, path: Path, *, wanted: bool) -> None:
        if self.question is not None:
            self.question.deleteLater()
            self.question = None
        if wanted:
            self.import_requested.emit(str(path))

    def _back_up(self) -> None:
        folder, clock = self._session.folder, self._session.clock
        self.status_line.show_message(self.tr("Backing up…"), Tone.QUIET)

        def show(path: Path) -> None:
            self.status_line.show_message(self.tr("Backed up to {path}.").format(path=path))

        self._background.run(lambda: back_up(folder, clock.now()), show, self._refuse)

    def _do(self, progress: str, act: Callable[[], None], done: str) -> None:
        self.status_line.show_message(progress, Tone.QUIET)
        self._background.run(act, lambda _: self.status_line.show_message(done), self._refuse)

    def _refuse(self, error: Exception) -> None:
        if isinstance(error, DataFileError | StoreError):
            self.status_line.show_message(translate_text(str(error)), Tone.BAD)
        else:
            self.status_line.show_error(error)

    def _choose_export(self) -> None:
        if (target := self._choose_target("dayhand-export")) is not None:
            self.write_export(target)

    def _choose_diagnostics(self) -> None:
        if (target := self._choose_target("dayhand-diagnostics")) is not None:
            self.write_diagnostics(target)

    def _choose_import(self) -> None:
        found = choose_file(self, self.tr("Import"), self.tr("Dayhand exports (*.zip)"))
        if found:
            self.check_import(Path(found))

    def _choose_target(self, name: str) -> Path | None:
        now = self._session.now().astimezone()
        proposed = str(Path.home() / f"{name}-{now:%Y-%m-%d}.zip")
        found = choose_save_path(self, self.tr("Save as"), proposed, self.tr("Zip files (*.zip)"))
        return Path(found) if found else None


def describe_import(imported: ImportSummary) -> str:
    """What was imported, and what the user has to do next."""
    if imported.workflows == 1:
        said = translate("settings", "1 workflow imported, paused. Check it, then resume it.")
    else:
        said = translate("settings", "{number} workflows imported, paused. Check each one, then resume it.").format(
            number=imported.workflows
        )
    if imported.connections:
        names = ", ".join(imported.connections)
        said += " " + translate("settings", "Reconnect: {names}.").format(names=names)
    return said
