"""Runs that the user starts now, besides the regular times."""

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.scheduling.launcher import Result
from scheduler.timing.policies import Overlap
from tests.engine.engine_fixture import HOUR, MINUTE, Bench


def start_order(bench: Bench) -> list[str]:
    """Hour and origin of what started, in order."""
    return [f"{work.planned:%H:%M} {work.origin}" for work in bench.launcher.begun]


@pytest.mark.parametrize(
    ("overlap", "begins"),
    [
        (None, ["11:00 automatic", "11:10 manual", "12:00 automatic"]),
        (Overlap.BUFFER_ALL, ["11:00 automatic", "11:10 manual", "12:00 automatic"]),
    ],
)
def test_a_trigger_waits_its_turn(bench: Bench, overlap: Overlap | None, begins: list[str]) -> None:
    """A trigger has its own overlap override."""
    bench.add({"every": "1h"}, overlap="buffer_all")
    bench.run_for(HOUR + 10 * MINUTE, finish=False)
    bench.commands.trigger("w/h", overlap=overlap)
    bench.run_for(HOUR, finish=False)
    for _ in begins:
        bench.launcher.finish()
        bench.tick()
    assert start_order(bench) == begins


def test_a_trigger_may_refuse_to_wait(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    with pytest.raises(RefusedError, match="still running") as refused:
        bench.commands.trigger("w/h", overlap=Overlap.SKIP)
    assert refused.value.code == "busy"
    assert bench.states() == ["started"]


def test_a_trigger_may_run_in_parallel(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    bench.commands.trigger("w/h", overlap=Overlap.ALLOW_ALL)
    bench.tick()
    assert bench.states() == ["started", "started"]


@pytest.mark.parametrize(("overlap", "kill"), [(Overlap.CANCEL_OTHER, False), (Overlap.TERMINATE_OTHER, True)])
def test_a_trigger_may_stop_the_regular_run(bench: Bench, overlap: Overlap, kill: bool) -> None:  # noqa: FBT001
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    bench.commands.trigger("w/h", overlap=overlap)
    bench.tick()
    assert bench.launcher.stops == [(bench.launcher.begun[0].key, kill)]
    bench.launcher.finish(result=Result.CANCELLED)
    bench.tick()
    assert start_order(bench) == ["11:00 automatic", "11:00 manual"]


def test_a_trigger_does_not_stop_another_manual_run(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.commands.trigger("w/h")
    bench.tick()
    bench.commands.trigger("w/h", overlap=Overlap.TERMINATE_OTHER)
    bench.tick()
    assert bench.launcher.stops == []
    assert sorted(bench.states()) == ["queued", "started"]


def test_a_plain_trigger_stops_nothing_whatever_the_policy(bench: Bench) -> None:
    """A trigger without an overlap policy waits its turn, whatever the schedule's policy is."""
    bench.add({"every": "1h"}, overlap="cancel_other")
    bench.run_for(HOUR, finish=False)
    bench.commands.trigger("w/h")
    bench.tick()
    assert bench.launcher.stops == []
