"""Lanes: one run at a time, oldest event first, and a failure blocks only its own lane."""

from pathlib import Path

from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.rules.failures import FailureClass
from tests.engine.engine_fixture import HOUR, MINUTE
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import HEAD, job, producer

TWO = (
    HEAD
    + """
u = flow.topic("u")

@flow.consumer(subscribe=[t])
class A:
    def prepare(self, ctx, state):
        one = ctx.peek(t, limit=1)
        return dayhand.prepared(reserve=one) if one else dayhand.nothing()

@flow.consumer(subscribe=[u])
class B:
    def prepare(self, ctx, state):
        one = ctx.peek(u, limit=1)
        return dayhand.prepared(reserve=one) if one else dayhand.nothing()
"""
)


def test_the_consumer_with_the_oldest_pending_event_runs_first(runtime: RuntimeFixture) -> None:
    runtime.deploy(TWO)
    runtime.tick()
    runtime.publish("1", topic="u")
    runtime.publish("2", topic="t")
    before = len(runtime.runs())
    runtime.tick()
    assert [run.handler for run in runtime.runs()[before:]] == ["B", "A"]


def test_consumers_run_before_producers_without_starving_them(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer("ctx.publish(t, id=ctx.key)\nreturn state"))
    runtime.pass_time(3 * HOUR)
    assert [run.handler for run in runtime.runs()] == ["C", "p"] + ["C"] + ["p", "C"] * 3


def test_runs_of_a_lane_never_overlap(runtime: RuntimeFixture) -> None:
    """Checked by the script itself."""
    busy = runtime.folder / "busy"
    guard = (
        f"import os\nos.mkdir({str(busy)!r})\n"
        f"try:\n    ctx.call('world:x', 'look')\nfinally:\n    os.rmdir({str(busy)!r})\n"
    )
    script = producer(f"{guard}ctx.publish(t, id=ctx.key)\nreturn state")
    second = script[script.index("@flow.producer") : script.index("@flow.consumer")].replace("def p(", "def q(")
    runtime.deploy(script + second)
    runtime.pass_time(5 * HOUR)
    assert {run.status for run in runtime.runs()} == {"committed"}
    assert len(runtime.runs("p")) == len(runtime.runs("q")) == 6


def test_a_long_job_blocks_nothing_else_of_its_workflow(runtime: RuntimeFixture) -> None:
    go = runtime.folder / "go"
    runtime.deploy(
        producer("ctx.publish(t, id=ctx.key)\nreturn state")
        + "@flow.job(every='1h')\ndef long(ctx):\n    import os, time\n"
        + f"    while not os.path.exists({str(go)!r}):\n        time.sleep(0.01)\n"
    )
    runtime.clock.move(HOUR)
    runtime.wait(lambda: len(runtime.runs("p")) == 2 and bool(runtime.runs("long")) and len(runtime.active()) == 1)
    assert [run.handler for run in runtime.active()] == ["long"]
    go.touch()
    runtime.tick()
    assert runtime.runs("long")[-1].status == "committed"


def test_a_failure_blocks_only_its_own_lane(runtime: RuntimeFixture) -> None:
    """The job of the same workflow and other workflows stay on time."""
    runtime.deploy(producer("raise ValueError('broken')") + "@flow.job(every='1h')\ndef fine(ctx):\n    pass\n")
    runtime.deploy(job("pass").replace('"W"', '"V"'), path="v.py")
    runtime.pass_time(3 * HOUR)
    assert runtime.lane().blocked == "script error" and runtime.lane("fine").blocked is None
    assert runtime.states("fine") == ["succeeded"] * 3 and runtime.states("j", "v") == ["succeeded"] * 3
    assert len(runtime.runs("p")) == 1, "a blocked lane does not run"


