"""Backfills of past ranges."""

from collections.abc import Callable

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.scheduling.launcher import Result
from scheduler.store.workflows import WorkflowStatus
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Overlap
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND, START, Bench, at

HOURLY = {"cron": "0 * * * *"}


def started_times(bench: Bench) -> list[str]:
    return [f"{work.planned:%H:%M} {work.origin}" for work in bench.launcher.begun]


def backfilled_times(bench: Bench) -> list[str]:
    return [f"{work.planned:%H:%M}" for work in bench.launcher.begun if work.origin is OccurrenceOrigin.BACKFILL]


def test_a_range_is_inclusive(bench: Bench) -> None:
    bench.add(HOURLY)
    answer = bench.commands.backfill("w/h", [(at("05:00"), at("08:00"))])
    assert answer.total == 4
    bench.run_for(MINUTE)
    assert backfilled_times(bench) == ["05:00", "06:00", "07:00", "08:00"]
    assert all(
        row.origin is OccurrenceOrigin.BACKFILL and row.backfill == answer.backfill for row in bench.occurrences()
    )


def test_a_range_without_times_is_refused(bench: Bench) -> None:
    bench.add(HOURLY)
    with pytest.raises(RefusedError, match="w/h has no scheduled runs in that range") as refused:
        bench.commands.backfill("w/h", [(at("05:01"), at("05:59"))])
    assert refused.value.code == "no times"


def test_a_range_that_ends_before_it_starts_is_refused(bench: Bench) -> None:
    bench.add(HOURLY)
    with pytest.raises(RefusedError, match="ends before it starts"):
        bench.commands.backfill("w/h", [(at("06:00"), at("05:00"))])


def test_overlapping_ranges_are_counted_once(bench: Bench) -> None:
    bench.add(HOURLY)
    ranges = [
        (at("06:00"), at("08:00")),
        (at("05:00"), at("07:00")),
        (at("03:00"), at("03:00")),
        (at("06:00"), at("06:30")),
    ]
    assert bench.commands.backfill("w/h", ranges).total == 5
    bench.run_for(MINUTE)
    assert backfilled_times(bench) == ["03:00", "05:00", "06:00", "07:00", "08:00"]


def test_future_times_in_the_range_are_left_to_the_schedule(bench: Bench) -> None:
    """A range is cut off at now."""
    bench.add(HOURLY)
    assert bench.commands.backfill("w/h", [(at("09:00"), at("20:00"))]).total == 2
    with pytest.raises(RefusedError, match="no scheduled runs"):
        bench.commands.backfill("w/h", [(at("11:00"), at("20:00"))])
    bench.run_for(5 * HOUR)
    assert started_times(bench)[:2] == ["09:00 backfill", "10:00 backfill"]
    assert len(set(started_times(bench))) == len(started_times(bench)) == 7


def test_too_many_times_are_refused(bench: Bench) -> None:
    bench.add({"cron": "* * * * *"})
    with pytest.raises(RefusedError, match="Choose a shorter one"):
        bench.commands.backfill("w/h", [(START - 300 * 24 * HOUR, START)])


@pytest.mark.parametrize(("missing", "expected"), [(False, ["11:00", "12:00", "13:00"]), (True, ["12:00", "13:00"])])
def test_times_that_ran_are_repeated_unless_only_missing_ones_are_requested(
    bench: Bench,
    missing: bool,  # noqa: FBT001
    expected: list[str],
) -> None:
    bench.add(HOURLY, catchup="none")
    bench.run_for(HOUR)
    bench.commands.skip_next("w/h")
    bench.run_for(HOUR)
    bench.sleep(HOUR + 30 * MINUTE)
    bench.tick()
    answer = bench.commands.backfill("w/h", [(at("11:00"), at("13:00"))], missing=missing)
    assert answer.total == len(expected), "so that progress reaches its end"
    bench.run_for(MINUTE)
    assert backfilled_times(bench) == expected


def test_a_range_where_every_time_ran_has_nothing_missing(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.run_for(2 * HOUR)
    with pytest.raises(RefusedError, match=r"w/h already ran at every time in that range\."):
        bench.commands.backfill("w/h", [(at("11:00"), at("12:00"))], missing=True)


def test_a_time_that_failed_counts_as_missing_and_one_that_runs_does_not(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.run_for(HOUR, finish=False)
    bench.launcher.finish(result=Result.FAILED)
    bench.run_for(HOUR, finish=False)
    bench.commands.backfill("w/h", [(at("11:00"), at("12:00"))], missing=True)
    bench.tick()
    waiting = bench.occurrences("w/h", OccurrenceState.QUEUED)
    assert [row.planned for row in waiting] == [at("11:00")]


def test_a_manual_run_in_the_same_second_is_not_that_time(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.commands.trigger("w/h")
    bench.run_for(SECOND)
    bench.commands.backfill("w/h", [(at("10:00"), at("10:00"))], missing=True)
    bench.run_for(SECOND)
    assert backfilled_times(bench) == ["10:00"]


def test_a_backfill_runs_while_its_schedule_is_paused(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.commands.pause("w/h")
    bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))])
    bench.run_for(3 * HOUR)
    assert started_times(bench) == ["05:00 backfill", "06:00 backfill"]


