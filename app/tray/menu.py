"""The tray menu: plain entries computed from the overview, and a QMenu updated to match them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.i18n.state_labels import TrayState
from app.overview import Overview, describe_next_run, describe_pause, describe_state
from app.requests.presentation import summarize_request
from app.widgets.visible_text import escape_invisible
from scheduler.rules.workflow_state import WorkflowState
from scheduler.timing.instants import format_instant

if TYPE_CHECKING:
    from scheduler.engine.queries.requests import RequestView

translate = QCoreApplication.translate
_MAX_REQUESTS = 8
_MAX_CHARS = 60
_MAX_NAME_CHARS, _MAX_REQUEST_CHARS = 30, 100
"""Of a request: its workflow's name, and all of it."""
_MORNING_HOUR = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuChoice:
    """What an entry does: open a page, run a command, or quit."""

    page: str = ""
    subject: str = ""
    verb: str = ""
    arguments: tuple[tuple[str, object], ...] = ()
    pause_end: int | None = None
    """Index into `list_pause_ends`, evaluated when chosen: the menu may be hours old."""
    quits: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuEntry:
    """A menu line; without choice and entries it is only text, without text a separator."""

    text: str = ""
    choice: MenuChoice | None = None
    entries: tuple["MenuEntry", ...] = ()


DIVIDER = MenuEntry()


def make_entries(overview: Overview | None) -> tuple[MenuEntry, ...]:
    """From top to bottom. `overview` is None while the app is starting."""
    ends = (
        MenuEntry(text=translate("tray", "Open Dayhand"), choice=MenuChoice(page="today")),
        MenuEntry(text=translate("tray", "Settings"), choice=MenuChoice(page="settings")),
        DIVIDER,
        MenuEntry(text=translate("tray", "Quit"), choice=MenuChoice(quits=True)),
    )
    if overview is None:
        return (MenuEntry(text=translate("tray", "Dayhand is starting")), DIVIDER, *ends)
    if overview.is_started_by_script:  # all other commands would be rejected
        return (MenuEntry(text=_shorten(describe_state(overview))), DIVIDER, *ends)
    above = _list_attention(overview) or (MenuEntry(text=_shorten(describe_state(overview))),)
    next_run = describe_next_run(overview)
    middle = (
        *((MenuEntry(text=_shorten(next_run)),) if next_run else ()),
        *_list_runs(overview),
        *_list_pauses(overview, is_shown_above=not overview.requests and overview.state is TrayState.PAUSED),
    )
    return (*above, DIVIDER, *middle, *((DIVIDER,) if middle else ()), *ends)


def escape_for_qt(words: str) -> str:
    """Escape ampersands, which Qt takes for mnemonics."""
    return words.replace("&", "&&")


def escape_for_panel(words: str) -> str:
    """Escape what is a mnemonic in a menu that Qt exports to a panel over D-Bus.

    There an underscore marks the mnemonic, and two are one. Qt writes an underscore for the first ampersand and leaves
    everything else as it is, so only the first one may be doubled.
    """
    return words.replace("_", "__").replace("&", "&&", 1)


def update_menu(
    menu: QMenu,
    entries: tuple[MenuEntry, ...],
    on_choice: Callable[[MenuChoice], None],
    escape: Callable[[str], str] = escape_for_qt,
) -> None:
    """Update the menu. Lines of the same kind are reused: updates are frequent and creating lines is slow."""
    known = menu.actions()
    pairs = enumerate(zip(known, entries, strict=False))
    kept = next((place for place, pair in pairs if not _can_reuse(*pair)), min(len(known), len(entries)))
    for action in known[kept:]:
        menu.removeAction(action)
        (action.menu() or action).deleteLater()
    for action, entry in zip(known[:kept], entries, strict=False):
        _update_action(action, entry, on_choice, escape)
    for entry in entries[kept:]:
        _add_action(menu, entry, on_choice, escape)


def _can_reuse(action: QAction, entry: MenuEntry) -> bool:
    """Whether the line can be reused for that entry."""
    return action.isSeparator() is not bool(entry.text) and (action.menu() is not None) is bool(entry.entries)


def _update_action(
    action: QAction, entry: MenuEntry, chosen: Callable[[MenuChoice], None], escape: Callable[[str], str]
) -> None:
    text, submenu = escape(entry.text), action.menu()
    if action.data() == entry and action.text() == text and submenu is None:
        return
    action.setData(entry)
    if action.text() != text:
        action.setText(text)
    if isinstance(submenu, QMenu):
        update_menu(submenu, entry.entries, chosen, escape)
    else:
        action.setEnabled(entry.choice is not None)


