"""The banner above every page while everything is paused."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from app.overview import Overview, describe_pause
from app.theme.icons import draw_glyph
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, Tone, colours_of
from app.widgets.details_view import make_label
from app.window.feedback import make_button

_GLYPH_SIZE = 16


class PauseBanner(QFrame):
    """Hidden unless everything is paused."""

    resume_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        set_style(self, "surface", "banner")
        self._glyph = QLabel()
        self.label = make_label("")
        self.resume_button = make_button(self.tr("Resume"))
        self.resume_button.clicked.connect(self.resume_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.TIGHT, Space.WIDE, Space.TIGHT)
        layout.setSpacing(Space.SMALL)
        layout.addWidget(self._glyph)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.resume_button)
        self.hide()

    def show_overview(self, overview: Overview) -> None:
        if overview.is_paused:
            ink = colours_of(self).tones[Tone.ATTENTION].text
            self._glyph.setPixmap(draw_glyph("paused", _GLYPH_SIZE, ink, self.devicePixelRatioF()))
            self.label.setText(describe_pause(overview))
        self.setVisible(overview.is_paused)
