"""The workflows that come along to begin with: what each asks for, and its script with the answers filled in."""

import ast
import re
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from app.resources import find_resource

_FIRST = "templates/nightly_command.py"
"""Where this one is, the others are."""
_BLOCK = re.compile(r"^# /// dayhand-template\n((?:#.*\n)*?)# ///\n", re.MULTILINE)
_NAME = re.compile(r'dayhand\.Workflow\("([^"]+)"')
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])", re.ASCII)


class Kind(StrEnum):
    """What an answer is."""

    TEXT = "text"
    NUMBER = "number"
    TIME = "time"
    """Of day, as in 09:00."""
    ZONE = "zone"
    """An IANA name; unanswered, the machine's."""
    LIST = "list"
    """Parted by commas."""
    COMMAND = "command"
    """As in a shell, without what only a shell understands."""
    FOLDER = "folder"
    FILE = "file"


class BadAnswerError(Exception):
    """An answer that cannot be used; the message says what can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    name: str
    """Of the constant in the script."""
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
        if not given:
            raise BadAnswerError(f"{self.name}: there is no answer.")
        match self.kind:
            case Kind.NUMBER:
                return _number(self.name, given)
            case Kind.TIME:
                match = _TIME.fullmatch(given)
                if match is None:
                    raise BadAnswerError(f"{self.name}: {given!r} is not a time of day; write for example 09:00.")
                return f"{int(match[1]):02}:{match[2]}"
            case Kind.ZONE:
                return _zone(self.name, given)
            case Kind.LIST:
                return [part.strip() for part in given.split(",") if part.strip()]
            case Kind.COMMAND:
                return _command(self.name, given)
            case Kind.FOLDER | Kind.FILE:
                return str(Path(given).expanduser().absolute())
            case Kind.TEXT:
                return given


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    slug: str
    """How commands call it: nightly-command."""
    name: str
    """Of the workflow."""
    summary: str
    questions: tuple[Question, ...]
    connects: Mapping[str, Mapping[str, str]]
    """By connection: which answer each of its fields is."""
    source: str

    def fill(self, answers: Mapping[str, Any], *, name: str | None = None) -> str:
        """The script with those answers in place of the defaults."""
        source = _BLOCK.sub("", self.source, count=1)
        for question in self.questions:
            if question.name in answers:
                source = _assign(source, question.name, answers[question.name])
        if name is not None:
            source = _NAME.sub(lambda _: f"dayhand.Workflow({_literal(name)}", source, count=1)
        return source

    def settings(self, answers: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """What each connection is connected with."""
        return {
            connection: {field: answers[question] for field, question in fields.items() if question in answers}
            for connection, fields in self.connects.items()
        }


@cache
def all_templates() -> tuple[Template, ...]:
    """By name."""
    folder = find_resource(_FIRST).parent
    return tuple(read_template(path.stem, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py")))


def read_template(stem: str, source: str) -> Template:
    block = _BLOCK.search(source)
    name = _NAME.search(source)
    if block is None or name is None:
        raise ValueError(f"{stem} is not a template")
    told = tomllib.loads("".join(line[2:] for line in block[1].splitlines(keepends=True)))
    defaults = _constants(source)
    return Template(
        slug=stem.replace("_", "-"),
        name=name[1],
        summary=told["summary"],
        questions=tuple(
            Question(
                name=constant,
                text=asked["question"],
                kind=Kind(asked.get("kind", "text")),
                default=defaults[constant],
                required=asked.get("required", False),
            )
            for constant, asked in told.get("ask", {}).items()
        ),
        connects=told.get("connect", {}),
        source=source,
    )


def _assign(source: str, name: str, value: Any) -> str:
    changed, count = re.subn(
        rf"^{name} = .*$", lambda _: f"{name} = {_literal(value)}", source, count=1, flags=re.MULTILINE
    )
    assert count == 1, name
    return changed


def _constants(source: str) -> dict[str, Any]:
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


def _number(name: str, text: str) -> int | float:
    try:
        value = float(text.replace(",", "."))
    except ValueError as error:
        raise BadAnswerError(f"{name}: {text!r} is not a number.") from error
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124  only what is no number differs from itself
        raise BadAnswerError(f"{name}: {text!r} is not a number.")
    return int(value) if value.is_integer() else value


def _zone(name: str, text: str) -> str:
    try:
        return ZoneInfo(text).key
    except (KeyError, ValueError, OSError) as error:
        raise BadAnswerError(f"{name}: there is no time zone {text!r}; write for example Europe/Berlin.") from error


def _command(name: str, text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadAnswerError(f"{name}: the quotes in {text!r} do not match.") from error


def _literal(value: Any) -> str:
    """As a careful author writes it: texts in double quotes."""
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if not isinstance(value, str):
        return repr(value)
    return repr("'" + value)[0] + repr("'" + value)[2:] if '"' not in value else repr(value)
