"""The order of starts: one run at a time in each lane, with the launcher's resumed work among the occurrences."""

from collections.abc import Callable

import pytest

from scheduler.engine.scheduling.launcher import Work
from scheduler.rules.handler_ids import handler_id, lane_id
from scheduler.rules.lanes import LanePriority
from scheduler.store.workflows import WorkflowStatus
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND, Bench, at


def running_subjects(bench: Bench) -> list[str]:
    """Subjects of what runs now."""
    return [work.subject for work in bench.launcher.running.values()]


def begun_subjects(bench: Bench) -> list[str]:
    return [work.subject for work in bench.launcher.begun]


def consumer(name: str = "file", workflow: str = "w") -> Work:
    subject = handler_id(workflow, name)
    return Work(key=subject, lane=lane_id(workflow, name, "consumer"), subject=subject)


def offer(bench: Bench, work: Work, turn: LanePriority = LanePriority.CONSUMER) -> None:
    bench.launcher.offer(work, turn)
    bench.engine.wake()


def test_work_carries_its_key_lane_and_origin(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    (work,) = bench.launcher.begun
    (row,) = bench.occurrences()
    assert work == Work(key=row.key, lane="w/h", subject="w/h", planned=at("11:00"), origin=row.origin)


def test_producers_of_a_workflow_run_one_at_a_time(bench: Bench) -> None:
    """The longest due first; none is lost."""
    bench.add({"once": "2026-11-16T11:00:10Z"}, name="second", kind="producer")
    bench.add({"once": "2026-11-16T11:00:00Z"}, name="first", kind="producer")
    bench.add({"once": "2026-11-16T11:00:20Z"}, name="third", kind="producer")
    bench.run_for(HOUR + MINUTE, finish=False)
    for name in ("first", "second", "third"):
        assert running_subjects(bench) == [f"w/{name}"]
        bench.launcher.finish()
        bench.tick()
    assert begun_subjects(bench) == ["w/first", "w/second", "w/third"]


def test_producers_due_together_do_not_start_together(bench: Bench) -> None:
    """At the same tick, before either has started."""
    bench.launcher.slow = True
    for name in ("a", "b"):
        bench.add({"once": "2026-11-16T11:00Z"}, name=name, kind="producer")
    bench.run_for(HOUR, finish=False)
    assert len(bench.launcher.waiting) == 1
    bench.tick()
    assert len(bench.launcher.waiting) == 1


def test_jobs_run_in_parallel_with_the_rest_of_their_workflow(bench: Bench) -> None:
    """A long job blocks neither other jobs nor the producers."""
    for name, kind in (("a", "job"), ("b", "job"), ("p", "producer")):
        bench.add({"once": "2026-11-16T11:00Z"}, name=name, kind=kind)
    bench.run_for(HOUR, finish=False)
    assert sorted(running_subjects(bench)) == ["w/a", "w/b", "w/p"]


def test_workflows_do_not_wait_for_each_other(bench: Bench) -> None:
    for workflow in ("v", "w"):
        bench.commands.add(workflow, "p", {"once": "2026-11-16T11:00Z"}, kind="producer")
    bench.run_for(HOUR, finish=False)
    assert sorted(running_subjects(bench)) == ["v/p", "w/p"]


def test_a_consumer_goes_before_a_producer_of_its_workflow(bench: Bench) -> None:
    bench.add({"every": "1h"}, kind="producer")
    bench.run_for(HOUR - SECOND)
    offer(bench, consumer())
    bench.clock.move(SECOND)
    bench.tick()
    assert running_subjects(bench) == ["w/file"]
    bench.launcher.rest()
    bench.tick()
    assert running_subjects(bench) == ["w/h"]
    offer(bench, consumer())
    bench.tick()
    assert running_subjects(bench) == ["w/h"], "the lane is busy"
    bench.launcher.finish()
    bench.tick()
    assert running_subjects(bench) == ["w/file"]


@pytest.mark.parametrize("first", [LanePriority.CONTINUATION, LanePriority.RETRY])
def test_the_launcher_decides_the_order_within_a_lane(bench: Bench, first: LanePriority) -> None:
    bench.launcher.offer(consumer("a"), LanePriority.CONSUMER)
    offer(bench, consumer("b"), first)
    bench.tick()
    assert running_subjects(bench) == ["w/b"]


def test_resumed_work_runs_in_parallel_with_other_lanes(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    offer(bench, consumer())
    offer(bench, consumer(workflow="v"))
    bench.tick()
    assert sorted(running_subjects(bench)) == ["v/file", "w/file", "w/h"]


def test_resumed_work_waits_for_the_next_free_slot(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(concurrency=1)
    bench.add({"every": "6h"})
    bench.run_for(6 * HOUR, finish=False)
    offer(bench, consumer())
    wake = bench.tick()
    assert running_subjects(bench) == ["w/h"]
    assert bench.clock.wall < wake <= bench.clock.wall + MINUTE, "it does not busy-wait"
    bench.launcher.finish()
    bench.tick()
    assert running_subjects(bench) == ["w/file"]


def test_the_longest_due_goes_first_across_lanes(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(concurrency=1)
    bench.add({"once": "2026-11-16T11:00Z"}, name="long")
    bench.add({"once": "2026-11-16T11:00:10Z"}, name="old")
    bench.run_for(HOUR + 20 * SECOND, finish=False)
    offer(bench, consumer(workflow="v"))
    bench.clock.move(SECOND)
    bench.launcher.finish()
    bench.tick()
    assert running_subjects(bench) == ["w/old"]


def test_work_that_cannot_start_does_not_block_the_rest_of_the_queue(make_bench: Callable[..., Bench]) -> None:
    """Even when there is more work than slots."""
    bench = make_bench(concurrency=2)
    bench.add({"once": "2026-11-16T11:00Z"}, name="long")
    bench.run_for(HOUR, finish=False)
    bench.commands.trigger("w/long")
    bench.clock.move(SECOND)
    bench.add({"once": "2026-11-16T11:00:30Z"}, name="free")
    bench.clock.move(MINUTE)
    bench.launcher.offer(consumer(workflow="v"))
    offer(bench, consumer(workflow="u"))
    bench.tick()
    assert running_subjects(bench) == ["w/long", "w/free"]


@pytest.mark.parametrize("overlap", ["buffer_one", "skip", "buffer_all"])
def test_a_producer_is_not_starved_by_a_busy_consumer(bench: Bench, overlap: str) -> None:
    """Only once its next time is due as well, it goes first."""
    bench.add({"every": "1m"}, kind="producer", overlap=overlap)
    for _ in range(21):
        offer(bench, consumer())
        bench.run_for(10 * SECOND, finish=False)
        if running_subjects(bench) == ["w/h"]:
            bench.launcher.finish()
        else:
            bench.launcher.rest()
    order = begun_subjects(bench)
    assert order.index("w/h") > 6, "until then the consumer goes first"
    assert order.count("w/h") >= 1 and "w/h w/h" not in " ".join(order)


def test_a_producer_that_takes_longer_than_its_interval_does_not_starve_the_consumers(bench: Bench) -> None:
    """It goes first once, then the others do."""
    bench.add({"every": "1m"}, kind="producer")
    bench.run_for(MINUTE, finish=False)
    for _ in range(6):
        offer(bench, consumer())
        bench.run_for(2.3 * MINUTE, finish=False)
        (bench.launcher.finish if running_subjects(bench) == ["w/h"] else bench.launcher.rest)()
    order = " ".join(begun_subjects(bench))
    assert order.count("w/file") > 1 and order.count("w/h") > 1 and "w/file w/file" not in order


def test_queued_work_does_not_start_once_everything_is_paused(make_bench: Callable[..., Bench]) -> None:
    """Even when a slot becomes free without a tick."""
    bench = make_bench(concurrency=1)
    for name in ("a", "b"):
        bench.add({"once": "2026-11-16T11:00Z"}, name=name)
    bench.run_for(HOUR, finish=False)
    bench.engine._context.paused_until = at("11:30")
    bench.launcher.finish()
    assert running_subjects(bench) == []
    bench.run_for(HOUR / 2, finish=False)
    assert len(running_subjects(bench)) == 1


def test_a_lane_continues_with_its_next_consumer_while_nothing_else_waits(make_bench: Callable[..., Bench]) -> None:
    """Nothing waits for the lane or for a slot."""
    bench = make_bench(concurrency=2)
    bench.add({"every": "1h"}, kind="producer")
    offer(bench, consumer())
    bench.tick()
    may_continue = bench.launcher.in_flight.may_continue
    assert may_continue("w/")
    bench.run_for(HOUR, finish=False)
    assert not may_continue("w/"), "a producer waits for its turn"
    assert may_continue("v/"), "nothing waits there"
    offer(bench, consumer(workflow="v"))
    offer(bench, consumer(workflow="u"))
    bench.tick()
    assert not may_continue("v/"), "other work waits for a slot"


@pytest.mark.parametrize(("lane", "kind"), [("h", "job"), ("", "producer")])
def test_nothing_starts_in_a_blocked_lane_and_its_times_continue(bench: Bench, lane: str, kind: str) -> None:
    bench.deploy("", "h", "other")
    bench.add({"every": "1h"}, kind=kind, overlap="buffer_one")
    bench.add({"every": "1h"}, name="other")
    bench.block(lane)
    bench.run_for(2 * HOUR)
    assert bench.states() == ["coalesced", "queued"]
    assert bench.states("w/other") == ["succeeded"] * 2, "other lanes continue"
    bench.unblock(lane)
    bench.run_for(SECOND)
    assert bench.states() == ["coalesced", "succeeded"]


@pytest.mark.parametrize("status", [WorkflowStatus.PAUSED, WorkflowStatus.ARCHIVED])
def test_nothing_of_an_inactive_workflow_starts(bench: Bench, status: WorkflowStatus) -> None:
    bench.deploy("h")
    bench.add({"every": "1h"})
    bench.set_status(status)
    bench.commands.trigger("w/h")
    bench.run_for(HOUR)
    assert "succeeded" not in bench.states() and bench.launcher.begun == []
    bench.set_status(WorkflowStatus.ACTIVE)
    bench.run_for(SECOND)
    assert "succeeded" in bench.states()


def test_nothing_of_a_workflow_under_repair_starts(bench: Bench) -> None:
    bench.deploy("h")
    bench.add({"every": "1h"})
    bench.database.read().execute("UPDATE workflows SET fixing = 1")
    bench.run_for(HOUR)
    assert bench.states() == ["queued"]


def test_while_everything_is_paused_nothing_starts(bench: Bench) -> None:
    """Neither occurrences nor resumed work; afterwards both run, by the catch-up policy."""
    bench.add({"every": "1h"})
    offer(bench, consumer())
    bench.engine._context.paused_until = at("11:30")
    bench.run_for(HOUR + 10 * MINUTE)
    assert bench.launcher.begun == [] and bench.states() == []
    bench.run_for(HOUR / 2, finish=False)
    assert sorted(running_subjects(bench)) == ["w/file", "w/h"]


def test_a_refused_start_frees_its_lane(bench: Bench) -> None:
    """It was paused between launch and start."""
    bench.launcher.slow = True
    bench.add({"every": "1h"}, kind="producer")
    bench.run_for(HOUR, finish=False)
    bench.commands.pause("w/h")
    bench.launcher.begin()
    assert bench.launcher.begun == [] and bench.states() == ["queued"]
    offer(bench, consumer())
    bench.tick()
    assert running_subjects(bench) == ["w/file"]


def test_a_failed_launch_frees_its_lane(bench: Bench) -> None:
    bench.add({"every": "1h"}, kind="producer")
    bench.launcher.broken = True
    bench.run_for(HOUR)
    offer(bench, consumer())
    bench.tick()
    assert running_subjects(bench) == ["w/file"] and bench.states() == ["queued"]
