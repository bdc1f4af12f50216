"""Instants as users write them."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from scheduler.timing.instants import format_instant, parse_instant
from scheduler.timing.zones import find_zone
from tests.timing.schedule_builders import refused_with, utc

BERLIN = find_zone("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-20T09:00+01:00", "2026-11-20 08:00"),
        ("2026-11-20T09:00Z", "2026-11-20 09:00"),
        ("2026-11-20T09:00", "2026-11-20 08:00"),
        ("2026-11-20 09:00:30", "2026-11-20 08:00:30"),
        (" 2026-07-20T09:00 ", "2026-07-20 07:00"),
        ("2026-11-20", "2026-11-19 23:00"),
        ("2026-11-20T09:00:00.999999Z", "2026-11-20 09:00:00"),
        ("2026-11-20T09:00:00.5", "2026-11-20 08:00:00"),
        ("2026-11-20T09:00:00+00:00:01.5", "2026-11-20 08:59:58"),
        ("2026-03-29T02:30", "2026-03-29 01:00"),
        ("2026-03-29T02:30:00.5", "2026-03-29 01:00"),
        ("2026-10-25T02:30", "2026-10-25 00:30"),
        ("2026-10-25T02:30+01:00", "2026-10-25 01:30"),
        ("1970-01-01", "1969-12-31 23:00"),
        ("2099-12-31T23:59:59", "2099-12-31 22:59:59"),
        (datetime(2026, 11, 20, 9), "2026-11-20 08:00"),  # noqa: DTZ001
        (datetime(2026, 11, 20, 9, tzinfo=timezone(timedelta(hours=-5))), "2026-11-20 14:00"),
    ],
)
def test_an_instant_without_an_offset_is_wall_time_in_the_zone(text: object, instant: str) -> None:
    """In a gap the first instant after it, in a fold the first of the two; fractions of a second are dropped."""
    assert parse_instant(text, "once", BERLIN) == utc(instant)


def test_a_date_alone_is_its_first_or_its_last_second() -> None:
    assert parse_instant("2026-11-20", "start_at", BERLIN) == utc("2026-11-19 23:00:00")
    assert parse_instant("2026-11-20", "end_at", BERLIN, end_of_day=True) == utc("2026-11-20 22:59:59")
    assert parse_instant("2099-12-31", "end_at", BERLIN, end_of_day=True) == utc("2099-12-31 22:59:59")


@pytest.mark.parametrize(
    ("zone", "day", "last"),
    [
        ("America/Nuuk", "2026-03-28", "2026-03-29 00:59:59"),  # 23:00 to 24:00 is a gap
        ("America/Nuuk", "2026-10-24", "2026-10-25 01:59:59"),  # 23:00 to 24:00 comes twice
        ("Asia/Beirut", "2026-03-28", "2026-03-28 21:59:59"),  # the next day begins at 01:00
        ("America/Havana", "2026-10-31", "2026-11-01 03:59:59"),  # the next day begins twice
    ],
)
def test_the_last_second_of_a_day_is_found_where_clocks_change_at_midnight(zone: str, day: str, last: str) -> None:
    assert parse_instant(day, "end_at", find_zone(zone), end_of_day=True) == utc(last)


@pytest.mark.parametrize("field", ["once", "start_at", "end_at", "anchor"])
@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "2026-02-30", "2026-11-20T25:00", "2026-11-20T09:60", "09:00", "20.11.2026", "２０２６-11-20"),  # noqa: RUF001
        *(
            "0001-01-01",
            "1969-12-31T23:00Z",
            "2100-01-01T00:00Z",
            "2099-12-31T23:59:59-12:00",
            "9999-12-31T23:59:59-12:00",
            "9999-12-31",
        ),
        *(1_800_000_000, 1.5, True, ["2026-11-20"], {"year": 2026}),
    ],
)
def test_an_invalid_instant_is_refused_by_the_name_of_its_field(field: str, text: object) -> None:
    written: dict[str, Any] = {field: text} if field == "once" else {"every": "1h", field: text}
    assert refused_with(**written).field == field


def test_an_instant_is_written_in_utc_and_read_back() -> None:
    instant = utc("2026-10-25 01:30:15")
    assert format_instant(instant.astimezone(BERLIN)) == "2026-10-25T01:30:15Z"
    assert parse_instant(format_instant(instant), "once", BERLIN) == instant
    assert parse_instant(format_instant(instant), "once", BERLIN).tzinfo is UTC
