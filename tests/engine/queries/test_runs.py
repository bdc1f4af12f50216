"""Run details, logs as they grow, and the status of requested runs."""

from datetime import timedelta

import pytest

from scheduler.engine.errors import RefusedError
from tests.engine.engine_fixture import START
from tests.engine.queries.runtime_fixture import RECEIPTS, QueryRuntimeFixture

FAILING = """
import dayhand
flow = dayhand.Workflow("Failing")

@flow.job(every="1h")
def work(ctx):
    print("before")
    {body}
"""


def deploy_failing(runtime: QueryRuntimeFixture, body: str) -> str:
    runtime.deploy(FAILING.format(body=body), "failing.py")
    [run] = runtime.services.workflow_commands.run("failing")["runs"]
    return str(run)


@pytest.fixture
def filed(runtime: QueryRuntimeFixture) -> QueryRuntimeFixture:
    """One receipt was filed after an approval."""
    runtime.connect_table()
    runtime.deploy(RECEIPTS)
    runtime.run_until_idle()
    runtime.clock.move(timedelta(seconds=20))
    runtime.services.request_commands.approve(runtime.queries.attention()[0].id)
    runtime.run_until_idle()
    return runtime


def test_a_run_shows_its_phases_its_call_and_its_result(filed: QueryRuntimeFixture) -> None:
    page = filed.queries.workflow("receipts").recent
    run = filed.queries.run(next(one.id for one in page if one.summary))
    assert (run.handler, run.kind, run.trigger, run.version) == ("FileReceipt", "consumer", "event", 1)
    assert (run.status, run.summary, run.error) == ("committed", "Filed 1 receipts", None)
    assert [(one.phase.value, one.at) for one in run.phases] == [
        ("preparing", START),
        ("prepared", START),
        ("mutating", START + timedelta(seconds=20)),
        ("mutated", START + timedelta(seconds=20)),
        ("committed", START + timedelta(seconds=20)),
    ]
    assert run.prepared == {"rows": [{"amount": 1}]}
    assert run.call is not None
    assert (run.call.connection, run.call.tool, run.call.status) == ("table:expenses", "append", "applied")
    assert run.call.parameters == {"rows": [{"amount": 1}]}
    assert run.result is not None
    [request] = run.requests
    assert (request.kind, request.answer, request.how) == ("approval", "yes", ())
    [event] = run.events
    assert (event["topic"], event["id"], event["title"], event["state"]) == ("mails", "m1", "Receipt 1", "consumed")


def test_a_continuing_attempt_shows_only_its_own_phases(runtime: QueryRuntimeFixture) -> None:
    runtime.connect_table()
    runtime.deploy(RECEIPTS.replace("ctx.done(f", "1 / 0; ctx.done(f"))
    runtime.run_until_idle()
    runtime.services.request_commands.approve(runtime.queries.attention()[0].id)
    runtime.run_until_idle()
    runtime.clock.move(timedelta(seconds=20))
    runtime.deploy(RECEIPTS)
    runtime.run_until_idle()
    run = runtime.queries.run(next(one.id for one in runtime.queries.workflow("receipts").recent if one.summary))
    assert run.attempt == 2
    assert [(one.phase.value, one.at - START) for one in run.phases] == [
        ("prepared", timedelta()),
        ("mutating", timedelta()),
        ("mutated", timedelta()),
        ("committed", timedelta(seconds=20)),
    ]


def test_a_producer_shows_its_planned_time_and_its_log(filed: QueryRuntimeFixture) -> None:
    recent = filed.queries.workflow("receipts").recent
    run = filed.queries.run(next(one.id for one in recent if one.handler == "poll")[:6])
    assert (run.trigger, run.planned, run.log) == ("deploy", START, "polled\n")
    assert [one.phase.value for one in run.phases] == ["executing", "committed"]
    assert run.call is None and run.events == ()


def test_attempts_are_one_chain(runtime: QueryRuntimeFixture) -> None:
    first = deploy_failing(runtime, "1 / 0")
    runtime.run_until_idle()
    runtime.services.request_commands.retry("failing")
    runtime.run_until_idle()
    run = runtime.queries.run(first)
    assert [(one.id, one.retry_of, one.attempt) for one in run.chain] == [(first, None, 1), (f"{first}-2", first, 2)]
    assert run.error is not None and "division by zero" in run.error
    assert run.failure["class"] == "logic" and run.failure["line"] == 7
    assert "ZeroDivisionError" in run.failure["traceback"]


def test_a_log_is_read_from_a_given_part(filed: QueryRuntimeFixture) -> None:
    recent = filed.queries.workflow("receipts").recent
    poll = next(one.id for one in recent if one.handler == "poll")
    first = filed.queries.log(poll)
    assert (first.text, first.is_over) == ("polled\n", True)
    assert filed.queries.log(poll, first.part).text == ""


def test_a_requested_run_has_a_status_before_it_starts(runtime: QueryRuntimeFixture) -> None:
    run = deploy_failing(runtime, 'ctx.done("Fine")')
    [before] = runtime.queries.run_statuses([run])
    assert (before.status, before.is_over, before.needs_person) == ("queued", False, False)
    runtime.run_until_idle()
    [after] = runtime.queries.run_statuses([run])
    assert (after.status, after.is_over, after.summary) == ("committed", True, "Fine")


def test_a_failed_run_is_over_and_nothing_waits_for_the_user(runtime: QueryRuntimeFixture) -> None:
    run = deploy_failing(runtime, "1 / 0")
    runtime.run_until_idle()
    [after] = runtime.queries.run_statuses([run])
    assert (after.is_over, after.needs_person) == (True, False)
    assert after.error is not None and "division by zero" in after.error


def test_a_run_that_never_started_is_over_with_its_reason(runtime: QueryRuntimeFixture) -> None:
    run = deploy_failing(runtime, "pass")
    runtime.services.schedule_commands.delete("failing/work")
    [after] = runtime.queries.run_statuses([run])
    assert (after.status, after.is_over) == ("dropped", True)
    assert after.error == "The schedule was removed before it ran."


def test_an_unknown_run_is_over(runtime: QueryRuntimeFixture) -> None:
    [after] = runtime.queries.run_statuses(["feedfeedfeedfeed"])
    assert (after.status, after.is_over) == ("unknown", True)


def test_an_unknown_run_is_refused(runtime: QueryRuntimeFixture) -> None:
    with pytest.raises(RefusedError, match="There is no run cafe"):
        runtime.queries.run("cafe")
