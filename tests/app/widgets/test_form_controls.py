"""A page that is scrolled past its choices."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QSpinBox, QTimeEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.wheel import leave_wheel


@pytest.mark.parametrize("make", [QComboBox, QSpinBox, QTimeEdit])
def test_the_wheel_scrolls_the_page_and_changes_nothing(qtbot: QtBot, make: type[QWidget]) -> None:
    inner, choice = QWidget(), make()
    qtbot.addWidget(inner)
    QVBoxLayout(inner).addWidget(choice)
    if isinstance(choice, QComboBox):
        choice.addItems(["a", "b", "c"])
    inner.show()
    assert turn(choice)
    leave_wheel(inner)
    before = shown(choice)
    assert not turn(choice) and shown(choice) == before


def shown(choice: QWidget) -> str:
    return choice.currentText() if isinstance(choice, QComboBox) else str(choice.property("text"))


def turn(widget: QWidget) -> bool:
    """Whether the widget took it; if not, Qt hands it on to what is around it."""
    none, buttons = QPoint(), Qt.MouseButton.NoButton
    middle = QPointF(widget.rect().center())
    there = QPointF(widget.mapToGlobal(widget.rect().center()))
    phase, keys = Qt.ScrollPhase.NoScrollPhase, Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(middle, there, none, QPoint(0, -120), buttons, keys, phase, False)  # noqa: FBT003
    QApplication.sendEvent(widget, event)
    return event.isAccepted()
