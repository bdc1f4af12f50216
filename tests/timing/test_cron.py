"""Cron expressions: what they mean and which are refused."""

import itertools
from datetime import datetime, timedelta

import pytest

from scheduler.timing.cron import MACROS
from tests.timing.schedule_builders import NOW, refused_with, times, utc


def upcoming(text: str | list[str], number: int, after: datetime = NOW) -> list[str]:
    return [f"{at:%Y-%m-%d %H:%M:%S}" for at in times(cron=text).upcoming(after, number)]


def days(text: str, number: int, after: str = "2026-01-01 12:00") -> list[str]:
    return [f"{at:%a %m-%d}" for at in times(cron=text).upcoming(utc(after), number)]


def test_weekdays_at_nine_skip_from_friday_to_monday() -> None:
    assert times(cron="0 9 * * 1-5").after(utc("2026-11-20 09:00")) == utc("2026-11-23 09:00")


def test_a_day_or_a_weekday_matches() -> None:
    """The classic cron rule."""
    assert days("0 0 13 * 5", 6) == ["Fri 01-02", "Fri 01-09", "Tue 01-13", "Fri 01-16", "Fri 01-23", "Fri 01-30"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 0 */2 * 1", ["Mon 01-05", "Mon 01-19", "Mon 02-09", "Mon 02-23"]),
        ("0 0 */10,13 * 5", ["Fri 02-13", "Fri 03-13", "Fri 05-01", "Fri 07-31"]),
        ("0 0 13 * */5", ["Fri 02-13", "Fri 03-13", "Sun 09-13", "Fri 11-13"]),
        ("0 0 ? * 1", ["Mon 01-05", "Mon 01-12", "Mon 01-19", "Mon 01-26"]),
        ("0 0 1-31 * 1", ["Fri 01-02", "Sat 01-03", "Sun 01-04", "Mon 01-05"]),
        ("0 0 13 * 0-6", ["Fri 01-02", "Sat 01-03", "Sun 01-04", "Mon 01-05"]),
    ],
)
def test_a_day_field_that_starts_with_a_star_must_match_too(text: str, expected: list[str]) -> None:
    """As in Debian's cron: the first character counts, not whether the field covers all values."""
    assert days(text, 4) == expected


def test_five_six_and_seven_fields() -> None:
    """Seconds come first, the year last."""
    assert upcoming("5 4 * * *", 1) == ["2026-01-01 04:05:00"]
    assert upcoming("30 5 4 * * *", 1) == ["2026-01-01 04:05:30"]
    assert upcoming("30 5 4 1 1 * 2031", 2) == ["2031-01-01 04:05:30"]
    assert upcoming("0 0 0 1 1 * 2030-2034/2,2031", 9) == [
        f"{year}-01-01 00:00:00" for year in (2030, 2031, 2032, 2034)
    ]


@pytest.mark.parametrize("text", MACROS)
def test_macros_are_case_insensitive(text: str) -> None:
    assert upcoming(text.upper(), 3) == upcoming(MACROS[text], 3)


