"""Runs that need machine conditions such as network or power."""

from dataclasses import replace

import pytest

from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Need
from tests.engine.engine_fixture import HOUR, MINUTE, Bench


@pytest.mark.parametrize("need", Need)
def test_a_run_waits_until_its_condition_is_met(bench: Bench, need: Need) -> None:
    """The wait is shown to the user."""
    bench.add({"every": "1h"}, needs=[need.value])
    bench.conditions.held[need] = False
    bench.run_for(HOUR + 20 * MINUTE)
    assert [row.state for row in bench.schedule_queries.describe("w/h").recent] == [OccurrenceState.QUEUED]
    bench.conditions.held[need] = True
    bench.engine.wake()
    bench.tick()
    assert bench.states() == ["started"]


def test_without_a_signal_it_starts_within_a_minute(bench: Bench) -> None:
    bench.add({"every": "1h"}, needs=["network"])
    bench.conditions.held[Need.NETWORK] = False
    bench.run_for(HOUR + 10 * MINUTE)
    bench.conditions.held[Need.NETWORK] = True
    bench.run_for(MINUTE)
    assert bench.states() == ["succeeded"]


def test_an_unknown_condition_counts_as_met(bench: Bench) -> None:
    bench.add({"every": "1h"}, needs=["network", "power", "unmetered"])
    bench.run_for(HOUR)
    assert bench.states() == ["succeeded"]


def test_every_condition_must_be_met(bench: Bench) -> None:
    bench.add({"every": "1h"}, needs=["network", "power"])
    bench.conditions.held = {Need.NETWORK: True, Need.POWER: False}
    bench.run_for(HOUR)
    assert bench.states() == ["queued"]


def test_the_wait_is_bounded_by_the_catch_up_window(bench: Bench) -> None:
    bench.add({"cron": "0 11 * * *"}, needs=["network"], catchup_window="30m")
    bench.conditions.held[Need.NETWORK] = False
    bench.run_for(HOUR + 29 * MINUTE)
    assert bench.states() == ["queued"]
    bench.run_for(2 * MINUTE)
    (row,) = bench.occurrences()
    assert (row.state, row.reason) == (OccurrenceState.MISSED, OccurrenceReason.EXPIRED)


@pytest.mark.parametrize("policies", [{}, {"catchup_window": "0"}], ids=str)
def test_without_a_window_it_waits_indefinitely(bench: Bench, policies: dict[str, str]) -> None:
    bench.add({"cron": "0 11 * * *"}, needs=["network"], **policies)
    bench.conditions.held[Need.NETWORK] = False
    bench.run_for(20 * HOUR)
    assert bench.states() == ["queued"]


def test_a_waiting_run_does_not_delay_another_schedule(bench: Bench) -> None:
    for number in range(6):
        bench.add({"every": "1h"}, name=f"waits{number}", needs=["network"])
    bench.add({"every": "1h"}, name="zz")
    bench.conditions.held[Need.NETWORK] = False
    bench.run_for(HOUR)
    assert bench.states("w/zz") == ["succeeded"]


def test_the_overlap_policy_applies_while_a_run_waits_for_a_condition(bench: Bench) -> None:
    """It decides about times that become due while one waits for the network."""
    for overlap in ("skip", "buffer_one", "buffer_all"):
        bench.add({"every": "1h"}, name=overlap, overlap=overlap, needs=["network"])
    bench.conditions.held[Need.NETWORK] = False
    bench.run_for(3 * HOUR)
    assert bench.states("w/skip") == ["queued", "skipped", "skipped"]
    assert {row.reason for row in bench.occurrences("w/skip")[1:]} == {OccurrenceReason.NOT_STARTED}
    assert bench.states("w/buffer_one") == ["coalesced", "coalesced", "queued"]
    assert bench.states("w/buffer_all") == ["queued", "queued", "queued"]


def test_a_manual_run_ignores_conditions(bench: Bench) -> None:
    """Run now means now."""
    bench.add({"every": "1h"}, needs=["network"])
    bench.conditions.held[Need.NETWORK] = False
    bench.commands.trigger("w/h")
    bench.tick()
    assert bench.states() == ["started"]


def test_resumed_work_waits_for_its_conditions_too(bench: Bench) -> None:
    """The launcher states what its work needs; the engine checks again within a minute and does not busy-wait."""
    bench.add({"cron": "0 11 * * *"}, needs=["network"])
    bench.run_for(HOUR, finish=False)
    work = bench.launcher.rest()
    bench.conditions.held[Need.NETWORK] = False
    bench.launcher.offer(replace(work, needs=(Need.NETWORK,)))
    bench.engine.wake()
    assert bench.clock.wall < bench.tick() <= bench.clock.wall + MINUTE
    bench.run_for(HOUR, finish=False)
    assert bench.states() == ["started"] and bench.launcher.running == {}
    bench.conditions.held[Need.NETWORK] = True
    bench.run_for(MINUTE, finish=False)
    assert [*bench.launcher.running] == [work.key]


def test_a_removed_condition_no_longer_delays_the_run(bench: Bench) -> None:
    bench.add({"every": "1h"}, needs=["network"])
    bench.conditions.held[Need.NETWORK] = False
    bench.run_for(HOUR)
    bench.commands.edit("w/h", version=1, policies={"needs": []})
    bench.tick()
    assert bench.states() == ["started"]
