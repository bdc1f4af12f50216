"""A wall clock that is set back or ahead: nothing runs twice, nothing is lost, no storm of runs."""

from datetime import timedelta

import pytest

from scheduler.engine.scheduling.decision_log import LOGGER
from scheduler.engine.scheduling.launcher import Result
from scheduler.timing.catchup import Gap
from scheduler.timing.compiled import Count
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND, START, Bench, at

YEAR = 365 * DAY


def started_times(bench: Bench) -> list[str]:
    return [f"{work.planned:%d %H:%M}" for work in bench.launcher.begun]


def set_clock(bench: Bench, step: timedelta, how: str) -> None:
    """While the app runs, or while it is closed."""
    if how == "closed":
        begun = bench.launcher.begun
        bench.crash()
        bench.launcher.begun = begun
    bench.clock.wall += step
    if how == "closed":
        bench.database.close()
        bench.open()
        bench.launcher.begun = begun
    bench.tick()


both = pytest.mark.parametrize("how", ["running", "closed"])


@both
def test_setting_the_clock_back_an_hour_runs_nothing_twice(bench: Bench, how: str) -> None:
    bench.add({"every": "20m"})
    bench.run_for(2 * HOUR)
    assert len(started_times(bench)) == 6
    set_clock(bench, -HOUR, how)
    assert bench.row().next_at == at("12:20"), "the first time after now without a row"
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("12:20")]
    bench.run_for(2 * HOUR)
    assert len(set(started_times(bench))) == len(started_times(bench)) == 6 + 3
    assert bench.occurrences()[-1].planned == at("13:00")


@both
def test_an_hour_back_and_forward_again_changes_nothing(bench: Bench, how: str) -> None:
    bench.add({"every": "20m"})
    bench.run_for(2 * HOUR)
    set_clock(bench, -HOUR, how)
    set_clock(bench, HOUR, how)
    bench.run_for(HOUR)
    assert len(set(started_times(bench))) == len(started_times(bench)) == 9


@both
@pytest.mark.parametrize("catchup", ["none", "one", "all", "spread"])
def test_everything_is_normal_after_a_year_ahead_and_back(bench: Bench, how: str, catchup: str) -> None:
    bench.add({"every": "1h"}, catchup=catchup)
    bench.run_for(HOUR)
    set_clock(bench, YEAR + 30 * MINUTE, how)
    set_clock(bench, -YEAR, how)
    assert bench.warnings(), "the user is warned"
    assert bench.clock.wall == at("11:30")
    assert bench.gaps() == []
    times = [at(f"{hour}:00") for hour in (12, 13, 14, 15)]
    if catchup in ("all", "spread"):  # the oldest missed time has already run
        assert times.pop(0) == bench.launcher.begun[1].planned
    assert bench.schedule_queries.upcoming("w/h", len(times)) == times
    while bench.launcher.running:
        bench.launcher.finish()
    before = len(bench.launcher.begun)
    bench.run_for(4 * HOUR)
    assert [work.planned for work in bench.launcher.begun[before:]] == times


