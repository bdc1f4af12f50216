"""Runs that fail, that cannot be started, and what the schedule does about it."""

from datetime import timedelta

import pytest

from scheduler.engine.launcher import Result
from scheduler.engine.refusal import RefusedError
from scheduler.engine.views import ScheduleState
from scheduler.timing.occurrences import Reason, State
from scheduler.timing.policies import Need
from tests.engine.harness import DAY, HOUR, MINUTE, SECOND, START, Bench, at

WAITS = [timedelta(seconds=seconds) for seconds in (30, 60, 300, 900)]


def fail(bench: Bench, result: Result = Result.TRANSIENT, **details: object) -> None:
    bench.launcher.finish(result=result, **details)
    bench.tick()


def started(bench: Bench) -> Bench:
    bench.add({"once": "2026-11-16T11:00Z"})
    bench.run_for(HOUR, finish=False)
    return bench


@pytest.mark.parametrize("restart", [False, True])
def test_transient_failures_are_tried_again_and_the_fifth_blocks(bench: Bench, restart: bool) -> None:  # noqa: FBT001
    """P2: 30 s, 1 m, 5 m, 15 m and up to a tenth more; also over restarts."""
    started(bench)
    for number, wait in enumerate(WAITS, start=1):
        fail(bench, detail=f"failure {number}")
        (row,) = bench.occurrences()
        assert row.state is State.STARTED and row.retry_at is not None
        assert wait <= row.retry_at - bench.clock.wall <= wait * 1.1
        if restart:
            bench.crash(10 * SECOND)
            bench.tick()
        bench.run_for(row.retry_at - bench.clock.wall - SECOND, finish=False)
        assert bench.launcher.running == {}, "not too early"
        bench.run_for(2 * SECOND, finish=False)
        assert [work.attempt for work, _ in bench.launcher.running.values()] == [number + 1]
    fail(bench, detail="failure 5")
    (row,) = bench.occurrences()
    assert (row.state, row.reason, row.detail) == (State.FAILED, Reason.TOO_MANY_FAILURES, "failure 5")
    assert [view.state for view in bench.views.schedules()] == [ScheduleState.BLOCKED]
    assert bench.row().blocked == "It failed five times in a row."


def test_a_blocked_schedule_starts_nothing_until_it_is_resumed(bench: Bench) -> None:
    """P2: its times go on, what waits is not lost."""
    bench.add({"every": "1h"}, overlap="buffer_one")
    for hour in range(5):
        bench.run_for(HOUR, finish=False)
        fail(bench, Result.FAILED, detail=f"{hour}")
    bench.run_for(2 * HOUR)
    assert bench.states() == ["failed"] * 5 + ["coalesced", "queued"]
    with pytest.raises(RefusedError, match=r"is blocked: It failed five times in a row\. Resume it first"):
        bench.commands.trigger("w/h")
    bench.crash()
    bench.tick()
    assert bench.launcher.running == {}
    bench.commands.resume("w/h")
    bench.tick()
    assert bench.planned(State.STARTED) == ["17:00"]
    assert bench.row().failures == 0 and bench.row().blocked is None


def test_resume_begins_the_count_anew(bench: Bench) -> None:
    """P2."""
    bench.add({"every": "1h"})
    for _ in range(5):
        bench.run_for(HOUR, finish=False)
        fail(bench, Result.FAILED)
    bench.commands.resume("w/h")
    for _ in range(4):
        bench.run_for(HOUR, finish=False)
        fail(bench, Result.FAILED)
    assert bench.row().blocked is None
    assert bench.row().failures == 4


@pytest.mark.parametrize(
    ("result", "counts"),
    [(Result.SUCCEEDED, 0), (Result.CANCELLED, 4), (Result.FAILED, 5)],
)
def test_a_success_ends_the_row_of_failures_and_a_stop_does_not_count(
    bench: Bench, result: Result, counts: int
) -> None:
    """P2."""
    bench.add({"every": "1h"})
    for _ in range(4):
        bench.run_for(HOUR, finish=False)
        fail(bench, Result.FAILED)
    bench.run_for(HOUR, finish=False)
    fail(bench, result)
    assert bench.row().failures == counts


def test_an_interruption_by_a_restart_does_not_count(bench: Bench) -> None:
    """P2."""
    started(bench)
    bench.crash()
    (row,) = bench.occurrences()
    assert (row.state, row.reason) == (State.FAILED, Reason.INTERRUPTED)
    assert bench.row().failures == 0


