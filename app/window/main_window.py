"""The main window: navigation at the side, one page at a time, and a status line. Knows nothing of what pages show."""

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
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.background import BackgroundTasks, run_command
from app.overview import Overview
from app.session import Session
from app.theme.icons import load_app_icon
from app.theme.tokens import Tone, colours_of
from app.widgets.fit_to_screen import find_room, fit_to_screen
from app.widgets.page_stack import PageStack
from app.widgets.snackbar import Snackbar
from app.window.bars import BACK_KEYS, BackBar, Link, PauseBanner
from app.window.feedback import WindowFoot, describe_error
from app.window.navigation import PAGES, Navigation, create_page, page_title
from app.window.page import NEW_WORKFLOW, Page, accept_dropped_script
from app.window.presence import PresenceWatcher
from app.window.return_key import ReturnKeyWindow

_SIZE, _MIN_SIZE = QSize(1120, 740), QSize(480, 300)
_NARROW_PX, _NARROW_SHARE = 820, 4
"""Below this width, or this many times the width of its titles, the navigation shows icons only."""
_PIXMAP_CACHE_KB = 10_240
"""While it is not empty, Qt wakes up every ten seconds to evict from it."""
_REFRESH_DELAY_MS = 300
"""Changes within this time cause one refresh."""


class MainWindow(ReturnKeyWindow):
    """Pages are created when they are first opened."""

    close_requested = Signal()
    """The user closed it. It stays open; the owner decides."""
    quit_requested = Signal()
    shown = Signal()
    preferences_changed = Signal(object)
    """The changed Preferences."""
    import_requested = Signal(str)
    message_missed = Signal(str)
    """What went wrong while nobody sees the window, for its owner to tell."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._background = BackgroundTasks(self)
        self._overview: Overview | None = None
        self.pages: dict[str, Page] = {}
        self.setWindowTitle("Dayhand")
        self.setWindowIcon(load_app_icon())
        self.setAcceptDrops(True)  # Qt takes it so
        self._make_parts()
        self._make_shortcuts()
        self._settings = QSettings(str(session.folder / "window.ini"), QSettings.Format.IniFormat)
        if (geometry := self._settings.value("geometry")) is None or not self.restoreGeometry(geometry):
            fit_to_screen(self, _SIZE)
        self.setMinimumSize(_MIN_SIZE.boundedTo(find_room(self)))  # the screen may be smaller
        self._refresh_timer = QTimer(self, singleShot=True, interval=_REFRESH_DELAY_MS)
        self._refresh_timer.timeout.connect(self.refresh)
        session.announced.connect(self._refresh_soon)
        self.presence = PresenceWatcher(self, session)
        self.presence.returned.connect(self._refresh_soon)

    @property
    def page(self) -> Page | None:
        """The one that is shown."""
        return shown if isinstance(shown := self._stack.currentWidget(), Page) else None

    @Slot(str, str)
    def open_page(self, name: str, subject: str = "") -> None:
        self.back_bar.clear()
        self._show_page(name, subject)

    def _show_page(self, name: str, subject: str = "") -> None:
        page = self.pages.get(name) or self._make_page(name)
        if self.page is not page and self.page is not None and self.page.isAncestorOf(self.focusWidget() or self):
            self.navigation.setFocus()  # else Help gets it when the page is hidden
        self._stack.setCurrentWidget(page)
        self.navigation.select(name)
        if self._overview is not None:
            page.show_overview(self._overview)
        if subject:
            page.open_subject(subject)
        if self.isVisible():
            page.refresh()

    def offer_script(self, path: Path) -> None:
        """Offer to add a script; the user sees what it may do first."""
        self.open_page("workflows")
        self.pages["workflows"].offer_script(path)

    def bring_to_front(self) -> None:
        """Show the window in front, restored if it was minimised."""
        if self.isMinimized():
            self.hide()  # clearing the state alone does not always map a window that has only ever been minimised
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def show_overview(self, overview: Overview) -> None:
        zone_changed = self._overview is not None and self._overview.zone != overview.zone
        self._overview = overview
        if zone_changed:
            self._recreate_pages()
        self.foot.show_overview(overview)
        self.pause_banner.show_overview(overview)
        self._show_titles()
        if self.page is not None and self.isVisible():
            self.page.show_overview(overview)

    def show_message(self, sentence: str, tone: Tone = Tone.QUIET) -> None:
        if self.isVisible() and not self.isMinimized():
            self.snackbar.show_message(sentence, tone)
        elif tone in (Tone.ATTENTION, Tone.BAD):
            self.message_missed.emit(sentence)

    @Slot()
    def refresh(self) -> None:
        if self.page is not None and self.isVisible() and not self.isMinimized():
            self.page.refresh()

    def shut_down(self) -> None:
        """Before the app quits: save the size, and delete the pages while the session is still open."""
        self._save_size()
        self._refresh_timer.stop()
        self.hide()  # first: what is refused now can no longer be seen here
        for page in self.pages.values():
            page.send_delayed_answers(wait=True)
        self.deleteLater()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802  # Qt's name
        accept_dropped_script(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802  # Qt's name
        """Works on every page."""
        if (path := accept_dropped_script(event)) is not None:
            self.offer_script(path)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802  # Qt's name
        event.ignore()
        self._save_size()
        self.close_requested.emit()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802  # Qt's name
        """A hidden window needs no pixmap cache, and workers need not run at a lower priority for it."""
        super().hideEvent(event)
        QPixmapCache.setCacheLimit(0)
        self._session.lower_worker_priority(on=False)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        QPixmapCache.setCacheLimit(_PIXMAP_CACHE_KB)
        self._session.lower_worker_priority(on=True)
        super().showEvent(event)
        if self.focusWidget() is None:
            self.navigation.setFocus()  # else the status line, which was created first, gets it
        if self.page is None:
            self.open_page("today")
        self.refresh()
        self.shown.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        self._show_titles()

    def focusNextPrevChild(self, forth: bool) -> bool:  # noqa: N802, FBT001  # Qt's name
        """Qt also calls this when what had the focus is hidden or disabled; then the focus stays in the page."""
        page, before = self.page, self.focusWidget()
        if page is None:
            return super().focusNextPrevChild(forth)
        page.update_tab_order()
        is_lost = before is not None and not (before.isVisible() and before.isEnabled())
        has_moved = super().focusNextPrevChild(forth)
        after = self.focusWidget()
        if is_lost and page.isVisible() and (after is None or not page.isAncestorOf(after)):
            page.focus_first()
        return has_moved

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "navigation"):
            self.navigation.apply_colours(colours_of(self))
        elif event.type() is QEvent.Type.WindowStateChange and not self.isMinimized():
            self.refresh()

    def _make_parts(self) -> None:
        # Tab follows the order of creation: status line first, then navigation; pages are created later and come last.
        inner = QWidget()
        self.pause_banner = PauseBanner(inner)
        self.pause_banner.resume_requested.connect(self._resume)
        self.foot = WindowFoot(inner)
        self.foot.help_requested.connect(self._help)
        self.status, self.help_button = self.foot.status, self.foot.help_button
        self.navigation = Navigation()
        self.navigation.page_chosen.connect(self._open_chosen)
        self.navigation.itemClicked.connect(lambda item: self._open_start(list(PAGES)[self.navigation.row(item)]))
        self.back_bar = BackBar()
        self.back_bar.back_requested.connect(self._go_back)
        self._stack = PageStack()
        self._scroll_area = QScrollArea()  # a page that is larger than the screen scrolls
        self._scroll_area.setWidget(self._stack)
        self._scroll_area.setWidgetResizable(True)
        self._scroll_area.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self.navigation)
        beside = QVBoxLayout()
        beside.addWidget(self.pause_banner)
        beside.addWidget(self.back_bar)
        beside.addWidget(self._scroll_area, 1)
        body.addLayout(beside, 1)
        whole = QVBoxLayout(inner)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(body, 1)
        whole.addWidget(self.foot)
        self.setCentralWidget(inner)
        self.snackbar = Snackbar(self._scroll_area)  # above the status line
        self.navigation.apply_colours(colours_of(self))
        self._show_titles()

    def _make_shortcuts(self) -> None:
        for number, name in enumerate(PAGES, start=1):
            self._add_shortcut(f"Ctrl+{number}", page_title(name), partial(self._go_to, name))
        self._add_shortcut(BACK_KEYS, self.tr("Back"), self._go_back)
        self._add_shortcut("F5", self.tr("Refresh"), self.refresh)
        self._add_shortcut(QKeySequence.StandardKey.Find, self.tr("Search"), self._search)
        self._add_shortcut("F1", self.tr("Help"), self._help)
        self._add_shortcut(QKeySequence.StandardKey.Close, self.tr("Close window"), self.close)
        self._add_shortcut(QKeySequence.StandardKey.Quit, self.tr("Quit"), self.quit_requested.emit)

    def _add_shortcut(self, keys: str | QKeySequence.StandardKey, words: str, act: Callable[[], object]) -> None:
        action = QAction(words, self)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda _checked=False: act())
        self.addAction(action)

    def _make_page(self, name: str) -> Page:
        page = create_page(name, self._session)
        page.open_page.connect(self._follow_link)
        page.status_message.connect(self.show_message)
        page.preferences_changed.connect(self.preferences_changed)
        page.import_requested.connect(self.import_requested)
        self.pages[name] = page
        self._stack.addWidget(page)
        return page

    @Slot()
    def _recreate_pages(self) -> None:
        """Pages keep the time zone they were created with. An open dialog delays this until it is closed."""
        dialog = next((one for one in self.findChildren(QDialog) if one.isVisible()), None)
        if dialog is not None:
            dialog.finished.connect(self._recreate_pages, Qt.ConnectionType.SingleShotConnection)
            return
        shown = next((name for name, page in self.pages.items() if page is self.page), None)
        for page in self.pages.values():
            page.send_delayed_answers()
            self._stack.removeWidget(page)
            page.deleteLater()
        self.pages.clear()
        self.back_bar.clear()
        if shown is not None:
            self.open_page(shown)

    @Slot(str, str)
    def _follow_link(self, name: str, subject: str) -> None:
        if subject != NEW_WORKFLOW and self.page is not None and self.page is not self.pages.get(name):
            self.back_bar.add(Link(self.page, self.focusWidget()))
        self._show_page(name, subject)

    def _go_back(self) -> None:
        """To the page of the last link, as it was left; without one, within the page."""
        if (link := self.back_bar.pop()) is not None:
            link.page.keep_place()
            self._show_page(next(name for name, page in self.pages.items() if page is link.page))
            link.restore_focus()
        elif self.page:
            self.page.go_back()

    def _open_chosen(self, name: str) -> None:
        """Chosen in the navigation, with the keyboard or the mouse; not when the navigation only follows."""
        if self.pages.get(name) is None or self._stack.currentWidget() is not self.pages[name]:
            self._open_start(name)

    def _open_start(self, name: str) -> None:
        self.open_page(name)
        self.pages[name].show_start()

    def _go_to(self, name: str) -> None:
        """By its shortcut: the keyboard is used, so the focus moves into the page."""
        self._open_start(name)
        self.pages[name].focus_first()

    def _show_titles(self) -> None:
        number = 0 if self._overview is None else self._overview.attention_count
        is_narrow = self.width() < max(_NARROW_PX, _NARROW_SHARE * self.navigation.full_width)
        self.navigation.show_titles(attention=number, is_narrow=is_narrow)

    @Slot()
    def _refresh_soon(self) -> None:
        if self.isVisible() and not self._refresh_timer.isActive():
            self._refresh_timer.start()

    def _search(self) -> None:
        if self.page is not None:
            self.page.search()

    def _help(self) -> None:
        from app.window.help import HelpDialog  # noqa: PLC0415  rarely opened

        HelpDialog(self, self.page, "" if self.page is None else self.page.title).open()

    def _resume(self) -> None:
        session = self._session
        self._background.run(
            lambda: run_command(session, "resume", everything=True),
            lambda _: self.show_message(self.tr("Everything resumed."), Tone.GOOD),
            lambda error: self.show_message(describe_error(error), Tone.BAD),
        )

    def _save_size(self) -> None:
        self._settings.setValue("geometry", self.saveGeometry())
        self._settings.sync()
