"""Boxes to choose from, whose choices come and go."""

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox


def refill(box: QComboBox, choices: Iterable[tuple[str, Any]]) -> None:
    """Other choices behind the first, in words and as a value. What was chosen stays chosen if it is still there."""
    chosen = box.currentData()
    with QSignalBlocker(box):
        while box.count() > 1:
            box.removeItem(1)
        for words, value in choices:
            box.addItem(words, value)
        box.setCurrentIndex(max(box.findData(chosen), 0))


def name_box(box: QComboBox, name: str) -> None:
    """One without a label. On Linux Qt gives what is chosen as the name of a box, so the name is its description."""
    box.setAccessibleName(name)
    box.setAccessibleDescription(name)
