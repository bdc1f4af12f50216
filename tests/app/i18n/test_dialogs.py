"""Dialogs in both languages: no text is cut off, Escape closes them, and Return presses the main button."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.i18n.languages import Language, install_language
from app.lifecycle.crash import CrashDialog
from app.lifecycle.quit import QuitFlow
from app.session import Session
from app.theme.stylesheet import Theme
from app.theme.tokens import Appearance
from app.widgets.details import DetailTable
from app.widgets.show_all import FullTable, ShowAllDialog
from app.window.connections.connect_dialog import ConnectDialog
from app.window.help import HelpDialog
from app.window.main_window import MainWindow
from app.window.new_workflow.dry_run_dialog import DryRunDialog
from app.window.new_workflow.new_dialog import NewWorkflowDialog
from app.window.request_cards import FixerTextDialog
from app.window.settings.page import SettingsPage
from app.window.welcome.dialog import WelcomeDialog
from tests.app.app_fixture import Wait, empty, wait

__all__ = ["empty", "wait"]

MakeDialog = Callable[[Session, QWidget], QDialog]
DIALOGS: dict[str, MakeDialog] = {
    "crash": lambda _, window: CrashDialog("ValueError", Path("dayhand.log"), window),
    "fixer": lambda _, window: FixerTextDialog("What is sent", window, asks=True),
    "help": lambda _, window: HelpDialog(window, None, ""),
    "new": NewWorkflowDialog,
    "show all": lambda _, window: ShowAllDialog(
        "Rows", FullTable(DetailTable(columns=("A",), rows=(("1",),)), ""), window
    ),
    "test run": lambda session, window: DryRunDialog(session, session.folder / "a.py", parent=window),
    "welcome": lambda session, window: WelcomeDialog(session, parent=window),
}


@pytest.fixture(params=[Language.ENGLISH, Language.GERMAN])
def window(qapp: QApplication, qtbot: QtBot, empty: Session, request: pytest.FixtureRequest) -> Iterator[MainWindow]:
    before = QLocale()
    installed = install_language(request.param, QLocale("de_DE" if request.param is Language.GERMAN else "en_US"))
    theme = Theme(qapp, Appearance.LIGHT)
    made = MainWindow(empty)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    yield made
    made.shut_down()
    qapp.setStyleSheet("")
    theme.deleteLater()
    for translator in installed:
        QCoreApplication.removeTranslator(translator)
    QLocale.setDefault(before)


def find_cut(widget: QWidget) -> list[str]:
    """Texts of visible labels and buttons that do not fit."""
    found: list[QLabel | QPushButton] = [*widget.findChildren(QLabel), *widget.findChildren(QPushButton)]
    return [one.text() for one in found if one.isVisible() and one.text() and _is_cut(one)]


def _is_cut(one: QLabel | QPushButton) -> bool:
    if isinstance(one, QLabel) and one.wordWrap():
        return one.heightForWidth(one.width()) > one.height()
    if isinstance(one, QLabel) and one.buddy() is not None:  # drawn wider than Qt measures it
        return one.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, one.text()).width() >= one.width()
    return one.sizeHint().width() > one.width()


@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_fits_closes_with_escape_and_has_a_main_button(
    qtbot: QtBot, empty: Session, window: MainWindow, name: str
) -> None:
    dialog = DIALOGS[name](empty, window)
    qtbot.addWidget(dialog)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    dialog.open()
    assert not find_cut(dialog)
    assert [one for one in dialog.findChildren(QPushButton) if one.isDefault()]
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_the_fields_of_every_connector_fit(qtbot: QtBot, empty: Session, window: MainWindow) -> None:
    dialog = ConnectDialog(empty, parent=window)
    qtbot.addWidget(dialog)
    dialog.open()
    for place in range(dialog.kind.count()):
        dialog.kind.setCurrentIndex(place)
        QApplication.processEvents()
        assert not find_cut(dialog), dialog.kind.currentText()


def test_return_in_a_field_of_a_new_workflow_continues(qtbot: QtBot, empty: Session, window: MainWindow) -> None:
    dialog = NewWorkflowDialog(empty, window)
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Return)
    assert dialog.current_page() is dialog.questions_page
    dialog.name.setText("")
    qtbot.keyClick(dialog.name, Qt.Key.Key_Return)
    assert dialog.status_line.message


def test_the_question_before_quitting_fits_and_its_main_button_is_last(
    qtbot: QtBot, window: MainWindow, wait: Wait
) -> None:
    flow = QuitFlow(lambda: ("Receipts", "Back up photos", "Invoices of the shop"), lambda: window)
    flow.start()
    box = wait(lambda: flow.question)
    assert not find_cut(box)
    buttons = [one for one in box.buttons() if one.isVisible()]
    last = max(buttons, key=lambda one: one.x())
    assert isinstance(last, QPushButton) and last.isDefault()
    text = box.findChild(QLabel, "qt_msgbox_label")
    margin = box.layout().contentsMargins().left()
    assert text.mapTo(box, text.rect().topLeft()).x() == margin
    assert min(one.mapTo(box, one.rect().topLeft()).x() for one in buttons) >= margin
    flow.close()


def test_every_choice_in_the_settings_fits(window: MainWindow) -> None:
    window.open_page("settings")
    page = window.pages["settings"]
    assert isinstance(page, SettingsPage)
    QApplication.processEvents()
    for box in page.findChildren(QComboBox):
        for place in range(box.count()):
            text = box.itemText(place)
            assert box.fontMetrics().horizontalAdvance(text) + 40 <= box.maximumWidth(), text
