"""Dialogs: they fit on every screen, and Return does what one expects."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QSize, Qt
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.life.crash import CrashDialog
from app.life.installation import Installation
from app.look.dressing import make_stylesheet
from app.look.theme import LIGHT
from app.widgets import fitting
from app.window.connect_dialog import ConnectDialog
from app.window.deploy_dialog import DeployDialog
from app.window.dialog import Dialog
from app.window.help import HelpDialog
from app.window.new_dialog import NewDialog
from app.window.sent import SentDialog
from app.window.try_dialog import TryDialog
from app.window.welcome import Welcome
from app.window.window import Window
from app.window.workflow_facts import read_workflow
from app.window.workflow_past import PastDialog
from app.window.workflow_times import TimesDialog
from app.words.languages import Language, speak
from tests.app.living import Wait
from tests.app.window.filling import SCRIPT, few

__all__ = ["few"]

SMALL = QSize(632, 337)
"""What 1280 by 800 pixels leave for a window at twice the size, beside a panel and a frame."""
Make = Callable[[Installation, Path], QDialog]


def connect_to(kind: str) -> Make:
    def make(installation: Installation, _: Path) -> QDialog:
        dialog = ConnectDialog(installation)
        dialog.kind.setCurrentIndex(dialog.kind.findData(kind))
        return dialog

    return make


def change_times(installation: Installation, _: Path) -> QDialog:
    dialog = TimesDialog(installation, read_workflow(installation, "chore-0").schedules[0])
    dialog.editor.picker.kind.setCurrentIndex(2)  # the widest
    return dialog


def run_past(installation: Installation, _: Path) -> QDialog:
    return PastDialog(installation, read_workflow(installation, "chore-0").schedules[0])


def deploy(installation: Installation, script: Path) -> QDialog:
    return DeployDialog(installation, script)


def help_with(installation: Installation, _: Path) -> QDialog:
    window = Window(installation)
    dialog = HelpDialog(window, None, "")
    dialog.window_of_it = window  # type: ignore[attr-defined]  # it goes with its window
    return dialog


DIALOGS: dict[str, Make] = {
    "calendar": connect_to("caldav"),
    "mail": connect_to("smtp"),
    "times": change_times,
    "past": run_past,
    "deploy": deploy,
    "help": help_with,
    "new": lambda installation, _: NewDialog(installation),
    "try": TryDialog,
    "sent": lambda *_: SentDialog("x\n" * 100, asks=True),
    "crash": lambda _, script: CrashDialog("x\n" * 100, script),
    "welcome": lambda installation, _: Welcome(installation),
}


@pytest.fixture(params=["en", "de"])
def spoken(request: pytest.FixtureRequest, qapp: QApplication) -> object:
    language, locale = {"en": (Language.ENGLISH, "en_GB"), "de": (Language.GERMAN, "de_DE")}[request.param]
    before, spoken = QLocale(), speak(language, QLocale(locale))
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
    few: Installation,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    wait: Wait,
    make: Make,
) -> None:
    monkeypatch.setattr(fitting, "_FRAME", qapp.primaryScreen().availableSize() - SMALL)
    script = tmp_path / "receipts.py"
    script.write_text(SCRIPT.format(name="Receipts two"), encoding="utf-8")
    dialog = make(few, script)
    qtbot.addWidget(dialog)
    dialog.show()
    if isinstance(dialog, DeployDialog):
        wait(lambda: dialog.offer is not None)
    assert dialog.width() <= SMALL.width()
    assert dialog.height() <= SMALL.height()


class Asked(Dialog):
    def __init__(self) -> None:
        super().__init__(300)
        self.pressed: list[str] = []
        self.field, self.cancel = QLineEdit(), QPushButton("Cancel")
        self.parts.addWidget(self.field)
        save = QPushButton("Save")
        self.conclude(others=[self.cancel], last=save)
        self.cancel.clicked.connect(lambda: self.pressed.append("Cancel"))
        save.clicked.connect(lambda: self.pressed.append("Save"))


@pytest.fixture
def asked(qtbot: QtBot) -> Asked:
    made = Asked()
    qtbot.addWidget(made)
    made.show()
    return made


def test_return_in_a_field_presses_the_last_button(qtbot: QtBot, asked: Asked) -> None:
    qtbot.keyClick(asked.field, Qt.Key.Key_Return)
    assert asked.pressed == ["Save"]


def test_return_on_a_button_presses_that_one(qtbot: QtBot, asked: Asked) -> None:
    qtbot.keyClick(asked.cancel, Qt.Key.Key_Return)
    assert asked.pressed == ["Cancel"]


def test_it_is_as_high_as_what_it_shows_and_grows_with_it(asked: Asked) -> None:
    before = asked.height()
    more = QLabel("one\ntwo\nthree\nfour\nfive")
    asked.parts.addWidget(more)
    more.show()
    asked.fit()
    assert asked.height() > before
    assert not asked.body.verticalScrollBar().isVisible()


def test_it_does_not_change_before_it_has_got_its_place(
    asked: Asked, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window manager would be told a place that nobody chose, with the title above the screen."""
    unplaced = QWindow()
    monkeypatch.setattr(asked, "windowHandle", lambda: unplaced)
    before = asked.height()
    more = QLabel("one\ntwo\nthree\nfour\nfive")
    asked.parts.addWidget(more)
    more.show()
    asked.fit()
    assert asked.height() == before
    monkeypatch.undo()
    asked.update()
    wait(lambda: asked.height() > before)
