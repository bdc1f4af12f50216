"""The built-in templates: what each asks for, and its script with the answers filled in."""

import ast
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from app.resources import find_resource
from app.template_questions import QuestionKind, TemplateQuestion
from scheduler.engine.errors import RefusedError

_ANY_TEMPLATE = "templates/nightly_command.py"
"""Any template: its folder holds all of them."""
_BLOCK = re.compile(r"^# /// dayhand-template\n((?:#.*\n)*?)# ///\n", re.MULTILINE)
_NAME = re.compile(r'dayhand\.Workflow\("([^"]+)"')


class ConnectionConflictError(Exception):
    """A connection that the template needs exists already with another setting."""

    def __init__(self, connection: str, field: str, value: Any) -> None:
        super().__init__(f"{connection} has {field} {value}")
        self.connection = connection
        self.field = field
        self.value = value


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    slug: str
    """Its name in commands: nightly-command."""
    name: str
    """The workflow's name."""
    summary: str
    questions: tuple[TemplateQuestion, ...]
    connects: Mapping[str, Mapping[str, str]]
    """By connection: the answer, or part of one (PAGE.site), for each of its fields."""
    source: str

    def render(self, answers: Mapping[str, Any], *, name: str | None = None) -> str:
        """The script with these answers instead of the defaults."""
        source = _BLOCK.sub("", self.source, count=1)
        for question in self.questions:
            if question.name in answers:
                source = _assign(source, question.name, answers[question.name])
        if name is not None:
            source = _NAME.sub(lambda _: f"dayhand.Workflow({_literal(name)}", source, count=1)
        return source

    def connection_settings(self, answers: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """The settings of each connection."""
        return {
            connection: {field: _select_answer(answers, named) for field, named in fields.items()}
            for connection, fields in self.connects.items()
        }

    def create_connections(self, answers: Mapping[str, Any], command: Callable[..., dict[str, Any]]) -> list[str]:
        """Create the connections using the command; returns a warning for each that is unreachable for now.

        ConnectionConflictError if a connection exists with other settings. RefusedError for invalid settings.
        """
        warnings = []
        for name, settings in self.connection_settings(answers).items():
            existing = command("fields", name=name)["settings"]
            for field, value in settings.items():
                if existing.get(field) not in (None, value):
                    raise ConnectionConflictError(name, field, existing[field])
            if existing:
                continue
            try:
                command("connect", name=name, settings=settings)
            except RefusedError as error:
                if error.code != "away":
                    raise
                command("connect", name=name, settings=settings, test=False)
                warnings.append(error.sentence)
        return warnings


@cache
def list_templates() -> tuple[Template, ...]:
    """Sorted by name."""
    folder = find_resource(_ANY_TEMPLATE).parent
    return tuple(parse_template(path.stem, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py")))


def parse_template(stem: str, source: str) -> Template:
    block = _BLOCK.search(source)
    name = _NAME.search(source)
    if block is None or name is None:
        raise ValueError(f"{stem} is not a template")
    header = tomllib.loads("".join(line[2:] for line in block[1].splitlines(keepends=True)))
    defaults = _read_constants(source)
    return Template(
        slug=stem.replace("_", "-"),
        name=name[1],
        summary=header["summary"],
        questions=tuple(
            TemplateQuestion(
                name=constant,
                text=asked["question"],
                kind=QuestionKind(asked.get("kind", "text")),
                default=defaults.get(constant),
                required=asked.get("required", False),
            )
            for constant, asked in header.get("ask", {}).items()
        ),
        connects=header.get("connect", {}),
        source=source,
    )


def _assign(source: str, name: str, value: Any) -> str:
    return re.sub(rf"^{name} = .*$", lambda _: f"{name} = {_literal(value)}", source, count=1, flags=re.MULTILINE)


def _read_constants(source: str) -> dict[str, Any]:
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


def _select_answer(answers: Mapping[str, Any], named: str) -> Any:
    """The answer, or for PAGE.site the site of that URL."""
    name, _, part = named.partition(".")
    return urlsplit(answers[name])._replace(path="", query="", fragment="").geturl() if part else answers[name]


def _literal(value: Any) -> str:
    """A Python literal, with strings in double quotes."""
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if not isinstance(value, str):
        return repr(value)
    return repr("'" + value)[0] + repr("'" + value)[2:] if '"' not in value else repr(value)
