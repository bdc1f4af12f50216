"""Stop: active runs end soon with all children, waiting ones are cancelled, and neither restarts on its own."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.connections.connector import Call
from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.runs.runner import Runner
from scheduler.rules.failures import FailureClass
from scheduler.workers.script import Limits
from tests.engine.engine_fixture import HOUR, MINUTE
from tests.killing import is_alive
from tests.runs.runtime_fixture import TIMEOUT_S, RuntimeFixture, fail
from tests.runs.scripts import consumer, job, prepare, producer

FOREVER = "import time\nwhile not ctx.cancelled:\n    time.sleep(0.01)"
UNRESPONSIVE = (
    "import signal, subprocess, sys\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import signal, time; signal.signal(15, signal.SIG_IGN); "
    "time.sleep(600)'])\n"
    "print('child', child.pid, flush=True)\n"
    "open(PATH, 'w').write(str(child.pid))\n"
    "while True:\n    pass"
)


def refusal(runtime: RuntimeFixture, target: str) -> str:
    with pytest.raises(RefusedError) as refused:
        runtime.commands.stop(target)
    return str(refused.value)


def test_a_running_job_is_stopped_and_its_occurrence_cancelled(runtime: RuntimeFixture) -> None:
    runtime.deploy(job(FOREVER))
    runtime.commands.run("w")
    runtime.tick_until_active()
    [run] = runtime.active()
    assert runtime.commands.stop("w") == {"stopped": [run.id]}
    runtime.tick()
    assert runtime.runs("j")[-1].status == "cancelled"
    assert [(row.state, row.reason) for row in runtime.occurrences("j")] == [("cancelled", "stopped")]
    assert runtime.lane("j").blocked is None and runtime.requests() == []
    assert runtime.handler("j").failures == 0, "a stop is no failure"


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks for processes in /proc")
def test_an_unresponsive_job_is_killed_with_its_children(runtime: RuntimeFixture) -> None:
    """Asked first, killed after three seconds."""
    pid = runtime.folder / "pid"
    runtime.deploy(job(UNRESPONSIVE.replace("PATH", repr(str(pid)))))
    runtime.commands.run("w")
    runtime.wait(lambda: pid.exists() and pid.read_text() != "")
    child = int(pid.read_text())
    assert is_alive(child)
    runtime.commands.stop("w")
    runtime.tick()
    assert runtime.runs("j")[-1].status == "cancelled"
    runtime.wait(lambda: not is_alive(child))
    assert Limits().grace == 3


def test_a_handler_that_never_returns_times_out(runtime: RuntimeFixture) -> None:
    """Its run has failed, and the job goes on."""
    runtime.deploy(job("while True:\n    pass", timeout="1s"))
    runtime.commands.run("w")
    runtime.tick()
    run = runtime.runs("j")[-1]
    assert run.status == "failed:logic" and "1 s" in run.error["sentence"]
    assert runtime.lane("j").blocked == "backing off" and runtime.states("j") == ["failed"]


def test_the_script_is_asked_first(runtime: RuntimeFixture) -> None:
    """`ctx.cancelled` lets a long loop clean up."""
    body = (
        f"import time\nprint('at work', flush=True)\nopen({str(runtime.folder / 'there')!r}, 'w').close()\n"
        "while not ctx.cancelled:\n    time.sleep(0.01)\nprint('cleaned up', flush=True)"
    )
    runtime.deploy(job(body))
    runtime.commands.run("w")
    runtime.wait((runtime.folder / "there").exists)
    runtime.commands.stop("w")
    runtime.tick()
    run = runtime.runs("j")[-1]
    assert run.status == "cancelled" and "cleaned up" in runtime.log(run.id)


def test_a_stopped_consumer_does_not_restart_on_its_own(runtime: RuntimeFixture) -> None:
    """Neither for pending events nor for a due wake time."""
    go = runtime.folder / "go"
    runtime.deploy(
        prepare(
            f"import os, time\nwhile not (os.path.exists({str(go)!r}) or ctx.cancelled):\n    time.sleep(0.01)\n"
            "return dayhand.prepared(reserve=ctx.peek(t))"
        )
    )
    runtime.publish("a")
    runtime.tick_until_active()
    runtime.commands.stop("w/C")
    runtime.tick()
    assert [run.status for run in runtime.runs("C")] == ["cancelled"] and runtime.pending() == ["a"]
    go.touch()
    runtime.pass_time(HOUR)
    assert len(runtime.runs("C")) == 1
    runtime.publish("b")
    runtime.tick()
    assert runtime.events() == {"a": "consumed", "b": "consumed"}, "a new event wakes it, and it takes the old one too"


def test_a_resume_during_the_stopped_run_still_makes_the_consumer_check(runtime: RuntimeFixture) -> None:
    go = runtime.folder / "go"
    runtime.deploy(
        prepare(
            f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)\n"
            "return dayhand.prepared(reserve=ctx.peek(t))"
        )
    )
    runtime.publish("a")
    runtime.tick_until_active()
    runtime.commands.stop("w/C")
    runtime.commands.pause("w")
    runtime.commands.resume("w")
    go.touch()
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}
    assert [run.status for run in runtime.runs("C")] == ["cancelled", "committed"]


def test_events_that_arrive_during_the_stopped_run_still_wake_the_consumer(runtime: RuntimeFixture) -> None:
    """A stop ignores only events that existed when the run started."""
    go = runtime.folder / "go"
    runtime.deploy(
        prepare(
            f"import os, time\nwhile not (os.path.exists({str(go)!r}) or ctx.cancelled):\n    time.sleep(0.01)\n"
            "return dayhand.prepared(reserve=ctx.peek(t))"
        )
    )
    runtime.publish("a")
    runtime.tick_until_active()
    runtime.publish("b")
    runtime.commands.stop("w/C")
    go.touch()
    runtime.tick()
    assert runtime.events() == {"a": "consumed", "b": "consumed"}


def test_a_consumer_stopped_between_attempts_does_not_start_again(runtime: RuntimeFixture) -> None:
    """It had failed in prepare, which does not count as seen."""
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(prepare("ctx.call('world:x', 'look')\nreturn dayhand.prepared(reserve=ctx.peek(t))"))
    runtime.publish("a")
    runtime.tick()
    assert runtime.runs("C")[-1].status == "paused:transient"
    runtime.commands.stop("w")
    runtime.pass_time(2 * HOUR)
    assert [run.followed for run in runtime.runs("C")] == [True] and runtime.pending() == ["a"]
    assert runtime.lane().blocked is None
    runtime.publish("b")
    runtime.tick()
    assert runtime.events() == {"a": "consumed", "b": "consumed"}


def test_events_that_arrive_before_the_retry_wake_the_consumer_after_a_stop(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(prepare("ctx.call('world:x', 'look')\nreturn dayhand.prepared(reserve=ctx.peek(t))"))
    runtime.publish("a")
    runtime.tick()
    runtime.publish("b")
    runtime.commands.stop("w")
    runtime.tick()
    assert runtime.events() == {"a": "consumed", "b": "consumed"}


def test_a_stop_clears_a_due_wake_time_and_keeps_a_future_one(runtime: RuntimeFixture) -> None:
    flag = runtime.folder / "flag"
    runtime.deploy(
        prepare(
            "import os, time\nfrom datetime import timedelta\n"
            f"while os.path.exists({str(flag)!r}) and not ctx.cancelled:\n    time.sleep(0.01)\n"
            "return dayhand.nothing(wake_at=ctx.now + timedelta(hours=1))"
        )
    )
    runtime.tick()
    flag.touch()
    runtime.publish("a")
    runtime.tick_until_active()
    runtime.commands.stop("w")
    runtime.tick()
    assert runtime.handler("C").wake_at is not None, "it is in the future"
    runtime.clock.move(HOUR + MINUTE)
    runtime.tick_until_active()
    runtime.commands.stop("w")
    runtime.tick()
    assert runtime.handler("C").wake_at is None
    before = len(runtime.runs("C"))
    runtime.pass_time(HOUR)
    assert len(runtime.runs("C")) == before


def test_a_waiting_approval_is_withdrawn_and_its_events_released(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    runtime.commands.stop("w")
    runtime.pass_time(HOUR)
    assert (runtime.requests(), runtime.pending(), runtime.service.calls) == ([], ["a"], [])
    assert runtime.runs("C")[-1].status == "cancelled"
    with pytest.raises(RefusedError, match="This was withdrawn at "):
        runtime.request_commands.approve(request.id)


def test_a_stop_between_attempts_cancels_the_occurrence(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(job("ctx.call('world:x', 'look')"))
    runtime.commands.run("w")
    runtime.tick()
    run = runtime.runs("j")[-1]
    runtime.commands.stop(run.id[:8])
    assert runtime.states("j") == ["cancelled"] and runtime.lane("j").blocked is None
    runtime.pass_time(HOUR)
    assert runtime.states("j") == ["cancelled", "succeeded"], "the regular times continue"


def test_one_handler_of_a_workflow_is_stopped_and_not_the_other(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer(FOREVER) + f"@flow.job(every='1h')\ndef k(ctx):\n    exec({FOREVER!r})\n")
    runtime.commands.run("w", "k")
    runtime.wait(lambda: {run.handler for run in runtime.active()} == {"p", "k"})
    runtime.commands.stop("w/k")
    runtime.wait(lambda: len(runtime.active()) == 1)
    assert [run.handler for run in runtime.active()] == ["p"]
    runtime.commands.stop("w")
    runtime.tick()


def test_an_unsure_run_cannot_be_stopped(runtime: RuntimeFixture) -> None:
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.deploy(consumer(tool="blind"))
    runtime.publish("a")
    runtime.tick()
    assert refusal(runtime, "w") == "First answer whether it happened: dayhand attention"


def test_the_same_request_stops_once(runtime: RuntimeFixture) -> None:
    runtime.deploy(job(FOREVER))
    runtime.commands.run("w")
    runtime.tick_until_active()
    first = runtime.commands.stop("w", idempotency_key="r")
    runtime.tick()
    runtime.commands.run("w")
    runtime.tick_until_active()
    assert runtime.commands.stop("w", idempotency_key="r") == first
    assert len(runtime.active()) == 1, "the second run is not stopped"
    runtime.commands.stop("w")
    runtime.tick()


@pytest.fixture
def silent_server(runtime: RuntimeFixture) -> Iterator[threading.Event]:
    """A server that never responds; the event is set once it is called."""
    answers, connected = threading.Event(), threading.Event()

    def hang(_: Call) -> None:
        connected.set()
        assert answers.wait(TIMEOUT_S)

    runtime.service.look = hang  # type: ignore[method-assign]
    runtime.crash()  # rebuilds the tools with the patched method
    yield connected
    answers.set()


def test_a_run_that_waits_for_a_server_is_stopped_at_once(
    runtime: RuntimeFixture, silent_server: threading.Event
) -> None:
    """A silent server delays nothing; a read changes nothing."""
    runtime.deploy(job("ctx.call('world:x', 'look')"))
    runtime.commands.run("w")
    runtime.wait(silent_server.is_set)
    runtime.commands.stop("w")
    runtime.tick()
    assert runtime.runs("j")[-1].status == "cancelled" and runtime.states("j") == ["cancelled"]


def test_the_timeout_applies_while_a_run_waits_for_a_server(
    runtime: RuntimeFixture, silent_server: threading.Event
) -> None:
    runtime.deploy(job("ctx.call('world:x', 'look')", timeout="1s"))
    runtime.commands.run("w")
    runtime.tick()
    assert silent_server.is_set()
    [run] = runtime.runs("j")
    assert run.status == "failed:logic"
    assert run.error is not None and run.error["sentence"] == "It took longer than 1 second and was stopped."


def test_a_queued_run_has_an_id_and_can_be_stopped(runtime: RuntimeFixture) -> None:
    """It has an id before it starts: its log can be followed, and it can be cancelled."""
    runtime.deploy(job(FOREVER))
    [running] = runtime.commands.run("w")["runs"]
    runtime.tick_until_active()
    [waiting] = runtime.commands.run("w", when_finished=True)["runs"]
    views = WorkflowQueries(runtime.engine.context, runtime.services.plans, runtime.services.registry)
    part = views.log(waiting, 0)
    assert (part.run, part.text, part.is_over) == (waiting, "", False)
    with pytest.raises(RefusedError) as refused:
        views.run(waiting)
    assert str(refused.value) == f"{waiting} has not started yet; it is queued."
    assert runtime.commands.stop(waiting[:6]) == {"stopped": [waiting]}
    assert [run.id for run in runtime.active()] == [running], "the other one continues"
    runtime.commands.stop(running)
    runtime.tick()
    assert runtime.states("j") == ["cancelled"] * 2 and len(runtime.runs("j")) == 1
    assert "There is no run" in refusal(runtime, waiting)


def test_a_stop_with_nothing_running_is_refused(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    assert refusal(runtime, "w") == "Nothing of w is running or waiting."
    assert refusal(runtime, "nobody").startswith("There is no run nobody")


def test_a_stop_before_the_script_runs_is_not_lost(runtime: RuntimeFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row says active, but its worker has not started the phase yet."""
    tell, stopped = Runner._execute, []

    def stop_first(self: Runner, *args: object) -> object:
        if not stopped:
            stopped.append(runtime.commands.stop("w"))
        return tell(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Runner, "_execute", stop_first)
    runtime.deploy(job(FOREVER))
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.runs("j")[-1].status == "cancelled" and runtime.states("j") == ["cancelled"]
