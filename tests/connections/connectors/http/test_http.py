"""The web API connector against a real server: logins, pages, downloads and actions."""

import base64
import json
import ssl
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trustme

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.http.connector import http
from scheduler.connections.registry import Registry
from scheduler.rules.failures import Failure, FailureClass
from tests.connections.tool_calls import call, tool_of
from tests.connections.web_servers import HttpServer, ReceivedRequest, Reply, http_server

SECRET = "hunter2"


def settings(server: HttpServer, **more: Any) -> dict[str, Any]:
    return Registry([http]).check_settings("http", {"base_url": f"{server.url}/v1", **more})


def use(server: HttpServer, name: str, given: dict[str, Any] | None = None, /, **parameters: Any) -> Any:
    key = "key-1" if tool_of(http, name).mutating else ""
    Registry.check_parameters(tool_of(http, name), parameters)
    return tool_of(http, name).run(call(settings(server, **(given or {})), key, **parameters))


def refused(server: HttpServer, name: str, given: dict[str, Any] | None = None, /, **parameters: Any) -> Failure:
    with pytest.raises(ToolFailedError) as caught:
        use(server, name, given, **parameters)
    assert SECRET not in caught.value.failure.sentence
    return caught.value.failure


def as_json(value: Any, status: int = 200, **headers: str) -> Reply:
    return Reply(status, json.dumps(value).encode(), {"Content-Type": "application/json; charset=utf-8", **headers})


@pytest.mark.parametrize(
    ("given", "header", "value"),
    [
        ({"auth": "none", "secret": SECRET}, "Authorization", None),
        (
            {"auth": "basic", "user": "mü", "secret": SECRET},
            "Authorization",
            f"Basic {base64.b64encode(f'mü:{SECRET}'.encode()).decode()}",
        ),
        ({"auth": "bearer", "secret": SECRET}, "Authorization", f"Bearer {SECRET}"),
        ({"auth": "header", "secret": SECRET}, "X-Api-Key", SECRET),
        ({"auth": "header", "secret": SECRET, "header": "X-Token"}, "X-Token", SECRET),
    ],
)
def test_each_login_is_sent_as_the_server_expects_it(given: dict[str, Any], header: str, value: str | None) -> None:
    with http_server(lambda _: as_json({})) as server:
        use(server, "get", given, path="a")
        assert server.requests[0].headers.get(header) == value


