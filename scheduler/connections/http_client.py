"""HTTP requests to untrusted servers: limited in time and size, with credentials sent to their own host only."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.errors import logic_failure
from scheduler.connections.http_errors import (
    UNPROCESSED_REDIRECTS,
    ConnectionLostError,
    status_failure,
    unusable_answer,
)
from scheduler.connections.json_reader import JsonObject
from scheduler.connections.json_values import NOT_JSON, UnusableJsonError, read_json, read_storable_json
from scheduler.connections.safe_files import converting_disk_errors
from scheduler.connections.urls import join_url, split_url
from scheduler.file_system import sync_folder
from scheduler.user_text import UserText

if TYPE_CHECKING:
    import ssl

    from urllib3.response import HTTPResponse
    from urllib3.util import Url

    from scheduler.connections.transfer_limits import TransferLimit

_MAX_REFUSAL_BYTES = 64 * 1024
_REDIRECT_STATUSES = (301, 302, 303, 307, 308)

_DEFAULT_HEADERS = {"Accept-Encoding": "gzip", "Connection": "close", "User-Agent": "Dayhand"}
_FORBIDDEN_HEADERS = frozenset(
    {"connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"}
)
_SAFE_HEADERS = frozenset(
    {"accept", "accept-encoding", "accept-language", "connection", "content-type", "if-modified-since"}
    | {"if-none-match", "range", "user-agent"}
)
"""Headers that may be sent to another host; any other could be a credential."""
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A server's response, whatever its status."""

    status: int
    headers: Mapping[str, str]
    """Names are case-insensitive."""
    body: bytes = field(repr=False)
    """Decompressed. Empty if it was written to a file; only the beginning for statuses of 300 and more."""
    incomplete: ToolFailedError | None = None
    """Why the body of a successful action could not be read completely; the status is still valid."""
    url: str
    """The address after redirects."""
    acts: bool = False
    """Whether the request could change something."""

    @property
    def host(self) -> str:
        return _host(self.url)

    def json(self) -> Any:
        """The body as JSON; after an action, invalid JSON means that its outcome is unknown."""
        return self._read(read_json)

    def storable_json(self) -> Any:
        """The same with None in place of values that cannot be stored, such as infinite numbers."""
        return self._read(read_storable_json)

    def json_object(self) -> JsonObject:
        """The body as a JSON object; after an action, without values that cannot be stored."""
        return JsonObject(self.storable_json() if self.acts else self.json(), self.host, acts=self.acts)

    def _read(self, read: Callable[[bytes], Any]) -> Any:
        if self.incomplete:
            raise self.incomplete
        try:
            return read(self.body)
        except UnusableJsonError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: UnusableJsonError) -> ToolFailedError:
        if error.reason == NOT_JSON:
            return unusable_answer(
                UserText("{host} answered with something that is not JSON.", host=self.host), acts=self.acts
            )
        return unusable_answer(
            UserText(
                "{host} answered with JSON that cannot be used because it {reason}.",
                host=self.host,
                reason=error.reason,
            ),
            acts=self.acts,
        )


def request(  # noqa: PLR0913  keyword-only options
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    seconds: float,
    max_bytes: int = 10_000_000,
    acts: bool = False,
    max_redirects: int = 5,
    target: Path | None = None,
    context: "ssl.SSLContext | None" = None,
    limit: "TransferLimit | None" = None,
) -> Answer:
    """Send a request within the limits of transfer_limits; ToolFailedError only if no usable answer came.

    Any status counts as an answer: see `check`. `acts` means that the request may change something, so a failure after
    it was sent is UNSURE; a body that breaks off is reported in the answer's `incomplete`. Redirects to another host
    are followed without credentials, and no remote server can redirect to this computer. With `target`, the body of a
    success is written to that file, which is replaced atomically once complete. Several requests can share one `limit`.
    """
    from scheduler.connections.http_transport import exchange, parse_http_url  # noqa: PLC0415  as above
    from scheduler.connections.transfer_limits import TransferLimit  # noqa: PLC0415  slows the app's start

    limit = limit or TransferLimit(seconds, max_bytes + len(body or b""))
    place = parse_http_url(url)
    if place.auth:
        raise logic_failure(
            UserText("The address must not contain a user name or password. Enter them in the connection's own fields.")
        )
    sent = _add_default_headers(headers or {})
    can_change_host = method in ("GET", "HEAD")
    redirected_by = ""
    for _ in range(max_redirects + 1):
        with exchange(
            method, place, sent, body, limit=limit, acts=acts, context=context, redirected_by=redirected_by
        ) as found:
            answer = found.answer
            location = answer.headers.get("Location") if max_redirects and answer.status in _REDIRECT_STATUSES else None
            if location is None or not (can_change_host or answer.status in UNPROCESSED_REDIRECTS):
                body_read, incomplete = _read_body(answer, place, limit, max_bytes, acts=acts, target=target)
                return Answer(
                    status=answer.status,
                    headers=answer.headers,
                    body=body_read,
                    incomplete=incomplete,
                    url=place.url,
                    acts=acts,
                )
            redirected_by = "" if found.is_local else place.host or ""
            place, sent = _follow_redirect(place, location, sent, can_change_host=can_change_host)
    raise logic_failure(
        UserText("{host} redirected more than {max_redirects} times.", host=place.host, max_redirects=max_redirects)
    )


