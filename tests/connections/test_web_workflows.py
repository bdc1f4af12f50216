"""Complete workflows over real servers: failures are retried, asked about or checked, and every action happens once."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connectors.caldav.connector import caldav
from scheduler.connections.connectors.feed.connector import feed
from scheduler.connections.connectors.http.connector import http
from scheduler.connections.registry import Registry
from tests.connections.radicale_server import PASSWORD, USER, ask, radicale
from tests.connections.web_servers import ReceivedRequest, Reply, http_server, losing_answers
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import job


class Pocket:
    """Replaces the keyring."""

    def __init__(self) -> None:
        self._kept: dict[str, Mapping[str, Any]] = {}

    def read(self, connection: str) -> Mapping[str, Any]:
        return self._kept.get(connection, {})

    read_saved = read

    def keep(self, connection: str, secrets: Mapping[str, Any]) -> None:
        self._kept[connection] = secrets

    def forget(self, connection: str) -> None:
        self._kept.pop(connection, None)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[RuntimeFixture]:
    shop = RuntimeFixture(tmp_path)
    shop.service.registry = lambda: Registry([caldav, feed, http])  # type: ignore[method-assign]
    shop.secrets = Pocket()
    shop.crash()
    yield shop
    shop.close()


FEED_TO_CALENDAR = """
import dayhand
flow = dayhand.Workflow("W", connections=["feed:talks", "caldav:home"])
t = flow.topic("t")

@flow.producer(every="1h", publishes=[t])
def p(ctx, state):
    found = ctx.call("feed:talks", "entries", etag=state.get("etag"), modified=state.get("modified"))
    for entry in found["entries"]:
        ctx.publish(t, id=entry["id"], title=entry["title"], data=entry)
    looks = state.get("looks", []) + [found["unchanged"]]
    return {"etag": found["etag"], "modified": found["modified"], "looks": looks}

@flow.consumer(subscribe=[t], approve="never")
class C:
    def prepare(self, ctx, state):
        batch = ctx.peek(t, limit=1)
        if not batch:
            return dayhand.nothing()
        return dayhand.prepared(reserve=batch, data=batch[0].data, say="Note it", wake_at=ctx.now)

    def mutate(self, ctx, prepared):
        entry = prepared.data
        ctx.call("caldav:home", "create", title=entry["title"], start=entry["published"])

    def next(self, ctx, prepared, result, state):
        state["made"] = state.get("made", []) + [result["url"]]
        return state
"""

TALKS = """<rss><channel>
<item><guid>1</guid><title>One</title><pubDate>Mon, 04 May 2026 09:00:00 GMT</pubDate></item>
<item><guid>2</guid><title>Two</title><pubDate>Tue, 05 May 2026 09:00:00 GMT</pubDate></item>
</channel></rss>"""


def talks(asked: ReceivedRequest) -> Reply:
    if asked.headers.get("If-None-Match") == '"1"':
        return Reply(304)
    return Reply(body=TALKS.encode(), headers={"ETag": '"1"'})


def test_a_feed_becomes_events_once_although_an_answer_was_lost(shop: RuntimeFixture, tmp_path: Path) -> None:
    """The server added the event and the answer was lost; the checker finds it by its id."""
    (tmp_path / "radicale").mkdir()
    puts: list[bytes] = []

    def lose(head: bytes) -> bool:
        puts.extend([head] if head.startswith(b"PUT ") else [])
        return head.startswith(b"PUT ") and len(puts) == 1

    with radicale(tmp_path / "radicale") as server, losing_answers(server, lose) as between, http_server(talks) as news:
        ask("MKCALENDAR", f"{server}/{USER}/home/")
        shop.services.connect("feed:talks", {"url": news.url})
        shop.services.connect("caldav:home", {"url": f"{between}/{USER}/home/", "user": USER, "password": PASSWORD})
        shop.deploy(FEED_TO_CALENDAR)
        shop.tick()
        shop.pass_time(HOUR)
        assert shop.events() == {"1": "consumed", "2": "consumed"}
        assert len(puts) == 2
        made = shop.state("C")["made"]
        bodies = [ask("GET", url.replace(between, server)).body.decode() for url in made]
        assert [("SUMMARY:One" in body, "SUMMARY:Two" in body) for body in bodies] == [(True, False), (False, True)]
        assert ask("GET", f"{server}/{USER}/home/").body.count(b"BEGIN:VEVENT") == 2
        assert shop.state("p")["looks"] == [False, True]
        assert len(shop.requests()) == 0


SEND = """
import dayhand
flow = dayhand.Workflow("W", connections=["http:api"])
t = flow.topic("t")

