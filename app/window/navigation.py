"""The pages of the window, in the order of its navigation. Each is loaded when it is first opened."""

from dataclasses import dataclass
from importlib import import_module

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.life.installation import Installation
from app.window.page import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Where a page is, and how the navigation calls it."""

    module: str
    kind: str
    """The class: takes the installation."""
    title: object
    glyph: str


PAGES = {
    "today": Entry(module="today", kind="TodayPage", title=QT_TRANSLATE_NOOP("pages", "Today"), glyph="today"),
    "workflows": Entry(
        module="workflows", kind="WorkflowsPage", title=QT_TRANSLATE_NOOP("pages", "Workflows"), glyph="workflow"
    ),
    "attention": Entry(
        module="attention", kind="AttentionPage", title=QT_TRANSLATE_NOOP("pages", "Attention"), glyph="attention"
    ),
    "history": Entry(
        module="history", kind="HistoryPage", title=QT_TRANSLATE_NOOP("pages", "History"), glyph="history"
    ),
    "connections": Entry(
        module="connections",
        kind="ConnectionsPage",
        title=QT_TRANSLATE_NOOP("pages", "Connections"),
        glyph="connection",
    ),
    "settings": Entry(
        module="settings", kind="SettingsPage", title=QT_TRANSLATE_NOOP("pages", "Settings"), glyph="fixing"
    ),
}


def say_title(name: str) -> str:
    return QCoreApplication.translate("pages", str(PAGES[name].title))


def make_page(name: str, installation: Installation) -> Page:
    entry = PAGES[name]
    page: Page = getattr(import_module(f"app.window.{entry.module}"), entry.kind)(installation)
    return page
