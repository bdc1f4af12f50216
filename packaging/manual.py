"""Writes the manual page from the parsers of the command line.

python packaging/manual.py FOLDER DATE
"""  # noqa: INP001  not a package: it would hide the PyPI package of that name

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.cli import command_line
from scheduler import __version__


@dataclass(frozen=True, slots=True)
class Option:
    names: tuple[str, ...]
    value: str
    help: str


@dataclass(frozen=True, slots=True)
class Described:
    name: str
    line: str
    description: str
    operands: tuple[str, ...]
    options: tuple[Option, ...]


def describe() -> Iterator[Described]:
    """Every command, from its own parser."""
    for name, line in command_line.VERBS.items():
        parser = command_line.parser_of(name)
        actions = parser._actions  # noqa: SLF001  argparse has no public way to list them
        yield Described(
            name,
            line,
            (parser.description or line).strip(),
            tuple(_value(action) for action in actions if not action.option_strings),
            tuple(
                Option(tuple(action.option_strings), _value(action), _help(action))
                for action in actions
                if action.option_strings
            ),
        )


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    shown = action.metavar or "|".join(str(one) for one in action.choices or ()) or action.dest.upper()
    return shown if isinstance(shown, str) else " ".join(shown)


def _help(action: argparse.Action) -> str:
    return "" if action.help in (None, argparse.SUPPRESS) else action.help % vars(action)


def write_manual(commands: list[Described], date: str) -> str:
    lines = [
        f'.TH DAYHAND 1 "{date}" "Dayhand {__version__}" "User Commands"',
        ".SH NAME",
        r"dayhand \- run your recurring chores on schedule, and ask first",
        ".SH SYNOPSIS",
        ".B dayhand",
        r"[\fICOMMAND\fR] [\fIARGUMENT\fR]...",
        ".SH DESCRIPTION",
        "Dayhand runs your recurring chores on your own computer. Each chore is a workflow: one Python file.",
        "Without a command it starts: with a window and a tray icon, or in the terminal if there is no display.",
        "Every other command talks to the running app; if it is not running, commands that only read use your data.",
        ".SH COMMANDS",
    ]
    for command in commands:
        lines += [".SS " + _roff(" ".join([command.name, *command.operands]))]
        for part in command.description.split("\n\n"):
            is_table = any(line.startswith("  ") for line in part.splitlines())
            lines += [".PP", *([".nf"] if is_table else []), _roff(part), *([".fi"] if is_table else [])]
        for option in command.options:
            names = ", ".join(rf"\fB{_roff(name)}\fR" for name in option.names)
            value = rf" \fI{_roff(option.value)}\fR" if option.value else ""
            lines += [".TP", names + value, _roff(option.help) or "."]
    lines += [
        ".SH EXIT STATUS",
        "0 success; 1 refused or failed, with a message on standard error; 2 invalid arguments.",
        ".SH FILES",
        ".TP",
        r".I ~/.local/share/dayhand",
        "Workflows, history and backups. Passwords are stored only in the system's keyring.",
    ]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("…", "...")
    return "\n".join(rf"\&{line}" if line.startswith(".") else line for line in escaped.splitlines())


def write_all(folder: Path, date: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dayhand.1").write_text(write_manual(list(describe()), date), encoding="utf-8")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]), sys.argv[2])
