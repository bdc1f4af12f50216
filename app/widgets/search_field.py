"""A search field that searches while the user types, after a short pause."""

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QToolButton, QWidget

from app.theme.icons import make_glyph_icon
from app.theme.tokens import colours_of

_RETURN_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
DEBOUNCE_MS = 120
"""Delay after the last key press before searching."""


class SearchField(QLineEdit):
    """Return searches at once, Escape clears, Down moves to the results. The window handles Ctrl+F."""

    searched = Signal(str)
    step_requested = Signal(int)
    """Return was pressed again: next result (1), or with Shift the previous one (-1)."""
    down_pressed = Signal()
    """Down was pressed: the results take the focus."""

    def __init__(self, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._searched_text = ""
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)
        self.setClearButtonEnabled(True)
        self._icon_action: QAction = self.addAction(
            make_glyph_icon("search", colours_of(self).muted), QLineEdit.ActionPosition.LeadingPosition
        )
        for button in self.findChildren(QToolButton):
            if button.defaultAction() is self._icon_action:
                button.setAccessibleName(hint)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._pause.timeout.connect(self._search)
        self.textChanged.connect(self._schedule_search)
        self.returnPressed.connect(self._search)
        keys = QKeySequence(QKeySequence.StandardKey.Find).toString(QKeySequence.SequenceFormat.NativeText)
        self.setToolTip(f"{hint} ({keys})")

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            self._search()
            self.down_pressed.emit()
        elif event.key() in _RETURN_KEYS and self.text().strip() == self._searched_text:
            self.step_requested.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_icon_action"):
            self._icon_action.setIcon(make_glyph_icon("search", colours_of(self).muted))

    def focus_and_select(self) -> None:
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def _schedule_search(self, text: str) -> None:
        if text:
            self._pause.start()
        else:
            self._search()

    def _search(self) -> None:
        """Emit the text if it changed."""
        self._pause.stop()
        text = self.text().strip()
        if text != self._searched_text:
            self._searched_text = text
            self.searched.emit(text)
