"""Clock changes: the instants of a wall time, in ordinary and unusual zones."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from scheduler.timing.errors import BadScheduleError
from scheduler.timing.zones import end_of_first_pass, end_of_gap, find_zone, instants_of, is_first_pass
from tests.timing.schedule_builders import local_times, refused_with, times, utc

BERLIN = ZoneInfo("Europe/Berlin")


def wall(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_daily_at_half_past_two_runs_once_at_each_clock_change() -> None:
    """At 03:00 when 02:30 does not exist, and only the first time when it occurs twice."""
    daily = times("Europe/Berlin", cron="30 2 * * *")
    spring = list(daily.between(utc("2026-03-27 12:00"), utc("2026-03-30 12:00")))
    assert local_times(spring, "Europe/Berlin") == ["2026-03-28 02:30", "2026-03-29 03:00", "2026-03-30 02:30"]
    autumn = list(daily.between(utc("2026-10-24 12:00"), utc("2026-10-26 12:00")))
    assert autumn == [utc("2026-10-25 00:30"), utc("2026-10-26 01:30")]


def test_nine_o_clock_stays_nine_o_clock_across_clock_changes() -> None:
    weekdays = times("America/New_York", cron="0 9 * * 1-5")
    around = [
        *weekdays.between(utc("2026-03-06 00:00"), utc("2026-03-10 00:00")),
        *weekdays.between(utc("2026-10-30 00:00"), utc("2026-11-03 00:00")),
    ]
    assert local_times(around, "America/New_York") == [
        f"2026-{day} 09:00" for day in ("03-06", "03-09", "10-30", "11-02")
    ]
    assert [at.hour for at in around] == [14, 13, 13, 14]


def test_a_wildcard_skips_the_gap_and_repeats_the_fold() -> None:
    quarters = times("Europe/Berlin", cron="*/15 2 * * *")
    assert list(quarters.between(utc("2026-03-29 00:00"), utc("2026-03-29 12:00"))) == []
    assert len(list(quarters.between(utc("2026-10-24 22:00"), utc("2026-10-25 12:00")))) == 8


def test_several_fixed_times_in_a_gap_run_once_after_it() -> None:
    fixed = times("Europe/Berlin", cron="0,15,30,45 2,3 * * *")
    result = list(fixed.between(utc("2026-03-29 00:00"), utc("2026-03-29 01:40")))
    assert local_times(result, "Europe/Berlin") == ["2026-03-29 03:00", "2026-03-29 03:15", "2026-03-29 03:30"]


def test_a_wall_time_has_one_instant_two_or_none() -> None:
    assert instants_of(wall("2026-07-01 12:00"), BERLIN) == (utc("2026-07-01 10:00"),)
    assert instants_of(wall("2026-03-29 02:30"), BERLIN) == ()
    assert instants_of(wall("2026-10-25 02:30"), BERLIN) == (utc("2026-10-25 00:30"), utc("2026-10-25 01:30"))


@pytest.mark.parametrize(
    ("text", "number"),
    [("01:59:59", 1), ("02:00:00", 0), ("02:59:59", 0), ("03:00:00", 1)],
)
def test_the_gap_begins_and_ends_to_the_second(text: str, number: int) -> None:
    """Berlin's gap is at 2026-03-29 01:00Z."""
    assert len(instants_of(wall(f"2026-03-29 {text}"), BERLIN)) == number
    if not number:
        assert end_of_gap(wall(f"2026-03-29 {text}"), BERLIN) == utc("2026-03-29 01:00")


@pytest.mark.parametrize(
    ("text", "number"),
    [("01:59:59", 1), ("02:00:00", 2), ("02:59:59", 2), ("03:00:00", 1)],
)
def test_the_fold_begins_and_ends_to_the_second(text: str, number: int) -> None:
    """Berlin's fold is at 2026-10-25 01:00Z."""
    assert len(instants_of(wall(f"2026-10-25 {text}"), BERLIN)) == number
    if number == 2:
        assert end_of_first_pass(wall(f"2026-10-25 {text}"), BERLIN) == utc("2026-10-25 01:00")


def test_which_instants_are_in_the_first_pass() -> None:
    instants = ("2026-10-24 23:59", "2026-10-25 00:00", "2026-10-25 00:59", "2026-10-25 01:00", "2026-10-25 02:00")
    passes = [is_first_pass(utc(text).astimezone(BERLIN)) for text in instants]
    assert passes == [False, True, True, False, False]


