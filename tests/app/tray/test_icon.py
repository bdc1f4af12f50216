"""The tray: what its menu and tooltip say of how everything stands, and an icon that waits for a tray to be in."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon
from pytestqt.qtbot import QtBot

from app.overview import FAR, Overview, say_summary
from app.platform.bus import Bus
from app.tray.icon import Tray, has_dark_panel, write_tooltip
from app.tray.menu import DIVIDER, Choice, Entry, fill, list_ends, list_entries
from app.words.states import TrayState
from scheduler.engine.workflows.views.requests import RequestView
from scheduler.engine.workflows.views.workflows import WorkflowView
from scheduler.rules.states import WorkflowState

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
QUIET = Overview(now=NOW, zone=ZoneInfo("Europe/Berlin"))


def workflow(name: str, state: WorkflowState = WorkflowState.IDLE, hours: float | None = None) -> WorkflowView:
    coming = None if hours is None else NOW + timedelta(hours=hours)
    return WorkflowView(
        name=name, workflow=name.lower(), state=state, words="", next=coming, attention=0, tags=(), version=1
    )


def question(id_: str, sentence: str = "Add 3 rows", name: str = "receipts") -> RequestView:
    return RequestView(
        id=id_,
        kind="approval",
        workflow=name,
        workflows=(name,),
        run="r1",
        subject="r1",
        sentence=sentence,
        call=None,
        ui=None,
        created=NOW,
        answer=None,
        answered=None,
        how=(),
    )


BUSY = replace(QUIET, workflows=(workflow("Receipts", hours=1), workflow("Backup", hours=2)))


def words(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.words for entry in entries if entry.words]


def find(entries: tuple[Entry, ...], label: str) -> Entry:
    return next(entry for entry in entries if entry.words == label)


def test_the_menu_of_a_quiet_day_says_what_comes_and_what_can_be_done() -> None:
    entries = list_entries(BUSY)
    assert words(entries) == [
        "All is well",
        "Next: Receipts, today 14:00",
        "Run now",
        "Pause for",
        "Open Dayhand",
        "Settings",
        "Quit",
    ]
    assert words(find(entries, "Run now").entries) == ["Receipts", "Backup"]
    assert words(find(entries, "Pause for").entries) == ["30 minutes", "1 hour", "Until tomorrow", "Until I resume"]


def test_each_thing_that_needs_the_person_is_an_entry_that_opens_it() -> None:
    entries = list_entries(replace(BUSY, requests=(question("q1"), question("q2", "x" * 100))))
    assert entries[0] == Entry(words="Receipts: Add 3 rows", choice=Choice(page="attention", subject="q1"))
    assert len(entries[1].words) == 60
    assert "All is well" not in words(entries)


def test_very_many_needs_are_not_all_listed() -> None:
    entries = list_entries(replace(BUSY, requests=tuple(question(f"q{n}") for n in range(30))))
    assert find(entries, "22 more…").choice == Choice(page="attention")
    assert len([entry for entry in entries if entry.words.startswith("Receipts: ")]) == 8


def test_pauses_end_when_they_say() -> None:
    assert {words: end.get("until") for words, end in list_ends(NOW, BUSY.zone)} == {
        "30 minutes": "2026-11-16T12:30:00Z",
        "1 hour": "2026-11-16T13:00:00Z",
        "Until tomorrow": "2026-11-17T05:00:00Z",
        "Until I resume": None,
    }
    pauses = find(list_entries(BUSY), "Pause for").entries
    assert [entry.choice for entry in pauses] == [
        Choice(verb="pause", arguments=(("everything", True),), end=number) for number in range(4)
    ]


@pytest.mark.parametrize(
    ("until", "said"),
    [(NOW + timedelta(hours=1), "Paused until today 14:00"), (NOW + 2 * FAR, "Paused until you resume")],
)
def test_while_everything_is_paused_the_menu_offers_to_resume(until: datetime, said: str) -> None:
    entries = list_entries(replace(BUSY, paused_until=until))
    assert words(entries).count(said) == 1
    assert find(entries, "Resume").choice == Choice(verb="resume", arguments=(("everything", True),))
    assert "Pause for" not in words(entries)
    asking = list_entries(replace(BUSY, paused_until=until, requests=(question("q"),)))
    assert words(asking).count(said) == 1, "also where something else stands above"


def test_a_pause_that_is_over_is_none() -> None:
    assert not replace(BUSY, paused_until=NOW).is_paused


def test_without_workflows_there_is_nothing_to_run_or_pause() -> None:
    assert words(list_entries(QUIET)) == ["No workflows yet", "Open Dayhand", "Settings", "Quit"]
    assert words(list_entries(None)) == ["Dayhand is starting", "Open Dayhand", "Settings", "Quit"]
    assert list_entries(QUIET).count(DIVIDER) == 2, "a panel shows each one, though they follow each other"


def test_the_state_is_the_first_that_holds() -> None:
    """Attention before error, running, paused, offline and idle."""
    everything = replace(
        BUSY,
        workflows=(workflow("A", WorkflowState.STOPPED), workflow("B", WorkflowState.RUNNING)),
        requests=(question("q1"),),
        paused_until=NOW + timedelta(hours=1),
        is_offline=True,
    )
    steps = [
        (everything, TrayState.ATTENTION),
        (everything := replace(everything, requests=()), TrayState.ERROR),
        (everything := replace(everything, workflows=everything.workflows[1:]), TrayState.RUNNING),
        (everything := replace(everything, workflows=(workflow("C"),)), TrayState.PAUSED),
        (everything := replace(everything, paused_until=None), TrayState.OFFLINE),
        (replace(everything, is_offline=False), TrayState.IDLE),
    ]
    for overview, state in steps:
        assert overview.state is state
        assert say_summary(overview)


def test_the_badge_counts_workflows_not_questions() -> None:
    """U4"""
    asked = (question("q1"), question("q2"), question("q3", name="backup"))
    assert replace(BUSY, requests=asked).needing == 2
    assert say_summary(replace(BUSY, requests=asked)) == "3 things need you"


def test_the_tooltip_says_the_summary_and_the_next_run() -> None:
    assert write_tooltip(BUSY) == "Dayhand: All is well\nNext: Receipts, today 14:00"
    assert write_tooltip(QUIET) == "Dayhand: No workflows yet"


def test_what_stays_the_same_in_a_menu_is_not_made_again(qtbot: QtBot) -> None:
    """News come often: the times that one may pause until change with every one of them."""
    menu, heard = QMenu(), list[Choice]()
    qtbot.addWidget(menu)
    fill(menu, list_entries(BUSY), heard.append)
    made = menu.actions()
    inner = [action.menu().actions() for action in made if action.menu() is not None]
    later = list_entries(replace(BUSY, now=BUSY.now + timedelta(minutes=10)))
    fill(menu, later, heard.append)
    assert menu.actions() == made
    assert [action.menu().actions() for action in made if action.menu() is not None] == inner
    pause = next(action for action in menu.actions() if action.text() == "Pause for")
    pause.menu().actions()[0].trigger()
    assert heard == [find(later, "Pause for").entries[0].choice]
    fill(menu, list_entries(replace(BUSY, workflows=(workflow("Other"),))), heard.append)
    run = next(action for action in menu.actions() if action.text() == "Run now")
    assert [action.text() for action in run.menu().actions()] == ["Other"]


def test_a_filled_menu_does_what_its_entries_say_and_is_filled_anew(qtbot: QtBot) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    heard: list[Choice] = []
    fill(menu, list_entries(replace(BUSY, workflows=(workflow("Salt & Pepper"),))), heard.append)
    run = next(action for action in menu.actions() if action.text() == "Run now")
    [inner] = run.menu().actions()
    assert inner.text() == "Salt && Pepper", "an ampersand is no key to press"
    inner.trigger()
    assert heard == [Choice(verb="run", arguments=(("target", "salt & pepper"),))]
    assert not menu.actions()[0].isEnabled(), "what only says something cannot be pressed"
    fill(menu, list_entries(QUIET), heard.append)
    assert [action.text() for action in menu.actions() if action.text()] == words(list_entries(QUIET))


@pytest.fixture
def trays(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Whether there is a tray: the platform of these tests has none, so it is pretended."""
    there = {"is": False}
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", staticmethod(lambda: there["is"]))
    return there


