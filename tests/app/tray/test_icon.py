"""The tray: its menu, its tooltip, and an icon that waits for a tray."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon
from pytestqt.qtbot import QtBot

from app.i18n.state_labels import TrayState
from app.overview import OPEN_ENDED_PAUSE, Overview, describe_next_run, describe_state
from app.platform.dbus import Bus
from app.platform.detect import has_dark_panel
from app.tray.icon import TrayIcon, make_tooltip
from app.tray.menu import (
    DIVIDER,
    MenuChoice,
    MenuEntry,
    escape_for_panel,
    escape_for_qt,
    list_pause_ends,
    make_entries,
    update_menu,
)
from scheduler.engine.queries.requests import RequestView
from scheduler.engine.queries.workflows import WorkflowView
from scheduler.rules.requests import RequestKind
from scheduler.rules.workflow_state import WorkflowState

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
QUIET = Overview(now=NOW, zone=ZoneInfo("Europe/Berlin"))


def make_workflow(name: str, state: WorkflowState = WorkflowState.IDLE, hours: float | None = None) -> WorkflowView:
    next_run = None if hours is None else NOW + timedelta(hours=hours)
    return WorkflowView(
        name=name, workflow=name.lower(), state=state, words="", next=next_run, attention=0, tags=(), version=1
    )


def make_request(id_: str, sentence: str = "Add 3 rows", name: str = "receipts") -> RequestView:
    return RequestView(
        id=id_,
        kind=RequestKind.APPROVAL,
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


BUSY = replace(QUIET, workflows=(make_workflow("Receipts", hours=1), make_workflow("Backup", hours=2)))


def words(entries: tuple[MenuEntry, ...]) -> list[str]:
    return [entry.text for entry in entries if entry.text]


def find(entries: tuple[MenuEntry, ...], label: str) -> MenuEntry:
    return next(entry for entry in entries if entry.text == label)


def test_the_menu_shows_the_next_run_and_the_commands() -> None:
    entries = make_entries(BUSY)
    assert words(entries) == [
        "All is well",
        "Next: Receipts, today 14:00",
        "Run now",
        "Pause everything for",
        "Open Dayhand",
        "Settings",
        "Quit",
    ]
    assert words(find(entries, "Run now").entries) == ["Receipts", "Backup"]
    assert words(find(entries, "Pause everything for").entries) == [
        "30 minutes",
        "1 hour",
        "Until tomorrow",
        "Until I resume",
    ]


def test_each_request_is_an_entry_that_opens_it() -> None:
    entries = make_entries(replace(BUSY, requests=(make_request("q1"), make_request("q2", "x" * 100))))
    assert entries[0] == MenuEntry(text="Receipts: Add 3 rows", choice=MenuChoice(page="attention", subject="q1"))
    assert len(entries[1].text) == 100
    assert "All is well" not in words(entries)


def test_a_long_name_does_not_cut_what_would_be_done() -> None:
    long = replace(make_workflow("Receipts"), name="Receipts of the shop and of everybody who ever sent one by mail")
    one = make_request("q1", "Pay 1,240.00 to ann@example.org")
    [entry, *_] = make_entries(replace(BUSY, workflows=(long,), requests=(one,)))
    assert entry.text == "Receipts of the shop and of e…: Pay 1,240.00 to ann@example.org"


def test_only_the_first_requests_are_listed() -> None:
    entries = make_entries(replace(BUSY, requests=tuple(make_request(f"q{n}") for n in range(30))))
    assert find(entries, "22 more…").choice == MenuChoice(page="attention")
    assert len([entry for entry in entries if entry.text.startswith("Receipts: ")]) == 8


def test_pause_entries_have_the_right_end() -> None:
    assert {words: end.get("until") for words, end in list_pause_ends(NOW, BUSY.zone)} == {
        "30 minutes": "2026-11-16T12:30:00Z",
        "1 hour": "2026-11-16T13:00:00Z",
        "Until tomorrow": "2026-11-17T05:00:00Z",
        "Until I resume": None,
    }
    pauses = find(make_entries(BUSY), "Pause everything for").entries
    assert [entry.choice for entry in pauses] == [
        MenuChoice(verb="pause", arguments=(("everything", True),), pause_end=number) for number in range(4)
    ]


@pytest.mark.parametrize(
    ("until", "label"),
    [
        (NOW + timedelta(hours=1), "Everything is paused until 14:00"),
        (NOW + 2 * OPEN_ENDED_PAUSE, "Everything is paused until you resume"),
    ],
)
def test_while_everything_is_paused_the_menu_offers_to_resume(until: datetime, label: str) -> None:
    entries = make_entries(replace(BUSY, paused_until=until))
    assert words(entries).count(label) == 1
    assert find(entries, "Resume").choice == MenuChoice(verb="resume", arguments=(("everything", True),))
    assert "Pause everything for" not in words(entries)
    asking = make_entries(replace(BUSY, paused_until=until, requests=(make_request("q"),)))
    assert words(asking).count(label) == 1, "even with other entries above"


def test_an_expired_pause_does_not_count() -> None:
    assert not replace(BUSY, paused_until=NOW).is_paused


def test_without_workflows_there_is_nothing_to_run_or_pause() -> None:
    assert words(make_entries(QUIET)) == ["No workflows yet", "Open Dayhand", "Settings", "Quit"]
    assert words(make_entries(None)) == ["Dayhand is starting", "Open Dayhand", "Settings", "Quit"]
    assert make_entries(QUIET).count(DIVIDER) == 2, "no two dividers in a row"


def test_the_state_is_the_first_that_applies() -> None:
    """Attention before error, running, paused, offline and idle."""
    everything = replace(
        BUSY,
        workflows=(
            replace(make_workflow("A", WorkflowState.STOPPED), attention=1),
            make_workflow("B", WorkflowState.RUNNING),
        ),
        requests=(make_request("q1"),),
        paused_until=NOW + timedelta(hours=1),
        is_offline=True,
    )
    steps = [
        (everything, TrayState.ATTENTION),
        (everything := replace(everything, requests=()), TrayState.ERROR),
        (everything := replace(everything, workflows=everything.workflows[1:]), TrayState.RUNNING),
        (everything := replace(everything, workflows=(make_workflow("C"),)), TrayState.PAUSED),
        (everything := replace(everything, paused_until=None), TrayState.OFFLINE),
        (replace(everything, is_offline=False), TrayState.IDLE),
    ]
    for overview, state in steps:
        assert overview.state is state
        assert describe_state(overview)


def test_the_badge_the_tooltip_and_the_menu_count_the_same() -> None:
    """Requests, and workflows that need the user without one."""
    workflows = (
        make_workflow("Receipts", WorkflowState.NEEDS_ATTENTION),
        make_workflow("Backup", WorkflowState.NEEDS_ATTENTION),
        make_workflow("Other", hours=1),
    )
    overview = replace(QUIET, workflows=workflows, requests=(make_request("q1"), make_request("q2")))
    assert [one.name for one in overview.unasked] == ["Backup"]
    assert overview.attention_count == 3
    assert describe_state(overview) == "3 items need your attention"
    assert make_tooltip(overview).startswith("Dayhand: 3 items need your attention")
    entry = find(make_entries(overview), "Backup needs your attention")
    assert entry.choice == MenuChoice(page="workflows", subject="backup")
    many = replace(overview, requests=tuple(make_request(f"q{number}") for number in range(9)))
    assert "2 more…" in words(make_entries(many))


def test_the_tooltip_has_the_summary_and_the_next_run() -> None:
    assert make_tooltip(BUSY) == "Dayhand: All is well\nNext: Receipts, today 14:00"
    assert make_tooltip(QUIET) == "Dayhand: No workflows yet"


def test_updating_the_menu_reuses_its_actions(qtbot: QtBot) -> None:
    """Updates are frequent, and each changes the ends of pauses."""
    menu, chosen = QMenu(), list[MenuChoice]()
    qtbot.addWidget(menu)
    update_menu(menu, make_entries(BUSY), chosen.append)
    made = menu.actions()
    inner = [action.menu().actions() for action in made if action.menu() is not None]
    later = make_entries(replace(BUSY, now=BUSY.now + timedelta(minutes=10)))
    update_menu(menu, later, chosen.append)
    assert menu.actions() == made
    assert [action.menu().actions() for action in made if action.menu() is not None] == inner
    pause = next(action for action in menu.actions() if action.text() == "Pause everything for")
    pause.menu().actions()[0].trigger()
    assert chosen == [find(later, "Pause everything for").entries[0].choice]
    update_menu(menu, make_entries(replace(BUSY, workflows=(make_workflow("Other"),))), chosen.append)
    run = next(action for action in menu.actions() if action.text() == "Run now")
    assert [action.text() for action in run.menu().actions()] == ["Other"]


def test_menu_entries_trigger_their_choice_and_can_be_replaced(qtbot: QtBot) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    chosen: list[MenuChoice] = []
    update_menu(menu, make_entries(replace(BUSY, workflows=(make_workflow("Salt & Pepper"),))), chosen.append)
    run = next(action for action in menu.actions() if action.text() == "Run now")
    [inner] = run.menu().actions()
    assert inner.text() == "Salt && Pepper", "an ampersand is no mnemonic"
    inner.trigger()
    assert chosen == [MenuChoice(verb="run", arguments=(("target", "salt & pepper"),))]
    assert not menu.actions()[0].isEnabled(), "an entry that is only text is disabled"
    update_menu(menu, make_entries(QUIET), chosen.append)
    assert [action.text() for action in menu.actions() if action.text()] == words(make_entries(QUIET))


@pytest.mark.parametrize(
    ("name", "written"),
    [("a_b", "a__b"), ("a & b & c", "a && b & c"), ("_&_", "__&&__"), ("plain", "plain")],
)
def test_names_in_a_menu_for_a_panel_have_their_underscores_doubled(name: str, written: str) -> None:
    assert escape_for_panel(name) == written


def test_a_menu_is_escaped_anew_when_it_is_shown_elsewhere(qtbot: QtBot) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    entries = make_entries(replace(BUSY, workflows=(make_workflow("a_b"),)))
    for escape, written in ((escape_for_qt, "a_b"), (escape_for_panel, "a__b"), (escape_for_qt, "a_b")):
        update_menu(menu, entries, lambda _: None, escape)
        run = next(action for action in menu.actions() if action.text() == "Run now")
        assert [action.text() for action in run.menu().actions()] == [written]


@pytest.fixture
def trays(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Fakes whether there is a tray; the offscreen platform has none."""
    there = {"is": False}
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", staticmethod(lambda: there["is"]))
    return there


