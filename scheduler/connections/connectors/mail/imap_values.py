"""Parsing IMAP responses into bytes and nested lists, and folder names in modified UTF-7 (RFC 3501, 5.1.3)."""

import binascii
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scheduler.user_text import UserText

_TOKEN = re.compile(
    rb"""\s*(?:
        (?P<open>\()|(?P<close>\))|
        "(?P<quoted>(?:[^"\\]++|\\.)*+)"|
        (?P<literal>\{\d+\+?\}$)|
        (?P<atom>(?:[^\s()"{\[]++|\[[^\]]*+\])++)
    )""",
    re.VERBOSE | re.DOTALL,
)
_MAX_DEPTH = 20
_MAX_LINE_BYTES = 1_000_000
_MAX_VALUES = 10_000
_NUMBER = re.compile(rb"[0-9]{1,10}")
"""All IMAP numbers fit into 32 bits."""


class BadImapResponseError(ValueError):
    """The response is not valid IMAP."""


@dataclass(frozen=True, slots=True)
class ImapResponse:
    """One response: its lines, and the literals that they announced."""

    lines: tuple[bytes, ...]
    literals: tuple[bytes, ...] = ()

    def word(self, place: int) -> bytes:
        """A word of the first line in upper case; empty if there are fewer."""
        words = self.lines[0].split(b" ", place + 1)
        return words[place].upper() if place < len(words) else b""

    def values(self) -> list[Any]:
        """All values. Numbers stay bytes, NIL is None."""
        return _values(self)


def _values(answer: ImapResponse) -> list[Any]:
    stack: list[list[Any]] = [[]]
    for count, (kind, value) in enumerate(_tokens(answer)):
        if count > _MAX_VALUES:
            raise BadImapResponseError
        match kind:
            case "open":
                stack.append([])
                if len(stack) > _MAX_DEPTH:
                    raise BadImapResponseError
            case "close":
                closed = stack.pop()
                if not stack:
                    raise BadImapResponseError
                stack[-1].append(closed)
            case _:
                stack[-1].append(None if kind == "atom" and value.upper() == b"NIL" else value)
    if len(stack) > 1:
        raise BadImapResponseError
    return stack[0]


def _tokens(answer: ImapResponse) -> Iterator[tuple[str, bytes]]:
    literals = iter(answer.literals)
    for line in answer.lines:
        position, end = 0, len(line.rstrip())
        if end > _MAX_LINE_BYTES:
            raise BadImapResponseError
        while position < end:
            found = _TOKEN.match(line, position)
            if found is None or found.lastgroup is None:
                raise BadImapResponseError
            position = found.end()
            kind, value = found.lastgroup, found[found.lastgroup]
            if kind == "literal":
                value = next(literals, b"")
            elif kind == "quoted":
                value = re.sub(rb"\\(.)", rb"\1", value, flags=re.DOTALL)
            yield kind, value


def parse_number(value: object) -> int | None:
    """None if it is not an IMAP number."""
    return int(value) if isinstance(value, bytes) and _NUMBER.fullmatch(value) else None


def parse_flags(value: object) -> list[bytes]:
    """The words in a list; anything else is ignored."""
    return [one for one in value if isinstance(one, bytes)] if isinstance(value, list) else []


def parse_fetch(answer: ImapResponse) -> dict[str, Any]:
    """The items of a FETCH response by name; BODY[…] is stored as BODY."""
    values = answer.values()
    items: Sequence[Any] = values[3] if len(values) > 3 and isinstance(values[3], list) else ()
    found: dict[str, Any] = {}
    for name, value in zip(items[::2], items[1::2], strict=False):
        if isinstance(name, bytes):
            found[name.partition(b"[")[0].decode("ascii", "replace").upper()] = value
    return found


def encode_folder_name(name: str) -> bytes:
    """Encode as ASCII: "&" starts base64 of UTF-16, "-" ends it, and "&-" is "&" itself."""
    result, non_ascii = bytearray(), ""
    for character in name:
        if " " <= character <= "~":
            result += _encode_run(non_ascii) + (b"&-" if character == "&" else character.encode())
            non_ascii = ""
        else:
            non_ascii += character
    return bytes(result + _encode_run(non_ascii))


def decode_folder_name(encoded_name: bytes) -> str:
    """Decode a name; some servers do not use modified UTF-7, then it is read as UTF-8."""
    try:
        parts = encoded_name.decode().split("&")
        return parts[0] + "".join(_decode_run(part) for part in parts[1:])
    except (ValueError, binascii.Error):
        return encoded_name.decode("utf-8", "replace")


def _encode_run(non_ascii: str) -> bytes:
    if not non_ascii:
        return b""
    encoded = binascii.b2a_base64(non_ascii.encode("utf-16-be", "surrogatepass"), newline=False)
    return b"&" + encoded.rstrip(b"=").replace(b"/", b",") + b"-"


def _decode_run(part: str) -> str:
    encoded, end, rest = part.partition("-")
    if not end:
        raise ValueError(UserText("base64 without its end"))
    if not encoded:
        return "&" + rest
    padded = encoded.replace(",", "/") + "=" * (-len(encoded) % 4)
    return binascii.a2b_base64(padded, strict_mode=True).decode("utf-16-be") + rest