@pytest.mark.parametrize("part", ["", ".000001", ".5", ".999999"])
def test_fractions_of_a_second_do_not_hide_times_of_the_second_pass(part: str) -> None:
    half_hours = times("Europe/Berlin", cron="*/30 * * * *")
    assert half_hours.after(utc(f"2026-10-25 00:30:00{part}")) == utc("2026-10-25 01:00")
    assert half_hours.after(utc(f"2026-10-25 00:59:59{part}")) == utc("2026-10-25 01:00")
    assert half_hours.after(utc(f"2026-10-25 01:00:00{part}")) == utc("2026-10-25 01:30")


ODD_ZONES = {
    "two hours at once": (
        ("Antarctica/Troll", "30 1 * * *", "2026-03-28 12:00", 2),
        ["2026-03-29 03:00", "2026-03-30 01:30"],
    ),
    "two hours at once, hourly": (
        ("Antarctica/Troll", "0 * * * *", "2026-03-29 00:30", 2),
        ["2026-03-29 03:00", "2026-03-29 04:00"],
    ),
    "half an hour": (
        ("Australia/Lord_Howe", "15 2 * * *", "2026-10-03 00:00", 2),
        ["2026-10-04 02:30", "2026-10-05 02:15"],
    ),
    "half an hour twice": (
        ("Australia/Lord_Howe", "45 * * * *", "2026-04-04 14:00", 3),
        ["2026-04-05 01:45", "2026-04-05 01:45", "2026-04-05 02:45"],
    ),
    "no midnight": (
        ("Asia/Beirut", "0 0 * * *", "2026-03-28 12:00", 2),
        ["2026-03-29 01:00", "2026-03-30 00:00"],
    ),
    "no midnight on a Sunday": (
        ("America/Havana", "30 0 * * 0", "2026-03-07 12:00", 2),
        ["2026-03-08 01:00", "2026-03-15 00:30"],
    ),
    "two midnights": (
        ("America/Havana", "0 0 * * *", "2026-10-31 12:00", 2),
        ["2026-11-01 00:00", "2026-11-02 00:00"],
    ),
    "two midnights, hourly": (
        ("America/Havana", "0 * * * *", "2024-11-03 03:30", 3),
        ["2024-11-03 00:00", "2024-11-03 00:00", "2024-11-03 01:00"],
    ),
    "a gap that ends at midnight": (
        ("America/Nuuk", "30 23 * * 6", "2026-03-28 12:00", 2),
        ["2026-03-29 00:00", "2026-04-04 23:30"],
    ),
    "a fold that ends at midnight": (
        ("America/Nuuk", "30 23 * * *", "2026-10-24 12:00", 2),
        ["2026-10-24 23:30", "2026-10-25 23:30"],
    ),
    "a fold back to the day before": (
        ("America/St_Johns", "30 23 * * *", "2010-11-06 12:00", 2),
        ["2010-11-06 23:30", "2010-11-07 23:30"],
    ),
    "a day that never was": (
        ("Pacific/Apia", "0 12 * * *", "2011-12-29 00:00", 4),
        ["2011-12-29 12:00", "2011-12-31 00:00", "2011-12-31 12:00", "2012-01-01 12:00"],
    ),
    "the day that never was": (
        ("Pacific/Apia", "0 12 30 * *", "2011-12-29 00:00", 2),
        ["2011-12-31 00:00", "2012-01-30 12:00"],
    ),
    "half an hour for good": (
        ("America/Caracas", "45 2 * * *", "2016-04-30 12:00", 2),
        ["2016-05-01 03:00", "2016-05-02 02:45"],
    ),
    "half an hour back for good": (
        ("America/Caracas", "45 2 * * *", "2007-12-08 12:00", 2),
        ["2007-12-09 02:45", "2007-12-10 02:45"],
    ),
    "Ramadan": (
        ("Africa/El_Aaiun", "30 2 * * *", "2026-02-14 12:00", 2),
        ["2026-02-15 02:30", "2026-02-16 02:30"],
    ),
    "after Ramadan": (
        ("Africa/El_Aaiun", "30 2 * * *", "2026-03-21 12:00", 2),
        ["2026-03-22 03:00", "2026-03-23 02:30"],
    ),
    "a Saturday": (
        ("Asia/Gaza", "30 2 * * *", "2026-03-27 12:00", 2),
        ["2026-03-28 03:00", "2026-03-29 02:30"],
    ),
    "midnight in spring, in the south": (
        ("America/Asuncion", "0 0 * * *", "2023-09-30 12:00", 2),
        ["2023-10-01 01:00", "2023-10-02 00:00"],
    ),
}