@pytest.fixture
def tray(qtbot: QtBot, trays: Any) -> Iterator[TrayIcon]:
    made = TrayIcon(Bus(None))
    yield made
    made.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_the_icon_is_created_when_a_tray_appears(qtbot: QtBot, tray: TrayIcon, trays: Any) -> None:
    assert tray.icon is None and not tray.is_available
    for _ in range(100):
        QApplication.processEvents()
    assert tray._tries_left > 0, "it retries with pauses"
    with qtbot.waitSignal(tray.icon_created, timeout=60_000):
        trays["is"] = True
    assert tray.is_available
    assert tray.icon is not None and tray.icon.contextMenu() is tray.menu


def test_the_icon_and_its_tooltip_follow_the_state(qtbot: QtBot, tray: TrayIcon, trays: Any) -> None:
    with qtbot.waitSignal(tray.icon_created, timeout=60_000):
        trays["is"] = True
    assert tray.icon is not None
    tray.show_overview(BUSY)
    idle = tray.icon.icon().cacheKey()
    assert tray.icon.toolTip() == make_tooltip(BUSY)
    tray.show_overview(replace(BUSY, requests=(make_request("q1"),)))
    assert tray.icon.icon().cacheKey() != idle
    assert tray.menu.actions()[0].text() == "Receipts: Add 3 rows"