def _add_action(
    menu: QMenu, entry: MenuEntry, chosen: Callable[[MenuChoice], None], escape: Callable[[str], str]
) -> None:
    if entry.entries:
        submenu = menu.addMenu("")
        _update_action(submenu.menuAction(), entry, chosen, escape)
    elif not entry.text:
        menu.addSeparator().setData(entry)
    else:
        action = menu.addAction("")
        action.triggered.connect(lambda: chosen(action.data().choice))
        _update_action(action, entry, chosen, escape)


def _list_attention(overview: Overview) -> tuple[MenuEntry, ...]:
    shown = [
        MenuEntry(
            text=_describe_request(one, overview),
            choice=MenuChoice(page="attention", subject=one.id),
        )
        for one in overview.requests[:_MAX_REQUESTS]
    ]
    shown += [
        MenuEntry(
            text=_shorten(translate("tray", "{name} needs your attention").format(name=one.name)),
            choice=MenuChoice(page="workflows", subject=one.workflow),
        )
        for one in overview.unasked[: max(_MAX_REQUESTS - len(shown), 0)]
    ]
    if (more := overview.attention_count - len(shown)) > 0:
        words = translate("tray", "{number} more…").format(number=more)
        shown.append(MenuEntry(text=words, choice=MenuChoice(page="attention")))
    return tuple(shown)


def _describe_request(one: "RequestView", overview: Overview) -> str:
    """Whose it is, unless the summary begins with the same name. A long name must not cut what would be done."""
    name, summary = overview.name_of(one.workflow), summarize_request(one, overview)
    if summary.startswith(name):
        return _shorten(summary, _MAX_REQUEST_CHARS)
    return _shorten(f"{_shorten(name, _MAX_NAME_CHARS)}: {summary}", _MAX_REQUEST_CHARS)


def _list_runs(overview: Overview) -> tuple[MenuEntry, ...]:
    inactive = (WorkflowState.PAUSED, WorkflowState.ARCHIVED)
    entries = tuple(
        MenuEntry(text=_shorten(one.name), choice=MenuChoice(verb="run", arguments=(("target", one.workflow),)))
        for one in overview.workflows
        if one.state not in inactive
    )
    return (MenuEntry(text=translate("tray", "Run now"), entries=entries),) if entries else ()


def _list_pauses(overview: Overview, *, is_shown_above: bool) -> tuple[MenuEntry, ...]:
    """`is_shown_above`: the first line shows the pause already."""
    if overview.is_paused:
        resume = MenuChoice(verb="resume", arguments=(("everything", True),))
        until = () if is_shown_above else (MenuEntry(text=describe_pause(overview)),)
        return (*until, MenuEntry(text=translate("tray", "Resume"), choice=resume))
    if not overview.workflows:
        return ()
    entries = tuple(
        MenuEntry(text=words, choice=MenuChoice(verb="pause", arguments=(("everything", True),), pause_end=number))
        for number, (words, _) in enumerate(list_pause_ends(overview.now, overview.zone))
    )
    return (MenuEntry(text=translate("tray", "Pause everything for"), entries=entries),)


def list_pause_ends(now: datetime, zone: tzinfo) -> tuple[tuple[str, dict[str, str]], ...]:
    """How long to pause: label, and arguments of the command."""
    ends = (
        (translate("tray", "30 minutes"), now + timedelta(minutes=30)),
        (translate("tray", "1 hour"), now + timedelta(hours=1)),
        (translate("tray", "Until tomorrow"), _tomorrow(now, zone)),
    )
    until = tuple((words, {"until": format_instant(end)}) for words, end in ends)
    return (*until, (translate("tray", "Until I resume"), {}))


def _tomorrow(now: datetime, zone: tzinfo) -> datetime:
    """Early in the morning, local time: before most planned runs of the day."""
    local = now.astimezone(zone).replace(tzinfo=None) + timedelta(days=1)
    return local.replace(hour=_MORNING_HOUR, minute=0, second=0, microsecond=0, tzinfo=zone)


def _shorten(words: str, limit: int = _MAX_CHARS) -> str:
    line = " ".join(escape_invisible(words).split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"
