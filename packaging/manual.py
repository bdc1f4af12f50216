"""Writes the manual page and the completions of shells from the command line itself, so that they never lag behind.

python packaging/manual.py FOLDER DATE
"""  # noqa: INP001  packaging is no package: it would hide the library of that name

import argparse
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app import cli
from scheduler import __version__

_FILES = {"--data-dir"}


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
    parsers = next(action for action in cli._parser()._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001  argparse has no other way to be read
    for name, line in cli.VERBS.items():
        parser = parsers.choices[name]
        with suppress(cli.UsageError):
            parser.parse_known_args([])  # learns its arguments, and may miss one
        actions = parser._actions  # noqa: SLF001  as above
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


def write_bash(verbs: list[Described]) -> str:
    cases = "\n".join(f"        {verb.name}) words='{' '.join(_names(verb))}' ;;" for verb in verbs)
    return f"""# Completions of dayhand for bash.
_dayhand() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        words='{" ".join(verb.name for verb in verbs)} --help --version'
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        return
    fi
    if [ "$before" = --data-dir ] || [ "${{word#-}}" = "$word" ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
    fi
    case ${{COMP_WORDS[1]}} in
{cases}
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -F _dayhand dayhand
"""


def write_zsh(verbs: list[Described]) -> str:
    shown = "\n".join(f"        '{verb.name}:{_quote(verb.line)}'" for verb in verbs)
    cases = "\n".join(
        "        {}) _arguments {} '*:file:_files' ;;".format(
            verb.name,
            " ".join(
                f"'{name}[{_quote(option.help)}]{_zsh_value(name, option)}'"
                for option in verb.options
                for name in option.names
            ),
        )
        for verb in verbs
    )
    return f"""#compdef dayhand
_dayhand() {{
    local -a verbs
    verbs=(
{shown}
    )
    if (( CURRENT == 2 )); then
        _describe verb verbs
        return
    fi
    local verb=$words[2]
    shift words
    (( CURRENT-- ))
    case $verb in
{cases}
    esac
}}
_dayhand "$@"
"""


def _zsh_value(name: str, option: Option) -> str:
    if not option.value:
        return ""
    return ":folder:_files -/" if name in _FILES else f":{option.value.replace(':', ' ')}: "


def write_fish(verbs: list[Described]) -> str:
    lines = ["# Completions of dayhand for fish."]
    for verb in verbs:
        lines.append(f"complete -c dayhand -n __fish_use_subcommand -f -a {verb.name} -d '{_quote(verb.line)}'")
        for option in verb.options:
            flags = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            takes = " -r" if option.value else ""
            told = _quote(option.help)
            lines.append(f"complete -c dayhand -n '__fish_seen_subcommand_from {verb.name}' {flags}{takes} -d '{told}'")
    return "\n".join(lines) + "\n"


def _names(verb: Described) -> list[str]:
    return [name for option in verb.options for name in option.names]


def _quote(text: str) -> str:
    """Inside single quotes, and without what zsh would read as its own signs."""
    return text.replace("'", "\u2019").replace("[", "(").replace("]", ")").replace(":", " ").replace("\n", " ")


def write_all(folder: Path, date: str) -> None:
    verbs = list(describe())
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {
        "dayhand.1": write_manual(verbs, date),
        "dayhand.bash": write_bash(verbs),
        "_dayhand": write_zsh(verbs),
        "dayhand.fish": write_fish(verbs),
    }.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]), sys.argv[2])
