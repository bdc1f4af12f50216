"""The window's frame: a navigation at the side, the page, and a line that says how everything stands."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QSettings, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QHideEvent,
    QKeySequence,
    QPixmapCache,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMainWindow,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.asking import Asking, command
from app.life.installation import Installation
from app.look.dressing import mark
from app.look.icons import app_icon, glyph_icon
from app.look.theme import Space, Tone, blend, colours_of
from app.overview import Overview, say_next, say_summary
from app.widgets.fitting import fit
from app.widgets.stack import Stack
from app.widgets.toast import Toast
from app.window.page import Page, dropped_script
from app.window.pages import PAGES, make_page, say_title
from app.window.saying import say_refusal

_SIZE, _LEAST = QSize(1120, 740), QSize(480, 300)
_SIDE, _NARROW_SIDE = 190, 64
_NARROW = 820
"""Windows that are not as wide have signs without words at their side."""
_PICTURES = 10_240
"""Kilobytes of drawn pictures that Qt may keep; it wakes up every ten seconds to throw some of them away."""
_TOGETHER = 300
"""Milliseconds over which news are gathered before the page looks again."""
_NAVIGATION = """
QListWidget {{ background: transparent; border: none; outline: none; padding: {small}px; }}
QListWidget::item {{ padding: {small}px; border-radius: 6px; color: {text}; border: 2px solid transparent; }}
QListWidget::item:hover {{ background: {hover}; }}
QListWidget::item:selected {{ background: {soft}; color: {accent}; }}
QListWidget::item:selected:focus {{ border-color: {accent}; }}
"""


class Window(QMainWindow):
    """Pages are made when they are first opened. Closing is for the shell to decide."""

    closing = Signal()
    """The person closed it: it is still there."""
    quit_wanted = Signal()
    shown = Signal()
    preferred = Signal(object)
    """Preferences that were changed."""
    import_wanted = Signal(str)

    def __init__(self, installation: Installation) -> None:
        super().__init__()
        self._installation = installation
        self._asking = Asking(self)
        self._overview: Overview | None = None
        self.pages: dict[str, Page] = {}
        self.setWindowTitle("Dayhand")
        self.setWindowIcon(app_icon())
        self.setAcceptDrops(True)  # Qt takes it so
        self._make_parts()
        self._make_keys()
        self._settings = QSettings(str(installation.folder / "window.ini"), QSettings.Format.IniFormat)
        geometry = self._settings.value("geometry")
        if geometry is None or not self.restoreGeometry(geometry):
            fit(self, _SIZE)
        self.setMinimumSize(_LEAST)
        self._soon = QTimer(self, singleShot=True, interval=_TOGETHER)
        self._soon.timeout.connect(self.refresh)
        installation.announced.connect(self._stir)

    @property
    def page(self) -> Page | None:
        """The one in sight."""
        shown = self._stack.currentWidget()
        return shown if isinstance(shown, Page) else None

    @Slot(str, str)
    def open_page(self, name: str, subject: str = "") -> None:
        page = self.pages.get(name) or self._make_page(name)
        self._stack.setCurrentWidget(page)
        self.navigation.setCurrentRow(list(PAGES).index(name))
        if self._overview is not None:
            page.show_overview(self._overview)
        if subject:
            page.open_subject(subject)
        if self.isVisible():
            page.refresh()

    def take_file(self, path: Path) -> None:
        """A script is deployed after it has shown what it may do, and asked."""
        self.open_page("workflows")
        self.pages["workflows"].take_file(path)

    def come_up(self) -> None:
        """To the front, wherever it was."""
        if self.isMinimized():
            self.hide()  # a window that was never anything but minimised is not always mapped again by its state alone
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def show_overview(self, overview: Overview) -> None:
        has_moved = self._overview is not None and self._overview.zone != overview.zone
        self._overview = overview
        if has_moved:
            self._begin_anew()
        self.status.setText(" · ".join(part for part in (say_summary(overview), say_next(overview)) if part))
        self.resume.setVisible(overview.is_paused)
        self._name_items()
        if self.page is not None and self.isVisible():
            self.page.show_overview(overview)

    def say(self, sentence: str, tone: Tone = Tone.QUIET) -> None:
        if self.isVisible():
            self.toast.say(sentence, tone)

    @Slot()
    def refresh(self) -> None:
        if self.page is not None and self.isVisible() and not self.isMinimized():
            self.page.refresh()

    def let_go(self) -> None:
        """Before the app ends: remember the size, and the pages go while everything they know still lives."""
        self._keep_size()
        self._soon.stop()
        self.hide()
        self.deleteLater()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802  # Qt's name
        if dropped_script(event) is not None:
            _accept_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802  # Qt's name
        """On whatever page."""
        path = dropped_script(event)
        if path is not None:
            _accept_copy(event)
            self.take_file(path)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802  # Qt's name
        event.ignore()
        self._keep_size()
        self.closing.emit()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802  # Qt's name
        """Unseen, it needs no pictures, wakes nobody, and chores need not step back for it."""
        super().hideEvent(event)
        QPixmapCache.setCacheLimit(0)
        self._installation.house.workshop.step_back(on=False)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        QPixmapCache.setCacheLimit(_PICTURES)
        self._installation.house.workshop.step_back(on=True)
        super().showEvent(event)
        if self.focusWidget() is None:
            self.navigation.setFocus()  # the foot was made first, and would have it
        if self.page is None:
            self.open_page("today")
        self.refresh()
        self.shown.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        self._name_items()

    def focusNextPrevChild(self, forth: bool) -> bool:  # noqa: N802, FBT001  # Qt's name
        if self.page is not None:
            self.page.order()
        return super().focusNextPrevChild(forth)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "navigation"):
            self._dress()
        elif event.type() is QEvent.Type.WindowStateChange and not self.isMinimized():
            self.refresh()

    def _make_parts(self) -> None:
        # Tab goes in a circle, as widgets were made: the foot first, then the side and all pages, which come later.
        inner = QWidget()
        self.resume = QPushButton(self.tr("Resume"), inner)
        self.help = QPushButton(self.tr("Help"), inner)
        self.navigation = QListWidget()
        self.navigation.setAccessibleName(self.tr("Pages"))
        self.navigation.setIconSize(QSize(18, 18))
        self.navigation.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for name in PAGES:
            self.navigation.addItem(QListWidgetItem(say_title(name)))
        self.navigation.currentRowChanged.connect(self._follow_navigation)
        self._stack = Stack()
        self._room = QScrollArea()  # nothing is cut: where a page needs more than the screen has, it is moved
        self._room.setWidget(self._stack)
        self._room.setWidgetResizable(True)
        self._room.setFrameShape(QFrame.Shape.NoFrame)
        self._room.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.status = QLabel()
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        mark(self.status, "ink", "muted")
        self.resume.setAutoDefault(False)
        self.resume.clicked.connect(self._resume)
        self.resume.hide()
        line = QFrame()
        line.setFrameShape(QFrame.Shape.HLine)
        line.setForegroundRole(line.palette().ColorRole.Mid)
        foot = QHBoxLayout()
        foot.setContentsMargins(Space.LARGE, Space.TIGHT, Space.LARGE, Space.SMALL)
        foot.addWidget(self.status, 1)
        foot.addWidget(self.resume)
        self.help.setAutoDefault(False)
        mark(self.help, "importance", "quiet")
        self.help.clicked.connect(self._help)
        foot.addWidget(self.help)
        body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self.navigation)
        body.addWidget(self._room, 1)
        whole = QVBoxLayout(inner)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(body, 1)
        whole.addWidget(line)
        whole.addLayout(foot)
        self.setCentralWidget(inner)
        self.toast = Toast(self)
        self._dress()
        self._name_items()

    def _make_keys(self) -> None:
        for number, name in enumerate(PAGES, start=1):
            self._add_key(f"Ctrl+{number}", say_title(name), partial(self.open_page, name))
        self._add_key("F5", self.tr("Look again"), self.refresh)
        self._add_key(QKeySequence.StandardKey.Find, self.tr("Search"), self._search)
        self._add_key("F1", self.tr("Help"), self._help)
        self._add_key(QKeySequence.StandardKey.Close, self.tr("Close the window"), self.close)
        self._add_key(QKeySequence.StandardKey.Quit, self.tr("Quit"), self.quit_wanted.emit)

    def _add_key(self, keys: str | QKeySequence.StandardKey, words: str, act: Callable[[], object]) -> None:
        action = QAction(words, self)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda _checked=False: act())
        self.addAction(action)

    def _make_page(self, name: str) -> Page:
        page = make_page(name, self._installation)
        page.open_page.connect(self.open_page)
        page.said.connect(self.say)
        page.preferred.connect(self.preferred)
        page.import_wanted.connect(self.import_wanted)
        self.pages[name] = page
        self._stack.addWidget(page)
        return page

    @Slot()
    def _begin_anew(self) -> None:
        """Pages know the zone in which they were made; one with a dialog waits until that is closed."""
        asked = next((one for one in self.findChildren(QDialog) if one.isVisible()), None)
        if asked is not None:
            asked.finished.connect(self._begin_anew, Qt.ConnectionType.SingleShotConnection)
            return
        shown = next((name for name, page in self.pages.items() if page is self.page), None)
        for page in self.pages.values():
            self._stack.removeWidget(page)
            page.deleteLater()
        self.pages.clear()
        if shown is not None:
            self.open_page(shown)

    def _follow_navigation(self, row: int) -> None:
        name = list(PAGES)[row]
        if self.pages.get(name) is None or self._stack.currentWidget() is not self.pages[name]:
            self.open_page(name)

    def _name_items(self) -> None:
        """What needs the person is numbered where one goes to see it."""
        number = 0 if self._overview is None else len(self._overview.requests)
        is_narrow = self.width() < _NARROW
        self.navigation.setFixedWidth(_NARROW_SIDE if is_narrow else _SIDE)
        for row, name in enumerate(PAGES):
            item, count = self.navigation.item(row), str(number) if name == "attention" and number else ""
            title = f"{say_title(name)} ({count})" if count else say_title(name)
            item.setText(count if is_narrow else title)
            item.setToolTip(title if is_narrow else "")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, title)

    def _dress(self) -> None:
        colours = colours_of(self)
        sheet = _NAVIGATION.format(
            text=colours.text,
            accent=colours.accent,
            soft=colours.tones[Tone.BUSY].soft,
            hover=blend(colours.text, colours.window, 0.06).name(),
            small=int(Space.SMALL),
        )
        if self.navigation.styleSheet() != sheet:
            self.navigation.setStyleSheet(sheet)
            self.navigation.ensurePolished()  # a page that is chosen before the first show lays the items out
            for row, entry in enumerate(PAGES.values()):
                self.navigation.item(row).setIcon(glyph_icon(entry.glyph, colours.muted, 18))

    @Slot()
    def _stir(self) -> None:
        if self.isVisible() and not self._soon.isActive():
            self._soon.start()

    def _search(self) -> None:
        if self.page is not None:
            self.page.search()

    def _help(self) -> None:
        from app.window.help import HelpDialog  # noqa: PLC0415  few ask for it

        HelpDialog(self, self.page, "" if self.page is None else self.page.title).open()

    def _resume(self) -> None:
        installation = self._installation
        self._asking.ask(
            lambda: command(installation, "resume", everything=True),
            lambda _: self.say(self.tr("Everything goes on."), Tone.GOOD),
            lambda error: self.say(say_refusal(error), Tone.BAD),
        )

    def _keep_size(self) -> None:
        self._settings.setValue("geometry", self.saveGeometry())
        self._settings.sync()


def _accept_copy(event: QDropEvent) -> None:
    """Whatever was proposed: one who believes that a file was moved here deletes it there."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
