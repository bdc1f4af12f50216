"""Which missed times are only counted, and which still run."""

from datetime import datetime, timedelta
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.timing.catchup import MAX_EXACT_COUNT, CatchupPlan, Gap, make_gap, plan_catchup, spread_due
from scheduler.timing.compiled import Count, PlannedTimes, UnrecordedTimes
from scheduler.timing.occurrences import OccurrenceReason
from scheduler.timing.policies import Catchup
from tests.timing.schedule_builders import times, utc
from tests.timing.strategies import examples

FIRST, LAST, NOW = utc("2026-06-01 11:00"), utc("2026-06-01 18:00"), utc("2026-06-01 18:30")
hourly = UnrecordedTimes(times(every="1h", anchor="2026-06-01T00:00Z"))
windows = st.none() | st.integers(0, 10 * 60).map(lambda minutes: timedelta(minutes=minutes))


def plan(mode: Catchup, window: timedelta | None = None, remaining: UnrecordedTimes = hourly) -> CatchupPlan:
    return plan_catchup(remaining, FIRST, LAST, mode=mode, window=window, now=NOW)


def gap(first: str, last: str, number: int, reason: OccurrenceReason) -> Gap:
    return Gap(utc(f"2026-06-01 {first}"), utc(f"2026-06-01 {last}"), Count(number), reason)


def test_none_counts_them_all_in_one_gap() -> None:
    assert plan(Catchup.NONE) == CatchupPlan((gap("11:00", "18:00", 8, OccurrenceReason.PASSED),))


def test_one_keeps_the_latest_and_counts_the_rest() -> None:
    assert plan(Catchup.ONE) == CatchupPlan((gap("11:00", "17:00", 7, OccurrenceReason.CAUGHT_UP),), (LAST, LAST))


def test_one_missed_time_leaves_no_gap_with_mode_one() -> None:
    assert plan_catchup(hourly, LAST, LAST, mode=Catchup.ONE, window=None, now=NOW) == CatchupPlan((), (LAST, LAST))


@pytest.mark.parametrize("mode", [Catchup.ALL, Catchup.SPREAD])
def test_all_and_spread_run_every_missed_time(mode: Catchup) -> None:
    assert plan(mode) == CatchupPlan((), (FIRST, LAST))


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (
            Catchup.NONE,
            CatchupPlan(
                (gap("11:00", "16:00", 6, OccurrenceReason.EXPIRED), gap("17:00", "18:00", 2, OccurrenceReason.PASSED))
            ),
        ),
        (
            Catchup.ONE,
            CatchupPlan(
                (
                    gap("11:00", "16:00", 6, OccurrenceReason.EXPIRED),
                    gap("17:00", "17:00", 1, OccurrenceReason.CAUGHT_UP),
                ),
                (LAST, LAST),
            ),
        ),
        (
            Catchup.ALL,
            CatchupPlan((gap("11:00", "16:00", 6, OccurrenceReason.EXPIRED),), (utc("2026-06-01 17:00"), LAST)),
        ),
        (
            Catchup.SPREAD,
            CatchupPlan((gap("11:00", "16:00", 6, OccurrenceReason.EXPIRED),), (utc("2026-06-01 17:00"), LAST)),
        ),
    ],
)
def test_a_window_of_two_hours_keeps_the_last_two(mode: Catchup, expected: CatchupPlan) -> None:
    assert plan(mode, timedelta(hours=2)) == expected


def test_a_time_exactly_as_old_as_the_window_is_inside() -> None:
    assert plan(Catchup.ALL, timedelta(hours=2, minutes=30)).late == (utc("2026-06-01 16:00"), LAST)


@pytest.mark.parametrize("mode", Catchup)
@pytest.mark.parametrize("window", [timedelta(), timedelta(minutes=1), timedelta(minutes=29, seconds=59)])
def test_nothing_runs_if_every_missed_time_is_older_than_the_window(mode: Catchup, window: timedelta) -> None:
    assert plan(mode, window) == CatchupPlan((gap("11:00", "18:00", 8, OccurrenceReason.EXPIRED),))


