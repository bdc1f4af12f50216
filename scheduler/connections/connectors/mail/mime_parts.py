"""Splits a mail into texts and attachments, in time and memory linear in its size, however it is built."""

import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import Message
from itertools import islice
from typing import Any

from scheduler.connections.connectors.mail import headers

_MAX_PARTS = 1_000
_MAX_DEPTH = 20
MAX_TEXT_CHARS = 1_000_000
_MAX_HEADER_BYTES = 10_000
_MAX_REPEATED = 8
_HEAD = re.compile(rb"(?:(?:From |[!-9;-~]++:|[\t ])[^\r\n]*+(?:\r\n|\n|\r|\Z))*+")
_BREAK = re.compile(rb"\r\n|\n|\r|")
_CONTENT_HEADERS = rb"content-(?:type|disposition|transfer-encoding)"
_NOT_BASE64 = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))


@dataclass(frozen=True, slots=True, kw_only=True)
class MimePart:
    """One leaf of the MIME tree."""

    name: str
    kind: str
    content: bytes
    is_text: bool
    """Part of the body, not an attachment."""
    charset: str


def split_parts(content: bytes) -> list[MimePart]:
    """Texts and attachments in order. A mail inside a mail is one attachment, and so is anything nested too deeply."""
    found: list[MimePart] = []
    waiting, seen = [(content, "text/plain", 0)], 0
    while waiting and seen < _MAX_PARTS:
        raw, usual, depth = waiting.pop()
        seen += 1
        head, body = split_head(raw)
        about = _parse_only(head, _CONTENT_HEADERS)
        about.set_default_type(usual)
        subparts = _subparts(about, body) if depth < _MAX_DEPTH else []
        if subparts:
            usual = "message/rfc822" if about.get_content_subtype() == "digest" else "text/plain"
            waiting.extend((one, usual, depth + 1) for one in reversed(subparts))
        else:
            found.append(_part(about, body))
    return found


def split_head(raw: bytes) -> tuple[bytes, bytes]:
    """The headers, and the body: after an empty line, or from the first line that is not a header."""
    head = _HEAD.match(raw)
    assert head is not None
    return head[0], _without_break(raw[head.end() :])


def _without_break(text: bytes) -> bytes:
    """Remove a leading line break."""
    first = _BREAK.match(text)
    assert first is not None
    return text[first.end() :]


def _parse_only(head: bytes, names: bytes) -> Message:
    """Parse only those headers: a part may have a million others."""
    pattern = rb"(?:\A|[\r\n])((?i:" + names + rb"):[^\r\n]*+(?:(?:\r\n|\n|\r)[\t ][^\r\n]*+)*+)"
    return headers.parse(
        b"\r\n".join(one[1][:_MAX_HEADER_BYTES] for one in islice(re.finditer(pattern, head), _MAX_REPEATED))
    )


def _subparts(about: Message, body: bytes) -> list[bytes]:
    """The parts between the boundaries; none if it is not a multipart."""
    boundary = _header_value(about.get_boundary)
    if about.get_content_maintype() != "multipart" or not boundary:
        return []
    return list(islice(_between(body, boundary.encode(errors="replace")), _MAX_PARTS))


def _between(body: bytes, boundary: bytes) -> Iterator[bytes]:
    marker = rb"--" + re.escape(boundary)
    at_line_start = rb"(?<![^\r\n]" + marker + rb")"  # checked last, which makes the search fast
    start: int | None = None
    for line in re.finditer(marker + at_line_start + rb"(--)?[ \t]*+(?=[\r\n]|\Z)", body):
        if start is not None:
            yield _without_break(body[start : line.start()]).removesuffix(b"\n").removesuffix(b"\r")
        if line[1]:
            return
        start = line.end()
    if start is not None:
        yield _without_break(body[start:])


def _part(about: Message, body: bytes) -> MimePart:
    kind = about.get_content_type()
    content = _decoded(about, body)
    name = headers.decode_text(_header_value(about.get_filename))[:200]
    if kind == "message/rfc822" and not name:
        name = f"{headers.get_header(_parse_only(split_head(content)[0], b'subject'), 'subject') or 'message'}.eml"
    is_attached = _header_value(about.get_content_disposition).lower() == "attachment"
    return MimePart(
        name=name,
        kind=kind,
        content=content,
        is_text=kind in ("text/plain", "text/html") and not name and not is_attached,
        charset=_header_value(about.get_content_charset) or "utf-8",
    )


def _header_value(ask: Callable[[], object]) -> str:
    """The value of a header; empty if it cannot be parsed."""
    try:
        return str(ask() or "")
    except (LookupError, ValueError):
        return ""


def _decoded(about: Message, body: bytes) -> bytes:
    """Undo the transfer encoding."""
    match headers.get_header(about, "content-transfer-encoding").lower():
        case "base64":
            return _from_base64(body)
        case "quoted-printable":
            return binascii.a2b_qp(body)
    return body


def _from_base64(body: bytes) -> bytes:
    try:
        return binascii.a2b_base64(body)
    except binascii.Error:  # the padding is missing
        letters = body.translate(None, _NOT_BASE64)
        return binascii.a2b_base64(letters[: len(letters) // 4 * 4] + _padded_end(letters))


def _padded_end(letters: bytes) -> bytes:
    rest = letters[len(letters) // 4 * 4 :]
    return rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""


def body_text(found: list[MimePart], kind: str) -> tuple[str, bool]:
    """All text of that kind, and whether it was truncated."""
    texts = [headers.decode_bytes(part.content, part.charset) for part in found if part.is_text and part.kind == kind]
    text = "\n".join(texts).replace("\r\n", "\n").replace("\0", "")
    return text[:MAX_TEXT_CHARS], len(text) > MAX_TEXT_CHARS


def find_attachments(found: list[MimePart]) -> list[MimePart]:
    """The parts that are not body text and have content or a name."""
    return [part for part in found if not part.is_text and (part.content or part.name)]


def describe_attachments(found: list[MimePart]) -> list[dict[str, Any]]:
    return [
        {"number": number, "name": part.name, "type": part.kind, "size": len(part.content)}
        for number, part in enumerate(find_attachments(found), 1)
    ]
