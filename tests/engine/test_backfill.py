"""Past ranges that a person asks for."""

from collections.abc import Callable

import pytest

from scheduler.engine.launcher import Result
from scheduler.engine.refusal import RefusedError
from scheduler.store.workflows import WorkflowStatus
from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.policies import Overlap
from tests.engine.harness import HOUR, MINUTE, SECOND, START, Bench, at

HOURLY = {"cron": "0 * * * *"}


def began(bench: Bench) -> list[str]:
    return [f"{work.planned:%H:%M} {work.origin}" for work in bench.launcher.begun]


def filled(bench: Bench) -> list[str]:
    return [f"{work.planned:%H:%M}" for work in bench.launcher.begun if work.origin is Origin.BACKFILL]


def test_a_range_is_inclusive(bench: Bench) -> None:
    """P3."""
    bench.add(HOURLY)
    answer = bench.commands.backfill("w/h", [(at("05:00"), at("08:00"))])
    assert answer.total == 4
    bench.run_for(MINUTE)
    assert filled(bench) == ["05:00", "06:00", "07:00", "08:00"]
    assert all(row.origin is Origin.BACKFILL and row.backfill == answer.backfill for row in bench.occurrences())


def test_a_range_without_times_says_so(bench: Bench) -> None:
    """P3."""
    bench.add(HOURLY)
    with pytest.raises(RefusedError, match="w/h has no times in that range") as refused:
        bench.commands.backfill("w/h", [(at("05:01"), at("05:59"))])
    assert refused.value.code == "no times"


def test_a_range_that_ends_before_it_begins_is_refused(bench: Bench) -> None:
    bench.add(HOURLY)
    with pytest.raises(RefusedError, match="ends before it begins"):
        bench.commands.backfill("w/h", [(at("06:00"), at("05:00"))])


def test_several_ranges_are_counted_once(bench: Bench) -> None:
    """P3."""
    bench.add(HOURLY)
    ranges = [
        (at("06:00"), at("08:00")),
        (at("05:00"), at("07:00")),
        (at("03:00"), at("03:00")),
        (at("06:00"), at("06:30")),
    ]
    assert bench.commands.backfill("w/h", ranges).total == 5
    bench.run_for(MINUTE)
    assert filled(bench) == ["03:00", "05:00", "06:00", "07:00", "08:00"]


def test_what_lies_ahead_is_left_to_the_schedule(bench: Bench) -> None:
    """P3: a range is cut at now."""
    bench.add(HOURLY)
    assert bench.commands.backfill("w/h", [(at("09:00"), at("20:00"))]).total == 2
    with pytest.raises(RefusedError, match="no times"):
        bench.commands.backfill("w/h", [(at("11:00"), at("20:00"))])
    bench.run_for(5 * HOUR)
    assert began(bench)[:2] == ["09:00 backfill", "10:00 backfill"]
    assert len(set(began(bench))) == len(began(bench)) == 7


def test_too_many_times_are_refused(bench: Bench) -> None:
    bench.add({"cron": "* * * * *"})
    with pytest.raises(RefusedError, match="choose a shorter one"):
        bench.commands.backfill("w/h", [(START - 300 * 24 * HOUR, START)])


@pytest.mark.parametrize(("missing", "expected"), [(False, ["11:00", "12:00", "13:00"]), (True, ["12:00", "13:00"])])
def test_times_that_ran_are_repeated_unless_only_missing_ones_are_asked_for(
    bench: Bench,
    missing: bool,  # noqa: FBT001
    expected: list[str],
) -> None:
    """P3."""
    bench.add(HOURLY, catchup="none")
    bench.run_for(HOUR)
    bench.commands.skip_next("w/h")
    bench.run_for(HOUR)
    bench.sleep(HOUR + 30 * MINUTE)
    bench.tick()
    answer = bench.commands.backfill("w/h", [(at("11:00"), at("13:00"))], missing=missing)
    assert answer.total == len(expected), "so that progress comes to its end"
    bench.run_for(MINUTE)
    assert filled(bench) == expected


