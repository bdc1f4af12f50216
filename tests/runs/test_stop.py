"""Stop: what runs ends soon with all its children, what waits is let go, and neither starts again by itself."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.connections.connector import Call
from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs.layer import RunLayer
from scheduler.engine.workflows.views import WorkflowViews
from scheduler.rules.failures import FailureClass
from scheduler.workers.limits import Limits
from tests.engine.harness import HOUR, MINUTE
from tests.runs.scripts import consumer, job, prepare, producer
from tests.runs.shop import PATIENCE, Shop, fail, is_alive

FOREVER = "import time\nwhile not ctx.cancelled:\n    time.sleep(0.01)"
DEAF = (
    "import signal, subprocess, sys\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import signal, time; signal.signal(15, signal.SIG_IGN); "
    "time.sleep(600)'])\n"
    "print('child', child.pid, flush=True)\n"
    "open(PATH, 'w').write(str(child.pid))\n"
    "while True:\n    pass"
)


def refusal(shop: Shop, target: str) -> str:
    with pytest.raises(RefusedError) as refused:
        shop.commands.stop(target)
    return str(refused.value)


def test_a_running_job_ends_and_its_occurrence_is_cancelled(shop: Shop) -> None:
    shop.deploy(job(FOREVER))
    shop.commands.run("w")
    shop.until_begun()
    [run] = shop.active()
    assert shop.commands.stop("w") == {"stopped": [run.id]}
    shop.tick()
    assert shop.runs("j")[-1].status == "cancelled"
    assert [(row.state, row.reason) for row in shop.occurrences("j")] == [("cancelled", "stopped")]
    assert shop.lane("j").blocked is None and shop.requests() == []
    assert shop.handler("j").failures == 0, "a person's stop is no failure"


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks for processes in /proc")
def test_a_deaf_job_ends_with_its_children(shop: Shop) -> None:
    """L1: asked first, ended after three seconds, so that ten are enough."""
    pid = shop.folder / "pid"
    shop.deploy(job(DEAF.replace("PATH", repr(str(pid)))))
    shop.commands.run("w")
    shop.wait(lambda: pid.exists() and pid.read_text() != "")
    child = int(pid.read_text())
    assert is_alive(child)
    shop.commands.stop("w")
    shop.tick()
    assert shop.runs("j")[-1].status == "cancelled"
    shop.wait(lambda: not is_alive(child))
    assert Limits().grace == 3


def test_a_handler_that_never_returns_is_ended_by_its_limit(shop: Shop) -> None:
    """L1: it is tried again later, like anything that took too long."""
    shop.deploy(job("while True:\n    pass", timeout="1s"))
    shop.commands.run("w")
    shop.tick()
    run = shop.runs("j")[-1]
    assert run.status == "paused:transient" and "1 s" in run.error["sentence"]
    assert shop.lane("j").blocked == "retrying" and shop.states("j") == ["started"]


def test_the_script_is_asked_first(shop: Shop) -> None:
    """`ctx.cancelled` tells a long loop, which may clean up."""
    body = (
        f"import time\nprint('at work', flush=True)\nopen({str(shop.folder / 'there')!r}, 'w').close()\n"
        "while not ctx.cancelled:\n    time.sleep(0.01)\nprint('cleaned up', flush=True)"
    )
    shop.deploy(job(body))
    shop.commands.run("w")
    shop.wait((shop.folder / "there").exists)
    shop.commands.stop("w")
    shop.tick()
    run = shop.runs("j")[-1]
    assert run.status == "cancelled" and "cleaned up" in shop.log(run.id)


def test_a_stopped_consumer_does_not_start_again_by_itself(shop: Shop) -> None:
    """K13: neither for what is pending, nor for a wake time that has come."""
    go = shop.folder / "go"
    shop.deploy(
        prepare(
            f"import os, time\nwhile not (os.path.exists({str(go)!r}) or ctx.cancelled):\n    time.sleep(0.01)\n"
            "return dayhand.prepared(reserve=ctx.peek(t))"
        )
    )
    shop.publish("a")
    shop.until_begun()
    shop.commands.stop("w/C")
    shop.tick()
    assert [run.status for run in shop.runs("C")] == ["cancelled"] and shop.pending() == ["a"]
    go.touch()
    shop.pass_time(HOUR)
    assert len(shop.runs("C")) == 1
    shop.publish("b")
    shop.tick()
    assert shop.events() == {"a": "consumed", "b": "consumed"}, "news wakes it, and it finds what it had left"


def test_what_arrived_during_the_stopped_run_still_wakes_the_consumer(shop: Shop) -> None:
    """K13 and K2: stop forgets what there was, never what came since."""
    go = shop.folder / "go"
    shop.deploy(
        prepare(
            f"import os, time\nwhile not (os.path.exists({str(go)!r}) or ctx.cancelled):\n    time.sleep(0.01)\n"
            "return dayhand.prepared(reserve=ctx.peek(t))"
        )
    )
    shop.publish("a")
    shop.until_begun()
    shop.publish("b")
    shop.commands.stop("w/C")
    go.touch()
    shop.tick()
    assert shop.events() == {"a": "consumed", "b": "consumed"}


def test_a_consumer_stopped_between_attempts_does_not_start_again(shop: Shop) -> None:
    """K13: it had failed in prepare, so it never counted as having looked."""
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(prepare("ctx.call('world:x', 'look')\nreturn dayhand.prepared(reserve=ctx.peek(t))"))
    shop.publish("a")
    shop.tick()
    assert shop.runs("C")[-1].status == "paused:transient"
    shop.commands.stop("w")
    shop.pass_time(2 * HOUR)
    assert [run.status for run in shop.runs("C")] == ["cancelled"] and shop.pending() == ["a"]
    assert shop.lane().blocked is None
    shop.publish("b")
    shop.tick()
    assert shop.events() == {"a": "consumed", "b": "consumed"}


def test_what_came_while_it_waited_for_its_next_attempt_wakes_it_after_a_stop(shop: Shop) -> None:
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(prepare("ctx.call('world:x', 'look')\nreturn dayhand.prepared(reserve=ctx.peek(t))"))
    shop.publish("a")
    shop.tick()
    shop.publish("b")
    shop.commands.stop("w")
    shop.tick()
    assert shop.events() == {"a": "consumed", "b": "consumed"}


def test_a_wake_time_that_has_come_is_cleared_and_one_to_come_stays(shop: Shop) -> None:
    """K13."""
    flag = shop.folder / "flag"
    shop.deploy(
        prepare(
            "import os, time\nfrom datetime import timedelta\n"
            f"while os.path.exists({str(flag)!r}) and not ctx.cancelled:\n    time.sleep(0.01)\n"
            "return dayhand.nothing(wake_at=ctx.now + timedelta(hours=1))"
        )
    )
    shop.tick()
    flag.touch()
    shop.publish("a")
    shop.until_begun()
    shop.commands.stop("w")
    shop.tick()
    assert shop.handler("C").wake_at is not None, "it lies ahead"
    shop.clock.move(HOUR + MINUTE)
    shop.until_begun()
    shop.commands.stop("w")
    shop.tick()
    assert shop.handler("C").wake_at is None
    before = len(shop.runs("C"))
    shop.pass_time(HOUR)
    assert len(shop.runs("C")) == before


def test_an_approval_that_waits_is_withdrawn_and_its_events_released(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    [request] = shop.requests()
    shop.commands.stop("w")
    shop.pass_time(HOUR)
    assert (shop.requests(), shop.pending(), shop.world.calls) == ([], ["a"], [])
    assert shop.runs("C")[-1].status == "cancelled"
    with pytest.raises(RefusedError, match="already answered"):
        shop.answering.approve(request.id)


def test_between_attempts_the_occurrence_ends_too(shop: Shop) -> None:
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(job("ctx.call('world:x', 'look')"))
    shop.commands.run("w")
    shop.tick()
    run = shop.runs("j")[-1]
    shop.commands.stop(run.id[:8])
    assert shop.states("j") == ["cancelled"] and shop.lane("j").blocked is None
    shop.pass_time(HOUR)
    assert shop.states("j") == ["cancelled", "succeeded"], "the regular times go on"


def test_one_handler_of_a_workflow_is_stopped_and_not_the_other(shop: Shop) -> None:
    shop.deploy(producer(FOREVER) + f"@flow.job(every='1h')\ndef k(ctx):\n    exec({FOREVER!r})\n")
    shop.commands.run("w", "k")
    shop.wait(lambda: {run.handler for run in shop.active()} == {"p", "k"})
    shop.commands.stop("w/k")
    shop.wait(lambda: len(shop.active()) == 1)
    assert [run.handler for run in shop.active()] == ["p"]
    shop.commands.stop("w")
    shop.tick()


def test_what_may_have_happened_cannot_be_stopped(shop: Shop) -> None:
    shop.world.fails = [fail(FailureClass.UNSURE)]
    shop.deploy(consumer(tool="blind"))
    shop.publish("a")
    shop.tick()
    assert refusal(shop, "w") == "Say first whether it happened: dayhand attention"


def test_the_same_request_stops_once(shop: Shop) -> None:
    shop.deploy(job(FOREVER))
    shop.commands.run("w")
    shop.until_begun()
    first = shop.commands.stop("w", request="r")
    shop.tick()
    shop.commands.run("w")
    shop.until_begun()
    assert shop.commands.stop("w", request="r") == first
    assert len(shop.active()) == 1, "the second run was not meant"
    shop.commands.stop("w")
    shop.tick()


@pytest.fixture
def silence(shop: Shop) -> Iterator[threading.Event]:
    """A server that does not answer before the end; set as soon as it is asked."""
    answers, asked = threading.Event(), threading.Event()

    def hang(_: Call) -> None:
        asked.set()
        assert answers.wait(PATIENCE)

    shop.world.look = hang  # type: ignore[method-assign]
    shop.crash()  # the tools are made of what the world does then
    yield asked
    answers.set()


def test_a_run_that_waits_for_an_answer_from_outside_is_stopped_at_once(shop: Shop, silence: threading.Event) -> None:
    """A server that does not answer holds up nobody; reading leaves nothing behind."""
    shop.deploy(job("ctx.call('world:x', 'look')"))
    shop.commands.run("w")
    shop.wait(silence.is_set)
    shop.commands.stop("w")
    shop.tick()
    assert shop.runs("j")[-1].status == "cancelled" and shop.states("j") == ["cancelled"]


def test_the_time_limit_holds_while_a_run_waits_for_an_answer_from_outside(
    shop: Shop, silence: threading.Event
) -> None:
    shop.deploy(job("ctx.call('world:x', 'look')", timeout="1s"))
    shop.commands.run("w")
    shop.tick()
    assert silence.is_set()
    [run] = shop.runs("j")
    assert run.status == "paused:transient"
    assert run.error is not None and run.error["sentence"] == "It took longer than 1 seconds and was ended."


def test_one_that_waits_for_its_turn_is_known_by_its_id_and_stopped(shop: Shop) -> None:
    """It has an id before it begins: its log can be followed, and it need not begin at all."""
    shop.deploy(job(FOREVER))
    [running] = shop.commands.run("w")["runs"]
    shop.until_begun()
    [waiting] = shop.commands.run("w", when_finished=True)["runs"]
    views = WorkflowViews(shop.engine.context, shop.house.plans, shop.house.registry)
    part = views.log(waiting, 0)
    assert (part.run, part.text, part.is_over) == (waiting, "", False)
    with pytest.raises(RefusedError) as refused:
        views.run(waiting)
    assert str(refused.value) == f"{waiting} has not begun yet; it waits for its turn."
    assert shop.commands.stop(waiting[:6]) == {"stopped": [waiting]}
    assert [run.id for run in shop.active()] == [running], "the other one goes on"
    shop.commands.stop(running)
    shop.tick()
    assert shop.states("j") == ["cancelled"] * 2 and len(shop.runs("j")) == 1
    assert "There is no run" in refusal(shop, waiting)


def test_nothing_to_stop_is_said(shop: Shop) -> None:
    shop.deploy(job("pass"))
    assert refusal(shop, "w") == "Nothing of w is running or waiting."
    assert refusal(shop, "nobody").startswith("There is no run nobody")


def test_a_stop_before_the_script_runs_is_not_lost(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row says that it runs, and nobody has told its worker yet."""
    tell, stopped = RunLayer._tell, []

    def stop_first(self: RunLayer, *told: object) -> object:
        if not stopped:
            stopped.append(shop.commands.stop("w"))
        return tell(self, *told)  # type: ignore[arg-type]

    monkeypatch.setattr(RunLayer, "_tell", stop_first)
    shop.deploy(job(FOREVER))
    shop.commands.run("w")
    shop.tick()
    assert shop.runs("j")[-1].status == "cancelled" and shop.states("j") == ["cancelled"]
