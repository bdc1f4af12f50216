"""Completions for the command line, computed from the parsers; the bash, zsh and fish scripts only call this."""

from argparse import Action, ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from app.cli import command_line
from scheduler.engine.errors import RefusedError
from scheduler.rules.handler_ids import handler_id

FILES = ":files"
"""Returned instead of words: the shell completes file names itself."""
_MAX_RUNS = "20"
_VERSION = ("--version", "show the version")


def complete(words: Sequence[str]) -> Iterator[str]:
    """Completions of the last word, each with a tab and its description; or FILES."""
    *before, word = words or [""]
    if not before:
        found = [*command_line.VERBS.items(), _VERSION, *_options(command_line.parser_of("start"))]
    elif before[0].startswith("-"):
        found = list(_TypedWords("start", before).completions(word))
    elif before[0] in command_line.VERBS:
        found = list(_TypedWords(before[0], before[1:]).completions(word))
    else:
        found = []
    for what, meaning in found:
        if what == FILES:
            yield FILES
        elif what.startswith(word) and (word or not what.startswith("-")):
            yield "\t".join(filter(None, (what, " ".join(meaning.split()))))


def _options(parser: ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:  # noqa: SLF001  argparse has no public way to list them
        meaning = (action.help or "") % vars(action)
        yield from ((name, meaning) for name in action.option_strings if name.startswith("--"))


class _TypedWords:
    """A command and the complete words after it."""

    def __init__(self, verb: str, words: Sequence[str]) -> None:
        self._parser = command_line.parser_of(verb)
        self._data_dir_option: list[str] = []
        self._open_option: Action | str | None = None
        """The option before the word, if it takes a value. A string is an unknown one: a field of a connection."""
        self._operands: list[str] = []
        options = {name: action for action in self._parser._actions for name in action.option_strings}  # noqa: SLF001  as above
        for word in words:
            if self._open_option is not None:
                if isinstance(self._open_option, Action) and self._open_option.dest == "data_dir":
                    self._data_dir_option = ["--data-dir", word]
                self._open_option = None
            elif word.startswith("-"):
                action = options.get(word)
                self._open_option = word if action is None else None if action.nargs == 0 else action
            else:
                self._operands.append(word)

    def completions(self, word: str) -> Iterator[tuple[str, str]]:
        operands = [action for action in self._parser._actions if not action.option_strings]  # noqa: SLF001  as above
        if isinstance(self._open_option, str):
            yield FILES, ""
        elif self._open_option is not None:
            yield from self._values(self._open_option)
        elif word.startswith("-"):
            yield from _options(self._parser)
        elif len(self._operands) < len(operands):
            yield from self._values(operands[len(self._operands)])
        elif operands and operands[-1].nargs in ("*", "+"):
            yield from self._values(operands[-1])

    def _values(self, action: Action) -> Iterator[tuple[str, str]]:
        if action.choices is not None:
            yield from ((str(choice), "") for choice in action.choices)
            return
        for kind in str(action.metavar).split("|"):
            match kind:
                case "FILE" | "DIR":
                    yield FILES, ""
                case "WORKFLOW" | "WORKFLOW[/HANDLER]":
                    yield from ((one["workflow"], one["words"]) for one in self._ask("list", "workflows"))
                case "WORKFLOW/HANDLER":
                    yield from ((one["schedule"], one["words"]) for one in self._ask("schedules", "schedules"))
                case "SETTING":
                    from scheduler.engine.setting_values import SETTINGS  # slow to load

                    yield from ((key, rule.meaning) for key, rule in SETTINGS.items())
                case "VALUE":
                    from scheduler.engine.setting_values import SETTINGS

                    rule = SETTINGS.get(self._operands[-1])
                    yield from ((choice, "") for choice in (() if rule is None else rule.choices))
                case "REQUEST":
                    yield from ((one["id"], one["sentence"]) for one in self._ask("attention", "requests"))
                case "RUN":
                    runs = self._ask("history", "runs", "--limit", _MAX_RUNS)
                    yield from (
                        (one["id"], f"{handler_id(one['workflow'], one['handler'])} {one['status']}") for one in runs
                    )
                case "CONNECTION" | "KIND:NAME":
                    yield from ((one["connection"], "") for one in self._ask("connections", "connections"))
                case "TEMPLATE":
                    yield from ((one["template"], one["summary"]) for one in self._ask("new", "templates"))

    def _ask(self, verb: str, key: str, *arguments: str) -> list[dict[str, Any]]:
        """Run another command for its data; empty without a data folder."""
        with suppress(RefusedError):
            options = command_line.parser_of(verb).parse_args([*arguments, *self._data_dir_option])
            found: list[dict[str, Any]] = options.run(options).data()[key]
            return found
        return []