def test_a_range_in_which_all_ran_has_nothing_missing(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.run_for(2 * HOUR)
    with pytest.raises(RefusedError, match=r"All times of w/h in that range have run\."):
        bench.commands.backfill("w/h", [(at("11:00"), at("12:00"))], missing=True)


def test_a_time_that_failed_counts_as_missing_and_one_that_runs_does_not(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.run_for(HOUR, finish=False)
    bench.launcher.finish(result=Result.FAILED)
    bench.run_for(HOUR, finish=False)
    bench.commands.backfill("w/h", [(at("11:00"), at("12:00"))], missing=True)
    bench.tick()
    waiting = bench.occurrences("w/h", State.QUEUED)
    assert [row.planned for row in waiting] == [at("11:00")]


def test_a_manual_run_in_the_same_second_is_not_that_time(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.commands.trigger("w/h")
    bench.run_for(SECOND)
    bench.commands.backfill("w/h", [(at("10:00"), at("10:00"))], missing=True)
    bench.run_for(SECOND)
    assert filled(bench) == ["10:00"]


def test_it_works_while_its_schedule_is_paused(bench: Bench) -> None:
    """P3."""
    bench.add(HOURLY)
    bench.commands.pause("w/h")
    bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))])
    bench.run_for(3 * HOUR)
    assert began(bench) == ["05:00 backfill", "06:00 backfill"]


def test_it_waits_while_its_lane_is_closed(bench: Bench) -> None:
    """P3."""
    bench.deploy("h")
    bench.add(HOURLY)
    bench.block("h")
    bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))])
    bench.run_for(30 * MINUTE)
    assert filled(bench) == []
    bench.open_up("h")
    bench.run_for(MINUTE)
    assert filled(bench) == ["05:00", "06:00"]


def test_it_waits_while_its_workflow_is_paused(bench: Bench) -> None:
    """P3."""
    bench.deploy("h")
    bench.add(HOURLY)
    bench.set_status(WorkflowStatus.PAUSED)
    bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))])
    bench.run_for(30 * MINUTE)
    assert filled(bench) == []
    bench.set_status(WorkflowStatus.ACTIVE)
    bench.run_for(MINUTE)
    assert filled(bench) == ["05:00", "06:00"]


def test_at_most_ten_new_rows_a_tick_and_progress_is_shown(bench: Bench) -> None:
    bench.add({"cron": "* * * * *"})
    bench.commands.backfill("w/h", [(at("05:00"), at("05:59"))])
    made = []
    for _ in range(8):
        bench.engine.tick(bench.clock.wall)
        (progress,) = bench.views.describe("w/h").backfills
        made.append(progress.made)
    assert made == [10, 20, 30, 40, 50, 60, 60, 60]
    assert progress.total == 60 and progress.ended is not None and not progress.cancelled


def test_only_so_many_wait_at_once_and_none_is_dropped(make_bench: Callable[..., Bench]) -> None:
    """P3: a backfill of more than may wait makes rows as others end."""
    bench = make_bench(waiting_at_most=7)
    bench.add({"cron": "* * * * *"})
    bench.commands.backfill("w/h", [(at("05:00"), at("05:29"))])
    bench.tick()
    assert len(bench.occurrences()) == 7
    bench.run_for(SECOND)
    assert bench.states() == ["succeeded"] * 30


def test_a_thousand_and_more_are_all_run(bench: Bench) -> None:
    """P3: the buffer of the regular times is no limit for a backfill."""
    bench.add({"cron": "* * * * *"})
    bench.commands.backfill("w/h", [(START - 1_500 * MINUTE, START - MINUTE)])
    bench.tick()
    assert len(bench.occurrences()) == 1_000
    assert Reason.BUFFER_FULL not in {row.reason for row in bench.occurrences()}


def test_the_regular_times_keep_coming(bench: Bench) -> None:
    """P3: they go before everything that a backfill still has to do."""
    bench.add({"every": "1m", "anchor": "2026-11-16T00:00Z"}, overlap="skip")
    bench.commands.backfill("w/h", [(at("05:00"), at("06:39"))])
    for _ in range(5):
        bench.run_for(MINUTE, finish=False)
        bench.launcher.finish()
        bench.tick()
    order = [work.origin for work in bench.launcher.begun]
    assert order.count(Origin.AUTOMATIC) >= 2
    regular = [row for row in bench.occurrences() if row.origin is Origin.AUTOMATIC]
    assert [row.planned for row in regular] == [at(f"10:0{minute}") for minute in range(1, 6)]


def test_other_schedules_go_before_a_backfill(make_bench: Callable[..., Bench]) -> None:
    """P3: it never starves the regular times, not even of a slot."""
    bench = make_bench(concurrency=1)
    bench.add(HOURLY)
    bench.add({"every": "1h"}, name="other")
    bench.commands.backfill("w/h", [(at("01:00"), at("09:00"))])
    bench.run_for(HOUR, finish=False)
    bench.launcher.finish()
    bench.tick()
    assert bench.launcher.begun[1].origin is Origin.AUTOMATIC