def test_runs_queued_for_times_far_ahead_are_dropped_with_one_warning(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    bench.add({"every": "1h"}, overlap="buffer_all", catchup="one")
    bench.run_for(HOUR, finish=False)
    set_clock(bench, YEAR, "running")
    bench.run_for(2 * HOUR, finish=False)
    waiting = bench.occurrences("w/h", OccurrenceState.QUEUED)
    assert len(waiting) == 3
    set_clock(bench, -YEAR, "running")
    assert {(bench.one(row.key).state, bench.one(row.key).reason) for row in waiting} == {
        (OccurrenceState.DROPPED, OccurrenceReason.CLOCK)
    }
    [sentence] = [one for one in bench.warnings() if "set back" in one]
    assert sentence == (
        "The clock was set back. The next run times were recalculated. "
        f"{len(waiting)} runs planned too far ahead were dropped."
    ), "one warning for all of them"
    assert not [one for one in caplog.records if one.name != LOGGER], "whoever shows the warning also logs it, once"


def test_a_run_queued_for_a_time_within_the_hour_stays(bench: Bench) -> None:
    bench.add({"every": "30m"}, overlap="buffer_all")
    bench.run_for(90 * MINUTE, finish=False)
    assert bench.planned(OccurrenceState.QUEUED) == ["11:00", "11:30"]
    set_clock(bench, -45 * MINUTE, "running")
    assert bench.planned(OccurrenceState.QUEUED) == ["11:00", "11:30"]
    bench.run_for(2 * HOUR)
    assert started_times(bench) == ["16 10:30", "16 11:00", "16 11:30", "16 12:00", "16 12:30"]


def test_a_run_queued_for_a_time_within_the_hour_keeps_its_instant(bench: Bench) -> None:
    """Its jitter is neither drawn again nor lost."""
    bench.add({"every": "30m", "jitter": "+10m"}, overlap="buffer_all")
    bench.run_for(100 * MINUTE, finish=False)
    waiting = bench.occurrences("w/h", OccurrenceState.QUEUED)
    assert [one for one in waiting if one.due > one.planned]
    set_clock(bench, -50 * MINUTE, "running")
    assert bench.occurrences("w/h", OccurrenceState.QUEUED) == waiting


@pytest.mark.parametrize(("back", "state"), [(59, "queued"), (61, "dropped")])
def test_more_than_an_hour_ahead_counts_as_far(bench: Bench, back: int, state: str) -> None:
    """Counted from the planned time."""
    bench.add({"every": "1h"}, overlap="buffer_all")
    bench.run_for(2 * HOUR, finish=False)
    assert bench.states() == ["started", "queued"]
    set_clock(bench, -back * MINUTE, "running")
    assert bench.states() == ["started", state]


def test_a_gap_is_cut_off_at_now(bench: Bench) -> None:
    bench.add({"every": "1h"}, catchup="none")
    bench.sleep(8 * HOUR + 30 * MINUTE)
    bench.tick()
    assert bench.gaps() == [Gap(at("11:00"), at("18:00"), Count(8), OccurrenceReason.PASSED)]
    set_clock(bench, -5 * HOUR, "running")
    assert bench.gaps() == [Gap(at("11:00"), at("13:00"), Count(3), OccurrenceReason.PASSED)]
    bench.run_for(HOUR)
    assert started_times(bench) == ["16 14:00"]


def test_a_time_that_ran_early_is_skipped_when_it_comes_again(bench: Bench) -> None:
    """It is not shown as upcoming either, and blocks nothing."""
    bench.add({"every": "1h"}, overlap="cancel_other", catchup="one")
    bench.sleep(4 * HOUR + 30 * MINUTE)
    bench.run_for(MINUTE)
    assert started_times(bench) == ["16 14:00"]
    set_clock(bench, -4 * HOUR, "running")
    assert bench.schedule_queries.upcoming("w/h", 4) == [at("11:00"), at("12:00"), at("13:00"), at("15:00")]
    bench.run_for(at("13:59") - bench.clock.wall, finish=False)
    bench.launcher.finish(bench.launcher.begun[1].key, Result.CANCELLED)
    bench.run_for(30 * MINUTE, finish=False)
    stopped = [key for key, _ in bench.launcher.stops]
    assert bench.launcher.begun[-1].key not in stopped


def test_a_once_schedule_that_only_seemed_to_pass_still_runs(bench: Bench) -> None:
    """A year ahead it was missed and the schedule finished; with the clock back it is in the future again."""
    bench.add({"once": "2026-11-16T12:00Z"}, catchup="none")
    set_clock(bench, YEAR, "running")
    assert bench.row().next_at is None
    set_clock(bench, -YEAR, "running")
    assert bench.gaps() == []
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("12:00")]
    bench.run_for(2 * HOUR)
    assert started_times(bench) == ["16 12:00"]


def test_a_schedule_that_reached_its_limit_ahead_stays_finished(bench: Bench) -> None:
    bench.add({"every": "1h", "limit": 1})
    set_clock(bench, YEAR, "running")
    set_clock(bench, -YEAR, "running")
    bench.launcher.finish()
    bench.run_for(5 * HOUR)
    assert len(bench.launcher.begun) == 1 and bench.row().next_at is None


def test_a_launch_retry_does_not_move_a_year_away(bench: Bench) -> None:
    bench.add({"once": "2026-11-16T10:30Z"})
    bench.launcher.broken = True
    bench.clock.move(30 * MINUTE)
    bench.engine._emission.emit_due(bench.database.read(), bench.clock.wall)
    bench.clock.wall += YEAR
    bench.engine.tick(bench.clock.wall)
    (row,) = bench.occurrences()
    assert row.retry_at is not None and row.retry_at > bench.clock.wall
    bench.launcher.broken = False
    set_clock(bench, -YEAR, "running")
    bench.run_for(2 * MINUTE)
    assert bench.states() == ["succeeded"]


def test_spread_catch_ups_are_not_delayed_by_a_year(bench: Bench) -> None:
    """They were missed before the jump and spread out after it."""
    bench.add({"every": "1h"}, catchup="spread")
    bench.sleep(3 * HOUR + 30 * MINUTE)
    bench.clock.wall += DAY
    bench.engine.tick(bench.clock.wall)
    bench.engine.tick(bench.clock.wall)
    set_clock(bench, -DAY, "running")
    bench.run_for(5 * MINUTE)
    assert started_times(bench) == ["16 11:00", "16 12:00", "16 13:00"]


