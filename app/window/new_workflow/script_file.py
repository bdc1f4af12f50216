"""Writes a script from a template and creates the connections that it needs. Never in the GUI thread."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from dayhand._workflow import make_slug
from PySide6.QtCore import QCoreApplication, QStandardPaths

from app.background import run_command
from app.session import Session
from app.template_questions import QuestionKind, TemplateQuestion
from app.templates import ConnectionConflictError, Template
from scheduler.engine.errors import RefusedError

translate = QCoreApplication.translate


def suggest_path(template: Template) -> Path:
    """A free file name in the user's documents folder."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    folder, stem = Path(documents or Path.home()) / "Dayhand", template.slug.replace("-", "_")
    path, number = folder / f"{stem}.py", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}_{number}.py"
    return path


def write_script(session: Session, template: Template, answers: Mapping[str, Any], name: str, path: Path) -> str:
    """Write the script and return its text. RefusedError, leaving nothing behind, if that fails."""
    if make_slug(name) in session.queries.names():
        said = translate("new", "A workflow named {name} already exists. Choose another name.")
        raise RefusedError("exists", said.format(name=name))
    script = template.render(answers, name=name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(script)
    except OSError as error:
        if path.exists():
            said = translate("new", "{file} already exists. Choose another file.")
            raise RefusedError("file", said.format(file=path)) from error
        said = translate("new", "{file} cannot be written: {why}. Choose another location.")
        raise RefusedError("file", said.format(file=path, why=error.strerror or error)) from error
    try:
        _connect(session, template, answers)
    except BaseException:
        path.unlink()
        raise
    return script


def delete_if_unchanged(path: Path, script: str) -> None:
    """Delete the script, unless it has been changed since it was written."""
    with suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8") == script:
            path.unlink()


def required_text() -> str:
    return translate("new", "This field is required.")


def describe_bad_answer(question: TemplateQuestion, text: str) -> str:
    """What to enter instead."""
    if not text.strip():
        return required_text()
    match question.kind:
        case QuestionKind.NUMBER:
            return translate("new", "Enter 0 or more.")
        case QuestionKind.TIME:
            return translate("new", "Enter a time such as 09:00.")
        case QuestionKind.ZONE:
            return translate("new", "Unknown time zone. Enter one such as Europe/Berlin.")
        case QuestionKind.COMMAND:
            return translate("new", "Enter one command with matching quotes. For shell syntax: sh -c '…'")
        case QuestionKind.ADDRESS:
            return translate("new", "Enter a web address such as https://example.org/page.")
        case QuestionKind.MAIL:
            return translate("new", "Enter an email address such as me@example.org.")
        case QuestionKind.PATTERN:
            return translate("new", "This is not a valid regular expression.")
        case _:
            return translate("new", "This value cannot be used here.")


def _connect(session: Session, template: Template, answers: Mapping[str, Any]) -> None:
    try:
        template.create_connections(answers, partial(run_command, session))
    except ConnectionConflictError as error:
        said = translate(
            "new", "{name} is already connected, with {value}. Enter the same value, or change it in Connections."
        )
        raise RefusedError("connected", said.format(name=error.connection, value=error.value)) from error