def test_a_longer_wait_that_the_server_asks_for_is_kept(bench: Bench) -> None:
    """F2."""
    started(bench)
    fail(bench, retry_after=timedelta(seconds=120))
    assert bench.occurrences()[0].retry_at == at("11:02")


def test_another_attempt_does_not_stamp_or_count_another_run(bench: Bench) -> None:
    """P1, P2: the chain is one run of the schedule."""
    bench.add({"every": "1h", "limit": 2})
    bench.run_for(HOUR, finish=False)
    fail(bench)
    bench.run_for(MINUTE, finish=False)
    assert bench.row().runs == 1 and bench.row().last_run == at("11:00")


def test_a_chain_that_succeeds_in_the_end_has_succeeded(bench: Bench) -> None:
    started(bench)
    fail(bench)
    bench.run_for(MINUTE)
    (row,) = bench.occurrences()
    assert (row.state, row.reason, row.attempts, row.retry_at) == (State.SUCCEEDED, None, 2, None)


@pytest.mark.parametrize("hold", ["pause", "block"])
def test_no_attempt_is_made_in_a_pause(bench: Bench, hold: str) -> None:
    """A chain waits while its schedule may not start anything, and goes on after."""
    started(bench)
    fail(bench)
    if hold == "pause":
        bench.commands.pause("w/h")
    else:
        bench.database.read().execute("UPDATE schedules SET blocked = 'no'")
    bench.run_for(HOUR)
    assert bench.states() == ["started"]
    bench.commands.resume("w/h")
    bench.run_for(MINUTE)
    assert bench.states() == ["succeeded"]


def test_an_attempt_that_is_due_and_must_wait_does_not_make_the_engine_spin(bench: Bench) -> None:
    """Tick: it comes back within a minute, not at once and for ever."""
    bench.add({"once": "2026-11-16T11:00Z"}, needs=["network"])
    bench.run_for(HOUR, finish=False)
    fail(bench)
    bench.moods.held[Need.NETWORK] = False
    bench.clock.move(10 * MINUTE)
    assert timedelta() < bench.tick() - bench.clock.wall <= MINUTE
    bench.moods.held[Need.NETWORK] = True
    bench.run_for(MINUTE)
    assert bench.states() == ["succeeded"]


def test_an_attempt_that_is_due_waits_for_a_slot_and_gets_the_next(bench: Bench) -> None:
    bench.add({"once": "2026-11-16T11:00Z"})
    for number in range(4):
        bench.add({"once": "2026-11-16T11:00:10Z"}, name=f"long{number}")
    bench.run_for(HOUR, finish=False)
    fail(bench)
    bench.run_for(10 * MINUTE, finish=False)
    assert "w/h" not in [work.schedule for work, _ in bench.launcher.running.values()]
    bench.launcher.finish()
    bench.tick()
    assert "w/h" in [work.schedule for work, _ in bench.launcher.running.values()]


def test_what_cannot_be_started_is_tried_after_1_2_and_4_seconds(bench: Bench) -> None:
    bench.launcher.broken = True
    bench.add({"every": "1h"})
    bench.run_for(HOUR)
    for waited in (1, 2, 4):
        (row,) = bench.occurrences()
        assert row.state is State.QUEUED and row.retry_at == bench.clock.wall + waited * SECOND
        assert row.detail == "The worker is not there."
        bench.run_for(waited * SECOND)
    (row,) = bench.occurrences()
    assert (row.state, row.reason, row.detail) == (State.FAILED, Reason.COULD_NOT_START, "The worker is not there.")
    assert row.ended == at("11:00:07") and row.began is None
    assert bench.row().last_run is None and bench.row().runs == 0
    assert bench.views.statistics().failed_to_launch == 1


def test_what_starts_at_the_second_try_has_begun_once(bench: Bench) -> None:
    bench.launcher.broken = True
    bench.add({"every": "1h"})
    bench.run_for(HOUR)
    bench.launcher.broken = False
    bench.run_for(SECOND, finish=False)
    (row,) = bench.occurrences()
    assert (row.state, row.attempts, row.began) == (State.STARTED, 1, at("11:00:01"))


def test_trying_to_start_survives_a_crash(bench: Bench) -> None:
    bench.launcher.broken = True
    bench.add({"every": "1h"})
    bench.run_for(HOUR + SECOND)
    bench.crash()
    bench.launcher.broken = True
    bench.run_for(6 * SECOND)
    (row,) = bench.occurrences()
    assert row.reason is Reason.COULD_NOT_START and row.ended == at("11:00:07")