def test_macros_have_their_usual_meaning() -> None:
    assert upcoming("@hourly", 2) == ["2026-01-01 01:00:00", "2026-01-01 02:00:00"]
    assert upcoming("@daily", 1) == upcoming("@midnight", 1) == ["2026-01-02 00:00:00"]
    assert upcoming("@weekly", 1) == ["2026-01-04 00:00:00"]
    assert upcoming("@monthly", 1) == ["2026-02-01 00:00:00"]
    assert upcoming("@yearly", 1) == upcoming("@annually", 1) == ["2027-01-01 00:00:00"]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("0 0 * jan,DEC *", "0 0 * 1,12 *"),
        ("0 0 * mar-may/2 *", "0 0 * 3,5 *"),
        ("0 0 * * mon-FRI", "0 0 * * 1-5"),
        ("0 0 * * 7", "0 0 * * 0"),
        ("0 0 * * sun", "0 0 * * 0"),
        ("0 0 * * 5-7", "0 0 * * 5,6,0"),
        ("0 0 * * fri-sun", "0 0 * * 5,6,0"),
        ("0 0 * * sun-tue", "0 0 * * 0,1,2"),
        ("0 0 * * sun-sun", "0 0 * * 0"),
        ("0 0 * * 0-7", "0 0 * * *"),
        ("0 0 * * 1-7/3", "0 0 * * 1,4,0"),
        ("0 0 * * 7,1", "0 0 * * 0,1"),
        ("0 0 * * 3/2", "0 0 * * 3,5"),
        ("0 0 * * 7/2", "0 0 * * 0"),
        ("5/20 * * * *", "5,25,45 * * * *"),
        ("10-30/10 0 * * *", "10,20,30 0 * * *"),
        ("5-5 0 * * *", "5 0 * * *"),
        ("5-5/1 0 * * *", "5 0 * * *"),
        ("0 12-12 * * *", "0 12 * * *"),
        ("*,5 0 * * *", "* 0 * * *"),
        ("*/30,*/20 * * * *", "0,20,30,40 * * * *"),
        ("0 0 *,L * *", "0 0 * * *"),
        ("0 0 * * *,5#3", "0 0 * * *"),
        ("0 0 * * 5,5#3", "0 0 * * 5"),
        ("00 09 * * *", "0 9 * * *"),
        ("  0\t9 *  * * ", "0 9 * * *"),
        ("0 0 ? * ?", "0 0 * * *"),
        ("*/60 * * * *", "0 * * * *"),
        ("0 */24 * * *", "0 0 * * *"),
        ("5-10/60 9 * * *", "5 9 * * *"),
    ],
)
def test_two_expressions_for_the_same_times(text: str, same: str) -> None:
    """Names, ranges, steps, lists, and 7 = Sunday."""
    assert upcoming(text, 40) == upcoming(same, 40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 0 * * 5#3", ["Fri 01-16", "Fri 02-20", "Fri 03-20"]),
        ("0 0 * * fri#1,fri#3", ["Fri 01-02", "Fri 01-16", "Fri 02-06"]),
        ("0 0 * * 1,5#3", ["Mon 01-05", "Mon 01-12", "Fri 01-16"]),
        ("0 0 * * 7#1", ["Sun 01-04", "Sun 02-01", "Sun 03-01"]),
        ("0 0 * * 4#5", ["Thu 01-29", "Thu 04-30", "Thu 07-30"]),
        ("0 0 * * 5L", ["Fri 01-30", "Fri 02-27", "Fri 03-27"]),
        ("0 0 * * L5", ["Fri 01-30", "Fri 02-27", "Fri 03-27"]),
        ("0 0 * * Lsun,1#1", ["Mon 01-05", "Sun 01-25", "Mon 02-02"]),
        ("0 0 L * *", ["Sat 01-31", "Sat 02-28", "Tue 03-31"]),
        ("0 0 15,L * *", ["Thu 01-15", "Sat 01-31", "Sun 02-15"]),
        ("0 0 L * 1", ["Mon 01-05", "Mon 01-12", "Mon 01-19"]),
    ],
)
def test_last_days_and_nth_weekdays(text: str, expected: list[str]) -> None:
    assert days(text, 3) == expected


def test_a_day_field_that_begins_with_a_star_narrows_the_weekday() -> None:
    """Debian's idiom for the first Monday of the month."""
    assert days("0 9 */100,1-7 * MON", 3) == ["Mon 01-05", "Mon 02-02", "Mon 03-02"]


def test_the_31st_skips_short_months() -> None:
    assert days("0 0 31 * *", 5) == ["Sat 01-31", "Tue 03-31", "Sun 05-31", "Fri 07-31", "Mon 08-31"]


def test_the_29th_of_february_waits_for_a_leap_year() -> None:
    assert upcoming("0 0 29 2 *", 3) == ["2028-02-29 00:00:00", "2032-02-29 00:00:00", "2036-02-29 00:00:00"]


