"""Help: the keys that do something everywhere and on the page in sight, and the way to the guide."""

from collections.abc import Iterator

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.look.dressing import mark
from app.look.theme import Space, Type
from app.resources import find_resource
from app.widgets.details_view import make_text
from app.widgets.timeline import Timeline
from app.widgets.timeline_words import list_timeline_keys
from app.window.dialog import Dialog
from app.window.saying import make_button, make_heading
from scheduler import __version__


def list_keys(window: QWidget) -> Iterator[tuple[str, str]]:
    """What the window's own actions do, and by which keys."""
    for action in window.actions():
        if action.text() and not action.shortcut().isEmpty():
            yield action.text(), _say(action.shortcut())


def list_page_keys(page: QWidget) -> Iterator[tuple[str, str]]:
    """The same of the buttons, the cards and the timeline that can be seen."""
    for button in page.findChildren(QAbstractButton):
        if button.isVisible() and button.text() and not button.shortcut().isEmpty():
            keys = button.shortcut()
            if not keys.toString().startswith("Alt+"):  # those are underlined
                yield button.text().replace("&", ""), _say(keys)
    for shortcut in page.findChildren(QShortcut):
        owner = shortcut.parent()
        if shortcut.whatsThis() and isinstance(owner, QWidget) and owner.isVisible():
            yield shortcut.whatsThis(), _say(shortcut.key())
    if any(timeline.isVisible() for timeline in page.findChildren(Timeline)):
        yield from list_timeline_keys()


class HelpDialog(Dialog):
    def __init__(self, window: QWidget, page: QWidget | None, title: str) -> None:
        super().__init__(440, window)
        self.entitle(self.tr("Help"), self.tr("Keys"))
        sides = QHBoxLayout()
        sides.setSpacing(Space.WIDE)
        self._add(sides, self.tr("Everywhere"), list_keys(window))
        if page is not None:
            self._add(sides, title, list_page_keys(page))
        self.parts.addLayout(sides)
        more = self.tr(
            "Tab goes from one thing to the next, the space bar presses it, and Alt with an underlined letter."
        )
        self.parts.addWidget(make_text(more, "muted"))
        version = self.tr("This is Dayhand {version}.").format(version=__version__)
        self.parts.addWidget(make_text(version, "muted"))
        self.parts.addStretch(1)
        self.guide = make_button(self.tr("Open the guide for scripts"))
        self.guide.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(find_resource("guide.md")))))
        close = make_button(self.tr("Close"), importance="primary")
        close.clicked.connect(self.accept)
        self.conclude(self.guide, last=close)
        close.setFocus()

    def _add(self, sides: QHBoxLayout, title: str, keys: Iterator[tuple[str, str]]) -> None:
        found = list(dict.fromkeys(keys))
        if not found:
            return
        side = QVBoxLayout()
        side.setSpacing(Space.MEDIUM)
        side.addWidget(make_heading(title, Type.STRONG))
        grid = QGridLayout()
        grid.setHorizontalSpacing(Space.WIDE)
        grid.setColumnStretch(1, 1)
        for row, (words, key) in enumerate(found):
            pressed = QLabel(key)
            mark(pressed, "ink", "muted")
            grid.addWidget(pressed, row, 0, Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(QLabel(words), row, 1)
        side.addLayout(grid)
        side.addStretch(1)
        sides.addLayout(side, 1)


def _say(keys: QKeySequence) -> str:
    return keys.toString(QKeySequence.SequenceFormat.NativeText)
