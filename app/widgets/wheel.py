"""Whoever scrolls a page does not change what happens to come under the mouse."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QWidget


class _Passing(QObject):
    """Leaves the wheel to what is around the widget; Qt would change a choice, and give it the keyboard."""

    def eventFilter(self, _: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        if event.type() is not QEvent.Type.Wheel:
            return False
        event.ignore()
        return True


def leave_wheel(within: QWidget) -> None:
    """To the page that scrolls: no choice or number in it takes the wheel."""
    passing = _Passing(within)
    for one in (*within.findChildren(QComboBox), *within.findChildren(QAbstractSpinBox)):
        one.installEventFilter(passing)