def test_triggers_of_a_blocked_lane_accumulate_and_coalesce(runtime: RuntimeFixture) -> None:
    """None is lost: one run for the missed times, and all events."""
    runtime.service.read_fails = [fail(FailureClass.LOGIC)]
    runtime.deploy(producer("ctx.call('world:x', 'look')\nctx.publish(t, id=ctx.key)\nreturn state"))
    runtime.pass_time(3 * HOUR + MINUTE)
    assert runtime.states("p") == ["failed", "coalesced", "coalesced", "queued"]
    runtime.publish("from outside")
    run_count = len(runtime.runs("C"))
    runtime.tick()
    assert len(runtime.runs("C")) == run_count
    runtime.request_commands.retry("w")
    runtime.tick()
    assert runtime.states("p") == ["succeeded", "coalesced", "coalesced", "succeeded"]
    assert len(runtime.runs("C")) > run_count and len(runtime.pending()) == 3


def test_a_hanging_workflow_does_not_delay_others(tmp_path: Path) -> None:
    """Even with few slots, as long as one is free."""
    runtime = RuntimeFixture(tmp_path, concurrency=2)
    go = tmp_path / "go"
    runtime.deploy(job(f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)"))
    runtime.deploy(job("pass").replace('"W"', '"V"'), path="v.py")
    runtime.clock.move(HOUR)
    runtime.wait(lambda: runtime.states("j") == ["started"])
    for number in (1, 2, 3, 4):
        runtime.wait(lambda number=number: runtime.states("j", "v") == ["succeeded"] * number)
        if number < 4:
            runtime.clock.move(HOUR)
    assert runtime.states("j") == ["started", "skipped", "skipped", "skipped"]
    drift = [abs(row.began - row.planned) for row in runtime.occurrences("j", "v") if row.began]
    assert drift == [HOUR * 0] * 4
    go.touch()
    runtime.close()


def test_allow_all_runs_a_job_in_parallel(runtime: RuntimeFixture) -> None:
    go = runtime.folder / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)"
    runtime.deploy(job(wait, overlap="allow_all"))
    for number in (1, 2, 3):
        runtime.clock.move(HOUR)
        runtime.wait(lambda number=number: len(runtime.active()) == number)
    go.touch()
    runtime.tick()
    assert runtime.states("j") == ["succeeded"] * 3


def test_a_lane_that_continues_at_once_takes_the_oldest_event_first(runtime: RuntimeFixture) -> None:
    """Whatever the names and order of the consumers."""
    consumers = "".join(
        f"""
@flow.consumer(subscribe=[{topic}])
class {name}:
    def prepare(self, ctx, state):
        new = ctx.peek({topic})
        return dayhand.prepared(reserve=new) if new else dayhand.nothing()
"""
        for name, topic in (("A", "t"), ("B", "u"), ("C", "v"))
    )
    topics = 'u, v = flow.topic("u"), flow.topic("v")\n'
    publishes = "".join(f"    ctx.publish({topic}, id='x')\n" for topic in "uvt")
    runtime.deploy(
        f"{HEAD}{topics}{consumers}\n@flow.producer(every='1h', publishes=[t, u, v], run_on_deploy=False)\n"
        f"def p(ctx, state):\n{publishes}"
    )
    runtime.tick()
    seen = len(runtime.runs())
    runtime.clock.move(HOUR)
    runtime.tick()
    assert [run.handler for run in runtime.runs()[seen:]] == ["p", "B", "C", "A"]


def test_a_workflow_that_waits_for_a_long_run_names_it(tmp_path: Path) -> None:
    runtime = RuntimeFixture(tmp_path, concurrency=1)
    go = tmp_path / "go"
    long = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)"
    runtime.deploy(job(long, timeout="1d"))
    runtime.clock.move(HOUR)
    runtime.tick_until_active()
    runtime.deploy(job("pass", every="5m").replace('"W"', '"V"'), path="v.py")
    for span, words in (
        (6 * MINUTE, "Due now; it starts when another run ends."),
        (9 * MINUTE, "Due now; it starts when another run ends. W has been running since 11:00."),
    ):
        runtime.clock.move(span)
        runtime._tick_once()
        queries = WorkflowQueries(runtime.engine.context, runtime.services.plans, runtime.services.registry)
        assert [one.words for one in queries.workflows() if one.workflow == "v"] == [words]
    go.touch()
    runtime.tick()
    runtime.close()
