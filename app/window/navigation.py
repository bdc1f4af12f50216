"""The pages of the window and the list beside them. Each page is imported when it is first opened."""

from dataclasses import dataclass
from importlib import import_module

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from app.session import Session
from app.theme.icons import make_glyph_icon
from app.theme.tokens import Colours, Space, Tone, blend
from app.window.page import Page

_WIDTH, _NARROW_WIDTH = 190, 64
_ICON_SIZE = 18
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
        self.setIconSize(QSize(_ICON_SIZE, _ICON_SIZE))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for name in PAGES:
            self.addItem(QListWidgetItem(page_title(name)))
        self.currentRowChanged.connect(lambda row: self.page_chosen.emit(list(PAGES)[row]))

    def select(self, name: str) -> None:
        self.setCurrentRow(list(PAGES).index(name))

    def show_titles(self, *, attention: int, is_narrow: bool) -> None:
        """Narrow, only icons; Attention shows how many items need it either way."""
        self.setFixedWidth(_NARROW_WIDTH if is_narrow else _WIDTH)
        for row, name in enumerate(PAGES):
            item, count = self.item(row), str(attention) if name == "attention" and attention else ""
            title = f"{page_title(name)} ({count})" if count else page_title(name)
            item.setText(count if is_narrow else title)
            item.setToolTip(title if is_narrow else "")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, title)

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
                self.item(row).setIcon(make_glyph_icon(entry.glyph, colours.muted, _ICON_SIZE))