def test_a_next_attempt_that_cannot_be_started_is_tried_again_too(bench: Bench) -> None:
    """A broken worker is no failure of the run; its chain waits 1, 2, 4 s and then ends for that reason."""
    started(bench)
    fail(bench)
    bench.launcher.broken = True
    bench.run_for(MINUTE)
    (row,) = bench.occurrences()
    assert (row.state, row.reason, row.attempts) == (State.FAILED, Reason.COULD_NOT_START, 1)
    assert row.retry_at is None


def test_a_next_attempt_that_starts_at_the_second_try_goes_on_with_the_chain(bench: Bench) -> None:
    started(bench)
    fail(bench)
    bench.launcher.broken = True
    bench.run_for(34 * SECOND)
    bench.launcher.broken = False
    bench.run_for(MINUTE)
    (row,) = bench.occurrences()
    assert (row.state, row.attempts) == (State.SUCCEEDED, 2)


def test_what_waits_to_be_launched_again_keeps_its_place(bench: Bench) -> None:
    """Buffered ones run in order."""
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


def test_five_that_cannot_be_started_block_as_well(bench: Bench) -> None:
    """Five consecutive failures block; only success, stops and restarts do not count."""
    bench.launcher.broken = True
    bench.add({"every": "1h"})
    bench.run_for(6 * HOUR)
    assert bench.row().blocked == "It failed five times in a row."
    assert bench.states() == ["failed"] * 5 + ["queued"]


@pytest.mark.parametrize("failure", ["run", "start"])
def test_a_schedule_may_pause_after_its_first_failure(bench: Bench, failure: str) -> None:
    """pause_on_failure."""
    bench.add({"every": "1h"}, pause_on_failure=True)
    bench.launcher.broken = failure == "start"
    bench.run_for(HOUR + 10 * SECOND, finish=False)
    if failure == "run":
        fail(bench, Result.FAILED)
    row = bench.row()
    assert row.paused and row.pause_note == "Paused after a failure." and row.version == 2
    bench.run_for(3 * HOUR)
    assert len(bench.occurrences()) == 1


def test_a_passing_failure_does_not_pause(bench: Bench) -> None:
    bench.add({"every": "1h"}, pause_on_failure=True)
    bench.run_for(HOUR, finish=False)
    fail(bench)
    assert not bench.row().paused
    bench.run_for(MINUTE)
    assert bench.states() == ["succeeded"]


def test_a_pause_of_the_persons_own_is_not_overwritten_by_a_failure(bench: Bench) -> None:
    bench.add({"every": "1h"}, pause_on_failure=True)
    bench.run_for(HOUR, finish=False)
    bench.commands.pause("w/h", note="on holiday", until=START + DAY)
    fail(bench, Result.FAILED)
    row = bench.row()
    assert row.pause_note == "on holiday" and row.paused_until == START + DAY and row.version == 2


def test_one_schedule_that_fails_delays_no_other(bench: Bench) -> None:
    """F6, invariant 13."""
    bench.add({"every": "1m"}, name="bad")
    bench.add({"every": "1m"}, name="good")
    for _ in range(10):
        bench.run_for(MINUTE, finish=False)
        for key, (work, _) in list(bench.launcher.running.items()):
            bench.launcher.finish(key, Result.FAILED if work.schedule == "w/bad" else Result.SUCCEEDED)
        bench.tick()
    assert bench.states("w/good") == ["succeeded"] * 10
    assert all(row.began == row.planned for row in bench.occurrences("w/good"))


def test_a_stop_by_a_person_ends_the_chain_and_does_not_count(bench: Bench) -> None:
    started(bench)
    bench.commands.stop("w/h")
    assert bench.launcher.stops == [(bench.launcher.begun[0].key, False)]
    fail(bench, Result.TRANSIENT)
    (row,) = bench.occurrences()
    assert (row.state, row.reason) == (State.CANCELLED, Reason.STOPPED)
    assert bench.row().failures == 0


def test_stopping_between_two_attempts_ends_the_chain_at_once(bench: Bench) -> None:
    started(bench)
    fail(bench)
    bench.commands.stop("w/h", kill=True)
    (row,) = bench.occurrences()
    assert (row.state, row.reason, row.retry_at) == (State.CANCELLED, Reason.STOPPED, None)
    bench.run_for(HOUR)
    assert len(bench.launcher.begun) == 1


def test_there_is_nothing_to_stop_where_nothing_runs(bench: Bench) -> None:
    bench.add({"every": "1h"})
    with pytest.raises(RefusedError, match="w/h is not running") as refused:
        bench.commands.stop("w/h")
    assert refused.value.code == "not running"
