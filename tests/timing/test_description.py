"""Schedules in plain English: the wording, and that it is true."""

from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scheduler.timing.description import describe_schedule
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.spec import ScheduleSpec
from tests.timing.description_reader import described_exclusion, described_times

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def read(**written: Any) -> ScheduleSpec:
    return ScheduleSpec.read({"timezone": "Europe/Berlin"} | written, machine_zone="UTC", now=NOW)


CRONS = {
    "30 2 * * *": "Daily at 02:30",
    "0 9 * * 1-5": "Weekdays at 09:00",
    "0 9 * * mon-fri": "Weekdays at 09:00",
    "0 9 * * 5,4,3,2,1": "Weekdays at 09:00",
    "0 10 * * sat,sun": "Weekends at 10:00",
    "0 8,20 * * mon,thu": "Mondays and Thursdays at 08:00 and 20:00",
    "0 9 * * 1-6": "Monday to Saturday at 09:00",
    "0 9 * * 1-7": "Daily at 09:00",
    "0 9 * * 5-7": "Friday to Sunday at 09:00",
    "0 9 * * 6,0,1": "Saturday to Monday at 09:00",
    "0 9 * * 0,2,4": "Tuesdays, Thursdays and Sundays at 09:00",
    "5 4 * * sun": "Sundays at 04:05",
    "15 30 2 * * *": "Daily at 02:30:15",
    "* * * * *": "Every minute",
    "*/5 * * * *": "Every 5 minutes",
    "0-59/5 * * * *": "Every 5 minutes",
    "*/30 * * * *": "Every 30 minutes",
    "*/10 * * * * *": "Every 10 seconds",
    "0 * * * *": "Hourly at :00",
    "15 * * * *": "Hourly at :15",
    "15 * * * 1-5": "Hourly at :15 on weekdays",
    "30 15 * * * *": "Hourly at :15:30",
    "*/25 * * * *": "Hourly at :00, :25 and :50",
    "*/7 * * * *": "Every 7 minutes from :00 to :56 of every hour",
    "30 * * * * *": "Every minute at 30 seconds past",
    "1 * * * * *": "Every minute at 1 second past",
    "15,45 * * * * *": "Every minute at 15 and 45 seconds past",
    "15,50 * 9-17 * * *": "Every minute at 15 and 50 seconds past from 09:00:15 to 17:59:50",
    "0 */6 * * *": "Daily at 00:00, 06:00, 12:00 and 18:00",
    "0 */5 * * *": "Every 5 hours from 00:00 to 20:00",
    "0 */2 * * *": "Every 2 hours from 00:00 to 22:00",
    "30 9-17 * * 1-5": "Every hour from 09:30 to 17:30 on weekdays",
    "*/15 9-17 * * 1-5": "Every 15 minutes from 09:00 to 17:45 on weekdays",
    "* 9-17 * * *": "Every minute from 09:00 to 17:59",
    "*/15 9,14 * * *": "Every 15 minutes from 09:00 to 09:45 and from 14:00 to 14:45",
    "0 1-5,9 * * *": "Daily at 01:00, 02:00, 03:00, 04:00, 05:00 and 09:00",
    "0 1-6,9 * * *": "Every hour from 01:00 to 06:00 and at 09:00",
    "5,20 9-17 * * *": "Hourly at :05 and :20 from 09:05 to 17:20",
    "30 1,3,5,8,10,12,14 * * *": "Daily at 01:30, 03:30, 05:30, 08:30, 10:30, 12:30 and 14:30",
    "*/15 */2 * * *": "At minutes 0, 15, 30 and 45 of hours 0, 2, 4 … 22",
    "* 0-2,5,9,12-13,20 * * *": "At every minute of hours 0 to 2, 5, 9, 12, 13 and 20",
    "*/20 */7 * * * *": "At seconds 0, 20 and 40 of minutes 0, 7, 14 … 56 of every hour",
    "0 9 1 * *": "1st of the month at 09:00",
    "0 9 1,15 * *": "1st and 15th of the month at 09:00",
    "0 9 1-7 * *": "1st to 7th of the month at 09:00",
    "0 9 1-30 * *": "1st to 30th of the month at 09:00",
    "0 9 */2 * *": "1st, 3rd, 5th … 31st of the month at 09:00",
    "0 9 2,11,12,13,22,23 * *": "2nd, 11th to 13th, 22nd and 23rd of the month at 09:00",
    "0 18 L * *": "Last day of the month at 18:00",
    "0 18 15,L * *": "15th and last day of the month at 18:00",
    "*/5 * L * *": "Every 5 minutes on the last day of the month",
    "0 0 1 1 *": "1 January at 00:00",
    "0 0 1 1,7 *": "1 January and 1 July at 00:00",
    "0 0 1 */3 *": "1st of January, April, July and October at 00:00",
    "0 0 1,15 1 *": "1st and 15th of January at 00:00",
    "0 0 31 4-11 *": "31st of each month from April to November at 00:00",
    "0 0 29 2 *": "29 February at 00:00",
    "0 9 * 1 *": "Daily in January at 09:00",
    "0 9 * 3-5 1-5": "Weekdays from March to May at 09:00",
    "*/5 * * 1,2 *": "Every 5 minutes in January and February",
    "0 0 9 1 1 * 2027": "1 January 2027 at 09:00",
    "0 0 9 * 1 * 2027": "Daily in January 2027 at 09:00",
    "0 0 9 * 1,3 * 2027": "Daily in January and March in 2027 at 09:00",
    "0 0 9 * * * 2027": "Daily in 2027 at 09:00",
    "0 0 9 * * * 2027-2030": "Daily in the years 2027 to 2030 at 09:00",
    "0 12 * * fri#3": "Third Friday of the month at 12:00",
    "0 12 * * fri#1,fri#3": "First and third Friday of the month at 12:00",
    "0 12 * * mon#1,fri#3": "First Monday and third Friday of the month at 12:00",
    "0 12 * * L5": "Last Friday of the month at 12:00",
    "0 12 * 1 L5": "Last Friday of January at 12:00",
    "0 12 * * mon,fri#3": "Mondays and on the third Friday of the month at 12:00",
    "0 0 13 * 5": "On the 13th or on Fridays at 00:00",
    "0 0 13 5 5": "In May on the 13th or on Fridays at 00:00",
    "*/5 * 13 * 5": "Every 5 minutes on the 13th or on Fridays",
    "0 0 13 * fri#2": "On the 13th or on the second Friday at 00:00",
    "0 0 1-31 * 5": "Daily at 00:00",
    "0 0 13 * 0-6": "Daily at 00:00",
    "0 0 */2 * 5": "On the 1st, 3rd, 5th … 31st if it is a Friday, at 00:00",
    "@hourly": "Hourly at :00",
    "@daily": "Daily at 00:00",
    "@weekly": "Sundays at 00:00",
    "@monthly": "1st of the month at 00:00",
    "@yearly": "1 January at 00:00",
}
CALENDARS = (
    ({"hour": 9, "weekday": "mon-fri"}, "Weekdays at 09:00"),
    ({"hour": 9, "weekday": ["mon", 2, 3, 4, 5]}, "Weekdays at 09:00"),
    ({"hour": 18, "day": "last"}, "Last day of the month at 18:00"),
    ({"minute": 30}, "Hourly at :30"),
    ({"minute": "*/5"}, "Every 5 minutes"),
    ({"weekday": "mon"}, "Mondays at 00:00"),
    ({"month": 12, "day": 24, "hour": 18}, "24 December at 18:00"),
    ({"hour": {"start": 9, "end": 17}, "weekday": "sat"}, "Every hour from 09:00 to 17:00 on Saturdays"),
    ({"day": 13, "weekday": "fri"}, "On the 13th if it is a Friday, at 00:00"),
    ({"day": 13, "month": 5, "weekday": "mon-fri"}, "On 13 May if it is a weekday, at 00:00"),
    ({"day": "1-7", "weekday": "mon,thu"}, "On the 1st to 7th if it is a Monday or Thursday, at 00:00"),
    ({"day": 13, "weekday": "fri#2"}, "On the 13th if it is the second Friday of the month, at 00:00"),
    ({"day": 13, "weekday": "fri#1,fri#2"}, "On the 13th if it is the first or second Friday of the month, at 00:00"),
    ({"day": "last", "weekday": "fri", "minute": "*/5"}, "Every 5 minutes on the last day if it is a Friday"),
)
REAL_TIME = "(real time, does not follow local time when clocks change)"
INTERVALS = {
    "10s": "Every 10 seconds",
    "90s": "Every 90 seconds",
    "60s": "Every minute",
    "5m": "Every 5 minutes",
    "1.5h": "Every 90 minutes",
    "1h": "Every hour",
    "6h": "Every 6 hours",
    "3601s": "Every 1 hour 1 second",
    "24h": f"Every 24 hours {REAL_TIME}",
    "1d": f"Every 24 hours {REAL_TIME}",
    "36h": f"Every 36 hours {REAL_TIME}",
    "7d": f"Every 7 days {REAL_TIME}",
}