def test_a_backfill_waits_while_its_lane_is_blocked(bench: Bench) -> None:
    bench.deploy("h")
    bench.add(HOURLY)
    bench.block("h")
    bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))])
    bench.run_for(30 * MINUTE)
    assert backfilled_times(bench) == []
    bench.unblock("h")
    bench.run_for(MINUTE)
    assert backfilled_times(bench) == ["05:00", "06:00"]


def test_a_backfill_waits_while_its_workflow_is_paused(bench: Bench) -> None:
    bench.deploy("h")
    bench.add(HOURLY)
    bench.set_status(WorkflowStatus.PAUSED)
    bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))])
    bench.run_for(30 * MINUTE)
    assert backfilled_times(bench) == []
    bench.set_status(WorkflowStatus.ACTIVE)
    bench.run_for(MINUTE)
    assert backfilled_times(bench) == ["05:00", "06:00"]


def test_at_most_ten_rows_are_added_per_tick_and_progress_is_shown(bench: Bench) -> None:
    bench.add({"cron": "* * * * *"})
    bench.commands.backfill("w/h", [(at("05:00"), at("05:59"))])
    made = []
    for _ in range(8):
        bench.engine.tick(bench.clock.wall)
        (progress,) = bench.schedule_queries.describe("w/h").backfills
        made.append(progress.made)
    assert made == [10, 20, 30, 40, 50, 60, 60, 60]
    assert progress.total == 60 and progress.ended is not None and not progress.cancelled


def test_the_number_of_queued_rows_is_limited_and_none_is_dropped(make_bench: Callable[..., Bench]) -> None:
    """A backfill of more rows than may be queued adds rows as others end."""
    bench = make_bench(waiting_at_most=7)
    bench.add({"cron": "* * * * *"})
    bench.commands.backfill("w/h", [(at("05:00"), at("05:29"))])
    bench.tick()
    assert len(bench.occurrences()) == 7
    bench.run_for(SECOND)
    assert bench.states() == ["succeeded"] * 30


def test_more_than_a_thousand_times_all_run(bench: Bench) -> None:
    """The buffer limit of regular times does not apply to a backfill."""
    bench.add({"cron": "* * * * *"})
    bench.commands.backfill("w/h", [(START - 1_500 * MINUTE, START - MINUTE)])
    bench.tick()
    assert len(bench.occurrences()) == 1_000
    assert OccurrenceReason.BUFFER_FULL not in {row.reason for row in bench.occurrences()}


def test_regular_times_continue_during_a_backfill(bench: Bench) -> None:
    """They go before what is left of the backfill."""
    bench.add({"every": "1m", "anchor": "2026-11-16T00:00Z"}, overlap="skip")
    bench.commands.backfill("w/h", [(at("05:00"), at("06:39"))])
    for _ in range(5):
        bench.run_for(MINUTE, finish=False)
        bench.launcher.finish()
        bench.tick()
    order = [work.origin for work in bench.launcher.begun]
    assert order.count(OccurrenceOrigin.AUTOMATIC) >= 2
    regular = [row for row in bench.occurrences() if row.origin is OccurrenceOrigin.AUTOMATIC]
    assert [row.planned for row in regular] == [at(f"10:0{minute}") for minute in range(1, 6)]


def test_other_schedules_run_before_a_backfill(make_bench: Callable[..., Bench]) -> None:
    """It never takes the last slot from regular times."""
    bench = make_bench(concurrency=1)
    bench.add(HOURLY)
    bench.add({"every": "1h"}, name="other")
    bench.commands.backfill("w/h", [(at("01:00"), at("09:00"))])
    bench.run_for(HOUR, finish=False)
    bench.launcher.finish()
    bench.tick()
    assert bench.launcher.begun[1].origin is OccurrenceOrigin.AUTOMATIC


def test_cancelling_a_backfill_drops_its_queued_runs(bench: Bench) -> None:
    """Running ones may finish."""
    bench.add(HOURLY)
    answer = bench.commands.backfill("w/h", [(at("05:00"), at("08:00"))])
    assert answer.backfill is not None
    bench.tick()
    bench.commands.cancel_backfill(answer.backfill)
    assert [(row.state, row.reason) for row in bench.occurrences()] == [
        (OccurrenceState.STARTED, None),
        *[(OccurrenceState.DROPPED, OccurrenceReason.BACKFILL_CANCELLED)] * 3,
    ]
    bench.launcher.finish()
    bench.run_for(MINUTE)
    assert backfilled_times(bench) == ["05:00"]
    (row,) = bench.schedule_queries.describe("w/h").backfills
    assert row.cancelled and row.ended is not None
    with pytest.raises(RefusedError, match="already ended"):
        bench.commands.cancel_backfill(answer.backfill)


