"""The failed run after a repair, and repairs that the user reviews before anything is sent."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.fixer_config import FixerConfig
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.rules.requests import RequestKind
from tests.engine.repair.repair_fixture import BROKEN, GOOD, ModelServer, find_request, model, run_until, runtime
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import job, producer

__all__ = ["model", "runtime"]


def test_nothing_is_sent_before_the_users_review(runtime: RuntimeFixture, model: ModelServer) -> None:
    runtime.engine.context.settings = replace(runtime.settings, fixer=model.choice(shows=True))
    runtime.deploy(BROKEN)
    runtime.publish("a")
    runtime.tick()
    [one] = runtime.requests()
    assert (one.kind, runtime.workflow().fixing, model.requests) == (RequestKind.SCRIPT_ERROR, False, [])
    assert one.run is not None
    [view] = WorkflowQueries(runtime.engine.context, runtime.services.plans, runtime.services.registry).attention()
    assert [line for line in view.how if " fix " in line] == [f"dayhand fix {one.run} --show", f"dayhand fix {one.run}"]
    runtime.services.repairs.start(one.run)
    with pytest.raises(RefusedError, match="already"):
        runtime.services.repairs.start(one.run)
    assert (runtime.requests(), runtime.workflow().fixing) == ([], True)
    run_until(runtime, lambda: find_request(runtime, RequestKind.FIX))
    messages = json.loads(model.requests[0].body)["messages"]
    assert one.ui["sends"] == "\n\n".join(part["content"] for part in messages), "exactly what was shown is sent"


def test_an_impossible_repair_is_refused_with_the_reason(runtime: RuntimeFixture, model: ModelServer) -> None:
    runtime.engine.context.settings = replace(runtime.settings, fixer=model.choice(shows=True))
    runtime.deploy(BROKEN)
    runtime.publish("a")
    runtime.tick()
    run = runtime.runs()[-1].id
    runtime.engine.context.settings = replace(runtime.settings, fixer=FixerConfig())
    with pytest.raises(RefusedError, match="No fixer is set up"):
        runtime.services.repairs.start(run)
    runtime.engine.context.settings = replace(runtime.settings, fixer=model.choice(shows=True))
    runtime.deploy(GOOD)
    with pytest.raises(RefusedError, match="still in use"):
        runtime.services.repairs.start(run)
    assert model.requests == []


JOB = job("ctx.done(str(1 / 0))")
AGAIN = job("ctx.done(str(1 / 0))", after_crash="again")


@pytest.mark.parametrize(
    ("source", "by_itself", "runs"),
    [(JOB, False, 2), (JOB, True, 1), (AGAIN, True, 2)],
    ids=["after approval", "automatic", "automatic, where the author allows it"],
)
def test_a_failed_job_is_repeated_only_if_the_author_allows_it(
    runtime: RuntimeFixture,
    model: ModelServer,
    source: str,
    by_itself: bool,  # noqa: FBT001  a case
    runs: int,
) -> None:
    """It may have done part of its work."""
    model.scripts = [source.replace("1 / 0", "1 + 1")]
    runtime.engine.context.settings = replace(runtime.settings, fixer=model.choice(applies=by_itself))
    runtime.deploy(source)
    runtime.commands.run("w")
    runtime.wait(lambda: runtime.workflow().fixing)
    run_until(runtime, lambda: not runtime.workflow().fixing)
    if not by_itself:
        runtime.request_commands.approve(find_request(runtime, RequestKind.FIX).id)
        runtime.tick()
    assert (runtime.workflow().script, len(runtime.runs())) == (2, runs)
    assert runtime.lane("j").blocked is None
    if runs == 2:
        assert (runtime.runs()[-1].summary, runtime.runs()[-1].retry_of) == ("2", runtime.runs()[0].id)
    runtime.clock.move(timedelta(hours=1))
    runtime.tick()
    assert runtime.runs()[-1].summary == "2", "its schedule continues"


def test_a_failed_producer_runs_again(runtime: RuntimeFixture, model: ModelServer) -> None:
    source = producer("ctx.publish(t, id=str(1 / 0))")
    model.scripts = [source.replace("1 / 0", "1 + 1")]
    runtime.deploy(source)
    runtime.wait(lambda: runtime.workflow().fixing)
    run_until(runtime, lambda: find_request(runtime, RequestKind.FIX))
    runtime.request_commands.approve(find_request(runtime, RequestKind.FIX).id)
    runtime.tick()
    assert runtime.events() == {"2": "pending"}
