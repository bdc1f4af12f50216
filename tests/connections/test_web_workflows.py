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
def runtime(tmp_path: Path) -> Iterator[RuntimeFixture]:
    runtime = RuntimeFixture(tmp_path)
    runtime.service.registry = lambda: Registry([caldav, feed, http])  # type: ignore[method-assign]
    runtime.secrets = Pocket()
    runtime.crash()
    yield runtime
    runtime.close()


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


def talks(received: ReceivedRequest) -> Reply:
    if received.headers.get("If-None-Match") == '"1"':
        return Reply(304)
    return Reply(body=TALKS.encode(), headers={"ETag": '"1"'})


def test_a_feed_becomes_events_once_although_an_answer_was_lost(runtime: RuntimeFixture, tmp_path: Path) -> None:
    """The server added the event and the answer was lost; the checker finds it by its id."""
    (tmp_path / "radicale").mkdir()
    puts: list[bytes] = []

    def lose(head: bytes) -> bool:
        puts.extend([head] if head.startswith(b"PUT ") else [])
        return head.startswith(b"PUT ") and len(puts) == 1

    with radicale(tmp_path / "radicale") as server, losing_answers(server, lose) as between, http_server(talks) as feed:
        ask("MKCALENDAR", f"{server}/{USER}/home/")
        runtime.services.connect("feed:talks", {"url": feed.url})
        runtime.services.connect("caldav:home", {"url": f"{between}/{USER}/home/", "user": USER, "password": PASSWORD})
        runtime.deploy(FEED_TO_CALENDAR)
        runtime.tick()
        runtime.pass_time(HOUR)
        assert runtime.events() == {"1": "consumed", "2": "consumed"}
        assert len(puts) == 2
        made = runtime.state("C")["made"]
        bodies = [ask("GET", url.replace(between, server)).body.decode() for url in made]
        assert [("SUMMARY:One" in body, "SUMMARY:Two" in body) for body in bodies] == [(True, False), (False, True)]
        assert ask("GET", f"{server}/{USER}/home/").body.count(b"BEGIN:VEVENT") == 2
        assert runtime.state("p")["looks"] == [False, True]
        assert len(runtime.requests()) == 0


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


def test_an_order_that_may_have_arrived_is_asked_about_and_not_sent_again(runtime: RuntimeFixture) -> None:
    """A 503 to an action leaves the outcome unknown, and only the user can tell."""
    taken = Reply(body=json.dumps({"number": 7}).encode(), headers={"Content-Type": "application/json"})
    replies = [Reply(503), taken]
    with http_server(lambda _: replies.pop(0)) as server:
        runtime.services.connect("http:api", {"base_url": server.url, "auth": "bearer", "secret": "hunter2"})
        runtime.deploy(SEND)
        runtime.publish("a")
        runtime.tick()
        runtime.pass_time(HOUR)
        [request] = runtime.requests()
        assert (request.kind, len(server.requests)) == ("unsure", 1)
        assert "503 Service Unavailable" in request.sentence
        runtime.request_commands.resolve(runtime.runs("C")[-1].id, "not-happened")
        runtime.tick()
        assert runtime.state("C") == {"number": 7}
        assert [received.headers["Authorization"] for received in server.requests] == ["Bearer hunter2"] * 2
        assert all(received.headers["Idempotency-Key"] for received in server.requests)


LOOK = job('ctx.done(ctx.call("http:api", "get", path="news")["text"])').replace("world:x", "http:api")


def begin(runtime: RuntimeFixture, url: str, **settings: str) -> None:
    runtime.services.connect("http:api", {"base_url": url, **settings})
    runtime.deploy(LOOK)
    runtime.clock.move(HOUR)
    runtime.tick()


def test_a_busy_server_is_retried_when_it_says(runtime: RuntimeFixture) -> None:
    replies = [Reply(429, headers={"Retry-After": "600"}), Reply(body=b"news")]
    with http_server(lambda _: replies.pop(0)) as server:
        begin(runtime, server.url)
        assert [run.status for run in runtime.runs("j")] == ["paused:transient"]
        runtime.pass_time(10 * MINUTE - SECOND)
        assert len(server.requests) == 1
        runtime.pass_time(2 * MINUTE)
        assert (len(server.requests), runtime.runs("j")[-1].status) == (2, "committed")


def test_an_expired_login_asks_for_a_reconnect_and_then_resumes(runtime: RuntimeFixture) -> None:
    def answer(received: ReceivedRequest) -> Reply:
        return Reply(body=b"news") if received.headers.get("X-Api-Key") == "new" else Reply(401)

    with http_server(answer) as server:
        begin(runtime, server.url, auth="header", secret="old")
        [request] = runtime.requests()
        assert (request.kind, "did not accept the login" in request.sentence) == ("reconnect", True)
        runtime.services.connect("http:api", {"base_url": server.url, "auth": "header", "secret": "new"})
        runtime.tick()
        assert (runtime.runs("j")[-1].status, runtime.requests()) == ("committed", [])


def test_a_redirect_to_a_file_is_reported(runtime: RuntimeFixture) -> None:
    with http_server(lambda _: Reply(302, headers={"Location": "file:///etc/passwd"})) as server:
        begin(runtime, server.url)
        [run] = runtime.runs("j")
        assert run.status == "failed:logic"
        assert any("starts with file:, which is not supported" in request.sentence for request in runtime.requests())
