"""Notifications follow the open problems, with a manual clock and a recording backend."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from pytestqt.qtbot import QtBot

from app.notifications.content import OPEN, QUIET_HOURS_SUMMARY, OpenProblem, group_key
from app.notifications.notifier import Notifier
from app.notifications.policy import NotificationRules
from scheduler.rules.quiet_hours import QuietHours
from tests.app.notifications.recording_backend import RecordingBackend
from tests.clocks import ManualClock

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
NIGHT = NotificationRules(quiet=QuietHours(start=time(22), end=time(7)))
BUTTONS = (("approve", "Approve"),)
LIMIT = 60_000


def problem(key: str, group: str = "") -> OpenProblem:
    return OpenProblem(key=key, title=f"{key} failed", actions=BUTTONS, group=group or key, since=NOON)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def screen(qtbot: QtBot) -> RecordingBackend:
    return RecordingBackend()


@pytest.fixture
def notifier(screen: RecordingBackend, clock: ManualClock) -> Notifier:
    return Notifier(screen, clock, lambda: ZoneInfo("UTC"), NotificationRules())


def test_notifications_follow_the_open_problems(notifier: Notifier, screen: RecordingBackend) -> None:
    notifier.update([problem("a"), problem("b")])
    assert list(screen.shown) == ["a", "b"]
    notifier.update([problem("b")])
    assert list(screen.shown) == ["b"]


def test_a_press_is_forwarded_if_the_problem_is_still_open(notifier: Notifier, screen: RecordingBackend) -> None:
    emitted: list[tuple[str, str]] = []
    notifier.pressed.connect(lambda key, action: emitted.append((key, action)))
    notifier.update([problem("a")])
    screen.pressed.emit("a", "approve")
    notifier.update([])
    screen.pressed.emit("a", "approve")
    assert emitted == [("a", "approve")]


def test_a_press_on_a_summary_opens_its_problems_and_answers_none(notifier: Notifier, screen: RecordingBackend) -> None:
    emitted: list[object] = []
    notifier.pressed.connect(lambda key, _: emitted.append(key))
    notifier.show_requested.connect(emitted.append)
    notifier.update([problem("a", "g"), problem("b", "g")])
    screen.pressed.emit(group_key("g"), OPEN)
    assert emitted == [{"a", "b"}]


def test_a_closed_summary_stays_closed_when_problems_are_solved(
    notifier: Notifier, screen: RecordingBackend, clock: ManualClock
) -> None:
    notifier.update([problem("a", "g"), problem("b", "g")])
    screen.closed.emit(group_key("g"))
    clock.wall += timedelta(hours=1)
    notifier.update([problem("a", "g")])
    assert len(screen.sent) == 1


def test_a_delayed_notification_is_sent_when_its_time_comes(
    qtbot: QtBot, notifier: Notifier, screen: RecordingBackend, clock: ManualClock
) -> None:
    notifier.set_rules(NIGHT)
    clock.wall = datetime(2026, 11, 17, 6, 59, 59, 990_000, tzinfo=UTC)
    notifier.update([problem("a"), problem("b")])
    assert screen.shown == {}
    clock.wall += timedelta(seconds=1)
    qtbot.waitUntil(lambda: list(screen.shown) == [QUIET_HOURS_SUMMARY], timeout=LIMIT)
    assert not notifier._timer.isActive(), "no timer runs when nothing is pending"


def test_a_long_wait_is_checked_now_and_then(notifier: Notifier, clock: ManualClock) -> None:
    notifier.set_rules(NIGHT)
    clock.wall = datetime(2026, 11, 16, 23, 0, tzinfo=UTC)
    notifier.update([problem("a")])
    assert 0 < notifier._timer.interval() <= 600_001


def test_after_a_resume_due_notifications_are_sent_immediately(
    notifier: Notifier, screen: RecordingBackend, clock: ManualClock
) -> None:
    notifier.set_rules(NIGHT)
    clock.wall = datetime(2026, 11, 16, 23, 0, tzinfo=UTC)
    notifier.update([problem("a")])
    clock.wall += timedelta(hours=9)
    notifier.refresh()
    assert list(screen.shown) == ["a"]


def test_turning_quiet_hours_off_sends_what_was_held_back(
    notifier: Notifier, screen: RecordingBackend, clock: ManualClock
) -> None:
    notifier.set_rules(NIGHT)
    clock.wall = datetime(2026, 11, 16, 23, 0, tzinfo=UTC)
    notifier.update([problem("a")])
    notifier.set_rules(NotificationRules())
    assert list(screen.shown) == ["a"]