def check(answer: Answer, now: datetime, server_message: str = "") -> Answer:
    """Return the answer if it is a success, else raise ToolFailedError; `server_message` must be safe to show.

    A success that broke off is a failure: a server that fails half-way has already sent its status.
    """
    if isinstance(answer.incomplete, ConnectionLostError):
        raise answer.incomplete
    if 200 <= answer.status < 300:
        return answer
    raise status_failure(
        answer.status, answer.headers, answer.host, acts=answer.acts, now=now, server_message=server_message
    )


def _read_body(
    answer: "HTTPResponse", place: "Url", limit: "TransferLimit", most: int, *, acts: bool, target: Path | None
) -> tuple[bytes, ToolFailedError | None]:
    """The body of a success or the beginning of any other; for actions also why it is incomplete."""
    from scheduler.connections.http_transport import has_supported_encoding, read_chunks  # noqa: PLC0415  as above

    host = place.host or ""
    stream = read_chunks(answer, host, limit, acts=acts)
    if answer.status >= 300:
        return _read_beginning(stream), None
    if not has_supported_encoding(answer):
        encoding = answer.headers.get("Content-Encoding", "")[:40].lower()
        failure = unusable_answer(
            UserText("{host} answered with an unsupported encoding ({encoding}).", host=host, encoding=encoding),
            acts=acts,
        )
        if acts:
            return b"", failure
        raise failure
    stream = _limit_size(stream, host, most, acts=acts)
    if target is not None:
        _write_file(stream, target)
        return b"", None
    content = bytearray()
    try:
        for chunk in stream:
            content += chunk
    except ToolFailedError as error:
        if not acts:
            raise
        return bytes(content), error
    return bytes(content), None


def _read_beginning(stream: Iterator[bytes]) -> bytes:
    """Ignores errors: the status is already known."""
    content = b""
    try:
        for chunk in stream:
            content += chunk
            if len(content) > _MAX_REFUSAL_BYTES:
                break
    except ToolFailedError:
        pass
    return content[:_MAX_REFUSAL_BYTES]


def _limit_size(stream: Iterator[bytes], host: str, most: int, *, acts: bool) -> Iterator[bytes]:
    size = 0
    for chunk in stream:
        size += len(chunk)
        if size > most:
            raise unusable_answer(
                UserText(
                    "{host} answered with more than {size}, which is the limit.", host=host, size=_format_size(most)
                ),
                acts=acts,
            )
        yield chunk


def _format_size(size: int) -> str:
    for unit, name in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} bytes"


def _write_file(stream: Iterator[bytes], target: Path) -> None:
    """Write a temporary file, sync it and replace the target with it."""
    part = target.with_name(f".dayhand-part-{os.urandom(8).hex()}")
    with converting_disk_errors(target.name):
        try:
            with part.open("xb") as file:
                for chunk in stream:
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        sync_folder(target.parent)


def _follow_redirect(
    place: "Url", location: str, sent: dict[str, str], *, can_change_host: bool
) -> tuple["Url", dict[str, str]]:
    """The address to follow, and the headers that may be sent there."""
    from scheduler.connections.http_transport import effective_port, parse_http_url  # noqa: PLC0415  as above

    with suppress(UnicodeError):
        location = location.encode("latin-1").decode()
    joined = join_url(place.url, location)
    if not joined:
        raise logic_failure(UserText("{host} redirects to an invalid address.", host=place.host))
    if not joined.lower().startswith(("http://", "https://")):
        kind = joined.partition(":")[0][:20]
        raise logic_failure(
            UserText(
                "{host} redirects to an address that starts with {kind}:, which is not supported.",
                host=place.host,
                kind=kind,
            )
        )
    there = parse_http_url(joined)._replace(auth=None, fragment=None)
    here_port, there_port = effective_port(place), effective_port(there)
    is_upgrade = (place.scheme, here_port, there.scheme, there_port) == ("http", 80, "https", 443)
    if place.host == there.host and (is_upgrade or (place.scheme, here_port) == (there.scheme, there_port)):
        return there, sent
    if not can_change_host:
        raise logic_failure(
            UserText(
                "{host} redirects to {target}. If that is the right server, use its address in the connection.",
                host=place.host,
                target=there.host,
            )
        )
    safe = {name: value for name, value in sent.items() if name.lower() in _SAFE_HEADERS}
    if (place.scheme, there.scheme) == ("https", "http") and len(safe) < len(sent):
        raise logic_failure(
            UserText(
                "{host} redirects to {target} without encryption, so the login was not sent.",
                host=place.host,
                target=there.host,
            )
        )
    return there, safe


def _add_default_headers(given: Mapping[str, str]) -> dict[str, str]:
    """Validate the given headers and add our own; error messages never quote values, which may be secret."""
    for name, value in given.items():
        if not _HEADER_NAME.fullmatch(name) or name.lower() in _FORBIDDEN_HEADERS:
            raise logic_failure(UserText('"{name}" cannot be set as a header.', name=name))
        if not _HEADER_VALUE.fullmatch(value):
            raise logic_failure(UserText('The header "{name}" contains characters that cannot be sent.', name=name))
    names = {name.lower() for name in given}
    return {**{name: value for name, value in _DEFAULT_HEADERS.items() if name.lower() not in names}, **given}


def _host(url: str) -> str:
    return split_url(url).hostname or ""
