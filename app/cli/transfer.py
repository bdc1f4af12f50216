"""`export` and `import`: move all data to another folder or computer, without passwords."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.cli.command import Command, CommandResult
from app.data.data_dir import add_data_dir, convert_store_errors, data_dir
from scheduler.engine.errors import RefusedError
from scheduler.engine.user_only import require_user


def _export_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Export workflows, schedules, history, connections and settings to one file, without passwords."
    )
    add_data_dir(parser)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--without-history", action="store_true", help="omit finished runs and events")


def _export(options: Namespace) -> CommandResult:
    from app.data.atomic_file import DataFileError
    from app.data.export import write_export
    from scheduler.engine.clock import SystemClock
    from scheduler.engine.data_folder import check_readable

    target: Path = options.file.absolute()
    if target.exists():
        raise RefusedError("file", f"{target} already exists; choose another name.")
    folder = data_dir(options)
    with convert_store_errors():
        check_readable(folder)
        try:
            write_export(folder, target, SystemClock().now(), history=not options.without_history)
        except DataFileError as error:
            raise RefusedError("file", str(error)) from error
    lines = [
        f"Written to {target}.",
        "Passwords and tokens are not included; connect again after an import.",
    ]
    return CommandResult({"path": str(target)}, lambda _: lines)


def _import_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Import a file that `dayhand export` wrote. All workflows arrive paused; Dayhand must not be running."
    )
    add_data_dir(parser)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--replace", action="store_true", help="replace the data in this folder; the old data is kept")


def _import(options: Namespace) -> CommandResult:
    from app.data.atomic_file import DataFileError
    from app.data.export import import_export
    from app.platform.zone import machine_zone
    from scheduler.engine.clock import SystemClock
    from scheduler.engine.data_folder import has_data, hold

    require_user("import")
    folder = data_dir(options)
    with convert_store_errors(), hold(folder):
        if not options.replace and has_data(folder):
            raise RefusedError(
                "used",
                f"{folder} already contains data. Use --replace to set it aside, or choose another --data-dir.",
            )
        try:
            imported = import_export(folder, options.file.absolute(), SystemClock().now(), machine_zone())
        except DataFileError as error:
            raise RefusedError("file", str(error)) from error
    answer = {
        "workflows": imported.workflows,
        "reconnect": list(imported.connections),
        "set_aside": list(imported.schedules),
        "replaced": None if imported.aside is None else str(imported.aside),
    }
    return CommandResult(answer, _render_import)


def _render_import(answer: dict[str, Any]) -> Iterator[str]:
    number = answer["workflows"]
    yield f"{number} workflow{'' if number == 1 else 's'} imported and paused. Check each one, then resume it."
    for name in answer["reconnect"]:
        yield f"Connect {name} again: dayhand connect {name}"
    for schedule in answer["set_aside"]:
        yield f"{schedule} is blocked, because its schedule is not valid here: dayhand list"
    if answer["replaced"]:
        yield f"The old data is kept as {answer['replaced']}."


VERBS = {"export": Command(_export_arguments, _export), "import": Command(_import_arguments, _import)}
