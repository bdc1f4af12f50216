"""Real servers on loopback: one with scripted answers, and one that gives tests the raw socket."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class ReceivedRequest:
    """One request as the server received it."""

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
class HttpServer:
    """The server's address and the requests it received."""

    url: str
    requests: list[ReceivedRequest]


@contextmanager
def http_server(
    answer: Callable[[ReceivedRequest], Reply], context: ssl.SSLContext | None = None
) -> Iterator[HttpServer]:
    """An http.server that answers each request with `answer`."""
    requests: list[ReceivedRequest] = []

    class Handler(BaseHTTPRequestHandler):
        def handle_one_request(self) -> None:
            with suppress(ConnectionError, ssl.SSLError):
                super().handle_one_request()

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            requests.append(ReceivedRequest(self.command, self.path, dict(self.headers.items()), body))
            reply = answer(requests[-1])
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
            """Clients may disconnect."""

    server = Server(("127.0.0.1", 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    serving.start()
    try:
        yield HttpServer(f"{'https' if context else 'http'}://127.0.0.1:{server.server_address[1]}", requests)
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


@dataclass
class SocketServer:
    url: str
    over: threading.Event
    """Set when the test is over, to stop endless servers."""
    times: list[int]


@contextmanager
def socket_server(behave: Callable[[socket.socket, threading.Event], None]) -> Iterator[SocketServer]:
    """A server that passes each connection to `behave`; clients may disconnect."""
    over = threading.Event()
    threads: list[threading.Thread] = []
    listener = socket.create_server(("127.0.0.1", 0))
    server = SocketServer(f"http://127.0.0.1:{listener.getsockname()[1]}", over, [])

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
                server.times.append(len(server.times))
                threads.append(threading.Thread(target=serve, args=(connection,)))
                threads[-1].start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield server
    finally:
        over.set()
        socket.create_connection(listener.getsockname()).close()
        accepting.join()
        listener.close()
        for thread in threads:
            thread.join()


def read_headers(connection: socket.socket) -> bytes:
    """All headers of a request."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            break
        data += more
    return data


def read_request(connection: socket.socket) -> bytes:
    """A whole request; closing with unread bytes would reset the connection."""
    head, _, body = read_headers(connection).partition(b"\r\n\r\n")
    sizes = [line.split()[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while sizes and len(body) < int(sizes[0]):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@contextmanager
def losing_answers(server: str, lose: Callable[[bytes], bool]) -> Iterator[str]:
    """A proxy that drops the answers to the requests selected by `lose`."""
    port = int(server.rpartition(":")[2])

    def behave(connection: socket.socket, _: threading.Event) -> None:
        request = read_request(connection)
        with socket.create_connection(("127.0.0.1", port)) as onwards:
            onwards.sendall(request)
            answer = b""
            while more := onwards.recv(65536):
                answer += more
        if not lose(request.partition(b"\r\n\r\n")[0]):
            connection.sendall(answer)

    with socket_server(behave) as between:
        yield between.url
