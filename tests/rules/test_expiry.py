"""A request expires only after a reminder with some notice, and never at a moment that comes late."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.rules.expiry import ExpiryDecision, ExpiryStep, OnExpiry, decide_expiry, find_reminder_time

ASKED = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
EXPIRES = ASKED + 2 * DAY


def decide(
    now: datetime,
    *,
    reminded: datetime | None = None,
    wake_at: datetime | None = None,
    expires: datetime = EXPIRES,
    on_expiry: OnExpiry = OnExpiry.REJECT,
) -> ExpiryDecision:
    return decide_expiry(
        created=ASKED, expires=expires, reminded=reminded, wake_at=wake_at, on_expiry=on_expiry, now=now
    )


def test_the_reminder_comes_after_three_quarters_of_the_time() -> None:
    assert find_reminder_time(ASKED, EXPIRES) == ASKED + 36 * HOUR
    assert decide(ASKED + 35 * HOUR) == ExpiryDecision(ExpiryStep.WAIT, ASKED + 36 * HOUR)
    assert decide(ASKED + 36 * HOUR) == ExpiryDecision(ExpiryStep.REMIND, EXPIRES)


def test_it_expires_at_its_time() -> None:
    reminded = ASKED + 36 * HOUR
    assert decide(EXPIRES - MINUTE, reminded=reminded, wake_at=EXPIRES).step is ExpiryStep.WAIT
    assert decide(EXPIRES, reminded=reminded, wake_at=EXPIRES).step is ExpiryStep.EXPIRE


def test_who_was_away_is_reminded_first_and_has_ten_minutes() -> None:
    back = EXPIRES + 5 * DAY
    assert decide(back) == ExpiryDecision(ExpiryStep.REMIND, back + 10 * MINUTE)
    assert decide(back + 10 * MINUTE, reminded=back, wake_at=back + 10 * MINUTE).step is ExpiryStep.EXPIRE


@pytest.mark.parametrize("late", [2 * MINUTE, 3 * DAY])
def test_a_late_moment_only_postpones(late: timedelta) -> None:
    """The computer slept, or its clock jumped ahead and may soon be set back."""
    now = EXPIRES + late
    decided = decide(now, reminded=ASKED + 36 * HOUR, wake_at=EXPIRES)
    assert decided == ExpiryDecision(ExpiryStep.WAIT, now + 10 * MINUTE)


def test_the_notice_of_a_short_time_is_a_quarter_of_it() -> None:
    expires = ASKED + 20 * MINUTE
    assert decide(ASKED + HOUR, expires=expires) == ExpiryDecision(ExpiryStep.REMIND, ASKED + HOUR + 5 * MINUTE)


def test_leave_only_reminds() -> None:
    assert decide(ASKED + 36 * HOUR, on_expiry=OnExpiry.LEAVE) == ExpiryDecision(ExpiryStep.REMIND, None)
    later = decide(EXPIRES + DAY, reminded=ASKED + 36 * HOUR, on_expiry=OnExpiry.LEAVE)
    assert later == ExpiryDecision(ExpiryStep.WAIT, None)


@given(
    span=st.integers(60, 366 * 86_400),
    steps=st.lists(st.integers(0, 400 * 86_400) | st.just(0), max_size=30),
)
def test_whatever_the_clock_does_a_reminder_comes_some_time_before_the_end(span: int, steps: list[int]) -> None:
    """Each step is how late the engine wakes; on time is 0."""
    expires, now = ASKED + timedelta(seconds=span), ASKED
    reminded: datetime | None = None
    wake_at: datetime | None = find_reminder_time(ASKED, expires)
    for late in [*steps, 0, 0, 0]:
        assert wake_at is not None
        now = max(now, wake_at + timedelta(seconds=late))
        decided = decide(now, reminded=reminded, wake_at=wake_at, expires=expires)
        if decided.step is ExpiryStep.EXPIRE:
            assert reminded is not None and now >= expires
            assert now - reminded >= min(10 * MINUTE, (expires - ASKED) / 4)
            return
        reminded = now if decided.step is ExpiryStep.REMIND else reminded
        wake_at = decided.wake_at
    pytest.fail("it never expired although the engine woke on time")
