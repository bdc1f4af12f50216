"""A failed script is repaired automatically, off the engine thread, and applied as the user chose."""

from dataclasses import replace
from pathlib import Path

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.rules.phases import RunStatus
from scheduler.rules.requests import RequestKind
from scheduler.rules.workflow_state import WorkflowState
from scheduler.store import workflows
from scheduler.store.workflows import ScriptOrigin
from tests.engine.repair.repair_fixture import (
    BROKEN,
    GOOD,
    ModelServer,
    deploy_broken,
    find_request,
    model,
    run_until,
    shop,
    workflow_view,
)
from tests.runs.runtime_fixture import TIMEOUT_S, RuntimeFixture

__all__ = ["model", "shop"]


def test_a_repair_waits_for_approval_and_the_run_continues_without_acting_again(
    shop: RuntimeFixture, model: ModelServer
) -> None:
    model.gate.clear()
    run = deploy_broken(shop)
    assert model.entered.wait(TIMEOUT_S)
    assert (workflow_view(shop).state, workflow_view(shop).words) == (
        WorkflowState.FIXING,
        "A repair is being prepared.",
    )
    assert shop.requests() == [], "the user is not asked while a repair is being prepared"
    model.gate.set()
    run_until(shop, lambda: find_request(shop, RequestKind.FIX))
    one = find_request(shop, RequestKind.FIX)
    assert (one.run, workflow_view(shop).state, shop.workflow().fixing) == (run, WorkflowState.NEEDS_ATTENTION, False)
    assert "division by zero. A repair is ready" in one.sentence
    assert '+        ctx.done("Did "' in one.ui["difference"] and "division by zero" in one.ui["sent"]
    assert [found.kind for found in shop.requests()] == [RequestKind.FIX], "one problem, one request"
    assert shop.workflow().script == 1
    shop.request_commands.approve(one.id)
    shop.tick()
    last = shop.runs()[-1]
    assert (last.status, last.summary, last.script) == (RunStatus.COMMITTED, "Did 1", 2)
    assert (len(shop.service.calls), shop.events(), shop.requests()) == (1, {"a": "consumed"}, [])
    script = workflows.find_script(shop.database.read(), "w", 2)
    assert script is not None and script.origin is ScriptOrigin.FIX


def test_deploying_after_a_repair_warns_that_it_may_be_lost(shop: RuntimeFixture) -> None:
    """The repair is in the store, not in the author's file."""
    deploy_broken(shop)
    run_until(shop, lambda: find_request(shop, RequestKind.FIX))
    shop.request_commands.approve(find_request(shop, RequestKind.FIX).id)
    repaired = workflows.find_script(shop.database.read(), "w", 2)
    assert repaired is not None and shop.deploy(repaired.source)["warnings"] == [], "the file now contains the repair"
    [told] = shop.deploy(BROKEN)["warnings"]
    assert told.startswith("Version 2 was a repair.") and "dayhand diff w" in told
    assert shop.deploy(BROKEN + "\n")["warnings"] == []


def test_deploying_the_repair_itself_gives_no_warning(shop: RuntimeFixture) -> None:
    deploy_broken(shop)
    run_until(shop, lambda: find_request(shop, RequestKind.FIX))
    shop.request_commands.approve(find_request(shop, RequestKind.FIX).id)
    answer = shop.deploy(f"{GOOD.rstrip()}\n\n")
    assert (answer["version"], answer["warnings"]) == (3, [])


def test_a_declined_repair_is_left_to_the_user_and_no_other_begins(shop: RuntimeFixture, model: ModelServer) -> None:
    deploy_broken(shop)
    run_until(shop, lambda: find_request(shop, RequestKind.FIX))
    shop.request_commands.reject(find_request(shop, RequestKind.FIX).id)
    shop.tick()
    [one] = shop.requests()
    assert one.kind is RequestKind.SCRIPT_ERROR and "You declined the repair." in one.sentence
    assert (shop.workflow().script, shop.workflow().fixing, len(model.requests)) == (1, False, 1)
    with pytest.raises(RefusedError, match="yes or no"):
        shop.request_commands.approve(one.id)


def test_only_the_first_answer_counts(shop: RuntimeFixture) -> None:
    deploy_broken(shop)
    run_until(shop, lambda: find_request(shop, RequestKind.FIX))
    one = find_request(shop, RequestKind.FIX)
    shop.request_commands.approve(one.id)
    shop.request_commands.approve(one.id)
    with pytest.raises(RefusedError, match="already answered"):
        shop.request_commands.reject(one.id)
    assert shop.workflow().script == 2


def test_the_lanes_of_a_workflow_are_blocked_while_it_is_repaired(shop: RuntimeFixture, model: ModelServer) -> None:
    model.gate.clear()
    both = BROKEN + '\n@flow.job(every="1h")\ndef j(ctx):\n    ctx.done("ran")\n'
    model.scripts = [both.replace("1 / 0 * ", "")]
    deploy_broken(shop, both)
    with pytest.raises(RefusedError, match="being prepared"):
        shop.commands.run("w", "j")
    assert model.entered.wait(TIMEOUT_S)
    shop.clock.move(shop.schedule("j").next_at - shop.clock.wall)  # type: ignore[operator]  it has a next time
    shop.tick()
    assert shop.runs("j") == [] and shop.states("j") == ["queued"]
    model.gate.set()
    run_until(shop, lambda: not shop.workflow().fixing)
    assert shop.states("j") == ["succeeded"]


