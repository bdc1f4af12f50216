"""Times excluded from a schedule."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from scheduler.timing.compiled import PlannedTimes, TimeRule
from scheduler.timing.exclusions import parse_exclusions
from tests.timing.schedule_builders import NOW, local_times, refused_with, times, utc


@dataclass
class CountingRule:
    """A rule that counts the calls of `after`."""

    rule: TimeRule
    calls: int = 0

    def after(self, instant: datetime, zone: ZoneInfo) -> datetime | None:
        self.calls += 1
        return self.rule.after(instant, zone)

    def between(self, after: datetime, until: datetime, zone: ZoneInfo) -> Iterator[datetime]:
        return self.rule.between(after, until, zone)

    def on(self, day: date, midnight: datetime) -> tuple[Hashable, Iterable[int]]:
        return self.rule.on(day, midnight)

    def date_after(self, day: date) -> date | None:
        return self.rule.date_after(day)

    @property
    def is_fixed(self) -> bool:
        return self.rule.is_fixed


def next_and_calls(**written: Any) -> tuple[datetime | None, int]:
    """The next time, and how many calls of the rule it took."""
    full = times(**written)
    rule = CountingRule(full.rule)
    return PlannedTimes(rule=rule, zone=full.zone, exclusions=full.exclusions).after(NOW), rule.calls


@pytest.mark.parametrize(
    "written", [{"cron": "0 */6 * * *"}, {"every": "6h"}, {"calendar": {"hour": "*/6"}}], ids=lambda w: next(iter(w))
)
def test_excluding_a_date_removes_all_its_times(written: dict[str, Any]) -> None:
    """And only those, by the local date in the schedule's zone."""
    zone = "America/New_York"
    all_times = list(times(zone, **written).between(NOW, utc("2026-01-06 00:00")))
    rest = list(times(zone, exclude="2026-01-03", **written).between(NOW, utc("2026-01-06 00:00")))
    removed = local_times([at for at in all_times if at not in rest], zone)
    assert len(removed) == 4
    assert {text[:10] for text in removed} == {"2026-01-03"}


def test_excluding_a_range_includes_its_first_and_last_day() -> None:
    daily = times(cron="0 12 * * *", exclude="2026-01-03/2026-01-05")
    assert [at.day for at in daily.upcoming(NOW, 4)] == [1, 2, 6, 7]


@pytest.mark.parametrize(
    ("exclude", "days"),
    [
        ({"weekday": "sat,sun"}, [1, 2, 5, 6, 7, 8]),
        ({"day": "last"}, [1, 2, 3, 4, 5, 6]),
        ({"day": "2-5"}, [1, 6, 7, 8, 9, 10]),
        ({"day": 2, "weekday": "fri"}, [1, 3, 4, 5, 6, 7]),
        ({"day": 2, "weekday": "mon"}, [1, 2, 3, 4, 5, 6]),
        ({"hour": "0-11"}, [1, 2, 3, 4, 5, 6]),
        ({"minute": 30}, [1, 2, 3, 4, 5, 6]),
        (["2026-01-02", {"weekday": "sun"}, "2026-01-05/2026-01-06"], [1, 3, 7, 8, 9, 10]),
        ([date(2026, 1, 2), "2026-01-04"], [1, 3, 5, 6, 7, 8]),
        ("1999-12-31", [1, 2, 3, 4, 5, 6]),
        ([], [1, 2, 3, 4, 5, 6]),
    ],
)
def test_a_time_is_excluded_if_any_exclusion_covers_it(exclude: object, days: list[int]) -> None:
    """Dates, ranges and calendars; a calendar's parts must all match."""
    assert [at.day for at in times(cron="0 12 * * *", exclude=exclude).upcoming(NOW, 6)] == days


@pytest.mark.parametrize(
    ("exclude", "expected"),
    [
        ({"hour": "0-5,22,23"}, ["06:00", "06:20", "06:40", "07:00"]),
        ({"hour": 0, "minute": "0-39"}, ["00:40", "01:00", "01:20", "01:40"]),
        ({"minute": [0, 20]}, ["00:40", "01:40", "02:40", "03:40"]),
        ({"minute": "0-20", "second": "0-30"}, ["00:40", "01:40", "02:40", "03:40"]),
        ({"second": "1-59"}, ["00:20", "00:40", "01:00", "01:20"]),
    ],
)
def test_a_calendar_excludes_whole_hours_minutes_and_seconds(exclude: object, expected: list[str]) -> None:
    """An omitted part matches anything here, so `{"hour": 0}` is the whole hour and not midnight."""
    result = times(cron="*/20 * * * *", exclude=exclude).upcoming(NOW, 4)
    assert [f"{at:%H:%M}" for at in result] == expected


