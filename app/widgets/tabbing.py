"""The order in which Tab goes: Qt's own is that in which widgets were made, and some are made late."""

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def chain(*parts: QWidget) -> None:
    """From one part to the next, and through each as it is laid out."""
    stops = [one for part in parts for one in (part, *part.findChildren(QWidget)) if _stops(one)]
    for one, other in pairwise(stops):
        QWidget.setTabOrder(one, other)


def _stops(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and not widget.isHidden()
