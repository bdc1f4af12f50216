"""Changes the answers in the script of a workflow that was made from a template. Never in the GUI thread.

Only the constants that hold answers are rewritten, so whatever the user changed elsewhere in the file stays.
"""

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.background import run_command
from app.data.atomic_file import write_atomically
from app.session import Session
from app.template_questions import TemplateQuestion
from app.template_script import find_template_slug, read_constants, replace_constants
from app.templates import Template, find_template
from app.window.new_workflow.deploy_check import check_source, deploy
from app.window.new_workflow.template_setup import PreparedScript, create_connections, read_setup
from scheduler.engine.errors import RefusedError
from scheduler.engine.workflows.deployment import DeployOptions

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswers:
    """The answers in a script as it is deployed."""

    workflow: str
    name: str
    path: Path
    source: str
    template: Template
    """Only with the questions whose answers can be changed here."""
    answers: Mapping[str, Any]
    fixed: tuple[TemplateQuestion, ...]
    """Questions whose answers were changed by hand to something that can only be changed in the file."""


def find_template_of(session: Session, workflow: str, version: int) -> Template | None:
    """The template of a workflow; None if it has none, or none with questions."""
    slug = find_template_slug(session.queries.source(workflow, version))
    template = None if slug is None else find_template(slug)
    return template if template is not None and template.questions else None


def read_given_answers(session: Session, workflow: str) -> GivenAnswers:
    """RefusedError if they cannot be changed here, with the reason."""
    details = session.queries.workflow(workflow)
    source = session.queries.source(workflow, details.version)
    template = find_template_of(session, workflow, details.version)
    if template is None:
        raise RefusedError("template", translate("answers change", "This workflow was not made from a template."))
    path = Path(details.path)
    _require_deployed(path, source)
    known = read_setup(session)
    found = template.read_answers(source, known.connections)
    answers = {one.name: found[one.name] for one in template.questions if one.accepts(found.get(one.name))}
    shown = tuple(one for one in template.questions if one.name in answers)
    return GivenAnswers(
        workflow=details.workflow,
        name=details.name,
        path=path,
        source=source,
        template=replace(template, questions=shown),
        answers=answers,
        fixed=tuple(one for one in template.questions if one.name not in answers),
    )


def prepare_change(session: Session, given: GivenAnswers, answers: Mapping[str, Any]) -> PreparedScript:
    """The script with these answers, and the connections that they need. Nothing of it exists yet."""
    constants, known = read_constants(given.source), read_setup(session)
    merged = {**given.answers, **answers}
    current = {constant: str(constants[constant]) for constant in given.template.connects if constant in constants}
    planned = tuple(
        one for one in given.template.plan_connections(merged, known.connections, current) if one.constant in current
    )
    values = {**answers, **{one.constant: one.name for one in planned}}
    changed = {name: value for name, value in values.items() if name in constants and constants[name] != value}
    source = replace_constants(given.source, changed)
    return PreparedScript(source=source, checked=check_source(session, given.path, source), connections=planned)


def change_answers(session: Session, given: GivenAnswers, prepared: PreparedScript) -> dict[str, Any]:
    """Write the file and deploy it; if any of it fails, everything stays as it was."""
    _require_deployed(given.path, given.source)
    with ExitStack() as undo:
        warnings = create_connections(session, prepared.connections, undo)
        _write(given.path, prepared.source)
        undo.callback(_restore, given)
        allowed = _list_allowed(session, given, prepared)
        answer = deploy(session, prepared.checked, DeployOptions(), allowed)
        undo.pop_all()
    _revoke_unused(session, given, prepared)
    return {**answer, "warning": " ".join(warnings)}


def _revoke_unused(session: Session, given: GivenAnswers, prepared: PreparedScript) -> None:
    """An account that was replaced is no longer allowed."""
    used = {use.connection for use in prepared.checked.uses}
    before = {one.connection for one in session.queries.permissions(given.workflow).tools if one.is_allowed}
    for connection in before - used:
        with suppress(RefusedError):
            run_command(session, "revoke", workflow=given.workflow, connection=connection)


def _list_allowed(session: Session, given: GivenAnswers, prepared: PreparedScript) -> list[Any]:
    """What was allowed for an account is allowed for the one that the user chose instead."""
    before, after = read_constants(given.source), read_constants(prepared.source)
    allowed = {
        (one.connection, one.tool) for one in session.queries.permissions(given.workflow).tools if one.is_allowed
    }
    replaced = {str(after[name]): str(before[name]) for name in before if name in after}
    return [
        use
        for use in prepared.checked.uses
        if not use.is_allowed and (replaced.get(use.connection, use.connection), use.tool) in allowed
    ]


def _require_deployed(path: Path, source: str) -> None:
    """Refuse to overwrite changes of the file that the workflow does not use yet. A missing file is written again."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError) as error:
        said = translate("answers change", "{file} cannot be read: {why}.")
        raise RefusedError("file", said.format(file=path, why=getattr(error, "strerror", None) or error)) from error
    if text != source:
        said = translate(
            "answers change",
            "This workflow's file was changed by hand and is not in use yet: {file}. Choose Update in its settings, "
            "then change the answers.",
        )
        raise RefusedError("file", said.format(file=path))


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())
    except OSError as error:
        said = translate("answers change", "{file} cannot be written: {why}.")
        raise RefusedError("file", said.format(file=path, why=error.strerror or error)) from error


def _restore(given: GivenAnswers) -> None:
    with suppress(OSError):
        write_atomically(given.path, given.source.encode())
