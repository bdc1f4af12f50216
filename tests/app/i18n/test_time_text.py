"""Times for people: correct in every zone, across midnight and clock changes."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QLocale

from app.i18n.time_text import (
    format_city,
    format_clock_time,
    format_day,
    format_day_and_time,
    format_duration,
    format_time_range,
    format_time_since,
    format_time_until,
    format_zoned_time,
)

BERLIN, NEW_YORK, TOKYO, PARIS = map(ZoneInfo, ("Europe/Berlin", "America/New_York", "Asia/Tokyo", "Europe/Paris"))
NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)  # a Monday, 13:00 in Berlin
SECONDS = st.integers(min_value=0, max_value=10**9)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedKingdom))
    yield
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (-5, "now"),
        (0, "now"),
        (0.4, "in 1 s"),
        (59, "in 59 s"),
        (60, "in 1 min"),
        (61, "in 2 min"),
        (180, "in 3 min"),
        (3600, "in 1 h"),
        (3600 + 60 * 20, "in 1 h 20 min"),
        (11 * 3600 + 60 * 20, "in 11 h"),
        (86400, "in 1 d"),
        (86400 + 7200, "in 1 d 2 h"),
        (40 * 86400 + 7200, "in 40 d"),
    ],
)
def test_time_until(seconds: float, expected: str) -> None:
    assert format_time_until(NOW + timedelta(seconds=seconds), NOW) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (-60, "just now"),
        (0, "just now"),
        (59, "just now"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600 + 300, "1 h 5 min ago"),
        (5 * 3600 + 300, "5 h ago"),
        (86400 + 7200, "1 d ago"),
    ],
)
def test_time_since(seconds: int, expected: str) -> None:
    assert format_time_since(NOW - timedelta(seconds=seconds), NOW) == expected


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (timedelta(seconds=-3), "under 0.1 s"),
        (timedelta(milliseconds=99), "under 0.1 s"),
        (timedelta(milliseconds=100), "0.1 s"),
        (timedelta(milliseconds=420), "0.4 s"),
        (timedelta(seconds=12), "12 s"),
        (timedelta(minutes=3, seconds=5), "3 min 5 s"),
        (timedelta(minutes=3), "3 min"),
        (timedelta(hours=1, minutes=20), "1 h 20 min"),
        (timedelta(days=2, hours=3), "2 d 3 h"),
    ],
)
def test_durations(length: timedelta, expected: str) -> None:
    assert format_duration(length) == expected


@given(SECONDS, SECONDS)
def test_a_later_time_is_never_shown_as_nearer(one: int, other: int) -> None:
    """The text, parsed back to seconds, grows with the distance."""
    sooner, later = sorted((one, other))
    assert parse_seconds(format_time_until(NOW + timedelta(seconds=sooner), NOW)) <= parse_seconds(
        format_time_until(NOW + timedelta(seconds=later), NOW)
    )


def parse_seconds(expected: str) -> int:
    words = expected.replace("now", "0 s").removeprefix("in ").split()
    return sum(
        int(number) * {"s": 1, "min": 60, "h": 3600, "d": 86400}[unit]
        for number, unit in zip(words[::2], words[1::2], strict=True)
    )


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (date(2026, 11, 16), "today"),
        (date(2026, 11, 17), "tomorrow"),
        (date(2026, 11, 15), "yesterday"),
        (date(2026, 11, 22), "Sunday"),
        (date(2026, 11, 23), "Mon 23 Nov"),
        (date(2026, 11, 10), "last Tuesday"),
        (date(2026, 11, 9), "Mon 9 Nov"),
        (date(2027, 1, 4), "4 Jan 2027"),
    ],
)
def test_near_days_have_names_and_others_dates(day: date, expected: str) -> None:
    assert format_day(day, date(2026, 11, 16)) == expected


def test_today_is_today_in_the_zone_not_in_utc() -> None:
    late = datetime(2026, 11, 16, 23, 30, tzinfo=UTC)
    assert format_day_and_time(late, BERLIN, NOW) == "tomorrow 00:30"
    assert format_day_and_time(late, ZoneInfo("UTC"), NOW) == "today 23:30"


def test_seconds_are_shown_unless_zero() -> None:
    assert format_clock_time(NOW, BERLIN) == "13:00"
    assert format_clock_time(NOW + timedelta(seconds=7), BERLIN) == "13:00:07"


def test_a_repeated_hour_includes_the_zone() -> None:
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert format_clock_time(first, BERLIN) == "02:30 CEST"
    assert format_clock_time(first + timedelta(hours=1), BERLIN) == "02:30 CET"
    assert format_clock_time(first + timedelta(hours=2), BERLIN) == "03:30"


def test_a_range_within_a_day_names_it_once() -> None:
    start = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)
    assert format_time_range(start, start + timedelta(minutes=12), BERLIN, NOW) == "today 09:00 to 09:12"
    assert format_time_range(start, start + timedelta(seconds=20), BERLIN, NOW) == "today 09:00"
    assert format_time_range(start, None, BERLIN, NOW) == "since today 09:00"
    assert format_time_range(start - timedelta(hours=10), start, BERLIN, NOW) == "yesterday 23:00 to today 09:00"


def test_another_zone_is_shown_with_the_local_time() -> None:
    at = datetime(2026, 11, 17, 14, 0, tzinfo=UTC)
    assert format_zoned_time(at, NEW_YORK, BERLIN, NOW) == "tomorrow 09:00 in New York (15:00 here)"


def test_a_different_local_day_is_shown() -> None:
    at = datetime(2026, 11, 16, 16, 0, tzinfo=UTC)
    assert format_zoned_time(at, TOKYO, BERLIN, NOW) == "tomorrow 01:00 in Tokyo (today 17:00 here)"


def test_a_zone_with_the_same_time_is_not_named() -> None:
    at = datetime(2026, 11, 17, 8, 0, tzinfo=UTC)
    assert format_zoned_time(at, PARIS, BERLIN, NOW) == format_zoned_time(at, BERLIN, BERLIN, NOW) == "tomorrow 09:00"


def test_a_clock_change_in_only_one_zone_is_respected() -> None:
    """From 25 October to 1 November New York is five hours behind Berlin, not six."""
    now = datetime(2026, 10, 24, 12, 0, tzinfo=UTC)
    before = datetime(2026, 10, 24, 13, 0, tzinfo=UTC)
    after = datetime(2026, 10, 26, 13, 0, tzinfo=UTC)
    assert format_zoned_time(before, NEW_YORK, BERLIN, now) == "today 09:00 in New York (15:00 here)"
    assert format_zoned_time(after, NEW_YORK, BERLIN, now) == "Monday 09:00 in New York (14:00 here)"


def test_cities() -> None:
    assert format_city(ZoneInfo("America/Argentina/Buenos_Aires")) == "Buenos Aires"
    assert format_city(ZoneInfo("UTC")) == "UTC"


def test_day_names_follow_the_language() -> None:
    QLocale.setDefault(QLocale(QLocale.Language.German, QLocale.Country.Germany))
    assert format_day(date(2026, 11, 19), date(2026, 11, 16)) == "Donnerstag"
    assert format_duration(timedelta(milliseconds=420)) == "0,4 s"


def test_times_of_day_are_written_as_in_the_country_of_the_user() -> None:
    at = datetime(2026, 11, 16, 13, 5, tzinfo=UTC)
    assert format_clock_time(at, BERLIN) == "14:05"
    QLocale.setDefault(QLocale("en_US"))
    assert format_clock_time(at, BERLIN) == "2:05\u202fPM"
    assert format_clock_time(at + timedelta(seconds=7), BERLIN) == "2:05:07\u202fPM"
    assert format_day_and_time(at, BERLIN, NOW) == "today 2:05\u202fPM"
