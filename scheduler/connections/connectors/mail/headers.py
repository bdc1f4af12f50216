"""Headers of mails as people sent them, in any encoding. Nothing is refused for being odd."""

import binascii
import hashlib
from datetime import UTC, datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import compat32
from email.utils import getaddresses, parsedate_to_datetime
from itertools import islice

from scheduler.connections import charsets

_LONGEST_HEADER = 10_000
_MOST_HEADERS = 200
_LARGEST_HEAD = 64 * 1024


def parse(head: bytes) -> Message:
    """The headers of a mail or of a part; lines that are none are left out, and so is what nobody would write."""
    return BytesHeaderParser(policy=compat32).parsebytes(head[:_LARGEST_HEAD])


def header(mail: Message, name: str) -> str:
    """The first header of that name in plain text, or nothing."""
    return next((plain(str(value)) for key, value in mail.raw_items() if key.lower() == name), "")


def headers(mail: Message) -> dict[str, str]:
    """By name in small letters; what comes several times is joined by lines."""
    found: dict[str, str] = {}
    for key, raw in islice(mail.raw_items(), _MOST_HEADERS):
        name, value = _clean(str(key)).lower(), plain(str(raw))
        found[name] = f"{found[name]}\n{value}" if name in found else value
    return found


def plain(raw: str) -> str:
    """Encoded words decoded; bytes that were not allowed there as UTF-8, or else as Latin 1."""
    text = _without_escapes(raw[:_LONGEST_HEADER])
    try:
        parts = decode_header(text)
    except (HeaderParseError, binascii.Error, ValueError):
        return _clean(text)
    return _clean("".join(decode(part, charset) if isinstance(part, bytes) else part for part, charset in parts))


def _without_escapes(raw: str) -> str:
    """The parser keeps bytes beyond ASCII as lone surrogates."""
    content = raw.encode("utf-8", "surrogateescape")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def decode(content: bytes, charset: str | None) -> str:
    try:
        return charsets.decode(content, charset or "utf-8", "replace")
    except (LookupError, ValueError):
        return content.decode("utf-8", "replace")


def _clean(text: str) -> str:
    """One line of characters that JSON and a screen can take."""
    kept = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(kept.split())


def people(mail: Message, name: str) -> list[tuple[str, str]]:
    """Names and addresses of a header. Names are decoded after they were told from addresses, never before."""
    raw = [_without_escapes(str(value)[:_LONGEST_HEADER]) for key, value in mail.raw_items() if key.lower() == name]
    try:
        found = [person for person in getaddresses(raw) if any(person)]
    except RecursionError:  # brackets inside brackets without an end
        found = []
    # Some Pythons understand nothing of a header that is not quite right: then it is a name, and no address.
    found = found or [(text, "") for text in (" ".join(raw).strip(),) if text]
    return [(plain(shown), _clean(address)) for shown, address in found]


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
