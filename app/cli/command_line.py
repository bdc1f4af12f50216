"""The command line: reads arguments, calls one verb, prints its answer.

Verbs live in modules of `app.verbs`, in groups, or in one of their own; only the one asked for is imported.
"""

import argparse
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any, NoReturn, Protocol

from app.widgets.plain import reveal
from scheduler import __version__
from scheduler.engine.refusal import RefusedError
from scheduler.timing.errors import BadScheduleError

VERBS = {
    "start": "run Dayhand (the same as no verb)",
    "quit": "end the Dayhand that runs",
    "new": "begin a workflow from a template",
    "try": "see what a script would do, without doing it",
    "deploy": "check a script and make it run",
    "list": "all workflows and how they are doing",
    "show": "one workflow with everything about it",
    "next": "what comes next",
    "run": "start a workflow now",
    "stop": "end what runs or waits",
    "pause": "let times pass without running",
    "resume": "go on after a pause",
    "skip-next": "leave out the next time",
    "backfill": "run the times of a past range",
    "publish": "put an event into a topic",
    "skip-event": "leave out an event that waits",
    "attention": "what waits for you",
    "approve": "say yes to what was asked",
    "reject": "say no",
    "resolve": "say whether it happened",
    "retry": "try again what failed",
    "fix": "have a script that failed repaired",
    "fixer": "choose who repairs scripts that fail",
    "history": "what ran, what did not, and why",
    "runs": "one run with everything about it",
    "logs": "what a run printed",
    "stats": "how it went, in numbers",
    "connections": "accounts and places, and who uses them",
    "connect": "connect an account or a place",
    "disconnect": "forget a connection",
    "grant": "allow a workflow to use a tool",
    "revoke": "forbid it again",
    "versions": "the versions of a script",
    "diff": "what changed between versions",
    "rollback": "go back to an earlier version",
    "watch": "deploy again when the file changes",
    "archive": "put a workflow away",
    "remove": "forget a workflow",
    "import-jobs": "take over the entries of another scheduler",
    "restore": "go back to the last backup",
    "uninstall-data": "delete your data and passwords, after asking",
    "export": "everything in one file, without passwords",
    "import": "go on from such a file",
    "diagnostics": "what helps to find out what is wrong",
    "preview": "show the next times of a schedule",
}
_GROUPS = {
    "looking": ("list", "show", "next"),
    "history": ("history", "runs", "logs", "stats"),
    "deploying": ("deploy", "versions", "diff", "rollback", "watch", "archive", "remove"),
    "running": ("run", "stop", "pause", "resume", "skip-next", "backfill", "publish", "skip-event"),
    "answering": ("attention", "approve", "reject", "resolve", "retry"),
    "connecting": ("connections", "connect", "disconnect"),
    "allowing": ("grant", "revoke"),
    "ending": ("quit",),
    "uninstalling": ("uninstall-data",),
    "importing": ("import-jobs",),
    "trying": ("try",),
    "creating": ("new",),
    "fixing": ("fix",),
    "choosing": ("fixer",),
    "moving": ("export", "import"),
}
"""Which module of `app.verbs` has which verbs; the others have one of their own."""
_ABOUT = ("-h", "--help", "--version")
_COMPLETE = "complete"
"""No verb for people: shells ask so what could be typed next."""
_LONGEST_SENTENCE = 500


class Answer(Protocol):
    def data(self) -> Any:
        """JSON values, for programs."""

    def lines(self) -> Iterable[str]:
        """For people."""


class UsageError(Exception):
    """Arguments that do not say what to do."""


class _Help(argparse.RawDescriptionHelpFormatter):
    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        self._action_max_length = max(self._action_max_length, 20)  # argparse forgets that verbs are indented


class _Parser(argparse.ArgumentParser):
    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=_Help, **settings)
        # `-5m` is a bad value rather than an unknown option.
        self._negative_number_matcher = re.compile(r"-[0-9]")

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message.removeprefix('argument ')}.")


class _VerbParser(_Parser):
    """Imports its verb and learns its arguments when it is asked to parse."""

    verb: str | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        if self.verb is None:
            return super().parse_known_args(args, namespace)
        rewrite = self.learn()
        return self.parse_known_intermixed_args(rewrite(list(args or ())), namespace)

    def learn(self) -> Callable[[list[str]], list[str]]:
        """Its arguments; how what was typed is to be changed before it is read."""
        assert self.verb is not None
        name, self.verb = self.verb, None
        group = next((group for group, names in _GROUPS.items() if name in names), None)
        rewrite: Callable[[list[str]], list[str]] = list
        if group is None:
            verb = import_module(f"app.verbs.{name}")
            verb.add_arguments(self)
        else:
            verb = import_module(f"app.verbs.{group}").VERBS[name]
            verb.arguments(self)
            rewrite = verb.rewrite
        self.add_argument("--json", action="store_true", help="answer in JSON")
        self.set_defaults(run=verb.run)
        return rewrite


def parser_of(verb: str) -> argparse.ArgumentParser:
    """With all arguments of that verb."""
    parser = _VerbParser(prog=f"dayhand {verb}")
    parser.verb = verb
    parser.learn()
    return parser


def run(arguments: Sequence[str]) -> int:
    """Do what the arguments say. Exit codes: 0 done, 1 refused or lost, 2 the arguments cannot be right."""
    wants_json = "--json" in arguments
    try:
        return _answer(arguments)
    except UsageError as error:
        _complain(str(error))
        return 2
    except BadScheduleError as error:
        _complain(error.sentence)
        return 2
    except RefusedError as error:
        for line in error.sentence.splitlines():
            _complain(line)
        if wants_json:
            _print([json.dumps({"error": {"code": error.code, "message": error.sentence}})])
        return 1
    except KeyboardInterrupt:
        return 130
    except EOFError:  # in place of an answer at the terminal
        _complain("Nothing was answered, so nothing was done.")
        return 1
    except SystemExit:  # --help and --version have said what they had to say
        _print(())
        raise


def _answer(arguments: Sequence[str]) -> int:
    if arguments[:1] == [_COMPLETE]:
        from app.verbs.completing import offer  # noqa: PLC0415  for shells only

        return _print(offer(arguments[1:]))
    parser = _parser()
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in _ABOUT):
        arguments = ("start", *arguments)
    if arguments[0] not in (*VERBS, *_ABOUT):
        raise UsageError(f"{arguments[0]!r} is not a verb; dayhand --help lists them.")
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        raise UsageError(f"{unknown[0]}: there is no such option.")
    answer: Answer = options.run(options)
    if options.json:
        code = _print([json.dumps(answer.data())])
    else:
        code = _print(map(reveal, answer.lines()), is_live=getattr(answer, "is_live", False))
    shortfall = getattr(answer, "shortfall", None)
    if shortfall is not None:
        _complain(shortfall)
        return 1
    return code


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


def _print(lines: Iterable[str], *, is_live: bool = False) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a letter shows "?"
    try:
        for line in lines:
            print(line, flush=is_live)
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
