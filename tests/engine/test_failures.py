"""Runs that fail or cannot be started, and what the schedule does about it."""

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.scheduling.launcher import Result
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND, START, Bench, at


def fail(bench: Bench, **details: object) -> None:
    bench.launcher.finish(result=Result.FAILED, **details)
    bench.tick()


def started(bench: Bench) -> Bench:
    bench.add({"once": "2026-11-16T11:00Z"})
    bench.run_for(HOUR, finish=False)
    return bench


@pytest.mark.parametrize("result", Result)
def test_an_occurrence_ends_once_and_is_not_started_again(bench: Bench, result: Result) -> None:
    """Further attempts belong to the run, which ends its occurrence after the last one."""
    started(bench)
    bench.launcher.finish(result=result, detail="so it went")
    bench.run_for(HOUR)
    (row,) = bench.occurrences()
    assert (row.state.value, row.detail, row.ended) == (result.value, "so it went", at("11:00"))
    assert len(bench.launcher.begun) == 1


def test_failures_do_not_stop_the_schedule(bench: Bench) -> None:
    """The run decides whether too many of them block the lane."""
    bench.add({"every": "1h"})
    for hour in range(8):
        bench.run_for(HOUR, finish=False)
        fail(bench, detail=f"{hour}")
    assert bench.states() == ["failed"] * 8
    assert {row.reason for row in bench.occurrences()} == {OccurrenceReason.ERROR}


def test_an_interruption_by_a_restart_does_not_count_as_a_failure(bench: Bench) -> None:
    bench.add({"every": "1h"}, pause_on_failure=True)
    bench.run_for(HOUR, finish=False)
    bench.crash()
    (row,) = bench.occurrences()
    assert (row.state, row.reason) == (OccurrenceState.FAILED, OccurrenceReason.INTERRUPTED)
    assert not bench.row().paused


def test_resuming_after_a_wait_counts_as_the_same_run(bench: Bench) -> None:
    """All attempts are one run of the schedule."""
    bench.add({"every": "1h", "limit": 2})
    bench.run_for(HOUR, finish=False)
    work = bench.launcher.rest()
    bench.run_for(MINUTE, finish=False)
    bench.launcher.offer(work)
    bench.engine.wake()
    bench.tick()
    assert len(bench.launcher.begun) == 2
    assert bench.row().runs == 1 and bench.row().last_run == at("11:00")
    assert bench.occurrences()[0].began == at("11:00")


def test_a_failed_launch_is_retried_after_1_2_and_4_seconds(bench: Bench) -> None:
    bench.launcher.broken = True
    bench.add({"every": "1h"})
    bench.run_for(HOUR)
    for waited in (1, 2, 4):
        (row,) = bench.occurrences()
        assert row.state is OccurrenceState.QUEUED and row.retry_at == bench.clock.wall + waited * SECOND
        assert row.detail == "The worker is missing."
        bench.run_for(waited * SECOND)
    (row,) = bench.occurrences()
    assert (row.state, row.reason, row.detail) == (
        OccurrenceState.FAILED,
        OccurrenceReason.COULD_NOT_START,
        "The worker is missing.",
    )
    assert row.ended == at("11:00:07") and row.began is None
    assert bench.row().last_run is None and bench.row().runs == 0
    assert bench.schedule_queries.statistics().failed_to_launch == 1


def test_a_launch_that_succeeds_on_retry_counts_once(bench: Bench) -> None:
    bench.launcher.broken = True
    bench.add({"every": "1h"})
    bench.run_for(HOUR)
    bench.launcher.broken = False
    bench.run_for(SECOND, finish=False)
    (row,) = bench.occurrences()
    assert (row.state, row.unlaunched, row.began) == (OccurrenceState.STARTED, 0, at("11:00:01"))
    assert len(bench.launcher.begun) == 1 and bench.row().runs == 1


def test_launch_retries_survive_a_crash(bench: Bench) -> None:
    bench.launcher.broken = True
    bench.add({"every": "1h"})
    bench.run_for(HOUR + SECOND)
    bench.crash()
    bench.launcher.broken = True
    bench.run_for(6 * SECOND)
    (row,) = bench.occurrences()
    assert row.reason is OccurrenceReason.COULD_NOT_START and row.ended == at("11:00:07")


def test_a_run_waiting_for_a_launch_retry_keeps_its_place(bench: Bench) -> None:
    """Buffered runs keep their order."""
    bench.add({"every": "10s"}, overlap="buffer_all")
    bench.launcher.broken = True
    bench.run_for(10 * SECOND)
    bench.clock.move(SECOND / 2)
    bench.commands.trigger("w/h")
    bench.launcher.broken = False
    bench.tick()
    assert bench.launcher.begun == []
    bench.run_for(SECOND)
    assert [work.origin for work in bench.launcher.begun] == ["automatic", "manual"]


