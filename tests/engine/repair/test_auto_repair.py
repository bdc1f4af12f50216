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
    runtime,
    workflow_view,
)
from tests.runs.runtime_fixture import TIMEOUT_S, RuntimeFixture

__all__ = ["model", "runtime"]


def test_a_repair_waits_for_approval_and_the_run_continues_without_acting_again(
    runtime: RuntimeFixture, model: ModelServer
) -> None:
    model.gate.clear()
    run = deploy_broken(runtime)
    assert model.entered.wait(TIMEOUT_S)
    assert (workflow_view(runtime).state, workflow_view(runtime).words) == (
        WorkflowState.FIXING,
        "A repair is being prepared.",
    )
    assert runtime.requests() == [], "the user is not asked while a repair is being prepared"
    model.gate.set()
    run_until(runtime, lambda: find_request(runtime, RequestKind.FIX))
    one = find_request(runtime, RequestKind.FIX)
    assert (one.run, workflow_view(runtime).state, runtime.workflow().fixing) == (
        run,
        WorkflowState.NEEDS_ATTENTION,
        False,
    )
    assert "division by zero. A repair is ready" in one.sentence
    assert '+        ctx.done("Did "' in one.ui["difference"] and "division by zero" in one.ui["sent"]
    assert [request.kind for request in runtime.requests()] == [RequestKind.FIX], "one problem, one request"
    assert runtime.workflow().script == 1
    runtime.request_commands.approve(one.id)
    runtime.tick()
    last = runtime.runs()[-1]
    assert (last.status, last.summary, last.script) == (RunStatus.COMMITTED, "Did 1", 2)
    assert (len(runtime.service.calls), runtime.events(), runtime.requests()) == (1, {"a": "consumed"}, [])
    script = workflows.find_script(runtime.database.read(), "w", 2)
    assert script is not None and script.origin is ScriptOrigin.FIX


def test_deploying_after_a_repair_warns_that_it_may_be_lost(runtime: RuntimeFixture) -> None:
    """The repair is in the store, not in the author's file."""
    deploy_broken(runtime)
    run_until(runtime, lambda: find_request(runtime, RequestKind.FIX))
    runtime.request_commands.approve(find_request(runtime, RequestKind.FIX).id)
    repaired = workflows.find_script(runtime.database.read(), "w", 2)
    assert repaired is not None and runtime.deploy(repaired.source)["warnings"] == [], (
        "the file now contains the repair"
    )
    [warning] = runtime.deploy(BROKEN)["warnings"]
    assert warning.startswith("Version 2 was a repair.") and "dayhand diff w" in warning
    assert runtime.deploy(BROKEN + "\n")["warnings"] == []


def test_deploying_the_repair_itself_gives_no_warning(runtime: RuntimeFixture) -> None:
    deploy_broken(runtime)
    run_until(runtime, lambda: find_request(runtime, RequestKind.FIX))
    runtime.request_commands.approve(find_request(runtime, RequestKind.FIX).id)
    answer = runtime.deploy(f"{GOOD.rstrip()}\n\n")
    assert (answer["version"], answer["warnings"]) == (3, [])


def test_a_declined_repair_is_left_to_the_user_and_no_other_begins(runtime: RuntimeFixture, model: ModelServer) -> None:
    deploy_broken(runtime)
    run_until(runtime, lambda: find_request(runtime, RequestKind.FIX))
    runtime.request_commands.reject(find_request(runtime, RequestKind.FIX).id)
    runtime.tick()
    [one] = runtime.requests()
    assert one.kind is RequestKind.SCRIPT_ERROR and "You declined the repair." in one.sentence
    assert (runtime.workflow().script, runtime.workflow().fixing, len(model.requests)) == (1, False, 1)
    with pytest.raises(RefusedError, match="yes or no"):
        runtime.request_commands.approve(one.id)


def test_only_the_first_answer_counts(runtime: RuntimeFixture) -> None:
    deploy_broken(runtime)
    run_until(runtime, lambda: find_request(runtime, RequestKind.FIX))
    one = find_request(runtime, RequestKind.FIX)
    runtime.request_commands.approve(one.id)
    runtime.request_commands.approve(one.id)
    with pytest.raises(RefusedError, match="You approved this at "):
        runtime.request_commands.reject(one.id)
    assert runtime.workflow().script == 2


def test_the_lanes_of_a_workflow_are_blocked_while_it_is_repaired(runtime: RuntimeFixture, model: ModelServer) -> None:
    model.gate.clear()
    both = BROKEN + '\n@flow.job(every="1h")\ndef j(ctx):\n    ctx.done("ran")\n'
    model.scripts = [both.replace("1 / 0 * ", "")]
    deploy_broken(runtime, both)
    with pytest.raises(RefusedError, match="being prepared"):
        runtime.commands.run("w", "j")
    assert model.entered.wait(TIMEOUT_S)
    runtime.clock.move(runtime.schedule("j").next_at - runtime.clock.wall)  # type: ignore[operator]  it has a next time
    runtime.tick()
    assert runtime.runs("j") == [] and runtime.states("j") == ["queued"]
    model.gate.set()
    run_until(runtime, lambda: not runtime.workflow().fixing)
    assert runtime.states("j") == ["succeeded"]


