"""A backup does not know what was done after it: nothing is repeated before the user has checked."""

from pathlib import Path

import pytest

from scheduler.store.backups import back_up
from scheduler.store.opening import close_store, restore
from tests.engine.engine_fixture import HOUR, MINUTE
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer, job


def restore_backup(runtime: RuntimeFixture) -> None:
    runtime.services.close()
    close_store(runtime.database)
    restore(runtime.folder, runtime.clock.wall)
    runtime.open()


def test_actions_made_after_the_backup_are_not_repeated_unasked(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer())
    runtime.publish("a")
    back_up(runtime.folder, runtime.clock.wall)
    runtime.tick()
    assert len(runtime.service.calls) == 1
    restore_backup(runtime)
    runtime.pass_time(HOUR)
    assert len(runtime.service.calls) == 1
    assert runtime.workflow().status == "paused"
    assert runtime.pending() == ["a"], "the user sees the pending event and skips it or resumes"


@pytest.mark.parametrize("when", ["before the approval", "after the approval"])
def test_approvals_are_asked_for_again_after_a_restore(runtime: RuntimeFixture, when: str) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    if when == "before the approval":
        back_up(runtime.folder, runtime.clock.wall)
    runtime.request_commands.approve(request.id)
    if when == "after the approval":
        back_up(runtime.folder, runtime.clock.wall)
    runtime.tick()
    assert len(runtime.service.calls) == 1
    restore_backup(runtime)
    assert runtime.requests() == []
    runtime.commands.resume("w")
    runtime.pass_time(MINUTE)
    assert len(runtime.service.calls) == 1
    assert [one.kind for one in runtime.requests()] == ["approval"]


def test_a_run_that_had_failed_stays_as_it_ended_after_a_restore(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("1 / 0"))
    runtime.commands.run("w")
    runtime.tick()
    [failed] = runtime.runs("j")
    back_up(runtime.folder, runtime.clock.wall)
    runtime.clock.move(HOUR)
    restore_backup(runtime)
    [run] = runtime.runs("j")
    assert (run.status, run.error, run.ended) == ("failed:logic", failed.error, failed.ended)
    assert run.followed and runtime.requests() == []


def test_resuming_once_is_enough(runtime: RuntimeFixture, tmp_path: Path) -> None:
    runtime.deploy(consumer())
    back_up(tmp_path, runtime.clock.wall)
    restore_backup(runtime)
    runtime.commands.resume("w")
    runtime.publish("a")
    runtime.tick()
    assert len(runtime.service.calls) == 1


def test_standing_approvals_are_asked_for_again_after_a_restore(runtime: RuntimeFixture) -> None:
    """It may have been revoked after the backup."""
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    runtime.request_commands.approve(runtime.requests()[0].id, always=True)
    runtime.tick()
    back_up(runtime.folder, runtime.clock.wall)
    runtime.services.grant_commands.revoke("w", "world:x", "act")
    restore_backup(runtime)
    runtime.commands.resume("w")
    runtime.publish("b")
    runtime.tick()
    assert [one.kind for one in runtime.requests()] == ["approval"]
    assert len(runtime.service.calls) == 1
