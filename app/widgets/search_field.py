"""A field that filters while one types, but not at every letter."""

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QToolButton, QWidget

from app.look.icons import glyph_icon
from app.look.theme import colours_of

_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
PAUSE_MS = 120
"""So long nothing is typed before it is searched."""


class SearchField(QLineEdit):
    """Return searches at once, Escape clears, Down goes on to what was found. Find (Ctrl+F) is the window's to hear."""

    searched = Signal(str)
    repeated = Signal(int)
    """Return once more: to the next of what was found (1), or with Shift to the one before (-1)."""
    left = Signal()
    """Down was pressed: whoever shows the results takes the focus."""

    def __init__(self, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._said = ""
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)
        self.setClearButtonEnabled(True)
        self._glass: QAction = self.addAction(
            glyph_icon("search", colours_of(self).muted), QLineEdit.ActionPosition.LeadingPosition
        )
        for button in self.findChildren(QToolButton):
            if button.defaultAction() is self._glass:
                button.setAccessibleName(hint)
        self._pause = QTimer(self, interval=PAUSE_MS, singleShot=True)
        self._pause.timeout.connect(self._search)
        self.textChanged.connect(self._wait)
        self.returnPressed.connect(self._search)
        keys = QKeySequence(QKeySequence.StandardKey.Find).toString(QKeySequence.SequenceFormat.NativeText)
        self.setToolTip(f"{hint} ({keys})")

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            self._search()
            self.left.emit()
        elif event.key() in _RETURN and self.text().strip() == self._said:
            self.repeated.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_glass"):
            self._glass.setIcon(glyph_icon("search", colours_of(self).muted))

    def come(self) -> None:
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def _wait(self, text: str) -> None:
        if text:
            self._pause.start()
        else:
            self._search()

    def _search(self) -> None:
        """Say what is looked for, if that is new."""
        self._pause.stop()
        text = self.text().strip()
        if text != self._said:
            self._said = text
            self.searched.emit(text)
