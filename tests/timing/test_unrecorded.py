"""The times without a row, compared with a plain list."""

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from scheduler.timing.compiled import Count, UnrecordedTimes
from tests.timing.schedule_builders import times, utc
from tests.timing.strategies import examples

FROM, TO = utc("2026-06-01 00:00"), utc("2026-06-03 00:00")
hourly = times(every="1h", anchor="2026-06-01T00:00Z")
instants = st.integers(0, 2 * 96).map(lambda quarters: FROM + timedelta(minutes=15 * quarters))


@examples(150)
@given(st.frozensets(instants, max_size=12), instants, instants)
def test_every_query_gives_the_same_result_as_the_list(
    taken: frozenset[datetime], after: datetime, until: datetime
) -> None:
    remaining = UnrecordedTimes(hourly, taken)
    every = [at for at in hourly.between(FROM, TO + timedelta(days=3)) if at not in taken]
    inside = [at for at in every if after < at <= until]
    assert list(remaining.between(after, until)) == inside
    assert remaining.last(after, until) == (inside[-1] if inside else None)
    assert remaining.count(after, until, 100) == Count(len(inside))
    assert remaining.count(after, until, 5) == Count(min(len(inside), 5), more=len(inside) > 5)
    later = [at for at in every if at > after]
    assert remaining.after(after) == later[0]
    assert remaining.upcoming(after, 4) == later[:4]


def test_there_may_be_no_times_left() -> None:
    once = times(once="2026-06-01T12:00Z")
    remaining = UnrecordedTimes(once, frozenset({utc("2026-06-01 12:00")}))
    assert remaining.after(FROM) is None
    assert remaining.last(FROM, TO) is None
    assert remaining.upcoming(FROM, 3) == []
    assert remaining.includes(utc("2026-06-01 12:00"))


def test_a_stored_time_stays_valid_unless_it_has_a_row() -> None:
    """Even one that no longer matches, because its zone got new rules: no run is lost."""
    first, second = hourly.upcoming(FROM, 2)
    strange = first + timedelta(minutes=1)
    assert UnrecordedTimes(hourly).at_or_after(first) == first
    assert UnrecordedTimes(hourly, frozenset({first})).at_or_after(first) == second
    assert UnrecordedTimes(hourly).at_or_after(strange) == strange
