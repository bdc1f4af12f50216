"""The command line: parses the arguments, runs one command, prints its answer.

The commands live in the other modules of `app.cli`; only the module of the command that runs is imported.
"""

import argparse
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from app.widgets.visible_text import escape_invisible
from scheduler import __version__
from scheduler.engine.errors import RefusedError
from scheduler.shell_words import quote_word
from scheduler.timing.errors import BadScheduleError
from scheduler.user_text import pack

if TYPE_CHECKING:
    from app.cli.command import Command

VERBS = {
    "start": "start Dayhand (the default)",
    "quit": "quit the running Dayhand",
    "new": "create a workflow from a template",
    "try": "show what a script would do, without doing it",
    "deploy": "add or update a workflow from its script",
    "list": "list workflows and their state",
    "show": "show one workflow in full",
    "next": "list upcoming runs",
    "schedules": "list schedules and their next times",
    "schedule": "show or change one schedule",
    "run": "run a workflow now",
    "stop": "stop what is running or waiting",
    "pause": "pause a workflow, or everything",
    "resume": "resume after a pause",
    "skip-next": "skip the next scheduled run",
    "backfill": "run the scheduled times of a past range",
    "publish": "publish an event to a topic",
    "skip-event": "skip a pending event",
    "attention": "list what needs your attention",
    "approve": "approve requests",
    "answer": "answer a question",
    "reject": "reject requests",
    "resolve": "say whether an interrupted action happened",
    "retry": "retry what failed",
    "dismiss": "stop showing failed runs",
    "fix": "have a failed script repaired",
    "fixer": "choose what repairs failed scripts",
    "history": "list past, missed and skipped runs",
    "runs": "show one run in full",
    "logs": "show what a run printed",
    "stats": "show run statistics",
    "report": "show what ran, what was approved and what waits",
    "log": "show what was decided about each planned time",
    "metrics": "print numbers for Prometheus and other monitoring",
    "settings": "show or change settings",
    "connections": "list connections and the workflows that use them",
    "connect": "add or change a connection",
    "disconnect": "remove a connection",
    "channels": "list what reaches you on your phone or by mail, and when",
    "tools": "list what scripts can do with a connection",
    "sdk": "let your editor and your tests import dayhand",
    "grant": "allow a workflow to use a tool",
    "revoke": "revoke a permission",
    "versions": "list the versions of a script",
    "diff": "show what changed between versions",
    "rollback": "go back to an earlier version",
    "watch": "redeploy when the file changes",
    "archive": "archive a workflow",
    "remove": "delete a workflow and its history",
    "import-jobs": "import jobs from another scheduler",
    "restore": "restore the last backup",
    "uninstall-data": "delete your data and passwords, after asking",
    "export": "export everything to one file, without passwords",
    "import": "import an exported file",
    "diagnostics": "write a file that helps to find problems",
    "preview": "show the next times of a schedule",
}
"""Every command, with its line in the help."""
_MODULES = {
    "workflows": ("list", "show", "next"),
    "schedules": ("schedules", "schedule"),
    "settings": ("settings",),
    "history": ("history", "runs", "logs", "stats"),
    "deploy": ("deploy", "versions", "diff", "rollback", "watch", "archive", "remove"),
    "run": ("run", "stop", "pause", "resume", "skip-next", "backfill", "publish", "skip-event"),
    "log": ("log",),
    "metrics": ("metrics",),
    "report": ("report",),
    "requests": ("attention", "approve", "answer", "reject", "resolve", "retry", "dismiss"),
    "connections": ("connections", "connect", "disconnect"),
    "channels": ("channels",),
    "tools": ("tools",),
    "sdk": ("sdk",),
    "grants": ("grant", "revoke"),
    "start": ("start", "quit"),
    "uninstall": ("uninstall-data",),
    "import_jobs": ("import-jobs",),
    "dry_run": ("try",),
    "new": ("new",),
    "fix": ("fix", "fixer"),
    "transfer": ("export", "import"),
    "restore": ("restore",),
    "diagnostics": ("diagnostics",),
    "preview": ("preview",),
}
"""By module of `app.cli`: the commands it holds."""
_MEANT = {
    "check": "deploy --check",
    "validate": "deploy --check",
    "test": "try",
    "dry-run": "try",
    "add": "deploy",
    "update": "deploy",
    "status": "list",
    "ls": "list",
    "trigger": "run",
    "delete": "remove",
    "rm": "remove",
    "requests": "attention",
}
"""Commands by what other programs call them."""
_GLOBAL_OPTIONS = ("-h", "--help", "--version")
_COMPLETE = "complete"
"""Hidden command that the shell completions call."""
_MAX_SENTENCE = 500
_VERBATIM = frozenset({"attention", "diff", "logs", "runs", "start", "try"})
"""Commands whose lines show texts of scripts as they are, or name the data folder themselves."""
_DATA_DIR = "--data-dir"
_WITHOUT_FOLDER = {"preview", "sdk", "tools"}
"""Commands that need no data."""