@pytest.mark.parametrize(("text", "words"), CRONS.items())
def test_cron_expressions(text: str, words: str) -> None:
    assert describe_schedule(read(cron=text)) == words


@pytest.mark.parametrize(("calendar", "words"), CALENDARS)
def test_calendars(calendar: dict[str, Any], words: str) -> None:
    assert describe_schedule(read(calendar=calendar)) == words


@pytest.mark.parametrize(("text", "words"), INTERVALS.items())
def test_intervals_of_a_day_or_more_say_that_they_ignore_local_time(text: str, words: str) -> None:
    assert describe_schedule(read(every=text)) == words


def test_once_is_described_in_the_schedules_zone() -> None:
    assert describe_schedule(read(once="2026-11-20T08:00Z")) == "Once on 20 November 2026 at 09:00"
    assert describe_schedule(read(once="2026-11-20T09:00:30")) == "Once on 20 November 2026 at 09:00:30"


def test_a_union_of_different_dates_names_each() -> None:
    both = read(calendar=[{"hour": 9, "weekday": "mon-fri"}, {"hour": 10, "weekday": "sat,sun"}])
    assert describe_schedule(both) == "Weekdays at 09:00; and weekends at 10:00"
    three = read(cron=["*/5 9-10 * * 1", "0 12 * * 2", "0 10 * * 0"])
    assert (
        describe_schedule(three)
        == "Every 5 minutes from 09:00 to 10:55 on Mondays; Tuesdays at 12:00; and Sundays at 10:00"
    )


