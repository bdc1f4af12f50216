"""One run with everything that is known of it, its log as it grows, and how those stand that were asked for."""

from datetime import timedelta

import pytest

from scheduler.engine.refusal import RefusedError
from tests.engine.harness import START
from tests.engine.workflows.views.shop import RECEIPTS, Shop

FAILING = """
import dayhand
flow = dayhand.Workflow("Failing")

@flow.job(every="1h")
def work(ctx):
    print("before")
    {body}
"""


def deploy_failing(shop: Shop, body: str) -> str:
    shop.deploy(FAILING.format(body=body), "failing.py")
    [run] = shop.house.commands.run("failing")["runs"]
    return str(run)


@pytest.fixture
def filed(shop: Shop) -> Shop:
    """One receipt was filed after a yes."""
    shop.connect_table()
    shop.deploy(RECEIPTS)
    shop.settle()
    shop.clock.move(timedelta(seconds=20))
    shop.house.answering.approve(shop.views.attention()[0].id)
    shop.settle()
    return shop


def test_a_run_shows_its_phases_its_call_and_what_came_of_it(filed: Shop) -> None:
    page = filed.views.workflow("receipts").recent
    run = filed.views.run(next(one.id for one in page if one.summary))
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


def test_an_attempt_that_goes_on_after_another_shows_no_phase_that_it_did_not_pass(shop: Shop) -> None:
    shop.connect_table()
    shop.deploy(RECEIPTS.replace("ctx.done(f", "1 / 0; ctx.done(f"))
    shop.settle()
    shop.house.answering.approve(shop.views.attention()[0].id)
    shop.settle()
    shop.clock.move(timedelta(seconds=20))
    shop.deploy(RECEIPTS)
    shop.settle()
    run = shop.views.run(next(one.id for one in shop.views.workflow("receipts").recent if one.summary))
    assert run.attempt == 2
    assert [(one.phase.value, one.at - START) for one in run.phases] == [
        ("prepared", timedelta()),
        ("mutating", timedelta()),
        ("mutated", timedelta()),
        ("committed", timedelta(seconds=20)),
    ]


def test_a_producer_shows_its_planned_time_and_its_log(filed: Shop) -> None:
    recent = filed.views.workflow("receipts").recent
    run = filed.views.run(next(one.id for one in recent if one.handler == "poll")[:6])
    assert (run.trigger, run.planned, run.log) == ("deploy", START, "polled\n")
    assert [one.phase.value for one in run.phases] == ["executing", "committed"]
    assert run.call is None and run.events == ()


def test_attempts_are_one_chain(shop: Shop) -> None:
    first = deploy_failing(shop, "1 / 0")
    shop.settle()
    shop.house.answering.retry("failing")
    shop.settle()
    run = shop.views.run(first)
    assert [(one.id, one.retry_of, one.attempt) for one in run.chain] == [(first, None, 1), (f"{first}-2", first, 2)]
    assert run.error is not None and "division by zero" in run.error
    assert run.failure["class"] == "logic" and run.failure["line"] == 7
    assert "ZeroDivisionError" in run.failure["traceback"]


def test_a_log_is_read_from_where_one_stopped(filed: Shop) -> None:
    recent = filed.views.workflow("receipts").recent
    poll = next(one.id for one in recent if one.handler == "poll")
    first = filed.views.log(poll)
    assert (first.text, first.is_over) == ("polled\n", True)
    assert filed.views.log(poll, first.part).text == ""


def test_what_was_asked_for_is_known_before_it_begins(shop: Shop) -> None:
    run = deploy_failing(shop, 'ctx.done("Fine")')
    [before] = shop.views.endings([run])
    assert (before.status, before.is_over, before.needs_person) == ("queued", False, False)
    shop.settle()
    [after] = shop.views.endings([run])
    assert (after.status, after.is_over, after.summary) == ("committed", True, "Fine")


def test_what_failed_is_over_and_needs_a_person(shop: Shop) -> None:
    run = deploy_failing(shop, "1 / 0")
    shop.settle()
    [after] = shop.views.endings([run])
    assert (after.is_over, after.needs_person) == (True, True)
    assert after.error is not None and "division by zero" in after.error


def test_what_never_began_is_over_with_its_reason(shop: Shop) -> None:
    run = deploy_failing(shop, "pass")
    shop.house.schedules.delete("failing/work")
    [after] = shop.views.endings([run])
    assert (after.status, after.is_over) == ("dropped", True)
    assert after.error == "The schedule was removed before it ran."


def test_one_that_nobody_knows_is_over(shop: Shop) -> None:
    [after] = shop.views.endings(["feedfeedfeedfeed"])
    assert (after.status, after.is_over) == ("unknown", True)


def test_a_run_that_is_not_there_is_refused(shop: Shop) -> None:
    with pytest.raises(RefusedError, match="There is no run cafe"):
        shop.views.run("cafe")
