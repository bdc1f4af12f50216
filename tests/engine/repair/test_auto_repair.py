"""A script that fails is repaired by itself, off the engine's thread, and used as the person wants it."""

from dataclasses import replace
from pathlib import Path

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.rules.phases import Status
from scheduler.rules.states import WorkflowState
from scheduler.store import workflows
from scheduler.store.requests import RequestKind
from scheduler.store.workflows import ScriptOrigin
from tests.engine.fixing.mending import BROKEN, GOOD, Model, asked, breaks, model, shop, until, view
from tests.runs.shop import PATIENCE, Shop

__all__ = ["model", "shop"]


def test_a_repair_waits_for_yes_and_the_run_goes_on_without_acting_again(shop: Shop, model: Model) -> None:
    model.gate.clear()
    run = breaks(shop)
    assert model.entered.wait(PATIENCE)
    assert (view(shop).state, view(shop).words) == (WorkflowState.FIXING, "A repair is being prepared.")
    assert shop.requests() == [], "nobody is asked while a repair is being prepared"
    model.gate.set()
    until(shop, lambda: asked(shop, RequestKind.FIX))
    one = asked(shop, RequestKind.FIX)
    assert (one.run, view(shop).state, shop.workflow().fixing) == (run, WorkflowState.NEEDS_ATTENTION, False)
    assert "division by zero. A repair is ready" in one.sentence
    assert '+        ctx.done("Did "' in one.ui["difference"] and "division by zero" in one.ui["sent"]
    assert [found.kind for found in shop.requests()] == [RequestKind.FIX], "one thing, one question"
    assert shop.workflow().script == 1
    shop.answering.approve(one.id)
    shop.tick()
    last = shop.runs()[-1]
    assert (last.status, last.summary, last.script) == (Status.COMMITTED, "Did 1", 2)
    assert (len(shop.world.calls), shop.events(), shop.requests()) == (1, {"a": "consumed"}, [])
    script = workflows.find_script(shop.database.read(), "w", 2)
    assert script is not None and script.origin is ScriptOrigin.FIX


def test_an_author_who_deploys_after_a_repair_is_told_that_it_may_be_lost(shop: Shop) -> None:
    """It is in the store, and not in their file."""
    breaks(shop)
    until(shop, lambda: asked(shop, RequestKind.FIX))
    shop.answering.approve(asked(shop, RequestKind.FIX).id)
    repaired = workflows.find_script(shop.database.read(), "w", 2)
    assert repaired is not None and shop.deploy(repaired.source)["warnings"] == [], "they have taken it over"
    [told] = shop.deploy(BROKEN)["warnings"]
    assert told.startswith("Version 2 was a repair.") and "dayhand diff w" in told
    assert shop.deploy(BROKEN + "\n")["warnings"] == []


def test_an_author_who_saves_the_repair_as_an_editor_does_is_not_warned(shop: Shop) -> None:
    breaks(shop)
    until(shop, lambda: asked(shop, RequestKind.FIX))
    shop.answering.approve(asked(shop, RequestKind.FIX).id)
    answer = shop.deploy(f"{GOOD.rstrip()}\n\n")
    assert (answer["version"], answer["warnings"]) == (3, [])


def test_a_no_leaves_it_to_the_person_and_no_other_repair_begins(shop: Shop, model: Model) -> None:
    breaks(shop)
    until(shop, lambda: asked(shop, RequestKind.FIX))
    shop.answering.reject(asked(shop, RequestKind.FIX).id)
    shop.tick()
    [one] = shop.requests()
    assert one.kind is RequestKind.SCRIPT_ERROR and "You did not want the repair." in one.sentence
    assert (shop.workflow().script, shop.workflow().fixing, len(model.asked)) == (1, False, 1)
    with pytest.raises(RefusedError, match="yes or no"):
        shop.answering.approve(one.id)


def test_only_the_first_answer_counts(shop: Shop) -> None:
    breaks(shop)
    until(shop, lambda: asked(shop, RequestKind.FIX))
    one = asked(shop, RequestKind.FIX)
    shop.answering.approve(one.id)
    shop.answering.approve(one.id)
    with pytest.raises(RefusedError, match="already answered"):
        shop.answering.reject(one.id)
    assert shop.workflow().script == 2


def test_the_lanes_of_a_workflow_rest_while_it_is_repaired(shop: Shop, model: Model) -> None:
    model.gate.clear()
    both = BROKEN + '\n@flow.job(every="1h")\ndef j(ctx):\n    ctx.done("ran")\n'
    model.scripts = [both.replace("1 / 0 * ", "")]
    breaks(shop, both)
    with pytest.raises(RefusedError, match="being prepared"):
        shop.commands.run("w", "j")
    assert model.entered.wait(PATIENCE)
    shop.clock.move(shop.schedule("j").next_at - shop.clock.wall)  # type: ignore[operator]  it has times
    shop.tick()
    assert shop.runs("j") == [] and shop.states("j") == ["queued"]
    model.gate.set()
    until(shop, lambda: not shop.workflow().fixing)
    assert shop.states("j") == ["succeeded"]