@pytest.mark.parametrize("origin", [OccurrenceOrigin.MANUAL, OccurrenceOrigin.BACKFILL])
def test_runs_requested_under_a_wrong_clock_run_now(bench: Bench, origin: OccurrenceOrigin) -> None:
    bench.add({"cron": "0 * * * *"})
    bench.clock.wall += 2 * HOUR - SECOND
    bench.launcher.slow = True
    if origin is OccurrenceOrigin.MANUAL:
        bench.commands.trigger("w/h")
    else:
        bench.commands.backfill("w/h", [(at("05:00"), at("05:00"))])
    bench.engine._backfill_emission.advance(bench.database.read(), bench.clock.wall)
    bench.clock.wall -= HOUR + 59 * MINUTE
    bench.engine._seen = at("12:00")
    bench.launcher.slow = False
    bench.tick()
    assert [work.origin for work in bench.launcher.begun] == [origin]


def test_a_correction_by_seconds_changes_nothing(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR)
    set_clock(bench, -30 * SECOND, "running")
    assert bench.warnings() == []
    bench.run_for(HOUR)
    assert started_times(bench) == ["16 11:00"]
    bench.run_for(MINUTE)
    assert started_times(bench) == ["16 11:00", "16 12:00"]


def test_a_command_before_any_tick_sees_a_clock_that_was_set_back(bench: Bench) -> None:
    """The gap that reaches into the future is cut off although the command comes first."""
    bench.add({"every": "1h"}, catchup="none")
    bench.sleep(8 * HOUR + 30 * MINUTE)
    bench.tick()
    bench.clock.wall -= 8 * HOUR
    bench.commands.edit("w/h", version=1, spec={"cron": "0 * * * *"})
    bench.tick()
    assert bench.gaps() == []
    bench.sleep(5 * HOUR)
    bench.tick()
    assert bench.gaps() == [Gap(at("11:00"), at("15:00"), Count(5), OccurrenceReason.PASSED)]


def test_a_clock_set_back_between_the_start_and_the_first_tick_is_noticed(bench: Bench) -> None:
    bench.add({"every": "1h"}, catchup="none")
    bench.crash(8 * HOUR + 30 * MINUTE)
    bench.tick()
    bench.crash()
    bench.clock.wall -= 8 * HOUR
    bench.tick()
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("11:00")]


def test_a_schedule_can_be_removed_and_added_again_under_an_earlier_clock(bench: Bench) -> None:
    """The gaps of the removed one do not get in the way."""
    bench.add({"every": "1h", "anchor": "2026-11-16T10:00Z"}, catchup="none")
    bench.sleep(8 * HOUR + 30 * MINUTE)
    bench.tick()
    bench.commands.delete("w/h")
    set_clock(bench, -8 * HOUR, "running")
    bench.add({"every": "1h", "anchor": "2026-11-16T10:00Z"}, catchup="none")
    bench.sleep(3 * HOUR)
    bench.tick()
    assert bench.gaps() == [Gap(at("11:00"), at("13:00"), Count(3), OccurrenceReason.PASSED)]


def test_a_jump_ahead_does_not_start_a_storm_of_runs(bench: Bench) -> None:
    """A difference between wall and monotonic time leads to recomputing."""
    bench.add({"every": "10s"}, overlap="allow_all")
    bench.clock.wall += 30 * DAY
    bench.tick()
    assert len(bench.launcher.running) <= 4
    assert len(bench.occurrences()) <= 8


def test_a_timed_pause_ends_at_its_instant_after_clock_changes(bench: Bench) -> None:
    bench.add({"every": "1h"}, catchup="none")
    bench.commands.pause("w/h", until=START + 3 * HOUR)
    set_clock(bench, 2 * HOUR, "running")
    set_clock(bench, -HOUR, "running")
    bench.run_for(90 * MINUTE)
    assert bench.row().paused
    bench.run_for(HOUR)
    assert not bench.row().paused


@both
def test_a_clock_set_back_to_just_before_a_gap_was_recorded_counts_no_time_twice(bench: Bench, how: str) -> None:
    """The gap is less than a minute ahead then, but the schedule continues before its end."""
    bench.add({"every": "20s"})
    bench.sleep(3 * MINUTE)
    bench.run_for(SECOND)
    [gap] = bench.gaps()
    bench.sleep(DAY)
    bench.run_for(SECOND)
    set_clock(bench, START + 2 * MINUTE + 5 * SECOND - bench.clock.wall, how)
    bench.run_for(2 * MINUTE)
    assert gap.last > START + 2 * MINUTE + 5 * SECOND
    covered = [
        START + number * 20 * SECOND
        for one in bench.gaps()
        for number in range(1, 20)
        if one.first <= START + number * 20 * SECOND <= one.last
    ]
    covered += [one.planned for one in bench.occurrences() if one.planned <= bench.clock.wall]
    assert len(covered) == len(set(covered))
