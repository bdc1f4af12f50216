"""What an IMAP server says, taken apart: atoms, strings and lists as bytes and nested lists."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(
    rb"""\s*(?:
        (?P<open>\()|(?P<close>\))|
        "(?P<quoted>(?:[^"\\]++|\\.)*+)"|
        (?P<literal>\{\d+\+?\}$)|
        (?P<atom>(?:[^\s()"{\[]++|\[[^\]]*+\])++)
    )""",
    re.VERBOSE | re.DOTALL,
)
_DEEPEST = 20
_LONGEST_LINE = 1_000_000
_MOST_VALUES = 10_000
_NUMBER = re.compile(rb"[0-9]{1,10}")
"""All that IMAP counts fits into 32 bits."""


class BadAnswerError(ValueError):
    """It is not IMAP."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One response: lines, and between them the literals that they announced."""

    lines: tuple[bytes, ...]
    literals: tuple[bytes, ...] = ()

    def word(self, place: int) -> bytes:
        """A word of the first line, in capitals; empty if there are fewer."""
        words = self.lines[0].split(b" ", place + 1)
        return words[place].upper() if place < len(words) else b""

    def values(self) -> list[Any]:
        """All of it. Numbers stay bytes, NIL is None."""
        return _values(self)


def _values(answer: Answer) -> list[Any]:
    stack: list[list[Any]] = [[]]
    for count, (kind, value) in enumerate(_tokens(answer)):
        if count > _MOST_VALUES:
            raise BadAnswerError
        match kind:
            case "open":
                stack.append([])
                if len(stack) > _DEEPEST:
                    raise BadAnswerError
            case "close":
                closed = stack.pop()
                if not stack:
                    raise BadAnswerError
                stack[-1].append(closed)
            case _:
                stack[-1].append(None if kind == "atom" and value.upper() == b"NIL" else value)
    if len(stack) > 1:
        raise BadAnswerError
    return stack[0]


def _tokens(answer: Answer) -> Iterator[tuple[str, bytes]]:
    literals = iter(answer.literals)
    for line in answer.lines:
        position, end = 0, len(line.rstrip())
        if end > _LONGEST_LINE:
            raise BadAnswerError
        while position < end:
            found = _TOKEN.match(line, position)
            if found is None or found.lastgroup is None:
                raise BadAnswerError
            position = found.end()
            kind, value = found.lastgroup, found[found.lastgroup]
            if kind == "literal":
                value = next(literals, b"")
            elif kind == "quoted":
                value = re.sub(rb"\\(.)", rb"\1", value, flags=re.DOTALL)
            yield kind, value


def read_number(value: object) -> int | None:
    """None for what is no number of a mail server."""
    return int(value) if isinstance(value, bytes) and _NUMBER.fullmatch(value) else None


def read_marks(value: object) -> list[bytes]:
    """The words in a list; what else there is stands for nothing."""
    return [one for one in value if isinstance(one, bytes)] if isinstance(value, list) else []


def read_fetch(answer: Answer) -> dict[str, Any]:
    """The items of a FETCH response by name; of a body only BODY is left of its name."""
    values = answer.values()
    items: Sequence[Any] = values[3] if len(values) > 3 and isinstance(values[3], list) else ()
    found: dict[str, Any] = {}
    for name, value in zip(items[::2], items[1::2], strict=False):
        if isinstance(name, bytes):
            found[name.partition(b"[")[0].decode("ascii", "replace").upper()] = value
    return found