def test_by_setting_it_is_used_at_once_told_and_taken_back_with_one_word(shop: Shop, model: Model) -> None:
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=True))
    breaks(shop)
    until(shop, lambda: shop.workflow().script == 2)
    assert (shop.runs()[-1].summary, len(shop.world.calls)) == ("Did 1", 1)
    one = asked(shop, RequestKind.REPAIRED)
    assert one.sentence == "W failed and was repaired. It goes on with version 2."
    assert any("repaired" in told.sentence for told in shop.announcements)
    shop.answering.reject(one.id)
    script = workflows.find_script(shop.database.read(), "w", 3)
    assert script is not None and (script.origin, script.source) == (ScriptOrigin.ROLLBACK, BROKEN)
    assert shop.requests() == []
    shop.publish("b")
    shop.wait(lambda: bool(shop.requests()))
    assert asked(shop, RequestKind.SCRIPT_ERROR) is not None, "what the person went back to is left to them"
    assert len(model.asked) == 1


def test_what_was_repaired_by_itself_is_kept_with_one_word_or_by_a_deploy(shop: Shop, model: Model) -> None:
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=True))
    breaks(shop)
    until(shop, lambda: asked(shop, RequestKind.REPAIRED))
    shop.answering.approve(asked(shop, RequestKind.REPAIRED).id)
    assert (shop.requests(), shop.workflow().script) == ([], 2)
    shop.deploy(BROKEN + "\n# again\n")
    shop.publish("b")
    until(shop, lambda: asked(shop, RequestKind.REPAIRED))
    shop.deploy(GOOD + "\n# mine\n")
    assert shop.requests() == []


def test_a_changed_id_asks_even_where_repairs_are_used_by_themselves(shop: Shop, model: Model) -> None:
    publishing = (
        GOOD.replace("approve=", "publishes=[u], approve=")
        .replace('t = flow.topic("t")', 't = flow.topic("t")\nu = flow.topic("u")')
        .replace("        return state", '        ctx.publish(u, id="x")\n        return state')
    )
    publishing += (
        "\n@flow.consumer(subscribe=[u])\nclass D:\n    prepare = lambda self, ctx, state: dayhand.nothing()\n"
    )
    model.scripts = [publishing.replace('id="x"', 'id="y"')]
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=True))
    breaks(shop, publishing.replace('ctx.done("Did "', 'ctx.done(1 / 0 * "Did "'))
    until(shop, lambda: asked(shop, RequestKind.FIX))
    assert "id=" in asked(shop, RequestKind.FIX).sentence
    assert shop.workflow().script == 1


def test_no_repair_ends_in_the_sentence_why_not(shop: Shop, model: Model) -> None:
    """F4"""
    model.scripts = [GOOD.replace('approve="never"', 'approve="first"')]
    breaks(shop)
    until(shop, lambda: bool(shop.requests()))
    [one] = shop.requests()
    assert one.kind is RequestKind.SCRIPT_ERROR
    assert "division by zero" in one.sentence and "No repair was found. It changes when it asks you" in one.sentence
    assert (len(model.asked), shop.workflow().fixing) == (3, False)
    shop.answering.retry("w")
    shop.wait(lambda: len(shop.runs()) > 1 and shop.requests())
    assert "3 times already" in shop.requests()[0].sentence
    assert len(model.asked) == 3, "three answers in one chain, and no more"


def test_repairs_that_do_not_help_come_to_an_end(shop: Shop, model: Model) -> None:
    """F4: each fails anew, before it acts and so in a chain of its own, where a trial without events cannot see it."""
    scripts = [
        GOOD.replace("return dayhand.prepared", f"{one} / 0\n        return dayhand.prepared") for one in range(9)
    ]
    model.scripts = scripts[1:]
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=True))
    breaks(shop, scripts[0])
    until(shop, lambda: asked(shop, RequestKind.SCRIPT_ERROR))
    assert "3 times already" in asked(shop, RequestKind.SCRIPT_ERROR).sentence
    assert (shop.workflow().script, len(model.asked), shop.world.calls) == (4, 3, [])
    shop.deploy(GOOD)
    shop.tick()
    assert (shop.events(), shop.requests()) == ({"a": "consumed"}, [])


def test_it_is_off_unless_it_was_chosen(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "data")
    shop.deploy(BROKEN)
    shop.publish("a")
    shop.tick()
    assert [one.kind for one in shop.requests()] == [RequestKind.SCRIPT_ERROR]
    assert not shop.workflow().fixing
    shop.close()


def test_a_script_that_cannot_even_be_loaded_is_repaired_too(shop: Shop, model: Model, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("x")
    source = GOOD.replace("import dayhand", f"import dayhand\nopen({str(there)!r}).close()")
    model.scripts = [GOOD]
    shop.deploy(source)
    there.unlink()
    shop.house.workshop.forget("w")
    shop.publish("a")
    shop.wait(lambda: shop.workflow().fixing)
    until(shop, lambda: asked(shop, RequestKind.FIX))
    shop.answering.approve(asked(shop, RequestKind.FIX).id)
    shop.tick()
    assert shop.runs()[-1].summary == "Did 1"


def test_a_failure_that_is_not_the_scripts_is_not_sent(shop: Shop, model: Model) -> None:
    shop.deploy(GOOD, grant=False)
    shop.publish("a")
    shop.tick()
    assert [one.kind for one in shop.requests()] == [RequestKind.PERMISSION]
    assert model.asked == []
