"""The screen follows the open problems, on a clock that the test moves and a backend that only records."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from pytestqt.qtbot import QtBot

from app.notices.herald import Herald
from app.notices.policy import Rules
from app.notices.problems import MORNING, OPEN, Problem, group_key
from app.notices.quiet import QuietHours
from tests.app.notices.recording import RecordingNotices

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
NIGHT = Rules(quiet=QuietHours(start=time(22), end=time(7)))
BUTTONS = (("approve", "Approve"),)
LIMIT = 60_000


class MovedClock:
    def __init__(self) -> None:
        self.wall = NOON

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return 0.0


def problem(key: str, group: str = "") -> Problem:
    return Problem(key=key, title=f"{key} failed", actions=BUTTONS, group=group or key, since=NOON)


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def screen(qtbot: QtBot) -> RecordingNotices:
    return RecordingNotices()


@pytest.fixture
def herald(screen: RecordingNotices, clock: MovedClock) -> Herald:
    return Herald(screen, clock, lambda: ZoneInfo("UTC"), Rules())


def test_problems_come_and_go_on_the_screen(herald: Herald, screen: RecordingNotices) -> None:
    herald.tell([problem("a"), problem("b")])
    assert list(screen.shown) == ["a", "b"]
    herald.tell([problem("b")])
    assert list(screen.shown) == ["b"]


def test_a_press_is_passed_on_for_what_is_still_open(herald: Herald, screen: RecordingNotices) -> None:
    said: list[tuple[str, str]] = []
    herald.pressed.connect(lambda key, action: said.append((key, action)))
    herald.tell([problem("a")])
    screen.pressed.emit("a", "approve")
    herald.tell([])
    screen.pressed.emit("a", "approve")
    assert said == [("a", "approve")]


def test_a_press_on_a_notice_for_many_asks_to_see_them_and_answers_for_none(
    herald: Herald, screen: RecordingNotices
) -> None:
    said: list[object] = []
    herald.pressed.connect(lambda key, _: said.append(key))
    herald.asked.connect(said.append)
    herald.tell([problem("a", "g"), problem("b", "g")])
    screen.pressed.emit(group_key("g"), OPEN)
    assert said == [{"a", "b"}]


def test_a_closed_notice_stays_closed_while_there_is_less_to_tell(
    herald: Herald, screen: RecordingNotices, clock: MovedClock
) -> None:
    herald.tell([problem("a", "g"), problem("b", "g")])
    screen.closed.emit(group_key("g"))
    clock.wall += timedelta(hours=1)
    herald.tell([problem("a", "g")])
    assert len(screen.sent) == 1


def test_what_was_held_back_comes_by_itself_when_its_time_has_come(
    qtbot: QtBot, herald: Herald, screen: RecordingNotices, clock: MovedClock
) -> None:
    herald.follow(NIGHT)
    clock.wall = datetime(2026, 11, 17, 6, 59, 59, 990_000, tzinfo=UTC)
    herald.tell([problem("a"), problem("b")])
    assert screen.shown == {}
    clock.wall += timedelta(seconds=1)
    qtbot.waitUntil(lambda: list(screen.shown) == [MORNING], timeout=LIMIT)
    assert not herald._timer.isActive(), "nothing waits any longer, and nothing wakes the machine"


def test_a_long_wait_is_looked_at_now_and_then(herald: Herald, clock: MovedClock) -> None:
    herald.follow(NIGHT)
    clock.wall = datetime(2026, 11, 16, 23, 0, tzinfo=UTC)
    herald.tell([problem("a")])
    assert 0 < herald._timer.interval() <= 600_001


def test_a_machine_that_woke_up_is_told_at_once(herald: Herald, screen: RecordingNotices, clock: MovedClock) -> None:
    herald.follow(NIGHT)
    clock.wall = datetime(2026, 11, 16, 23, 0, tzinfo=UTC)
    herald.tell([problem("a")])
    clock.wall += timedelta(hours=9)
    herald.look()
    assert list(screen.shown) == ["a"]


def test_quiet_hours_that_are_turned_off_hold_nothing_back(
    herald: Herald, screen: RecordingNotices, clock: MovedClock
) -> None:
    herald.follow(NIGHT)
    clock.wall = datetime(2026, 11, 16, 23, 0, tzinfo=UTC)
    herald.tell([problem("a")])
    herald.follow(Rules())
    assert list(screen.shown) == ["a"]
