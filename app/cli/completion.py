"""What could be typed next, for the completions of shells: all three of them ask here, so that none lags behind."""

from argparse import Action, ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from app import cli
from scheduler.engine.refusal import RefusedError

FILES = ":files"
"""In place of words: the shell knows files best."""
_RUNS = "20"
_VERSION = ("--version", "show the version")


def offer(words: Sequence[str]) -> Iterator[str]:
    """For the last word, as far as it is typed, each that it could be, a tab, and what that means; or FILES."""
    *before, word = words or [""]
    if not before:
        found = [*cli.VERBS.items(), _VERSION, *_options(cli.parser_of("start"))]
    elif before[0].startswith("-"):
        found = list(_Typed("start", before).possible(word))
    elif before[0] in cli.VERBS:
        found = list(_Typed(before[0], before[1:]).possible(word))
    else:
        found = []
    for what, meaning in found:
        if what == FILES:
            yield FILES
        elif what.startswith(word) and (word or not what.startswith("-")):
            yield "\t".join(filter(None, (what, " ".join(meaning.split()))))


def _options(parser: ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:  # noqa: SLF001  argparse has no other way to be read
        meaning = (action.help or "") % vars(action)
        yield from ((name, meaning) for name in action.option_strings if name.startswith("--"))


class _Typed:
    """The verb and the whole words after it."""

    def __init__(self, verb: str, words: Sequence[str]) -> None:
        self._parser = cli.parser_of(verb)
        self._folder: list[str] = []
        self._wanting: Action | str | None = None
        """The option before the word, if it takes a value: fields of a connection are not known here."""
        self._operands = 0
        options = {name: action for action in self._parser._actions for name in action.option_strings}  # noqa: SLF001  argparse shows them to nobody
        for word in words:
            if self._wanting is not None:
                if isinstance(self._wanting, Action) and self._wanting.dest == "data_dir":
                    self._folder = ["--data-dir", word]
                self._wanting = None
            elif word.startswith("-"):
                action = options.get(word)
                self._wanting = word if action is None else None if action.nargs == 0 else action
            else:
                self._operands += 1

    def possible(self, word: str) -> Iterator[tuple[str, str]]:
        operands = [action for action in self._parser._actions if not action.option_strings]  # noqa: SLF001  as above
        if isinstance(self._wanting, str):
            yield FILES, ""
        elif self._wanting is not None:
            yield from self._values(self._wanting)
        elif word.startswith("-"):
            yield from _options(self._parser)
        elif self._operands < len(operands):
            yield from self._values(operands[self._operands])
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
                case "REQUEST":
                    yield from ((one["id"], one["sentence"]) for one in self._ask("attention", "requests"))
                case "RUN":
                    runs = self._ask("history", "runs", "--limit", _RUNS)
                    yield from ((one["id"], f"{one['workflow']}/{one['handler']} {one['status']}") for one in runs)
                case "CONNECTION" | "KIND:NAME":
                    yield from ((one["connection"], "") for one in self._ask("connections", "connections"))
                case "TEMPLATE":
                    yield from ((one["template"], one["summary"]) for one in self._ask("new", "templates"))

    def _ask(self, verb: str, key: str, *arguments: str) -> list[dict[str, Any]]:
        """As the command line itself would; nothing where there is no data."""
        with suppress(RefusedError):
            options = cli.parser_of(verb).parse_args([*arguments, *self._folder])
            found: list[dict[str, Any]] = options.run(options).data()[key]
            return found
        return []
