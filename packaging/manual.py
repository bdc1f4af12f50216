"""Writes the manual page from the command line itself, so that it never lags behind.

python packaging/manual.py FOLDER DATE
"""  # noqa: INP001  packaging is no package: it would hide the library of that name

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app import cli
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
    """Every verb, as its own parser knows it."""
    for name, line in cli.VERBS.items():
        parser = cli.parser_of(name)
        actions = parser._actions  # noqa: SLF001  argparse has no other way to be read
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


def write_manual(verbs: list[Described], date: str) -> str:
    lines = [
        f'.TH DAYHAND 1 "{date}" "Dayhand {__version__}" "User Commands"',
        ".SH NAME",
        r"dayhand \- run your recurring chores on time, and ask first",
        ".SH SYNOPSIS",
        ".B dayhand",
        r"[\fIVERB\fR] [\fIARGUMENT\fR]...",
        ".SH DESCRIPTION",
        "Dayhand runs a person's recurring chores on their own computer. A chore is one Python file, a workflow.",
        "Without a verb it starts: with a window and an icon in the tray, or in the terminal where there is no screen.",
        "Every other verb talks to the Dayhand that runs; where none runs, those that only look read your data.",
        ".SH VERBS",
    ]
    for verb in verbs:
        lines += [".SS " + _roff(" ".join([verb.name, *verb.operands]))]
        for part in verb.description.split("\n\n"):
            is_table = any(line.startswith("  ") for line in part.splitlines())
            lines += [".PP", *([".nf"] if is_table else []), _roff(part), *([".fi"] if is_table else [])]
        for option in verb.options:
            names = ", ".join(rf"\fB{_roff(name)}\fR" for name in option.names)
            value = rf" \fI{_roff(option.value)}\fR" if option.value else ""
            lines += [".TP", names + value, _roff(option.help) or "."]
    lines += [
        ".SH EXIT STATUS",
        "0 done; 1 refused, with a sentence on the standard error; 2 the arguments cannot be right.",
        ".SH FILES",
        ".TP",
        r".I ~/.local/share/dayhand",
        "Workflows, history and backups. Passwords are in the keyring of the system and nowhere else.",
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
