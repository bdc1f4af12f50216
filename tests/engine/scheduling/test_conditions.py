"""What the machine must offer before a run starts."""

from dataclasses import replace

import pytest

from scheduler.timing.occurrences import Reason, State
from scheduler.timing.policies import Need
from tests.engine.harness import HOUR, MINUTE, Bench


@pytest.mark.parametrize("need", Need)
def test_a_need_that_is_not_met_makes_it_wait_and_then_it_starts(bench: Bench, need: Need) -> None:
    """Domain 1: waiting is shown."""
    bench.add({"every": "1h"}, needs=[need.value])
    bench.moods.held[need] = False
    bench.run_for(HOUR + 20 * MINUTE)
    assert [row.state for row in bench.views.describe("w/h").recent] == [State.QUEUED]
    bench.moods.held[need] = True
    bench.engine.stir()
    bench.tick()
    assert bench.states() == ["started"]


def test_without_a_word_from_the_machine_it_starts_within_a_minute(bench: Bench) -> None:
    bench.add({"every": "1h"}, needs=["network"])
    bench.moods.held[Need.NETWORK] = False
    bench.run_for(HOUR + 10 * MINUTE)
    bench.moods.held[Need.NETWORK] = True
    bench.run_for(MINUTE)
    assert bench.states() == ["succeeded"]


def test_what_nobody_knows_counts_as_met(bench: Bench) -> None:
    """Domain 1: unknown = run."""
    bench.add({"every": "1h"}, needs=["network", "power", "unmetered"])
    bench.run_for(HOUR)
    assert bench.states() == ["succeeded"]


def test_every_need_must_be_met(bench: Bench) -> None:
    bench.add({"every": "1h"}, needs=["network", "power"])
    bench.moods.held = {Need.NETWORK: True, Need.POWER: False}
    bench.run_for(HOUR)
    assert bench.states() == ["queued"]


def test_the_wait_is_bounded_by_the_catch_up_window(bench: Bench) -> None:
    bench.add({"cron": "0 11 * * *"}, needs=["network"], catchup_window="30m")
    bench.moods.held[Need.NETWORK] = False
    bench.run_for(HOUR + 29 * MINUTE)
    assert bench.states() == ["queued"]
    bench.run_for(2 * MINUTE)
    (row,) = bench.occurrences()
    assert (row.state, row.reason) == (State.MISSED, Reason.EXPIRED)


@pytest.mark.parametrize("policies", [{}, {"catchup_window": "0"}], ids=str)
def test_without_a_window_it_waits_as_long_as_it_takes(bench: Bench, policies: dict[str, str]) -> None:
    bench.add({"cron": "0 11 * * *"}, needs=["network"], **policies)
    bench.moods.held[Need.NETWORK] = False
    bench.run_for(20 * HOUR)
    assert bench.states() == ["queued"]


def test_one_that_waits_does_not_hold_up_another_schedule(bench: Bench) -> None:
    for number in range(6):
        bench.add({"every": "1h"}, name=f"waits{number}", needs=["network"])
    bench.add({"every": "1h"}, name="zz")
    bench.moods.held[Need.NETWORK] = False
    bench.run_for(HOUR)
    assert bench.states("w/zz") == ["succeeded"]


def test_later_times_meet_the_one_that_waits(bench: Bench) -> None:
    """The overlap policy decides about times that come while one waits for the network."""
    for overlap in ("skip", "buffer_one", "buffer_all"):
        bench.add({"every": "1h"}, name=overlap, overlap=overlap, needs=["network"])
    bench.moods.held[Need.NETWORK] = False
    bench.run_for(3 * HOUR)
    assert bench.states("w/skip") == ["queued", "skipped", "skipped"]
    assert bench.states("w/buffer_one") == ["coalesced", "coalesced", "queued"]
    assert bench.states("w/buffer_all") == ["queued", "queued", "queued"]


def test_a_person_is_not_held_back(bench: Bench) -> None:
    """Run now means now."""
    bench.add({"every": "1h"}, needs=["network"])
    bench.moods.held[Need.NETWORK] = False
    bench.commands.trigger("w/h")
    bench.tick()
    assert bench.states() == ["started"]


def test_what_goes_on_waits_for_what_it_needs_as_well(bench: Bench) -> None:
    """The launcher says what its work needs; the engine looks again within a minute, and does not spin."""
    bench.add({"cron": "0 11 * * *"}, needs=["network"])
    bench.run_for(HOUR, finish=False)
    work = bench.launcher.rest()
    bench.moods.held[Need.NETWORK] = False
    bench.launcher.offer(replace(work, needs=(Need.NETWORK,)))
    bench.engine.stir()
    assert bench.clock.wall < bench.tick() <= bench.clock.wall + MINUTE
    bench.run_for(HOUR, finish=False)
    assert bench.states() == ["started"] and bench.launcher.running == {}
    bench.moods.held[Need.NETWORK] = True
    bench.run_for(MINUTE, finish=False)
    assert [*bench.launcher.running] == [work.key]


def test_a_need_that_is_edited_away_is_waited_for_no_longer(bench: Bench) -> None:
    bench.add({"every": "1h"}, needs=["network"])
    bench.moods.held[Need.NETWORK] = False
    bench.run_for(HOUR)
    bench.commands.edit("w/h", version=1, policies={"needs": []})
    bench.tick()
    assert bench.states() == ["started"]
