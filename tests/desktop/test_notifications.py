"""Notices on a real desktop: xfce4-notifyd draws them on a virtual screen, and its real buttons are pressed."""

from collections.abc import Iterator
from datetime import UTC

import pytest
from pytestqt.qtbot import QtBot

from app.notices.desktop import DesktopNotices
from app.notices.herald import Herald
from app.notices.notice import Notice, Urgency
from app.notices.policy import Rules
from app.notices.problems import Problem
from app.platform.bus import Bus
from scheduler.engine.clock import SystemClock
from tests.app.notices.recording import RecordingNotices
from tests.desktop.desktop import NOTIFICATIONS, Desktop
from tests.desktop.notices import ASK, DAEMON, LIMIT, See


@pytest.fixture
def daemon(desk: Desktop) -> None:
    desk.start_notifications()


@pytest.fixture
def notices(qtbot: QtBot, desk: Desktop, otherwise: RecordingNotices) -> Iterator[DesktopNotices]:
    bus = Bus(desk.bus.address, pause=20)
    made = DesktopNotices(bus, otherwise)
    bus.open()
    yield made
    bus.close()


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize(("action", "label"), ASK.actions)
def test_a_real_button_brings_back_its_action_and_the_notice_goes(
    qtbot: QtBot,
    desk: Desktop,
    notices: DesktopNotices,
    heard: list[tuple[str, ...]],
    see: See,
    miss: See,
    *,
    action: str,
    label: str,
) -> None:
    notices.send(ASK)
    see(ASK.title)
    desk.press(DAEMON, label)
    qtbot.waitUntil(lambda: len(heard) == 2, timeout=LIMIT)
    assert heard == [("pressed", ASK.key, action), ("closed", ASK.key)]
    miss(ASK.title)


@pytest.mark.usefixtures("daemon")
def test_a_click_of_the_pointer_counts_like_a_press(
    qtbot: QtBot, desk: Desktop, notices: DesktopNotices, heard: list[tuple[str, ...]], see: See
) -> None:
    notices.send(ASK)
    see(ASK.title)
    desk.click(DAEMON, "Reject")
    qtbot.waitUntil(lambda: bool(heard), timeout=LIMIT)
    assert heard[0] == ("pressed", ASK.key, "reject")


@pytest.mark.usefixtures("daemon")
def test_a_hundred_problems_are_three_notices_on_the_screen_and_none_when_they_are_solved(
    desk: Desktop, notices: DesktopNotices, see: See, miss: See
) -> None:
    clock = SystemClock()
    herald = Herald(notices, clock, lambda: UTC, Rules())
    failed = [
        Problem(key=f"p{number}", title=f"Chore {number} failed", group=f"Account {number % 20}", since=clock.now())
        for number in range(100)
    ]
    herald.tell(failed)
    titles = ["Account 0: 5 things need you", "Account 1: 5 things need you", "90 things need you"]
    for title in titles:
        see(title)
    assert sum("need you" in text for text in set(desk.texts(DAEMON))) == 3
    herald.tell([])
    for title in titles:
        miss(title)


@pytest.mark.usefixtures("daemon")
def test_text_with_signs_of_markup_is_shown_as_it_was_written(notices: DesktopNotices, see: See) -> None:
    text = "a < b & <b>c</b> &amp; \u202e„Größe“"
    notices.send(Notice(key="k", title="1 < 2 & <i>3</i>", text=text))
    see("a < b & <b>c</b> &amp; ⟨202E⟩„Größe“")
    see("1 < 2 & <i>3</i>")


@pytest.mark.usefixtures("daemon")
def test_the_same_problem_again_changes_the_notice_that_is_there(notices: DesktopNotices, see: See, miss: See) -> None:
    notices.send(ASK)
    see(ASK.title)
    notices.send(Notice(key=ASK.key, title="Failed 2 times", urgency=Urgency.CRITICAL))
    see("Failed 2 times")
    miss(ASK.title)


@pytest.mark.usefixtures("daemon")
def test_a_solved_problem_leaves_the_screen_and_the_others_stay(
    desk: Desktop, notices: DesktopNotices, heard: list[tuple[str, ...]], see: See, miss: See
) -> None:
    other = Notice(key="other", title="Other", urgency=Urgency.CRITICAL)
    notices.send(ASK)
    notices.send(other)
    see(ASK.title)
    see("Other")
    notices.withdraw(ASK.key)
    miss(ASK.title)
    assert "Other" in desk.texts(DAEMON)
    assert heard == []


@pytest.mark.usefixtures("daemon")
def test_a_button_of_another_program_is_not_taken_for_ours(
    qtbot: QtBot, desk: Desktop, notices: DesktopNotices, heard: list[tuple[str, ...]], see: See, miss: See
) -> None:
    """The daemon tells everybody of every press."""
    notices.send(ASK)
    see(ASK.title)
    body = ("Mail", 0, "", "You have mail", "", ["approve", "Read it"], {"urgency": ("y", 2)}, 0)
    path = "/org/freedesktop/Notifications"
    desk.bus.ask(NOTIFICATIONS, path, NOTIFICATIONS, "Notify", "susssasa{sv}i", body)
    desk.press(DAEMON, "Read it")
    miss("You have mail")
    desk.press(DAEMON, "Reject")
    qtbot.waitUntil(lambda: bool(heard), timeout=LIMIT)
    assert heard[0] == ("pressed", ASK.key, "reject")


def test_a_daemon_that_starts_later_shows_what_still_waits(
    qtbot: QtBot, desk: Desktop, notices: DesktopNotices, otherwise: RecordingNotices, see: See
) -> None:
    notices.send(ASK)
    notices.send(Notice(key="solved", title="Solved meanwhile"))
    qtbot.waitUntil(lambda: len(otherwise.shown) == 2, timeout=LIMIT)
    notices.withdraw("solved")
    desk.start_notifications()
    see(ASK.title)
    assert otherwise.shown == {}
    assert "Solved meanwhile" not in desk.texts(DAEMON)


def test_a_daemon_that_was_killed_and_started_again_has_working_buttons(
    qtbot: QtBot, desk: Desktop, notices: DesktopNotices, heard: list[tuple[str, ...]], see: See
) -> None:
    desk.start_notifications()
    notices.send(ASK)
    see(ASK.title)
    desk.stop_notifications()
    desk.start_notifications()
    see(ASK.title)
    desk.press(DAEMON, "Approve")
    qtbot.waitUntil(lambda: bool(heard), timeout=LIMIT)
    assert heard[0] == ("pressed", ASK.key, "approve")


@pytest.mark.usefixtures("daemon")
def test_when_the_app_ends_nobody_can_press_a_button_that_nobody_hears(
    desk: Desktop, notices: DesktopNotices, see: See, miss: See
) -> None:
    notices.send(ASK)
    notices.send(Notice(key="told:1", title="Backed up", urgency=Urgency.CRITICAL))
    see(ASK.title)
    see("Backed up")
    notices.end()
    miss(ASK.title)
    assert "Backed up" in desk.texts(DAEMON)
