"""Sets up a workflow from a template, all of it or nothing: connections, file and workflow. Never in the GUI thread."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from dayhand._workflow import make_slug
from PySide6.QtCore import QCoreApplication, QStandardPaths

from app.background import run_command
from app.session import Session
from app.templates import PlannedConnection, Template, create_connection
from app.window.new_workflow.deploy_check import CheckedScript, check_source, deploy
from scheduler.engine.errors import RefusedError
from scheduler.engine.workflows.deployment import DeployOptions

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSetup:
    """What exists already: a new workflow needs a name, a file and connections of its own."""

    workflows: frozenset[str] = frozenset()
    """Slugs."""
    connections: Mapping[str, Mapping[str, Any]]
    """Settings by name; empty for those that are not connected."""
    connected: tuple[str, ...] = ()

    def free_name(self, name: str) -> str:
        """The name, or with a number behind it if a workflow has it already."""
        number, free = 1, name
        while make_slug(free) in self.workflows:
            number += 1
            free = f"{name} {number}"
        return free


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedScript:
    """A script that is ready to start, with the connections it needs. Nothing of it exists yet."""

    source: str
    checked: CheckedScript
    connections: tuple[PlannedConnection, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWorkflowOptions:
    path: Path
    paused: bool = False
    watch: bool = False


def read_setup(session: Session) -> KnownSetup:
    connections = session.queries.connections()
    return KnownSetup(
        workflows=frozenset(session.queries.names()),
        connections={one.connection: one.settings for one in connections},
        connected=tuple(one.connection for one in connections if one.is_connected),
    )


def suggest_path(name: str) -> Path:
    """A free file name in the user's documents folder."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    folder, stem = Path(documents or Path.home()) / "Dayhand", make_slug(name).replace("-", "_") or "workflow"
    path, number = folder / f"{stem}.py", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}_{number}.py"
    return path


def prepare_script(session: Session, template: Template, answers: Mapping[str, Any], name: str) -> PreparedScript:
    """Fill in the template and check it. RefusedError if the name is taken; InvalidScriptError should not happen."""
    known = read_setup(session)
    if make_slug(name) in known.workflows:
        said = translate("new", "A workflow named {name} already exists. Choose another name.")
        raise RefusedError("exists", said.format(name=name))
    planned = tuple(template.plan_connections(answers, known.connections))
    source = template.render({**answers, **{one.constant: one.name for one in planned}}, name=name)
    settings = {one.name: one.settings for one in planned}
    checked = check_source(session, suggest_path(name), source, settings)
    return PreparedScript(source=source, checked=checked, connections=planned)


def start_workflow(session: Session, prepared: PreparedScript, options: NewWorkflowOptions) -> dict[str, Any]:
    """Create everything and start it; if any of it fails, nothing stays. The answer has a "warning" if it has one."""
    with ExitStack() as undo:
        warnings = create_connections(session, prepared.connections, undo)
        for folder in reversed([one for one in options.path.parents if not one.exists()]):
            undo.callback(_undo, folder.rmdir)
        write_new_file(options.path, prepared.source)
        undo.callback(_undo, partial(options.path.unlink, missing_ok=True))
        checked = check_source(session, options.path, prepared.source)
        deploy_options = DeployOptions(paused=options.paused, watch=True if options.watch else None)
        answer = deploy(session, checked, deploy_options, checked.uses)
        undo.pop_all()
    return {**answer, "warning": " ".join(warnings)}


def create_connections(session: Session, planned: tuple[PlannedConnection, ...], undo: ExitStack) -> list[str]:
    """Create the new ones, and undo that with the stack; returns a warning for each that is unreachable for now."""
    warnings = []
    for one in planned:
        if not one.is_new:
            continue
        if one.name in read_setup(session).connections:
            said = translate("new", "{name} has been connected in the meantime. Try again.")
            raise RefusedError("connected", said.format(name=one.name))
        warnings.append(create_connection(one, partial(run_command, session)))
        undo.callback(_undo, partial(run_command, session, "disconnect", name=one.name))
    return [warning for warning in warnings if warning]


def write_new_file(path: Path, text: str) -> None:
    """RefusedError, without a file that was not there before, if that fails or the file exists."""
    if path.exists():
        raise RefusedError("file", translate("new", "{file} already exists. Choose another file.").format(file=path))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("x", encoding="utf-8")
    except OSError as error:
        raise _refuse_file(path, error) from error
    try:
        with file:
            file.write(text)
    except OSError as error:
        _undo(path.unlink)
        raise _refuse_file(path, error) from error


def _refuse_file(path: Path, error: OSError) -> RefusedError:
    said = translate("new", "{file} cannot be written: {why}. Choose another location.")
    return RefusedError("file", said.format(file=path, why=error.strerror or error))


def remove_connections(session: Session, names: tuple[str, ...]) -> None:
    """Remove what was connected for a workflow that is not started after all, unless another one uses it by now."""
    used = {one.connection for one in session.queries.connections() if one.used_by}
    for name in names:
        if name not in used:
            with suppress(RefusedError):
                run_command(session, "disconnect", name=name)


def _undo(step: Callable[[], Any]) -> None:
    with suppress(RefusedError, OSError):
        step()
