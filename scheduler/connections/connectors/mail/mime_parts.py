"""A mail taken apart into its texts and attachments, in time and memory that follow its size, however it is built."""

import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import Message
from itertools import islice
from typing import Any

from scheduler.connections.connectors.mail import reading

_MOST_PARTS = 1_000
_DEEPEST = 20
LONGEST_TEXT = 1_000_000
_LONGEST_HEADER = 10_000
_MOST_ALIKE = 8
_HEAD = re.compile(rb"(?:(?:From |[!-9;-~]++:|[\t ])[^\r\n]*+(?:\r\n|\n|\r|\Z))*+")
_BREAK = re.compile(rb"\r\n|\n|\r|")
_ABOUT = rb"content-(?:type|disposition|transfer-encoding)"
_NOT_BASE64 = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One leaf of a mail."""

    name: str
    kind: str
    content: bytes
    is_text: bool
    """Shown as the body of the mail, not attached to it."""
    charset: str


def take_apart(content: bytes) -> list[Part]:
    """Texts and attachments in order. A mail inside a mail is one attachment, and so is what is nested too deep."""
    found: list[Part] = []
    waiting, seen = [(content, "text/plain", 0)], 0
    while waiting and seen < _MOST_PARTS:
        raw, usual, depth = waiting.pop()
        seen += 1
        head, body = split(raw)
        about = _pick(head, _ABOUT)
        about.set_default_type(usual)
        inside = _inside(about, body) if depth < _DEEPEST else []
        if inside:
            usual = "message/rfc822" if about.get_content_subtype() == "digest" else "text/plain"
            waiting.extend((one, usual, depth + 1) for one in reversed(inside))
        else:
            found.append(_part(about, body))
    return found


def split(raw: bytes) -> tuple[bytes, bytes]:
    """The headers, and what follows them: after an empty line, or from the first line on that is no header."""
    head = _HEAD.match(raw)
    assert head is not None
    return head[0], _without_break(raw[head.end() :])


def _without_break(text: bytes) -> bytes:
    """Without the end of a line with which it begins."""
    first = _BREAK.match(text)
    assert first is not None
    return text[first.end() :]


def _pick(head: bytes, names: bytes) -> Message:
    """Only those headers: a part may have a million that nobody reads."""
    wanted = rb"(?:\A|[\r\n])((?i:" + names + rb"):[^\r\n]*+(?:(?:\r\n|\n|\r)[\t ][^\r\n]*+)*+)"
    return reading.parse(
        b"\r\n".join(one[1][:_LONGEST_HEADER] for one in islice(re.finditer(wanted, head), _MOST_ALIKE))
    )


def _inside(about: Message, body: bytes) -> list[bytes]:
    """What lies between the borders of a mail of several parts; nothing if it is none."""
    border = _told(about.get_boundary)
    if about.get_content_maintype() != "multipart" or not border:
        return []
    return list(islice(_between(body, border.encode(errors="replace")), _MOST_PARTS))


def _between(body: bytes, border: bytes) -> Iterator[bytes]:
    itself = rb"--" + re.escape(border)
    at_the_beginning_of_a_line = (
        rb"(?<![^\r\n]" + itself + rb")"
    )  # looked at last: what is searched for first is found fast
    start: int | None = None
    for line in re.finditer(itself + at_the_beginning_of_a_line + rb"(--)?[ \t]*+(?=[\r\n]|\Z)", body):
        if start is not None:
            yield _without_break(body[start : line.start()]).removesuffix(b"\n").removesuffix(b"\r")
        if line[1]:
            return
        start = line.end()
    if start is not None:
        yield _without_break(body[start:])


def _part(about: Message, body: bytes) -> Part:
    kind = about.get_content_type()
    content = _decoded(about, body)
    name = reading.plain(_told(about.get_filename))[:200]
    if kind == "message/rfc822" and not name:
        name = f"{reading.header(_pick(split(content)[0], b'subject'), 'subject') or 'message'}.eml"
    is_attached = _told(about.get_content_disposition).lower() == "attachment"
    return Part(
        name=name,
        kind=kind,
        content=content,
        is_text=kind in ("text/plain", "text/html") and not name and not is_attached,
        charset=_told(about.get_content_charset) or "utf-8",
    )


def _told(ask: Callable[[], object]) -> str:
    """What a header says; nothing where it makes no sense."""
    try:
        return str(ask() or "")
    except (LookupError, ValueError):
        return ""


def _decoded(about: Message, body: bytes) -> bytes:
    """Without what protected it on its way."""
    match reading.header(about, "content-transfer-encoding").lower():
        case "base64":
            return _from_base64(body)
        case "quoted-printable":
            return binascii.a2b_qp(body)
    return body


def _from_base64(body: bytes) -> bytes:
    try:
        return binascii.a2b_base64(body)
    except binascii.Error:  # the end is missing, or was never there
        letters = body.translate(None, _NOT_BASE64)
        return binascii.a2b_base64(letters[: len(letters) // 4 * 4] + _last(letters))


def _last(letters: bytes) -> bytes:
    rest = letters[len(letters) // 4 * 4 :]
    return rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""


def text_of(found: list[Part], kind: str) -> tuple[str, bool]:
    """All text of that kind, and whether the end of it was left out."""
    texts = [reading.decode(part.content, part.charset) for part in found if part.is_text and part.kind == kind]
    text = "\n".join(texts).replace("\r\n", "\n").replace("\0", "")
    return text[:LONGEST_TEXT], len(text) > LONGEST_TEXT


def attached(found: list[Part]) -> list[Part]:
    """What is no text of the mail itself and has any content or a name."""
    return [part for part in found if not part.is_text and (part.content or part.name)]


def tell_attachments(found: list[Part]) -> list[dict[str, Any]]:
    return [
        {"number": number, "name": part.name, "type": part.kind, "size": len(part.content)}
        for number, part in enumerate(attached(found), 1)
    ]
