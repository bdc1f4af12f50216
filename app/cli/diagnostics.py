"""`diagnostics`: a file that helps to find problems, without the contents of the user's workflows."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from app.cli.command import Command, CommandResult
from app.data.data_dir import add_data_dir, data_dir
from scheduler.engine.errors import RefusedError


def _arguments(parser: ArgumentParser) -> None:
    parser.description = "Write a zip file that helps to find problems, without scripts, data or passwords."
    add_data_dir(parser)
    parser.add_argument("file", type=Path, metavar="FILE")


def _write(options: Namespace) -> CommandResult:
    from app.data.atomic_file import DataFileError
    from app.data.diagnostics import write_diagnostics

    target: Path = options.file.absolute()
    if target.exists():
        raise RefusedError("file", f"{target} already exists; choose another name.")
    try:
        write_diagnostics(data_dir(options), target)
    except DataFileError as error:
        raise RefusedError("file", str(error)) from error
    return CommandResult({"path": str(target)}, _render)


def _render(answer: dict[str, Any]) -> list[str]:
    return [
        f"Written to {answer['path']}. It contains no scripts, no data and no passwords.",
        "Look through it before you send it to anyone.",
    ]


VERBS = {"diagnostics": Command(_arguments, _write)}
