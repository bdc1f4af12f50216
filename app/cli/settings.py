"""`settings`: the defaults for schedules and runs."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from app.cli.command import Command, CommandResult, call_api
from app.cli.command_line import UsageError
from app.cli.formatting import format_table
from app.data.data_dir import add_data_dir
from scheduler.engine.setting_values import SETTINGS, format_setting


def _arguments(parser: ArgumentParser) -> None:
    lines = "\n".join(f"  {key:18} {rule.meaning}" for key, rule in SETTINGS.items())
    parser.description = f"""Show or change settings. Those of schedules apply to each one that does not set its own.

Without arguments it lists them; `get SETTING` shows one, `set SETTING VALUE` changes one, at once.

{lines}"""
    add_data_dir(parser)
    parser.add_argument("what", nargs="?", choices=["get", "set"], metavar="get|set")
    parser.add_argument("key", nargs="?", metavar="SETTING")
    parser.add_argument("value", nargs="?", metavar="VALUE")


def _settings(options: Namespace) -> CommandResult:
    if options.what is None:
        return CommandResult(call_api(options, "settings"), _render_all)
    if options.what == "get":
        if options.key is None or options.value is not None:
            raise UsageError("Name one setting: dayhand settings get SETTING")
        [found] = call_api(options, "settings", key=options.key)["settings"]
        return CommandResult(found, lambda one: [format_setting(one["value"])])
    if options.key is None or options.value is None:
        raise UsageError("Give a setting and its value: dayhand settings set SETTING VALUE")
    answer = call_api(options, "change_setting", key=options.key, value=options.value)
    return CommandResult(answer, _render_change)


def _render_change(answer: dict[str, Any]) -> Iterator[str]:
    before, value = (format_setting(answer[name]) for name in ("before", "value"))
    yield f"{answer['key']} is now {value} (was {before})."


def _render_all(answer: dict[str, Any]) -> Iterator[str]:
    yield from format_table(
        ("SETTING", "VALUE", "DEFAULT", "MEANING"),
        [
            (one["key"], format_setting(one["value"]), format_setting(one["default"]), one["meaning"])
            for one in answer["settings"]
        ],
    )


VERBS = {"settings": Command(_arguments, _settings)}
