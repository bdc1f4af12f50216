"""A window in which Return presses the focused button, as in dialogs."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMainWindow, QPushButton, QWidget


class ReturnKeyWindow(QMainWindow):
    def __init__(self) -> None:
        super().__init__()
        self._key_target: QWidget | None = None

    def event(self, event: QEvent) -> bool:
        """Remember what a key is for: a field passes Return on when its answer may have moved the focus already."""
        if event.type() is QEvent.Type.ShortcutOverride:
            self._key_target = self.focusWidget()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """On its own, Qt lets only the space bar press a button of a window."""
        button, self._key_target = self._key_target, None
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(button, QPushButton):
            button.click()
        else:
            super().keyPressEvent(event)
