"""What is due for a schedule at one instant."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from scheduler.timing.catchup import Gap
from scheduler.timing.compiled import Count
from scheduler.timing.due import (
    CatchupCursor,
    DueResult,
    NewOccurrence,
    ScheduleSnapshot,
    advance_catchup,
    compute_due,
    decide_catchup,
)
from scheduler.timing.jitter import Jitter, parse_jitter
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState, occurrence_key
from scheduler.timing.overlap import UnfinishedOccurrence
from scheduler.timing.policies import Catchup, Overlap, Policies
from tests.timing.schedule_builders import times, utc

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
hourly = times(every="1h", anchor="2026-06-01T00:00Z")
running = UnfinishedOccurrence("running", OccurrenceOrigin.AUTOMATIC, OccurrenceState.STARTED)
waiting = UnfinishedOccurrence("waiting", OccurrenceOrigin.AUTOMATIC, OccurrenceState.QUEUED)


def at(text: str) -> datetime:
    return utc(f"2026-06-01 {text}")


def schedule(
    next_at: str = "11:00", *, skip: str | None = None, jitter: str | None = None, **policies: Any
) -> ScheduleSnapshot:
    snapshot = ScheduleSnapshot(
        id="w/h",
        times=hourly,
        jitter=parse_jitter(jitter),
        policies=Policies(**policies),
        next_at=at(next_at),
        skip_at=None if skip is None else at(skip),
    )
    return replace(snapshot, next_due=snapshot.due_time(at(next_at)))


def summarize(new: tuple[NewOccurrence, ...]) -> list[str]:
    """`11:00 queued late`"""
    return [f"{one.planned:%H:%M} {one.state}{' late' if one.late else ''}" for one in new]


def test_a_due_time_is_queued_and_the_next_one_is_set() -> None:
    result = compute_due(schedule(), [], at("11:00"))
    key = occurrence_key("w/h", at("11:00"), OccurrenceOrigin.AUTOMATIC)
    assert result == DueResult(
        new=(NewOccurrence(key=key, planned=at("11:00"), due=at("11:00")),), next_at=at("12:00"), next_due=at("12:00")
    )


@pytest.mark.parametrize(("now", "late"), [("11:00:59", False), ("11:01:00", False), ("11:01:01", True)])
def test_a_minute_after_it_was_due_it_is_late(now: str, late: bool) -> None:  # noqa: FBT001
    (one,) = compute_due(schedule(catchup=Catchup.ONE), [], at(now)).new
    assert one.late is late


@pytest.mark.parametrize(
    ("every", "now", "late"),
    [
        ("10s", "11:00:05", False),
        ("10s", "11:00:05.001", True),
        ("45s", "11:00:22.500", False),
        ("45s", "11:00:23", True),
        ("1m", "11:00:30", False),
        ("1m", "11:00:31", True),
        ("2m", "11:01:00", False),
        ("2m", "11:01:01", True),
        ("1h", "11:01:01", True),
    ],
)
def test_half_way_to_the_next_time_it_is_late(every: str, now: str, late: bool) -> None:  # noqa: FBT001
    grid = replace(schedule(catchup=Catchup.ONE), times=times(every=every, anchor="2026-06-01T11:00Z"))
    (one,) = compute_due(grid, [], at(now)).new
    assert one.late is late


def test_the_last_time_of_a_schedule_is_regular_for_a_minute() -> None:
    once = replace(schedule(catchup=Catchup.NONE), times=times(once="2026-06-01T11:00Z"))
    assert summarize(compute_due(once, [], at("11:01")).new) == ["11:00 queued"]
    assert compute_due(once, [], at("11:01:01")).new == ()


@pytest.mark.parametrize("every", ["10s", "20s", "1m"])
def test_catchup_none_runs_no_missed_time_of_a_short_grid(every: str) -> None:
    """Times that are less than a minute old are missed, too, once the next one is closer."""
    grid = replace(schedule(catchup=Catchup.NONE), times=times(every=every, anchor="2026-06-01T11:00Z"))
    result = compute_due(grid, [], at("11:30:03"))
    assert summarize(result.new) == ["11:30 queued"]
    [gap] = result.gaps
    assert gap.reason is OccurrenceReason.PASSED and gap.last < at("11:30")


def test_with_catchup_one_the_time_that_is_due_now_is_the_one_that_runs() -> None:
    """The missed ones are caught up by it: nothing runs twice in a row."""
    result = compute_due(schedule(catchup=Catchup.ONE), [], at("18:00:30"))
    assert summarize(result.new) == ["18:00 queued"]
    assert result.gaps == (Gap(at("11:00"), at("17:00"), Count(7), OccurrenceReason.CAUGHT_UP),)
    assert result.next_at == at("19:00")


def test_with_catchup_one_the_latest_missed_time_runs_if_the_one_that_is_due_now_does_not() -> None:
    result = compute_due(schedule(catchup=Catchup.ONE, overlap=Overlap.SKIP), [running], at("18:00:30"))
    assert summarize(result.new) == ["17:00 queued late", "18:00 skipped"]
    assert result.gaps == (Gap(at("11:00"), at("16:00"), Count(6), OccurrenceReason.CAUGHT_UP),)


def test_missed_times_outside_the_window_have_expired_whatever_runs_now() -> None:
    result = compute_due(schedule(catchup=Catchup.ONE, catchup_window=2 * HOUR), [], at("18:00:30"))
    assert summarize(result.new) == ["18:00 queued"]
    assert result.gaps == (
        Gap(at("11:00"), at("16:00"), Count(6), OccurrenceReason.EXPIRED),
        Gap(at("17:00"), at("17:00"), Count(1), OccurrenceReason.CAUGHT_UP),
    )


def test_catchup_none_still_runs_the_time_that_is_due_now() -> None:
    result = compute_due(schedule(catchup=Catchup.NONE), [], at("18:00:30"))
    assert summarize(result.new) == ["18:00 queued"]
    assert result.gaps == (Gap(at("11:00"), at("17:00"), Count(7), OccurrenceReason.PASSED),)


def test_catchup_all_leaves_a_cursor_and_sets_the_next_time() -> None:
    result = compute_due(schedule(catchup=Catchup.ALL), [], at("18:30"))
    assert result.new == () and result.gaps == ()
    assert result.late == CatchupCursor(next=at("11:00"), until=at("18:00"), began=at("18:30"), total=8)
    assert result.next_at == at("19:00")


def test_a_cursor_continues_where_it_stopped() -> None:
    snapshot = schedule("19:00", catchup=Catchup.ALL)
    late = CatchupCursor(next=at("11:00"), until=at("18:00"), began=at("18:30"), total=8)
    first, rest = advance_catchup(snapshot, late, 3, MINUTE)
    assert summarize(first) == ["11:00 queued late", "12:00 queued late", "13:00 queued late"]
    assert rest == replace(late, next=at("14:00"), made=3)
    second, rest = advance_catchup(snapshot, rest, 100, MINUTE)
    assert summarize(second)[0] == "14:00 queued late" and len(second) == 5
    assert rest is None


def test_a_caught_up_time_keeps_its_place_in_the_queue() -> None:
    result = compute_due(schedule(catchup=Catchup.ONE), [], at("18:30"))
    assert [one.due for one in result.new] == [at("18:00")]


def test_catchup_spread_is_even_over_the_lookahead_in_several_steps() -> None:
    snapshot = schedule("19:00", catchup=Catchup.SPREAD)
    late: CatchupCursor | None = CatchupCursor(next=at("11:00"), until=at("18:00"), began=at("18:30"), total=8)
    due = []
    while late is not None:
        new, late = advance_catchup(snapshot, late, 3, MINUTE)
        due += [one.due for one in new]
    assert due == [at("18:30") + timedelta(seconds=7.5) * place for place in range(8)]


def test_newly_missed_times_are_decided_together_with_those_the_cursor_did_not_reach() -> None:
    """A second outage before the cursor finished: each time still ends in one place."""
    snapshot = replace(
        schedule("19:00", catchup=Catchup.ALL, catchup_window=timedelta(hours=4)),
        late=CatchupCursor(next=at("12:00"), until=at("18:00"), began=at("18:30"), total=8, made=1),
    )
    result = compute_due(snapshot, [], at("21:30"))
    assert result.gaps == (Gap(at("12:00"), at("17:00"), Count(6), OccurrenceReason.EXPIRED),)
    assert result.late == CatchupCursor(next=at("18:00"), until=at("21:00"), began=at("21:30"), total=4)


def test_a_cursor_is_dropped_when_the_policy_no_longer_needs_it() -> None:
    snapshot = replace(
        schedule("19:00", catchup=Catchup.NONE),
        late=CatchupCursor(next=at("12:00"), until=at("18:00"), began=at("18:30"), total=8, made=1),
    )
    assert decide_catchup(snapshot, at("18:00"), at("18:31")) == DueResult(
        gaps=(Gap(at("12:00"), at("18:00"), Count(7), OccurrenceReason.PASSED),)
    )


def test_a_cursor_stays_while_only_regular_times_are_due() -> None:
    late = CatchupCursor(next=at("12:00"), until=at("18:00"), began=at("18:30"), total=8, made=1)
    assert compute_due(replace(schedule("19:00", catchup=Catchup.ALL), late=late), [], at("19:00")).late == late


def test_times_with_a_row_are_skipped() -> None:
    """They ran before the clock was set back."""
    snapshot = replace(schedule("11:00"), taken=frozenset({at("12:00"), at("13:00")}))
    assert compute_due(snapshot, [], at("11:00")).next_at == at("14:00")
    result = compute_due(snapshot, [], at("14:30"))
    assert summarize(result.new) == ["14:00 queued late"]
    assert result.gaps == (Gap(at("11:00"), at("11:00"), Count(1), OccurrenceReason.CAUGHT_UP),)


def test_a_skipped_time_is_recorded_as_skipped() -> None:
    result = compute_due(schedule(skip="11:00"), [], at("11:00"))
    assert summarize(result.new) == ["11:00 skipped"]
    assert result.new[0].reason is OccurrenceReason.BY_USER
    assert result.next_at == at("12:00")


@pytest.mark.parametrize(
    ("mode", "new", "gaps"),
    [
        (Catchup.NONE, ["14:00 skipped"], [(at("11:00"), at("15:00"), 4)]),
        (Catchup.ONE, ["14:00 skipped", "15:00 queued late"], [(at("11:00"), at("13:00"), 3)]),
        (Catchup.ALL, ["14:00 skipped"], []),
    ],
)
def test_a_skipped_time_that_was_missed_ignores_the_catchup_policy(
    mode: Catchup, new: list[str], gaps: list[tuple[datetime, datetime, int]]
) -> None:
    result = compute_due(schedule(skip="14:00", catchup=mode), [], at("15:30"))
    assert summarize(result.new) == new
    assert [(gap.first, gap.last, gap.count.number) for gap in result.gaps] == gaps


def test_catchup_one_runs_the_latest_time_that_is_not_skipped() -> None:
    result = compute_due(schedule(skip="15:00", catchup=Catchup.ONE), [], at("15:30"))
    assert summarize(result.new) == ["15:00 skipped", "14:00 queued late"]


def test_skipping_the_only_time_left_ends_the_schedule() -> None:
    snapshot = replace(schedule(skip="11:00"), times=times(once="2026-06-01T11:00Z"))
    result = compute_due(snapshot, [], at("11:00"))
    assert summarize(result.new) == ["11:00 skipped"] and result.next_at is None and result.next_due is None


def test_a_skip_in_the_future_changes_nothing_yet() -> None:
    result = compute_due(schedule(skip="12:00"), [], at("11:00"))
    assert summarize(result.new) == ["11:00 queued"] and result.next_at == at("12:00")


# Jitter can move two neighbours to almost the same instant.
CLOSE = replace(schedule(), times=times(every="20s", anchor="2026-06-01T11:00Z"), next_due=at("11:00:19"))


@pytest.mark.parametrize(
    ("overlap", "others", "states"),
    [
        (Overlap.SKIP, [], ["queued", "skipped"]),
        (Overlap.SKIP, [running], ["skipped", "skipped"]),
        (Overlap.BUFFER_ONE, [running], ["coalesced", "queued"]),
        (Overlap.BUFFER_ALL, [running], ["queued", "queued"]),
        (Overlap.CANCEL_OTHER, [running], ["coalesced", "queued"]),
        (Overlap.TERMINATE_OTHER, [running], ["coalesced", "queued"]),
        (Overlap.ALLOW_ALL, [running], ["queued", "queued"]),
    ],
)
def test_several_times_due_at_once_count_as_overlapping(
    overlap: Overlap, others: list[UnfinishedOccurrence], states: list[str]
) -> None:
    result = compute_due(replace(CLOSE, policies=Policies(overlap=overlap)), others, at("11:00:20"))
    assert [one.state for one in result.new] == states
    assert result.replaced == ()


def test_an_occurrence_already_waiting_is_replaced() -> None:
    result = compute_due(schedule(overlap=Overlap.BUFFER_ONE), [running, waiting], at("11:00"))
    assert result.replaced == ("waiting",) and summarize(result.new) == ["11:00 queued"]


late_waiting = UnfinishedOccurrence("late", OccurrenceOrigin.AUTOMATIC, OccurrenceState.QUEUED, late=True)


@pytest.mark.parametrize("overlap", [policy for policy in Overlap if policy is not Overlap.BUFFER_ALL])
@pytest.mark.parametrize("now", ["11:00", "15:30"], ids=["regular", "missed"])
def test_while_it_is_held_up_only_the_latest_time_waits(overlap: Overlap, now: str) -> None:
    """Whatever the policy, also in place of an earlier catch-up."""
    held = schedule(overlap=overlap, catchup=Catchup.ONE)
    result = compute_due(held, [running, waiting, late_waiting], at(now), is_held_up=True)
    [latest] = result.new
    assert latest.state is OccurrenceState.QUEUED and latest.planned == at("11:00" if now == "11:00" else "15:00")
    assert result.replaced == ("waiting", "late")


def test_while_it_is_held_up_a_catch_up_of_all_times_keeps_them() -> None:
    held = schedule(overlap=Overlap.SKIP, catchup=Catchup.ALL)
    assert compute_due(held, [waiting, late_waiting], at("11:00"), is_held_up=True).replaced == ("waiting",)


def test_while_it_is_held_up_times_that_come_together_are_replaced_as_such() -> None:
    result = compute_due(CLOSE, [], at("11:00:20"), is_held_up=True)
    assert summarize(result.new) == ["11:00 coalesced", "11:00 queued"]
    assert result.new[0].reason is OccurrenceReason.HELD_UP


def test_a_backfill_does_not_count_as_overlapping() -> None:
    busy = [
        UnfinishedOccurrence("filled", OccurrenceOrigin.BACKFILL, state)
        for state in (OccurrenceState.STARTED, OccurrenceState.QUEUED)
    ]
    assert summarize(compute_due(schedule(overlap=Overlap.SKIP), busy, at("11:00")).new) == ["11:00 queued"]
    assert compute_due(schedule(overlap=Overlap.BUFFER_ONE), busy, at("11:00")).replaced == ()


def test_a_caught_up_time_is_not_skipped_whatever_is_running() -> None:
    result = compute_due(schedule(catchup=Catchup.ONE), [running, waiting], at("15:30"))
    assert summarize(result.new) == ["15:00 queued late"]


@pytest.mark.parametrize("jitter", ["20m", "+20m"])
def test_with_jitter_a_time_is_regular_within_a_minute_of_its_due_instant(jitter: str) -> None:
    snapshot = schedule(jitter=jitter)
    assert snapshot.next_due is not None
    for wait, late in ((timedelta(), False), (MINUTE, False), (MINUTE + timedelta(seconds=1), True)):
        (one,) = compute_due(snapshot, [], snapshot.next_due + wait).new
        assert one.late is late and one.due == snapshot.next_due
    assert compute_due(snapshot, [], snapshot.next_due - timedelta(milliseconds=1)).new == ()


def test_jitter_does_not_move_a_time_before_the_schedule_was_added() -> None:
    """Added at 10:55, due at 10:41: it is due at once and not missed."""
    early = next(
        snapshot
        for name in range(50)
        if (snapshot := replace(schedule(), id=f"w/{name}", jitter=Jitter(timedelta(minutes=25), only_later=False)))
        and replace(snapshot, next_due=None).due_time(at("11:00")) < at("10:45")
    )
    armed = replace(early, next_due=None)
    armed = replace(armed, next_due=armed.due_time_when_armed(at("11:00"), at("10:55")))
    assert armed.next_due == at("10:55")
    (one,) = compute_due(armed, [], at("10:55")).new
    assert not one.late and one.due == at("10:55")


def test_times_that_passed_during_a_pause_keep_their_due_instant() -> None:
    assert schedule().due_time_when_armed(at("11:00"), at("15:00")) == at("11:00")
