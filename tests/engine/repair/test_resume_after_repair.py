"""The failed run after a repair, and repairs that the user reviews before anything is sent."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.repair.fixer_config import FixerConfig
from scheduler.rules.requests import RequestKind
from tests.engine.repair.repair_fixture import BROKEN, GOOD, ModelServer, find_request, model, run_until, shop
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import job, producer

__all__ = ["model", "shop"]


def test_nothing_is_sent_before_the_users_review(shop: RuntimeFixture, model: ModelServer) -> None:
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(shows=True))
    shop.deploy(BROKEN)
    shop.publish("a")
    shop.tick()
    [one] = shop.requests()
    assert (one.kind, shop.workflow().fixing, model.requests) == (RequestKind.SCRIPT_ERROR, False, [])
    assert one.run is not None
    [view] = WorkflowQueries(shop.engine.context, shop.services.plans, shop.services.registry).attention()
    assert view.how[-2:] == (f"dayhand fix {one.run} --show", f"dayhand fix {one.run}")
    shop.services.repairs.start(one.run)
    with pytest.raises(RefusedError, match="already"):
        shop.services.repairs.start(one.run)
    assert (shop.requests(), shop.workflow().fixing) == ([], True)
    run_until(shop, lambda: find_request(shop, RequestKind.FIX))
    told = json.loads(model.requests[0].body)["messages"]
    assert one.ui["sends"] == "\n\n".join(part["content"] for part in told), "exactly what was shown is sent"


def test_an_impossible_repair_is_refused_with_the_reason(shop: RuntimeFixture, model: ModelServer) -> None:
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(shows=True))
    shop.deploy(BROKEN)
    shop.publish("a")
    shop.tick()
    run = shop.runs()[-1].id
    shop.engine.context.settings = replace(shop.settings, fixer=FixerConfig())
    with pytest.raises(RefusedError, match="No fixer is set up"):
        shop.services.repairs.start(run)
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(shows=True))
    shop.deploy(GOOD)
    with pytest.raises(RefusedError, match="still in use"):
        shop.services.repairs.start(run)
    assert model.requests == []


JOB = job("ctx.done(str(1 / 0))")
AGAIN = job("ctx.done(str(1 / 0))", after_crash="again")


@pytest.mark.parametrize(
    ("source", "by_itself", "runs"),
    [(JOB, False, 2), (JOB, True, 1), (AGAIN, True, 2)],
    ids=["after approval", "automatic", "automatic, where the author allows it"],
)
def test_a_failed_job_is_repeated_only_if_the_author_allows_it(
    shop: RuntimeFixture,
    model: ModelServer,
    source: str,
    by_itself: bool,  # noqa: FBT001  a case
    runs: int,
) -> None:
    """It may have done part of its work."""
    model.scripts = [source.replace("1 / 0", "1 + 1")]
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=by_itself))
    shop.deploy(source)
    shop.commands.run("w")
    shop.wait(lambda: shop.workflow().fixing)
    run_until(shop, lambda: not shop.workflow().fixing)
    if not by_itself:
        shop.request_commands.approve(find_request(shop, RequestKind.FIX).id)
        shop.tick()
    assert (shop.workflow().script, len(shop.runs())) == (2, runs)
    assert shop.lane("j").blocked is None
    if runs == 2:
        assert (shop.runs()[-1].summary, shop.runs()[-1].retry_of) == ("2", shop.runs()[0].id)
    shop.clock.move(timedelta(hours=1))
    shop.tick()
    assert shop.runs()[-1].summary == "2", "its schedule continues"


def test_a_failed_producer_runs_again(shop: RuntimeFixture, model: ModelServer) -> None:
    source = producer("ctx.publish(t, id=str(1 / 0))")
    model.scripts = [source.replace("1 / 0", "1 + 1")]
    shop.deploy(source)
    shop.wait(lambda: shop.workflow().fixing)
    run_until(shop, lambda: find_request(shop, RequestKind.FIX))
    shop.request_commands.approve(find_request(shop, RequestKind.FIX).id)
    shop.tick()
    assert shop.events() == {"2": "pending"}
