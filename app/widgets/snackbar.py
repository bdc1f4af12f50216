"""A short message at the bottom of the window about what was just done, with an optional button such as Undo."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QEnterEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.theme.icons import draw_glyph
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, Tone, colours_of

DURATION_S = 6
_GLYPHS = {
    Tone.GOOD: "done",
    Tone.BUSY: "info",
    Tone.ATTENTION: "attention",
    Tone.BAD: "stopped",
    Tone.QUIET: "info",
}
_GLYPH_SIZE = 16


class Snackbar(QFrame):
    """One per window; a new message replaces the old one. Stays while hovered or focused."""

    action_clicked = Signal(str)
    """The key of the message whose button was pressed."""
    dismissed = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._key = ""
        self._tone = Tone.QUIET
        set_style(self, "surface", "toast")
        self._glyph_label, self._label = QLabel(), QLabel()
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self.button = QPushButton()
        self.button.clicked.connect(self._act)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(Space.MEDIUM, Space.SMALL, Space.SMALL, Space.SMALL)
        layout.setSpacing(Space.SMALL)
        layout.addWidget(self._glyph_label)
        layout.addWidget(self._label, 1)
        layout.addWidget(self.button)
        self._stays = False
        self._timer = QTimer(self, interval=DURATION_S * 1000, singleShot=True)
        self._timer.timeout.connect(self.dismiss)
        window.installEventFilter(self)
        self.button.installEventFilter(self)
        self.hide()

    @property
    def sentence(self) -> str:
        return self._label.text() if self.isVisible() else ""

    def show_message(
        self,
        sentence: str,
        tone: Tone = Tone.GOOD,
        *,
        action: str = "",
        shortcut: str = "",
        key: str = "",
        stays: bool = False,
    ) -> None:
        """Show the sentence. With an action there is a button, which emits `action_clicked` with the key.

        `stays`: until it is replaced or closed, with a button to close it.
        """
        self._key, self._tone, self._stays = key, tone, stays
        action = action or (self.tr("Close") if stays else "")
        self._label.setText(sentence)
        self._draw()
        self.button.setText(action)
        self.button.setShortcut(QKeySequence(shortcut))
        self.button.setToolTip(f"{action} ({QKeySequence(shortcut).toString()})" if shortcut else "")
        self.button.setVisible(bool(action))
        self.button.setEnabled(True)
        self._position()
        self.show()
        self.raise_()
        self._start_timer()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))

    def dismiss(self) -> None:
        self._timer.stop()
        if self.isVisible():
            self.hide()
            self.dismissed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        if event.type() is QEvent.Type.Resize and watched is self.parent():
            self._position()
        elif watched is self.button and event.type() is QEvent.Type.FocusIn:
            self._timer.stop()
        elif watched is self.button and event.type() is QEvent.Type.FocusOut:
            self._start_timer()
        return super().eventFilter(watched, event)

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802  # Qt's name
        self._timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        self._start_timer()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_glyph_label"):
            self._draw()

    def _start_timer(self) -> None:
        if self._stays:
            self._timer.stop()
        else:
            self._timer.start()

    def _act(self) -> None:
        self.button.setEnabled(False)
        self.action_clicked.emit(self._key)
        self.dismiss()

    def _draw(self) -> None:
        ink = colours_of(self).tones[self._tone].text
        self._glyph_label.setPixmap(draw_glyph(_GLYPHS[self._tone], _GLYPH_SIZE, ink, self.devicePixelRatioF()))

    def _position(self) -> None:
        """Centre at the bottom, never wider than the window."""
        window = self.parentWidget()
        assert window is not None
        max_width = window.width() - 2 * Space.LARGE
        width = min(self._label.fontMetrics().horizontalAdvance(self._label.text()) + 64, max_width, 640)
        if self.button.isVisibleTo(self):
            width = min(width + self.button.sizeHint().width() + Space.LARGE, max_width)
        height = self.heightForWidth(width)
        self.setGeometry((window.width() - width) // 2, window.height() - height - Space.WIDE, width, height)
