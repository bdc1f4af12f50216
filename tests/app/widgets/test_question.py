"""Questions before something is done: quiet, and never answered by accident."""

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.question import confirm, make_question


def test_a_question_has_no_sign_of_the_system_and_its_first_line_stands_out(qtbot: QtBot) -> None:
    box = make_question("Quit", "Quit now?", "Something is being done.")
    qtbot.addWidget(box)
    assert box.icon() is QMessageBox.Icon.NoIcon
    assert (box.text(), box.informativeText()) == ("Quit now?", "Something is being done.")
    label = box.findChild(QLabel, "qt_msgbox_label")
    assert isinstance(label, QLabel)
    assert label.font().weight() > box.font().weight()


@pytest.mark.parametrize("words", [1, 9, 12, 40])
def test_a_long_question_is_shown_to_its_end(qtbot: QtBot, words: int) -> None:
    box = make_question("Roll back", "versions " * words)
    qtbot.addWidget(box)
    box.show()
    label = box.findChild(QLabel, "qt_msgbox_label")
    assert isinstance(label, QLabel)
    asked = label.fontMetrics().boundingRect(0, 0, label.width(), 2000, Qt.TextFlag.TextWordWrap, label.text().strip())
    assert asked.width() <= label.width() and asked.height() <= label.height()
    assert label.wordWrap() or label.fontMetrics().horizontalAdvance(label.text().strip()) <= label.width()
    assert 380 <= label.width() <= 560


@pytest.mark.parametrize("wanted", [True, False])
def test_only_the_button_that_names_the_action_says_yes(qtbot: QtBot, *, wanted: bool) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)

    def press() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        yes = next(one for one in box.findChildren(QPushButton) if one.text() == "Remove")
        assert box.defaultButton() is not yes
        (yes if wanted else box.defaultButton()).click()

    QTimer.singleShot(0, press)
    assert confirm("Remove", "Remove it?", "Remove", parent) is wanted
