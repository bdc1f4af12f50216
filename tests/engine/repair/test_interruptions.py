"""Repairs that are interrupted, outdated or cancelled: nothing stays stuck."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from scheduler.engine.repair.fixer_config import FixerConfig
from scheduler.rules.requests import RequestKind
from scheduler.store import repairs, workflows
from tests.engine.repair.repair_fixture import GOOD, ModelServer, deploy_broken, find_request, model, run_until, shop
from tests.runs.fault_injection import locked_store
from tests.runs.runtime_fixture import TIMEOUT_S, RuntimeFixture

__all__ = ["model", "shop"]


def test_a_crash_during_a_repair_leaves_nothing_stuck(shop: RuntimeFixture, model: ModelServer) -> None:
    """The next start asks the fixer again, within its limit of attempts."""
    model.gate.clear()
    deploy_broken(shop)
    assert model.entered.wait(TIMEOUT_S)
    gone = shop.services.repairs
    shop.crash()
    gone.close()
    model.gate.set()
    run_until(shop, lambda: find_request(shop, RequestKind.FIX))
    assert (shop.workflow().fixing, len(model.requests)) == (False, 2)
    shop.request_commands.approve(find_request(shop, RequestKind.FIX).id)
    shop.tick()
    assert (shop.runs()[-1].summary, len(shop.service.calls)) == ("Did 1", 1)


def test_after_a_crash_a_fixer_that_was_turned_off_is_not_asked(shop: RuntimeFixture, model: ModelServer) -> None:
    model.gate.clear()
    deploy_broken(shop)
    assert model.entered.wait(TIMEOUT_S)
    shop.settings = replace(shop.settings, fixer=FixerConfig())
    gone = shop.services.repairs
    shop.crash()
    gone.close()
    [one] = shop.requests()
    assert one.kind is RequestKind.SCRIPT_ERROR and "before a repair was ready" in one.sentence
    assert not shop.workflow().fixing


def test_a_fixer_that_crashes_the_app_is_asked_three_times(shop: RuntimeFixture, model: ModelServer) -> None:
    model.gate.clear()
    deploy_broken(shop)
    for _ in range(3):
        assert model.entered.wait(TIMEOUT_S)
        model.entered.clear()
        gone = shop.services.repairs
        shop.crash()
        gone.close()
    assert [one.kind for one in shop.requests()] == [RequestKind.SCRIPT_ERROR]
    assert (shop.workflow().fixing, len(model.requests)) == (False, 3)


def test_a_crash_before_the_answer_is_stored_loses_only_the_answer(shop: RuntimeFixture, model: ModelServer) -> None:
    deploy_broken(shop)
    shop.wait(lambda: not shop.services.repairs.engine_calls.empty())
    gone = shop.services.repairs
    shop.crash()
    gone.close()
    run_until(shop, lambda: find_request(shop, RequestKind.FIX))
    assert len(model.requests) == 2


def test_a_repair_without_its_stored_run_is_ended(shop: RuntimeFixture, model: ModelServer) -> None:
    model.gate.clear()
    run = deploy_broken(shop)
    assert model.entered.wait(TIMEOUT_S)
    with shop.database.write() as db:
        db.execute("DELETE FROM facts WHERE name LIKE 'fixing %'")
    assert repairs.failed_run(shop.database.read(), "w") == run
    with shop.database.write() as db:
        db.execute("UPDATE lanes SET blocked = NULL, run = NULL")
    gone = shop.services.repairs
    shop.crash()
    gone.close()
    assert not shop.workflow().fixing


def test_a_newer_script_wins_and_the_repair_is_kept_unused(shop: RuntimeFixture, model: ModelServer) -> None:
    model.gate.clear()
    deploy_broken(shop)
    assert model.entered.wait(TIMEOUT_S)
    shop.deploy(GOOD + "\n# mine\n")
    assert not shop.workflow().fixing, "the author's new script runs at once"
    shop.tick()
    assert shop.runs()[-1].summary == "Did 1"
    model.gate.set()
    run_until(shop, lambda: len(workflows.list_scripts(shop.database.read(), "w")) == 3)
    assert (shop.workflow().script, shop.requests()) == (2, [])
    assert any("kept as version 3" in told.sentence for told in shop.announcements)


@pytest.mark.parametrize("verb", ["stop", "archive", "remove"])
def test_a_repair_of_an_archived_or_removed_workflow_asks_nothing(
    shop: RuntimeFixture, model: ModelServer, verb: str
) -> None:
    model.gate.clear()
    deploy_broken(shop)
    assert model.entered.wait(TIMEOUT_S)
    getattr(shop.commands, verb)("w")
    model.gate.set()
    shop.wait(lambda: not shop.services.repairs.engine_calls.empty())
    run_until(shop, lambda: True)
    assert (shop.requests(), repairs.list_repairing(shop.database.read())) == ([], [])


def test_the_user_may_retry_during_a_repair(shop: RuntimeFixture, model: ModelServer) -> None:
    model.gate.clear()
    run = deploy_broken(shop)
    assert model.entered.wait(TIMEOUT_S)
    shop.request_commands.retry("w")
    shop.wait(lambda: len(shop.runs()) > 1 and shop.workflow().fixing)
    assert repairs.failed_run(shop.database.read(), "w") == shop.runs()[-1].id != run
    model.gate.set()
    run_until(shop, lambda: find_request(shop, RequestKind.FIX))
    assert find_request(shop, RequestKind.FIX).run != run, "the repair of the first failure came too late"


def test_closing_does_not_wait_for_a_slow_fixer(tmp_path: Path, model: ModelServer) -> None:
    model.gate.clear()
    shop = RuntimeFixture(tmp_path / "other", fixer=model.choice(seconds=3_600))
    deploy_broken(shop)
    assert model.entered.wait(TIMEOUT_S)
    shop.close()
    assert not any(thread.name == "repairs" for thread in threading.enumerate())


def test_temporary_store_errors_leave_nothing_stuck(shop: RuntimeFixture, model: ModelServer) -> None:
    deploy_broken(shop)
    errands = shop.services.repairs.engine_calls
    shop.wait(lambda: not errands.empty())
    with locked_store(shop) as let_go:
        errands.get()()
        assert shop.workflow().fixing, "the result could not be stored"
        let_go()
        run_until(shop, lambda: find_request(shop, RequestKind.FIX))
    assert (shop.workflow().fixing, len(model.requests)) == (False, 1)
