"""Every dialog fits on a small screen, and Return presses the expected button."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QSize, Qt
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.i18n.languages import Language, install_language
from app.lifecycle.crash import CrashDialog
from app.session import Session
from app.theme.stylesheet import make_stylesheet
from app.theme.tokens import LIGHT
from app.widgets import fit_to_screen
from app.window.connections.connect_dialog import ConnectDialog
from app.window.dialog import Dialog
from app.window.help import HelpDialog
from app.window.main_window import MainWindow
from app.window.new_workflow.deploy_dialog import DeployDialog
from app.window.new_workflow.dry_run_dialog import DryRunDialog
from app.window.new_workflow.new_dialog import NewWorkflowDialog
from app.window.request_cards import FixerTextDialog
from app.window.welcome.dialog import WelcomeDialog
from app.window.workflows.backfill_dialog import BackfillDialog
from app.window.workflows.schedule_dialog import ScheduleDialog
from app.window.workflows.workflow_data import read_workflow
from tests.app.app_fixture import Wait
from tests.app.window.sample_data import SCRIPT
from tests.app.window.session_fixture import few

__all__ = ["few"]

SMALL = QSize(632, 337)
"""What 1280 by 800 pixels at 200 % scale leave for a window, beside a panel and a frame."""
Make = Callable[[Session, Path], QDialog]


def connect_to(kind: str) -> Make:
    def make(installation: Session, _: Path) -> QDialog:
        dialog = ConnectDialog(installation)
        dialog.kind.setCurrentIndex(dialog.kind.findData(kind))
        return dialog

    return make


def change_times(installation: Session, _: Path) -> QDialog:
    dialog = ScheduleDialog(installation, read_workflow(installation, "chore-0").schedules[0])
    dialog.editor.picker.kind.setCurrentIndex(2)  # the widest
    return dialog


def run_past(installation: Session, _: Path) -> QDialog:
    return BackfillDialog(installation, read_workflow(installation, "chore-0").schedules[0])


def deploy(installation: Session, script: Path) -> QDialog:
    return DeployDialog(installation, script)


def help_with(installation: Session, _: Path) -> QDialog:
    window = MainWindow(installation)
    dialog = HelpDialog(window, None, "")
    dialog.window_of_it = window  # type: ignore[attr-defined]  # keeps the window alive
    return dialog


DIALOGS: dict[str, Make] = {
    "calendar": connect_to("caldav"),
    "mail": connect_to("smtp"),
    "times": change_times,
    "past": run_past,
    "deploy": deploy,
    "help": help_with,
    "new": lambda installation, _: NewWorkflowDialog(installation),
    "try": DryRunDialog,
    "sent": lambda *_: FixerTextDialog("x\n" * 100, asks=True),
    "crash": lambda _, script: CrashDialog("x\n" * 100, script),
    "welcome": lambda installation, _: WelcomeDialog(installation),
}


@pytest.fixture(params=["en", "de"])
def spoken(request: pytest.FixtureRequest, qapp: QApplication) -> object:
    language, locale = {"en": (Language.ENGLISH, "en_GB"), "de": (Language.GERMAN, "de_DE")}[request.param]
    before, spoken = QLocale(), install_language(language, QLocale(locale))
    qapp.setStyleSheet(make_stylesheet(LIGHT))
    yield
    qapp.setStyleSheet("")
    QLocale.setDefault(before)
    for translator in spoken:
        qapp.removeTranslator(translator)


@pytest.mark.usefixtures("spoken")
@pytest.mark.parametrize("make", DIALOGS.values(), ids=DIALOGS)
def test_every_dialog_fits_on_a_small_screen(
    qapp: QApplication,
    qtbot: QtBot,
    few: Session,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    wait: Wait,
    make: Make,
) -> None:
    monkeypatch.setattr(fit_to_screen, "_FRAME", qapp.primaryScreen().availableSize() - SMALL)
    script = tmp_path / "receipts.py"
    script.write_text(SCRIPT.format(name="Receipts two"), encoding="utf-8")
    dialog = make(few, script)
    qtbot.addWidget(dialog)
    dialog.show()
    if isinstance(dialog, DeployDialog):
        wait(lambda: dialog.checked_script is not None)
    assert dialog.width() <= SMALL.width()
    assert dialog.height() <= SMALL.height()


class SampleDialog(Dialog):
    def __init__(self) -> None:
        super().__init__(300)
        self.pressed: list[str] = []
        self.field, self.cancel = QLineEdit(), QPushButton("Cancel")
        self.parts.addWidget(self.field)
        save = QPushButton("Save")
        self.add_buttons(others=[self.cancel], last=save)
        self.cancel.clicked.connect(lambda: self.pressed.append("Cancel"))
        save.clicked.connect(lambda: self.pressed.append("Save"))


@pytest.fixture
def dialog(qtbot: QtBot) -> SampleDialog:
    made = SampleDialog()
    qtbot.addWidget(made)
    made.show()
    return made


def test_return_in_a_field_presses_the_last_button(qtbot: QtBot, dialog: SampleDialog) -> None:
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.pressed == ["Save"]


def test_return_on_a_button_presses_that_one(qtbot: QtBot, dialog: SampleDialog) -> None:
    qtbot.keyClick(dialog.cancel, Qt.Key.Key_Return)
    assert dialog.pressed == ["Cancel"]


def test_it_is_as_tall_as_its_content_and_grows_with_it(dialog: SampleDialog) -> None:
    before = dialog.height()
    more = QLabel("one\ntwo\nthree\nfour\nfive")
    dialog.parts.addWidget(more)
    more.show()
    dialog.fit()
    assert dialog.height() > before
    assert not dialog.body.verticalScrollBar().isVisible()


def test_it_is_not_resized_before_it_is_placed(
    dialog: SampleDialog, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window manager would place it with its title bar above the screen."""
    unplaced = QWindow()
    monkeypatch.setattr(dialog, "windowHandle", lambda: unplaced)
    before = dialog.height()
    more = QLabel("one\ntwo\nthree\nfour\nfive")
    dialog.parts.addWidget(more)
    more.show()
    dialog.fit()
    assert dialog.height() == before
    monkeypatch.undo()
    dialog.update()
    wait(lambda: dialog.height() > before)
