"""Windows that are never larger than the screen they open on, however much of it a pixel of theirs takes."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

_FRAME = QSize(8, 48)
"""What a screen needs around a window: its borders and its title."""


def find_room(window: QWidget) -> QSize:
    """What a window may take of its screen."""
    return window.screen().availableSize() - _FRAME


def fit(window: QWidget, wanted: QSize) -> None:
    window.resize(wanted.boundedTo(find_room(window)))
