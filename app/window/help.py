"""The help dialog: shortcuts of the window and of the current page, and a link to the guide."""

from collections.abc import Iterator

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.resources import find_resource
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle
from app.widgets.details_view import make_label
from app.widgets.fit_to_screen import find_room
from app.widgets.timeline import Timeline
from app.widgets.timeline_labels import list_timeline_keys
from app.window.dialog import Dialog
from app.window.feedback import make_button, make_heading
from scheduler import __version__


def list_window_shortcuts(window: QWidget) -> Iterator[tuple[str, str]]:
    """Label and shortcut of each of the window's own actions."""
    for action in window.actions():
        if action.text() and not action.shortcut().isEmpty():
            yield action.text(), _format_keys(action.shortcut())


def list_page_shortcuts(page: QWidget) -> Iterator[tuple[str, str]]:
    """Label and shortcut of the visible buttons, cards and timeline."""
    for button in page.findChildren(QAbstractButton):
        if button.isVisible() and button.text() and not button.shortcut().isEmpty():
            keys = button.shortcut()
            if not keys.toString().startswith("Alt+"):  # those are underlined in the label
                yield button.text().replace("&", ""), _format_keys(keys)
    for shortcut in page.findChildren(QShortcut):
        owner = shortcut.parent()
        if shortcut.whatsThis() and isinstance(owner, QWidget) and owner.isVisible():
            yield shortcut.whatsThis(), _format_keys(shortcut.key())
    if any(timeline.isVisible() for timeline in page.findChildren(Timeline)):
        yield from list_timeline_keys()


class HelpDialog(Dialog):
    def __init__(self, window: QWidget, page: QWidget | None, title: str) -> None:
        super().__init__(440, window)
        self.set_titles(self.tr("Help"), self.tr("Keyboard shortcuts"))
        sides = QHBoxLayout()
        sides.setSpacing(Space.WIDE)
        self._add(sides, self.tr("Everywhere"), list_window_shortcuts(window))
        if page is not None:
            self._add(sides, title, list_page_shortcuts(page))
        self.parts.addLayout(sides)
        if sides.minimumSize().width() > find_room(self).width() - 3 * Space.WIDE:
            sides.setDirection(QHBoxLayout.Direction.TopToBottom)
            for label in self.findChildren(QLabel):
                label.setWordWrap(True)
        more = self.tr("Tab moves to the next control and Space activates it. Alt with an underlined letter works too.")
        self.parts.addWidget(make_label(more, "muted"))
        version = self.tr("Dayhand {version}").format(version=__version__)
        self.parts.addWidget(make_label(version, "muted"))
        self.parts.addStretch(1)
        self.guide = make_button(self.tr("Open the scripting guide"))
        self.guide.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(find_resource("guide.md")))))
        close = make_button(self.tr("Close"), importance="primary")
        close.clicked.connect(self.accept)
        self.add_buttons(self.guide, last=close)
        close.setFocus()

    def _add(self, sides: QHBoxLayout, title: str, keys: Iterator[tuple[str, str]]) -> None:
        rows = list(dict.fromkeys(keys))
        if not rows:
            return
        side = QVBoxLayout()
        side.setSpacing(Space.MEDIUM)
        side.addWidget(make_heading(title, TextStyle.STRONG))
        grid = QGridLayout()
        grid.setHorizontalSpacing(Space.WIDE)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 2)
        for row, (words, key) in enumerate(rows):
            keys_label = QLabel(key)
            set_style(keys_label, "ink", "muted")
            grid.addWidget(keys_label, row, 0)
            grid.addWidget(QLabel(words), row, 1)
        side.addLayout(grid)
        side.addStretch(1)
        sides.addLayout(side, 1)


def _format_keys(keys: QKeySequence) -> str:
    return keys.toString(QKeySequence.SequenceFormat.NativeText)
