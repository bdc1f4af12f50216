"""What a template asks for, by kinds, and answers that people typed as the script has them."""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])", re.ASCII)
_MAIL = re.compile(r"[^@\s,]+@[^@\s,]+")
_SHELL = "();<>|&"
"""What stands between commands for a shell, and for nobody else."""


class Kind(StrEnum):
    """What an answer is."""

    TEXT = "text"
    NUMBER = "number"
    """From 0 on."""
    TIME = "time"
    """Of day, as in 09:00."""
    ZONE = "zone"
    """An IANA name; unanswered, the machine's."""
    LIST = "list"
    """Parted by commas; may be empty."""
    COMMAND = "command"
    """As in a shell, without what only a shell understands."""
    FOLDER = "folder"
    FILE = "file"
    ADDRESS = "address"
    """Of a page or a feed in the web, https unless it says otherwise."""
    MAIL = "mail"
    """Somebody's address."""
    PATTERN = "pattern"
    """A regular expression."""


class BadAnswerError(Exception):
    """An answer that cannot be used; the message says what can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    name: str
    """Of the constant in the script, where it has one: a connection alone may need to know."""
    text: str
    kind: Kind
    default: Any
    required: bool
    """The script is of no use without an answer."""

    def shown_default(self) -> str:
        if self.required:
            return ""
        if isinstance(self.default, list):
            return shlex.join(self.default) if self.kind is Kind.COMMAND else ", ".join(map(str, self.default))
        return str(self.default)

    def read(self, text: str) -> Any:
        """The answer as the script has it."""
        given = text.strip()
        if not given and (self.required or self.kind is not Kind.LIST):
            raise BadAnswerError("An answer is needed here.")
        return _READERS[self.kind](given)


def _number(text: str) -> int | float:
    try:
        value = float(text.replace(",", "."))
    except ValueError as error:
        raise BadAnswerError(f"{text!r} is not a number.") from error
    if not 0 <= value < float("inf"):
        raise BadAnswerError(f"{text!r} is not a number from 0 on.")
    return int(value) if value.is_integer() else value


def _time(text: str) -> str:
    match = _TIME.fullmatch(text)
    if match is None:
        raise BadAnswerError(f"{text!r} is not a time of day; write for example 09:00.")
    return f"{int(match[1]):02}:{match[2]}"


def _zone(text: str) -> str:
    try:
        return ZoneInfo(text).key
    except (KeyError, ValueError, OSError) as error:
        raise BadAnswerError(f"There is no time zone {text!r}; write for example Europe/Berlin.") from error


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _command(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_SHELL)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError as error:
        raise BadAnswerError(f"The quotes in {text!r} do not match.") from error
    for word in words:
        if word and set(word) <= set(_SHELL):
            raise BadAnswerError(f"{word!r} needs a shell; write for example: sh -c 'first {word} second'")
    return words


def _path(text: str) -> str:
    try:
        return str(Path(text).expanduser().absolute())
    except RuntimeError as error:
        raise BadAnswerError(f"{text!r} is below a home that is not there.") from error


def _address(text: str) -> str:
    whole = text if "://" in text else f"https://{text}"
    try:
        parts = urlsplit(whole)
        is_one = parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and not re.search(r"\s", whole)
    except ValueError:
        is_one = False
    if not is_one:
        raise BadAnswerError(f"{text!r} is not an address in the web; write for example https://example.org/page.")
    return whole


def _mail(text: str) -> str:
    if not _MAIL.fullmatch(text):
        raise BadAnswerError(f"{text!r} is not a mail address; write for example me@example.org.")
    return text


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise BadAnswerError(f"{text!r} is not a regular expression: {error}.") from error
    return text


_READERS: dict[Kind, Callable[[str], Any]] = {
    Kind.TEXT: str,
    Kind.NUMBER: _number,
    Kind.TIME: _time,
    Kind.ZONE: _zone,
    Kind.LIST: _list,
    Kind.COMMAND: _command,
    Kind.FOLDER: _path,
    Kind.FILE: _path,
    Kind.ADDRESS: _address,
    Kind.MAIL: _mail,
    Kind.PATTERN: _pattern,
}
