"""The placeholder of an empty page: why it is empty and what to do next."""

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.theme.icons import draw_glyph
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, colours_of, make_font

_GLYPH_SIZE = 48
_TEXT_WIDTH = 420
_MIN_WIDTH = 240


class EmptyState(QWidget):
    """A glyph, a heading, a sentence and up to two buttons, of which the first is primary."""

    action_clicked = Signal()
    secondary_clicked = Signal()

    def __init__(
        self,
        glyph_name: str,
        title: str,
        sentence: str,
        *,
        action: str = "",
        secondary: str = "",
        shortcut: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._shape = glyph_name
        self.setAccessibleName(title)
        self._picture = QLabel()
        heading, words = QLabel(title), QLabel(sentence)
        heading.setFont(make_font(TextStyle.TITLE, heading.font()))
        heading.setWordWrap(True)
        words.setWordWrap(True)
        set_style(words, "ink", "muted")
        # Wrapped text gets its full height only in a row with stretches on both sides.
        self._row = row = QHBoxLayout(self)
        layout = QVBoxLayout()
        row.addStretch(1)
        row.addLayout(layout)
        row.addStretch(1)
        layout.setSpacing(Space.MEDIUM)
        layout.addStretch(2)
        self._labels = (self._picture, heading, words)
        for label in self._labels:
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setFixedWidth(_TEXT_WIDTH)
            layout.addWidget(label)
        self.button: QPushButton | None = None
        self.secondary_button: QPushButton | None = None
        if action:
            self.button = QPushButton(action)
            set_style(self.button, "importance", "primary")
            if shortcut:
                keys = QKeySequence(shortcut)
                self.button.setShortcut(keys)
                self.button.setToolTip(f"{action} ({keys.toString(QKeySequence.SequenceFormat.NativeText)})")
            self.button.clicked.connect(self.action_clicked)
            buttons = QHBoxLayout()
            buttons.addStretch(1)
            buttons.addWidget(self.button)
            if secondary:
                self.secondary_button = QPushButton(secondary)
                self.secondary_button.clicked.connect(self.secondary_clicked)
                buttons.addWidget(self.secondary_button)
            buttons.addStretch(1)
            layout.addSpacing(Space.SMALL)
            layout.addLayout(buttons)
        layout.addStretch(3)
        self._draw()

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        least = super().minimumSizeHint()
        return QSize(min(least.width(), _MIN_WIDTH), least.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        margins = self._row.contentsMargins()
        room = event.size().width() - margins.left() - margins.right()
        for label in self._labels:
            label.setFixedWidth(min(_TEXT_WIDTH, max(room, 0)))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        self._picture.setPixmap(draw_glyph(self._shape, _GLYPH_SIZE, colours_of(self).muted, self.devicePixelRatioF()))