def test_the_oauth2_token_of_the_connection_is_used() -> None:
    with http_server(lambda _: as_json({})) as server:
        given = {**settings(server, auth="oauth2"), "access_token": SECRET}
        tool_of(http, "get").run(call(given, path="a"))
        assert server.requests[0].headers["Authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize("auth", ["basic", "bearer", "header", "oauth2"])
def test_a_missing_login_is_an_auth_error(auth: str) -> None:
    with http_server(lambda _: as_json({})) as server:
        assert refused(server, "get", {"auth": auth, "user": "me"}, path="a").kind is FailureClass.AUTH
        assert server.requests == []


def test_a_user_with_a_colon_is_refused() -> None:
    with http_server(lambda _: as_json({})) as server:
        given = {"auth": "basic", "user": "a:b", "secret": SECRET}
        assert refused(server, "get", given, path="a").kind is FailureClass.LOGIC


def test_json_text_and_bytes_are_distinguished() -> None:
    replies = {
        "/v1/json": as_json({"a": 1}, **{"Set-Cookie": "session=1"}),
        "/v1/text": Reply(body="größer".encode("latin-1"), headers={"Content-Type": "text/plain; charset=latin-1"}),
        "/v1/bytes": Reply(body=b"\xff\0", headers={"Content-Type": "image/png"}),
        "/v1/odd": Reply(body=b"a", headers={"Content-Type": "text/plain; charset=klingon"}),
        "/v1/empty": Reply(204),
    }
    with http_server(lambda request: replies[request.path]) as server:
        got = use(server, "get", path="json")
        assert (got["status"], got["json"], got["headers"]["content-type"][:16]) == (200, {"a": 1}, "application/json")
        assert "set-cookie" not in got["headers"], "cookies are not passed to scripts"
        assert use(server, "get", path="text")["text"] == "größer"
        assert use(server, "get", path="bytes")["base64"] == "/wA="
        assert use(server, "get", path="odd")["base64"] == "YQ=="
        assert use(server, "get", path="empty")["text"] == ""


def test_query_and_headers_are_sent_except_reserved_headers() -> None:
    with http_server(lambda _: as_json({})) as server:
        use(server, "get", path="a", query={"q": "x y"}, headers={"Accept": "text/csv"})
        assert (server.requests[0].path, server.requests[0].headers["Accept"]) == ("/v1/a?q=x+y", "text/csv")
        for name in ("authorization", "Cookie", "X-Token"):
            given = {"auth": "header", "header": "X-Token", "secret": SECRET}
            assert "Leave it out" in refused(server, "get", given, path="a", headers={name: "mine"}).sentence
        assert refused(server, "get", path="a", headers={"X-A": 1}).kind is FailureClass.LOGIC
        assert len(server.requests) == 1


def test_no_path_leaves_the_address_of_the_connection() -> None:
    with http_server(lambda _: as_json({})) as other, http_server(lambda _: as_json({})) as server:
        for path in (f"{other.url}/v1/a", f"{server.url}/v2", "../v2", "file:///etc/passwd"):
            for name in ("get", "get_all", "send"):
                assert refused(server, name, path=path).kind is FailureClass.LOGIC
        assert (server.requests, other.requests) == ([], [])


def test_the_error_message_of_the_server_is_shown_without_the_secret() -> None:
    replies = {
        "/v1/a": as_json({"error": {"message": f"token {SECRET} is\nold."}}, 401),
        "/v1/b": as_json({"errors": 1, "detail": "x" * 1000}, 403),
        "/v1/c": as_json([{"title": "Nope"}], 404),
        "/v1/d": Reply(500, b"<html>"),
    }
    with http_server(lambda request: replies[request.path]) as server:
        login = {"auth": "bearer", "secret": SECRET}
        error = refused(server, "get", login, path="a")
        assert error.kind is FailureClass.AUTH
        assert error.sentence == (
            "127.0.0.1 did not accept the login (401 Unauthorized: token … is old). "
            "Check user name and password, or reconnect."
        )
        long = refused(server, "get", path="b")
        assert (long.kind, len(long.sentence) < 400) == (FailureClass.PERMISSION, True)
        assert "404 Not Found: Nope" in refused(server, "get", path="c").sentence
        assert refused(server, "get", path="d").kind is FailureClass.TRANSIENT


def paged(request: ReceivedRequest) -> Reply:
    """Three pages of two items."""
    _, _, query = request.path.partition("page=")
    page = int(query or 1)
    more = f'<{request.path.partition("?")[0]}?page={page + 1}>; title="a, b"; rel="next", </v1/first>; rel="first"'
    return as_json([page * 2 - 1, page * 2], **({"Link": more} if page < 3 else {}))


def test_pages_are_followed_to_the_last() -> None:
    with http_server(paged) as server:
        got = use(server, "get_all", {"auth": "bearer", "secret": SECRET}, path="items")
        assert got == {"items": [1, 2, 3, 4, 5, 6], "pages": 3, "next": None}
        assert [request.headers["Authorization"] for request in server.requests] == [f"Bearer {SECRET}"] * 3


def test_a_malicious_link_header_is_parsed_quickly() -> None:
    for link in (f"<a>{' ' * 50_000}x", f"<a>{';a' * 20_000} x", "<" * 50_000, f'<a>;a="{"x" * 50_000}'):
        with http_server(lambda _, link=link: as_json([1], Link=link)) as server:  # type: ignore[misc]
            assert use(server, "get_all", path="items") == {"items": [1], "pages": 1, "next": None}


def test_paging_stops_at_the_limit_and_can_be_continued() -> None:
    with http_server(paged) as server:
        got = use(server, "get_all", path="items", pages=2)
        assert (got["items"], got["next"]) == ([1, 2, 3, 4], f"{server.url}/v1/items?page=3")
        assert use(server, "get_all", path=got["next"])["items"] == [5, 6]
        assert refused(server, "get_all", path="items", pages=101).kind is FailureClass.LOGIC


@pytest.mark.parametrize("goal", ["https://evil.example/v1/b", "/v2/b", "/v1/a", "file:///etc/passwd", "http://[::1"])
def test_a_next_page_outside_the_base_or_repeated_is_refused(goal: str) -> None:
    with http_server(lambda _: as_json([], Link=f"<{goal}>; rel=next")) as server:
        assert refused(server, "get_all", path="a").kind is FailureClass.LOGIC
        assert len(server.requests) == 1


def test_the_list_may_be_nested_in_the_response() -> None:
    with http_server(lambda _: as_json({"results": [1], "count": 1})) as server:
        assert use(server, "get_all", path="a", items="results")["items"] == [1]
        assert 'Give the name of the list in it as "items"' in refused(server, "get_all", path="a").sentence
        assert 'no list in "rows"' in refused(server, "get_all", path="a", items="rows").sentence


def test_the_total_size_of_all_pages_is_bounded() -> None:
    page = json.dumps(["x" * 4_000_000]).encode()
    with http_server(lambda request: Reply(body=page, headers={"Link": f"<{request.path}1>; rel=next"})) as server:
        assert "which is the limit" in refused(server, "get_all", path="a").sentence
        assert len(server.requests) == 3


def test_a_file_is_downloaded_into_the_folder(tmp_path: Path) -> None:
    with http_server(lambda _: Reply(body=b"%PDF" * 1000, headers={"Content-Type": "application/pdf"})) as server:
        given = {"folder": str(tmp_path)}
        assert use(server, "download", given, path="bills/may%20bill.pdf") == {
            "path": str(tmp_path / "may bill.pdf"),
            "name": "may bill.pdf",
            "size": 4000,
            "content_type": "application/pdf",
        }
        use(server, "download", given, path="bills/1", name="2026/may.pdf")
        assert (tmp_path / "2026/may.pdf").read_bytes() == b"%PDF" * 1000


def test_a_download_stays_in_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with http_server(lambda _: Reply(body=b"x")) as server:
        given = {"folder": str(folder)}
        for path, name in (("a", "../a"), ("a", "/etc/a"), ("a%2f..%2f..%2fb", None)):
            assert refused(server, "download", given, path=path, name=name).kind is FailureClass.LOGIC
        nameless = {"folder": str(folder), "base_url": server.url}
        assert "has no file name" in refused(server, "download", nameless, path="/").sentence
        assert "has no download folder" in refused(server, "download", path="a").sentence
        assert refused(server, "download", {"folder": str(tmp_path / "no")}, path="a").kind is FailureClass.TRANSIENT
        assert server.requests == []
    assert [place.name for place in tmp_path.iterdir()] == ["folder"]


def test_an_error_response_is_not_downloaded(tmp_path: Path) -> None:
    with http_server(lambda _: Reply(404, b"no such bill")) as server:
        assert refused(server, "download", {"folder": str(tmp_path)}, path="a").kind is FailureClass.LOGIC
    assert list(tmp_path.iterdir()) == []


def test_an_action_sends_its_idempotency_key() -> None:
    with http_server(lambda _: as_json({"id": 7}, 201)) as server:
        got = use(server, "send", {"auth": "bearer", "secret": SECRET}, path="orders", json={"n": "ö"})
        assert (got["status"], got["json"]) == (201, {"id": 7})
        [request] = server.requests
        assert (request.method, request.path, json.loads(request.body)) == ("POST", "/v1/orders", {"n": "ö"})
        assert (request.headers["Idempotency-Key"], request.headers["Content-Type"]) == ("key-1", "application/json")
        for method in ("put", "PATCH", "DELETE"):
            use(server, "send", path="orders/7", method=method)
        assert [request.method for request in server.requests[1:]] == ["PUT", "PATCH", "DELETE"]
        assert refused(server, "send", path="a", method="GET").kind is FailureClass.LOGIC
        assert refused(server, "send", path="a", headers={"Idempotency-Key": "x"}).kind is FailureClass.LOGIC
        assert refused(server, "send", path="a", json=[float("nan")]).kind is FailureClass.LOGIC


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, "logic"), (401, "auth"), (403, "permission"), (429, "transient"), (408, "unsure"), (503, "unsure")],
)
def test_an_action_that_may_have_happened_is_unsure(status: int, kind: str) -> None:
    with http_server(lambda _: Reply(status)) as server:
        assert refused(server, "send", path="a").kind == kind


