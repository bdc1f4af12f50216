"""Why a planned time did not run: each reason is produced by its real cause, and its sentence names that cause."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from scheduler.engine.scheduling.launcher import Result
from scheduler.timing.occurrences import OccurrenceReason
from scheduler.timing.policies import Need
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, Bench, at

HOURLY = {"every": "1h"}
Scenario = Callable[[Bench], None]


def let_the_run_before_it_go_on(bench: Bench) -> None:
    bench.add(HOURLY, overlap="skip")
    bench.run_for(2 * HOUR, finish=False)


def keep_the_time_before_it_from_starting(bench: Bench) -> None:
    bench.conditions.held[Need.NETWORK] = False
    bench.add(HOURLY, overlap="skip", needs="network")
    bench.run_for(2 * HOUR)


def block_its_lane(bench: Bench) -> None:
    bench.deploy("h")
    bench.add(HOURLY)
    bench.block("h")
    bench.run_for(2 * HOUR)


def let_a_later_time_wait_in_its_place(bench: Bench) -> None:
    bench.add(HOURLY, overlap="buffer_one")
    bench.run_for(3 * HOUR, finish=False)


def fill_the_buffer(bench: Bench) -> None:
    """Of a thousand waiting times."""
    bench.add({"every": "10s"}, overlap="buffer_all")
    bench.run_for(1_002 * timedelta(seconds=10), finish=False)


def switch_the_computer_off(bench: Bench) -> None:
    bench.add(HOURLY, catchup="none")
    bench.crash(90 * MINUTE)
    bench.tick()


def put_the_computer_to_sleep(bench: Bench) -> None:
    bench.add(HOURLY, catchup="none")
    bench.tick()
    bench.sleep(90 * MINUTE)
    bench.tick()


def pause_the_schedule(bench: Bench) -> None:
    bench.add(HOURLY, catchup="none")
    bench.commands.pause("w/h")
    bench.run_for(90 * MINUTE)
    bench.commands.resume("w/h")
    bench.tick()


def miss_it_and_run_the_next(bench: Bench) -> None:
    bench.add(HOURLY, catchup="one")
    bench.crash(150 * MINUTE)
    bench.run_for(MINUTE)
    assert [f"{work.planned:%H:%M}" for work in bench.launcher.begun] == ["12:00"]


def miss_it_for_longer_than_the_window(bench: Bench) -> None:
    bench.add(HOURLY, catchup="all", catchup_window="30m")
    bench.crash(100 * MINUTE)
    bench.tick()


def wait_for_the_network_for_longer_than_the_window(bench: Bench) -> None:
    bench.conditions.held[Need.NETWORK] = False
    bench.add({"cron": "0 11 * * *"}, catchup_window="30m", needs="network")
    bench.run_for(2 * HOUR)


def skip_it(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.commands.skip_next("w/h")
    bench.run_for(HOUR)


def reach_the_limit(bench: Bench) -> None:
    bench.add(HOURLY | {"limit": 1}, catchup="all")
    bench.crash(2 * HOUR)
    bench.run_for(MINUTE)


def change_the_schedule(bench: Bench) -> None:
    catch_up_slowly(bench)
    bench.commands.edit("w/h", version=1, spec={"every": "2h"})


def change_the_time_zone(bench: Bench) -> None:
    catch_up_slowly(bench, timezone="local")
    bench.engine.change_zone("Asia/Tokyo")


def catch_up_slowly(bench: Bench, **spec: str) -> None:
    bench.change_settings(waiting_at_most=3)
    bench.add({"cron": "0 * * * *", **spec}, catchup="all")
    bench.crash(8 * HOUR)
    bench.tick()


def set_the_clock_back(bench: Bench) -> None:
    bench.clock.wall += DAY
    bench.add(HOURLY, overlap="buffer_all")
    bench.run_for(3 * HOUR, finish=False)
    bench.clock.wall -= DAY
    bench.tick()


def remove_the_schedule(bench: Bench) -> None:
    bench.add(HOURLY, overlap="buffer_all")
    bench.run_for(2 * HOUR, finish=False)
    bench.commands.delete("w/h")


def cancel_its_backfill(bench: Bench) -> None:
    bench.add({"cron": "0 * * * *"})
    answer = bench.commands.backfill("w/h", [(at("05:00"), at("08:00"))])
    bench.tick()
    assert answer.backfill is not None
    bench.commands.cancel_backfill(answer.backfill)


def break_the_worker(bench: Bench) -> None:
    bench.launcher.broken = True
    bench.add(HOURLY)
    bench.run_for(HOUR + MINUTE)


def stop_it(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.run_for(HOUR, finish=False)
    bench.commands.stop("w/h")
    bench.launcher.finish(result=Result.CANCELLED)


def let_the_next_one_stop_it(bench: Bench) -> None:
    bench.add(HOURLY, overlap="cancel_other")
    bench.run_for(2 * HOUR, finish=False)
    bench.launcher.finish(bench.launcher.begun[0].key, Result.CANCELLED)


def quit_while_it_runs(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.run_for(HOUR, finish=False)
    bench.crash()


def let_it_fail(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.run_for(HOUR, finish=False)
    bench.launcher.finish(result=Result.FAILED)


def damage_its_row(bench: Bench) -> None:
    bench.add(HOURLY, overlap="buffer_all")
    bench.run_for(2 * HOUR, finish=False)
    with bench.database.write() as db:
        db.execute("UPDATE occurrences SET origin = 'oracle' WHERE state = 'queued'")
    bench.run_for(HOUR)


_PASSED = "Its time passed while the computer or Dayhand was off, asleep or paused, or the clock was set ahead."
CAUSES: list[tuple[Scenario, OccurrenceReason, str]] = [
    (let_the_run_before_it_go_on, OccurrenceReason.OVERLAP, "The previous run was still running."),
    (
        keep_the_time_before_it_from_starting,
        OccurrenceReason.NOT_STARTED,
        "The previous run was still waiting to start.",
    ),
    (block_its_lane, OccurrenceReason.HELD_UP, "It was held up, and a later run took its place."),
    (
        let_a_later_time_wait_in_its_place,
        OccurrenceReason.REPLACED,
        "A later run replaced it while it was waiting.",
    ),
    (fill_the_buffer, OccurrenceReason.BUFFER_FULL, "Too many earlier runs were already waiting."),
    (switch_the_computer_off, OccurrenceReason.PASSED, _PASSED),
    (put_the_computer_to_sleep, OccurrenceReason.PASSED, _PASSED),
    (pause_the_schedule, OccurrenceReason.PASSED, _PASSED),
    (miss_it_and_run_the_next, OccurrenceReason.CAUGHT_UP, "Its time was missed; a later run caught up."),
    (
        miss_it_for_longer_than_the_window,
        OccurrenceReason.EXPIRED,
        "It was older than the catch-up window allows.",
    ),
    (
        wait_for_the_network_for_longer_than_the_window,
        OccurrenceReason.EXPIRED,
        "It was older than the catch-up window allows.",
    ),
    (skip_it, OccurrenceReason.BY_USER, "You skipped it."),
    (reach_the_limit, OccurrenceReason.LIMIT, "The schedule had reached its run limit."),
    (change_the_schedule, OccurrenceReason.EDITED, "The schedule was changed before it ran."),
    (change_the_time_zone, OccurrenceReason.ZONE, "The computer's time zone changed before it ran."),
    (set_the_clock_back, OccurrenceReason.CLOCK, "The clock was set back, and it was too far ahead."),
    (remove_the_schedule, OccurrenceReason.REMOVED, "The schedule was removed before it ran."),
    (cancel_its_backfill, OccurrenceReason.BACKFILL_CANCELLED, "The backfill was cancelled before it ran."),
    (break_the_worker, OccurrenceReason.COULD_NOT_START, "It could not be started, even after three more tries."),
    (stop_it, OccurrenceReason.STOPPED, "It was stopped."),
    (let_the_next_one_stop_it, OccurrenceReason.OVERTAKEN, "It was stopped because the next run was due."),
    (quit_while_it_runs, OccurrenceReason.INTERRUPTED, "Dayhand quit while it was running."),
    (let_it_fail, OccurrenceReason.ERROR, "The run reported an error."),
    (damage_its_row, OccurrenceReason.UNREADABLE, "Its stored data is invalid."),
]


@pytest.mark.parametrize(
    ("cause", "reason", "sentence"), CAUSES, ids=[cause.__name__.replace("_", " ") for cause, *_ in CAUSES]
)
def test_the_reason_names_the_real_cause(
    bench: Bench, cause: Scenario, reason: OccurrenceReason, sentence: str
) -> None:
    cause(bench)
    rows = [one.reason for one in bench.occurrences() if one.reason is not None]
    found = {*rows, *(gap.reason for gap in bench.gaps())}
    assert found == {reason}
    assert reason.sentence == sentence


def test_every_reason_has_a_cause() -> None:
    """Except one that only early versions recorded."""
    assert {reason for _, reason, _ in CAUSES} == {*OccurrenceReason} - {OccurrenceReason.TOO_MANY_FAILURES}
