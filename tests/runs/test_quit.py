"""Quitting is no crash: active runs are asked to end and continue at the next start."""

import os
import threading
from typing import Any

import pytest

from scheduler.engine.runtime import Runtime
from scheduler.rules.failures import FailureClass
from scheduler.workers.worker import Worker
from tests.engine.engine_fixture import DAY, HOUR
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer, job


def restart(runtime: RuntimeFixture) -> None:
    runtime.close()
    runtime.open()
    runtime.tick()


def list_workers(runtime: RuntimeFixture) -> list[Worker]:
    """Those that run a script now."""
    in_flight = runtime.services.runner._in_flight
    workers = [in_flight.worker_of(work.key) for work in in_flight.list_running()]
    return [worker for worker in workers if isinstance(worker, Worker)]


def long_job(runtime: RuntimeFixture, **options: str) -> str:
    """A job that creates a file, and ends when asked or allowed to."""
    return job(
        f"""
import pathlib, time
here = pathlib.Path({str(runtime.folder)!r})
(here / "started").touch()
while not (here / "finish").exists() and not ctx.cancelled:
    time.sleep(0.01)
ctx.done("finished")
""",
        **options,
    )


def test_quitting_restarts_a_job_at_the_next_start_without_counting_a_crash(runtime: RuntimeFixture) -> None:
    runtime.deploy(long_job(runtime, after_crash="again"))
    runtime.clock.move(HOUR)
    runtime.wait((runtime.folder / "started").exists)
    (runtime.folder / "started").unlink()
    runtime.close()
    runtime.open()
    [first] = runtime.runs("j")
    assert (first.status, first.crashes) == ("crashed", 0)
    assert [one.state for one in runtime.occurrences("j")] == ["started"]
    (runtime.folder / "finish").touch()
    runtime.tick()
    assert [run.status for run in runtime.runs("j")] == ["crashed", "committed"]
    assert [one.state for one in runtime.occurrences("j")] == ["succeeded"]
    assert (runtime.requests(), runtime.handler("j").failures) == ([], 0)


@pytest.mark.parametrize(("after_crash", "requests", "state"), [("ask", 1, "started"), ("never", 0, "failed")])
def test_an_interrupted_job_does_not_restart_unasked(
    runtime: RuntimeFixture, after_crash: str, requests: int, state: str
) -> None:
    """after_crash also applies when the user quits."""
    runtime.deploy(long_job(runtime, after_crash=after_crash))
    runtime.clock.move(HOUR)
    runtime.wait((runtime.folder / "started").exists)
    restart(runtime)
    assert [run.status for run in runtime.runs("j")] == ["crashed"]
    assert len(runtime.requests()) == requests
    assert [one.state for one in runtime.occurrences("j")] == [state]


def test_quitting_often_does_not_add_up_to_a_failure(runtime: RuntimeFixture) -> None:
    runtime.deploy(long_job(runtime, after_crash="again"))
    runtime.clock.move(HOUR)
    for _ in range(4):
        runtime.wait((runtime.folder / "started").exists)
        (runtime.folder / "started").unlink()
        runtime.close()
        runtime.open()
    (runtime.folder / "finish").touch()
    runtime.tick()
    assert [run.status for run in runtime.runs("j")] == ["crashed"] * 4 + ["committed"]


def test_quitting_during_an_action_waits_for_the_call_and_continues_with_next(runtime: RuntimeFixture) -> None:
    """The outcome is stored; only next is left to do."""
    runtime.service.gate = threading.Event()
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    runtime.wait(runtime.service.entered.is_set)
    closing = threading.Thread(target=runtime.services.close)
    closing.start()
    assert closing.is_alive()
    runtime.service.gate.set()
    closing.join()
    run = runtime.runs("C")[-1]
    mutation = runtime.mutation(run.id)
    assert mutation is not None
    assert (run.status, run.phase, mutation.status) == ("crashed", "emitting", "applied")
    assert runtime.events() == {"a": "reserved"}
    restart(runtime)
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}
    assert runtime.state("C")["told"] == ["applied", "done"]


def test_quitting_before_the_action_starts_again_and_acts_once(
    runtime: RuntimeFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked to end between two phases: no action is started."""
    runtime.deploy(consumer())
    runtime.tick()
    find, closing = runtime.services.runner.tools.find, []

    def close_first(*args: Any) -> Any:
        thread = threading.Thread(target=runtime.services.close)
        thread.start()
        closing.append(thread)
        while runtime.services.runner._in_flight.stop_requested("w/C") is None:
            pass
        return find(*args)

    monkeypatch.setattr(runtime.services.runner.tools, "find", close_first)
    runtime.publish("a")
    runtime.wait(lambda: bool(closing))
    closing[0].join()
    assert runtime.service.calls == []
    assert runtime.runs("C")[-1].status == "crashed"
    assert runtime.events() == {"a": "pending"}
    restart(runtime)
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}


def test_waiting_runs_are_unchanged_by_a_restart(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(
        consumer(approve="always") + '\n@flow.job(every="1h")\ndef j(ctx):\n    ctx.call("world:x", "look")\n'
    )
    runtime.publish("a")
    runtime.clock.move(HOUR)
    runtime.tick()
    before = runtime.runs()
    runtime.close()
    runtime.open()
    assert runtime.runs() == before
    [request] = runtime.requests()
    runtime.request_commands.approve(request.id)
    runtime.pass_time(DAY / 24)
    assert runtime.events() == {"a": "consumed"}
    assert "committed" in [run.status for run in runtime.runs("j")]


def test_quitting_leaves_no_worker_behind(runtime: RuntimeFixture) -> None:
    runtime.deploy(long_job(runtime))
    runtime.clock.move(HOUR)
    runtime.wait((runtime.folder / "started").exists)
    pids = [worker.pid for worker in list_workers(runtime)]
    runtime.close()
    assert pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    runtime.open()


def test_orphaned_workers_are_ended_at_the_next_start(runtime: RuntimeFixture) -> None:
    """They are found by their record files, and no other process is ended."""
    runtime.deploy(long_job(runtime, after_crash="never"))
    runtime.clock.move(HOUR)
    runtime.wait((runtime.folder / "started").exists)
    [worker] = list_workers(runtime)
    os.kill(worker.pid, 0)
    ended = Runtime(runtime.database, runtime.folder, machine_zone="UTC").script_workers.end_orphans()
    assert ended == 1
    runtime.database.close()
    runtime.crash()
    with pytest.raises(ProcessLookupError):
        os.kill(worker.pid, 0)
