"""The built-in templates: what each asks for, and its script with the answers filled in."""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.resources import find_resource
from app.template_questions import QuestionKind, TemplateQuestion
from app.template_script import make_marker, read_constants, replace_constants, write_literal
from app.web_page import find_site
from scheduler.engine.errors import RefusedError

_ANY_TEMPLATE = "templates/sort_folder.py"
"""Any template: its folder holds all of them."""
_BLOCK = re.compile(r"^# /// dayhand-template\n((?:#.*\n)*?)# ///\n", re.MULTILINE)
_NAME = re.compile(r'dayhand\.Workflow\("([^"]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedConnection:
    """A connection made from answers, or an existing one with the same settings."""

    constant: str
    """The constant of the script that holds its name."""
    name: str
    settings: Mapping[str, Any]
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    slug: str
    """Its name in commands: sort-folder."""
    name: str
    """The workflow's name."""
    summary: str
    does: str
    """What it will do, as a sentence with answers in braces."""
    also: Mapping[str, str]
    """By answer that is neither empty nor no: a sentence about it."""
    asks: str
    """What it asks before doing; empty if it asks nothing."""
    questions: tuple[TemplateQuestion, ...]
    connects: Mapping[str, Mapping[str, str]]
    """By constant that holds a connection's name: the answer, or part of one (PAGE.site), for each of its fields."""
    is_for_programmers: bool
    """To be written in an editor: it starts paused and is updated whenever its file is saved."""
    source: str

    def render(self, answers: Mapping[str, Any], *, name: str | None = None) -> str:
        """The script with these answers instead of the defaults."""
        source = _BLOCK.sub("" if self.is_for_programmers else make_marker(self.slug), self.source, count=1)
        known = read_constants(source)
        source = replace_constants(source, {key: value for key, value in answers.items() if key in known})
        if name is not None:
            source = _NAME.sub(lambda _: f"dayhand.Workflow({write_literal(name)}", source, count=1)
        return source

    def plan_connections(
        self,
        answers: Mapping[str, Any],
        known: Mapping[str, Mapping[str, Any]],
        current: Mapping[str, str] | None = None,
    ) -> list[PlannedConnection]:
        """The connections that its answers need, each under a name of its own among the known ones.

        `current`: by constant, the connection that a script has now; it is kept while its settings are the same.
        Connections whose answers are not known are left out.
        """
        names = read_constants(self.source)
        planned = []
        for constant, fields in self.connects.items():
            if any(named.partition(".")[0] not in answers for named in fields.values()):
                continue
            settings = {field: _select_answer(answers, named) for field, named in fields.items()}
            now = (current or {}).get(constant, names[constant])
            name, is_new = choose_connection_name(now, settings, known)
            if is_new and name != now:
                name, is_new = choose_connection_name(names[constant], settings, known)
            planned.append(PlannedConnection(constant=constant, name=name, settings=settings, is_new=is_new))
        return planned

    def read_answers(self, source: str, settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """The answers in a script of this template; those in no constant are in the settings of its connections."""
        constants = read_constants(source)
        found = {one.name: constants[one.name] for one in self.questions if one.name in constants}
        for constant, fields in self.connects.items():
            connected = settings.get(str(constants.get(constant)), {})
            for field, named in fields.items():
                if field in connected and named not in found and "." not in named:
                    found[named] = connected[field]
        return found


def choose_connection_name(
    wanted: str, settings: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]
) -> tuple[str, bool]:
    """The first name that is free or has the same settings already, and whether it is free: `files:inbox-2`."""
    name, number = wanted, 1
    while name in known:
        existing = known[name]
        if existing and settings and all(existing.get(field) == value for field, value in settings.items()):
            return name, False
        number += 1
        name = f"{wanted}-{number}"
    return name, True


def create_connection(planned: PlannedConnection, command: Callable[..., dict[str, Any]]) -> str:
    """Create it using the command; returns a warning if it is unreachable for now. RefusedError for bad settings."""
    try:
        command("connect", name=planned.name, settings=dict(planned.settings))
    except RefusedError as error:
        if error.code != "away":
            raise
        command("connect", name=planned.name, settings=dict(planned.settings), test=False)
        return error.sentence
    return ""


@cache
def list_templates() -> tuple[Template, ...]:
    """Sorted by name; those for programmers last."""
    folder = find_resource(_ANY_TEMPLATE).parent
    found = (parse_template(path.stem, path.read_text(encoding="utf-8")) for path in folder.glob("*.py"))
    return tuple(sorted(found, key=lambda one: (one.is_for_programmers, one.slug)))


def find_template(slug: str) -> Template | None:
    return next((one for one in list_templates() if one.slug == slug), None)


def parse_template(stem: str, source: str) -> Template:
    block = _BLOCK.search(source)
    name = _NAME.search(source)
    if block is None or name is None:
        raise ValueError(f"{stem} is not a template")
    header = tomllib.loads("".join(line[2:] for line in block[1].splitlines(keepends=True)))
    defaults = read_constants(source)
    return Template(
        slug=stem.replace("_", "-"),
        name=name[1],
        summary=header["summary"],
        does=header.get("does", ""),
        also=header.get("also", {}),
        asks=header.get("asks", ""),
        questions=tuple(
            TemplateQuestion(
                name=constant,
                text=asked["question"],
                kind=QuestionKind(asked.get("kind", "text")),
                default=defaults.get(constant),
                required=asked.get("required", False),
                connector=asked.get("connector", ""),
                missing=asked.get("missing", ""),
                only_if=asked.get("only_if", ""),
                page=asked.get("page", ""),
            )
            for constant, asked in header.get("ask", {}).items()
        ),
        connects=header.get("connect", {}),
        is_for_programmers=header.get("for_programmers", False),
        source=source,
    )


def _select_answer(answers: Mapping[str, Any], named: str) -> Any:
    """The answer, or for PAGE.site the site of that URL."""
    name, _, part = named.partition(".")
    return find_site(answers[name]) if part else answers[name]
