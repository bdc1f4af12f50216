"""The workflows that come along to begin with: what each asks for, and its script with the answers filled in."""

import ast
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from app.questions import Kind, Question
from app.resources import find_resource
from scheduler.engine.refusal import RefusedError

_FIRST = "templates/nightly_command.py"
"""Where this one is, the others are."""
_BLOCK = re.compile(r"^# /// dayhand-template\n((?:#.*\n)*?)# ///\n", re.MULTILINE)
_NAME = re.compile(r'dayhand\.Workflow\("([^"]+)"')


class ConnectedOtherwiseError(Exception):
    """What a template would connect is connected already, and is something else."""

    def __init__(self, connection: str, field: str, value: Any) -> None:
        super().__init__(f"{connection} has {field} {value}")
        self.connection = connection
        self.field = field
        self.value = value


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    slug: str
    """How commands call it: nightly-command."""
    name: str
    """Of the workflow."""
    summary: str
    questions: tuple[Question, ...]
    connects: Mapping[str, Mapping[str, str]]
    """By connection: which answer each of its fields is, or which part of it: PAGE.site."""
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
            connection: {field: _pick(answers, named) for field, named in fields.items()}
            for connection, fields in self.connects.items()
        }

    def connect(self, answers: Mapping[str, Any], command: Callable[..., dict[str, Any]]) -> list[str]:
        """Connect all of it by that command; what is away for now may come back before it is used: why, in sentences.

        What others use stays as it is: ConnectedOtherwiseError. RefusedError for what cannot be right.
        """
        away = []
        for name, settings in self.settings(answers).items():
            kept = command("fields", name=name)["settings"]
            for field, value in settings.items():
                if kept.get(field) not in (None, value):
                    raise ConnectedOtherwiseError(name, field, kept[field])
            if kept:
                continue
            try:
                command("connect", name=name, settings=settings)
            except RefusedError as error:
                if error.code != "away":
                    raise
                command("connect", name=name, settings=settings, test=False)
                away.append(error.sentence)
        return away


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
                default=defaults.get(constant),
                required=asked.get("required", False),
            )
            for constant, asked in told.get("ask", {}).items()
        ),
        connects=told.get("connect", {}),
        source=source,
    )


def _assign(source: str, name: str, value: Any) -> str:
    return re.sub(rf"^{name} = .*$", lambda _: f"{name} = {_literal(value)}", source, count=1, flags=re.MULTILINE)


def _constants(source: str) -> dict[str, Any]:
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


def _pick(answers: Mapping[str, Any], named: str) -> Any:
    """The answer, or of an address the site that it is on."""
    name, _, part = named.partition(".")
    return urlsplit(answers[name])._replace(path="", query="", fragment="").geturl() if part else answers[name]


def _literal(value: Any) -> str:
    """As a careful author writes it: texts in double quotes."""
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if not isinstance(value, str):
        return repr(value)
    return repr("'" + value)[0] + repr("'" + value)[2:] if '"' not in value else repr(value)
