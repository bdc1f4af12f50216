"""One request over one connection, within its limits. The only file that knows urllib3."""

import logging
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from typing import cast

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, LocationParseError
from urllib3.response import HTTPResponse
from urllib3.util import Url, parse_url

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.dialling import dial, secure
from scheduler.connections.host_names import BadHostNameError, to_wire
from scheduler.connections.limited_socket import LimitedSocket, TooManyHeadersError
from scheduler.connections.mistakes import wrong
from scheduler.connections.proxy import open_tunnel, proxy_for, proxy_login
from scheduler.connections.this_computer import is_local_connection, is_local_name
from scheduler.connections.transfer_limits import MIN_BYTES_PER_S, TransferLimit
from scheduler.connections.web_errors import broken, unusable

_ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")
_PORTS = {"http": 80, "https": 443}
_AUTHORITY = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/\\?#]*@)?(?P<host>[^/\\?#:@]*)")

logging.getLogger("urllib3").setLevel(logging.ERROR)  # its warnings hold whole addresses, which may hold secrets


def read_url(text: str) -> Url:
    """The address as servers want it, with the name that goes over the wire; refused unless it is http or https."""
    try:
        url = parse_url(_with_wire_name(text))
        if url.host:
            url = url._replace(host=to_wire(url.host))
    except BadHostNameError as error:
        raise wrong(error.sentence) from None
    except (LocationParseError, UnicodeError):  # they quote the address, which may hold a secret
        raise wrong("The address of the server cannot be read. Write it as in https://example.org/path.") from None
    if url.scheme not in _PORTS:
        raise wrong(f"Only addresses with http and https are asked, not {url.scheme or 'one without either'}.")
    if not url.host:
        raise wrong("The address names no server. Write it as in https://example.org/path.")
    return url


def _with_wire_name(text: str) -> str:
    """The same address with its server's name in ASCII, before a library reads it by rules of its own."""
    found = _AUTHORITY.match(text)
    if found is None or found["host"].isascii():
        return text
    return f"{text[: found.start('host')]}{to_wire(found['host'])}{text[found.end('host') :]}"


def port_of(url: Url) -> int:
    return url.port or _PORTS[url.scheme or ""]


@dataclass(frozen=True, slots=True)
class Exchange:
    """The answer to one request, and whether this computer gave it."""

    answer: HTTPResponse
    is_local: bool


@contextmanager
def exchange(  # noqa: PLR0913  one door for all that can differ
    method: str,
    url: Url,
    headers: Mapping[str, str],
    body: bytes | None,
    *,
    limit: TransferLimit,
    acts: bool,
    context: ssl.SSLContext | None,
    sent_by: str = "",
) -> Iterator[Exchange]:
    """Send the request and give its answer, with the body still to be read by `chunks`.

    `sent_by` is the server elsewhere that sent us to this address: then it may not be one of this computer.
    """
    host = url.host or ""
    proxy = proxy_for(url, port_of(url))
    goal = url.request_uri
    first = proxy or url
    if sent_by and is_local_name(host):
        raise _not_here(sent_by)
    inner = dial(first.host or "", port_of(first), limit)
    try:
        is_local = is_local_name(host) or (proxy is None and is_local_connection(inner))
        if sent_by and is_local:
            raise _not_here(sent_by)
        connection = _connection(url, limit)
        if url.scheme == "https":
            if proxy:
                open_tunnel(inner, url, port_of(url), proxy, limit.left)
            inner = secure(inner, host, limit, context)
        elif proxy:
            goal, headers = url._replace(fragment=None).url, {**headers, **proxy_login(proxy)}
        limited = LimitedSocket(inner, limit)
        connection.sock = cast("socket.socket", limited)
        with _told(host, limit, acts=acts):
            # A server that has heard enough may hang up early, with its answer on the way.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, goal, body, headers, preload_content=False)
            limited.reader.skip_informational()
            answer = connection.getresponse()
            limited.reader.headers_done()
        if answer.status < 200:
            raise unusable(f"{host} answered with {answer.status}, which nobody asked for.", acts=acts)
        try:
            yield Exchange(answer, is_local)
        finally:
            answer.close()
    finally:
        inner.close()


def is_readable(answer: HTTPResponse) -> bool:
    """Whether the body comes in a form that was asked for."""
    return answer.headers.get("Content-Encoding", "").strip().lower() in _ENCODINGS


def _not_here(sent_by: str) -> ToolFailedError:
    return wrong(f"{sent_by} redirects to this computer, which is not allowed.")


def chunks(answer: HTTPResponse, host: str, limit: TransferLimit, *, acts: bool) -> Iterator[bytes]:
    """The body, decompressed little by little."""
    while True:
        with _told(host, limit, acts=acts):
            chunk = answer.read(64 * 1024, decode_content=True)
        if not chunk:
            return
        yield chunk


def _connection(url: Url, limit: TransferLimit) -> HTTPConnection:
    """Writes requests and reads answers; the socket is ours."""
    kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
    return kind((url.host or "").strip("[]"), port_of(url), timeout=limit.seconds)


@contextmanager
def _told(host: str, limit: TransferLimit, *, acts: bool) -> Iterator[None]:
    """Whatever breaks after the first byte may have left."""
    try:
        yield
    except TooManyHeadersError as error:
        raise unusable(f"{host} sent more headers than are read.", acts=acts) from error
    except (OSError, HTTPException, HTTPError) as error:
        if type(error) is HTTPException:  # how the standard library says that there are more than a hundred
            raise unusable(f"{host} sent more headers than are read.", acts=acts) from error
        if _too_late(error):
            raise broken(_say_too_late(host, limit), acts=acts) from error
        raise broken(f"The connection to {host} broke before its answer was there.", acts=acts) from error


def _say_too_late(host: str, limit: TransferLimit) -> str:
    if limit.was_too_slow():
        return f"The connection to {host} is too slow: less than {MIN_BYTES_PER_S // 1024} KB a second."
    return f"{host} gave no whole answer within {round(limit.seconds, 1):g} seconds."


def _too_late(error: BaseException | None) -> bool:
    """The library wraps what the socket raised."""
    while error is not None:
        if isinstance(error, TimeoutError):
            return True
        error = error.__cause__ or error.__context__
    return False
