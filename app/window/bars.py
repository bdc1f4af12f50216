"""The bars above every page: everything is paused, and the way back to where a link was followed."""

from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget
from shiboken6 import isValid

from app.overview import Overview, describe_pause
from app.theme.icons import draw_glyph
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, Tone, colours_of
from app.widgets.details_view import make_label
from app.window.feedback import make_button
from app.window.page import Page

BACK_KEYS = "Alt+Left"
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


class Link(NamedTuple):
    page: Page
    focus: QWidget | None
    """What had the focus when it was followed."""

    def restore_focus(self) -> None:
        if self.focus is not None and isValid(self.focus) and self.focus.isVisible() and self.focus.isEnabled():
            self.focus.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self.page.focus_first()


class BackBar(QWidget):
    """Remembers the links that were followed since a page was chosen; hidden if there are none."""

    back_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._links: list[Link] = []
        self.button = make_button("", importance="quiet")
        self.button.clicked.connect(self.back_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(Space.LARGE, Space.SMALL, Space.LARGE, 0)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def add(self, link: Link) -> None:
        self._links.append(link)
        self._show_target()

    def pop(self) -> Link | None:
        """The last one, which leads back."""
        link = self._links.pop() if self._links else None
        self._show_target()
        return link

    def clear(self) -> None:
        self._links.clear()
        self._show_target()

    def _show_target(self) -> None:
        title = self._links[-1].page.title if self._links else ""
        words = self.tr("Back to {page}").format(page=title)
        self.button.setText(f"← {words}")
        self.button.setAccessibleName(words)
        keys = QKeySequence(BACK_KEYS).toString(QKeySequence.SequenceFormat.NativeText)
        self.button.setToolTip(f"{words} ({keys})")
        self.setVisible(bool(self._links))
