"""Notifications on a real desktop: xfce4-notifyd shows them on a virtual screen, with real buttons."""

from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.notifications.content import OpenProblem
from app.notifications.freedesktop import FreedesktopBackend
from app.notifications.notification import Notification, Urgency
from app.notifications.notifier import Notifier
from app.notifications.policy import NotificationRules
from app.notifications.shown_file import ShownFile
from app.platform.dbus import Bus
from scheduler.engine.clock import SystemClock
from tests.app.notifications.recording_backend import RecordingBackend
from tests.desktop.desktop import NOTIFICATIONS, Desktop
from tests.desktop.notification_screen import ASK, DAEMON, LIMIT, WaitForText


@pytest.fixture
def daemon(desk: Desktop) -> None:
    desk.start_notifications()


@pytest.fixture
def backend(qtbot: QtBot, desk: Desktop, fallback: RecordingBackend) -> Iterator[FreedesktopBackend]:
    bus = Bus(desk.bus.address, retry_ms=20)
    made = FreedesktopBackend(bus, fallback)
    bus.open()
    yield made
    bus.close()


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize(("action", "label"), ASK.actions)
def test_a_real_button_emits_its_action_and_closes_the_notification(
    qtbot: QtBot,
    desk: Desktop,
    backend: FreedesktopBackend,
    signals: list[tuple[str, ...]],
    wait_until_shown: WaitForText,
    wait_until_gone: WaitForText,
    *,
    action: str,
    label: str,
) -> None:
    backend.send(ASK)
    wait_until_shown(ASK.title)
    desk.press(DAEMON, label)
    qtbot.waitUntil(lambda: len(signals) == 2, timeout=LIMIT)
    assert signals == [("pressed", ASK.key, action), ("closed", ASK.key)]
    wait_until_gone(ASK.title)


@pytest.mark.usefixtures("daemon")
def test_the_buttons_of_a_killed_app_are_gone_after_its_next_start(
    qtbot: QtBot, desk: Desktop, tmp_path: Path, wait_until_shown: WaitForText, wait_until_gone: WaitForText
) -> None:
    path = tmp_path / "notifications.json"
    for notification in (ASK, Notification(key="news", title="Started again")):
        bus = Bus(desk.bus.address, retry_ms=20)
        backend = FreedesktopBackend(bus, None, ShownFile(path))
        bus.open()
        backend.send(notification)
        wait_until_shown(notification.title)
        qtbot.waitUntil(path.exists, timeout=LIMIT)
        if notification is not ASK:
            wait_until_gone(ASK.title)
        bus.close()  # without `end`, as when it is killed


@pytest.mark.usefixtures("daemon")
def test_a_mouse_click_counts_as_a_press(
    qtbot: QtBot,
    desk: Desktop,
    backend: FreedesktopBackend,
    signals: list[tuple[str, ...]],
    wait_until_shown: WaitForText,
) -> None:
    backend.send(ASK)
    wait_until_shown(ASK.title)
    desk.click(DAEMON, "Reject")
    qtbot.waitUntil(lambda: bool(signals), timeout=LIMIT)
    assert signals[0] == ("pressed", ASK.key, "reject")


@pytest.mark.usefixtures("daemon")
def test_a_hundred_problems_show_three_notifications_until_they_are_solved(
    desk: Desktop, backend: FreedesktopBackend, wait_until_shown: WaitForText, wait_until_gone: WaitForText
) -> None:
    clock = SystemClock()
    notifier = Notifier(backend, clock, lambda: UTC, NotificationRules())
    failed = [
        OpenProblem(key=f"p{number}", title=f"Chore {number} failed", group=f"Account {number % 20}", since=clock.now())
        for number in range(100)
    ]
    notifier.update(failed)
    titles = [
        "Account 0: 5 items need your attention",
        "Account 1: 5 items need your attention",
        "90 items need your attention",
    ]
    for title in titles:
        wait_until_shown(title)
    assert sum("need you" in text for text in set(desk.texts(DAEMON))) == 3
    notifier.update([])
    for title in titles:
        wait_until_gone(title)


