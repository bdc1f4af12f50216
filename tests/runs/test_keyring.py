"""A locked or missing keyring: runs wait, the user is asked once, and everything resumes when it is back."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from scheduler.connections.errors import VaultError, VaultLockedError
from scheduler.connections.secrets import SecretStore
from scheduler.connections.vault import Vault
from scheduler.engine.queries.queries import WorkflowQueries
from tests.connections import password_server as door
from tests.connections.password_server import PasswordServer, password_registry
from tests.connections.secret_service import SecretService
from tests.connections.waiting import collecting_garbage, wait_until
from tests.engine.engine_fixture import DAY, HOUR
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer, job

READS = job('ctx.call("door:home", "look")\nctx.done("read")').replace("world:x", "door:home")

password_server = door.password_server


@pytest.fixture
def runtime(tmp_path: Path, service: SecretService, password_server: PasswordServer) -> Iterator[RuntimeFixture]:
    """Restarted after its keyring went away."""
    runtime = RuntimeFixture(tmp_path)
    runtime.service.registry = password_registry  # type: ignore[method-assign]
    runtime.secrets = SecretStore(runtime.clock.now)
    runtime.crash()
    with service.keyring("pw"):
        runtime.services.connect("door:home", {"url": password_server.url, "password": "hunter2"})
    changes: list[VaultError | None] = []
    runtime.secrets = SecretStore(runtime.clock.now, Vault(changed=changes.append))
    runtime.crash()
    with collecting_garbage():
        yield runtime
        wait_until(lambda: not any(thread.name == "keyring" for thread in threading.enumerate()))
    runtime.close()


def lock_out(runtime: RuntimeFixture, *names: str) -> None:
    for name in names:
        runtime.deploy(READS.replace('"W"', repr(name)), path=f"{name}.py")
    runtime.clock.move(HOUR)
    runtime.tick()


def test_runs_wait_with_one_request_for_all_of_them(
    runtime: RuntimeFixture, service: SecretService, password_server: PasswordServer
) -> None:
    """No new login is requested, nothing counts as a failure, and the request stays the same over many attempts."""
    with service.keyring(None):
        lock_out(runtime, "a", "b")
        [request] = runtime.requests()
        assert (request.kind, request.subject, request.sentence) == ("keyring", "keyring", VaultLockedError().sentence)
        assert [runtime.runs("j", name)[-1].status for name in "ab"] == ["paused:transient"] * 2
        runtime.pass_time(timedelta(minutes=20))
        assert len(runtime.runs("j", "a")) > 4
        assert [one.id for one in runtime.requests()] == [request.id]
        assert [runtime.handler("j", name).failures for name in "ab"] == [0, 0]
        views = WorkflowQueries(runtime.engine.context, runtime.services.plans, runtime.services.registry)
        [seen] = views.attention()
        assert seen.workflows == ("a", "b")
        assert password_server.seen == []


def test_the_request_is_handed_from_attempt_to_attempt(runtime: RuntimeFixture, service: SecretService) -> None:
    """No attempt asks again."""
    with service.keyring(None):
        lock_out(runtime, "a")
        [request] = runtime.requests()
        runtime.pass_time(timedelta(minutes=20))
        tries = runtime.runs("j", "a")
        assert len(tries) > 4
        assert [(one.id, one.run) for one in runtime.requests()] == [(request.id, tries[-1].id)]


def test_unlocking_resumes_every_run_once(
    runtime: RuntimeFixture, service: SecretService, password_server: PasswordServer
) -> None:
    with service.keyring("pw"):
        service.lock()
        lock_out(runtime, "a", "b")
        service.unlock("pw")
        runtime.services.grant_commands.resume_keyring_waits()
        assert runtime.requests() == []
        runtime.tick()
        assert [runtime.runs("j", name)[-1].status for name in "ab"] == ["committed"] * 2
        assert password_server.let_in == ["/look", "/look"]
        runtime.pass_time(timedelta(minutes=30))
        assert len(password_server.seen) == 2


def test_a_wait_for_the_keyring_survives_a_restart(
    runtime: RuntimeFixture, service: SecretService, password_server: PasswordServer
) -> None:
    with service.keyring(None):
        lock_out(runtime, "a")
    runtime.secrets = SecretStore(
        runtime.clock.now, Vault(changed=lambda _: runtime.services.grant_commands.resume_keyring_waits())
    )
    runtime.crash(off=DAY)
    assert [one.kind for one in runtime.requests()] == ["keyring"]
    with service.keyring("pw"):
        runtime.wait(lambda: runtime.requests() == [])
        runtime.tick()
        assert runtime.occurrences("j", "a")[0].state == "succeeded"


def test_the_request_moves_to_another_waiting_workflow(runtime: RuntimeFixture, service: SecretService) -> None:
    with service.keyring(None):
        lock_out(runtime, "a", "b")
    [request] = runtime.requests()
    runtime.commands.stop(request.workflow)
    [still] = runtime.requests()
    assert still.id == request.id and still.workflow != request.workflow
    runtime.commands.archive(still.workflow)
    assert runtime.requests() == []


def test_a_retry_is_possible_at_any_time(
    runtime: RuntimeFixture, service: SecretService, password_server: PasswordServer
) -> None:
    with service.keyring("pw"):
        service.lock()
        lock_out(runtime, "a")
        service.unlock("pw")
        runtime.request_commands.retry(runtime.requests()[0].run or "")
        runtime.tick()
    assert (runtime.requests(), password_server.let_in) == ([], ["/look"])


def test_an_outside_action_waits_and_happens_once(
    runtime: RuntimeFixture, service: SecretService, password_server: PasswordServer
) -> None:
    runtime.deploy(consumer(tool="send").replace("world:x", "door:home"))
    runtime.publish("a")
    with service.keyring("pw"):
        service.lock()
        runtime.tick()
        assert [one.kind for one in runtime.requests()] == ["keyring"]
        assert runtime.events() == {"a": "pending"}
        service.unlock("pw")
        runtime.services.grant_commands.resume_keyring_waits()
        runtime.tick()
    assert password_server.let_in == ["/send"]
    assert runtime.events() == {"a": "consumed"}
