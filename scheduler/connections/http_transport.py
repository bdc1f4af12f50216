"""One HTTP request over one connection, within its limits. Only this module and proxy know urllib3."""

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
from scheduler.connections.errors import logic_failure
from scheduler.connections.host_names import BadHostNameError, is_local_connection, is_local_name, to_wire
from scheduler.connections.http_errors import connection_lost, unusable_answer
from scheduler.connections.proxy import open_tunnel, proxy_auth_headers, proxy_for
from scheduler.connections.sockets import open_connection, start_tls
from scheduler.connections.transfer_limits import MIN_BYTES_PER_S, LimitedSocket, TooManyHeadersError, TransferLimit
from scheduler.user_text import UserText

_ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_AUTHORITY = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/\\?#]*@)?(?P<host>[^/\\?#:@]*)")

logging.getLogger("urllib3").setLevel(logging.ERROR)  # its warnings contain full addresses, which may contain secrets


def parse_http_url(text: str) -> Url:
    """Parse an http or https address and put its host name into wire form."""
    try:
        url = parse_url(_with_wire_name(text))
        if url.host:
            url = url._replace(host=to_wire(url.host))
    except BadHostNameError as error:
        raise logic_failure(error.sentence) from None
    except (LocationParseError, UnicodeError):  # their text quotes the address, which may contain a secret
        raise logic_failure(UserText("The address is not valid. Write it like https://example.org/path.")) from None
    if url.scheme not in _DEFAULT_PORTS:
        raise logic_failure(UserText("The address must start with https:// or http://."))
    if not url.host:
        raise logic_failure(UserText("The address has no server name. Write it like https://example.org/path."))
    return url


def _with_wire_name(text: str) -> str:
    """The address with its host name in ASCII, before urllib3 encodes it by other rules."""
    found = _AUTHORITY.match(text)
    if found is None or found["host"].isascii():
        return text
    return f"{text[: found.start('host')]}{to_wire(found['host'])}{text[found.end('host') :]}"


def effective_port(url: Url) -> int:
    return url.port or _DEFAULT_PORTS[url.scheme or ""]


@dataclass(frozen=True, slots=True)
class Exchange:
    """The answer to one request, and whether it came from this computer."""

    answer: HTTPResponse
    is_local: bool


@contextmanager
def exchange(  # noqa: PLR0913  keyword-only options
    method: str,
    url: Url,
    headers: Mapping[str, str],
    body: bytes | None,
    *,
    limit: TransferLimit,
    acts: bool,
    context: ssl.SSLContext | None,
    redirected_by: str = "",
) -> Iterator[Exchange]:
    """Send the request and yield its answer; read the body with `read_chunks`.

    `redirected_by` is the remote server that redirected here, if any: it may not redirect to this computer.
    """
    host = url.host or ""
    proxy = proxy_for(url, effective_port(url))
    target = url.request_uri
    first = proxy or url
    if redirected_by and is_local_name(host):
        raise _local_redirect_error(redirected_by)
    inner = open_connection(first.host or "", effective_port(first), limit)
    try:
        is_local = is_local_name(host) or (proxy is None and is_local_connection(inner))
        if redirected_by and is_local:
            raise _local_redirect_error(redirected_by)
        connection = _make_connection(url, limit)
        if url.scheme == "https":
            if proxy:
                open_tunnel(inner, url, effective_port(url), proxy, limit.left)
            inner = start_tls(inner, host, limit, context)
        elif proxy:
            target, headers = url._replace(fragment=None).url, {**headers, **proxy_auth_headers(proxy)}
        limited = LimitedSocket(inner, limit)
        connection.sock = cast("socket.socket", limited)
        with _converting_errors(host, limit, acts=acts):
            # A server may stop reading early and close the connection after it has sent its answer.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, target, body, headers, preload_content=False)
            limited.reader.skip_informational()
            answer = connection.getresponse()
            limited.reader.headers_done()
        if answer.status < 200:
            raise unusable_answer(
                UserText("{host} answered with an unexpected status ({status}).", host=host, status=answer.status),
                acts=acts,
            )
        try:
            yield Exchange(answer, is_local)
        finally:
            answer.close()
    finally:
        inner.close()


def has_supported_encoding(answer: HTTPResponse) -> bool:
    """Whether the body has an encoding that we asked for."""
    return answer.headers.get("Content-Encoding", "").strip().lower() in _ENCODINGS


def _local_redirect_error(redirected_by: str) -> ToolFailedError:
    return logic_failure(
        UserText("{redirected_by} redirects to this computer, which is not allowed.", redirected_by=redirected_by)
    )


def read_chunks(answer: HTTPResponse, host: str, limit: TransferLimit, *, acts: bool) -> Iterator[bytes]:
    """The body, decompressed piece by piece."""
    while True:
        with _converting_errors(host, limit, acts=acts):
            chunk = answer.read(64 * 1024, decode_content=True)
        if not chunk:
            return
        yield chunk


def read_pieces(answer: HTTPResponse, host: str, limit: TransferLimit) -> Iterator[bytes]:
    """The body as it comes, without waiting for more."""
    while True:
        with _converting_errors(host, limit, acts=False):
            piece = answer.read1(64 * 1024)
        if not piece:
            return
        yield piece


def _make_connection(url: Url, limit: TransferLimit) -> HTTPConnection:
    """Formats requests and parses answers; its socket is set by us."""
    kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
    return kind((url.host or "").strip("[]"), effective_port(url), timeout=limit.seconds)


@contextmanager
def _converting_errors(host: str, limit: TransferLimit, *, acts: bool) -> Iterator[None]:
    """Convert errors that occur once a byte may have been sent."""
    try:
        yield
    except TooManyHeadersError as error:
        raise unusable_answer(UserText("{host} sent too many headers.", host=host), acts=acts) from error
    except (OSError, HTTPException, HTTPError) as error:
        if type(error) is HTTPException:  # the standard library's error for more than 100 headers
            raise unusable_answer(UserText("{host} sent too many headers.", host=host), acts=acts) from error
        if _is_timeout(error):
            raise connection_lost(_describe_timeout(host, limit), acts=acts) from error
        raise connection_lost(
            UserText("The connection to {host} was lost before it answered.", host=host), acts=acts
        ) from error


def _describe_timeout(host: str, limit: TransferLimit) -> str:
    if limit.was_too_slow():
        return UserText(
            "The connection to {host} is too slow: less than {min_bytes_per_s} KB per second.",
            host=host,
            min_bytes_per_s=MIN_BYTES_PER_S // 1024,
        )
    return UserText(
        "{host} did not answer completely within {value} seconds.", host=host, value=f"{round(limit.seconds, 1):g}"
    )


def _is_timeout(error: BaseException | None) -> bool:
    """urllib3 wraps what the socket raised."""
    while error is not None:
        if isinstance(error, TimeoutError):
            return True
        error = error.__cause__ or error.__context__
    return False
