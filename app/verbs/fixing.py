"""`fix`: have a script that failed repaired by a command or a model server of your choice, and look at it first."""

import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from app.cli import UsageError
from app.keeping.folder import add_data_dir
from app.verbs.verb import Told, Verb, ask

_DESCRIPTION = """Have the script of a failed run repaired, by whom the settings name (dayhand fixer) or by:

  --with 'llm -m small'                  a command: the problem goes in, the new script comes out
  --url http://localhost:11434/v1 --model NAME    a server that speaks the chat-completions protocol

What is sent holds the script, the error, the end of the log and what the run worked on, without secrets and without the
words of mails; --show shows it and sends nothing. The answer may not change topics, connections, tools, handlers or
when you are asked. You see the difference and say yes before it is used; dayhand rollback goes back."""


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    add = parser.add_argument
    add("failed", metavar="RUN", help="its id, or the beginning of it")
    add("--with", dest="command", metavar="COMMAND")
    add("--url", metavar="URL")
    add("--model", metavar="NAME")
    add("--key", metavar="CONNECTION", help="whose secret is the server's key, such as secret:models")
    add("--show", action="store_true", help="only show what would be sent")
    add("--yes", action="store_true", help="use the repair without asking, unless it needs your yes")


def _fix(options: Namespace) -> Told:
    if options.show:
        answer = ask(options, "fix_problem", run=options.failed)
        return Told(answer, lambda told: [told["rules"], "", *told["prompt"].splitlines()])
    proposal = ask(options, "fix_propose", run=options.failed, fixer=_fixer(options))
    wanted = _is_wanted(options, proposal)
    if not wanted:
        return Told({**proposal, "applied": False}, _say_proposal)
    automatic = options.yes
    answer = ask(options, "fix_apply", run=proposal["run"], source=proposal["source"], automatic=automatic)
    return Told({**proposal, **answer}, _say_applied)


def _fixer(options: Namespace) -> dict[str, Any]:
    if options.command is None and options.url is None and options.model is None:
        return {}
    if (options.command is None) == (options.url is None) or (options.url is None) != (options.model is None):
        raise UsageError("Say who repairs it: --with COMMAND, or --url URL and --model NAME.")
    if options.command is None:
        return {"url": options.url, "model": options.model, "key": options.key}
    try:
        words = shlex.split(options.command)
    except ValueError as error:
        raise UsageError(f"--with: the quotes in {options.command!r} do not match.") from error
    return {"command": words}


def _is_wanted(options: Namespace, proposal: dict[str, Any]) -> bool:
    if options.yes:
        return True
    if options.json or not (sys.stdin is not None and sys.stdin.isatty()):
        return False
    for line in (*proposal["difference"].splitlines(), *proposal["asks"]):
        sys.stdout.write(f"{line}\n")
    return input("Use this script? [y/N] ").strip().lower() in ("y", "yes")


def _say_proposal(answer: dict[str, Any]) -> Iterator[str]:
    yield from answer["difference"].splitlines()
    yield from answer["asks"]
    yield "Nothing was changed. To use such a repair, ask for it at a terminal, or with --yes."


def _say_applied(answer: dict[str, Any]) -> Iterator[str]:
    if answer["applied"]:
        yield f"{answer['workflow']} goes on with version {answer['version']}. Your own file is as it was."
        yield f"Go back: dayhand rollback {answer['workflow']}"
    else:
        yield f"You saved a newer script meanwhile, so the repair is kept as version {answer['version']} and not used."


VERBS = {"fix": Verb(_arguments, _fix)}