def test_a_union_of_the_same_dates_names_them_once() -> None:
    assert describe_schedule(read(cron=["30 17 * * 1-5", "0 9 * * mon-fri"])) == "Weekdays at 09:00 and 17:30"
    assert describe_schedule(read(cron=["0 9 * * *", "0 9 * * *"])) == "Daily at 09:00"
    assert describe_schedule(read(cron=["*/5 * * * *", "*/5 * * * *"])) == "Every 5 minutes"


@pytest.mark.parametrize(
    ("zone", "viewer", "words"),
    [
        ("Europe/Berlin", None, "Weekdays at 09:00"),
        ("Europe/Berlin", "Europe/Berlin", "Weekdays at 09:00"),
        ("Europe/Berlin", "America/New_York", "Weekdays at 09:00 (Berlin)"),
        ("America/Argentina/Buenos_Aires", "UTC", "Weekdays at 09:00 (Buenos Aires)"),
        ("UTC", "Europe/Berlin", "Weekdays at 09:00 (UTC)"),
        ("Etc/UTC", "UTC", "Weekdays at 09:00"),
        ("Etc/GMT+5", "UTC", "Weekdays at 09:00 (UTC-5)"),
        ("local", "Europe/Berlin", "Weekdays at 09:00"),
        ("local", None, "Weekdays at 09:00"),
    ],
)
def test_the_zone_is_named_for_viewers_in_another_zone(zone: str, viewer: str | None, words: str) -> None:
    assert describe_schedule(read(cron="0 9 * * 1-5", timezone=zone), viewer_zone=viewer) == words


def test_once_names_its_zone_too() -> None:
    once = read(once="2026-11-20T09:00+01:00")
    assert describe_schedule(once, viewer_zone="America/New_York") == "Once on 20 November 2026 at 09:00 (Berlin)"


def test_an_interval_has_no_zone_but_its_dates_do() -> None:
    assert describe_schedule(read(every="5m"), viewer_zone="UTC") == "Every 5 minutes"
    narrowed = read(every="5m", start_at="2026-03-01")
    assert describe_schedule(narrowed, viewer_zone="UTC") == "Every 5 minutes, from 1 March 2026 (Berlin)"


def test_dates_of_a_local_spec_without_a_viewer_zone_are_in_utc() -> None:
    local = read(cron="0 9 * * *", timezone="local", start_at="2026-03-01T00:00Z")
    assert describe_schedule(local) == "Daily at 09:00, from 1 March 2026 at 00:00 UTC"
    assert describe_schedule(local, viewer_zone="Europe/Berlin") == "Daily at 09:00, from 1 March 2026 at 01:00"


