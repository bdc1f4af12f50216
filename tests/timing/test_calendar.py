"""Calendars: times given by their parts."""

from datetime import timedelta
from typing import Any

import pytest

from tests.timing.schedule_builders import NOW, local_times, refused_with, times, utc

Parts = dict[str, Any]


def upcoming(calendar: Parts | list[Parts], number: int, after: str = "2026-01-01 12:00") -> list[str]:
    return [f"{at:%a %m-%d %H:%M:%S}" for at in times(calendar=calendar).upcoming(utc(after), number)]


def test_a_day_and_a_weekday_must_both_match() -> None:
    """Friday the 13th, where cron means every Friday and every 13th."""
    assert upcoming({"day": 13, "weekday": 5}, 3) == ["Fri 02-13 00:00:00", "Fri 03-13 00:00:00", "Fri 11-13 00:00:00"]


@pytest.mark.parametrize(
    ("calendar", "expected"),
    [
        ({"hour": 18}, ["Thu 01-01 18:00:00", "Fri 01-02 18:00:00"]),
        ({"minute": 30}, ["Thu 01-01 12:30:00", "Thu 01-01 13:30:00"]),
        ({"second": 15}, ["Thu 01-01 12:00:15", "Thu 01-01 12:01:15"]),
        ({"weekday": "mon"}, ["Mon 01-05 00:00:00", "Mon 01-12 00:00:00"]),
        ({"day": 7}, ["Wed 01-07 00:00:00", "Sat 02-07 00:00:00"]),
        ({"month": 3}, ["Sun 03-01 00:00:00", "Mon 03-02 00:00:00"]),
        ({"year": 2030}, ["Tue 01-01 00:00:00", "Wed 01-02 00:00:00"]),
        ({"hour": 9, "second": 30}, ["Fri 01-02 09:00:30", "Fri 01-02 09:01:30"]),
    ],
)
def test_parts_finer_than_the_finest_given_are_zero_and_the_others_match_anything(
    calendar: Parts, expected: list[str]
) -> None:
    assert upcoming(calendar, 2) == expected


@pytest.mark.parametrize(
    ("value", "days"),
    [
        (5, ["05"]),
        ("5", ["05"]),
        ([5, 7], ["05", "07"]),
        (["5", "7-9"], ["05", "07", "08", "09"]),
        ("5,7", ["05", "07"]),
        ("5 - 7 , 9", ["05", "06", "07", "09"]),
        ("5-9/2", ["05", "07", "09"]),
        ("*/10", ["01", "11", "21", "31"]),
        ({"start": 5, "end": 9, "step": 2}, ["05", "07", "09"]),
        ({"start": 5, "end": 6}, ["05", "06"]),
        ([{"start": 5, "end": 6}, "last"], ["05", "06", "31"]),
        ("last", ["31"]),
        ("LAST", ["31"]),
        ("L", ["31"]),
        ([15, "last"], ["15", "31"]),
    ],
)
def test_a_part_is_a_value_a_list_a_range_or_a_step(value: object, days: list[str]) -> None:
    result = times(calendar={"day": value}).between(utc("2025-12-31 12:00"), utc("2026-01-31 12:00"))
    assert [f"{at:%d}" for at in result] == days


@pytest.mark.parametrize(
    ("weekday", "expected"),
    [
        ("fri-sun", ["Fri 01-02", "Sat 01-03", "Sun 01-04", "Fri 01-09"]),
        ([6, 7], ["Sat 01-03", "Sun 01-04", "Sat 01-10", "Sun 01-11"]),
        ("last fri", ["Fri 01-30", "Fri 02-27", "Fri 03-27", "Fri 04-24"]),
        ("Fri#2", ["Fri 01-09", "Fri 02-13", "Fri 03-13", "Fri 04-10"]),
    ],
)
def test_weekdays_of_a_calendar(weekday: object, expected: list[str]) -> None:
    assert [text[:9] for text in upcoming({"weekday": weekday, "hour": 9}, 4)] == expected


def test_the_last_day_of_the_month_can_be_limited_to_weekdays() -> None:
    assert upcoming({"day": "last", "weekday": "mon-fri"}, 3) == [
        "Tue 03-31 00:00:00",
        "Thu 04-30 00:00:00",
        "Tue 06-30 00:00:00",
    ]


