"""A report can be dismissed; what it stopped stays stopped until it is tried again, and says so."""

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.rules.failures import FailureClass
from scheduler.rules.requests import ENDED_BY_DEPLOY, REQUESTS, RequestKind
from scheduler.rules.workflow_state import WorkflowState
from tests.engine.engine_fixture import HOUR
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import job, producer
from tests.runs.test_failing_jobs import fails_while, queries, repair, report

STOPS = {
    RequestKind.SCRIPT_ERROR: "script error",
    RequestKind.TOO_MANY_FAILURES: "too many failures",
    RequestKind.INTERNAL: "internal",
}


def break_by(runtime: RuntimeFixture, kind: RequestKind) -> str:
    """Stop the workflow with a report of that kind, until `mend`; the name of the lane."""
    if kind is RequestKind.INTERNAL:
        runtime.service.read_fails = [fail(FailureClass.INTERNAL)]
        runtime.deploy(job('ctx.call("world:x", "look")'))
    elif kind is RequestKind.SCRIPT_ERROR:
        (runtime.folder / "broken").touch()
        broken = str(runtime.folder / "broken")
        runtime.deploy(producer(f"import os\nif os.path.exists({broken!r}):\n    raise ValueError\nreturn state"))
    else:
        runtime.deploy(fails_while(runtime, max_failures=1))
    runtime.pass_time(HOUR)
    assert report(runtime).kind is kind
    return "" if kind is RequestKind.SCRIPT_ERROR else "j"


def mend(runtime: RuntimeFixture) -> None:
    if (runtime.folder / "broken").exists():
        repair(runtime)


@pytest.mark.parametrize("kind", list(STOPS))
def test_what_a_dismissed_report_stopped_stays_stopped(runtime: RuntimeFixture, kind: RequestKind) -> None:
    lane = break_by(runtime, kind)
    given = runtime.request_commands.dismiss(report(runtime).id)
    assert given["stopped"] and runtime.requests() == []
    runs = len(runtime.runs())
    runtime.pass_time(3 * HOUR)
    assert runtime.lane(lane).blocked == STOPS[kind] and len(runtime.runs()) == runs, "nothing started"
    [listed] = queries(runtime).workflows()
    assert (listed.state, listed.attention) == (WorkflowState.STOPPED, 0)
    assert str(listed.words).endswith("It stays stopped until you try again.")
    assert queries(runtime).unasked() == []


@pytest.mark.parametrize("kind", list(STOPS))
def test_it_is_tried_again_after_its_report_was_dismissed(runtime: RuntimeFixture, kind: RequestKind) -> None:
    lane = break_by(runtime, kind)
    runtime.request_commands.dismiss(report(runtime).id)
    mend(runtime)
    runtime.request_commands.retry("w")
    runtime.pass_time(HOUR)
    assert runtime.lane(lane).blocked is None
    [listed] = queries(runtime).workflows()
    assert listed.state is WorkflowState.IDLE


def test_another_failure_is_reported_after_one_was_dismissed(runtime: RuntimeFixture) -> None:
    break_by(runtime, RequestKind.SCRIPT_ERROR)
    first = report(runtime)
    runtime.request_commands.dismiss(first.id)
    runtime.request_commands.retry("w")
    runtime.pass_time(HOUR)
    assert report(runtime).id != first.id
    [listed] = queries(runtime).workflows()
    assert listed.state is WorkflowState.NEEDS_ATTENTION


def test_a_dismissed_stop_counts_as_stopped_after_a_restart(runtime: RuntimeFixture) -> None:
    lane = break_by(runtime, RequestKind.TOO_MANY_FAILURES)
    runtime.request_commands.dismiss(report(runtime).id)
    runtime.crash()
    assert runtime.lane(lane).blocked == "too many failures" and runtime.requests() == []
    [listed] = queries(runtime).workflows()
    assert listed.state is WorkflowState.STOPPED


def test_what_needs_an_answer_cannot_be_dismissed() -> None:
    kinds = {kind for kind, spec in REQUESTS.items() if spec.can_be_dismissed}
    reports = {RequestKind.RUN_FAILED, RequestKind.RUN_INTERRUPTED, *ENDED_BY_DEPLOY}
    assert kinds == {*STOPS, *reports}
    assert {kind for kind in kinds if REQUESTS[kind].is_report} == reports


def test_dismissing_the_same_again_changes_nothing_and_another_answer_is_refused(runtime: RuntimeFixture) -> None:
    break_by(runtime, RequestKind.SCRIPT_ERROR)
    one = report(runtime)
    assert runtime.request_commands.dismiss(one.id) == runtime.request_commands.dismiss(one.id)
    with pytest.raises(RefusedError):
        runtime.request_commands.approve(one.id)
