"""Times as people say them: always true, in the right zone, across midnight and clock changes."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QLocale

from app.words.times import say_city, say_clock, say_day, say_range, say_since, say_span, say_time, say_until, say_zoned

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
    ("seconds", "said"),
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
def test_what_comes_is_said_in_one_or_two_units(seconds: float, said: str) -> None:
    assert say_until(NOW + timedelta(seconds=seconds), NOW) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
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
def test_what_was_is_said_shortly(seconds: int, said: str) -> None:
    assert say_since(NOW - timedelta(seconds=seconds), NOW) == said


@pytest.mark.parametrize(
    ("length", "said"),
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
def test_a_length_is_said_in_what_matters(length: timedelta, said: str) -> None:
    assert say_span(length) == said


@given(SECONDS, SECONDS)
def test_a_later_time_is_never_said_to_be_nearer(one: int, other: int) -> None:
    """What is said, read back as seconds, grows with the distance."""
    sooner, later = sorted((one, other))
    assert read_back(say_until(NOW + timedelta(seconds=sooner), NOW)) <= read_back(
        say_until(NOW + timedelta(seconds=later), NOW)
    )


def read_back(said: str) -> int:
    words = said.replace("now", "0 s").removeprefix("in ").split()
    return sum(
        int(number) * {"s": 1, "min": 60, "h": 3600, "d": 86400}[unit]
        for number, unit in zip(words[::2], words[1::2], strict=True)
    )


@pytest.mark.parametrize(
    ("day", "said"),
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
def test_days_around_have_names_and_others_dates(day: date, said: str) -> None:
    assert say_day(day, date(2026, 11, 16)) == said


def test_today_is_today_in_the_zone_not_in_utc() -> None:
    late = datetime(2026, 11, 16, 23, 30, tzinfo=UTC)
    assert say_time(late, BERLIN, NOW) == "tomorrow 00:30"
    assert say_time(late, ZoneInfo("UTC"), NOW) == "today 23:30"


def test_seconds_are_said_only_where_there_are_any() -> None:
    assert say_clock(NOW, BERLIN) == "13:00"
    assert say_clock(NOW + timedelta(seconds=7), BERLIN) == "13:00:07"


def test_the_hour_that_clocks_show_twice_says_which_one() -> None:
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert say_clock(first, BERLIN) == "02:30 CEST"
    assert say_clock(first + timedelta(hours=1), BERLIN) == "02:30 CET"
    assert say_clock(first + timedelta(hours=2), BERLIN) == "03:30"


def test_a_range_says_its_day_once() -> None:
    start = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)
    assert say_range(start, start + timedelta(minutes=12), BERLIN, NOW) == "today 09:00 to 09:12"
    assert say_range(start, start + timedelta(seconds=20), BERLIN, NOW) == "today 09:00"
    assert say_range(start, None, BERLIN, NOW) == "since today 09:00"
    assert say_range(start - timedelta(hours=10), start, BERLIN, NOW) == "yesterday 23:00 to today 09:00"


def test_another_zone_is_named_with_the_time_here() -> None:
    """U6"""
    at = datetime(2026, 11, 17, 14, 0, tzinfo=UTC)
    assert say_zoned(at, NEW_YORK, BERLIN, NOW) == "tomorrow 09:00 in New York (15:00 here)"


def test_a_day_here_that_is_another_one_is_said() -> None:
    at = datetime(2026, 11, 16, 16, 0, tzinfo=UTC)
    assert say_zoned(at, TOKYO, BERLIN, NOW) == "tomorrow 01:00 in Tokyo (today 17:00 here)"


def test_a_zone_whose_clocks_show_the_same_is_not_worth_a_word() -> None:
    at = datetime(2026, 11, 17, 8, 0, tzinfo=UTC)
    assert say_zoned(at, PARIS, BERLIN, NOW) == say_zoned(at, BERLIN, BERLIN, NOW) == "tomorrow 09:00"


def test_weeks_in_which_only_one_zone_has_changed_its_clocks_differ() -> None:
    """From 25 October to 1 November New York is five hours behind Berlin, not six."""
    now = datetime(2026, 10, 24, 12, 0, tzinfo=UTC)
    before = datetime(2026, 10, 24, 13, 0, tzinfo=UTC)
    after = datetime(2026, 10, 26, 13, 0, tzinfo=UTC)
    assert say_zoned(before, NEW_YORK, BERLIN, now) == "today 09:00 in New York (15:00 here)"
    assert say_zoned(after, NEW_YORK, BERLIN, now) == "Monday 09:00 in New York (14:00 here)"


def test_cities_are_written_as_people_do() -> None:
    assert say_city(ZoneInfo("America/Argentina/Buenos_Aires")) == "Buenos Aires"
    assert say_city(ZoneInfo("UTC")) == "UTC"


def test_names_of_days_follow_the_language() -> None:
    QLocale.setDefault(QLocale(QLocale.Language.German, QLocale.Country.Germany))
    assert say_day(date(2026, 11, 19), date(2026, 11, 16)) == "Donnerstag"
    assert say_span(timedelta(milliseconds=420)) == "0,4 s"
