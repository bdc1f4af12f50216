"""A login that a service takes back early: renewed once, used at once, and the person is asked only if that is refused.

Whole workflows over the emulator and a real keyring.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scheduler.connections.connector import Call, Tool, ToolFailedError
from scheduler.connections.connectors.google.connector import google
from scheduler.connections.keeper import Keeper
from scheduler.connections.registry import Registry
from scheduler.connections.vault import Vault
from scheduler.rules.failures import FailureClass
from tests.connections import fronts
from tests.connections.emulator import ANNA
from tests.connections.front import Front, Rule
from tests.connections.oauth.people import agree
from tests.connections.secret_service import SecretService
from tests.engine.harness import HOUR, MINUTE
from tests.runs.scripts import consumer, job
from tests.runs.shop import Shop

emulator, front = fronts.emulator, fronts.google_front

READS = job('found = ctx.call("google:me", "search_mail", query="subject:receipt")\nctx.done(str(len(found)))')
SENDS = consumer(tool="send_mail").replace("n=prepared.data", f'to=["{ANNA}"], subject="Once", text="Hi"')
TOKEN, SEARCH, SEND = "/oauth2/token", "/gmail/v1/users/me/messages", "/messages/send"


@pytest.fixture
def shop(tmp_path: Path, front: Front, keyring: SecretService) -> Iterator[Shop]:
    """Anna is signed in."""
    shop = Shop(tmp_path)
    shop.world.registry = lambda: Registry([google])  # type: ignore[method-assign]
    shop.secrets = Keeper(shop.clock.now)
    shop.crash()
    shop.house.connecting._open_browser = agree(front, ANNA)
    shop.house.connect("google:me", {"client_id": "dayhand-desktop", "base_url": front.url})
    front.seen.clear()
    yield shop
    shop.close()


def read(shop: Shop) -> None:
    shop.deploy(READS.replace("world:x", "google:me"))
    shop.commands.run("w")
    shop.tick()


def send(shop: Shop) -> None:
    shop.deploy(SENDS.replace("world:x", "google:me"))
    shop.publish("a")
    shop.tick()


def token() -> str:
    return str(Vault().get("google:me")["access_token"])


def test_a_login_that_ended_early_is_renewed_and_nobody_is_asked(shop: Shop, front: Front) -> None:
    before = token()
    front.revoked.add(before)
    read(shop)
    assert [run.summary for run in shop.runs("j")] == ["3"]
    assert shop.requests() == []
    assert front.count(TOKEN) == 1
    assert token() != before


def test_an_action_that_was_refused_so_is_done_once(shop: Shop, front: Front) -> None:
    front.revoked.add(token())
    send(shop)
    assert shop.state("C")["done"] == ["a"]
    assert (len(shop.runs("C")), shop.requests()) == (1, [])
    assert front.count(SEND) == 2, "refused, then sent"
    assert front.count(TOKEN) == 1


def test_a_connection_is_tried_with_a_renewed_login_too(shop: Shop, front: Front) -> None:
    front.revoked.add(token())
    assert shop.house.connecting.test("google:me") == f"Signed in as {ANNA}."
    assert front.count(TOKEN) == 1


def test_an_action_that_may_have_happened_is_not_repeated(shop: Shop, front: Front) -> None:
    """The login is good, and the answer is lost: the checker finds it, nothing is renewed and nothing sent again."""
    front.rules.append(Rule(path=SEND, drop=True))
    send(shop)
    shop.pass_time(HOUR)
    assert shop.state("C")["done"] == ["a"]
    assert (front.count(SEND), front.count(TOKEN)) == (1, 0)


def test_its_checker_renews_the_login_as_well(shop: Shop, front: Front) -> None:
    """The answer is lost, and before anybody looks the login ends."""
    front.rules += [Rule(path=SEND, drop=True), Rule(path=SEARCH, method="GET", status=401)]
    send(shop)
    shop.pass_time(MINUTE)
    assert shop.state("C")["done"] == ["a"]
    assert (front.count(SEND), front.count(TOKEN), shop.requests()) == (1, 1, [])


def test_the_person_is_asked_at_once_if_it_cannot_be_renewed(shop: Shop, front: Front) -> None:
    kept = Vault().get("google:me")
    front.revoked |= {kept["access_token"], kept["refresh_token"]}
    read(shop)
    [request] = shop.requests()
    assert (request.kind, request.subject) == ("reconnect", "google:me")
    assert ANNA in request.sentence
    assert front.count(TOKEN) == 1


def test_the_person_is_asked_if_the_renewed_login_is_refused_too(shop: Shop, front: Front) -> None:
    """It is renewed once and not again: nobody goes round in circles."""
    front.rules.append(Rule(path=SEARCH, method="GET", status=401, times=1000))
    read(shop)
    shop.pass_time(10 * MINUTE)
    [request] = shop.requests()
    assert (request.kind, request.subject) == ("reconnect", "google:me")
    assert (front.count(SEARCH, "GET"), front.count(TOKEN)) == (2, 1)


def test_a_renewed_login_that_the_service_repeats_is_hidden(shop: Shop, front: Front) -> None:
    """Neither the one that was refused nor the one that came in its place is kept, shown or given to a script."""
    seen: list[str] = []

    def tell(call: Call) -> list[str]:
        seen.append(call.settings["access_token"])
        if len(seen) == 1:
            raise ToolFailedError.because(FailureClass.AUTH, "No.")
        return [f"You are {seen[-1]}"]

    chatty = Tool(name="tell", help="", parameters={}, run=tell)
    shop.world.registry = lambda: Registry([replace(google, tools=(chatty,))])  # type: ignore[method-assign]
    shop.crash()
    shop.deploy(job('ctx.done(ctx.call("google:me", "tell")[0])').replace("world:x", "google:me"))
    shop.commands.run("w")
    shop.tick()
    assert shop.runs("j")[-1].summary == "You are •••"
    assert len(set(seen)) == 2
    stored = b"".join(file.read_bytes() for file in shop.folder.rglob("*") if file.is_file())
    assert not any(one.encode() in stored for one in seen)


def test_a_service_that_cannot_renew_just_now_is_waited_for(shop: Shop, front: Front) -> None:
    front.revoked.add(token())
    front.rules.append(Rule(path=TOKEN, status=503))
    read(shop)
    assert [run.status for run in shop.runs("j")] == ["paused:transient"]
    assert shop.requests() == []
    shop.pass_time(MINUTE)
    assert shop.runs("j")[-1].summary == "3"


def test_what_is_refused_for_another_reason_renews_nothing(shop: Shop, front: Front) -> None:
    front.rules.append(Rule(path=SEARCH, method="GET", status=403))
    read(shop)
    assert front.count(TOKEN) == 0
    assert [run.status for run in shop.runs("j")] == ["paused:approval"]
