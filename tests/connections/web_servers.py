"""Real servers on loopback: one that answers as it is told, and one that does with its socket whatever a test wants."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Asked:
    """One request as the server saw it."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Reply:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Web:
    """Where the server is, and what it was asked."""

    url: str
    asked: list[Asked]


@contextmanager
def web(answer: Callable[[Asked], Reply], context: ssl.SSLContext | None = None) -> Iterator[Web]:
    """A server of the standard library that answers each request with what `answer` says."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        def handle_one_request(self) -> None:
            with suppress(ConnectionError, ssl.SSLError):
                super().handle_one_request()

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append(Asked(self.command, self.path, dict(self.headers.items()), body))
            reply = answer(asked[-1])
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_PROPFIND = do_REPORT = _any  # noqa: N815  names of the standard library

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = False

        def handle_error(self, *_: object) -> None:
            """A client that hangs up is no news here."""

    server = Server(("127.0.0.1", 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    serving.start()
    try:
        yield Web(f"{'https' if context else 'http'}://127.0.0.1:{server.server_address[1]}", asked)
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


@dataclass
class Wild:
    url: str
    over: threading.Event
    """Set when the test is over: a server that goes on for ever looks at it."""
    times: list[int]


@contextmanager
def wild(behave: Callable[[socket.socket, threading.Event], None]) -> Iterator[Wild]:
    """A server that hands each connection to `behave`, and survives that the other side hangs up."""
    over = threading.Event()
    threads: list[threading.Thread] = []
    listener = socket.create_server(("127.0.0.1", 0))
    told = Wild(f"http://127.0.0.1:{listener.getsockname()[1]}", over, [])

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(60)
            behave(connection, over)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                if over.is_set():
                    connection.close()
                    return
                told.times.append(len(told.times))
                threads.append(threading.Thread(target=serve, args=(connection,)))
                threads[-1].start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield told
    finally:
        over.set()
        socket.create_connection(listener.getsockname()).close()
        accepting.join()
        listener.close()
        for thread in threads:
            thread.join()


def hear(connection: socket.socket) -> bytes:
    """All headers of a request."""
    heard = b""
    while b"\r\n\r\n" not in heard:
        more = connection.recv(65536)
        if not more:
            break
        heard += more
    return heard


def hear_all(connection: socket.socket) -> bytes:
    """A whole request; one that is left unread would reset the connection when it is closed."""
    head, _, body = hear(connection).partition(b"\r\n\r\n")
    sizes = [line.split()[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while sizes and len(body) < int(sizes[0]):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@contextmanager
def losing(server: str, lose: Callable[[bytes], bool]) -> Iterator[str]:
    """In between: passes requests on to the server, and loses the answers to those that `lose` says."""
    port = int(server.rpartition(":")[2])

    def behave(connection: socket.socket, _: threading.Event) -> None:
        heard = hear_all(connection)
        with socket.create_connection(("127.0.0.1", port)) as onwards:
            onwards.sendall(heard)
            answer = b""
            while more := onwards.recv(65536):
                answer += more
        if not lose(heard.partition(b"\r\n\r\n")[0]):
            connection.sendall(answer)

    with wild(behave) as between:
        yield between.url