@pytest.mark.parametrize(
    "exclude",
    [
        {"hour": "*"},
        {"hour": "0-23"},
        {"day": "*"},
        {"day": "1-31"},
        {"month": "1-12"},
        {"weekday": "mon-sun"},
        {"minute": "0-59"},
        {"second": "*"},
        "1970-01-01/2099-12-31",
        "2026-01-01/9999-12-31",
        {"year": "2026-2099"},
        {"weekday": "0-6", "hour": "*/1"},
    ],
)
def test_excluding_everything_leaves_no_more_times_at_once(exclude: object) -> None:
    """Quickly, because the excluded range is skipped in one step."""
    for written in ({"cron": "*/10 * * * * *"}, {"every": "10s"}):
        result, calls = next_and_calls(exclude=exclude, **written)
        assert result is None
        assert calls <= 2
    full = times(cron="*/10 * * * * *", exclude=exclude)
    assert list(full.between(NOW, utc("2099-01-01 00:00"))) == []
    assert full.last(NOW, utc("2099-01-01 00:00")) is None


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Nuuk"])
@pytest.mark.parametrize(
    ("written", "exclude"),
    [
        ({"cron": "* * * * *"}, [{"weekday": "mon-fri"}, {"weekday": "sat,sun"}]),
        ({"cron": "*/10 * * * * *"}, [{"minute": "0-29"}, {"minute": "30-59"}]),
        ({"cron": "*/10 * * * * *"}, {"second": "*/10"}),
        ({"cron": ["* 9 * * *", "*/5 18 * * 1-5"]}, [{"hour": 9}, {"hour": 18, "minute": "*/5"}]),
        ({"calendar": {"hour": 9}}, {"hour": 9}),
        ({"every": "10s"}, [{"second": "*/2"}, {"second": "1-59/2"}]),
        ({"every": "1m"}, [{"month": "*/2"}, {"month": "2-12/2"}]),
        ({"every": "30m", "anchor": "2026-01-01T00:10Z"}, {"minute": [10, 40]}),
        ({"every": "1d"}, [{"hour": "*/2"}, {"hour": "1-23/2"}]),
        ({"once": "2026-03-01T09:00"}, {"hour": 9}),
    ],
    ids=str,
)
def test_excluding_every_time_of_a_rule_leaves_no_more_times_at_once(
    zone: str, written: dict[str, Any], exclude: object
) -> None:
    """Dates whose times are all excluded are skipped, except for some with a clock change."""
    result, calls = next_and_calls(machine_zone=zone, exclude=exclude, **written)
    assert result is None
    assert calls <= 300


def test_a_time_that_occurs_only_at_a_clock_change_is_not_skipped() -> None:
    """02:30 is always excluded, but in the night when 02:30 does not exist it runs at 03:00."""
    daily = times("Europe/Berlin", cron="30 2 * * *", exclude={"hour": 2})
    assert local_times(daily.upcoming(NOW, 3), "Europe/Berlin") == [
        f"{day} 03:00" for day in ("2026-03-29", "2027-03-28", "2028-03-26")
    ]
    grid = times("Australia/Lord_Howe", every="1h", anchor="2026-01-01T00:00Z", exclude={"minute": 0})
    assert local_times(grid.upcoming(utc("2026-01-01 00:00"), 1), "Australia/Lord_Howe") == ["2026-04-05 01:30"]
    assert grid.after(utc("2026-04-04 14:30")) == utc("2026-04-04 15:00")


def test_a_time_after_years_of_exclusions_is_found() -> None:
    assert next_and_calls(cron="0 9 * * *", exclude={"year": "2026-2089"}) == (utc("2090-01-01 09:00"), 2)
    assert next_and_calls(cron="* * * * *", exclude={"year": "2026-2029", "minute": "*/1"})[0] == utc(
        "2030-01-01 00:00"
    )
    assert next_and_calls(every="1m", exclude={"year": "2026-2029", "second": 0}) == (utc("2030-01-01 00:00"), 2)
    assert next_and_calls(every="1h", exclude={"hour": "1-23", "year": "2026-2030"})[0] == utc("2026-01-02 00:00")
    assert next_and_calls(cron="0 6-22 * * *", exclude={"hour": "6-22", "month": "1-11"})[0] == utc("2026-12-01 06:00")