class CommandOutput(Protocol):
    def data(self) -> Any:
        """The JSON that `--json` prints."""

    def lines(self) -> Iterable[str]:
        """The text that is printed otherwise."""


class UsageError(Exception):
    """The arguments are wrong."""


class _Help(argparse.RawDescriptionHelpFormatter):
    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        self._action_max_length = max(self._action_max_length, 20)  # argparse ignores the indent of commands


class _Parser(argparse.ArgumentParser):
    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=_Help, **settings)
        # Read `-5m` as a bad value, not as an unknown option.
        self._negative_number_matcher = re.compile(r"-[0-9]")

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message.removeprefix('argument ')}.")


class _VerbParser(_Parser):
    """Imports its command and adds its arguments only when it has to parse."""

    verb: str | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        if self.verb is None:
            return super().parse_known_args(args, namespace)
        rewrite = self.load()
        return self.parse_known_intermixed_args(rewrite(list(args or ())), namespace)

    def load(self) -> Callable[[list[str]], list[str]]:
        """Add the command's arguments; return its rewrite of what was typed."""
        assert self.verb is not None
        name, self.verb = self.verb, None
        module = next(module for module, names in _MODULES.items() if name in names)
        verb: Command = import_module(f"app.cli.{module}").VERBS[name]
        verb.arguments(self)
        self.add_argument("--json", action="store_true", help="print JSON")
        self.set_defaults(run=verb.run)
        return verb.rewrite


