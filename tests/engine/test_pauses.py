"""Pauses with a note or an end, and limits of runs."""

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.schedules import ScheduleState
from scheduler.engine.scheduling.launcher import Result
from scheduler.timing.catchup import Gap
from scheduler.timing.compiled import Count
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Need
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND, START, Bench, at


def state(bench: Bench) -> ScheduleState:
    return bench.schedule_queries.describe("w/h").view.state


def test_a_pause_keeps_its_note_after_a_restart(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.commands.pause("w/h", note="until the printer is back")
    bench.crash(MINUTE)
    bench.run_for(5 * HOUR)
    assert bench.row().pause_note == "until the printer is back"
    assert state(bench) is ScheduleState.PAUSED
    assert bench.launcher.begun == []
    bench.commands.resume("w/h")
    assert bench.row().pause_note is None


@pytest.mark.parametrize("off", [False, True])
def test_a_pause_with_an_end_resumes_automatically(bench: Bench, off: bool) -> None:  # noqa: FBT001
    bench.add({"every": "1h"}, catchup="one")
    bench.commands.pause("w/h", until=at("13:30"), note="lunch")
    if off:
        bench.crash(3 * HOUR)
    bench.run_for(at("13:29:59") - bench.clock.wall)
    assert bench.row().paused
    bench.run_for(2 * SECOND)
    row = bench.row()
    assert not row.paused and row.pause_note is None and row.paused_until is None
    assert bench.planned(OccurrenceState.SUCCEEDED) == ["13:00"]
    assert bench.gaps() == [Gap(at("11:00"), at("12:00"), Count(2), OccurrenceReason.CAUGHT_UP)]
    bench.run_for(31 * MINUTE)
    assert bench.planned(OccurrenceState.SUCCEEDED) == ["13:00", "14:00"]


def test_a_pause_that_would_end_in_the_past_is_refused(bench: Bench) -> None:
    bench.add({"every": "1h"})
    with pytest.raises(RefusedError, match="That time has passed"):
        bench.commands.pause("w/h", until=START)
    assert not bench.row().paused


def test_pausing_again_changes_the_note_and_the_end(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.commands.pause("w/h", until=at("11:30"))
    bench.commands.pause("w/h", note="longer")
    bench.run_for(5 * HOUR)
    assert bench.row().paused and bench.row().pause_note == "longer"


def test_a_time_due_before_the_pause_is_recorded_and_waits(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.clock.move(HOUR)
    bench.commands.pause("w/h")
    bench.run_for(30 * MINUTE)
    assert bench.states() == ["queued"]
    bench.commands.resume("w/h")
    bench.tick()
    assert bench.states() == ["started"]


def test_a_running_run_may_finish_after_a_pause(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    bench.commands.pause("w/h")
    bench.run_for(HOUR)
    assert bench.states() == ["succeeded"]


def test_a_run_being_launched_does_not_start_after_a_pause(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.launcher.slow = True
    bench.run_for(HOUR, finish=False)
    bench.commands.pause("w/h")
    bench.launcher.begin()
    bench.run_for(10 * MINUTE)
    assert bench.states() == ["queued"] and bench.row().last_run is None
    bench.launcher.slow = False
    bench.commands.resume("w/h")
    bench.run_for(SECOND)
    assert bench.states() == ["succeeded"]


def test_resuming_what_is_not_paused_is_refused(bench: Bench) -> None:
    bench.add({"every": "1h"})
    with pytest.raises(RefusedError, match="w/h is not paused"):
        bench.commands.resume("w/h")


@pytest.mark.parametrize("change", [{"spec": {"every": "2h"}}, {"policies": {"catchup": "all"}}], ids=str)
def test_an_edit_never_resumes(bench: Bench, change: dict[str, object]) -> None:
    bench.add({"every": "1h"})
    bench.commands.pause("w/h", note="mine", until=START + 30 * HOUR)
    bench.commands.edit("w/h", version=2, **change)
    row = bench.row()
    assert row.paused and row.pause_note == "mine" and row.paused_until == START + 30 * HOUR
    bench.run_for(5 * HOUR)
    assert bench.launcher.begun == []


@pytest.mark.parametrize("catchup", ["one", "all"])
def test_an_edit_during_a_pause_drops_the_old_times(bench: Bench, catchup: str) -> None:
    """Passed times are dropped with their reason, and the new times begin now."""
    bench.add({"every": "1h"}, catchup=catchup)
    bench.commands.pause("w/h")
    bench.run_for(3 * HOUR + 10 * MINUTE)
    bench.commands.edit("w/h", version=2, spec={"cron": "*/30 * * * *"})
    assert bench.gaps() == [Gap(at("11:00"), at("13:00"), Count(3), OccurrenceReason.EDITED)]
    bench.run_for(HOUR)
    bench.commands.resume("w/h")
    bench.run_for(MINUTE)
    assert bench.planned(OccurrenceState.SUCCEEDED) == (["13:30", "14:00"] if catchup == "all" else ["14:00"])


def test_a_limit_counts_only_automatic_starts(bench: Bench) -> None:
    """Skipped, missed and manual runs do not count; at the limit it is finished."""
    bench.add({"every": "1h", "limit": 3}, catchup="none")
    bench.commands.skip_next("w/h")
    bench.run_for(HOUR)
    bench.commands.trigger("w/h")
    bench.run_for(MINUTE)
    bench.sleep(3 * HOUR)
    bench.run_for(HOUR, finish=False)
    assert bench.row().runs == 1
    bench.run_for(HOUR, finish=False)
    assert bench.states()[-1] == "skipped" and bench.row().runs == 1
    bench.run_for(5 * HOUR)
    assert bench.row().runs == 3 and state(bench) is ScheduleState.FINISHED
    automatic = [work for work in bench.launcher.begun if work.origin == "automatic"]
    assert len(automatic) == 3
    assert bench.schedule_queries.upcoming("w/h", 5) == []


def test_failed_runs_count_against_the_limit(bench: Bench) -> None:
    """Runs are counted when they start."""
    bench.add({"every": "1h", "limit": 1})
    bench.run_for(HOUR, finish=False)
    bench.launcher.finish(result=Result.FAILED)
    bench.run_for(3 * HOUR)
    assert bench.states() == ["failed"] and state(bench) is ScheduleState.FINISHED


def test_a_limited_schedule_is_finished_when_the_last_run_has_ended(bench: Bench) -> None:
    bench.add({"every": "1h", "limit": 1})
    bench.run_for(HOUR, finish=False)
    assert state(bench) is ScheduleState.ACTIVE
    bench.launcher.finish()
    bench.tick()
    assert state(bench) is ScheduleState.FINISHED


def test_queued_runs_are_dropped_when_the_limit_is_reached(bench: Bench) -> None:
    bench.add({"every": "1h", "limit": 1}, overlap="buffer_all", needs=["network"])
    bench.conditions.held[Need.NETWORK] = False
    bench.run_for(3 * HOUR)
    bench.conditions.held[Need.NETWORK] = True
    bench.run_for(MINUTE)
    assert [(row.state, row.reason) for row in bench.occurrences()] == [
        (OccurrenceState.SUCCEEDED, None),
        (OccurrenceState.DROPPED, OccurrenceReason.LIMIT),
        (OccurrenceState.DROPPED, OccurrenceReason.LIMIT),
    ]


def test_manual_runs_are_not_dropped_when_the_limit_is_reached(bench: Bench) -> None:
    """They do not count."""
    bench.add({"every": "1h", "limit": 1})
    bench.clock.move(HOUR)
    bench.launcher.slow = True
    bench.tick()
    bench.commands.trigger("w/h")
    bench.launcher.begin()
    assert sorted(bench.states()) == ["queued", "started"]
    bench.launcher.slow = False
    bench.run_for(MINUTE)
    assert bench.states() == ["succeeded", "succeeded"]


def test_parallel_runs_never_exceed_the_limit(bench: Bench) -> None:
    """Several may be launched at once, but only one may start."""
    bench.add({"every": "10s", "limit": 2}, overlap="allow_all")
    bench.launcher.slow = True
    bench.run_for(40 * SECOND, finish=False)
    bench.launcher.begin()
    assert len(bench.launcher.running) == 2
    assert bench.states() == ["started", "started", "dropped", "dropped"]


@pytest.mark.parametrize("limit", [5, None])
def test_a_raised_limit_resumes_the_schedule(bench: Bench, limit: int | None) -> None:
    bench.add({"every": "1h", "limit": 1})
    bench.run_for(3 * HOUR)
    bench.commands.edit("w/h", version=1, spec={"every": "1h", "limit": limit})
    assert state(bench) is ScheduleState.ACTIVE
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("14:00")]
    bench.run_for(2 * HOUR)
    assert bench.planned(OccurrenceState.SUCCEEDED) == ["11:00", "14:00", "15:00"]


def test_a_limit_below_the_number_of_runs_finishes_the_schedule(bench: Bench) -> None:
    bench.add({"every": "1h"}, overlap="buffer_all")
    bench.run_for(2 * HOUR + MINUTE)
    bench.run_for(2 * HOUR, finish=False)
    assert bench.states() == ["succeeded", "succeeded", "started", "queued"]
    bench.commands.edit("w/h", version=1, spec={"every": "1h", "limit": 2})
    assert bench.states() == ["succeeded", "succeeded", "started", "dropped"]
    bench.run_for(3 * HOUR)
    assert state(bench) is ScheduleState.FINISHED and bench.row().runs == 3


def test_new_times_do_not_give_a_finished_schedule_new_runs(bench: Bench) -> None:
    bench.add({"every": "1h", "limit": 1}, overlap="buffer_all")
    bench.run_for(2 * HOUR)
    bench.commands.edit("w/h", version=1, spec={"every": "2h", "limit": 1})
    bench.run_for(5 * HOUR)
    assert len(bench.launcher.begun) == 1


def test_backfills_do_not_count_against_the_limit(bench: Bench) -> None:
    bench.add({"cron": "0 * * * *", "limit": 1})
    bench.commands.backfill("w/h", [(at("05:00"), at("08:00"))])
    bench.run_for(MINUTE)
    assert bench.row().runs == 0 and len(bench.launcher.begun) == 4


def test_the_next_times_of_a_timed_pause_are_after_its_end(bench: Bench) -> None:
    """Times during the pause are left out; one at its very end counts."""
    bench.add({"cron": "0 * * * *"})
    bench.commands.pause("w/h", until=at("12:30"))
    assert bench.schedule_queries.upcoming("w/h", 2) == [at("13:00"), at("14:00")]
    bench.commands.pause("w/h", until=at("13:00"))
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("13:00")]
