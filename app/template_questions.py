"""The questions of templates, and parsing of typed answers into values for the script."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from scheduler.connections.registry import is_connection_name
from scheduler.shell_words import SHELL, join_words, split_words

_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])", re.ASCII)
_MAIL = re.compile(r"[^@\s,]+@[^@\s,]+")
_SHELL_OPERATORS = "();<>|&"
"""Characters that only a shell interprets."""
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
"""As in calendars of schedules."""


class QuestionKind(StrEnum):
    """The type of an answer."""

    TEXT = "text"
    NUMBER = "number"
    """A whole number, 0 or more."""
    AMOUNT = "amount"
    """A number with decimals, 0 or more."""
    FLAG = "flag"
    """Yes or no."""
    TIME = "time"
    """Time of day, such as 09:00."""
    WEEKDAYS = "weekdays"
    """At least one of WEEKDAYS."""
    ZONE = "zone"
    """An IANA name; by default the machine's."""
    LIST = "list"
    """Separated by commas; may be empty."""
    COMMAND = "command"
    """Words as in a shell, without shell operators."""
    FOLDER = "folder"
    """An existing folder."""
    NEW_FOLDER = "new folder"
    """A folder that is created if it does not exist."""
    FILE = "file"
    ADDRESS = "address"
    """URL of a page or feed; https by default."""
    MAIL = "mail"
    """An email address."""
    ACCOUNT = "account"
    """A connection of the kind that the question names."""
    PAGE_TEXT = "page text"
    """A text on the page of another question, as `dayhand.page_text` remembers it."""


class InvalidAnswerError(Exception):
    """An invalid answer; the message says what is expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateQuestion:
    name: str
    """The constant in the script; absent there if only a connection uses the answer."""
    text: str
    kind: QuestionKind
    default: Any
    required: bool
    """There is no usable default."""
    connector: str = ""
    """Of an account: the kind of the connection."""
    missing: str = ""
    """Of an account: what to say while there is none."""
    only_if: str = ""
    """The flag that must be set for this question to be asked."""
    page: str = ""
    """Of a text on a page: the question that asks for the page's address."""

    def is_asked(self, answers: Mapping[str, Any]) -> bool:
        return not self.only_if or bool(answers.get(self.only_if))

    def accepts(self, value: Any) -> bool:
        """Whether a value from a script is of this kind; a user may have written anything there."""
        match self.kind:
            case QuestionKind.FLAG:
                return isinstance(value, bool)
            case QuestionKind.NUMBER:
                return isinstance(value, int) and not isinstance(value, bool) and value >= 0
            case QuestionKind.AMOUNT:
                return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
            case QuestionKind.WEEKDAYS:
                return isinstance(value, list) and bool(value) and all(day in WEEKDAYS for day in value)
            case QuestionKind.LIST | QuestionKind.COMMAND:
                return isinstance(value, list) and all(isinstance(one, str) for one in value)
            case QuestionKind.PAGE_TEXT:
                return isinstance(value, dict)
            case QuestionKind.TIME:
                return isinstance(value, str) and _TIME.fullmatch(value) is not None
            case QuestionKind.ACCOUNT:
                return isinstance(value, str) and value.startswith(f"{self.connector}:")
        return isinstance(value, str)

    def default_text(self) -> str:
        if self.required:
            return ""
        if isinstance(self.default, list):
            return join_words(self.default) if self.kind is QuestionKind.COMMAND else ", ".join(map(str, self.default))
        if isinstance(self.default, bool):
            return "yes" if self.default else "no"
        return str(self.default)

    def parse(self, text: str) -> Any:
        """The parsed answer; of a text on a page, the text itself, which must still be found on the page."""
        given = text.strip()
        if not given and (self.required or self.kind is not QuestionKind.LIST):
            raise InvalidAnswerError("This field is required.")
        if self.kind is QuestionKind.ACCOUNT:
            return _parse_account(given, self.connector)
        return _PARSERS[self.kind](given)


