"""A short word about what was just done, at the foot of the window, with a way to take it back."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QEnterEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.look.dressing import mark
from app.look.icons import glyph
from app.look.theme import Space, Tone, colours_of

SECONDS = 6
_SHAPES = {
    Tone.GOOD: "done",
    Tone.BUSY: "info",
    Tone.ATTENTION: "attention",
    Tone.BAD: "stopped",
    Tone.QUIET: "info",
}
_GLYPH = 16


class Toast(QFrame):
    """One per window: a new word replaces the old one. It stays while one points at it or is in it."""

    acted = Signal(str)
    """The key of what was said, when its button is pressed."""
    gone = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._key = ""
        self._tone = Tone.QUIET
        mark(self, "surface", "toast")
        self._shape, self._words = QLabel(), QLabel()
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setWordWrap(True)
        self.button = QPushButton()
        self.button.clicked.connect(self._act)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(Space.MEDIUM, Space.SMALL, Space.SMALL, Space.SMALL)
        layout.setSpacing(Space.SMALL)
        layout.addWidget(self._shape)
        layout.addWidget(self._words, 1)
        layout.addWidget(self.button)
        self._clock = QTimer(self, interval=SECONDS * 1000, singleShot=True)
        self._clock.timeout.connect(self.dismiss)
        window.installEventFilter(self)
        self.button.installEventFilter(self)
        self.hide()

    @property
    def sentence(self) -> str:
        return self._words.text() if self.isVisible() else ""

    def say(
        self, sentence: str, tone: Tone = Tone.GOOD, *, action: str = "", shortcut: str = "", key: str = ""
    ) -> None:
        """Show the sentence; with an action there is a button, and its press comes back with the key."""
        self._key, self._tone = key, tone
        self._words.setText(sentence)
        self._draw()
        self.button.setText(action)
        self.button.setShortcut(QKeySequence(shortcut))
        self.button.setToolTip(f"{action} ({QKeySequence(shortcut).toString()})" if shortcut else "")
        self.button.setVisible(bool(action))
        self.button.setEnabled(True)
        self._place()
        self.show()
        self.raise_()
        self._clock.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))

    def dismiss(self) -> None:
        self._clock.stop()
        if self.isVisible():
            self.hide()
            self.gone.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        if event.type() is QEvent.Type.Resize and watched is self.parent():
            self._place()
        elif watched is self.button and event.type() is QEvent.Type.FocusIn:
            self._clock.stop()
        elif watched is self.button and event.type() is QEvent.Type.FocusOut:
            self._clock.start()
        return super().eventFilter(watched, event)

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802  # Qt's name
        self._clock.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        self._clock.start()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_shape"):
            self._draw()

    def _act(self) -> None:
        self.button.setEnabled(False)
        self.acted.emit(self._key)
        self.dismiss()

    def _draw(self) -> None:
        ink = colours_of(self).tones[self._tone].text
        self._shape.setPixmap(glyph(_SHAPES[self._tone], _GLYPH, ink, self.devicePixelRatioF()))

    def _place(self) -> None:
        """In the middle of the foot, never wider than the window."""
        window = self.parentWidget()
        assert window is not None
        most = window.width() - 2 * Space.LARGE
        width = min(self._words.fontMetrics().horizontalAdvance(self._words.text()) + 64, most, 640)
        if self.button.isVisibleTo(self):
            width = min(width + self.button.sizeHint().width() + Space.LARGE, most)
        height = self.heightForWidth(width)
        self.setGeometry((window.width() - width) // 2, window.height() - height - Space.WIDE, width, height)