@pytest.mark.parametrize("body", [b"ok!", b'{"n": 1e400}', b"[" * 700 + b"]" * 700, b"[" * 100_000])
def test_an_action_is_done_even_if_its_response_is_malformed(body: bytes) -> None:
    with http_server(lambda _: Reply(body=body, headers={"Content-Type": "application/json"})) as server:
        got = use(server, "send", path="a")
        assert got["text"] == body.decode()
        assert got["note"] == "The response is marked as JSON but is not valid JSON."
        assert refused(server, "get", path="a").kind is FailureClass.LOGIC


def test_a_response_that_is_too_large_is_dropped() -> None:
    with http_server(lambda _: Reply(body=b"x" * 4_000_001)) as server:
        got = use(server, "send", path="a")
    assert (got["status"], got["note"]) == (200, "The response is too large or cannot be decoded.")


PAGE = b"\n<!-- portal --><!DOCTYPE html>\n<html><body>Log in to this network</body></html>"


@pytest.mark.parametrize(
    ("body", "is_done"), [(PAGE, False), (b"<HTML>", False), (b"<p>Thanks</p>", True), (b"ok", True), (b"", True)]
)
def test_the_login_page_of_a_network_is_not_a_confirmation(
    body: bytes,
    is_done: bool,  # noqa: FBT001  a case
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Over plain HTTP anyone in between can answer; a proxy stands in for the network here."""
    with http_server(lambda _: Reply(body=body)) as network:
        monkeypatch.setenv("http_proxy", network.url)
        elsewhere = replace(network, url="http://api.example")
        if is_done:
            assert use(elsewhere, "send", path="a")["status"] == 200
        else:
            assert refused(elsewhere, "send", path="a").kind is FailureClass.UNSURE


@pytest.mark.parametrize("name", ["get", "get_all", "download"])
def test_a_read_does_not_follow_a_redirect_to_this_computer(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        http_server(lambda _: as_json([])) as here,
        http_server(lambda _: Reply(302, headers={"Location": here.url})) as public,
    ):
        monkeypatch.setenv("http_proxy", public.url)
        elsewhere = replace(public, url="http://api.example")
        error = refused(elsewhere, name, {"folder": str(tmp_path)}, path="a")
        assert (error.kind, here.requests) == (FailureClass.LOGIC, [])


def test_only_sending_needs_approval() -> None:
    asks = {tool.name: (tool.mutating, tool.acts_on_others) for tool in http.tools}
    assert asks == {name: (name == "send", name == "send") for name in ("get", "get_all", "download", "send")}


def test_testing_a_connection_reports_the_result() -> None:
    statuses = [200, 404, 401, 403, 503]
    with http_server(lambda _: Reply(statuses.pop(0))) as server:
        assert http.test(call(settings(server))) == "127.0.0.1 is reachable."
        assert "the login was not tested" in http.test(call(settings(server)))
        for kind in ("auth", "permission", "transient"):
            with pytest.raises(ToolFailedError) as caught:
                http.test(call(settings(server)))
            assert caught.value.failure.kind == kind


def test_a_self_signed_server_is_trusted_by_its_certificate(tmp_path: Path) -> None:
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    (tmp_path / "bad.pem").write_text("hello")
    with http_server(lambda _: as_json(1), context) as server:
        assert refused(server, "get", path="a").kind is FailureClass.TRANSIENT
        assert use(server, "get", {"certificate": str(tmp_path / "ca.pem")}, path="a")["json"] == 1
        bad = refused(server, "get", {"certificate": str(tmp_path / "bad.pem")}, path="a")
        assert "is not a certificate" in bad.sentence
        gone = refused(server, "get", {"certificate": str(tmp_path / "gone.pem")}, path="a")
        assert gone.sentence.endswith("gone.pem does not exist.")


@pytest.mark.parametrize(
    ("status", "fail_on", "ends"),
    [
        (404, "any", FailureClass.LOGIC),
        (404, "temporary", None),
        (403, "temporary", None),
        (401, "temporary", None),
        (503, "temporary", FailureClass.TRANSIENT),
        (503, "nothing", None),
        (404, "nothing", None),
    ],
)
def test_a_script_chooses_which_failures_end_its_attempt(status: int, fail_on: str, ends: FailureClass | None) -> None:
    with http_server(lambda _: Reply(status)) as server:
        if ends is not None:
            assert refused(server, "get", path="a", fail_on=fail_on).kind is ends
        else:
            found = use(server, "get", path="a", fail_on=fail_on)
            assert found["status"] == status
            assert f"({status} " in found["error"]


def test_a_login_that_is_not_accepted_always_ends_the_attempt() -> None:
    with http_server(lambda _: Reply(401)) as server:
        given = {"auth": "bearer", "secret": SECRET}
        assert refused(server, "get", given, path="a", fail_on="nothing").kind is FailureClass.AUTH


def test_a_server_that_is_not_reached_has_no_status() -> None:
    with http_server(lambda _: Reply(200)) as server:
        pass
    assert refused(server, "get", path="a", fail_on="temporary").kind is FailureClass.TRANSIENT
    assert use(server, "get", path="a", fail_on="nothing")["status"] == 0


def test_an_unknown_choice_of_failures_is_refused() -> None:
    with http_server(lambda _: Reply(200)) as server:
        assert "any, temporary, nothing" in refused(server, "get", path="a", fail_on="never").sentence
        assert server.requests == []