def _parse_number(text: str) -> int:
    value = _parse_amount(text)
    if not isinstance(value, int):
        raise InvalidAnswerError(f"{text!r} is not a whole number.")
    return value


def _parse_amount(text: str) -> int | float:
    try:
        value = float(text.replace(",", "."))
    except ValueError as error:
        raise InvalidAnswerError(f"{text!r} is not a number.") from error
    if not 0 <= value < float("inf"):
        raise InvalidAnswerError(f"{text!r} is not valid; enter 0 or more.")
    return int(value) if value.is_integer() else value


def _parse_flag(text: str) -> bool:
    if text.lower() not in ("yes", "no", "true", "false"):
        raise InvalidAnswerError(f"{text!r} is neither yes nor no.")
    return text.lower() in ("yes", "true")


def _parse_time(text: str) -> str:
    match = _TIME.fullmatch(text)
    if match is None:
        raise InvalidAnswerError(f"{text!r} is not a time of day; enter a time such as 09:00.")
    return f"{int(match[1]):02}:{match[2]}"


def _parse_weekdays(text: str) -> list[str]:
    given = [part.lower()[:3] for part in _parse_list(text)]
    if not given or not set(given) <= set(WEEKDAYS):
        raise InvalidAnswerError(f"{text!r} is not a list of weekdays; enter days such as mon, tue.")
    return [day for day in WEEKDAYS if day in given]


def _parse_zone(text: str) -> str:
    try:
        return ZoneInfo(text).key
    except (KeyError, ValueError, OSError) as error:
        raise InvalidAnswerError(f"There is no time zone {text!r}; enter a name such as Europe/Berlin.") from error


def _parse_list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _parse_command(text: str) -> list[str]:
    try:
        words = split_words(text, _SHELL_OPERATORS)
    except ValueError as error:
        raise InvalidAnswerError(f"The quotes in {text!r} do not match.") from error
    for word in words:
        if word and set(word) <= set(_SHELL_OPERATORS):
            example = SHELL.format(command=f"first {word} second")
            raise InvalidAnswerError(f"{word!r} needs a shell; use for example: {example}")
    return words


def _parse_path(text: str) -> str:
    try:
        return str(Path(text).expanduser().absolute())
    except RuntimeError as error:
        raise InvalidAnswerError(f"{text!r} is in a home folder that does not exist.") from error


def _parse_address(text: str) -> str:
    url = text if "://" in text else f"https://{text}"
    try:
        parts = urlsplit(url)
        is_url = parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and not re.search(r"\s", url)
    except ValueError:
        is_url = False
    if not is_url:
        raise InvalidAnswerError(f"{text!r} is not a web address; enter one such as https://example.org/page.")
    return url


def _parse_mail(text: str) -> str:
    if not _MAIL.fullmatch(text):
        raise InvalidAnswerError(f"{text!r} is not an email address; enter one such as me@example.org.")
    return text


def _parse_account(text: str, connector: str) -> str:
    name = text if ":" in text else f"{connector}:{text}"
    if not is_connection_name(name) or not name.startswith(f"{connector}:"):
        raise InvalidAnswerError(f"{text!r} is not a {connector} connection; enter one such as {connector}:home.")
    return name


_PARSERS: dict[QuestionKind, Callable[[str], Any]] = {
    QuestionKind.TEXT: str,
    QuestionKind.NUMBER: _parse_number,
    QuestionKind.AMOUNT: _parse_amount,
    QuestionKind.FLAG: _parse_flag,
    QuestionKind.TIME: _parse_time,
    QuestionKind.WEEKDAYS: _parse_weekdays,
    QuestionKind.ZONE: _parse_zone,
    QuestionKind.LIST: _parse_list,
    QuestionKind.COMMAND: _parse_command,
    QuestionKind.FOLDER: _parse_path,
    QuestionKind.NEW_FOLDER: _parse_path,
    QuestionKind.FILE: _parse_path,
    QuestionKind.ADDRESS: _parse_address,
    QuestionKind.MAIL: _parse_mail,
    QuestionKind.PAGE_TEXT: str,
}
