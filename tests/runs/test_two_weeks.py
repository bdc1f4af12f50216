"""Two weeks of thirty jobs, five of which fail in different ways: nothing is silent, every time is accounted for."""

from datetime import timedelta

from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.rules.failures import FailureClass
from scheduler.rules.workflow_state import WorkflowState
from tests.engine.engine_fixture import DAY, HOUR
from tests.runs.runtime_fixture import RuntimeFixture, fail

HEAD = """
import dayhand
flow = dayhand.Workflow("{name}", connections=["world:x"])
"""
JOB = """
@flow.job({settings})
def {name}(ctx):
    {body}
"""
EVERY = ("6h", "12h", "1d", "2d", "3d")
FAILING = {
    "exits": ('every="1d"', 'ctx.run(["sh", "-c", "echo disk full; exit 1"])'),
    "raises": ('every="1d", max_failures=0', "raise ValueError('no such column')"),
    "hangs": ('every="1d", timeout="1s", max_failures=2', "import time; time.sleep(600)"),
    "unreachable": ('every="1d"', 'ctx.call("world:x", "look")'),
    "missing": ('every="12h", retries=1, max_failures=3', 'ctx.run(["no-such-command"])'),
}
SPAN = 14 * DAY


def deploy_jobs(runtime: RuntimeFixture) -> None:
    good = "".join(
        JOB.format(name=f"good_{number}", settings=f'every="{EVERY[number % len(EVERY)]}"', body="ctx.done('Fine')")
        for number in range(25)
    )
    runtime.deploy(HEAD.format(name="Good") + good, path="good.py")
    for name, (settings, body) in FAILING.items():
        script = HEAD.format(name=name.title()) + JOB.format(name="work", settings=settings, body=body)
        runtime.deploy(script, path=f"{name}.py")


def test_two_weeks_of_thirty_jobs_leave_nothing_unexplained(runtime: RuntimeFixture) -> None:
    began = runtime.clock.wall
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT, "The server is down.")] * 1000
    deploy_jobs(runtime)
    for _ in range(14):
        runtime.pass_time(DAY)
    queries = WorkflowQueries(runtime.engine.context, runtime.services.plans, runtime.services.registry)

    for slug, gaps in {"good": EVERY, **dict.fromkeys(FAILING, ("1d",)), "missing": ("12h",)}.items():
        times = queries.statistics(slug, began).times
        planned = sum(SPAN // _span(gap) for gap in gaps) * (5 if slug == "good" else 1)
        rest = times.missed + times.coalesced + times.dropped + times.queued + sum(times.skipped.values())
        assert (times.due, times.due) == (planned, times.ran + rest), slug
    assert {run.status for run in runtime.runs(workflow="good")} == {"committed"}

    views = {one.workflow: one for one in queries.workflows()}
    assert views["good"].state is WorkflowState.IDLE
    asked = {one.workflow: one for one in queries.attention()}
    assert asked.keys() == FAILING.keys()
    for slug, (kind, failures) in {
        "exits": ("too many failures", 5),
        "raises": ("run failed", 14),
        "hangs": ("too many failures", 2),
        "unreachable": ("too many failures", 5),
        "missing": ("too many failures", 3),
    }.items():
        [handler] = queries.workflow(slug).handlers
        first = runtime.runs(workflow=slug)[0]
        assert (asked[slug].kind, handler.failures) == (kind, failures), slug
        assert handler.failing_since is not None and handler.failing_since - began <= DAY + timedelta(minutes=1), slug
        assert views[slug].state is WorkflowState.NEEDS_ATTENTION
        assert f"Failed {failures} times in a row since 1" in views[slug].words and "November" in views[slug].words
        assert first.error is not None

    assert [one.reason for one in runtime.occurrences("work", "raises")] == ["error"] * 14
    assert [run.attempt for run in runtime.runs(workflow="missing")] == [1, 2] * 3
    held_up = [one for one in runtime.occurrences("work", "exits") if one.reason == "held up"]
    assert held_up and all("Held up: failed" in str(one.detail) for one in held_up)


def _span(gap: str) -> timedelta:
    return int(gap[:-1]) * (HOUR if gap.endswith("h") else DAY)
