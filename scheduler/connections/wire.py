"""One request over one connection, within a deadline for all of it. The only file that knows urllib3."""

import io
import logging
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPException
from typing import Any, cast

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, LocationParseError
from urllib3.response import HTTPResponse
from urllib3.util import Url, parse_url

from scheduler.connections.dialling import Deadline, dial, secure
from scheduler.connections.mistakes import wrong
from scheduler.connections.proxy import open_tunnel, proxy_for, proxy_login
from scheduler.connections.web_errors import broken, unusable

_MOST_HEADERS = 60 * 1024
_ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")
_PORTS = {"http": 80, "https": 443}

logging.getLogger("urllib3").setLevel(logging.ERROR)  # its warnings hold whole addresses, which may hold secrets


class TooManyHeadersError(Exception):
    """More than anybody needs before the body begins."""


def read_url(text: str) -> Url:
    """The address with everything in it written as servers want it; refused unless it is http or https."""
    if not re.split("[/?#]", text.partition("://")[2], maxsplit=1)[0].isascii():
        raise wrong("The name of the server has letters that are no ASCII. Write it in its other form, with xn--.")
    try:
        url = parse_url(text)
        if url.host:
            url.host.rstrip(".").encode("idna")
    except (LocationParseError, UnicodeError):  # they quote the address, which may hold a secret
        raise wrong("The address of the server cannot be read. Write it as in https://example.org/path.") from None
    if url.scheme not in _PORTS:
        raise wrong(f"Only addresses with http and https are asked, not {url.scheme or 'one without either'}.")
    if not url.host:
        raise wrong("The address names no server. Write it as in https://example.org/path.")
    return url


def port_of(url: Url) -> int:
    return url.port or _PORTS[url.scheme or ""]


class _Timed:
    """A socket whose every wait ends at the deadline, however little arrives at a time."""

    def __init__(self, inner: socket.socket, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline
        self.reader = _Reader(inner, deadline)

    def settimeout(self, _: float | None) -> None:
        """The deadline decides."""

    def sendall(self, content: Any) -> None:
        left = memoryview(content)
        while left:
            self._inner.settimeout(self._deadline.left())
            left = left[self._inner.send(left) :]

    def makefile(self, _mode: str = "rb", *_: Any) -> io.BufferedReader:
        return io.BufferedReader(self.reader)

    def close(self) -> None:
        """The body may still be read: `exchange` closes the socket itself."""

    def shutdown(self, how: int) -> None:
        self._inner.shutdown(how)


class _Reader(io.RawIOBase):
    def __init__(self, inner: socket.socket, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline
        self._headers_left: int | None = _MOST_HEADERS

    def headers_done(self) -> None:
        self._headers_left = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._inner.settimeout(self._deadline.left())
        count = self._inner.recv_into(buffer)
        self._deadline.left()
        if self._headers_left is not None:
            if not count:  # the library would take half of the headers for all of them
                raise ConnectionAbortedError
            self._headers_left -= count
            if self._headers_left < 0:
                raise TooManyHeadersError
        return count


@contextmanager
def exchange(
    method: str,
    url: Url,
    headers: Mapping[str, str],
    body: bytes | None,
    *,
    deadline: Deadline,
    acts: bool,
    context: ssl.SSLContext | None,
) -> Iterator[HTTPResponse]:
    """Send the request and give its answer, with the body still to be read by `chunks`."""
    host = url.host or ""
    proxy = proxy_for(url, port_of(url))
    goal = url.request_uri
    first = proxy or url
    inner = dial(first.host or "", port_of(first), deadline)
    try:
        connection = _connection(url, deadline)
        if url.scheme == "https":
            if proxy:
                open_tunnel(inner, url, port_of(url), proxy, deadline.left)
            inner = secure(inner, host, deadline, context)
        elif proxy:
            goal, headers = url._replace(fragment=None).url, {**headers, **proxy_login(proxy)}
        timed = _Timed(inner, deadline)
        connection.sock = cast("socket.socket", timed)
        with _told(host, deadline, acts=acts):
            # A server that has heard enough may hang up early, with its answer on the way.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, goal, body, headers, preload_content=False)
            answer = connection.getresponse()
            timed.reader.headers_done()
        if answer.status < 200:
            raise unusable(f"{host} answered with {answer.status}, which nobody asked for.", acts=acts)
        encoding = answer.headers.get("Content-Encoding", "").strip().lower()
        if encoding not in _ENCODINGS and answer.status < 400:
            raise unusable(f"{host} answered in a form that was not asked for ({encoding[:40]}).", acts=acts)
        try:
            yield answer
        finally:
            answer.close()
    finally:
        inner.close()


def chunks(answer: HTTPResponse, host: str, deadline: Deadline, *, acts: bool) -> Iterator[bytes]:
    """The body, decompressed little by little."""
    while True:
        with _told(host, deadline, acts=acts):
            chunk = answer.read(64 * 1024, decode_content=True)
        if not chunk:
            return
        yield chunk


def _connection(url: Url, deadline: Deadline) -> HTTPConnection:
    """Writes requests and reads answers; the socket is ours."""
    kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
    return kind((url.host or "").strip("[]"), port_of(url), timeout=deadline.seconds)


@contextmanager
def _told(host: str, deadline: Deadline, *, acts: bool) -> Iterator[None]:
    """Whatever breaks after the first byte may have left."""
    try:
        yield
    except TooManyHeadersError as error:
        raise unusable(f"{host} sent more headers than are read.", acts=acts) from error
    except (OSError, HTTPException, HTTPError) as error:
        if type(error) is HTTPException:  # how the standard library says that there are more than a hundred
            raise unusable(f"{host} sent more headers than are read.", acts=acts) from error
        if _too_late(error):
            raise broken(
                f"{host} gave no whole answer within {round(deadline.seconds, 1):g} seconds.", acts=acts
            ) from error
        raise broken(f"The connection to {host} broke before its answer was there.", acts=acts) from error


def _too_late(error: BaseException | None) -> bool:
    """The library wraps what the socket raised."""
    while error is not None:
        if isinstance(error, TimeoutError):
            return True
        error = error.__cause__ or error.__context__
    return False
