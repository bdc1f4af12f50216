"""`deploy`, `versions`, `diff`, `rollback`, `watch`, `archive`, `remove`: workflows and their scripts."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

from app.cli.command import Command, CommandResult, add_idempotency_key, call_api
from app.cli.command_line import print_to_stderr
from app.cli.formatting import format_table, format_time
from app.data.data_dir import add_data_dir
from scheduler.engine.errors import RefusedError

_MAX_SCRIPT_BYTES = 4_000_000
_SILENCE_S = 4.0
"""How long a deployment may take before the user is told what it does."""


def _deploy_arguments(parser: ArgumentParser) -> None:
    parser.description = "Check a script and add it as a workflow, or update the workflow that it defines."
    add_data_dir(parser)
    add = parser.add_argument
    add("file", type=Path, metavar="FILE")
    add("--check", action="store_true", help="only check whether it could be deployed")
    add("--grant", action="store_true", help="allow it every tool that it uses")
    add("--replace", action="store_true", help="replace a workflow of the same name from another file")
    add("--paused", action="store_true", help="add a new workflow paused")
    add("--watch", action="store_true", default=None, help="redeploy whenever the file changes")
    add_idempotency_key(parser)


def _deploy(options: Namespace) -> CommandResult:
    path = Path(os.path.abspath(options.file))  # noqa: PTH100  a link stays a link, as editors see it
    source = read_script(path)
    with _saying_after(_SILENCE_S, f"Loading {path.name} …"):
        answer = call_api(
            options,
            "deploy",
            path=str(path),
            source=source,
            check=options.check,
            grant=options.grant,
            replace=options.replace,
            paused=options.paused,
            watch=options.watch,
            idempotency_key=options.idempotency_key,
        )
    return CommandResult(answer, _render_deploy)


@contextmanager
def _saying_after(seconds: float, line: str) -> Iterator[None]:
    """Print the line to stderr if the block takes longer than that."""
    timer = Timer(seconds, lambda: print_to_stderr(line))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def read_script(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_SCRIPT_BYTES:
            raise RefusedError("file", f"{path} is too large to be a script.")
        return path.read_bytes().decode()
    except OSError as error:
        raise RefusedError("file", f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise RefusedError("file", f"{path} is not UTF-8 text.") from error


def save_script(path: Path, script: str, hint: str) -> None:
    """Write a new file, never over an existing one; `hint` tells the user what to do in that case."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(script)
    except FileExistsError as error:
        raise RefusedError("file", f"{path} already exists; {hint}.") from error
    except OSError as error:
        raise RefusedError("file", f"{path} cannot be written: {error.strerror}.") from error


def _render_deploy(answer: dict[str, Any]) -> Iterator[str]:
    if answer.get("checked"):
        yield f"{answer['workflow']} can be deployed."
    else:
        yield f"{answer['workflow']} is deployed, version {answer['version']}."
    for one in answer["schedules"]:
        later = "paused" if one.get("is_paused") else f"next {format_time(one['next'], 'never')}"
        yield f"  {one['handler']}: {one['words']}, {later}"
    allowed = [one["sentence"] for one in answer.get("permissions", ()) if one.get("is_allowed", True)]
    if allowed:
        yield f"{'It' if not answer.get('checked') else 'If you allow it, it'} {'; '.join(allowed)}."
    for warning in answer["warnings"]:
        yield f"Note: {warning}"


def _workflow_arguments(description: str, *, several: bool = False) -> Callable[[ArgumentParser], None]:
    def add(parser: ArgumentParser) -> None:
        parser.description = description
        add_data_dir(parser)
        parser.add_argument("workflow", metavar="WORKFLOW", nargs="+" if several else None)

    return add


def _versions(options: Namespace) -> CommandResult:
    return CommandResult(call_api(options, "versions", workflow=options.workflow), _render_versions)


def _render_versions(answer: dict[str, Any]) -> Iterator[str]:
    yield from format_table(
        ("VERSION", "ORIGIN", "CREATED", "LINES", ""),
        [
            (
                one["version"],
                one["origin"],
                format_time(one["created"]),
                one["lines"],
                "current" if one["current"] else "",
            )
            for one in answer["versions"]
        ],
    )


def _diff_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show what changed between two versions (default: up to the current one)."
    add_data_dir(parser)
    parser.add_argument("workflow", metavar="WORKFLOW")
    parser.add_argument("old", nargs="?", type=int, metavar="OLD")
    parser.add_argument("new", nargs="?", type=int, metavar="NEW")


def _diff(options: Namespace) -> CommandResult:
    answer = call_api(options, "diff", workflow=options.workflow, old=options.old, new=options.new)
    return CommandResult(answer, lambda shown: shown["difference"].splitlines() or ["Nothing changed."])


def _rollback_arguments(parser: ArgumentParser) -> None:
    parser.description = "Go back to an earlier version (default: the last earlier one that completed a run)."
    add_data_dir(parser)
    parser.add_argument("workflow", metavar="WORKFLOW")
    parser.add_argument("version", nargs="?", type=int, metavar="VERSION")


def _rollback(options: Namespace) -> CommandResult:
    return CommandResult(
        call_api(options, "rollback", workflow=options.workflow, version=options.version), _render_rollback
    )


def _render_rollback(answer: dict[str, Any]) -> Iterator[str]:
    yield from _render_deploy(answer)
    yield "The file was not changed: saving or deploying it again replaces this version."


def _archive(options: Namespace) -> CommandResult:
    return _for_each(options, "archive", "{workflow} is archived. Its history is kept.")


def _remove(options: Namespace) -> CommandResult:
    return _for_each(options, "remove", "{workflow} and its history are deleted.")


def _for_each(options: Namespace, verb: str, said: str) -> CommandResult:
    """The answer for one workflow, or a list of them; the first that is refused ends it."""
    answers = [call_api(options, verb, workflow=name) for name in options.workflow]
    answer = answers[0] if len(answers) == 1 else {"workflows": answers}
    return CommandResult(answer, lambda _: [said.format(workflow=one["workflow"]) for one in answers])


def _watch_arguments(parser: ArgumentParser) -> None:
    parser.description = "Turn automatic redeployment of a workflow on or off: it happens whenever its file is saved."
    add_data_dir(parser)
    parser.add_argument("workflow", metavar="WORKFLOW")
    parser.add_argument("wanted", nargs="?", choices=["on", "off"], default="on", metavar="on|off")


def _watch(options: Namespace) -> CommandResult:
    answer = call_api(options, "watch", workflow=options.workflow, on=options.wanted == "on")
    how = "is redeployed whenever its file changes" if answer["watching"] else "is no longer redeployed automatically"
    return CommandResult(answer, lambda done: [f"{done['workflow']} {how}."])


VERBS = {
    "deploy": Command(_deploy_arguments, _deploy),
    "versions": Command(_workflow_arguments("List the versions of a workflow's script."), _versions),
    "diff": Command(_diff_arguments, _diff),
    "rollback": Command(_rollback_arguments, _rollback),
    "archive": Command(
        _workflow_arguments("Archive workflows: they no longer run, their history is kept.", several=True), _archive
    ),
    "remove": Command(_workflow_arguments("Delete workflows and their history.", several=True), _remove),
    "watch": Command(_watch_arguments, _watch),
}
