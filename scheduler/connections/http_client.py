"""Requests to servers that may be slow, wrong or hostile: bounded in time and size, credentials kept to their host."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scheduler.connections.addresses import join, parts_of
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.disk import explained, sync_folder
from scheduler.connections.json_values import NOT_JSON, UnusableJsonError, read_json, read_what_can_be_kept
from scheduler.connections.mistakes import wrong
from scheduler.connections.told import Told
from scheduler.connections.web_errors import NOT_DONE, BrokenError, refusal, unusable

if TYPE_CHECKING:
    import ssl

    from urllib3.response import HTTPResponse
    from urllib3.util import Url

    from scheduler.connections.transfer_limits import TransferLimit

_MOST_OF_A_REFUSAL = 64 * 1024
_REDIRECTS = (301, 302, 303, 307, 308)

_OURS = {"Accept-Encoding": "gzip", "Connection": "close", "User-Agent": "Dayhand"}
_FRAMING = frozenset({"connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"})
_HARMLESS = frozenset(
    {"accept", "accept-encoding", "accept-language", "connection", "content-type", "if-modified-since"}
    | {"if-none-match", "range", "user-agent"}
)
"""Headers that another host may see: whatever else there is could be a credential."""
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a server answered, whatever the status."""

    status: int
    headers: Mapping[str, str]
    """Upper and lower case are the same."""
    body: bytes = field(repr=False)
    """Decompressed; empty if it went into a file. Of a refusal only the beginning."""
    incomplete: ToolFailedError | None = None
    """Why the body of a successful action could not be read whole; the status says what it says all the same."""
    url: str
    """Where the answer came from in the end."""
    acts: bool = False
    """Whether the request may have changed something."""

    @property
    def host(self) -> str:
        return _host(self.url)

    def json(self) -> Any:
        """The JSON value in the body; after an action, one that cannot be read leaves open whether it happened."""
        return self._read(read_json)

    def kept_json(self) -> Any:
        """The same with None in place of what cannot be kept, such as numbers without end."""
        return self._read(read_what_can_be_kept)

    def told(self) -> Told:
        """The same, where only an object can be used. What an action answered is used as far as it can be kept."""
        return Told(self.kept_json() if self.acts else self.json(), self.host, acts=self.acts)

    def _read(self, read: Callable[[bytes], Any]) -> Any:
        if self.incomplete:
            raise self.incomplete
        try:
            return read(self.body)
        except UnusableJsonError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: UnusableJsonError) -> ToolFailedError:
        if error.reason == NOT_JSON:
            return unusable(f"{self.host} answered with something that is not JSON.", acts=self.acts)
        return unusable(
            f"{self.host} answered with JSON that cannot be used because it {error.reason}.", acts=self.acts
        )


def request(  # noqa: PLR0913  one door for all that can differ
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    seconds: float,
    most: int = 10_000_000,
    acts: bool = False,
    follow: int = 5,
    target: Path | None = None,
    context: "ssl.SSLContext | None" = None,
    limit: "TransferLimit | None" = None,
) -> Answer:
    """Ask a server, with the limits of transfer_limits; raises ToolFailedError only if no usable answer came.

    A status of 400 or more is an answer too: see `check`. `acts` says that the request may change something, so that
    what breaks after it was sent is unsure; only a body that breaks off is told in the answer, beside the status. What
    comes from a redirect to another host was asked without credentials, and no server elsewhere can send us to this
    computer. A success goes into `target` if one is given, which is replaced in one step when the body is whole. One
    `limit` may hold for several requests together.
    """
    from scheduler.connections.transfer_limits import TransferLimit  # noqa: PLC0415  costs the start of the app
    from scheduler.connections.wire import exchange, read_url  # noqa: PLC0415  as above

    limit = limit or TransferLimit(seconds, most + len(body or b""))
    place = read_url(url)
    if place.auth:
        raise wrong("A user or password in an address would be shown. Write them in the fields of the connection.")
    sent = _with_ours(headers or {})
    may_leave = method in ("GET", "HEAD")
    sent_by = ""
    for _ in range(follow + 1):
        with exchange(method, place, sent, body, limit=limit, acts=acts, context=context, sent_by=sent_by) as found:
            answer = found.answer
            goal = answer.headers.get("Location") if follow and answer.status in _REDIRECTS else None
            if goal is None or not (may_leave or answer.status in NOT_DONE):
                body_read, incomplete = _take(answer, place, limit, most, acts=acts, target=target)
                return Answer(
                    status=answer.status,
                    headers=answer.headers,
                    body=body_read,
                    incomplete=incomplete,
                    url=place.url,
                    acts=acts,
                )
            sent_by = "" if found.is_local else place.host or ""
            place, sent = _onwards(place, goal, sent, may_leave=may_leave)
    raise wrong(f"{place.host} sends us from one address to the next, more than {follow} times.")


