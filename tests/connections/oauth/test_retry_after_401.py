"""A login revoked early is refreshed once; the user is asked only if that fails.

Whole workflows over the emulator and a real keyring.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scheduler.connections.connector import Call, Tool, ToolFailedError
from scheduler.connections.connectors.google.connector import google
from scheduler.connections.registry import Registry
from scheduler.connections.secrets import SecretStore
from scheduler.connections.vault import Vault
from scheduler.rules.failures import FailureClass
from tests.connections import emulator_fixtures
from tests.connections.emulator import ANNA
from tests.connections.emulator_proxy import EmulatorProxy, Rule
from tests.connections.oauth.sign_in_user import agree
from tests.connections.secret_service import SecretService
from tests.engine.engine_fixture import HOUR, MINUTE
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer, job

emulator, front = emulator_fixtures.emulator, emulator_fixtures.google_proxy

READS = job('found = ctx.call("google:me", "search_mail", query="subject:receipt")\nctx.done(str(len(found)))')
SENDS = consumer(tool="send_mail").replace("n=prepared.data", f'to=["{ANNA}"], subject="Once", text="Hi"')
TOKEN, SEARCH, SEND = "/oauth2/token", "/gmail/v1/users/me/messages", "/messages/send"


@pytest.fixture
def runtime(tmp_path: Path, front: EmulatorProxy, keyring: SecretService) -> Iterator[RuntimeFixture]:
    """Anna is signed in."""
    runtime = RuntimeFixture(tmp_path)
    runtime.service.registry = lambda: Registry([google])  # type: ignore[method-assign]
    runtime.secrets = SecretStore(runtime.clock.now)
    runtime.crash()
    runtime.services.connection_setup._open_browser = agree(front, ANNA)
    runtime.services.connect("google:me", {"client_id": "dayhand-desktop", "base_url": front.url})
    front.seen.clear()
    yield runtime
    runtime.close()


def read(runtime: RuntimeFixture) -> None:
    runtime.deploy(READS.replace("world:x", "google:me"))
    runtime.commands.run("w")
    runtime.tick()


def send(runtime: RuntimeFixture) -> None:
    runtime.deploy(SENDS.replace("world:x", "google:me"))
    runtime.publish("a")
    runtime.tick()


def token() -> str:
    return str(Vault().get("google:me")["access_token"])


def test_a_login_revoked_early_is_refreshed_without_asking(runtime: RuntimeFixture, front: EmulatorProxy) -> None:
    before = token()
    front.revoked.add(before)
    read(runtime)
    assert [run.summary for run in runtime.runs("j")] == ["3"]
    assert runtime.requests() == []
    assert front.count(TOKEN) == 1
    assert token() != before


def test_an_action_rejected_for_its_login_is_done_once(runtime: RuntimeFixture, front: EmulatorProxy) -> None:
    front.revoked.add(token())
    send(runtime)
    assert runtime.state("C")["done"] == ["a"]
    assert (len(runtime.runs("C")), runtime.requests()) == (1, [])
    assert front.count(SEND) == 2, "refused, then sent"
    assert front.count(TOKEN) == 1


def test_a_connection_test_also_refreshes_the_login(runtime: RuntimeFixture, front: EmulatorProxy) -> None:
    front.revoked.add(token())
    assert runtime.services.connection_setup.test("google:me") == f"Signed in as {ANNA}."
    assert front.count(TOKEN) == 1


def test_an_action_that_may_have_happened_is_not_repeated(runtime: RuntimeFixture, front: EmulatorProxy) -> None:
    """The answer is lost: the checker finds the action; nothing is refreshed or sent again."""
    front.rules.append(Rule(path=SEND, drop=True))
    send(runtime)
    runtime.pass_time(HOUR)
    assert runtime.state("C")["done"] == ["a"]
    assert (front.count(SEND), front.count(TOKEN)) == (1, 0)


def test_the_checker_also_refreshes_the_login(runtime: RuntimeFixture, front: EmulatorProxy) -> None:
    """The answer is lost, and the login is revoked before the check."""
    front.rules += [Rule(path=SEND, drop=True), Rule(path=SEARCH, method="GET", status=401)]
    send(runtime)
    runtime.pass_time(MINUTE)
    assert runtime.state("C")["done"] == ["a"]
    assert (front.count(SEND), front.count(TOKEN), runtime.requests()) == (1, 1, [])


def test_the_user_is_asked_at_once_if_the_login_cannot_be_refreshed(
    runtime: RuntimeFixture, front: EmulatorProxy
) -> None:
    kept = Vault().get("google:me")
    front.revoked |= {kept["access_token"], kept["refresh_token"]}
    read(runtime)
    [request] = runtime.requests()
    assert (request.kind, request.subject) == ("reconnect", "google:me")
    assert ANNA in request.sentence
    assert front.count(TOKEN) == 1


def test_the_user_is_asked_if_the_refreshed_login_is_rejected_too(
    runtime: RuntimeFixture, front: EmulatorProxy
) -> None:
    """It is refreshed once, not in a loop."""
    front.rules.append(Rule(path=SEARCH, method="GET", status=401, times=1000))
    read(runtime)
    runtime.pass_time(10 * MINUTE)
    [request] = runtime.requests()
    assert (request.kind, request.subject) == ("reconnect", "google:me")
    assert (front.count(SEARCH, "GET"), front.count(TOKEN)) == (2, 1)


def test_a_refreshed_login_that_the_service_echoes_is_redacted(runtime: RuntimeFixture, front: EmulatorProxy) -> None:
    """Neither the rejected nor the new token is stored, shown or given to a script."""
    seen: list[str] = []

    def tell(call: Call) -> list[str]:
        seen.append(call.settings["access_token"])
        if len(seen) == 1:
            raise ToolFailedError.because(FailureClass.AUTH, "No.")
        return [f"You are {seen[-1]}"]

    chatty = Tool(name="tell", help="", parameters={}, run=tell)
    runtime.service.registry = lambda: Registry([replace(google, tools=(chatty,))])  # type: ignore[method-assign]
    runtime.crash()
    runtime.deploy(job('ctx.done(ctx.call("google:me", "tell")[0])').replace("world:x", "google:me"))
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.runs("j")[-1].summary == "You are •••"
    assert len(set(seen)) == 2
    stored = b"".join(file.read_bytes() for file in runtime.folder.rglob("*") if file.is_file())
    assert not any(one.encode() in stored for one in seen)


def test_a_service_that_cannot_refresh_right_now_is_retried(runtime: RuntimeFixture, front: EmulatorProxy) -> None:
    front.revoked.add(token())
    front.rules.append(Rule(path=TOKEN, status=503))
    read(runtime)
    assert [run.status for run in runtime.runs("j")] == ["paused:transient"]
    assert runtime.requests() == []
    runtime.pass_time(MINUTE)
    assert runtime.runs("j")[-1].summary == "3"


def test_a_rejection_for_another_reason_refreshes_nothing(runtime: RuntimeFixture, front: EmulatorProxy) -> None:
    front.rules.append(Rule(path=SEARCH, method="GET", status=403))
    read(runtime)
    assert front.count(TOKEN) == 0
    assert [run.status for run in runtime.runs("j")] == ["paused:approval"]