def test_the_second_pass_of_a_repeated_hour_is_not_skipped_with_the_first() -> None:
    """02:30 to 03:00 is excluded twice; 02:00 to 02:30 between them is not."""
    grid = times("Europe/Berlin", every="10m", exclude={"hour": 2, "minute": "30-59"})
    hour = utc("2026-10-25 00:20")
    expected = ["02:00", "02:10", "02:20", "03:00"]
    assert [text[-5:] for text in local_times(grid.upcoming(hour, 4), "Europe/Berlin")] == expected
    assert list(grid.between(hour, utc("2026-10-25 02:00"))) == grid.upcoming(hour, 4)


def test_a_clock_set_back_over_midnight_returns_to_the_day_before_the_excluded_one() -> None:
    """In St John's the 7th lasted a minute, and then the last hour of the 6th was repeated."""
    grid = times("America/St_Johns", every="30s", anchor="2010-11-07T02:30Z", exclude="2010-11-07")
    result = grid.upcoming(utc("2010-11-07 02:29:30"), 2)
    assert local_times(result, "America/St_Johns") == ["2010-11-06 23:01", "2010-11-06 23:01"]
    assert grid.last(utc("2010-11-07 00:00"), utc("2010-11-08 00:00")) == utc("2010-11-07 03:29:30")


def test_an_excluded_range_that_would_end_in_a_gap_ends_after_it() -> None:
    grid = times("Europe/Berlin", every="30m", exclude={"hour": "0-1"})
    result = grid.after(utc("2026-03-28 22:50"))
    assert result is not None and local_times([result], "Europe/Berlin") == ["2026-03-29 03:00"]


def test_a_date_in_the_zone_of_the_schedule_is_not_a_date_in_utc() -> None:
    hourly = times("Pacific/Auckland", every="1h", exclude="2026-06-02")
    assert hourly.after(utc("2026-06-01 11:30")) == utc("2026-06-02 12:00")


@pytest.mark.parametrize(
    "exclude",
    [
        *("", "tomorrow", "2026-13-01", "2026-02-30", "2026-1-2", "2026-01-02T09:00", "2026-01-05/2026-01-03"),
        *("2026-01-02/", "/2026-01-02", "2026-01-02 2026-01-03", "２０２６-01-02", "0000-01-01"),  # noqa: RUF001
        *(5, True, 1.5, [None], [["2026-01-02"]], ["2026-01-02", 5], datetime(2026, 1, 2)),  # noqa: DTZ001
    ],
)
def test_what_is_not_a_date_is_refused(exclude: object) -> None:
    assert refused_with(cron="0 9 * * *", exclude=exclude).field == "exclude"


@pytest.mark.parametrize(
    ("exclude", "name"), [({"hour": 24}, "hour"), ({"week": 3}, "week"), ({}, "calendar"), ([{"day": "x"}], "day")]
)
def test_a_bad_calendar_is_refused_by_its_part(exclude: object, name: str) -> None:
    assert refused_with(cron="0 9 * * *", exclude=exclude).field == name


def test_where_an_excluded_range_ends() -> None:
    exclusions = parse_exclusions(
        ("2026-01-02/2026-01-04", {"hour": "22,23"}, {"weekday": "sat,sun"}, {"minute": "5-9"})
    )
    ends = {
        "2026-01-02 12:00": "2026-01-05 00:00",
        "2026-01-05 22:30": "2026-01-06 00:00",
        "2026-01-10 12:00": "2026-01-12 00:00",
        "2026-01-06 12:07": "2026-01-06 12:10",
        "2026-01-06 12:10": None,
    }
    result = {text: exclusions.excluded_until(datetime.fromisoformat(text)) for text in ends}
    assert result == {text: end and datetime.fromisoformat(end) for text, end in ends.items()}


def test_the_count_omits_what_is_excluded() -> None:
    grid = times(every="1h", exclude={"weekday": "sat,sun"})
    assert grid.count(NOW, NOW + timedelta(days=7), 1000).number == 5 * 24