def test_several_calendars_are_a_union_without_duplicates() -> None:
    both = [{"hour": 18, "weekday": "mon-fri"}, {"hour": [10, 18], "weekday": "fri,sat"}]
    assert upcoming(both, 5) == [
        "Thu 01-01 18:00:00",
        "Fri 01-02 10:00:00",
        "Fri 01-02 18:00:00",
        "Sat 01-03 10:00:00",
        "Sat 01-03 18:00:00",
    ]


def test_a_calendar_is_a_fixed_time_even_where_a_cron_would_follow_the_clock() -> None:
    """In a gap it runs once right after it, in a fold only the first time."""
    half_past = times("Europe/Berlin", calendar={"minute": 30})
    gap = list(half_past.between(utc("2026-03-29 00:00"), utc("2026-03-29 02:00")))
    assert local_times(gap, "Europe/Berlin") == ["2026-03-29 01:30", "2026-03-29 03:00", "2026-03-29 03:30"]
    fold = list(half_past.between(utc("2026-10-25 00:00"), utc("2026-10-25 03:00")))
    assert fold == [utc("2026-10-25 00:30"), utc("2026-10-25 02:30")]


@pytest.mark.parametrize(
    ("calendar", "field"),
    [
        ({"minute": 60}, "minute"),
        ({"hour": 24}, "hour"),
        ({"hour": -1}, "hour"),
        ({"hour": True}, "hour"),
        ({"hour": 1.5}, "hour"),
        ({"hour": None}, "hour"),
        ({"hour": ""}, "hour"),
        ({"hour": " "}, "hour"),
        ({"hour": []}, "hour"),
        ({"hour": [9, None]}, "hour"),
        ({"hour": {}}, "hour"),
        ({"hour": {"start": 5}}, "hour"),
        ({"hour": {"start": 5, "end": 9, "every": 2}}, "hour"),
        ({"hour": {"start": 9, "end": 5}}, "hour"),
        ({"hour": {"start": 5, "end": 9, "step": 0}}, "hour"),
        ({"hour": "9-5"}, "hour"),
        ({"hour": "1 2"}, "hour"),
        ({"hour": "last"}, "hour"),
        ({"minute": "９"}, "minute"),  # noqa: RUF001
        ({"day": 0}, "day"),
        ({"day": "first"}, "day"),
        ({"day": "15W"}, "day"),
        ({"day": "la st"}, "day"),
        ({"weekday": "last"}, "weekday"),
        ({"weekday": "funday"}, "weekday"),
        ({"weekday": 8}, "weekday"),
        ({"month": "smarch"}, "month"),
        ({"year": 1969}, "year"),
        ({"day": 30, "month": 2}, "day"),
        ({"day": 29, "month": 2, "year": 2027}, "day"),
        ({"weeks": 2}, "weeks"),
        ({"hour": 9, "zone": "UTC"}, "zone"),
        ({}, "calendar"),
        ([], "calendar"),
        ([{}], "calendar"),
        ([{"hour": 9}, {}], "calendar"),
        (None, "calendar"),
        (9, "calendar"),
        ("hour", "calendar"),
        ([[{"hour": 9}]], "calendar"),
    ],
)
def test_a_bad_part_is_refused_by_its_name(calendar: object, field: str) -> None:
    assert refused_with(calendar=calendar).field == field


@pytest.mark.parametrize(
    "calendar",
    [
        {"second": "*"},
        {"second": "*/5"},
        {"hour": 9, "minute": 0, "second": [0, 9]},
        [{"hour": 9}, {"hour": 9, "minute": 0, "second": 9}],
        [{"hour": 0}, {"hour": 23, "minute": 59, "second": 51}],
    ],
)
def test_times_less_than_ten_seconds_apart_are_refused(calendar: object) -> None:
    """Also in a union and over midnight."""
    error = refused_with(calendar=calendar)
    assert error.field == "calendar" and "s apart" in error.sentence


def test_ten_seconds_apart_is_enough() -> None:
    result = times(calendar={"second": "*/10"}).upcoming(NOW, 3)
    assert result == [NOW + timedelta(seconds=n) for n in (10, 20, 30)]
