"""The menu of the tray icon as plain values made from how everything stands; and those values as a real menu."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.overview import Overview, say_next, say_pause, say_summary
from app.requests import say_shortly
from app.widgets.plain import reveal
from app.words.states import TrayState
from scheduler.rules.states import WorkflowState
from scheduler.timing.instants import write_instant

translate = QCoreApplication.translate
_MOST = 8
_WIDEST = 60
_MORNING = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What an entry does: a page to open, or a command to give."""

    page: str = ""
    subject: str = ""
    verb: str = ""
    arguments: tuple[tuple[str, object], ...] = ()
    end: int | None = None
    """To which end of `list_ends` it lasts, by the clock when it is chosen: the menu may be hours old."""
    quits: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the menu; without choice and entries it only says something, without words it is a divider."""

    words: str = ""
    choice: Choice | None = None
    entries: tuple["Entry", ...] = ()


DIVIDER = Entry()


def list_entries(overview: Overview | None) -> tuple[Entry, ...]:
    """From top to bottom. None while nothing is known yet."""
    ends = (
        Entry(words=translate("tray", "Open Dayhand"), choice=Choice(page="today")),
        Entry(words=translate("tray", "Settings"), choice=Choice(page="settings")),
        DIVIDER,
        Entry(words=translate("tray", "Quit"), choice=Choice(quits=True)),
    )
    if overview is None:
        return (Entry(words=translate("tray", "Dayhand is starting")), DIVIDER, *ends)
    if overview.is_of_script:  # whatever else could be chosen would be refused
        return (Entry(words=_shorten(say_summary(overview))), DIVIDER, *ends)
    above = _list_needs(overview) or (Entry(words=_shorten(say_summary(overview))),)
    coming = say_next(overview)
    middle = (
        *((Entry(words=_shorten(coming)),) if coming else ()),
        *_list_runs(overview),
        *_list_pauses(overview, is_said=not overview.requests and overview.state is TrayState.PAUSED),
    )
    return (*above, DIVIDER, *middle, *((DIVIDER,) if middle else ()), *ends)


def fill(menu: QMenu, entries: tuple[Entry, ...], chosen: Callable[[Choice], None]) -> None:
    """Make the menu these entries. Lines of the same kind are only said anew: news come often, making takes long."""
    known = menu.actions()
    same = next((place for place, pair in enumerate(zip(known, entries, strict=False)) if not _fits(*pair)), None)
    kept = min(len(known), len(entries)) if same is None else same
    for action in known[kept:]:
        menu.removeAction(action)
        (action.menu() or action).deleteLater()
    for action, entry in zip(known[:kept], entries, strict=False):
        _change(action, entry, chosen)
    for entry in entries[kept:]:
        _add(menu, entry, chosen)


def _fits(action: QAction, entry: Entry) -> bool:
    """Whether the line can become that entry."""
    return action.isSeparator() is not bool(entry.words) and (action.menu() is not None) is bool(entry.entries)


def _change(action: QAction, entry: Entry, chosen: Callable[[Choice], None]) -> None:
    if action.data() == entry:
        return
    action.setData(entry)
    if action.text() != _plain(entry.words):
        action.setText(_plain(entry.words))
    submenu = action.menu()
    if isinstance(submenu, QMenu):
        fill(submenu, entry.entries, chosen)
    else:
        action.setEnabled(entry.choice is not None)


def _add(menu: QMenu, entry: Entry, chosen: Callable[[Choice], None]) -> None:
    if entry.entries:
        submenu = menu.addMenu("")
        _change(submenu.menuAction(), entry, chosen)
    elif not entry.words:
        menu.addSeparator().setData(entry)
    else:
        action = menu.addAction("")
        action.triggered.connect(lambda: chosen(action.data().choice))
        _change(action, entry, chosen)


def _list_needs(overview: Overview) -> tuple[Entry, ...]:
    shown = [
        Entry(
            words=_shorten(f"{overview.name_of(one.workflow)}: {say_shortly(one, overview)}"),
            choice=Choice(page="attention", subject=one.id),
        )
        for one in overview.requests[:_MOST]
    ]
    if (more := len(overview.requests) - _MOST) > 0:
        words = translate("tray", "{number} more…").format(number=more)
        shown.append(Entry(words=words, choice=Choice(page="attention")))
    return tuple(shown)


def _list_runs(overview: Overview) -> tuple[Entry, ...]:
    resting = (WorkflowState.PAUSED, WorkflowState.ARCHIVED)
    entries = tuple(
        Entry(words=_shorten(one.name), choice=Choice(verb="run", arguments=(("target", one.workflow),)))
        for one in overview.workflows
        if one.state not in resting
    )
    return (Entry(words=translate("tray", "Run now"), entries=entries),) if entries else ()


def _list_pauses(overview: Overview, *, is_said: bool) -> tuple[Entry, ...]:
    """`is_said` where the pause stands above already."""
    if overview.is_paused:
        resume = Choice(verb="resume", arguments=(("everything", True),))
        until = () if is_said else (Entry(words=say_pause(overview)),)
        return (*until, Entry(words=translate("tray", "Resume"), choice=resume))
    if not overview.workflows:
        return ()
    entries = tuple(
        Entry(words=words, choice=Choice(verb="pause", arguments=(("everything", True),), end=number))
        for number, (words, _) in enumerate(list_ends(overview.now, overview.zone))
    )
    return (Entry(words=translate("tray", "Pause for"), entries=entries),)


def list_ends(now: datetime, zone: tzinfo) -> tuple[tuple[str, dict[str, str]], ...]:
    """How long one may pause, in words and for the command."""
    ends = (
        (translate("tray", "30 minutes"), now + timedelta(minutes=30)),
        (translate("tray", "1 hour"), now + timedelta(hours=1)),
        (translate("tray", "Until tomorrow"), _tomorrow(now, zone)),
    )
    until = tuple((words, {"until": write_instant(end)}) for words, end in ends)
    return (*until, (translate("tray", "Until I resume"), {}))


def _tomorrow(now: datetime, zone: tzinfo) -> datetime:
    """Early in the morning, by the clock on the wall: before what most people plan for a day."""
    local = now.astimezone(zone).replace(tzinfo=None) + timedelta(days=1)
    return local.replace(hour=_MORNING, minute=0, second=0, microsecond=0, tzinfo=zone)


def _shorten(words: str) -> str:
    line = " ".join(reveal(words).split())
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1].rstrip()}…"


def _plain(words: str) -> str:
    """An ampersand is an ampersand, not a key to press."""
    return words.replace("&", "&&")