@pytest.mark.parametrize(
    ("narrowing", "words"),
    [
        ({"start_at": "2026-03-01"}, "from 1 March 2026"),
        ({"end_at": "2026-06-30"}, "until 30 June 2026"),
        ({"start_at": "2026-03-01", "end_at": "2026-06-30"}, "from 1 March 2026 until 30 June 2026"),
        ({"start_at": "2026-03-01T08:00", "end_at": "2026-06-30T18:00:30"},
         "from 1 March 2026 at 08:00 until 30 June 2026 at 18:00:30"),
        ({"end_at": "2026-06-30T00:00"}, "until 30 June 2026 at 00:00"),
        ({"exclude": "2026-12-24"}, "except 24 December 2026"),
        ({"exclude": "2026-12-24/2027-01-01"}, "except 24 December 2026 to 1 January 2027"),
        ({"exclude": ["2026-12-24", {"weekday": "mon"}]}, "except 24 December 2026 and Mondays"),
        ({"exclude": {"month": 12, "day": 25}}, "except 25 December"),
        ({"exclude": {"day": "last"}}, "except the last day of the month"),
        ({"exclude": {"weekday": "fri", "day": 13}}, "except the 13th if it is a Friday"),
        ({"exclude": {"month": 8}}, "except in August"),
        ({"exclude": {"month": "6-8"}}, "except from June to August"),
        ({"exclude": {"year": 2027}}, "except in 2027"),
        ({"exclude": {"weekday": "*"}}, "except every day"),
        ({"exclude": {"hour": "12-13"}}, "except from 12:00 to 13:59"),
        ({"exclude": {"hour": "0-6,22-23"}}, "except from 00:00 to 06:59 and from 22:00 to 23:59"),
        ({"exclude": {"hour": 12, "weekday": "mon"}}, "except from 12:00 to 12:59 on Mondays"),
        ({"exclude": {"hour": 12, "minute": "0-29"}}, "except from 12:00 to 12:29"),
        ({"exclude": {"minute": 0}}, "except in minute 0 of every hour"),
        ({"exclude": {"minute": "0-9", "hour": "9,12"}}, "except in minutes 0 to 9 of hours 9 and 12"),
        ({"exclude": {"second": 0}}, "except at second 0 of every minute of every hour"),
        ({"exclude": [f"2026-12-0{day}" for day in range(1, 7)]},
         "except 1 December 2026, 2 December 2026, 3 December 2026 and 3 more exceptions"),
        ({"jitter": "30s"}, "give or take 30 seconds"),
        ({"jitter": "+90s"}, "up to 1 minute 30 seconds later"),
        ({"limit": 1}, "at most 1 run in total"),
        ({"limit": 1000, "end_at": "2026-06-30"}, "until 30 June 2026, at most 1,000 runs in total"),
    ],
)  # fmt: skip
def test_limits_of_a_schedule_follow_its_times(narrowing: dict[str, Any], words: str) -> None:
    assert describe_schedule(read(cron="0 9 * * *", **narrowing)) == f"Daily at 09:00, {words}"


def test_limits_of_a_union_apply_to_all_of_it() -> None:
    union = read(cron=["0 9 * * 1-5", "0 10 * * 0"], exclude="2026-12-24")
    assert describe_schedule(union) == "Weekdays at 09:00; and Sundays at 10:00; all except 24 December 2026"


_BOUNDS = {"minute": (0, 59), "hour": (0, 23), "day": (1, 31), "month": (1, 12), "weekday": (0, 6)}


def _items(name: str) -> st.SearchStrategy[str]:
    low, high = _BOUNDS[name]
    number = st.integers(low, high)
    runs = st.tuples(number, number).map(sorted).map(lambda ends: f"{ends[0]}-{ends[1]}")
    return st.one_of(
        number.map(str),
        runs,
        st.tuples(runs, st.integers(1, 7)).map(lambda parts: f"{parts[0]}/{parts[1]}"),
        st.sampled_from([2, 3, 5, 7, 10, 15]).filter(lambda step: step <= high).map(lambda step: f"*/{step}"),
    )


_SPECIAL = {
    "day": st.just("L"),
    "weekday": st.builds("{}#{}".format, st.integers(0, 6), st.integers(1, 4)) | st.just("L5"),
}


def fields(name: str) -> st.SearchStrategy[str]:
    lists = st.lists(_items(name) | _SPECIAL.get(name, st.nothing()), min_size=1, max_size=3).map(",".join)
    return st.just("*") | st.integers(*_BOUNDS[name]).map(str) | lists


