"""What becomes of the run that failed, and of a repair that the person wants to look at before it is asked for."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from scheduler.engine.fixing.choice import FixerChoice
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.views import WorkflowViews
from scheduler.store.requests import RequestKind
from tests.engine.fixing.mending import BROKEN, GOOD, Model, asked, model, shop, until
from tests.runs.scripts import job, producer
from tests.runs.shop import Shop

__all__ = ["model", "shop"]


def test_where_the_person_looks_first_nothing_is_sent_before(shop: Shop, model: Model) -> None:
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(shows=True))
    shop.deploy(BROKEN)
    shop.publish("a")
    shop.tick()
    [one] = shop.requests()
    assert (one.kind, shop.workflow().fixing, model.asked) == (RequestKind.SCRIPT_ERROR, False, [])
    assert one.run is not None
    [view] = WorkflowViews(shop.engine.context, shop.house.plans, shop.house.registry).attention()
    assert view.how[-2:] == (f"dayhand fix {one.run} --show", f"dayhand fix {one.run}")
    shop.house.repairs.start(one.run)
    with pytest.raises(RefusedError, match="already"):
        shop.house.repairs.start(one.run)
    assert (shop.requests(), shop.workflow().fixing) == ([], True)
    until(shop, lambda: asked(shop, RequestKind.FIX))
    told = json.loads(model.asked[0].body)["messages"]
    assert one.ui["sends"] == "\n\n".join(part["content"] for part in told), "what was shown is what was sent"


def test_what_cannot_be_repaired_is_refused_with_the_reason(shop: Shop, model: Model) -> None:
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(shows=True))
    shop.deploy(BROKEN)
    shop.publish("a")
    shop.tick()
    run = shop.runs()[-1].id
    shop.engine.context.settings = replace(shop.settings, fixer=FixerChoice())
    with pytest.raises(RefusedError, match="Nobody was chosen"):
        shop.house.repairs.start(run)
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(shows=True))
    shop.deploy(GOOD)
    with pytest.raises(RefusedError, match="still in use"):
        shop.house.repairs.start(run)
    assert model.asked == []


JOB = job("ctx.done(str(1 / 0))")
AGAIN = job("ctx.done(str(1 / 0))", after_crash="again")


@pytest.mark.parametrize(
    ("source", "by_itself", "runs"),
    [(JOB, False, 2), (JOB, True, 1), (AGAIN, True, 2)],
    ids=["after a yes", "by itself", "by itself, where the author says that it may"],
)
def test_a_job_that_failed_is_done_again_only_where_somebody_said_so(
    shop: Shop,
    model: Model,
    source: str,
    by_itself: bool,  # noqa: FBT001  a case
    runs: int,
) -> None:
    """It may have done half of it."""
    model.scripts = [source.replace("1 / 0", "1 + 1")]
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=by_itself))
    shop.deploy(source)
    shop.commands.run("w")
    shop.wait(lambda: shop.workflow().fixing)
    until(shop, lambda: not shop.workflow().fixing)
    if not by_itself:
        shop.answering.approve(asked(shop, RequestKind.FIX).id)
        shop.tick()
    assert (shop.workflow().script, len(shop.runs())) == (2, runs)
    assert shop.lane("j").blocked is None
    if runs == 2:
        assert (shop.runs()[-1].summary, shop.runs()[-1].retry_of) == ("2", shop.runs()[0].id)
    shop.clock.move(timedelta(hours=1))
    shop.tick()
    assert shop.runs()[-1].summary == "2", "its regular times go on"


def test_a_producer_that_failed_looks_again(shop: Shop, model: Model) -> None:
    source = producer("ctx.publish(t, id=str(1 / 0))")
    model.scripts = [source.replace("1 / 0", "1 + 1")]
    shop.deploy(source)
    shop.wait(lambda: shop.workflow().fixing)
    until(shop, lambda: asked(shop, RequestKind.FIX))
    shop.answering.approve(asked(shop, RequestKind.FIX).id)
    shop.tick()
    assert shop.events() == {"2": "pending"}