def test_the_last_day_is_28_29_30_or_31() -> None:
    assert [day[-2:] for day in days("0 0 L 1-4 *", 4)] == ["31", "28", "31", "30"]
    assert days("0 0 L 2 *", 1, "2028-01-01") == ["Tue 02-29"]


@pytest.mark.parametrize(
    "text", ["0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 0 29 2 * 2026-2027", "0 0 0 29 feb * 2001-2099/2"]
)
def test_a_date_that_does_not_exist_is_refused(text: str) -> None:
    error = refused_with(cron=text)
    assert error.field == "day" and "does not exist" in error.sentence


def test_a_date_that_does_not_exist_is_accepted_beside_a_weekday() -> None:
    """Debian runs `0 0 31 2 1` on the Mondays of February."""
    assert days("0 0 31 2 1", 2) == ["Mon 02-02", "Mon 02-09"]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("60 * * * *", "minute"),
        ("* 24 * * *", "hour"),
        ("0 0 0 * *", "day"),
        ("0 0 32 * *", "day"),
        ("0 0 * 0 *", "month"),
        ("0 0 * 13 *", "month"),
        ("0 0 * * 8", "weekday"),
        ("60 0 0 * * *", "second"),
        ("0 0 0 1 1 * 1969", "year"),
        ("0 0 0 1 1 * 2100", "year"),
        ("5-1 * * * *", "minute"),
        ("0 22-2 * * *", "hour"),
        ("0 0 * * 5-1", "weekday"),
        ("0 0 * * fri-mon", "weekday"),
        ("0 0 * dec-jan *", "month"),
        ("*/0 * * * *", "minute"),
        ("R * * * *", "minute"),
        ("R(0-9) * * * *", "minute"),
        ("H * * * *", "minute"),
        ("H/5 * * * *", "minute"),
        ("0 0 15W * *", "day"),
        ("0 0 LW * *", "day"),
        ("0 0 W * *", "day"),
        ("0 0 L-3 * *", "day"),
        ("0 0 * * L", "weekday"),
        ("0 0 * * 5#6", "weekday"),
        ("0 0 * * 5#0", "weekday"),
        ("0 0 * * xyz#1", "weekday"),
        ("0 0 * * xyzL", "weekday"),
        ("0 0 * * Lxyz", "weekday"),
        ("L * * * *", "minute"),
        ("0 0 * 5#3 *", "month"),
        ("mon * * * *", "minute"),
        ("0 0 * mon *", "month"),
        ("0 0 * * jan", "weekday"),
        ("? * * * *", "minute"),
        ("0 0 ?/2 * *", "day"),
        ("0 0 *-5 * *", "day"),
        ("1,,2 * * * *", "minute"),
        (", * * * *", "minute"),
        ("1- * * * *", "minute"),
        ("-1 * * * *", "minute"),
        ("1/ * * * *", "minute"),
        ("1.5 * * * *", "minute"),
        ("１ * * * *", "minute"),  # noqa: RUF001
        ("٣ * * * *", "minute"),
        ("0 ² * * *", "hour"),
        ("*/１ * * * *", "minute"),  # noqa: RUF001
        ("0 0 * ſep *", "month"),  # noqa: RUF001
        ("99999 * * * *", "minute"),
    ],
)
def test_a_bad_field_is_refused_by_its_name(text: str, field: str) -> None:
    assert refused_with(cron=text).field == field


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "0",
            "0 9",
            "* * * *",
            "* * * * * * * *",
            "@reboot",
            "@every 5m",
            "@",
            "@@daily",
            "@daily 5",
            "hello",
        ),
        *(None, [], [""], ["0 9 * * *", ""], 5, 5.5, True, ["0 9 * * *", 5], [["0 9 * * *"]], {"minute": 5}),
    ],
)
def test_an_expression_without_valid_fields_is_refused(text: object) -> None:
    assert refused_with(cron=text).field == "cron"