def test_a_backfill_that_is_cancelled_drops_what_waits(bench: Bench) -> None:
    """P3: what runs may finish."""
    bench.add(HOURLY)
    answer = bench.commands.backfill("w/h", [(at("05:00"), at("08:00"))])
    assert answer.backfill is not None
    bench.tick()
    bench.commands.cancel_backfill(answer.backfill)
    assert [(row.state, row.reason) for row in bench.occurrences()] == [
        (State.STARTED, None),
        *[(State.DROPPED, Reason.BACKFILL_CANCELLED)] * 3,
    ]
    bench.launcher.finish()
    bench.run_for(MINUTE)
    assert filled(bench) == ["05:00"]
    (row,) = bench.views.describe("w/h").backfills
    assert row.cancelled and row.ended is not None
    with pytest.raises(RefusedError, match="already ended"):
        bench.commands.cancel_backfill(answer.backfill)


def test_cancelled_before_all_rows_are_made_it_makes_no_more(bench: Bench) -> None:
    bench.add({"cron": "* * * * *"})
    answer = bench.commands.backfill("w/h", [(at("05:00"), at("05:59"))])
    assert answer.backfill is not None
    bench.engine.tick(bench.clock.wall)
    bench.commands.cancel_backfill(answer.backfill)
    bench.run_for(30 * SECOND)
    assert len(bench.occurrences()) == 10


def test_there_is_no_such_backfill(bench: Bench) -> None:
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
def test_it_has_an_overlap_policy_of_its_own(bench: Bench, overlap: Overlap, states: list[str]) -> None:
    """P3."""
    bench.add(HOURLY, overlap="terminate_other")
    bench.commands.backfill("w/h", [(at("05:00"), at("08:00"))], overlap=overlap)
    bench.run_for(SECOND)
    assert bench.states() == states


def test_side_by_side_fills_the_slots(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.commands.backfill("w/h", [(at("01:00"), at("08:00"))], overlap=Overlap.ALLOW_ALL)
    bench.tick()
    assert len(bench.launcher.running) == 4


def test_it_goes_on_after_a_crash_without_repeating_or_losing_a_time(bench: Bench) -> None:
    """P3, I1."""
    bench.add({"cron": "* * * * *"})
    bench.commands.backfill("w/h", [(at("05:00"), at("05:24"))])
    bench.engine.tick(bench.clock.wall)
    bench.engine.tick(bench.clock.wall)
    first = filled(bench)
    bench.crash()
    bench.run_for(30 * SECOND)
    assert first + filled(bench) == [f"05:{minute:02}" for minute in range(25)]


def test_the_same_range_may_be_asked_for_twice(bench: Bench) -> None:
    bench.add(HOURLY)
    for _ in range(2):
        bench.commands.backfill("w/h", [(at("05:00"), at("05:00"))])
    bench.run_for(SECOND)
    assert filled(bench) == ["05:00", "05:00"]


def test_it_does_not_move_the_regular_times(bench: Bench) -> None:
    bench.add({"every": "1h", "anchor": "2026-11-16T00:00Z"})
    bench.commands.backfill("w/h", [(at("05:00"), at("09:00"))])
    bench.run_for(MINUTE)
    assert bench.views.upcoming("w/h", 1) == [at("11:00")]


def test_removing_the_schedule_ends_its_backfills(bench: Bench) -> None:
    bench.add({"cron": "* * * * *"})
    bench.commands.backfill("w/h", [(at("05:00"), at("05:59"))])
    bench.engine.tick(bench.clock.wall)
    bench.commands.delete("w/h")
    bench.add({"cron": "* * * * *"})
    bench.run_for(30 * SECOND)
    assert len(bench.occurrences()) == 10
    (row,) = bench.views.describe("w/h").backfills
    assert row.cancelled


def test_a_regular_time_gets_a_free_slot_before_an_older_backfill(make_bench: Callable[..., Bench]) -> None:
    """P3: also that of another schedule."""
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
    """P3."""
    bench.add(HOURLY)
    assert bench.commands.backfill("w/h", [(at("05:00"), at("06:00")), (at("06:00"), at("07:00"))]).total == 3
    bench.run_for(MINUTE)
    assert began(bench) == ["05:00 backfill", "06:00 backfill", "07:00 backfill"]
