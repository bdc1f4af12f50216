"""Skipping the next run."""

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from tests.engine.engine_fixture import HOUR, MINUTE, Bench, at


def test_a_skip_that_is_no_time_in_the_new_zone_is_cleared(bench: Bench) -> None:
    bench.add({"cron": "0 14 * * *", "timezone": "local"})
    bench.commands.skip_next("w/h")
    bench.engine.change_zone("Asia/Kathmandu")
    assert bench.row().skip_at is None
    bench.commands.skip_next("w/h")


def test_skip_next_is_recorded_and_the_following_time_runs(bench: Bench) -> None:
    bench.add({"every": "1h"})
    answer = bench.commands.skip_next("w/h")
    assert answer.version == 2
    assert bench.schedule_queries.upcoming("w/h", 2) == [at("12:00"), at("13:00")]
    bench.run_for(2 * HOUR)
    skipped, ran = bench.occurrences()
    assert (skipped.planned, skipped.state, skipped.reason) == (
        at("11:00"),
        OccurrenceState.SKIPPED,
        OccurrenceReason.BY_USER,
    )
    assert (ran.planned, ran.state) == (at("12:00"), OccurrenceState.SUCCEEDED)


def test_skip_next_applies_once(bench: Bench) -> None:
    """Once the skipped time has passed, the next one can be skipped."""
    bench.add({"every": "1h"})
    bench.commands.skip_next("w/h")
    with pytest.raises(RefusedError, match="already skipped"):
        bench.commands.skip_next("w/h")
    bench.run_for(HOUR)
    bench.commands.skip_next("w/h")
    bench.run_for(2 * HOUR)
    assert bench.states() == ["skipped", "skipped", "succeeded"]


@pytest.mark.parametrize("catchup", ["none", "one", "all", "spread"])
def test_a_skip_that_passed_during_sleep_applies_once_too(bench: Bench, catchup: str) -> None:
    bench.add({"every": "1h"}, catchup=catchup)
    bench.commands.skip_next("w/h")
    bench.sleep(5 * HOUR + MINUTE * 30)
    bench.run_for(2 * MINUTE)
    first = bench.occurrences()[0]
    assert (first.planned, first.reason) == (at("11:00"), OccurrenceReason.BY_USER)
    assert bench.row().skip_at is None
    bench.commands.skip_next("w/h")
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("17:00")]


def test_a_queued_run_counts_as_the_next(bench: Bench) -> None:
    """skip_next takes the queued occurrence that has not started."""
    bench.add({"every": "1h"}, overlap="buffer_one")
    bench.run_for(2 * HOUR, finish=False)
    assert bench.states() == ["started", "queued"]
    bench.commands.skip_next("w/h")
    assert [row.reason for row in bench.occurrences()] == [None, OccurrenceReason.BY_USER]
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("13:00")]


def test_a_run_being_launched_can_still_be_skipped(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.launcher.slow = True
    bench.run_for(HOUR, finish=False)
    bench.commands.skip_next("w/h")
    bench.launcher.begin()
    assert bench.states() == ["skipped"]
    assert bench.launcher.running == {}
    bench.launcher.slow = False
    bench.run_for(HOUR)
    assert bench.states() == ["skipped", "succeeded"]


def test_a_running_run_is_not_skipped(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    bench.commands.skip_next("w/h")
    assert bench.row().skip_at == at("12:00")
    assert bench.states() == ["started"]


def test_a_time_that_just_became_due_is_the_next(bench: Bench) -> None:
    """It is due, but no tick has recorded it yet."""
    bench.add({"every": "1h"})
    bench.clock.move(HOUR)
    bench.commands.skip_next("w/h")
    bench.tick()
    assert [row.reason for row in bench.occurrences()] == [OccurrenceReason.BY_USER]


def test_an_edit_that_removes_the_skipped_time_clears_the_skip(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.commands.skip_next("w/h")
    bench.commands.edit("w/h", version=2, spec={"cron": "30 * * * *"})
    assert bench.row().skip_at is None
    bench.run_for(HOUR)
    assert bench.states() == ["succeeded"]


def test_an_edit_that_keeps_the_skipped_time_keeps_the_skip(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.commands.skip_next("w/h")
    bench.commands.edit("w/h", version=2, spec={"cron": "*/30 * * * *"})
    bench.run_for(90 * MINUTE)
    assert bench.states() == ["succeeded", "skipped", "succeeded"]


def test_during_a_pause_the_next_future_time_is_skipped(bench: Bench) -> None:
    bench.add({"every": "1h"}, catchup="none")
    bench.commands.pause("w/h")
    bench.run_for(3 * HOUR + 10 * MINUTE)
    bench.commands.skip_next("w/h")
    bench.commands.resume("w/h")
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("15:00")]
    bench.run_for(2 * HOUR)
    assert [(f"{row.planned:%H}", row.state.value) for row in bench.occurrences()] == [
        ("14", "skipped"),
        ("15", "succeeded"),
    ]


def test_without_more_times_there_is_nothing_to_skip(bench: Bench) -> None:
    bench.add({"once": "2026-11-16T11:00Z"})
    bench.run_for(2 * HOUR)
    with pytest.raises(RefusedError, match="no upcoming run"):
        bench.commands.skip_next("w/h")


def test_of_several_queued_runs_the_first_is_skipped(bench: Bench) -> None:
    bench.add({"every": "1h"}, overlap="buffer_all")
    bench.run_for(3 * HOUR, finish=False)
    bench.commands.skip_next("w/h")
    assert bench.states() == ["started", "skipped", "queued"]