def test_the_error_names_the_number_of_fields() -> None:
    assert "has 4 fields" in refused_with(cron="* * * *").sentence
    assert "has 8 fields" in refused_with(cron="* * * * * * * *").sentence
    assert "has 1 field;" in refused_with(cron="*").sentence


def test_several_expressions_are_a_union_without_duplicates() -> None:
    assert upcoming(["0 9 * * *", "30 9 * * 4", "0 9,10 * * 4"], 5) == [
        "2026-01-01 09:00:00",
        "2026-01-01 09:30:00",
        "2026-01-01 10:00:00",
        "2026-01-02 09:00:00",
        "2026-01-03 09:00:00",
    ]


def test_a_union_of_a_wildcard_and_a_fixed_time_keeps_both_rules_at_a_change() -> None:
    both = times("Europe/Berlin", cron=["30 2 * * *", "30 * * * *"])
    assert list(both.between(utc("2026-10-25 00:00"), utc("2026-10-25 02:00"))) == [
        utc("2026-10-25 00:30"),
        utc("2026-10-25 01:30"),
    ]
    assert list(both.between(utc("2026-03-29 00:00"), utc("2026-03-29 02:00"))) == [
        utc("2026-03-29 00:30"),
        utc("2026-03-29 01:00"),
        utc("2026-03-29 01:30"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "* * * * * *",
        "*/9 * * * * *",
        "0,9 0 0 * * *",
        "*/7 * * * * *",
        "0,55 * * * * *",
        "0,55 59,0 23,0 * * *",
        ["0 0 9 * * *", "5 0 9 * * *"],
        ["0 0 * * *", "55 59 23 * * *"],
        ["0 0 0 * * 3", "55 59 23 * * 2"],
        ["0 0 0 1 3 *", "55 59 23 L 2 *"],
        ["0 0 9 13 * *", "5 0 9 * * 5"],
    ],
)
def test_times_less_than_ten_seconds_apart_are_refused(text: str | list[str]) -> None:
    """In one expression, in a union, and across midnight."""
    error = refused_with(cron=text)
    assert error.field == "cron" and "s apart" in error.sentence


@pytest.mark.parametrize(
    "text",
    [
        ["0 0 9 * * 1", "5 0 9 * * 2"],
        ["0 0 0 * * 2", "55 59 23 * * 2"],
        ["0 0 9 1 1 *", "5 0 9 1 2 *"],
        ["0 0 9 1 1 * 2027", "5 0 9 1 1 * 2028"],
    ],
)
def test_times_that_fall_on_different_dates_are_never_too_close(text: list[str]) -> None:
    result = times(cron=text).upcoming(NOW, 50)
    assert len(result) >= 2


@pytest.mark.parametrize("text", ["*/10 * * * * *", "0,10,50 * * * * *", "5-55/10 0 9 * * *", "7 * * * * *"])
def test_times_ten_seconds_apart_are_accepted(text: str) -> None:
    result = times(cron=text).upcoming(NOW, 50)
    assert min(later - earlier for earlier, later in itertools.pairwise(result)) >= timedelta(seconds=10)


def test_every_ten_seconds_runs_360_times_more_in_the_repeated_hour() -> None:
    """720 over both passes; none in the hour that is skipped."""
    seconds = times("Europe/Berlin", cron="*/10 * * * * *")
    both_passes = list(seconds.between(utc("2026-10-24 23:59:59"), utc("2026-10-25 01:59:59")))
    assert len(both_passes) == 720
    assert {later - earlier for earlier, later in itertools.pairwise(both_passes)} == {timedelta(seconds=10)}
    assert len({f"{at.astimezone(seconds.zone):%H:%M:%S}" for at in both_passes}) == 360
    autumn, spring, usual = (
        seconds.count(utc(f"{day} 22:00"), utc(f"{day} 22:00") + timedelta(hours=24 + longer), 10_000).number
        for day, longer in (("2026-10-24", 1), ("2026-03-28", -1), ("2026-06-01", 0))
    )
    assert (autumn - usual, spring - usual) == (360, -360)
