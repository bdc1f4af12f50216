"""Keeps windows within the screen they open on, at any scale."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

_FRAME = QSize(8, 48)
"""Window borders and title bar."""


def find_room(window: QWidget) -> QSize:
    """The largest size of a window on its screen."""
    return window.screen().availableSize() - _FRAME


def fit_to_screen(window: QWidget, size: QSize) -> None:
    window.resize(size.boundedTo(find_room(window)))
