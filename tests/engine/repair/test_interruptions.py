"""Repairs that are interrupted, outdated or cancelled: nothing stays stuck."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from scheduler.engine.fixer_config import FixerConfig
from scheduler.rules.requests import RequestKind
from scheduler.store import repairs, workflows
from tests.engine.repair.repair_fixture import GOOD, ModelServer, deploy_broken, find_request, model, run_until, runtime
from tests.runs.fault_injection import locked_store
from tests.runs.runtime_fixture import TIMEOUT_S, RuntimeFixture

__all__ = ["model", "runtime"]


def test_a_crash_during_a_repair_leaves_nothing_stuck(runtime: RuntimeFixture, model: ModelServer) -> None:
    """The next start asks the fixer again, within its limit of attempts."""
    model.gate.clear()
    deploy_broken(runtime)
    assert model.entered.wait(TIMEOUT_S)
    gone = runtime.services.repairs
    runtime.crash()
    gone.close()
    model.gate.set()
    run_until(runtime, lambda: find_request(runtime, RequestKind.FIX))
    assert (runtime.workflow().fixing, len(model.requests)) == (False, 2)
    runtime.request_commands.approve(find_request(runtime, RequestKind.FIX).id)
    runtime.tick()
    assert (runtime.runs()[-1].summary, len(runtime.service.calls)) == ("Did 1", 1)


def test_after_a_crash_a_fixer_that_was_turned_off_is_not_asked(runtime: RuntimeFixture, model: ModelServer) -> None:
    model.gate.clear()
    deploy_broken(runtime)
    assert model.entered.wait(TIMEOUT_S)
    runtime.settings = replace(runtime.settings, fixer=FixerConfig())
    gone = runtime.services.repairs
    runtime.crash()
    gone.close()
    [one] = runtime.requests()
    assert one.kind is RequestKind.SCRIPT_ERROR and "before a repair was ready" in one.sentence
    assert not runtime.workflow().fixing


def test_a_fixer_that_crashes_the_app_is_asked_three_times(runtime: RuntimeFixture, model: ModelServer) -> None:
    model.gate.clear()
    deploy_broken(runtime)
    for _ in range(3):
        assert model.entered.wait(TIMEOUT_S)
        model.entered.clear()
        gone = runtime.services.repairs
        runtime.crash()
        gone.close()
    assert [one.kind for one in runtime.requests()] == [RequestKind.SCRIPT_ERROR]
    assert (runtime.workflow().fixing, len(model.requests)) == (False, 3)


def test_a_crash_before_the_answer_is_stored_loses_only_the_answer(runtime: RuntimeFixture, model: ModelServer) -> None:
    deploy_broken(runtime)
    runtime.wait(lambda: not runtime.engine_calls.empty())
    gone = runtime.services.repairs
    runtime.crash()
    gone.close()
    run_until(runtime, lambda: find_request(runtime, RequestKind.FIX))
    assert len(model.requests) == 2


def test_a_repair_without_its_stored_run_is_ended(runtime: RuntimeFixture, model: ModelServer) -> None:
    model.gate.clear()
    run = deploy_broken(runtime)
    assert model.entered.wait(TIMEOUT_S)
    with runtime.database.write() as db:
        db.execute("DELETE FROM facts WHERE name LIKE 'fixing %'")
    assert repairs.failed_run(runtime.database.read(), "w") == run
    with runtime.database.write() as db:
        db.execute("UPDATE lanes SET blocked = NULL, run = NULL")
    gone = runtime.services.repairs
    runtime.crash()
    gone.close()
    assert not runtime.workflow().fixing


def test_a_newer_script_wins_and_the_repair_is_kept_unused(runtime: RuntimeFixture, model: ModelServer) -> None:
    model.gate.clear()
    deploy_broken(runtime)
    assert model.entered.wait(TIMEOUT_S)
    runtime.deploy(GOOD + "\n# mine\n")
    assert not runtime.workflow().fixing, "the author's new script runs at once"
    runtime.tick()
    assert runtime.runs()[-1].summary == "Did 1"
    model.gate.set()
    run_until(runtime, lambda: len(workflows.list_scripts(runtime.database.read(), "w")) == 3)
    assert (runtime.workflow().script, runtime.requests()) == (2, [])
    assert any("kept as version 3" in told.sentence for told in runtime.announcements)


@pytest.mark.parametrize("verb", ["stop", "archive", "remove"])
def test_a_repair_of_an_archived_or_removed_workflow_asks_nothing(
    runtime: RuntimeFixture, model: ModelServer, verb: str
) -> None:
    model.gate.clear()
    deploy_broken(runtime)
    assert model.entered.wait(TIMEOUT_S)
    getattr(runtime.commands, verb)("w")
    model.gate.set()
    runtime.wait(lambda: not runtime.engine_calls.empty())
    run_until(runtime, lambda: True)
    assert (runtime.requests(), repairs.list_repairing(runtime.database.read())) == ([], [])


def test_the_user_may_retry_during_a_repair(runtime: RuntimeFixture, model: ModelServer) -> None:
    model.gate.clear()
    run = deploy_broken(runtime)
    assert model.entered.wait(TIMEOUT_S)
    runtime.request_commands.retry("w")
    runtime.wait(lambda: len(runtime.runs()) > 1 and runtime.workflow().fixing)
    assert repairs.failed_run(runtime.database.read(), "w") == runtime.runs()[-1].id != run
    model.gate.set()
    run_until(runtime, lambda: find_request(runtime, RequestKind.FIX))
    assert find_request(runtime, RequestKind.FIX).run != run, "the repair of the first failure came too late"


def test_closing_does_not_wait_for_a_slow_fixer(tmp_path: Path, model: ModelServer) -> None:
    model.gate.clear()
    runtime = RuntimeFixture(tmp_path / "other", fixer=model.choice(seconds=3_600))
    deploy_broken(runtime)
    assert model.entered.wait(TIMEOUT_S)
    runtime.close()
    assert not any(thread.name == "repairs" for thread in threading.enumerate())


def test_temporary_store_errors_leave_nothing_stuck(runtime: RuntimeFixture, model: ModelServer) -> None:
    deploy_broken(runtime)
    errands = runtime.engine_calls
    runtime.wait(lambda: not errands.empty())
    with locked_store(runtime) as let_go:
        errands.get()()
        assert runtime.workflow().fixing, "the result could not be stored"
        let_go()
        run_until(runtime, lambda: find_request(runtime, RequestKind.FIX))
    assert (runtime.workflow().fixing, len(model.requests)) == (False, 1)