def test_a_cancelled_backfill_adds_no_more_rows(bench: Bench) -> None:
    bench.add({"cron": "* * * * *"})
    answer = bench.commands.backfill("w/h", [(at("05:00"), at("05:59"))])
    assert answer.backfill is not None
    bench.engine.tick(bench.clock.wall)
    bench.commands.cancel_backfill(answer.backfill)
    bench.run_for(30 * SECOND)
    assert len(bench.occurrences()) == 10


def test_cancelling_an_unknown_backfill_is_refused(bench: Bench) -> None:
    with pytest.raises(RefusedError, match="There is no backfill x"):
        bench.commands.cancel_backfill("x")


@pytest.mark.parametrize(
    ("overlap", "states"),
    [
        (Overlap.SKIP, ["succeeded", "skipped", "skipped", "skipped"]),
        (Overlap.BUFFER_ONE, ["coalesced", "coalesced", "coalesced", "succeeded"]),
        (Overlap.BUFFER_ALL, ["succeeded"] * 4),
        (Overlap.ALLOW_ALL, ["succeeded"] * 4),
    ],
)
def test_a_backfill_has_its_own_overlap_policy(bench: Bench, overlap: Overlap, states: list[str]) -> None:
    bench.add(HOURLY, overlap="terminate_other")
    bench.commands.backfill("w/h", [(at("05:00"), at("08:00"))], overlap=overlap)
    bench.run_for(SECOND)
    assert bench.states() == states


def test_allow_all_fills_the_slots(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.commands.backfill("w/h", [(at("01:00"), at("08:00"))], overlap=Overlap.ALLOW_ALL)
    bench.tick()
    assert len(bench.launcher.running) == 4


def test_a_backfill_continues_after_a_crash_without_repeating_or_losing_a_time(bench: Bench) -> None:
    bench.add({"cron": "* * * * *"})
    bench.commands.backfill("w/h", [(at("05:00"), at("05:24"))])
    bench.engine.tick(bench.clock.wall)
    bench.engine.tick(bench.clock.wall)
    first = backfilled_times(bench)
    bench.crash()
    bench.run_for(30 * SECOND)
    assert first + backfilled_times(bench) == [f"05:{minute:02}" for minute in range(25)]


def test_the_same_range_can_be_backfilled_twice(bench: Bench) -> None:
    bench.add(HOURLY)
    for _ in range(2):
        bench.commands.backfill("w/h", [(at("05:00"), at("05:00"))])
    bench.run_for(SECOND)
    assert backfilled_times(bench) == ["05:00", "05:00"]


def test_a_backfill_does_not_move_the_regular_times(bench: Bench) -> None:
    bench.add({"every": "1h", "anchor": "2026-11-16T00:00Z"})
    bench.commands.backfill("w/h", [(at("05:00"), at("09:00"))])
    bench.run_for(MINUTE)
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("11:00")]


def test_removing_the_schedule_cancels_its_backfills(bench: Bench) -> None:
    bench.add({"cron": "* * * * *"})
    bench.commands.backfill("w/h", [(at("05:00"), at("05:59"))])
    bench.engine.tick(bench.clock.wall)
    bench.commands.delete("w/h")
    bench.add({"cron": "* * * * *"})
    bench.run_for(30 * SECOND)
    assert len(bench.occurrences()) == 10
    (row,) = bench.schedule_queries.describe("w/h").backfills
    assert row.cancelled


def test_a_regular_time_gets_a_free_slot_before_an_older_backfill(make_bench: Callable[..., Bench]) -> None:
    """Even one of another schedule."""
    bench = make_bench(concurrency=1)
    for name in ("busy", "filled", "regular"):
        bench.add({"cron": "0 * * * *"}, name=name)
    bench.commands.trigger("w/busy")
    bench.tick()
    bench.commands.backfill("w/filled", [(at("05:00"), at("05:00"))])
    bench.run_for(MINUTE, finish=False)
    bench.commands.trigger("w/regular")
    bench.launcher.finish()
    bench.tick()
    assert bench.launcher.begun[-1].subject == "w/regular"


def test_ranges_that_touch_count_their_common_time_once(bench: Bench) -> None:
    bench.add(HOURLY)
    assert bench.commands.backfill("w/h", [(at("05:00"), at("06:00")), (at("06:00"), at("07:00"))]).total == 3
    bench.run_for(MINUTE)
    assert started_times(bench) == ["05:00 backfill", "06:00 backfill", "07:00 backfill"]
