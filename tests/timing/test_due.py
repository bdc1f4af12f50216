"""What a schedule owes at one instant, as a function of values."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from scheduler.timing.catchup import Gap
from scheduler.timing.due import Late, New, Owed, Standing, advance, catch_up, owe
from scheduler.timing.jitter import Jitter, parse_jitter
from scheduler.timing.occurrences import Origin, Reason, State, occurrence_key
from scheduler.timing.overlap import Underway
from scheduler.timing.policies import Catchup, Overlap, Policies
from scheduler.timing.times import Count
from tests.timing.written import times, utc

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
hourly = times(every="1h", anchor="2026-06-01T00:00Z")
running = Underway("running", Origin.AUTOMATIC, State.STARTED)
waiting = Underway("waiting", Origin.AUTOMATIC, State.QUEUED)


def at(text: str) -> datetime:
    return utc(f"2026-06-01 {text}")


def standing(
    next_at: str = "11:00", *, skip: str | None = None, jitter: str | None = None, **policies: Any
) -> Standing:
    found = Standing(
        id="w/h",
        times=hourly,
        jitter=parse_jitter(jitter),
        policies=Policies(**policies),
        next_at=at(next_at),
        skip_at=None if skip is None else at(skip),
    )
    return replace(found, next_due=found.due_of(at(next_at)))


def said(new: tuple[New, ...]) -> list[str]:
    """`11:00 queued late`"""
    return [f"{one.planned:%H:%M} {one.state}{' late' if one.late else ''}" for one in new]


def test_a_time_that_is_due_is_queued_and_the_next_lies_ahead() -> None:
    owed = owe(standing(), [], at("11:00"))
    key = occurrence_key("w/h", at("11:00"), Origin.AUTOMATIC)
    assert owed == Owed(
        new=(New(key=key, planned=at("11:00"), due=at("11:00")),), next_at=at("12:00"), next_due=at("12:00")
    )


@pytest.mark.parametrize(("now", "late"), [("11:00:59", False), ("11:01:00", False), ("11:01:01", True)])
def test_a_minute_after_it_was_due_it_is_late(now: str, late: bool) -> None:  # noqa: FBT001
    (one,) = owe(standing(catchup=Catchup.ONE), [], at(now)).new
    assert one.late is late


def test_a_time_of_the_last_minute_is_regular_beside_the_missed_ones() -> None:
    """M1, M3: the one that is due now is not swallowed by what is made up for."""
    owed = owe(standing(catchup=Catchup.ONE), [], at("18:00:30"))
    assert said(owed.new) == ["17:00 queued late", "18:00 queued"]
    assert owed.gaps == (Gap(at("11:00"), at("16:00"), Count(6), Reason.MADE_UP),)
    assert owed.next_at == at("19:00")


def test_none_still_runs_the_one_that_is_due_now() -> None:
    owed = owe(standing(catchup=Catchup.NONE), [], at("18:00:30"))
    assert said(owed.new) == ["18:00 queued"]
    assert owed.gaps == (Gap(at("11:00"), at("17:00"), Count(7), Reason.PASSED),)


def test_all_leaves_a_cursor_and_the_next_time_lies_ahead_already() -> None:
    owed = owe(standing(catchup=Catchup.ALL), [], at("18:30"))
    assert owed.new == () and owed.gaps == ()
    assert owed.late == Late(next=at("11:00"), until=at("18:00"), began=at("18:30"), total=8)
    assert owed.next_at == at("19:00")


def test_a_cursor_goes_on_from_where_it_was() -> None:
    found = standing("19:00", catchup=Catchup.ALL)
    late = Late(next=at("11:00"), until=at("18:00"), began=at("18:30"), total=8)
    first, rest = advance(found, late, 3, MINUTE)
    assert said(first) == ["11:00 queued late", "12:00 queued late", "13:00 queued late"]
    assert rest == replace(late, next=at("14:00"), made=3)
    second, rest = advance(found, rest, 100, MINUTE)
    assert said(second)[0] == "14:00 queued late" and len(second) == 5
    assert rest is None


def test_what_is_made_up_for_keeps_its_place_in_the_queue() -> None:
    """Caught-up times are queued in order, and before the regular one that is due with them."""
    owed = owe(standing(catchup=Catchup.ONE), [], at("18:00:30"))
    assert [one.due for one in owed.new] == [at("17:00"), at("18:00")]


def test_spread_is_even_over_the_lookahead_in_several_steps() -> None:
    """M1."""
    found = standing("19:00", catchup=Catchup.SPREAD)
    late: Late | None = Late(next=at("11:00"), until=at("18:00"), began=at("18:30"), total=8)
    due = []
    while late is not None:
        new, late = advance(found, late, 3, MINUTE)
        due += [one.due for one in new]
    assert due == [at("18:30") + timedelta(seconds=7.5) * place for place in range(8)]


def test_times_missed_again_are_decided_together_with_those_not_come_to() -> None:
    """A second outage before the cursor was through: each time still has one fate."""
    found = replace(
        standing("19:00", catchup=Catchup.ALL, catchup_window=timedelta(hours=4)),
        late=Late(next=at("12:00"), until=at("18:00"), began=at("18:30"), total=8, made=1),
    )
    owed = owe(found, [], at("21:30"))
    assert owed.gaps == (Gap(at("12:00"), at("17:00"), Count(6), Reason.EXPIRED),)
    assert owed.late == Late(next=at("18:00"), until=at("21:00"), began=at("21:30"), total=4)


def test_a_cursor_is_given_up_when_the_policy_no_longer_calls_for_it() -> None:
    found = replace(
        standing("19:00", catchup=Catchup.NONE),
        late=Late(next=at("12:00"), until=at("18:00"), began=at("18:30"), total=8, made=1),
    )
    assert catch_up(found, at("18:00"), at("18:31")) == Owed(
        gaps=(Gap(at("12:00"), at("18:00"), Count(7), Reason.PASSED),)
    )


def test_a_cursor_stays_while_only_regular_times_come() -> None:
    late = Late(next=at("12:00"), until=at("18:00"), began=at("18:30"), total=8, made=1)
    assert owe(replace(standing("19:00", catchup=Catchup.ALL), late=late), [], at("19:00")).late == late


def test_times_with_a_row_are_passed_over() -> None:
    """M5: what ran before the clock was set back."""
    found = replace(standing("11:00"), taken=frozenset({at("12:00"), at("13:00")}))
    assert owe(found, [], at("11:00")).next_at == at("14:00")
    owed = owe(found, [], at("14:30"))
    assert said(owed.new) == ["14:00 queued late"]
    assert owed.gaps == (Gap(at("11:00"), at("11:00"), Count(1), Reason.MADE_UP),)


def test_a_skipped_time_is_recorded_as_that() -> None:
    """S19."""
    owed = owe(standing(skip="11:00"), [], at("11:00"))
    assert said(owed.new) == ["11:00 skipped"]
    assert owed.new[0].reason is Reason.BY_PERSON
    assert owed.next_at == at("12:00")


@pytest.mark.parametrize(
    ("mode", "new", "gaps"),
    [
        (Catchup.NONE, ["14:00 skipped"], [(at("11:00"), at("15:00"), 4)]),
        (Catchup.ONE, ["14:00 skipped", "15:00 queued late"], [(at("11:00"), at("13:00"), 3)]),
        (Catchup.ALL, ["14:00 skipped"], []),
    ],
)
def test_a_skipped_time_that_was_missed_is_left_to_no_policy(
    mode: Catchup, new: list[str], gaps: list[tuple[datetime, datetime, int]]
) -> None:
    owed = owe(standing(skip="14:00", catchup=mode), [], at("15:30"))
    assert said(owed.new) == new
    assert [(gap.first, gap.last, gap.count.number) for gap in owed.gaps] == gaps


def test_one_runs_the_latest_that_is_not_skipped() -> None:
    owed = owe(standing(skip="15:00", catchup=Catchup.ONE), [], at("15:30"))
    assert said(owed.new) == ["15:00 skipped", "14:00 queued late"]


def test_skipping_the_only_time_left_ends_the_schedule() -> None:
    found = replace(standing(skip="11:00"), times=times(once="2026-06-01T11:00Z"))
    owed = owe(found, [], at("11:00"))
    assert said(owed.new) == ["11:00 skipped"] and owed.next_at is None and owed.next_due is None


def test_a_skip_that_lies_ahead_changes_nothing_yet() -> None:
    owed = owe(standing(skip="12:00"), [], at("11:00"))
    assert said(owed.new) == ["11:00 queued"] and owed.next_at == at("12:00")


OFTEN = replace(standing(), times=times(every="20s", anchor="2026-06-01T11:00Z"))


@pytest.mark.parametrize(
    ("overlap", "others", "states"),
    [
        (Overlap.SKIP, [], ["queued", "skipped", "skipped"]),
        (Overlap.SKIP, [running], ["skipped", "skipped", "skipped"]),
        (Overlap.BUFFER_ONE, [running], ["coalesced", "coalesced", "queued"]),
        (Overlap.BUFFER_ALL, [running], ["queued", "queued", "queued"]),
        (Overlap.CANCEL_OTHER, [running], ["coalesced", "coalesced", "queued"]),
        (Overlap.TERMINATE_OTHER, [running], ["coalesced", "coalesced", "queued"]),
        (Overlap.ALLOW_ALL, [running], ["queued", "queued", "queued"]),
    ],
)
def test_several_times_due_at_once_see_each_other(overlap: Overlap, others: list[Underway], states: list[str]) -> None:
    owed = owe(replace(OFTEN, policies=Policies(overlap=overlap)), others, at("11:00:40"))
    assert [one.state for one in owed.new] == states
    assert owed.replaced == ()


def test_one_that_waited_already_is_replaced() -> None:
    """O2."""
    owed = owe(standing(overlap=Overlap.BUFFER_ONE), [running, waiting], at("11:00"))
    assert owed.replaced == ("waiting",) and said(owed.new) == ["11:00 queued"]


def test_a_backfill_is_not_in_the_way() -> None:
    """P3."""
    busy = [Underway("filled", Origin.BACKFILL, state) for state in (State.STARTED, State.QUEUED)]
    assert said(owe(standing(overlap=Overlap.SKIP), busy, at("11:00")).new) == ["11:00 queued"]
    assert owe(standing(overlap=Overlap.BUFFER_ONE), busy, at("11:00")).replaced == ()


def test_caught_up_times_do_not_skip_each_other_whatever_runs() -> None:
    owed = owe(standing(catchup=Catchup.ONE), [running, waiting], at("15:30"))
    assert said(owed.new) == ["15:00 queued late"]


@pytest.mark.parametrize("jitter", ["20m", "+20m"])
def test_with_jitter_a_time_is_regular_within_a_minute_of_its_due_instant(jitter: str) -> None:
    found = standing(jitter=jitter)
    assert found.next_due is not None
    for wait, late in ((timedelta(), False), (MINUTE, False), (MINUTE + timedelta(seconds=1), True)):
        (one,) = owe(found, [], found.next_due + wait).new
        assert one.late is late and one.due == found.next_due
    assert owe(found, [], found.next_due - timedelta(milliseconds=1)).new == ()


def test_jitter_does_not_reach_back_before_the_schedule_was_made() -> None:
    """Added at 10:55, due at 10:41: it is due at once and not missed."""
    early = next(
        found
        for name in range(50)
        if (found := replace(standing(), id=f"w/{name}", jitter=Jitter(timedelta(minutes=25), only_later=False)))
        and replace(found, next_due=None).due_of(at("11:00")) < at("10:45")
    )
    armed = replace(early, next_due=None)
    armed = replace(armed, next_due=armed.due_when_armed(at("11:00"), at("10:55")))
    assert armed.next_due == at("10:55")
    (one,) = owe(armed, [], at("10:55")).new
    assert not one.late and one.due == at("10:55")


def test_times_that_passed_during_a_pause_keep_their_due_instant() -> None:
    assert standing().due_when_armed(at("11:00"), at("15:00")) == at("11:00")
