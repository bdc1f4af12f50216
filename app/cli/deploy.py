"""`deploy` and what follows it: versions, differences, rolling back, watching, putting away."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.keeping.folder import add_data_dir
from app.verbs.human import say_time, table
from app.verbs.verb import Told, Verb, ask
from scheduler.engine.refusal import RefusedError

_LARGEST = 4_000_000


def _deploy_arguments(parser: ArgumentParser) -> None:
    parser.description = "Check a script and make it run, or bring a workflow up to date with its file."
    add_data_dir(parser)
    add = parser.add_argument
    add("file", type=Path, metavar="FILE")
    add("--check", action="store_true", help="only say whether it could be deployed")
    add("--grant", action="store_true", help="allow it to use every tool that it uses")
    add("--replace", action="store_true", help="take the place of a workflow of this name from another file")
    add("--paused", action="store_true", help="a new workflow starts paused")
    add("--watch", action="store_true", default=None, help="deploy again whenever the file changes")
    add("--request", metavar="ID", help="the same id again gets the first answer")


def _deploy(options: Namespace) -> Told:
    path = Path(os.path.abspath(options.file))  # noqa: PTH100  a link stays a link, as editors see it
    answer = ask(
        options,
        "deploy",
        path=str(path),
        source=read_script(path),
        check=options.check,
        grant=options.grant,
        replace=options.replace,
        paused=options.paused,
        watch=options.watch,
        request=options.request,
    )
    return Told(answer, _say_deploy)


def read_script(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise RefusedError("file", f"{path} is too large to be a script.")
        return path.read_bytes().decode()
    except OSError as error:
        raise RefusedError("file", f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise RefusedError("file", f"{path} is not a text in UTF-8.") from error


def save_script(path: Path, script: str, otherwise: str) -> None:
    """A new file: one that is there already is never replaced, and `otherwise` says what to do then."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(script)
    except FileExistsError as error:
        raise RefusedError("file", f"{path} is there already; {otherwise}.") from error
    except OSError as error:
        raise RefusedError("file", f"{path} cannot be written: {error.strerror}.") from error


def _say_deploy(answer: dict[str, Any]) -> Iterator[str]:
    if answer.get("checked"):
        yield f"{answer['workflow']} can be deployed."
    else:
        yield f"{answer['workflow']} is deployed, version {answer['version']}."
    for one in answer["schedules"]:
        yield f"  {one['handler']}: {one['words']}, next {say_time(one['next'], 'never')}"
    said = [one["sentence"] for one in answer.get("permissions", ()) if one.get("is_allowed", True)]
    if said:
        yield f"{'It' if not answer.get('checked') else 'If you allow it, it'} {'; '.join(said)}."
    for warning in answer["warnings"]:
        yield f"Note: {warning}"


def _workflow_arguments(description: str) -> Callable[[ArgumentParser], None]:
    def add(parser: ArgumentParser) -> None:
        parser.description = description
        add_data_dir(parser)
        parser.add_argument("workflow", metavar="WORKFLOW")

    return add


def _versions(options: Namespace) -> Told:
    return Told(ask(options, "versions", workflow=options.workflow), _say_versions)


def _say_versions(answer: dict[str, Any]) -> Iterator[str]:
    yield from table(
        ("VERSION", "FROM", "WHEN", "LINES", ""),
        [
            (one["version"], one["origin"], say_time(one["created"]), one["lines"], "in use" if one["current"] else "")
            for one in answer["versions"]
        ],
    )


def _diff_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show what changed from one version to another (default: to the one in use)."
    add_data_dir(parser)
    parser.add_argument("workflow", metavar="WORKFLOW")
    parser.add_argument("old", nargs="?", type=int, metavar="OLD")
    parser.add_argument("new", nargs="?", type=int, metavar="NEW")


def _diff(options: Namespace) -> Told:
    answer = ask(options, "diff", workflow=options.workflow, old=options.old, new=options.new)
    return Told(answer, lambda told: told["difference"].splitlines() or ["Nothing changed."])


def _rollback_arguments(parser: ArgumentParser) -> None:
    parser.description = "Go back to an earlier version (default: the last one before this that finished a run)."
    add_data_dir(parser)
    parser.add_argument("workflow", metavar="WORKFLOW")
    parser.add_argument("version", nargs="?", type=int, metavar="VERSION")


def _rollback(options: Namespace) -> Told:
    return Told(ask(options, "rollback", workflow=options.workflow, version=options.version), _say_deploy)


def _archive(options: Namespace) -> Told:
    answer = ask(options, "archive", workflow=options.workflow)
    return Told(answer, lambda told: [f"{told['workflow']} is put away. Its history stays."])


def _remove(options: Namespace) -> Told:
    answer = ask(options, "remove", workflow=options.workflow)
    return Told(answer, lambda told: [f"{told['workflow']} is gone, with its history."])


def _watch_arguments(parser: ArgumentParser) -> None:
    parser.description = "Deploy a workflow again whenever its file is saved, or no longer."
    add_data_dir(parser)
    parser.add_argument("workflow", metavar="WORKFLOW")
    parser.add_argument("wanted", nargs="?", choices=["on", "off"], default="on", metavar="on|off")


def _watch(options: Namespace) -> Told:
    answer = ask(options, "watch", workflow=options.workflow, on=options.wanted == "on")
    how = "is deployed again when its file changes" if answer["watching"] else "is deployed only when you say so"
    return Told(answer, lambda told: [f"{told['workflow']} {how}."])


VERBS = {
    "deploy": Verb(_deploy_arguments, _deploy),
    "versions": Verb(_workflow_arguments("Show the versions of a workflow's script."), _versions),
    "diff": Verb(_diff_arguments, _diff),
    "rollback": Verb(_rollback_arguments, _rollback),
    "archive": Verb(_workflow_arguments("Put a workflow away: nothing of it runs, its history stays."), _archive),
    "remove": Verb(_workflow_arguments("Forget a workflow with its history."), _remove),
    "watch": Verb(_watch_arguments, _watch),
}
