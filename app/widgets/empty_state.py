"""An empty page says why it is empty and what to do next."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.look.dressing import mark
from app.look.icons import glyph
from app.look.theme import Space, Type, colours_of, make_font

_GLYPH = 48
_WIDEST = 420


class EmptyPage(QWidget):
    """A shape, a heading, a sentence and, where there is something to do, one button; another beside it is quieter."""

    acted = Signal()
    other_acted = Signal()

    def __init__(
        self,
        shape: str,
        title: str,
        sentence: str,
        *,
        action: str = "",
        other: str = "",
        shortcut: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._shape = shape
        self.setAccessibleName(title)
        self._picture = QLabel()
        heading, words = QLabel(title), QLabel(sentence)
        heading.setFont(make_font(Type.TITLE, heading.font()))
        heading.setWordWrap(True)
        words.setWordWrap(True)
        mark(words, "ink", "muted")
        # Only a row with stretches on both sides lets wrapped text be as tall as it needs.
        row = QHBoxLayout(self)
        layout = QVBoxLayout()
        row.addStretch(1)
        row.addLayout(layout)
        row.addStretch(1)
        layout.setSpacing(Space.MEDIUM)
        layout.addStretch(2)
        for label in (self._picture, heading, words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setFixedWidth(_WIDEST)
            layout.addWidget(label)
        self.button: QPushButton | None = None
        self.other: QPushButton | None = None
        if action:
            self.button = QPushButton(action)
            mark(self.button, "importance", "primary")
            if shortcut:
                keys = QKeySequence(shortcut)
                self.button.setShortcut(keys)
                self.button.setToolTip(f"{action} ({keys.toString(QKeySequence.SequenceFormat.NativeText)})")
            self.button.clicked.connect(self.acted)
            buttons = QHBoxLayout()
            buttons.addStretch(1)
            buttons.addWidget(self.button)
            if other:
                self.other = QPushButton(other)
                self.other.clicked.connect(self.other_acted)
                buttons.addWidget(self.other)
            buttons.addStretch(1)
            layout.addSpacing(Space.SMALL)
            layout.addLayout(buttons)
        layout.addStretch(3)
        self._draw()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        self._picture.setPixmap(glyph(self._shape, _GLYPH, colours_of(self).muted, self.devicePixelRatioF()))
