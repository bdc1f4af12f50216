"""Combo boxes that are refilled, and the wheel over form controls."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QSpinBox, QTimeEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.form_controls import install_wheel_guard, refill_combo_box


def test_refilling_keeps_the_selection_without_emitting_a_signal(qtbot: QtBot) -> None:
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItem("All", None)
    refill_combo_box(box, [("Home", "home"), ("Work", "work")])
    assert box.currentText() == "All"
    box.setCurrentIndex(2)
    emitted: list[int] = []
    box.currentIndexChanged.connect(emitted.append)
    refill_combo_box(box, [("Away", "away"), ("Home", "home"), ("Work", "work")])
    assert (box.currentText(), box.count()) == ("Work", 4)
    refill_combo_box(box, [("Home", "home")])
    assert (box.currentText(), box.count(), emitted) == ("All", 2, [])


@pytest.mark.parametrize("make", [QComboBox, QSpinBox, QTimeEdit])
def test_the_wheel_scrolls_the_page_and_changes_nothing(qtbot: QtBot, make: type[QWidget]) -> None:
    inner, choice = QWidget(), make()
    qtbot.addWidget(inner)
    QVBoxLayout(inner).addWidget(choice)
    if isinstance(choice, QComboBox):
        choice.addItems(["a", "b", "c"])
    inner.show()
    assert turn_wheel(choice)
    install_wheel_guard(inner)
    before = displayed_text(choice)
    assert not turn_wheel(choice) and displayed_text(choice) == before


def displayed_text(choice: QWidget) -> str:
    return choice.currentText() if isinstance(choice, QComboBox) else str(choice.property("text"))


def turn_wheel(widget: QWidget) -> bool:
    """Send a wheel event; whether the widget accepted it."""
    none, buttons = QPoint(), Qt.MouseButton.NoButton
    middle = QPointF(widget.rect().center())
    global_middle = QPointF(widget.mapToGlobal(widget.rect().center()))
    phase, keys = Qt.ScrollPhase.NoScrollPhase, Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(middle, global_middle, none, QPoint(0, -120), buttons, keys, phase, False)  # noqa: FBT003
    QApplication.sendEvent(widget, event)
    return event.isAccepted()
