"""The part of the settings about the data itself: where it is, copies of it, taking it along, and diagnostics."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QMessageBox, QPushButton, QWidget

from app.asking import Asking
from app.keeping.bundle import BundleError
from app.keeping.diagnostics import write_diagnostics
from app.keeping.export import check_export, write_export
from app.life.installation import Installation
from app.look.dressing import mark
from app.look.theme import Space, Tone
from app.widgets.details_view import make_text
from app.widgets.file_dialog import choose_file, choose_target
from app.widgets.question import make_question
from app.window.saying import Saying, make_button
from app.words.interpreting import interpret
from scheduler.engine.moving import TakenIn
from scheduler.store import moving
from scheduler.store.backups import back_up
from scheduler.store.errors import StoreError

translate = QCoreApplication.translate


class DataSection(QWidget):
    import_wanted = Signal(str)
    """The person said yes to going on from this file, which was looked through."""

    def __init__(self, installation: Installation) -> None:
        super().__init__()
        self._installation = installation
        self.saying = Saying()
        self._asking = Asking(self)
        self.question: QMessageBox | None = None
        self.folder = make_text(str(installation.folder))
        self.open_folder = make_button(self.tr("Open the folder"))
        self.back_up = make_button(self.tr("Back up now"))
        self.export = make_button(self.tr("&Export everything…"))
        self.take_in = make_button(self.tr("&Import…"))
        self.diagnose = make_button(self.tr("Write dia&gnostics…"))
        self._lay_out()
        self.open_folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(installation.folder))))
        self.back_up.clicked.connect(self._back_up)
        self.export.clicked.connect(self._choose_export)
        self.take_in.clicked.connect(self._choose_import)
        self.diagnose.clicked.connect(self._choose_diagnostics)

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(Space.LARGE)
        grid.setVerticalSpacing(Space.SMALL)
        grid.setColumnStretch(1, 1)
        rows: tuple[tuple[tuple[QPushButton, ...], QWidget], ...] = (
            ((self.open_folder, self.back_up), self.folder),
            (
                (self.export, self.take_in),
                make_text(self.tr("Workflows, history and settings in one file, without passwords."), "muted"),
            ),
            (
                (self.diagnose,),
                make_text(self.tr("Helps to find out what is wrong; without scripts, data and passwords."), "muted"),
            ),
        )
        for place, (buttons, words) in enumerate(rows):
            row = QHBoxLayout()
            row.setSpacing(Space.SMALL)
            for button in buttons:
                row.addWidget(button)
            row.addStretch(1)
            grid.addLayout(row, place, 0)
            grid.addWidget(words, place, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(self.saying, len(rows), 0, 1, 2)

    def write_export(self, target: Path) -> None:
        folder, clock = self._installation.folder, self._installation.house.engine.context.clock
        done = self.tr("Exported to {path}. Passwords are not in it.").format(path=target)
        self._do(self.tr("Exporting…"), lambda: write_export(folder, target, clock.now()), done)

    def write_diagnostics(self, target: Path) -> None:
        folder = self._installation.folder
        done = self.tr("Written to {path}. Look through it before you send it to anybody.").format(path=target)
        self._do(self.tr("Writing…"), lambda: write_diagnostics(folder, target), done)

    def look_at_import(self, path: Path) -> None:
        """Look through it first, then ask; a wrong file gets a sentence."""
        folder, database = self._installation.folder, self._installation.database

        def look() -> bool:
            check_export(folder, path)
            return moving.is_used(database.read())

        self.saying.say(self.tr("Looking at {file}…").format(file=path.name), Tone.QUIET)
        self._asking.ask(look, lambda used: self._ask(path, used=used), self._refuse)

    def _ask(self, path: Path, *, used: bool) -> None:
        self.saying.clear()
        more = self.tr("Everything in it arrives paused. Dayhand starts again for it.")
        if used:
            more += " " + self.tr("What you have here now is set aside in your data folder.")
        question = self.tr("Go on from {file}?").format(file=path.name)
        box = make_question(self.tr("Import"), question, more, self.window())
        yes = box.addButton(self.tr("Import"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        mark(yes, "importance", "primary")
        box.setDefaultButton(yes)
        box.finished.connect(lambda _: self._answer(path, wanted=box.clickedButton() is yes))
        self.question = box
        box.open()

    def _answer(self, path: Path, *, wanted: bool) -> None:
        if self.question is not None:
            self.question.deleteLater()
            self.question = None
        if wanted:
            self.import_wanted.emit(str(path))

    def _back_up(self) -> None:
        folder, clock = self._installation.folder, self._installation.house.engine.context.clock
        self.saying.say(self.tr("Backing up…"), Tone.QUIET)

        def tell(path: Path) -> None:
            self.saying.say(self.tr("Backed up to {path}.").format(path=path))

        self._asking.ask(lambda: back_up(folder, clock.now()), tell, self._refuse)

    def _do(self, meanwhile: str, act: Callable[[], None], done: str) -> None:
        self.saying.say(meanwhile, Tone.QUIET)
        self._asking.ask(act, lambda _: self.saying.say(done), self._refuse)

    def _refuse(self, error: Exception) -> None:
        if isinstance(error, BundleError | StoreError):
            self.saying.say(interpret(str(error)), Tone.BAD)
        else:
            self.saying.refuse(error)

    def _choose_export(self) -> None:
        if (target := self._choose_target("dayhand-export")) is not None:
            self.write_export(target)

    def _choose_diagnostics(self) -> None:
        if (target := self._choose_target("dayhand-diagnostics")) is not None:
            self.write_diagnostics(target)

    def _choose_import(self) -> None:
        found = choose_file(self, self.tr("Import"), self.tr("Exports of Dayhand (*.zip)"))
        if found:
            self.look_at_import(Path(found))

    def _choose_target(self, name: str) -> Path | None:
        now = self._installation.house.engine.context.clock.now().astimezone()
        proposed = str(Path.home() / f"{name}-{now:%Y-%m-%d}.zip")
        found = choose_target(self, self.tr("Save as"), proposed, self.tr("Zip files (*.zip)"))
        return Path(found) if found else None


def say_taken(taken: TakenIn) -> str:
    """What arrived, and what the person has to do about it."""
    if taken.workflows == 1:
        said = translate("settings", "1 workflow arrived, paused: look at it and resume it.")
    else:
        said = translate("settings", "{number} workflows arrived, paused: look at each and resume it.").format(
            number=taken.workflows
        )
    if taken.connections:
        names = ", ".join(taken.connections)
        said += " " + translate("settings", "Connect again: {names}.").format(names=names)
    return said