@pytest.mark.usefixtures("daemon")
def test_text_with_markup_characters_is_shown_literally(
    backend: FreedesktopBackend, wait_until_shown: WaitForText
) -> None:
    text = "a < b & <b>c</b> &amp; \u202e„Größe“"
    backend.send(Notification(key="k", title="1 < 2 & <i>3</i>", text=text))
    wait_until_shown("a < b & <b>c</b> &amp; ⟨202E⟩„Größe“")
    wait_until_shown("1 < 2 & <i>3</i>")


@pytest.mark.usefixtures("daemon")
def test_a_repeated_problem_updates_its_notification(
    backend: FreedesktopBackend, wait_until_shown: WaitForText, wait_until_gone: WaitForText
) -> None:
    backend.send(ASK)
    wait_until_shown(ASK.title)
    backend.send(Notification(key=ASK.key, title="Failed 2 times", urgency=Urgency.CRITICAL))
    wait_until_shown("Failed 2 times")
    wait_until_gone(ASK.title)


@pytest.mark.usefixtures("daemon")
def test_only_the_notification_of_a_solved_problem_is_removed(
    desk: Desktop,
    backend: FreedesktopBackend,
    signals: list[tuple[str, ...]],
    wait_until_shown: WaitForText,
    wait_until_gone: WaitForText,
) -> None:
    other = Notification(key="other", title="Other", urgency=Urgency.CRITICAL)
    backend.send(ASK)
    backend.send(other)
    wait_until_shown(ASK.title)
    wait_until_shown("Other")
    backend.withdraw(ASK.key)
    wait_until_gone(ASK.title)
    assert "Other" in desk.texts(DAEMON)
    assert signals == []


@pytest.mark.usefixtures("daemon")
def test_a_button_of_another_program_is_ignored(
    qtbot: QtBot,
    desk: Desktop,
    backend: FreedesktopBackend,
    signals: list[tuple[str, ...]],
    wait_until_shown: WaitForText,
    wait_until_gone: WaitForText,
) -> None:
    """The daemon broadcasts every press."""
    backend.send(ASK)
    wait_until_shown(ASK.title)
    body = ("Mail", 0, "", "You have mail", "", ["approve", "Read it"], {"urgency": ("y", 2)}, 0)
    path = "/org/freedesktop/Notifications"
    desk.bus.call(NOTIFICATIONS, path, NOTIFICATIONS, "Notify", "susssasa{sv}i", body)
    desk.press(DAEMON, "Read it")
    wait_until_gone("You have mail")
    desk.press(DAEMON, "Reject")
    qtbot.waitUntil(lambda: bool(signals), timeout=LIMIT)
    assert signals[0] == ("pressed", ASK.key, "reject")


def test_a_daemon_started_later_shows_what_is_open(
    qtbot: QtBot, desk: Desktop, backend: FreedesktopBackend, fallback: RecordingBackend, wait_until_shown: WaitForText
) -> None:
    backend.send(ASK)
    backend.send(Notification(key="solved", title="Solved already"))
    qtbot.waitUntil(lambda: len(fallback.shown) == 2, timeout=LIMIT)
    backend.withdraw("solved")
    desk.start_notifications()
    wait_until_shown(ASK.title)
    assert fallback.shown == {}
    assert "Solved already" not in desk.texts(DAEMON)


def test_a_restarted_daemon_has_working_buttons(
    qtbot: QtBot,
    desk: Desktop,
    backend: FreedesktopBackend,
    signals: list[tuple[str, ...]],
    wait_until_shown: WaitForText,
) -> None:
    desk.start_notifications()
    backend.send(ASK)
    wait_until_shown(ASK.title)
    desk.stop_notifications()
    desk.start_notifications()
    wait_until_shown(ASK.title)
    desk.press(DAEMON, "Approve")
    qtbot.waitUntil(lambda: bool(signals), timeout=LIMIT)
    assert signals[0] == ("pressed", ASK.key, "approve")


@pytest.mark.usefixtures("daemon")
def test_notifications_with_buttons_are_removed_when_the_app_ends(
    desk: Desktop, backend: FreedesktopBackend, wait_until_shown: WaitForText, wait_until_gone: WaitForText
) -> None:
    backend.send(ASK)
    backend.send(Notification(key="told:1", title="Backed up", urgency=Urgency.CRITICAL))
    wait_until_shown(ASK.title)
    wait_until_shown("Backed up")
    backend.end()
    wait_until_gone(ASK.title)
    assert "Backed up" in desk.texts(DAEMON)
