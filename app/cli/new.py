"""`new`: fill in a template, save the script, deploy it paused, and open it in the editor."""

import os
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from app.cli.command import Command, CommandResult, call_api
from app.cli.command_line import UsageError
from app.cli.deploy import read_script, save_script
from app.cli.formatting import format_time
from app.data.data_dir import add_data_dir
from app.template_questions import InvalidAnswerError, QuestionKind, TemplateQuestion
from app.templates import PlannedConnection, Template, create_connection, list_templates
from scheduler.engine.clock import SystemClock
from scheduler.engine.errors import RefusedError
from scheduler.shell_words import quote_word, split_words

_DESCRIPTION = """Create a workflow from a template. Without TEMPLATE, list the templates.

In a terminal you are prompted for what it needs; --set answers in advance. The script is saved and deployed, and stays
paused until you resume it: dayhand resume WORKFLOW"""
_EXISTS_HINT = "choose another file"
_RENAMED = {"nightly-command": "run-command"}
"""Templates by their names in earlier versions."""


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    add = parser.add_argument
    add("template", nargs="?", metavar="TEMPLATE")
    add("file", nargs="?", type=Path, metavar="FILE", help="the script to write (default: named like the template)")
    add(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="answer a question of the template; repeatable"
    )
    add("--name", metavar="NAME", help="name of the workflow")
    add("--start", action="store_true", help="do not pause it")
    add("--no-edit", action="store_true", help="do not open the editor")


def _new(options: Namespace) -> CommandResult:
    if options.template is None:
        found = [{"template": one.slug, "summary": one.summary, "asks": _questions(one)} for one in list_templates()]
        return CommandResult({"templates": found}, _render_templates)
    template = _find_template(options.template)
    path = (options.file or Path(f"{template.slug.replace('-', '_')}.py")).absolute()
    _check_target(path)
    answers = _read_answers(template, options.set)
    planned = template.plan_connections(answers, _known_connections(options, template))
    script = template.render({**answers, **{one.constant: one.name for one in planned}}, name=options.name)
    save_script(path, script, _EXISTS_HINT)
    created: list[str] = []
    try:
        notes = _connect(options, planned, created)
        answer = _deploy(options, path, script)
    except BaseException:
        path.unlink()
        for name in created:
            call_api(options, "disconnect", name=name)
        raise
    edited = _edit(path) if not options.no_edit else None
    if edited is not None and edited != script:
        answer = _deploy(options, path, edited)
    result = {**answer, "warnings": [*notes, *answer["warnings"]], "file": str(path), "paused": not options.start}
    return CommandResult(result, _render_new)


def _find_template(name: str) -> Template:
    slug = name.lower().replace("_", "-")
    for one in list_templates():
        if one.slug == _RENAMED.get(slug, slug):
            return one
    known = ", ".join(one.slug for one in list_templates())
    raise RefusedError("template", f"There is no template {name}. Choose one of: {known}.")


def _questions(template: Template) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "question": one.text, "default": None if one.required else one.default}
        for one in template.questions
    ]


def _read_answers(template: Template, given: list[str]) -> dict[str, Any]:
    texts: dict[str, str] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or name.upper() not in {one.name for one in template.questions}:
            known = ", ".join(one.name for one in template.questions)
            raise UsageError(f"--set needs NAME=VALUE, where NAME is one of {known}; got {text!r}.")
        texts[name.upper()] = value
    answers: dict[str, Any] = {}
    for question in template.questions:
        if not question.is_asked(answers) and question.name not in texts:
            answers[question.name] = question.default
            continue
        try:
            answers[question.name] = _read_answer(question, texts.get(question.name), answers)
        except InvalidAnswerError as error:
            raise UsageError(f"{question.name}: {error}") from error
    return answers


def _read_answer(question: TemplateQuestion, text: str | None, answers: dict[str, Any]) -> Any:
    default = _default(question)
    if text is not None:
        return _parse(question, text, answers)
    if not (sys.stdin is not None and sys.stdin.isatty()):
        if question.required:
            raise UsageError(f"{question.name} is required ({question.text}): --set {question.name}=VALUE.")
        return question.parse(default) if question.kind is QuestionKind.ZONE else question.default
    while True:
        typed = input(f"{question.text}{f' [{default}]' if default else ''}: ") or default
        try:
            return _parse(question, typed, answers)
        except InvalidAnswerError as error:
            sys.stderr.write(f"{error}\n")


