"""Questions before something is done: quiet, and never answered by accident."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.look.dressing import make_stylesheet
from app.look.theme import LIGHT
from app.widgets.question import confirm, make_question


@pytest.fixture(autouse=True)
def dressed(qapp: QApplication) -> Iterator[None]:
    """As in the app: what a stylesheet says of sizes decides how Qt breaks lines."""
    qapp.setStyleSheet(make_stylesheet(LIGHT))
    yield
    qapp.setStyleSheet("")


def test_a_question_has_no_sign_of_the_system_and_its_first_line_stands_out(qtbot: QtBot) -> None:
    box = make_question("Quit", "Quit now?", "Something is being done.")
    qtbot.addWidget(box)
    assert box.icon() is QMessageBox.Icon.NoIcon
    assert (box.text(), box.informativeText()) == ("Quit now?", "Something is being done.")
    box.show()
    assert find_label(box).font().weight() > box.font().weight()


def test_no_markup_is_made_of_a_name(qtbot: QtBot) -> None:
    box = make_question("Quit", "Delete <b>a</b>?", "Stored <i>b</i>")
    qtbot.addWidget(box)
    box.show()
    shown = {label.text(): label.textFormat() for label in box.findChildren(QLabel)}
    assert shown["Delete <b>a</b>?"] is shown["Stored <i>b</i>"] is Qt.TextFormat.PlainText


def test_a_long_question_is_read_to_its_end(qtbot: QtBot) -> None:
    long = "Use version 12 again? It becomes a new version; what was stored by the runs of this workflow stays."
    box = make_question("Roll back", long)
    qtbot.addWidget(box)
    box.show()
    label, layout = find_label(box), box.layout()
    assert layout is not None
    assert label.wordWrap()
    label.setWordWrap(False)  # as Qt does while it finds out whether one line is enough
    assert layout.minimumSize().width() > label.fontMetrics().horizontalAdvance(long)


@pytest.mark.parametrize("words", [1, 9, 12, 40])
def test_no_word_of_a_question_is_cut(qtbot: QtBot, words: int) -> None:
    box = make_question("Roll back", "versions " * words)
    qtbot.addWidget(box)
    box.show()
    label = find_label(box)
    asked = label.fontMetrics().boundingRect(0, 0, label.width(), 2000, Qt.TextFlag.TextWordWrap, label.text().strip())
    assert asked.width() <= label.width() and asked.height() <= label.height()
    assert label.wordWrap() or label.fontMetrics().horizontalAdvance(label.text().strip()) <= label.width()


def find_label(box: QMessageBox) -> QLabel:
    label = box.findChild(QLabel, "qt_msgbox_label")
    assert isinstance(label, QLabel)
    return label


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
