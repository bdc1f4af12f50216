"""The page about the command line is complete: commands, settings with their defaults, and times that can be read."""

import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from app.cli import command_line
from app.cli.formatting import TIME_EXAMPLES
from scheduler.engine.setting_values import SETTINGS, format_setting
from scheduler.timing import time_expressions
from scheduler.timing.time_expressions import Direction, parse_time

PAGE = (Path(__file__).parents[3] / "resources" / "command_line.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ (dayhand .*)$", PAGE, re.MULTILINE)


def rows_of(head: str) -> list[list[str]]:
    """The cells of the table with that header."""
    body = PAGE.split(f"\n{head}\n", 1)[1].splitlines()[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body[: body.index("")]]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_example_can_be_parsed(command: str) -> None:
    options, unknown = command_line._parser().parse_known_args(shlex.split(command)[1:])
    assert (unknown, callable(options.run)) == ([], True)


def test_every_command_is_mentioned() -> None:
    words = set(re.findall(r"[a-z][a-z-]*", PAGE))
    assert [verb for verb in command_line.VERBS if verb not in words] == []


def test_the_table_of_settings_is_complete_and_has_their_defaults() -> None:
    listed = {}
    for names, defaults, _ in rows_of("| setting | default | meaning |"):
        listed |= dict(zip(re.findall(r"`(\w+)`", names), re.findall(r"`(\w+)`", defaults), strict=True))
    assert listed == {key: format_setting(rule.default) for key, rule in SETTINGS.items()}


def test_every_time_that_the_page_or_the_help_shows_can_be_read() -> None:
    now = datetime(2026, 11, 18, tzinfo=UTC)
    cells = " ".join(cell for row in rows_of("| write | meaning |") for cell in row)
    shown = set(re.findall(r"`([^`]+)`", cells))
    assert {"2d", "2d ago", "mon 09:00", "yesterday"} <= shown
    for examples in (TIME_EXAMPLES, time_expressions.EXAMPLES):
        shown |= set(re.split(r", | or ", examples))
    for text in shown:
        parse_time(text, "since", ZoneInfo("Europe/Berlin"), now, Direction.PAST)


def test_edit_options_are_all_on_the_page() -> None:
    options = {
        name for action in command_line.parser_of("schedule")._actions for name in action.option_strings if "--" in name
    } - {"--help", "--json", "--data-dir", "--idempotency-key", "--request"}
    assert [name for name in options if name not in PAGE] == []