@pytest.mark.parametrize("case", ODD_ZONES)
def test_the_rules_hold_in_unusual_zones(case: str) -> None:
    """In a gap of any size a fixed time runs once, right after it; in a fold the first time only."""
    (zone, text, after, number), expected = ODD_ZONES[case]
    daily = times(zone, cron=text)
    result = daily.upcoming(utc(after), number)
    assert local_times(result, zone) == expected
    assert list(daily.between(utc(after), result[-1])) == result


@pytest.mark.parametrize(
    ("zone", "text", "after"),
    [
        ("America/Nuuk", "30 23 * * 6", "2026-03-28 12:00"),
        ("Pacific/Apia", "0 12 30 * *", "2011-12-29 00:00"),
    ],
)
def test_a_time_moved_past_midnight_does_not_bring_other_times_of_its_date(zone: str, text: str, after: str) -> None:
    """It runs on a date that does not match; the other times of that date do not."""
    result = list(times(zone, cron=text).between(utc(after), utc(after) + timedelta(days=6)))
    assert len(result) == 1


def test_a_wildcard_loses_in_spring_what_it_gains_in_autumn() -> None:
    """It follows the clock: with a gap and a fold, a year has as many minutes as without."""
    for zone in ("Europe/Berlin", "Australia/Lord_Howe", "Antarctica/Troll", "Asia/Beirut", "UTC"):
        minutes = times(zone, cron="*/6 * * * *").between(utc("2026-01-01 00:00"), utc("2027-01-01 00:00"))
        assert sum(1 for _ in minutes) == 365 * 24 * 10


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Australia/Lord_Howe", "Antarctica/Troll", "Africa/Casablanca"])
@pytest.mark.parametrize("text", ["30 0 * * *", "30 1 * * *", "15 2 * * *", "45 2 * * *"])
def test_a_daily_time_runs_once_on_each_date(zone: str, text: str) -> None:
    days = list(times(zone, cron=text).between(utc("2026-01-01 12:00"), utc("2027-01-01 12:00")))
    assert len(days) == len({at[:10] for at in local_times(days, zone)}) == 365


def test_the_rules_hold_at_the_end_of_the_century() -> None:
    daily = times("Europe/Berlin", cron="30 2 * * *")
    assert daily.after(utc("2099-03-29 00:59")) == utc("2099-03-29 01:00")
    assert times(cron="0 0 29 2 *").upcoming(utc("2095-01-01 00:00"), 9) == [utc("2096-02-29 00:00")]


def test_instants_are_returned_in_utc() -> None:
    for written in ({"cron": "0 9 * * *"}, {"calendar": {"hour": 9}}, {"every": "1h"}, {"once": "2026-06-01T09:00"}):
        result = times("Asia/Kathmandu", **written).after(utc("2026-01-01 00:00"))
        assert result is not None and result.tzinfo is UTC


def test_an_instant_may_be_given_in_any_zone() -> None:
    daily = times("Europe/Berlin", cron="30 2 * * *")
    for zone in ("UTC", "Europe/Berlin", "Pacific/Apia", "America/New_York"):
        assert daily.after(utc("2026-10-25 00:29").astimezone(ZoneInfo(zone))) == utc("2026-10-25 00:30")
        assert daily.after(utc("2026-10-25 00:30").astimezone(ZoneInfo(zone))) == utc("2026-10-26 01:30")


@pytest.mark.parametrize("name", ["Europe/Berlin", "UTC", "Asia/Kathmandu", "America/Argentina/Buenos_Aires"])
def test_a_known_zone_is_found(name: str) -> None:
    assert find_zone(name).key == name


@pytest.mark.parametrize(
    "name",
    [
        *("Mars/Olympus", "", " ", "Europe", "Europe/", "../etc/passwd", "/etc/localtime", "Berlin", "UTC+1", "a\0b"),
        *("localtime", "posixrules", "posix/Europe/Berlin", "right/Europe/Berlin"),
        *("Ünterzone", "x" * 5000, "\ud800", "local"),
        *(5, 0, False, [], {}, ["UTC"], 1.5),
    ],
)
def test_an_unknown_zone_is_refused_and_never_silently_replaced(name: object) -> None:
    if name != "local":
        assert refused_with(cron="0 9 * * *", timezone=name).field == "timezone"
    with pytest.raises(BadScheduleError):
        find_zone(name)  # type: ignore[arg-type]
