"""`new`: a workflow from a template, with what it needs to know, deployed and opened in the editor."""

import os
import shlex
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from app.cli import UsageError
from app.keeping.folder import add_data_dir
from app.questions import BadAnswerError, Kind, Question
from app.templates import ConnectedOtherwiseError, Template, all_templates
from app.verbs.deploying import read_script, save_script
from app.verbs.human import say_time
from app.verbs.verb import Told, Verb, ask
from scheduler.engine.refusal import RefusedError

_DESCRIPTION = """Begin a workflow from a template. Without one, the templates are listed.

What it needs to know is asked for at a terminal; --set answers beforehand. The script is written, deployed, and paused
until you have looked at it: dayhand resume WORKFLOW"""
_OTHERWISE = "name another file"


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    add = parser.add_argument
    add("template", nargs="?", metavar="TEMPLATE")
    add(
        "file", nargs="?", type=Path, metavar="FILE", help="the script to write (default: here, by the template's name)"
    )
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="an answer; may be repeated")
    add("--name", metavar="NAME", help="of the workflow")
    add("--start", action="store_true", help="let it run at once")
    add("--no-edit", action="store_true", help="do not open the editor")


def _new(options: Namespace) -> Told:
    if options.template is None:
        found = [{"template": one.slug, "summary": one.summary, "asks": _asks(one)} for one in all_templates()]
        return Told({"templates": found}, _say_templates)
    template = _find(options.template)
    path = (options.file or Path(f"{template.slug.replace('-', '_')}.py")).absolute()
    _refuse_place(path)
    answers = _answers(template, options.set)
    script = template.fill(answers, name=options.name)
    save_script(path, script, _OTHERWISE)
    try:
        notes = _connect(options, template, answers)
        answer = _deploy(options, path, script)
    except BaseException:
        path.unlink()
        raise
    edited = _edit(path) if not options.no_edit else None
    if edited is not None and edited != script:
        answer = _deploy(options, path, edited)
    told = {**answer, "warnings": [*notes, *answer["warnings"]], "file": str(path), "paused": not options.start}
    return Told(told, _say_new)


def _find(name: str) -> Template:
    for one in all_templates():
        if one.slug == name.lower().replace("_", "-"):
            return one
    known = ", ".join(one.slug for one in all_templates())
    raise RefusedError("template", f"There is no template {name}. Known are: {known}.")


def _asks(template: Template) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "question": one.text, "default": None if one.required else one.default}
        for one in template.questions
    ]


def _answers(template: Template, given: list[str]) -> dict[str, Any]:
    texts: dict[str, str] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or name.upper() not in {one.name for one in template.questions}:
            known = ", ".join(one.name for one in template.questions)
            raise UsageError(f"--set takes NAME=VALUE with one of {known}, not {text!r}.")
        texts[name.upper()] = value
    answers: dict[str, Any] = {}
    for question in template.questions:
        try:
            answers[question.name] = _answer(question, texts.get(question.name))
        except BadAnswerError as error:
            raise UsageError(f"{question.name}: {error}") from error
    return answers


def _answer(question: Question, text: str | None) -> Any:
    default = _default(question)
    if text is not None:
        return question.read(text)
    if not (sys.stdin is not None and sys.stdin.isatty()):
        if question.required:
            raise UsageError(f"{question.text} Say it with --set {question.name}=VALUE.")
        return question.read(default) if question.kind is Kind.ZONE else question.default
    while True:
        typed = input(f"{question.text}{f' [{default}]' if default else ''} ") or default
        try:
            return question.read(typed)
        except BadAnswerError as error:
            sys.stderr.write(f"{error}\n")


def _default(question: Question) -> str:
    from app.platform.zone import machine_zone

    return machine_zone() if question.kind is Kind.ZONE else question.shown_default()


def _refuse_place(path: Path) -> None:
    """Before anything is asked."""
    if path.exists():
        raise RefusedError("file", f"{path} is there already; {_OTHERWISE}.")
    if not path.parent.is_dir():
        raise RefusedError("file", f"{path} cannot be written: the folder {path.parent} is not there.")
    if not os.access(path.parent, os.W_OK):
        raise RefusedError("file", f"{path} cannot be written: {path.parent} may not be changed by you.")


def _connect(options: Namespace, template: Template, answers: dict[str, Any]) -> list[str]:
    try:
        return template.connect(answers, partial(ask, options))
    except ConnectedOtherwiseError as error:
        raise RefusedError(
            "connected",
            f"{error.connection} is connected already, with {error.field} {error.value}. Give the same, or begin from "
            f"the template in a file of your own with another name for it.",
        ) from error


def _deploy(options: Namespace, path: Path, script: str) -> dict[str, Any]:
    return ask(options, "deploy", path=str(path), source=script, grant=True, paused=not options.start)


def _edit(path: Path) -> str | None:
    """What the person made of it, where there is an editor and a terminal for it."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor or not (sys.stdin is not None and sys.stdin.isatty()):
        return None
    try:
        subprocess.run([*shlex.split(editor), str(path)], check=False)  # noqa: S603  the person's own editor
    except (OSError, ValueError) as error:
        sys.stderr.write(f"The editor {editor} could not be started: {error}\n")
        return None
    return read_script(path)


def _say_templates(answer: dict[str, Any]) -> Iterator[str]:
    width = max(len(one["template"]) for one in answer["templates"])
    for one in answer["templates"]:
        yield f"{one['template']:{width}}  {one['summary']}"
    yield ""
    yield "Begin with one: dayhand new nightly-command"


def _say_new(answer: dict[str, Any]) -> Iterator[str]:
    yield f"{answer['workflow']} is in {answer['file']}."
    for one in answer["schedules"]:
        yield f"  {one['handler']}: {one['words']}, next {say_time(one['next'], 'never')}"
    yield from (f"Note: {warning}" for warning in answer["warnings"])
    if answer["paused"]:
        yield f"See what it would do: dayhand try {shlex.quote(answer['file'])}"
        yield f"Let it run: dayhand resume {answer['workflow']}"
    yield f"Deploy it again whenever you save it: dayhand watch {answer['workflow']}"


VERBS = {"new": Verb(_arguments, _new)}