@pytest.fixture
def tray(qtbot: QtBot, trays: Any) -> Iterator[Tray]:
    made = Tray(Bus(None))
    yield made
    made.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_without_a_tray_there_is_no_icon_and_one_that_appears_later_is_used(
    qtbot: QtBot, tray: Tray, trays: Any
) -> None:
    """U1"""
    assert tray.icon is None and not tray.is_there
    for _ in range(100):
        QApplication.processEvents()
    assert tray._tries > 0, "it looks now and then, not all the time"
    with qtbot.waitSignal(tray.came, timeout=60_000):
        trays["is"] = True
    assert tray.is_there
    assert tray.icon is not None and tray.icon.contextMenu() is tray.menu


def test_the_icon_and_its_words_follow_the_state(qtbot: QtBot, tray: Tray, trays: Any) -> None:
    with qtbot.waitSignal(tray.came, timeout=60_000):
        trays["is"] = True
    assert tray.icon is not None
    tray.show_overview(BUSY)
    idle = tray.icon.icon().cacheKey()
    assert tray.icon.toolTip() == write_tooltip(BUSY)
    tray.show_overview(replace(BUSY, requests=(question("q1"),)))
    assert tray.icon.icon().cacheKey() != idle
    assert tray.menu.actions()[0].text() == "Receipts: Add 3 rows"


def test_only_a_click_opens_the_window_not_the_menu(qtbot: QtBot, tray: Tray, trays: Any) -> None:
    with qtbot.waitSignal(tray.came, timeout=60_000):
        trays["is"] = True
    assert tray.icon is not None
    heard: list[str] = []
    tray.activated.connect(lambda: heard.append("open"))
    tray.icon.activated.emit(QSystemTrayIcon.ActivationReason.Context)
    tray.icon.activated.emit(QSystemTrayIcon.ActivationReason.MiddleClick)
    assert heard == []
    tray.icon.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
    assert heard == ["open"]


@pytest.mark.parametrize(
    ("scheme", "desktop", "is_dark"),
    [
        (Qt.ColorScheme.Unknown, "XFCE", False),
        (Qt.ColorScheme.Light, "KDE", False),
        (Qt.ColorScheme.Dark, "KDE", True),
        (Qt.ColorScheme.Light, "ubuntu:GNOME", True),
        (Qt.ColorScheme.Unknown, "", False),
    ],
)
def test_the_icon_is_drawn_for_the_panel_not_for_the_window(
    scheme: Qt.ColorScheme, desktop: str, *, is_dark: bool
) -> None:
    assert has_dark_panel(scheme, {"XDG_CURRENT_DESKTOP": desktop}) is is_dark