seconds = st.sampled_from(["0", "0", "0", "30", "15,45", "*/10", "*/20", "5,25,50"])
years = st.sampled_from(["*", "*", "2027", "2027-2030", "*/2", "2026,2028"])
crons = st.one_of(
    st.tuples(*map(fields, _BOUNDS)).map(" ".join),
    st.tuples(seconds, *map(fields, _BOUNDS), years).map(" ".join),
)
calendars = st.fixed_dictionaries({}, optional={"second": seconds, "year": years} | {n: fields(n) for n in _BOUNDS})
rules = st.one_of(
    st.lists(crons, min_size=1, max_size=2).map(lambda texts: {"cron": texts}),
    st.lists(calendars, min_size=1, max_size=2).map(lambda parts: {"calendar": parts}),
)


def accepted(written: dict[str, Any]) -> ScheduleSpec:
    """The spec, unless it is refused."""
    try:
        spec = read(**written)
        spec.compile("UTC")
    except BadScheduleError:
        assume(False)  # noqa: FBT003
    return spec


@settings(deadline=None, max_examples=50)
@given(rule=rules, exclude=st.lists(calendars.filter(bool), max_size=2))
def test_a_description_is_one_line_without_special_characters(
    rule: dict[str, Any], exclude: list[dict[str, str]]
) -> None:
    words = describe_schedule(accepted(rule | {"exclude": exclude}), viewer_zone="America/New_York")
    assert words.isprintable() and not set(words) & set("*/#-_?{}[]")
    assert "  " not in words and words == words.strip()


@settings(deadline=None, max_examples=50)
@given(cron=crons)
def test_a_cron_expression_and_the_calendar_of_its_values_have_one_description(cron: str) -> None:
    names = ["second", *_BOUNDS, "year"][0 if len(cron.split()) == 7 else 1 :]
    calendar = dict(zip(names, cron.split(), strict=False))
    assume("*" in (calendar["day"], calendar["weekday"]))
    assert describe_schedule(accepted({"cron": cron})) == describe_schedule(accepted({"calendar": calendar}))


def check_description(spec: ScheduleSpec, start: date) -> None:
    after = datetime(start.year, start.month, start.day, tzinfo=UTC) - timedelta(seconds=1)
    times = spec.compile("UTC").upcoming(after, 20)
    last = times[-1].date() if times else start
    assert times == [*islice(described_times(describe_schedule(spec), start, last), len(times))]


@pytest.mark.parametrize(
    "rule", [{"cron": text} for text in CRONS] + [{"calendar": calendar} for calendar, _ in CALENDARS], ids=str
)
def test_the_descriptions_above_are_true(rule: dict[str, Any]) -> None:
    check_description(read(**rule, timezone="UTC"), date(2026, 1, 1))


@settings(deadline=None)
@given(rule=rules, start=st.dates(date(2026, 1, 1), date(2029, 1, 1)))
def test_every_description_is_true(rule: dict[str, Any], start: date) -> None:
    check_description(accepted(rule | {"timezone": "UTC"}), start)


@settings(deadline=None, max_examples=30)
@given(exclude=calendars, day=st.dates(date(2026, 1, 1), date(2030, 12, 31)))
def test_every_described_exclusion_is_true(exclude: dict[str, str], day: date) -> None:
    assume(exclude)
    spec = accepted({"cron": "*/15 * * * * *", "exclude": exclude, "timezone": "UTC"})
    is_left_out = described_exclusion(describe_schedule(spec))
    after = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(seconds=1)
    until = after + timedelta(days=1)
    everything = [after + timedelta(seconds=1 + number * 15) for number in range(24 * 60 * 4)]
    assert [*spec.compile("UTC").between(after, until)] == [at for at in everything if not is_left_out(at)]


@settings(deadline=None)
@given(number=st.integers(1, 200), unit=st.sampled_from("smhd"))
def test_every_described_interval_is_true(number: int, unit: str) -> None:
    spec = accepted({"every": f"{number}{unit}", "timezone": "UTC"})
    words = describe_schedule(spec).removesuffix(REAL_TIME).removeprefix("Every ").split()
    pairs = zip(words[::2], words[1::2], strict=True) if len(words) > 1 else [("1", words[0])]
    length = sum((timedelta(**{f"{name.rstrip('s')}s": int(count)}) for count, name in pairs), timedelta())
    first, second = spec.compile("UTC").upcoming(NOW, 2)
    assert second - first == length
    assert describe_schedule(spec).endswith(REAL_TIME) == (length >= timedelta(days=1))
