"""A box that is filled anew under the eyes of the person."""

from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.widgets.choices import refill


def test_what_was_chosen_stays_chosen_while_it_is_there_and_nobody_is_told(qtbot: QtBot) -> None:
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItem("All", None)
    refill(box, [("Home", "home"), ("Work", "work")])
    assert box.currentText() == "All"
    box.setCurrentIndex(2)
    told: list[int] = []
    box.currentIndexChanged.connect(told.append)
    refill(box, [("Away", "away"), ("Home", "home"), ("Work", "work")])
    assert (box.currentText(), box.count()) == ("Work", 4)
    refill(box, [("Home", "home")])
    assert (box.currentText(), box.count(), told) == ("All", 2, [])
