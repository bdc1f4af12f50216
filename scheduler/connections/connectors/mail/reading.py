"""Mails as people sent them: headers in any encoding, MIME that is broken. Nothing is refused for being odd."""

import binascii
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from email.utils import getaddresses, parsedate_to_datetime
from typing import Any

_LONGEST_HEADER = 10_000
_MOST_HEADERS = 200
_MOST_PARTS = 1_000
LONGEST_TEXT = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One leaf of a mail."""

    name: str
    kind: str
    content: bytes
    is_text: bool
    """Shown as the body of the mail, not attached to it."""
    charset: str


def parse(content: bytes, *, headers_only: bool = False) -> Message:
    """Never refuses anything: lines that are no headers begin the body, and what is nested too deep stays in one."""
    reader = BytesParser(policy=compat32)
    try:
        return reader.parsebytes(content, headersonly=headers_only)
    except RecursionError:
        return reader.parsebytes(content, headersonly=True)


def header(mail: Message, name: str) -> str:
    """The first header of that name in plain text, or nothing."""
    return next((value for key, value in _raw_headers(mail) if key == name.lower()), "")


def headers(mail: Message) -> dict[str, str]:
    """By name in small letters; what comes several times is joined by lines."""
    found: dict[str, str] = {}
    for number, (name, value) in enumerate(_raw_headers(mail)):
        if number >= _MOST_HEADERS:
            break
        found[name] = f"{found[name]}\n{value}" if name in found else value
    return found


def _raw_headers(mail: Message) -> Iterator[tuple[str, str]]:
    for name, value in mail.raw_items():
        yield _clean(str(name)).lower(), _plain(str(value))


def _plain(raw: str) -> str:
    """Encoded words decoded; bytes that were not allowed there as UTF-8, or else as Latin 1."""
    text = _without_escapes(raw[:_LONGEST_HEADER])
    try:
        parts = decode_header(text)
    except (HeaderParseError, binascii.Error, ValueError):
        return _clean(text)
    return _clean("".join(_decode(part, charset) if isinstance(part, bytes) else part for part, charset in parts))


def _without_escapes(raw: str) -> str:
    """The parser keeps bytes beyond ASCII as lone surrogates."""
    content = raw.encode("utf-8", "surrogateescape")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _decode(content: bytes, charset: str | None) -> str:
    try:
        return content.decode(charset or "utf-8", "replace")
    except (LookupError, ValueError):
        return content.decode("utf-8", "replace")


def _clean(text: str) -> str:
    """One line of characters that JSON and a screen can take."""
    kept = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(kept.split())


def people(mail: Message, name: str) -> list[tuple[str, str]]:
    """Names and addresses of a header. Names are decoded after they were told from addresses, never before."""
    raw = [_without_escapes(str(value)[:_LONGEST_HEADER]) for key, value in mail.raw_items() if key.lower() == name]
    return [(_plain(shown), _clean(address)) for shown, address in getaddresses(raw) if shown or address]


def write_person(name: str, address: str) -> str:
    return f"{name} <{address}>" if name and address else address or name


def sent_at(mail: Message, fallback: str = "") -> str | None:
    """When it says that it was written, or else when it came, as ISO 8601 in UTC."""
    for text in (header(mail, "date"), fallback):
        try:
            date = parsedate_to_datetime(text)
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
        except (ValueError, OverflowError, TypeError):
            continue
    return None


def arrived(internal: str) -> str:
    """The date of the server, "04-May-2026 09:00:00 +0000", as mails write dates."""
    try:
        return datetime.strptime(internal.strip(), "%d-%b-%Y %H:%M:%S %z").strftime("%a, %d %b %Y %H:%M:%S %z")
    except ValueError:
        return ""


def identity(mail: Message, raw: bytes) -> str:
    """Its Message-ID; for a mail without one a name made of its headers, the same wherever it lies."""
    given = header(mail, "message-id")[:500]
    return given or f"<{hashlib.sha256(raw.strip()).hexdigest()[:32]}@no-message-id.invalid>"


def parts(mail: Message) -> list[Part]:
    """Texts and attachments in order. A mail inside a mail is one attachment."""
    return [_part(one) for one in _leaves(mail)]


def _leaves(mail: Message) -> Iterator[Message]:
    waiting, seen = [mail], 0
    while waiting and seen < _MOST_PARTS:
        one = waiting.pop()
        seen += 1
        inside = one.get_payload()
        if isinstance(inside, list) and one.get_content_maintype() != "message":
            waiting.extend(inner for inner in reversed(inside) if isinstance(inner, Message))
        else:
            yield one


def _part(one: Message) -> Part:
    kind = one.get_content_type()
    if one.get_content_maintype() == "message" and one.is_multipart():
        inside = one.get_payload(0)
        content = inside.as_bytes() if isinstance(inside, Message) else b""
        name = _file_name(one) or f"{header(inside, 'subject') or 'message'}.eml" if isinstance(inside, Message) else ""
    else:
        decoded = one.get_payload(decode=True)
        content = decoded if isinstance(decoded, bytes) else b""
        name = _file_name(one)
    is_attached = (one.get_content_disposition() or "").lower() == "attachment"
    return Part(
        name=name,
        kind=kind,
        content=content,
        is_text=kind in ("text/plain", "text/html") and not name and not is_attached,
        charset=_charset(one),
    )


def _file_name(one: Message) -> str:
    try:
        return _plain(str(one.get_filename() or ""))[:200]
    except (LookupError, ValueError):
        return ""


def _charset(one: Message) -> str:
    try:
        return str(one.get_content_charset() or "utf-8")
    except (LookupError, ValueError):
        return "utf-8"


def text_of(found: list[Part], kind: str) -> tuple[str, bool]:
    """All text of that kind, and whether the end of it was left out."""
    texts = [_decode(part.content, part.charset) for part in found if part.is_text and part.kind == kind]
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