def _parse(question: TemplateQuestion, text: str, answers: dict[str, Any]) -> Any:
    value = question.parse(text)
    return _find_on_page(answers[question.page], value) if question.kind is QuestionKind.PAGE_TEXT else value


def _find_on_page(url: str, text: str) -> dict[str, Any]:
    """The mark of the smallest block that has this text; a page that cannot be read is an invalid answer."""
    from app.web_page import read_page
    from scheduler.connections.registry import builtin_registry

    try:
        blocks = read_page(builtin_registry(lambda *_: None), url, SystemClock().now()).blocks
    except RefusedError as error:
        raise InvalidAnswerError(error.sentence) from error
    wanted = " ".join(text.split()).casefold()
    found = [one for one in blocks if wanted in one.text.casefold()]
    if not found:
        raise InvalidAnswerError(f"{text!r} is not on {url}; enter a text as it is on the page.")
    return min(found, key=lambda one: len(one.text)).mark


def _default(question: TemplateQuestion) -> str:
    from app.platform.zone import machine_zone

    return machine_zone() if question.kind is QuestionKind.ZONE else question.default_text()


def _check_target(path: Path) -> None:
    """Before the first prompt."""
    if path.exists():
        raise RefusedError("file", f"{path} already exists; {_EXISTS_HINT}.")
    if not path.parent.is_dir():
        raise RefusedError("file", f"{path} cannot be written: the folder {path.parent} does not exist.")
    if not os.access(path.parent, os.W_OK):
        raise RefusedError("file", f"{path} cannot be written: you have no write permission in {path.parent}.")


def _known_connections(options: Namespace, template: Template) -> dict[str, Any]:
    """The settings of all connections, by name."""
    if not template.connects:
        return {}
    call_api(options, "fields", name="notify:me")  # unlike `connections`, this creates the data folder
    return {one["connection"]: one["settings"] for one in call_api(options, "connections")["connections"]}


def _connect(options: Namespace, planned: list[PlannedConnection], created: list[str]) -> list[str]:
    """Create the new ones, and list them as created; returns a warning for each that is unreachable for now."""
    warnings = []
    for one in planned:
        if one.is_new:
            warnings.append(create_connection(one, partial(call_api, options)))
            created.append(one.name)
    return [warning for warning in warnings if warning]


def _deploy(options: Namespace, path: Path, script: str) -> dict[str, Any]:
    return call_api(options, "deploy", path=str(path), source=script, grant=True, paused=not options.start)


def _edit(path: Path) -> str | None:
    """Open it in the user's editor and return the result; None without an editor or a terminal."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor or not (sys.stdin is not None and sys.stdin.isatty()):
        return None
    try:
        subprocess.run([*split_words(editor), str(path)], check=False)  # noqa: S603  the user's own editor
    except (OSError, ValueError) as error:
        sys.stderr.write(f"The editor {editor} could not be started: {error}\n")
        return None
    return read_script(path)


def _render_templates(answer: dict[str, Any]) -> Iterator[str]:
    width = max(len(one["template"]) for one in answer["templates"])
    for one in answer["templates"]:
        yield f"{one['template']:{width}}  {one['summary']}"
    yield ""
    yield "Use one: dayhand new run-command"


def _render_new(answer: dict[str, Any]) -> Iterator[str]:
    yield f"{answer['workflow']} was created in {answer['file']}."
    for one in answer["schedules"]:
        yield f"  {one['handler']}: {one['words']}, next {format_time(one['next'], 'never')}"
    yield from (f"Note: {warning}" for warning in answer["warnings"])
    if answer["paused"]:
        yield f"Test it: dayhand try {quote_word(answer['file'])}"
        yield f"Start it: dayhand resume {answer['workflow']}"
    yield f"Redeploy it whenever you save it: dayhand watch {answer['workflow']}"


VERBS = {"new": Command(_arguments, _new)}