def test_automatic_repairs_are_applied_reported_and_can_be_undone(shop: RuntimeFixture, model: ModelServer) -> None:
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=True))
    deploy_broken(shop)
    run_until(shop, lambda: shop.workflow().script == 2)
    assert (shop.runs()[-1].summary, len(shop.service.calls)) == ("Did 1", 1)
    one = find_request(shop, RequestKind.REPAIRED)
    assert one.sentence == "W failed and was repaired. It continues with version 2."
    assert any("repaired" in told.sentence for told in shop.announcements)
    shop.request_commands.reject(one.id)
    script = workflows.find_script(shop.database.read(), "w", 3)
    assert script is not None and (script.origin, script.source) == (ScriptOrigin.ROLLBACK, BROKEN)
    assert shop.requests() == []
    shop.publish("b")
    shop.wait(lambda: bool(shop.requests()))
    assert find_request(shop, RequestKind.SCRIPT_ERROR) is not None, (
        "the version that the user went back to is not repaired"
    )
    assert len(model.requests) == 1


def test_an_automatic_repair_is_confirmed_by_an_answer_or_a_deploy(shop: RuntimeFixture, model: ModelServer) -> None:
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=True))
    deploy_broken(shop)
    run_until(shop, lambda: find_request(shop, RequestKind.REPAIRED))
    shop.request_commands.approve(find_request(shop, RequestKind.REPAIRED).id)
    assert (shop.requests(), shop.workflow().script) == ([], 2)
    shop.deploy(BROKEN + "\n# again\n")
    shop.publish("b")
    run_until(shop, lambda: find_request(shop, RequestKind.REPAIRED))
    shop.deploy(GOOD + "\n# mine\n")
    assert shop.requests() == []


def test_a_changed_id_needs_approval_even_with_automatic_repairs(shop: RuntimeFixture, model: ModelServer) -> None:
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
    deploy_broken(shop, publishing.replace('ctx.done("Did "', 'ctx.done(1 / 0 * "Did "'))
    run_until(shop, lambda: find_request(shop, RequestKind.FIX))
    assert "id=" in find_request(shop, RequestKind.FIX).sentence
    assert shop.workflow().script == 1


def test_a_failed_repair_says_why(shop: RuntimeFixture, model: ModelServer) -> None:
    model.scripts = [GOOD.replace('approve="never"', 'approve="first"')]
    deploy_broken(shop)
    run_until(shop, lambda: bool(shop.requests()))
    [one] = shop.requests()
    assert one.kind is RequestKind.SCRIPT_ERROR
    assert "division by zero" in one.sentence and "No repair was found. It changes when it asks you" in one.sentence
    assert (len(model.requests), shop.workflow().fixing) == (3, False)
    shop.request_commands.retry("w")
    shop.wait(lambda: len(shop.runs()) > 1 and shop.requests())
    assert "3 repairs were tried" in shop.requests()[0].sentence
    assert len(model.requests) == 3, "at most three attempts in one chain"


def test_useless_repairs_end_after_three(shop: RuntimeFixture, model: ModelServer) -> None:
    """Each one fails again before its action, so in a chain of its own, which a dry run without events cannot see."""
    scripts = [
        GOOD.replace("return dayhand.prepared", f"{one} / 0\n        return dayhand.prepared") for one in range(9)
    ]
    model.scripts = scripts[1:]
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=True))
    deploy_broken(shop, scripts[0])
    run_until(shop, lambda: find_request(shop, RequestKind.SCRIPT_ERROR))
    assert "3 repairs were tried" in find_request(shop, RequestKind.SCRIPT_ERROR).sentence
    assert (shop.workflow().script, len(model.requests), shop.service.calls) == (4, 3, [])
    shop.deploy(GOOD)
    shop.tick()
    assert (shop.events(), shop.requests()) == ({"a": "consumed"}, [])


def test_repairs_are_off_by_default(tmp_path: Path) -> None:
    shop = RuntimeFixture(tmp_path / "data")
    shop.deploy(BROKEN)
    shop.publish("a")
    shop.tick()
    assert [one.kind for one in shop.requests()] == [RequestKind.SCRIPT_ERROR]
    assert not shop.workflow().fixing
    shop.close()


def test_a_script_that_cannot_be_loaded_is_repaired_too(
    shop: RuntimeFixture, model: ModelServer, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    there.write_text("x")
    source = GOOD.replace("import dayhand", f"import dayhand\nopen({str(there)!r}).close()")
    model.scripts = [GOOD]
    shop.deploy(source)
    there.unlink()
    shop.services.script_workers.forget("w")
    shop.publish("a")
    shop.wait(lambda: shop.workflow().fixing)
    run_until(shop, lambda: find_request(shop, RequestKind.FIX))
    shop.request_commands.approve(find_request(shop, RequestKind.FIX).id)
    shop.tick()
    assert shop.runs()[-1].summary == "Did 1"


def test_failures_outside_the_script_are_not_sent(shop: RuntimeFixture, model: ModelServer) -> None:
    shop.deploy(GOOD, grant=False)
    shop.publish("a")
    shop.tick()
    assert [one.kind for one in shop.requests()] == [RequestKind.PERMISSION]
    assert model.requests == []
