"""The pages of the window and the list beside them. Each page is imported when it is first opened."""

from dataclasses import dataclass
from importlib import import_module

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from app.session import Session
from app.theme.icons import make_glyph_icon
from app.theme.tokens import Colours, Space, Tone, blend
from app.window.page import Page

_MIN_WIDTH, _MIN_ICON_SIZE = 190, 18
_MAX_COUNT = 9
"""Beside an icon alone; more are shown as `9+`."""
_LARGE_COUNT = 999
_AROUND_TEXT = 4 * Space.SMALL + Space.LARGE + Space.HAIR
"""Paddings and borders of an item, and the gap after its icon."""
_STYLESHEET = """
QListWidget {{ background: transparent; border: none; outline: none; padding: {small}px; }}
QListWidget::item {{ padding: {small}px; border-radius: 6px; color: {text}; border: 2px solid transparent; }}
QListWidget::item:hover {{ background: {hover}; }}
QListWidget::item:selected {{ background: {soft}; color: {accent}; }}
QListWidget::item:selected:focus {{ border-color: {accent}; }}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEntry:
    module: str
    kind: str
    """The class; its only argument is the session."""
    title: object
    glyph: str


PAGES = {
    "today": PageEntry(module="today", kind="TodayPage", title=QT_TRANSLATE_NOOP("pages", "Today"), glyph="today"),
    "workflows": PageEntry(
        module="workflows", kind="WorkflowsPage", title=QT_TRANSLATE_NOOP("pages", "Workflows"), glyph="workflow"
    ),
    "attention": PageEntry(
        module="attention", kind="AttentionPage", title=QT_TRANSLATE_NOOP("pages", "Attention"), glyph="attention"
    ),
    "history": PageEntry(
        module="history", kind="HistoryPage", title=QT_TRANSLATE_NOOP("pages", "History"), glyph="history"
    ),
    "connections": PageEntry(
        module="connections",
        kind="ConnectionsPage",
        title=QT_TRANSLATE_NOOP("pages", "Connections"),
        glyph="connection",
    ),
    "settings": PageEntry(
        module="settings", kind="SettingsPage", title=QT_TRANSLATE_NOOP("pages", "Settings"), glyph="fixing"
    ),
}


def page_title(name: str) -> str:
    return QCoreApplication.translate("pages", str(PAGES[name].title))


def create_page(name: str, session: Session) -> Page:
    entry = PAGES[name]
    page: Page = getattr(import_module(f"app.window.{entry.module}.page"), entry.kind)(session)
    return page


class Navigation(QListWidget):
    """One item for each page, in the order of PAGES."""

    page_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Pages"))
        self._icon_px = max(_MIN_ICON_SIZE, self.fontMetrics().height())
        self.setIconSize(QSize(self._icon_px, self._icon_px))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for name in PAGES:
            self.addItem(QListWidgetItem(page_title(name)))
        self.currentRowChanged.connect(lambda row: self.page_chosen.emit(list(PAGES)[row]))

    def select(self, name: str) -> None:
        self.setCurrentRow(list(PAGES).index(name))

    @property
    def full_width(self) -> int:
        """With titles and a large number of items."""
        return max(
            _MIN_WIDTH,
            self._fit(_add_count(page_title("attention"), _LARGE_COUNT)),
            *map(self._fit, map(page_title, PAGES)),
        )

    def show_titles(self, *, attention: int, is_narrow: bool) -> None:
        """Narrow, only icons; Attention shows how many items need it either way."""
        self.setFixedWidth(self._fit(f"{_MAX_COUNT}+") if is_narrow else self.full_width)
        for row, name in enumerate(PAGES):
            item, count = self.item(row), attention if name == "attention" else 0
            title = _add_count(page_title(name), count) if count else page_title(name)
            short = (str(count) if count <= _MAX_COUNT else f"{_MAX_COUNT}+") if count else ""
            item.setText(short if is_narrow else title)
            item.setToolTip(title if is_narrow else "")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, title)

    def _fit(self, text: str) -> int:
        return self._icon_px + _AROUND_TEXT + self.fontMetrics().horizontalAdvance(text)

    def apply_colours(self, colours: Colours) -> None:
        sheet = _STYLESHEET.format(
            text=colours.text,
            accent=colours.accent,
            soft=colours.tones[Tone.BUSY].soft,
            hover=blend(colours.text, colours.window, 0.06).name(),
            small=int(Space.SMALL),
        )
        if self.styleSheet() != sheet:
            self.setStyleSheet(sheet)
            self.ensurePolished()  # selecting a page before the first show lays the items out
            for row, entry in enumerate(PAGES.values()):
                self.item(row).setIcon(make_glyph_icon(entry.glyph, colours.muted, self._icon_px))


def _add_count(title: str, number: int) -> str:
    return f"{title} ({number})"
