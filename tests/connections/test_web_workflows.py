"""Whole workflows over real servers: what breaks on the way is retried, asked about or found out, and done once."""

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
from tests.connections.web_servers import Asked, Reply, losing, web
from tests.engine.harness import HOUR, MINUTE, SECOND
from tests.runs.scripts import job
from tests.runs.shop import Shop


class Pocket:
    """Stands in for the keyring, which other tests have."""

    def __init__(self) -> None:
        self._kept: dict[str, Mapping[str, Any]] = {}

    def read(self, connection: str) -> Mapping[str, Any]:
        return self._kept.get(connection, {})

    recall = read

    def keep(self, connection: str, secrets: Mapping[str, Any]) -> None:
        self._kept[connection] = secrets

    def forget(self, connection: str) -> None:
        self._kept.pop(connection, None)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    shop.world.registry = lambda: Registry([caldav, feed, http])  # type: ignore[method-assign]
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


def talks(asked: Asked) -> Reply:
    if asked.headers.get("If-None-Match") == '"1"':
        return Reply(304)
    return Reply(body=TALKS.encode(), headers={"ETag": '"1"'})


def test_a_feed_becomes_events_each_once_although_an_answer_was_lost(shop: Shop, tmp_path: Path) -> None:
    """X2: the server added the event and the answer was lost; the checker finds it by its id."""
    (tmp_path / "radicale").mkdir()
    puts: list[bytes] = []

    def lose(head: bytes) -> bool:
        puts.extend([head] if head.startswith(b"PUT ") else [])
        return head.startswith(b"PUT ") and len(puts) == 1

    with radicale(tmp_path / "radicale") as server, losing(server, lose) as between, web(talks) as news:
        ask("MKCALENDAR", f"{server}/{USER}/home/")
        shop.house.connect("feed:talks", {"url": news.url})
        shop.house.connect("caldav:home", {"url": f"{between}/{USER}/home/", "user": USER, "password": PASSWORD})
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


def test_an_order_that_may_have_been_taken_is_asked_about_and_not_sent_again(shop: Shop) -> None:
    """X12 and X4: 503 to an action is unsure, and only the person can tell."""
    taken = Reply(body=json.dumps({"number": 7}).encode(), headers={"Content-Type": "application/json"})
    replies = [Reply(503), taken]
    with web(lambda _: replies.pop(0)) as server:
        shop.house.connect("http:api", {"base_url": server.url, "auth": "bearer", "secret": "hunter2"})
        shop.deploy(SEND)
        shop.publish("a")
        shop.tick()
        shop.pass_time(HOUR)
        [request] = shop.requests()
        assert (request.kind, len(server.asked)) == ("unsure", 1)
        assert "503 Service Unavailable" in request.sentence
        shop.answering.resolve(shop.runs("C")[-1].id, "not-happened")
        shop.tick()
        assert shop.state("C") == {"number": 7}
        assert [asked.headers["Authorization"] for asked in server.asked] == ["Bearer hunter2"] * 2
        assert all(asked.headers["Idempotency-Key"] for asked in server.asked)


LOOK = job('ctx.done(ctx.call("http:api", "get", path="news")["text"])').replace("world:x", "http:api")


def begin(shop: Shop, url: str, **settings: str) -> None:
    shop.house.connect("http:api", {"base_url": url, **settings})
    shop.deploy(LOOK)
    shop.clock.move(HOUR)
    shop.tick()


def test_a_look_that_is_refused_for_now_comes_back_when_the_server_says(shop: Shop) -> None:
    replies = [Reply(429, headers={"Retry-After": "600"}), Reply(body=b"news")]
    with web(lambda _: replies.pop(0)) as server:
        begin(shop, server.url)
        assert [run.status for run in shop.runs("j")] == ["paused:transient"]
        shop.pass_time(10 * MINUTE - SECOND)
        assert len(server.asked) == 1
        shop.pass_time(2 * MINUTE)
        assert (len(server.asked), shop.runs("j")[-1].status) == (2, "committed")


def test_a_login_that_expired_asks_for_a_reconnect_and_goes_on_after_it(shop: Shop) -> None:
    def answer(asked: Asked) -> Reply:
        return Reply(body=b"news") if asked.headers.get("X-Api-Key") == "new" else Reply(401)

    with web(answer) as server:
        begin(shop, server.url, auth="header", secret="old")
        [request] = shop.requests()
        assert (request.kind, "did not accept the login" in request.sentence) == ("reconnect", True)
        shop.house.connect("http:api", {"base_url": server.url, "auth": "header", "secret": "new"})
        shop.tick()
        assert (shop.runs("j")[-1].status, shop.requests()) == ("committed", [])


def test_a_server_that_sends_us_to_a_file_is_told_of(shop: Shop) -> None:
    with web(lambda _: Reply(302, headers={"Location": "file:///etc/passwd"})) as server:
        begin(shop, server.url)
        [run] = shop.runs("j")
        assert run.status == "failed:logic"
        assert any("starts with file:, which is not followed" in request.sentence for request in shop.requests())
