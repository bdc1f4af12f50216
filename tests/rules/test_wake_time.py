"""How the wake time of a consumer is parsed."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.rules.wake_time import parse_wake

BERLIN = ZoneInfo("Europe/Berlin")
"""The computer's zone, for times without one."""
NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ("2026-11-16T11:00:00+00:00", timedelta(seconds=30)),
        ("2026-11-16T12:00:10Z", timedelta(seconds=30)),
        ("2026-11-16T13:00:00Z", timedelta(hours=1)),
        ("2026-11-16T14:00:00", timedelta(hours=1)),
        ("2026-11-16T14:00:00+01:00", timedelta(hours=1)),
        ("2026-11-19T12:00:00Z", timedelta(hours=24)),
    ],
)
def test_a_wake_time_is_clamped(requested: str, expected: timedelta) -> None:
    assert parse_wake(requested, NOW, BERLIN).at == NOW + expected


@pytest.mark.parametrize("requested", ["tomorrow", "", 17, [], "0001-01-01T00:00:00+14:00"])
def test_an_invalid_wake_time_is_ignored_with_a_warning(requested: object) -> None:
    wake = parse_wake(requested, NOW, BERLIN)
    assert wake.at is None
    assert wake.warning is not None and "wake_at" in wake.warning


def test_no_wake_time_clears_it_silently() -> None:
    assert (parse_wake(None, NOW, BERLIN).at, parse_wake(None, NOW, BERLIN).warning) == (None, None)


@given(requested=st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat) | st.text() | st.integers())
def test_a_wake_time_lies_between_half_a_minute_and_a_day_ahead(requested: object) -> None:
    at = parse_wake(requested, NOW, BERLIN).at
    assert at is None or NOW + timedelta(seconds=30) <= at <= NOW + timedelta(hours=24)
