"""The command line: reads arguments, calls one verb, prints its answer.

A verb is a module with `add_arguments(parser)` and `run(options) -> Answer`; only the one asked for is imported.
"""

import argparse
import io
import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, NoReturn, Protocol

from scheduler import __version__
from scheduler.timing.errors import BadScheduleError

VERBS = {
    "start": "run Dayhand (the same as no verb)",
    "restore": "go back to the last backup",
    "preview": "show the next times of a schedule",
}
_ABOUT = ("-h", "--help", "--version")
_LONGEST_SENTENCE = 500


class Answer(Protocol):
    def data(self) -> Any:
        """JSON values, for programs."""

    def lines(self) -> Iterable[str]:
        """For people."""


class RefusedError(Exception):
    """A verb that cannot do what it was asked; the message says why and what to do."""


class _UsageError(Exception):
    """Arguments that do not say what to do."""


class _Parser(argparse.ArgumentParser):
    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings)
        # `-5m` is a bad value rather than an unknown option.
        self._negative_number_matcher = re.compile(r"-[0-9]")

    def error(self, message: str) -> NoReturn:
        raise _UsageError(f"{message.removeprefix('argument ')}.")


class _VerbParser(_Parser):
    """Imports its verb and learns its arguments when it is asked to parse."""

    verb: str | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        if self.verb is None:
            return super().parse_known_args(args, namespace)
        verb, self.verb = import_module(f"app.{self.verb}"), None
        verb.add_arguments(self)
        self.add_argument("--json", action="store_true", help="answer in JSON")
        self.set_defaults(run=verb.run)
        return self.parse_known_intermixed_args(args, namespace)


def run(arguments: Sequence[str]) -> int:
    """Do what the arguments say. Exit codes: 0 done, 1 refused or lost, 2 the arguments cannot be right."""
    try:
        lines = _answer(arguments)
    except _UsageError as error:
        _complain(str(error))
        return 2
    except BadScheduleError as error:
        _complain(error.sentence)
        return 2
    except RefusedError as error:
        _complain(str(error))
        return 1
    except SystemExit:  # --help and --version have said what they had to say
        _print(())
        raise
    return _print(lines)


def _answer(arguments: Sequence[str]) -> Iterable[str]:
    parser = _parser()
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in _ABOUT):
        arguments = ("start", *arguments)
    if arguments[0] not in (*VERBS, *_ABOUT):
        raise _UsageError(f"{arguments[0]!r} is not a verb; dayhand --help lists them.")
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        raise _UsageError(f"{unknown[0]}: there is no such option.")
    answer: Answer = options.run(options)
    return [json.dumps(answer.data())] if options.json else answer.lines()


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="dayhand", description="Runs your recurring chores on time, and asks first.")
    parser.add_argument("--version", action="version", version=f"dayhand {__version__}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", parser_class=_VerbParser)
    for verb, help_line in VERBS.items():
        verbs.add_parser(verb, help=help_line).verb = verb
    return parser


def _complain(sentence: str) -> None:
    """One line, whatever was typed: no control characters, no pages."""
    if len(sentence) > _LONGEST_SENTENCE:
        sentence = f"{sentence[: _LONGEST_SENTENCE // 2]} … {sentence[-_LONGEST_SENTENCE // 2 :]}"
    shown = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in sentence)
    if sys.stderr is not None:  # print would take stdout instead
        print(shown, file=sys.stderr)


def _print(lines: Iterable[str]) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a letter shows "?"
    try:
        for line in lines:
            print(line)
        print(end="", flush=True)
    except BrokenPipeError:  # the reader has seen enough
        _give_up_stdout()
    except OSError as error:
        _give_up_stdout()
        _complain(f"The answer could not be written: {error.strerror}.")
        return 1
    return 0


def _give_up_stdout() -> None:
    """Keep Python from trying again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