def test_nothing_runs_with_a_zero_window_even_if_jitter_made_it_due_early() -> None:
    """It was missed although its planned time is still half an hour away."""
    early = plan_catchup(hourly, FIRST, LAST, mode=Catchup.ONE, window=timedelta(), now=LAST - timedelta(minutes=30))
    assert early == CatchupPlan((gap("11:00", "18:00", 8, OccurrenceReason.EXPIRED),))


def test_a_window_longer_than_the_outage_changes_nothing() -> None:
    assert plan(Catchup.ONE, timedelta(days=1)) == plan(Catchup.ONE)


def test_times_that_have_a_row_are_neither_counted_nor_run() -> None:
    taken = frozenset({utc("2026-06-01 12:00"), utc("2026-06-01 16:00")})
    remaining = UnrecordedTimes(hourly.times, taken)
    assert plan(Catchup.ONE, remaining=remaining) == CatchupPlan(
        (gap("11:00", "17:00", 5, OccurrenceReason.CAUGHT_UP),), (LAST, LAST)
    )
    assert plan(Catchup.NONE, timedelta(hours=3), remaining).gaps == (
        gap("11:00", "15:00", 4, OccurrenceReason.EXPIRED),
        gap("17:00", "18:00", 2, OccurrenceReason.PASSED),
    )


@examples(150)
@given(st.sampled_from(Catchup), windows, st.integers(0, 30), st.integers(0, 30))
def test_every_missed_time_is_in_exactly_one_gap_or_run(
    mode: Catchup, window: timedelta | None, begin: int, length: int
) -> None:
    first = utc("2026-06-01 00:00") + timedelta(hours=begin)
    last = first + timedelta(hours=length)
    made = plan_catchup(hourly, first, last, mode=mode, window=window, now=last + timedelta(minutes=30))
    spans = [(one.first, one.last) for one in made.gaps] + ([made.late] if made.late else [])
    listed = [at for begin, end in sorted(spans) for at in hourly.between(begin - timedelta(seconds=1), end)]
    assert listed == list(hourly.between(first - timedelta(seconds=1), last))
    assert all(
        one.count == Count(len(list(hourly.between(one.first - timedelta(microseconds=1), one.last))))
        for one in made.gaps
    )


@pytest.mark.parametrize("compiled", [times(every="1m", anchor="2026-01-01T00:00Z"), times(cron="* * * * *")])
@pytest.mark.parametrize("mode", Catchup)
def test_a_year_of_minutes_is_decided_quickly(compiled: PlannedTimes, mode: Catchup) -> None:
    first, last = utc("2026-01-01 00:01"), utc("2026-12-31 23:59")
    begun = process_time()
    made = plan_catchup(UnrecordedTimes(compiled), first, last, mode=mode, window=None, now=last + timedelta(minutes=5))
    assert process_time() - begun < 0.5
    assert len(made.gaps) <= 1
    assert all(one.count == Count(MAX_EXACT_COUNT, more=True) for one in made.gaps)


def test_a_gap_counts_exactly_up_to_ten_thousand_and_then_reports_more() -> None:
    minutely = UnrecordedTimes(times(cron="* * * * *"))
    begin = utc("2026-01-01 00:00")

    def number(minutes: int) -> Count:
        return make_gap(minutely, begin, begin + timedelta(minutes=minutes - 1), OccurrenceReason.PASSED).count

    assert number(MAX_EXACT_COUNT) == Count(10_000)
    assert number(MAX_EXACT_COUNT + 1) == Count(10_000, more=True)


@pytest.mark.parametrize("total", [1, 2, 7, 8, 100])
def test_spread_distributes_them_evenly_over_the_lookahead(total: int) -> None:
    lookahead = timedelta(seconds=60)
    due: list[datetime] = [spread_due(NOW, index, total, lookahead) for index in range(total)]
    assert due[0] == NOW and due[-1] < NOW + lookahead
    steps = {later - earlier for earlier, later in pairwise(due)}
    assert all(abs(step - lookahead / total) <= timedelta(microseconds=1) for step in steps)


def test_spread_of_more_than_counted_ends_at_the_lookahead() -> None:
    assert spread_due(NOW, 12_345, 10_000, timedelta(seconds=60)) == NOW + timedelta(seconds=60)