def test_automatic_repairs_are_applied_reported_and_can_be_undone(runtime: RuntimeFixture, model: ModelServer) -> None:
    runtime.engine.context.settings = replace(runtime.settings, fixer=model.choice(applies=True))
    deploy_broken(runtime)
    run_until(runtime, lambda: runtime.workflow().script == 2)
    assert (runtime.runs()[-1].summary, len(runtime.service.calls)) == ("Did 1", 1)
    one = find_request(runtime, RequestKind.REPAIRED)
    assert one.sentence == "W failed and was repaired. It continues with version 2."
    assert any("repaired" in warning.sentence for warning in runtime.announcements)
    runtime.request_commands.reject(one.id)
    script = workflows.find_script(runtime.database.read(), "w", 3)
    assert script is not None and (script.origin, script.source) == (ScriptOrigin.ROLLBACK, BROKEN)
    assert runtime.requests() == []
    runtime.publish("b")
    runtime.wait(lambda: bool(runtime.requests()))
    assert find_request(runtime, RequestKind.SCRIPT_ERROR) is not None, (
        "the version that the user went back to is not repaired"
    )
    assert len(model.requests) == 1


def test_an_automatic_repair_is_confirmed_by_an_answer_or_a_deploy(runtime: RuntimeFixture, model: ModelServer) -> None:
    runtime.engine.context.settings = replace(runtime.settings, fixer=model.choice(applies=True))
    deploy_broken(runtime)
    run_until(runtime, lambda: find_request(runtime, RequestKind.REPAIRED))
    runtime.request_commands.approve(find_request(runtime, RequestKind.REPAIRED).id)
    assert (runtime.requests(), runtime.workflow().script) == ([], 2)
    runtime.deploy(BROKEN + "\n# again\n")
    runtime.publish("b")
    run_until(runtime, lambda: find_request(runtime, RequestKind.REPAIRED))
    runtime.deploy(GOOD + "\n# mine\n")
    assert runtime.requests() == []


def test_a_changed_id_needs_approval_even_with_automatic_repairs(runtime: RuntimeFixture, model: ModelServer) -> None:
    publishing = (
        GOOD.replace("approve=", "publishes=[u], approve=")
        .replace('t = flow.topic("t")', 't = flow.topic("t")\nu = flow.topic("u")')
        .replace("        return state", '        ctx.publish(u, id="x")\n        return state')
    )
    publishing += (
        "\n@flow.consumer(subscribe=[u])\nclass D:\n    prepare = lambda self, ctx, state: dayhand.nothing()\n"
    )
    model.scripts = [publishing.replace('id="x"', 'id="y"')]
    runtime.engine.context.settings = replace(runtime.settings, fixer=model.choice(applies=True))
    deploy_broken(runtime, publishing.replace('ctx.done("Did "', 'ctx.done(1 / 0 * "Did "'))
    run_until(runtime, lambda: find_request(runtime, RequestKind.FIX))
    assert "id=" in find_request(runtime, RequestKind.FIX).sentence
    assert runtime.workflow().script == 1


def test_a_failed_repair_says_why(runtime: RuntimeFixture, model: ModelServer) -> None:
    model.scripts = [GOOD.replace('approve="never"', 'approve="first"')]
    deploy_broken(runtime)
    run_until(runtime, lambda: bool(runtime.requests()))
    [one] = runtime.requests()
    assert one.kind is RequestKind.SCRIPT_ERROR
    assert "division by zero" in one.sentence and "No repair was found. It changes when it asks you" in one.sentence
    assert (len(model.requests), runtime.workflow().fixing) == (3, False)
    runtime.request_commands.retry("w")
    runtime.wait(lambda: len(runtime.runs()) > 1 and runtime.requests())
    assert "3 repairs were tried" in runtime.requests()[0].sentence
    assert len(model.requests) == 3, "at most three attempts in one chain"


def test_useless_repairs_end_after_three(runtime: RuntimeFixture, model: ModelServer) -> None:
    """Each one fails again before its action, so in a chain of its own, which a dry run without events cannot see."""
    scripts = [
        GOOD.replace("return dayhand.prepared", f"{one} / 0\n        return dayhand.prepared") for one in range(9)
    ]
    model.scripts = scripts[1:]
    runtime.engine.context.settings = replace(runtime.settings, fixer=model.choice(applies=True))
    deploy_broken(runtime, scripts[0])
    run_until(runtime, lambda: find_request(runtime, RequestKind.SCRIPT_ERROR))
    assert "3 repairs were tried" in find_request(runtime, RequestKind.SCRIPT_ERROR).sentence
    assert (runtime.workflow().script, len(model.requests), runtime.service.calls) == (4, 3, [])
    runtime.deploy(GOOD)
    runtime.tick()
    assert (runtime.events(), runtime.requests()) == ({"a": "consumed"}, [])


def test_repairs_are_off_by_default(tmp_path: Path) -> None:
    runtime = RuntimeFixture(tmp_path / "data")
    runtime.deploy(BROKEN)
    runtime.publish("a")
    runtime.tick()
    assert [one.kind for one in runtime.requests()] == [RequestKind.SCRIPT_ERROR]
    assert not runtime.workflow().fixing
    runtime.close()


def test_a_script_that_cannot_be_loaded_is_repaired_too(
    runtime: RuntimeFixture, model: ModelServer, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    there.write_text("x")
    source = GOOD.replace("import dayhand", f"import dayhand\nopen({str(there)!r}).close()")
    model.scripts = [GOOD]
    runtime.deploy(source)
    there.unlink()
    runtime.services.script_workers.forget("w")
    runtime.publish("a")
    runtime.wait(lambda: runtime.workflow().fixing)
    run_until(runtime, lambda: find_request(runtime, RequestKind.FIX))
    runtime.request_commands.approve(find_request(runtime, RequestKind.FIX).id)
    runtime.tick()
    assert runtime.runs()[-1].summary == "Did 1"


def test_failures_outside_the_script_are_not_sent(runtime: RuntimeFixture, model: ModelServer) -> None:
    runtime.deploy(GOOD, grant=False)
    runtime.publish("a")
    runtime.tick()
    assert [one.kind for one in runtime.requests()] == [RequestKind.PERMISSION]
    assert model.requests == []