def parser_of(verb: str) -> argparse.ArgumentParser:
    """A parser with all arguments of that command."""
    parser = _VerbParser(prog=f"dayhand {verb}")
    parser.verb = verb
    parser.load()
    return parser


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code: 0 done, 1 refused or failed, 2 wrong arguments."""
    wants_json = "--json" in arguments
    folder_option = _read_folder_option(arguments)
    try:
        return _run(arguments)
    except UsageError as error:
        print_to_stderr(str(error))
        return 2
    except BadScheduleError as error:
        print_to_stderr(error.sentence)
        return 2
    except RefusedError as error:
        sentence = add_folder_option(error.sentence, folder_option)
        for line in sentence.splitlines():
            print_to_stderr(line)
        if wants_json:
            answer = {"code": error.code, "message": sentence, "text": pack(error.sentence)}
            _print([json.dumps({"error": answer})])
        return 1
    except KeyboardInterrupt:
        return 130
    except EOFError:  # Ctrl+D at a prompt
        print_to_stderr("No answer was given; nothing was changed.")
        return 1
    except SystemExit:  # --help and --version
        _print(())
        raise


def _run(arguments: Sequence[str]) -> int:
    if arguments[:1] == [_COMPLETE]:
        from app.cli.completion import complete

        return _print(complete(arguments[1:]))
    parser, arguments = _parser(), _put_verb_first(arguments)
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in _GLOBAL_OPTIONS):
        arguments = ("start", *arguments)
    if arguments[0] not in (*VERBS, *_GLOBAL_OPTIONS):
        raise UsageError(f"{arguments[0]!r} is not a command; {_suggest_command(arguments[0])}")
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        raise UsageError(f"Unknown option: {unknown[0]}.")
    answer: CommandOutput = options.run(options)
    folder_option = _read_folder_option(arguments)
    if options.json and not getattr(answer, "prints_json_lines", False):
        code = _print([json.dumps(answer.data())])
    else:
        lines: Iterable[str] = answer.lines()
        if not getattr(answer, "is_verbatim", False):
            added = "" if arguments[0] in _VERBATIM else folder_option
            lines = (add_folder_option(escape_invisible(line), added) for line in lines)
        code = _print(lines, is_live=getattr(answer, "is_live", False))
    failure = getattr(answer, "failure", None)
    if failure is not None:
        print_to_stderr(add_folder_option(failure, folder_option))
        return 1
    return code


def _put_verb_first(arguments: Sequence[str]) -> Sequence[str]:
    """`--data-dir DIR list` is `list --data-dir DIR`."""
    place = 2 if arguments[:1] == [_DATA_DIR] else int(" ".join(arguments[:1]).startswith(f"{_DATA_DIR}="))
    if place and arguments[place : place + 1] and arguments[place] in VERBS:
        return [arguments[place], *arguments[:place], *arguments[place + 1 :]]
    return arguments


def _suggest_command(word: str) -> str:
    from difflib import get_close_matches

    near = _MEANT.get(word) or next(iter(get_close_matches(word, VERBS, 1)), None)
    return f"perhaps you mean dayhand {near}." if near else "see dayhand --help."


def _read_folder_option(arguments: Sequence[str]) -> str:
    """The data folder that the user gave, as an option to type again; empty if none."""
    for place, word in enumerate(arguments):
        if word == _DATA_DIR and place + 1 < len(arguments):
            return format_folder_option(arguments[place + 1])
        if word.startswith(f"{_DATA_DIR}="):
            return format_folder_option(word.partition("=")[2])
    return ""


def format_folder_option(folder: str | os.PathLike[str] | None) -> str:
    """Empty without a folder."""
    return "" if folder is None else f"{_DATA_DIR} {quote_word(os.fspath(folder))}"


def add_folder_option(text: str, folder_option: str) -> str:
    """The text with the option in every command that it names, so that they can be typed as they are."""
    if not folder_option:
        return text
    with_verb = rf"(?<!from )\bdayhand (?:{'|'.join(VERBS.keys() - _WITHOUT_FOLDER)})(?![\w-])(?! {_DATA_DIR})"
    to_start = r"(?<=: )dayhand(?=[,.]|$)|\bdayhand(?= --headless)"
    return re.sub(f"{with_verb}|{to_start}", lambda command: f"{command[0]} {folder_option}", text)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="dayhand", description="Runs your recurring chores on time, and asks first.")
    parser.add_argument("--version", action="version", version=f"dayhand {__version__}")
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_VerbParser)
    for verb, help_line in VERBS.items():
        verbs.add_parser(verb, help=help_line).verb = verb
    return parser


def print_to_stderr(sentence: str) -> None:
    """Always one line of limited length, without control characters."""
    if len(sentence) > _MAX_SENTENCE:
        sentence = f"{sentence[: _MAX_SENTENCE // 2]} … {sentence[-_MAX_SENTENCE // 2 :]}"
    shown = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in sentence)
    if sys.stderr is not None:  # print would fall back to stdout
        print(shown, file=sys.stderr)


def _print(lines: Iterable[str], *, is_live: bool = False) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a character that the terminal cannot show becomes "?"
    try:
        for line in lines:
            print(line, flush=is_live)
        print(end="", flush=True)
    except BrokenPipeError:  # the reader, such as head, has closed the pipe
        _silence_stdout()
    except OSError as error:
        _silence_stdout()
        print_to_stderr(f"The answer could not be written: {error.strerror}.")
        return 1
    return 0


def _silence_stdout() -> None:
    """Keep Python from flushing it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
