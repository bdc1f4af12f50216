"""A gateway that times out on actions but forwards them to the service later, as overloaded ones do."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

_ACTIONS = ("/chat.postMessage", "/messages/send", "/upload/drive/v3/files")
_TIMEOUT_S = 60


@dataclass
class LateGateway:
    service: str
    """The address that requests are forwarded to."""
    defer: Callable[[Callable[[], None]], None]
    """Called with a function that forwards the action later."""
    closes: bool = False
    """Drop the connection instead of answering 504."""
    url: str = ""
    applied: list[bytes] = field(default_factory=list)
    """The bodies of the actions that the service received, in order."""

    def pass_on(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes, str]:
        service = urlsplit(self.service)
        connection = HTTPConnection(service.hostname or "", service.port, timeout=_TIMEOUT_S)
        try:
            connection.request(method, path, body or None, headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.getheader("Content-Type", "")
        finally:
            connection.close()

    def act(self, path: str, headers: dict[str, str], body: bytes) -> None:
        self.applied.append(body)
        self.pass_on("POST", path, headers, body)


@contextmanager
def late_gateway(
    service: str, defer: Callable[[Callable[[], None]], None], *, closes: bool = False
) -> Iterator[LateGateway]:
    gateway = LateGateway(service, defer, closes)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name: value for name, value in self.headers.items() if name != "Accept-Encoding"}
            if self.command == "POST" and urlsplit(self.path).path.endswith(_ACTIONS):
                path = self.path
                gateway.defer(lambda: gateway.act(path, headers, body))
                if gateway.closes:
                    self.close_connection = True
                    with suppress(OSError):
                        self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self._answer(504, b"", "")
            else:
                self._answer(*gateway.pass_on(self.command, self.path, headers, body))

        do_GET = do_POST = do_PATCH = do_DELETE = _any  # noqa: N815  names of the standard library

        def _answer(self, status: int, body: bytes, content_type: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        gateway.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield gateway
        finally:
            server.shutdown()
            thread.join()