def test_a_run_dropped_during_launch_retries_stays_dropped(bench: Bench) -> None:
    bench.launcher.broken = True
    bench.add({"every": "1h"})
    bench.run_for(HOUR)
    bench.commands.delete("w/h")
    bench.run_for(MINUTE)
    (row,) = bench.occurrences()
    assert (row.state, row.reason) == (OccurrenceState.DROPPED, OccurrenceReason.REMOVED)


@pytest.mark.parametrize("failure", ["run", "start"])
def test_a_schedule_may_pause_after_its_first_failure(bench: Bench, failure: str) -> None:
    """With pause_on_failure."""
    bench.add({"every": "1h"}, pause_on_failure=True)
    bench.launcher.broken = failure == "start"
    bench.run_for(HOUR + 10 * SECOND, finish=False)
    if failure == "run":
        fail(bench)
    row = bench.row()
    assert row.paused and row.pause_note == "Paused after a failure." and row.version == 2
    bench.run_for(3 * HOUR)
    assert len(bench.occurrences()) == 1


@pytest.mark.parametrize("result", [Result.SUCCEEDED, Result.CANCELLED])
def test_other_results_do_not_pause_the_schedule(bench: Bench, result: Result) -> None:
    bench.add({"every": "1h"}, pause_on_failure=True)
    bench.run_for(HOUR, finish=False)
    work = bench.launcher.rest()
    assert not bench.row().paused, "the end of an attempt is not the end of the run"
    bench.launcher.offer(work)
    bench.engine.wake()
    bench.tick()
    bench.launcher.finish(result=result)
    assert bench.states() == [result.value] and not bench.row().paused


def test_a_failure_does_not_overwrite_the_users_pause(bench: Bench) -> None:
    bench.add({"every": "1h"}, pause_on_failure=True)
    bench.run_for(HOUR, finish=False)
    bench.commands.pause("w/h", note="on holiday", until=START + DAY)
    fail(bench)
    row = bench.row()
    assert row.pause_note == "on holiday" and row.paused_until == START + DAY and row.version == 2


def test_a_failing_schedule_delays_no_other(bench: Bench) -> None:
    bench.add({"every": "1m"}, name="bad")
    bench.add({"every": "1m"}, name="good")
    for _ in range(10):
        bench.run_for(MINUTE, finish=False)
        for key, work in list(bench.launcher.running.items()):
            bench.launcher.finish(key, Result.FAILED if work.subject == "w/bad" else Result.SUCCEEDED)
        bench.tick()
    assert bench.states("w/good") == ["succeeded"] * 10
    assert all(row.began == row.planned for row in bench.occurrences("w/good"))


@pytest.mark.parametrize("result", [Result.CANCELLED, Result.FAILED])
def test_a_stop_by_the_user_is_not_a_failure(bench: Bench, result: Result) -> None:
    bench.add({"every": "1h"}, pause_on_failure=True)
    bench.run_for(HOUR, finish=False)
    bench.commands.stop("w/h")
    assert bench.launcher.stops == [(bench.launcher.begun[0].key, False)]
    bench.launcher.finish(result=result)
    (row,) = bench.occurrences()
    assert (row.state, row.reason) == (OccurrenceState.CANCELLED, OccurrenceReason.STOPPED)
    assert not bench.row().paused


def test_a_run_that_succeeds_before_it_is_stopped_has_succeeded(bench: Bench) -> None:
    started(bench)
    bench.commands.stop("w/h")
    bench.launcher.finish()
    assert bench.states() == ["succeeded"]


def test_a_stop_applies_only_to_its_run(bench: Bench) -> None:
    """A run that waits instead, and fails later, was not stopped."""
    started(bench)
    bench.commands.stop("w/h")
    work = bench.launcher.rest()
    bench.launcher.offer(work)
    bench.engine.wake()
    bench.tick()
    fail(bench)
    assert [row.reason for row in bench.occurrences()] == [OccurrenceReason.ERROR]


def test_stopping_a_waiting_run_ends_it_at_once(bench: Bench) -> None:
    """Nothing runs that could be asked to stop; the launcher learns that no attempt will follow."""
    started(bench)
    work = bench.launcher.rest()
    bench.commands.stop("w/h", kill=True)
    (row,) = bench.occurrences()
    assert (row.state, row.reason, row.ended) == (OccurrenceState.CANCELLED, OccurrenceReason.STOPPED, at("11:00"))
    assert (bench.launcher.abandoned, bench.launcher.stops) == ([work.key], [])
    bench.run_for(HOUR)
    assert len(bench.launcher.begun) == 1


def test_stop_is_refused_when_nothing_runs(bench: Bench) -> None:
    bench.add({"every": "1h"})
    with pytest.raises(RefusedError, match="w/h is not running") as refused:
        bench.commands.stop("w/h")
    assert refused.value.code == "not running"
