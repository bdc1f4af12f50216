"""Hypothesis strategies for schedules of every kind, mostly around clock changes."""

from datetime import UTC, datetime, timedelta

from hypothesis import settings
from hypothesis import strategies as st

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "America/St_Johns",
    "Antarctica/Troll",
    "America/Havana",
    "America/Nuuk",
    "Asia/Beirut",
    "Asia/Gaza",
    "Asia/Kathmandu",
    "Pacific/Apia",
)
# The nights of 2026 in which clocks change somewhere, and a few in which they do not.
NIGHTS = tuple(
    datetime.fromisoformat(f"2026-{day}").replace(tzinfo=UTC)
    for day in (
        "02-15",
        "03-08",
        "03-22",
        "03-28",
        "03-29",
        "04-04",
        "06-15",
        "10-03",
        "10-24",
        "10-25",
        "11-01",
        "12-31",
    )
)


def examples(number: int) -> settings:
    """Settings for `number` examples, the same in every run."""
    return settings(derandomize=True, deadline=None, database=None, max_examples=number)


zones = st.sampled_from(ZONES)
instants = st.builds(
    lambda night, seconds, ticks: night + timedelta(seconds=seconds, microseconds=ticks),
    st.sampled_from(NIGHTS),
    st.one_of(st.integers(-8, 12).map(lambda half: half * 1800), st.integers(-90_000, 90_000)),
    st.sampled_from((0, 0, 1, 500_000, 999_999)),
)
spans = st.timedeltas(timedelta(), timedelta(days=2)).map(lambda span: timedelta(seconds=int(span.total_seconds())))


def items(low: int, high: int) -> st.SearchStrategy[str]:
    numbers = st.integers(low, high)
    ranges = st.tuples(numbers, numbers).map(sorted).map(lambda pair: f"{pair[0]}-{pair[1]}")
    steps = st.integers(1, max(high // 2, 2))
    return st.one_of(
        numbers.map(str), ranges, st.builds("{}/{}".format, ranges, steps), st.builds("{}/{}".format, numbers, steps)
    )


def fields(low: int, high: int) -> st.SearchStrategy[str]:
    lists = st.lists(items(low, high), min_size=1, max_size=3).map(",".join)
    return st.one_of(st.just("*"), lists, lists, st.integers(2, max(high // 2, 2)).map("*/{}".format))


minutes, hours = fields(0, 59), st.one_of(fields(0, 4), fields(0, 23))
days, months, weekdays = fields(1, 28), st.just("*") | fields(1, 12), fields(0, 7)
crons = st.builds("{} {} {} {} {}".format, minutes, hours, st.just("*") | days, months, st.just("*") | weekdays)
calendars = st.fixed_dictionaries(
    {"minute": minutes}, optional={"hour": hours, "day": days | st.just("last"), "weekday": weekdays}
)
exclusions = st.one_of(
    instants.map(lambda at: at.date().isoformat()),
    st.builds(lambda at, n: f"{at.date()}/{at.date() + timedelta(days=n)}", instants, st.integers(0, 5)),
    st.fixed_dictionaries({}, optional={"hour": hours, "minute": minutes, "weekday": weekdays}).filter(bool),
)
kinds = st.one_of(
    st.builds(lambda text: {"cron": text}, crons | st.lists(crons, min_size=2, max_size=3)),
    st.builds(lambda parts: {"calendar": parts}, calendars | st.lists(calendars, min_size=2, max_size=2)),
    st.builds(
        lambda seconds, anchor: {"every": f"{seconds}s", "anchor": anchor.isoformat()},
        st.integers(60, 90_000),
        instants,
    ),
    st.builds(lambda at: {"once": at.isoformat()}, instants),
)
narrowed = st.fixed_dictionaries(
    {"timezone": zones},
    optional={
        "start_at": instants.map(lambda at: (at - timedelta(days=1)).isoformat()),
        "end_at": instants.map(lambda at: (at + timedelta(days=40)).isoformat()),
        "exclude": st.lists(exclusions, max_size=3),
    },
)
schedules = st.builds(lambda kind, rest: kind | rest, kinds, narrowed)
