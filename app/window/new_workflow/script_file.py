"""Writing a script from a template, with the connections that its answers make. Never in the GUI thread."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from dayhand._workflow import make_slug
from PySide6.QtCore import QCoreApplication, QStandardPaths

from app.asking import command
from app.life.installation import Installation
from app.questions import Kind, Question
from app.templates import ConnectedOtherwiseError, Template
from scheduler.engine.refusal import RefusedError

translate = QCoreApplication.translate


def propose_file(template: Template) -> Path:
    """Among the person's documents, under a name that is free."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    folder, stem = Path(documents or Path.home()) / "Dayhand", template.slug.replace("-", "_")
    path, number = folder / f"{stem}.py", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}_{number}.py"
    return path


def write_script(
    installation: Installation, template: Template, answers: Mapping[str, Any], name: str, path: Path
) -> str:
    """The text that was written. RefusedError, and nothing is left, where it cannot be."""
    if make_slug(name) in installation.views.names():
        said = translate("new", "There is a workflow called {name} already. Give this one another name.")
        raise RefusedError("exists", said.format(name=name))
    script = template.fill(answers, name=name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(script)
    except OSError as error:
        if path.exists():
            said = translate("new", "{file} is there already. Choose another file.")
            raise RefusedError("file", said.format(file=path)) from error
        said = translate("new", "{file} cannot be written: {why}. Choose another place.")
        raise RefusedError("file", said.format(file=path, why=error.strerror or error)) from error
    try:
        _connect(installation, template, answers)
    except BaseException:
        path.unlink()
        raise
    return script


def take_back(path: Path, script: str) -> None:
    """Whoever changed their mind finds nothing; what somebody has changed in the meantime is theirs."""
    with suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8") == script:
            path.unlink()


def say_missing() -> str:
    return translate("new", "An answer is missing here.")


def say_bad_answer(question: Question, text: str) -> str:
    """What to write instead."""
    if not text.strip():
        return say_missing()
    match question.kind:
        case Kind.NUMBER:
            return translate("new", "Write a number from 0 on.")
        case Kind.TIME:
            return translate("new", "Write a time of day, such as 09:00.")
        case Kind.ZONE:
            return translate("new", "There is no such time zone. Write one such as Europe/Berlin.")
        case Kind.COMMAND:
            return translate("new", "Write one command with quotes that match. What needs a shell: sh -c '…'")
        case Kind.ADDRESS:
            return translate("new", "Write an address in the web, such as https://example.org/page.")
        case Kind.MAIL:
            return translate("new", "Write a mail address, such as me@example.org.")
        case Kind.PATTERN:
            return translate("new", "That is not a regular expression.")
        case _:
            return translate("new", "That cannot be used here. Write something else.")


def _connect(installation: Installation, template: Template, answers: Mapping[str, Any]) -> None:
    try:
        template.connect(answers, partial(command, installation))
    except ConnectedOtherwiseError as error:
        said = translate(
            "new", "{name} is connected already, with {value}. Give the same here, or change it in Connections."
        )
        raise RefusedError("connected", said.format(name=error.connection, value=error.value)) from error