@flow.consumer(subscribe=[t], approve="never")
class C:
    def prepare(self, ctx, state):
        batch = ctx.peek(t, limit=1)
        if not batch:
            return dayhand.nothing()
        return dayhand.prepared(reserve=batch, data=batch[0].id, say="Order " + batch[0].id)

    def mutate(self, ctx, prepared):
        ctx.call("http:api", "send", path="orders", json={"name": prepared.data})

    def next(self, ctx, prepared, result, state):
        return {"number": result["json"]["number"]}
"""


def test_an_order_that_may_have_arrived_is_asked_about_and_not_sent_again(shop: RuntimeFixture) -> None:
    """A 503 to an action leaves the outcome unknown, and only the user can tell."""
    taken = Reply(body=json.dumps({"number": 7}).encode(), headers={"Content-Type": "application/json"})
    replies = [Reply(503), taken]
    with http_server(lambda _: replies.pop(0)) as server:
        shop.services.connect("http:api", {"base_url": server.url, "auth": "bearer", "secret": "hunter2"})
        shop.deploy(SEND)
        shop.publish("a")
        shop.tick()
        shop.pass_time(HOUR)
        [request] = shop.requests()
        assert (request.kind, len(server.asked)) == ("unsure", 1)
        assert "503 Service Unavailable" in request.sentence
        shop.request_commands.resolve(shop.runs("C")[-1].id, "not-happened")
        shop.tick()
        assert shop.state("C") == {"number": 7}
        assert [asked.headers["Authorization"] for asked in server.asked] == ["Bearer hunter2"] * 2
        assert all(asked.headers["Idempotency-Key"] for asked in server.asked)


LOOK = job('ctx.done(ctx.call("http:api", "get", path="news")["text"])').replace("world:x", "http:api")


def begin(shop: RuntimeFixture, url: str, **settings: str) -> None:
    shop.services.connect("http:api", {"base_url": url, **settings})
    shop.deploy(LOOK)
    shop.clock.move(HOUR)
    shop.tick()


def test_a_busy_server_is_retried_when_it_says(shop: RuntimeFixture) -> None:
    replies = [Reply(429, headers={"Retry-After": "600"}), Reply(body=b"news")]
    with http_server(lambda _: replies.pop(0)) as server:
        begin(shop, server.url)
        assert [run.status for run in shop.runs("j")] == ["paused:transient"]
        shop.pass_time(10 * MINUTE - SECOND)
        assert len(server.asked) == 1
        shop.pass_time(2 * MINUTE)
        assert (len(server.asked), shop.runs("j")[-1].status) == (2, "committed")


def test_an_expired_login_asks_for_a_reconnect_and_then_resumes(shop: RuntimeFixture) -> None:
    def answer(asked: ReceivedRequest) -> Reply:
        return Reply(body=b"news") if asked.headers.get("X-Api-Key") == "new" else Reply(401)

    with http_server(answer) as server:
        begin(shop, server.url, auth="header", secret="old")
        [request] = shop.requests()
        assert (request.kind, "did not accept the login" in request.sentence) == ("reconnect", True)
        shop.services.connect("http:api", {"base_url": server.url, "auth": "header", "secret": "new"})
        shop.tick()
        assert (shop.runs("j")[-1].status, shop.requests()) == ("committed", [])


def test_a_redirect_to_a_file_is_reported(shop: RuntimeFixture) -> None:
    with http_server(lambda _: Reply(302, headers={"Location": "file:///etc/passwd"})) as server:
        begin(shop, server.url)
        [run] = shop.runs("j")
        assert run.status == "failed:logic"
        assert any("starts with file:, which is not supported" in request.sentence for request in shop.requests())
