"""Any input is parsed as a schedule or refused with a sentence; nothing else happens."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from scheduler.timing.compiled import PlannedTimes
from scheduler.timing.cron_fields import FIELDS
from scheduler.timing.errors import BadScheduleError
from tests.timing.schedule_builders import NOW, spec
from tests.timing.strategies import crons, examples

Written = dict[str, Any]


def parse_or_refuse(written: Written) -> PlannedTimes | None:
    """The times, or None if the schedule was refused properly; any other error is a failure."""
    try:
        return spec(**written).compile("UTC")
    except BadScheduleError as error:
        refused = error
    assert refused.sentence.startswith(f"{refused.field}: ") and refused.sentence.endswith(".")
    return None


garbage = st.one_of(
    st.text(max_size=40),
    st.text("0123456789*,-/#?LWlw@ \t", max_size=30),
    st.lists(st.text("0123456789*,-/#?LWRH", min_size=1, max_size=6), min_size=4, max_size=8).map(" ".join),
    st.builds(lambda text, at, mark: text[:at] + mark + text[at + 1 :], crons, st.integers(0, 20), st.characters()),
    st.sampled_from(("@daily", "@hourly ", "５ * * * *", "* * * * * * *", "0 0 0 1 1 ? 2099", "0 0 29 2 1#5")),  # noqa: RUF001
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | garbage,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from((*FIELDS, "start", "end")), inner, max_size=3)
    ),
    max_leaves=6,
)


@examples(150)
@given(garbage)
def test_any_cron_expression_is_parsed_or_refused(text: str) -> None:
    times = parse_or_refuse({"cron": text})
    if times is not None:
        assert all(later - earlier >= timedelta(seconds=10) for earlier, later in pairwise(times.upcoming(NOW, 5)))


@examples(150)
@given(st.text(max_size=12) | st.from_regex(r"\A[+-]?[0-9.]{0,12} ?[smhdw]?\Z"))
def test_any_duration_is_parsed_or_refused(text: str) -> None:
    parse_or_refuse({"every": text, "jitter": text})


@examples(150)
@given(
    st.text(max_size=30) | st.from_regex(r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}([T/ ][0-9:.-]{0,12}(Z|[+-][0-9:]{0,9})?)?\Z")
)
def test_any_instant_date_or_zone_is_parsed_or_refused(text: str) -> None:
    for written in ({"once": text}, {"every": "1h", "end_at": text}, {"every": "1h", "exclude": text}):
        for zone in ("UTC", "America/Havana", text):
            times = parse_or_refuse(written | {"timezone": zone})
            if times is not None:
                times.upcoming(NOW, 2)


@examples(250)
@given(
    st.dictionaries(
        st.sampled_from(("every", "cron", "calendar", "once", "timezone", "start_at", "end_at", "exclude", "limit"))
        | st.sampled_from(("jitter", "anchor", "what")),
        json_values,
        max_size=4,
    )
)
def test_any_schedule_is_parsed_or_refused(written: Written) -> None:
    times = parse_or_refuse(written)
    if times is not None:
        times.upcoming(NOW, 3)


@examples(150)
@given(st.dictionaries(st.sampled_from(tuple(FIELDS)), json_values, min_size=1, max_size=3))
def test_any_calendar_is_parsed_or_refused(calendar: Written) -> None:
    times = parse_or_refuse({"calendar": calendar})
    if times is not None:
        times.upcoming(NOW, 3)
    times = parse_or_refuse({"every": "1h", "exclude": calendar})
    if times is not None:
        times.upcoming(NOW, 3)
