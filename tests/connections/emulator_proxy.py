"""A proxy to the emulator that records requests and fails on demand.

It also adds what the emulator lacks: revoked tokens are refused everywhere and cannot be refreshed,
events keep their given id and can be fetched by it, and files keep their properties.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

_UNAUTHORISED = json.dumps({"error": {"code": 401, "status": "UNAUTHENTICATED", "message": "Invalid."}}).encode()


@dataclass(slots=True)
class Rule:
    """What happens to the next `times` requests whose path contains `path`."""

    path: str
    method: str = "POST"
    status: int = 0
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1
    drop: bool = False
    """Forward the request, then drop the connection instead of answering."""


class EmulatorProxy:
    """The recorded requests and the failures to produce."""

    def __init__(self, goal: str) -> None:
        self.goal = urlsplit(goal)
        self.url = ""
        self.seen: list[tuple[str, str]] = []
        self.forms: list[dict[str, str]] = []
        self.rules: list[Rule] = []
        self.revoked: set[str] = set()
        self.events: dict[str, Any] = {}
        self.properties: dict[str, Any] = {}
        self.lock = threading.Lock()

    def count(self, path: str, method: str = "POST") -> int:
        return sum(1 for seen_method, seen in self.seen if seen_method == method and path in seen)

    def take_rule(self, method: str, path: str) -> Rule | None:
        with self.lock:
            for rule in self.rules:
                if rule.method == method and rule.path in path and rule.times > 0:
                    rule.times -= 1
                    return rule
        return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    front: EmulatorProxy

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def _handle(self) -> None:
        front = self.front
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = urlsplit(self.path).path
        with front.lock:
            front.seen.append((self.command, path))
            form: dict[str, str] = {}
            if self.headers.get("Content-Type") == "application/x-www-form-urlencoded":
                form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
                front.forms.append(form)
        rule = front.take_rule(self.command, path)
        if rule is not None and rule.status:
            self._answer(rule.status, rule.body, rule.headers)
        elif (self.headers.get("Authorization") or "").removeprefix("Bearer ") in front.revoked:
            self._answer(401, _UNAUTHORISED, {})
        elif form.get("refresh_token") in front.revoked:
            self._answer(400, b'{"error": "invalid_grant"}', {})
        else:
            answer = self._stand_in(path) or self._pass_on(path, body)
            if rule is not None and rule.drop:
                self.close_connection = True
            else:
                self._answer(*answer)

    def _stand_in(self, path: str) -> tuple[int, bytes, dict[str, str]] | None:
        if self.command != "GET" or "/events/" not in path:
            return None
        event = self.front.events.get(path.rpartition("/")[2])
        return (404, b"{}", {}) if event is None else (200, json.dumps(event).encode(), {})

    def _pass_on(self, path: str, body: bytes) -> tuple[int, bytes, dict[str, str]]:
        goal = self.front.goal
        connection = HTTPConnection(goal.hostname or "", goal.port, timeout=60)
        try:
            headers = {name: value for name, value in self.headers.items() if name != "Accept-Encoding"}
            connection.request(self.command, self.path, body or None, headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        kept = {name: value for name, value in answer.getheaders() if name.lower() in ("content-type", "location")}
        return answer.status, self._complete(path, body, answer.status, content), kept

    def _complete(self, path: str, body: bytes, status: int, content: bytes) -> bytes:
        """Add what the emulator dropped from the request."""
        front = self.front
        if path == "/oauth2/revoke":
            front.revoked.update(parse_qs(body.decode()).get("token", []))
        if status != 200 or not content.startswith(b"{"):
            return content
        answer = json.loads(content)
        if self.command == "POST" and path.endswith("/events"):
            answer["id"] = json.loads(body).get("id", answer["id"])
            front.events[answer["id"]] = answer
        elif self.command == "POST" and path == "/upload/drive/v3/files":
            metadata = json.loads(body.split(b"\r\n\r\n", 1)[1].split(b"\r\n--", 1)[0])
            front.properties[answer["id"]] = metadata.get("appProperties")
        elif self.command == "GET" and path == "/drive/v3/files":
            query = parse_qs(urlsplit(self.path).query).get("q", [""])[0]
            for file in answer["files"]:
                file["appProperties"] = front.properties.get(file["id"]) or {}
            if "appProperties has" in query:
                answer["files"] = [f for f in answer["files"] if any(v in query for v in f["appProperties"].values())]
        else:
            return content
        return json.dumps(answer).encode()

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def running_proxy(goal: str) -> Iterator[EmulatorProxy]:
    front = EmulatorProxy(goal)
    handler = type("Handler", (_Handler,), {"front": front})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        front.url = f"http://127.0.0.1:{server.server_port}"
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield front
        finally:
            server.shutdown()
            thread.join()
