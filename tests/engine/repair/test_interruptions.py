"""Repairs that are cut off, overtaken or not wanted any longer: nothing stays stuck."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from scheduler.engine.fixing.choice import FixerChoice
from scheduler.store import repairs, workflows
from scheduler.store.requests import RequestKind
from tests.engine.fixing.mending import GOOD, Model, asked, breaks, model, shop, until
from tests.runs.breaking import refusing
from tests.runs.shop import PATIENCE, Shop

__all__ = ["model", "shop"]


def test_a_crash_in_the_middle_leaves_nothing_stuck(shop: Shop, model: Model) -> None:
    """The next start asks the fixer again, as long as it may be asked."""
    model.gate.clear()
    breaks(shop)
    assert model.entered.wait(PATIENCE)
    gone = shop.house.repairs
    shop.crash()
    gone.close()
    model.gate.set()
    until(shop, lambda: asked(shop, RequestKind.FIX))
    assert (shop.workflow().fixing, len(model.asked)) == (False, 2)
    shop.answering.approve(asked(shop, RequestKind.FIX).id)
    shop.tick()
    assert (shop.runs()[-1].summary, len(shop.world.calls)) == ("Did 1", 1)


def test_after_a_crash_a_fixer_that_was_turned_off_is_not_asked(shop: Shop, model: Model) -> None:
    model.gate.clear()
    breaks(shop)
    assert model.entered.wait(PATIENCE)
    shop.settings = replace(shop.settings, fixer=FixerChoice())
    gone = shop.house.repairs
    shop.crash()
    gone.close()
    [one] = shop.requests()
    assert one.kind is RequestKind.SCRIPT_ERROR and "before there was a repair" in one.sentence
    assert not shop.workflow().fixing


def test_a_fixer_that_takes_the_app_down_with_it_is_asked_three_times(shop: Shop, model: Model) -> None:
    model.gate.clear()
    breaks(shop)
    for _ in range(3):
        assert model.entered.wait(PATIENCE)
        model.entered.clear()
        gone = shop.house.repairs
        shop.crash()
        gone.close()
    assert [one.kind for one in shop.requests()] == [RequestKind.SCRIPT_ERROR]
    assert (shop.workflow().fixing, len(model.asked)) == (False, 3)


def test_a_crash_before_the_answer_was_used_loses_nothing_but_the_answer(shop: Shop, model: Model) -> None:
    breaks(shop)
    shop.wait(lambda: not shop.house.repairs.errands.empty())
    gone = shop.house.repairs
    shop.crash()
    gone.close()
    until(shop, lambda: asked(shop, RequestKind.FIX))
    assert len(model.asked) == 2


def test_a_copy_of_the_store_without_its_facts_is_settled_too(shop: Shop, model: Model) -> None:
    model.gate.clear()
    run = breaks(shop)
    assert model.entered.wait(PATIENCE)
    with shop.database.write() as db:
        db.execute("DELETE FROM facts WHERE name LIKE 'fixing %'")
    assert repairs.run_of(shop.database.read(), "w") == run
    with shop.database.write() as db:
        db.execute("UPDATE lanes SET blocked = NULL, run = NULL")
    gone = shop.house.repairs
    shop.crash()
    gone.close()
    assert not shop.workflow().fixing


def test_what_the_author_saves_meanwhile_counts_and_the_repair_is_kept_unused(shop: Shop, model: Model) -> None:
    """F4"""
    model.gate.clear()
    breaks(shop)
    assert model.entered.wait(PATIENCE)
    shop.deploy(GOOD + "\n# mine\n")
    assert not shop.workflow().fixing, "the author's own script runs at once"
    shop.tick()
    assert shop.runs()[-1].summary == "Did 1"
    model.gate.set()
    until(shop, lambda: len(workflows.scripts(shop.database.read(), "w")) == 3)
    assert (shop.workflow().script, shop.requests()) == (2, [])
    assert any("kept as version 3" in told.sentence for told in shop.announcements)


@pytest.mark.parametrize("verb", ["stop", "archive", "remove"])
def test_what_is_put_away_meanwhile_asks_nobody(shop: Shop, model: Model, verb: str) -> None:
    model.gate.clear()
    breaks(shop)
    assert model.entered.wait(PATIENCE)
    getattr(shop.commands, verb)("w")
    model.gate.set()
    shop.wait(lambda: not shop.house.repairs.errands.empty())
    until(shop, lambda: True)
    assert (shop.requests(), repairs.under_way(shop.database.read())) == ([], [])


def test_the_person_may_try_again_meanwhile(shop: Shop, model: Model) -> None:
    model.gate.clear()
    run = breaks(shop)
    assert model.entered.wait(PATIENCE)
    shop.answering.retry("w")
    shop.wait(lambda: len(shop.runs()) > 1 and shop.workflow().fixing)
    assert repairs.run_of(shop.database.read(), "w") == shop.runs()[-1].id != run
    model.gate.set()
    until(shop, lambda: asked(shop, RequestKind.FIX))
    assert asked(shop, RequestKind.FIX).run != run, "the answer to the first failure came too late"


def test_closing_does_not_wait_for_a_fixer_that_thinks(tmp_path: Path, model: Model) -> None:
    model.gate.clear()
    shop = Shop(tmp_path / "other", fixer=model.choice(seconds=3_600))
    breaks(shop)
    assert model.entered.wait(PATIENCE)
    shop.close()
    assert not any(thread.name == "repairs" for thread in threading.enumerate())


def test_a_store_that_refuses_for_a_while_leaves_nothing_stuck(shop: Shop, model: Model) -> None:
    breaks(shop)
    errands = shop.house.repairs.errands
    shop.wait(lambda: not errands.empty())
    with refusing(shop) as let_go:
        errands.get()()
        assert shop.workflow().fixing, "it could not be written"
        let_go()
        until(shop, lambda: asked(shop, RequestKind.FIX))
    assert (shop.workflow().fixing, len(model.asked)) == (False, 1)