def test_only_a_click_opens_the_window_not_the_menu(qtbot: QtBot, tray: TrayIcon, trays: Any) -> None:
    with qtbot.waitSignal(tray.icon_created, timeout=60_000):
        trays["is"] = True
    assert tray.icon is not None
    opened: list[str] = []
    tray.activated.connect(lambda: opened.append("open"))
    tray.icon.activated.emit(QSystemTrayIcon.ActivationReason.Context)
    tray.icon.activated.emit(QSystemTrayIcon.ActivationReason.MiddleClick)
    assert opened == []
    tray.icon.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
    assert opened == ["open"]


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
def test_the_icon_matches_the_panel(scheme: Qt.ColorScheme, desktop: str, *, is_dark: bool) -> None:
    assert has_dark_panel(scheme, {"XDG_CURRENT_DESKTOP": desktop}, "linux") is is_dark


def test_the_tooltip_says_the_pause_even_when_something_else_comes_first() -> None:
    asking = replace(BUSY, paused_until=NOW + timedelta(hours=1), requests=(make_request("q"),))
    assert "Everything is paused until 14:00" in make_tooltip(asking).splitlines()
    alone = replace(QUIET, paused_until=NOW + timedelta(hours=1))
    assert make_tooltip(alone).count("Everything is paused") == 1


def test_a_request_is_not_preceded_by_a_name_that_it_begins_with() -> None:
    sentences = ("receipts failed at 03:00.", "Add 3 rows")
    shown = make_entries(replace(QUIET, requests=tuple(make_request(text, text) for text in sentences)))
    assert words(shown)[:2] == ["receipts failed at 03:00.", "receipts: Add 3 rows"]


def test_the_next_run_names_the_job_of_a_workflow_with_several() -> None:
    coming = replace(make_workflow("Copies", hours=1), next_job="photos")
    assert describe_next_run(replace(QUIET, workflows=(coming,))).startswith("Next: Copies · Photos, ")
