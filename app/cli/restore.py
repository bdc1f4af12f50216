"""`restore`: go back to the last backup."""

from argparse import ArgumentParser, Namespace
from typing import Any

from app.cli.command import Command, CommandResult
from app.data.data_dir import add_data_dir, convert_store_errors, data_dir
from scheduler.engine.clock import SystemClock
from scheduler.engine.user_only import require_user


def _arguments(parser: ArgumentParser) -> None:
    parser.description = "Replace the data with the last backup; the old data is kept. All workflows come back paused."
    add_data_dir(parser)


def _restore(options: Namespace) -> CommandResult:
    require_user("restore")
    folder = data_dir(options)
    with convert_store_errors():
        from scheduler.engine.data_folder import hold, restore

        with hold(folder):
            return CommandResult({"backup": restore(folder, SystemClock().now()).name}, _render)


def _render(answer: dict[str, Any]) -> list[str]:
    return [
        f"Restored the backup {answer['backup']}. The data it replaced is kept beside it.",
        "All workflows are paused, so that nothing runs twice: check each one and resume it.",
    ]


VERBS = {"restore": Command(_arguments, _restore)}
