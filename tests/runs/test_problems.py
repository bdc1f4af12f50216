"""A script reports a problem: the workflow needs attention until it is over, and its schedule goes on."""

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.rules.requests import RequestKind
from scheduler.rules.workflow_state import WorkflowState
from tests.engine.engine_fixture import HOUR
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer, job, producer

REPORT = "problem = (ctx.call('world:x', 'look') or [None])[0]\nctx.problem(problem)"


def problems(runtime: RuntimeFixture) -> list[str]:
    assert all(one.kind is RequestKind.PROBLEM for one in runtime.requests())
    return [one.sentence for one in runtime.requests()]


def view(runtime: RuntimeFixture) -> tuple[WorkflowState, str]:
    """Its state and what is said about it."""
    services = runtime.services
    shown = WorkflowQueries(runtime.engine.context, services.plans, services.registry).workflow("w")
    return shown.state, shown.words


@pytest.mark.parametrize("script", [producer(f"{REPORT}\nreturn state"), job(REPORT)], ids=["producer", "job"])
def test_a_problem_is_asked_once_and_ends_with_it(runtime: RuntimeFixture, script: str) -> None:
    runtime.deploy(script)
    runtime.service.inbox = ["It is gone."]
    runtime.pass_time(HOUR)
    [asked] = runtime.requests()
    runtime.pass_time(2 * HOUR)
    assert [one.id for one in runtime.requests()] == [asked.id]
    assert view(runtime) == (WorkflowState.NEEDS_ATTENTION, "It is gone.")
    assert [run.summary for run in runtime.runs()][-1] == "It is gone."
    runtime.service.inbox = []
    runtime.pass_time(HOUR)
    assert (problems(runtime), view(runtime)[0]) == ([], WorkflowState.IDLE)


def test_a_dismissed_problem_comes_back_only_after_it_was_over_or_changed(runtime: RuntimeFixture) -> None:
    runtime.service.inbox = ["It is gone."]
    runtime.deploy(job(REPORT))
    runtime.pass_time(HOUR)
    runtime.request_commands.dismiss(runtime.requests()[0].id)
    runtime.pass_time(HOUR)
    assert problems(runtime) == []
    for said, asked in (("It is blue.", ["It is blue."]), (None, []), ("It is gone.", ["It is gone."])):
        runtime.service.inbox = [said]
        runtime.pass_time(HOUR)
        assert problems(runtime) == asked


def test_a_new_version_starts_without_the_problems_of_the_old_one(runtime: RuntimeFixture) -> None:
    runtime.service.inbox = ["It is gone."]
    runtime.deploy(job(REPORT))
    runtime.pass_time(HOUR)
    runtime.deploy(job(REPORT + "\n# better"))
    assert problems(runtime) == []
    runtime.pass_time(HOUR)
    assert problems(runtime) == ["It is gone."]


def test_a_run_that_says_nothing_about_it_leaves_it_open(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("for said in ctx.call('world:x', 'look'):\n    ctx.problem(said)"))
    runtime.service.inbox = ["It is gone."]
    runtime.pass_time(HOUR)
    runtime.service.inbox = []
    runtime.pass_time(HOUR)
    assert problems(runtime) == ["It is gone."]


def test_a_failed_run_reports_nothing(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("ctx.problem('It is gone.')\nraise ValueError('x')"))
    runtime.pass_time(HOUR)
    assert [one.kind for one in runtime.requests()] == [RequestKind.RUN_FAILED]


def test_next_reports_a_problem_too(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer().replace("ctx.done(", "ctx.problem('Only ' + str(result))\n        ctx.done("))
    runtime.publish("a")
    runtime.tick()
    assert problems(runtime) == ["Only done"]


def test_a_problem_can_only_be_dismissed(runtime: RuntimeFixture) -> None:
    runtime.service.inbox = ["It is gone."]
    runtime.deploy(job(REPORT))
    runtime.pass_time(HOUR)
    [asked] = runtime.requests()
    with pytest.raises(RefusedError, match="Dismiss it: dayhand dismiss"):
        runtime.request_commands.approve(asked.id)
    with pytest.raises(RefusedError, match="nothing to retry"):
        runtime.request_commands.retry("w")


@pytest.mark.parametrize("given", ["''", "7"])
def test_a_problem_is_a_sentence(runtime: RuntimeFixture, given: str) -> None:
    runtime.deploy(job(f"ctx.problem({given})"))
    runtime.pass_time(HOUR)
    assert f"problem takes a sentence or None, not {given}" in runtime.requests()[0].sentence
