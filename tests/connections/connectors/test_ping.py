"""What monitoring services receive, in their own forms; each server only records it."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest

from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.connectors.ping import list_secrets, ping, send_ping
from scheduler.rules.phases import RunStatus
from scheduler.rules.pings import MAX_PING_AGE, Ping, PingEvent, find_ping_event
from tests.connections.web_servers import HttpServer, Reply, http_server

NOW = datetime(2026, 11, 16, 10, tzinfo=UTC)
PATH = "/5f3b8a90-1111-2222-3333-444455556666"


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with http_server(lambda _: Reply(body=b"OK")) as running:
        yield running


def tell(
    server: HttpServer, event: PingEvent, service: str = "healthchecks", path: str = PATH, **facts: object
) -> None:
    settings = {"address": f"{server.url}{path}", "service": service}
    send_ping(settings, Ping(event=event, at=NOW, **facts), NOW, 5)  # type: ignore[arg-type]


def test_healthchecks_gets_start_success_failure_and_exit_code(server: HttpServer) -> None:
    tell(server, PingEvent.START, chain="a")
    tell(server, PingEvent.SUCCESS, chain="a")
    tell(server, PingEvent.FAIL, chain="b")
    tell(server, PingEvent.FAIL, chain="b", exit_code=3, text="lost\nthe end")
    found = [(one.method, urlsplit(one.path).path, one.body) for one in server.requests]
    assert found == [
        ("POST", f"{PATH}/start", b""),
        ("POST", PATH, b""),
        ("POST", f"{PATH}/fail", b""),
        ("POST", f"{PATH}/3", b"lost\nthe end"),
    ]
    ids = [UUID(parse_qs(urlsplit(one.path).query)["rid"][0]) for one in server.requests]
    assert ids[0] == ids[1] != ids[2] == ids[3]


def test_a_ping_about_dayhand_itself_has_no_run(server: HttpServer) -> None:
    tell(server, PingEvent.SUCCESS, path=f"{PATH}/?create=1")
    assert [one.path for one in server.requests] == [f"{PATH}?create=1"]


def test_only_the_end_of_the_output_is_sent(server: HttpServer) -> None:
    tell(server, PingEvent.FAIL, text="é" * 9_000 + "end")
    [one] = server.requests
    assert len(one.body) == 10_000 and one.body.endswith(b"end")


def test_uptime_kuma_gets_up_and_down_with_a_message_and_the_duration(server: HttpServer) -> None:
    path = "/api/push/tok?status=up&msg=OK&ping="
    tell(server, PingEvent.START, "uptime-kuma", path)
    tell(server, PingEvent.SUCCESS, "uptime-kuma", path, took=timedelta(seconds=1.5))
    tell(server, PingEvent.FAIL, "uptime-kuma", path, exit_code=3, text="one\ntwo & three\n\n")
    tell(server, PingEvent.FAIL, "uptime-kuma", path)
    assert [urlsplit(one.path).path for one in server.requests] == ["/api/push/tok"] * 3
    queries = [parse_qs(urlsplit(one.path).query) for one in server.requests]
    assert queries == [
        {"status": ["up"], "msg": ["OK"], "ping": ["1500"]},
        {"status": ["down"], "msg": ["Failed with code 3: two & three"]},
        {"status": ["down"], "msg": ["Failed"]},
    ]


def test_any_other_address_is_opened_on_success_only(server: HttpServer) -> None:
    for event in PingEvent:
        tell(server, event, "only-success", "/x?y=1")
    assert [(one.method, one.path) for one in server.requests] == [("GET", "/x?y=1")]


def test_testing_the_connection_does_not_say_that_a_run_succeeded(server: HttpServer) -> None:
    settings = {"address": f"{server.url}{PATH}", "service": "healthchecks"}
    call = Call(parameters={}, settings=settings, key="", now=NOW, connection="ping:x")
    assert ping.test(call) == "127.0.0.1 took the ping."
    assert [one.path for one in server.requests] == [f"{PATH}/log"]
    settings["service"] = "only-success"
    assert "It is called" in ping.test(call) and len(server.requests) == 1


def test_no_error_and_no_log_line_contains_the_address(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with http_server(lambda _: Reply(404)) as server, pytest.raises(ToolFailedError) as caught:
        tell(server, PingEvent.SUCCESS)
    secrets = list_secrets({"address": f"{server.url}{PATH}"})
    assert PATH.strip("/") in secrets
    assert not any(secret in f"{caught.value}{caplog.text}" for secret in secrets)


@pytest.mark.parametrize(
    ("status", "facts", "event"),
    [
        (RunStatus.COMMITTED, "", PingEvent.SUCCESS),
        (RunStatus.LOGIC, "error", PingEvent.FAIL),
        (RunStatus.LOGIC, "continued error", None),
        (RunStatus.TRANSIENT, "continued error", None),
        (RunStatus.TRANSIENT, "error", PingEvent.FAIL),
        (RunStatus.INTERNAL, "error", PingEvent.FAIL),
        (RunStatus.CRASHED, "continued", None),
        (RunStatus.CRASHED, "", PingEvent.FAIL),
        (RunStatus.APPROVAL, "", None),
        (RunStatus.APPROVAL, "error", PingEvent.FAIL),
        (RunStatus.RECONCILIATION, "error", None),
        (RunStatus.CANCELLED, "", None),
        (RunStatus.ACTIVE, "", None),
    ],
)
def test_only_what_has_ended_or_needs_the_user_is_told(status: RunStatus, facts: str, event: PingEvent | None) -> None:
    assert find_ping_event(status, is_continued="continued" in facts, has_error="error" in facts) is event


def test_a_ping_is_stale_after_a_while_and_if_the_clock_was_set_back() -> None:
    one = Ping(event=PingEvent.SUCCESS, at=NOW)
    assert not one.is_stale(NOW + MAX_PING_AGE)
    assert one.is_stale(NOW + MAX_PING_AGE + timedelta(seconds=1))
    assert one.is_stale(NOW - MAX_PING_AGE - timedelta(seconds=1))
