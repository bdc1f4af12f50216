"""Reading mail headers in any encoding. Malformed headers are tolerated."""

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

_MAX_HEADER_CHARS = 10_000
_MAX_HEADERS = 200
_MAX_HEAD_BYTES = 64 * 1024


def parse(head: bytes) -> Message:
    """Parse the headers of a mail or part; malformed lines and everything past 64 KB are dropped."""
    return BytesHeaderParser(policy=compat32).parsebytes(head[:_MAX_HEAD_BYTES])


def get_header(mail: Message, name: str) -> str:
    """The first header of that name as plain text, or an empty text."""
    return next((decode_text(str(value)) for key, value in mail.raw_items() if key.lower() == name), "")


def all_headers(mail: Message) -> dict[str, str]:
    """All headers by lower-case name; repeated ones are joined with newlines."""
    found: dict[str, str] = {}
    for key, raw in islice(mail.raw_items(), _MAX_HEADERS):
        name, value = _clean(str(key)).lower(), decode_text(str(raw))
        found[name] = f"{found[name]}\n{value}" if name in found else value
    return found


def decode_text(raw: str) -> str:
    """Decode encoded words; raw bytes are read as UTF-8, or else as Latin-1."""
    text = _without_surrogates(raw[:_MAX_HEADER_CHARS])
    try:
        parts = decode_header(text)
    except (HeaderParseError, binascii.Error, ValueError):
        return _clean(text)
    return _clean("".join(decode_bytes(part, charset) if isinstance(part, bytes) else part for part, charset in parts))


def _without_surrogates(raw: str) -> str:
    """The parser keeps non-ASCII bytes as lone surrogates."""
    content = raw.encode("utf-8", "surrogateescape")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def decode_bytes(content: bytes, charset: str | None) -> str:
    try:
        return charsets.decode(content, charset or "utf-8", "replace")
    except (LookupError, ValueError):
        return content.decode("utf-8", "replace")


def _clean(text: str) -> str:
    """One line of printable characters."""
    kept = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(kept.split())


def parse_addresses(mail: Message, name: str) -> list[tuple[str, str]]:
    """Names and addresses in a header. Names are decoded only after they were separated from the addresses."""
    raw = [
        _without_surrogates(str(value)[:_MAX_HEADER_CHARS]) for key, value in mail.raw_items() if key.lower() == name
    ]
    try:
        found = [person for person in getaddresses(raw) if any(person)]
    except RecursionError:  # endlessly nested brackets
        found = []
    # Some Python versions return nothing for a malformed header: then it is a name without an address.
    found = found or [(text, "") for text in (" ".join(raw).strip(),) if text]
    return [(decode_text(shown), _clean(address)) for shown, address in found]


def format_address(name: str, address: str) -> str:
    return f"{name} <{address}>" if name and address else address or name


def sent_at(mail: Message, fallback: str = "") -> str | None:
    """The date in the mail, or else when it arrived, as ISO 8601 in UTC."""
    for text in (get_header(mail, "date"), fallback):
        try:
            date = parsedate_to_datetime(text)
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
        except (ValueError, OverflowError, TypeError):
            continue
    return None


def format_internal_date(internal: str) -> str:
    """Convert the server's date, "04-May-2026 09:00:00 +0000", to the format of mail headers."""
    try:
        return datetime.strptime(internal.strip(), "%d-%b-%Y %H:%M:%S %z").strftime("%a, %d %b %Y %H:%M:%S %z")
    except ValueError:
        return ""


def message_id(mail: Message, raw: bytes) -> str:
    """Its Message-ID; without one, an id derived from its headers that is the same in every folder."""
    given = get_header(mail, "message-id")[:500]
    return given or f"<{hashlib.sha256(raw.strip()).hexdigest()[:32]}@no-message-id.invalid>"