def check(answer: Answer, now: datetime, said: str = "") -> Answer:
    """The same answer if it is a success, else ToolFailedError; `said` is what the server said, fit to be shown.

    A success that broke off is none: a server that fails half-way can do nothing else, as its status is out by then.
    """
    if isinstance(answer.incomplete, BrokenError):
        raise answer.incomplete
    if 200 <= answer.status < 300:
        return answer
    raise refusal(answer.status, answer.headers, answer.host, acts=answer.acts, now=now, said=said)


def _take(
    answer: "HTTPResponse", place: "Url", limit: "TransferLimit", most: int, *, acts: bool, target: Path | None
) -> tuple[bytes, ToolFailedError | None]:
    """The body of a success, or the beginning of what was said about a refusal; for an action also why it is cut."""
    from scheduler.connections.wire import chunks, is_readable  # noqa: PLC0415  as above

    host = place.host or ""
    arriving = chunks(answer, host, limit, acts=acts)
    if answer.status >= 300:
        return _beginning(arriving), None
    if not is_readable(answer):
        encoding = answer.headers.get("Content-Encoding", "")[:40].lower()
        failure = unusable(f"{host} answered in a form that was not asked for ({encoding}).", acts=acts)
        if acts:
            return b"", failure
        raise failure
    arriving = _bounded(arriving, host, most, acts=acts)
    if target is not None:
        _keep(arriving, target)
        return b"", None
    content = bytearray()
    try:
        for chunk in arriving:
            content += chunk
    except ToolFailedError as error:
        if not acts:
            raise
        return bytes(content), error
    return bytes(content), None


def _beginning(arriving: Iterator[bytes]) -> bytes:
    """The status is known, so what breaks now changes nothing."""
    content = b""
    try:
        for chunk in arriving:
            content += chunk
            if len(content) > _MOST_OF_A_REFUSAL:
                break
    except ToolFailedError:
        pass
    return content[:_MOST_OF_A_REFUSAL]


def _bounded(arriving: Iterator[bytes], host: str, most: int, *, acts: bool) -> Iterator[bytes]:
    size = 0
    for chunk in arriving:
        size += len(chunk)
        if size > most:
            raise unusable(f"{host} answered with more than {_words(most)}, the most that is taken.", acts=acts)
        yield chunk


def _words(size: int) -> str:
    for unit, name in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} bytes"


def _keep(arriving: Iterator[bytes], target: Path) -> None:
    """Write beside the target, down to the disk, and take its place when all is there."""
    part = target.with_name(f".dayhand-part-{os.urandom(8).hex()}")
    with explained(target.name):
        try:
            with part.open("xb") as file:
                for chunk in arriving:
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        sync_folder(target.parent)


def _onwards(place: "Url", goal: str, sent: dict[str, str], *, may_leave: bool) -> tuple["Url", dict[str, str]]:
    """Where a redirect leads, and the headers that may be seen there."""
    from scheduler.connections.wire import port_of, read_url  # noqa: PLC0415  as above

    with suppress(UnicodeError):
        goal = goal.encode("latin-1").decode()
    joined = join(place.url, goal)
    if not joined:
        raise wrong(f"{place.host} sends us on to an address that cannot be read.")
    if not joined.lower().startswith(("http://", "https://")):
        kind = joined.partition(":")[0][:20]
        raise wrong(f"{place.host} sends us on to an address that starts with {kind}:, which is not followed.")
    there = read_url(joined)._replace(auth=None, fragment=None)
    here_port, there_port = port_of(place), port_of(there)
    safer = (place.scheme, here_port, there.scheme, there_port) == ("http", 80, "https", 443)
    if place.host == there.host and (safer or (place.scheme, here_port) == (there.scheme, there_port)):
        return there, sent
    if not may_leave:
        raise wrong(f"{place.host} sends us on to {there.host}. Connect to that address if it is the right one.")
    harmless = {name: value for name, value in sent.items() if name.lower() in _HARMLESS}
    if (place.scheme, there.scheme) == ("https", "http") and len(harmless) < len(sent):
        raise wrong(f"{place.host} sends us on to {there.host} without encryption, where a login may not be sent.")
    return there, harmless


def _with_ours(given: Mapping[str, str]) -> dict[str, str]:
    """What is given, without anything that could be read as more than one header; values are never quoted."""
    for name, value in given.items():
        if not _HEADER.fullmatch(name) or name.lower() in _FRAMING:
            raise wrong(f'"{name}" cannot be set as a header.')
        if not _VALUE.fullmatch(value):
            raise wrong(f'The value of the header "{name}" holds characters that cannot be sent.')
    names = {name.lower() for name in given}
    return {**{name: value for name, value in _OURS.items() if name.lower() not in names}, **given}


def _host(url: str) -> str:
    return parts_of(url).hostname or ""
