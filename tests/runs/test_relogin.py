"""A password changed at a real server is requested once, and every waiting run resumes once."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.secrets import SecretStore
from scheduler.connections.vault import Vault
from scheduler.engine.clock import SystemClock
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.store import connections
from tests.connections import password_server as door
from tests.connections.password_server import PasswordServer, password_registry
from tests.connections.secret_service import SecretService
from tests.engine.engine_fixture import DAY, HOUR, MINUTE
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer, job

READS = job('ctx.call("door:home", "look")\nctx.done("read")').replace("world:x", "door:home")

password_server = door.password_server


@pytest.fixture
def runtime(tmp_path: Path, keyring: SecretService, password_server: PasswordServer) -> Iterator[RuntimeFixture]:
    """Connected with a password that the server no longer accepts."""
    runtime = RuntimeFixture(tmp_path)
    runtime.service.registry = password_registry  # type: ignore[method-assign]
    runtime.secrets = SecretStore(runtime.clock.now)
    runtime.crash()
    runtime.services.connect("door:home", {"url": password_server.url, "password": "hunter2"})
    password_server.password = "hunter3"
    yield runtime
    runtime.close()


def fail_login(runtime: RuntimeFixture, *names: str) -> None:
    for name in names:
        runtime.deploy(READS.replace('"W"', repr(name)), path=f"{name}.py")
    runtime.clock.move(HOUR)
    runtime.tick()


def connect(runtime: RuntimeFixture, password: str) -> None:
    runtime.services.connect("door:home", {"url": settings_of(runtime)["url"], "password": password}, test=True)


def settings_of(runtime: RuntimeFixture) -> dict[str, str]:
    row = connections.find(runtime.database.read(), "door:home")
    assert row is not None
    return row.settings


def test_one_request_names_all_waiting_workflows_and_resumes_each_once(
    runtime: RuntimeFixture, password_server: PasswordServer
) -> None:
    fail_login(runtime, "a", "b")
    views = WorkflowQueries(runtime.engine.context, runtime.services.plans, runtime.services.registry)
    [request] = views.attention()
    assert (request.kind, request.subject, request.workflows) == ("reconnect", "door:home", ("a", "b"))
    assert request.how == ("dayhand connect door:home",)
    assert "door:home" in request.sentence and "hunter2" not in request.sentence
    [view] = views.connections()
    assert (view.trouble, view.used_by) == (request.sentence, ("a", "b"))
    runtime.pass_time(DAY)
    attempts = len(password_server.seen)
    assert attempts <= 2, "repeated refusals would lock the account"
    with pytest.raises(ToolFailedError):
        connect(runtime, "hunter4")
    runtime.tick()
    assert [one.id for one in views.attention()] == [request.id]
    assert Vault().get("door:home") == {"password": "hunter2"}
    connect(runtime, "hunter3")
    runtime.tick()
    assert views.attention() == []
    assert [runtime.runs("j", name)[1].status for name in "ab"] == ["committed"] * 2
    assert password_server.let_in.count("/look") == len(runtime.runs("j", "a")) + len(runtime.runs("j", "b")) - 2
    assert [runtime.occurrences("j", name)[0].state for name in "ab"] == ["succeeded"] * 2


def test_a_refused_action_is_made_once_after_the_reconnect(
    runtime: RuntimeFixture, password_server: PasswordServer
) -> None:
    runtime.deploy(consumer(tool="send").replace("world:x", "door:home"))
    runtime.publish("a")
    runtime.tick()
    assert [one.kind for one in runtime.requests()] == ["reconnect"]
    connect(runtime, "hunter3")
    runtime.tick()
    assert password_server.let_in == ["/test", "/send"]
    assert runtime.events() == {"a": "consumed"}


def test_a_late_refusal_of_the_old_password_asks_nothing(
    runtime: RuntimeFixture, password_server: PasswordServer
) -> None:
    """The call used the old password when the user reconnected."""
    runtime.deploy(READS)
    runtime.clock.move(HOUR)
    password_server.gate = threading.Event()
    runtime.tick_until_active()
    assert password_server.entered.wait(60)
    gate, password_server.gate = password_server.gate, None
    connect(runtime, "hunter3")
    gate.set()
    runtime.tick()
    assert runtime.requests() == []
    assert runtime.runs("j")[-1].status == "paused:transient"
    assert runtime.handler("j").failures == 0
    runtime.pass_time(2 * MINUTE)
    assert [one.status for one in runtime.runs("j")] == ["paused:transient", "committed"]
    assert password_server.let_in == ["/test", "/look"]


def test_a_missing_keyring_entry_asks_for_a_reconnect(runtime: RuntimeFixture, password_server: PasswordServer) -> None:
    password_server.password = "hunter2"
    SecretStore(SystemClock().now).forget("door:home")
    runtime.secrets = SecretStore(runtime.clock.now)
    runtime.crash()
    fail_login(runtime, "a")
    [request] = runtime.requests()
    assert (request.kind, request.subject) == ("reconnect", "door:home")
    assert password_server.seen == []
    connect(runtime, "hunter2")
    runtime.tick()
    assert (runtime.requests(), password_server.let_in) == ([], ["/test", "/look"])
