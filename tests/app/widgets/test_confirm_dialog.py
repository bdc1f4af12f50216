"""Confirmation dialogs: plain, and never confirmed by accident."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.theme.stylesheet import make_stylesheet
from app.theme.tokens import LIGHT
from app.widgets.confirm_dialog import confirm, make_message_box


@pytest.fixture(autouse=True)
def stylesheet(qapp: QApplication) -> Iterator[None]:
    """As in the app: the stylesheet's sizes affect how Qt breaks lines."""
    qapp.setStyleSheet(make_stylesheet(LIGHT))
    yield
    qapp.setStyleSheet("")


def test_a_question_has_no_icon_and_its_first_line_stands_out(qtbot: QtBot) -> None:
    box = make_message_box("Quit", "Quit now?", "Something is being done.")
    qtbot.addWidget(box)
    assert box.icon() is QMessageBox.Icon.NoIcon
    assert (box.text(), box.informativeText()) == ("Quit now?", "Something is being done.")
    box.show()
    assert find_label(box).font().weight() > box.font().weight()


def test_markup_in_a_name_is_not_interpreted(qtbot: QtBot) -> None:
    box = make_message_box("Quit", "Delete <b>a</b>?", "Stored <i>b</i>")
    qtbot.addWidget(box)
    box.show()
    shown = {label.text(): label.textFormat() for label in box.findChildren(QLabel)}
    assert shown["Delete <b>a</b>?"] is shown["Stored <i>b</i>"] is Qt.TextFormat.PlainText


def test_a_long_question_wraps(qtbot: QtBot) -> None:
    long = "Use version 12 again? It becomes a new version; what was stored by the runs of this workflow stays."
    box = make_message_box("Roll back", long)
    qtbot.addWidget(box)
    box.show()
    label, layout = find_label(box), box.layout()
    assert layout is not None
    assert label.wordWrap()
    label.setWordWrap(False)  # as Qt does to check whether one line is enough
    assert layout.minimumSize().width() > label.fontMetrics().horizontalAdvance(long)


@pytest.mark.parametrize("words", [1, 9, 12, 40])
def test_a_question_is_never_cut_off(qtbot: QtBot, words: int) -> None:
    box = make_message_box("Roll back", "versions " * words)
    qtbot.addWidget(box)
    box.show()
    label = find_label(box)
    needed = label.fontMetrics().boundingRect(0, 0, label.width(), 2000, Qt.TextFlag.TextWordWrap, label.text().strip())
    assert needed.width() <= label.width() and needed.height() <= label.height()
    assert label.wordWrap() or label.fontMetrics().horizontalAdvance(label.text().strip()) <= label.width()


def find_label(box: QMessageBox) -> QLabel:
    label = box.findChild(QLabel, "qt_msgbox_label")
    assert isinstance(label, QLabel)
    return label


@pytest.mark.parametrize("confirms", [True, False])
def test_only_the_button_that_names_the_action_confirms(qtbot: QtBot, *, confirms: bool) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)

    def press() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        yes = next(one for one in box.findChildren(QPushButton) if one.text() == "Remove")
        assert box.defaultButton() is not yes
        (yes if confirms else box.defaultButton()).click()

    QTimer.singleShot(0, press)
    assert confirm("Remove", "Remove it?", "Remove", parent) is confirms
