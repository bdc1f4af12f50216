"""`fix` and `fixer`: have a failed script repaired, and choose what repairs it, within which limits."""

import getpass
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from app.cli.command import Command, CommandResult, call_api
from app.cli.command_line import UsageError
from app.data.data_dir import add_data_dir
from scheduler.engine.errors import RefusedError
from scheduler.shell_words import split_words
from scheduler.timing.durations import describe_seconds

_FIX_DESCRIPTION = """Have the script of a failed run repaired, by the fixer you chose (dayhand fixer) or by:

  --with 'llm -m small'                  a command: reads the problem, prints the new script
  --url http://localhost:11434/v1 --model NAME    a server that speaks the chat-completions protocol

The script, the error, the end of the log and the data of the run are sent, without secrets and without the text of
mails; --show prints them and sends nothing. A repair may not change topics, connections, tools, handlers or when you
are asked. You see the changes and approve them before they are used; dayhand rollback undoes them."""
_FIXER_DESCRIPTION = """Choose what repairs a script that fails. Nothing does unless you choose it here or in Settings:

  dayhand fixer                                   shows your choice
  dayhand fixer command 'llm -m small'            a command: reads the problem, prints the new script
  dayhand fixer server http://localhost:11434/v1 --model NAME
  dayhand fixer off

Once it is on, a script that fails is sent with its error, the end of its log and the data of the run, without secrets
and without the text of mails. dayhand fix RUN --show prints what would be sent; with --look-first you see it before it
is sent. A repair waits for your approval unless you choose --automatic. One that changes how events are identified,
which commands are run or what is done without asking you, or that adds something new, always waits. dayhand rollback
undoes a repair."""
_SUBJECTS = {"command": "COMMAND", "server": "URL"}
_MAX_KEY_CHARS = 10_000


def _fix_arguments(parser: ArgumentParser) -> None:
    parser.description = _FIX_DESCRIPTION
    add_data_dir(parser)
    add = parser.add_argument
    add("failed", metavar="RUN", help="its ID, or the beginning of it")
    add("--with", dest="command", metavar="COMMAND")
    add("--url", metavar="URL")
    add("--model", metavar="NAME")
    add("--key", metavar="CONNECTION", help="the connection that holds the server's key, such as secret:models")
    add("--show", action="store_true", help="only show what would be sent")
    add("--yes", action="store_true", help="use the repair without asking, unless it needs your approval")


def _fix(options: Namespace) -> CommandResult:
    if options.show:
        answer = call_api(options, "fix_problem", run=options.failed)
        return CommandResult(answer, _render_problem)
    proposal = call_api(options, "fix_propose", run=options.failed, fixer=_named_fixer(options))
    if not _is_approved(options, proposal):
        return CommandResult({**proposal, "applied": False}, _render_proposal)
    automatic = options.yes
    answer = call_api(options, "fix_apply", run=proposal["run"], source=proposal["source"], automatic=automatic)
    return CommandResult({**proposal, **answer}, _render_applied)


def _render_problem(problem: dict[str, Any]) -> Iterator[str]:
    yield "This would be sent, and nothing else. Nothing has been sent."
    yield ""
    yield problem["rules"]
    yield ""
    yield from problem["prompt"].splitlines()


def _named_fixer(options: Namespace) -> dict[str, Any]:
    """Empty for the one of the settings."""
    if options.command is None and options.url is None and options.model is None:
        return {}
    if (options.command is None) == (options.url is None) or (options.url is None) != (options.model is None):
        raise UsageError("Choose a fixer: --with COMMAND, or --url URL and --model NAME.")
    if options.command is None:
        return {"url": options.url, "model": options.model, "key": options.key}
    try:
        words = split_words(options.command)
    except ValueError as error:
        raise UsageError(f"--with: the quotes in {options.command!r} do not match.") from error
    return {"command": words}


def _is_approved(options: Namespace, proposal: dict[str, Any]) -> bool:
    if options.yes:
        return True
    if options.json or not (sys.stdin is not None and sys.stdin.isatty()):
        return False
    for line in (*proposal["difference"].splitlines(), *proposal["asks"]):
        sys.stdout.write(f"{line}\n")
    return input("Use this script? [y/N] ").strip().lower() in ("y", "yes")


def _render_proposal(answer: dict[str, Any]) -> Iterator[str]:
    yield from answer["difference"].splitlines()
    yield from answer["asks"]
    yield "Nothing was changed. To use a repair, run this in a terminal, or with --yes."


def _render_applied(answer: dict[str, Any]) -> Iterator[str]:
    if answer["applied"]:
        yield f"{answer['workflow']} now runs version {answer['version']}. Your own file is unchanged."
        yield f"To undo: dayhand rollback {answer['workflow']}"
    else:
        yield f"You have saved a newer script, so the repair is kept as version {answer['version']} and not used."


def _fixer_arguments(parser: ArgumentParser) -> None:
    parser.description = _FIXER_DESCRIPTION
    add_data_dir(parser)
    add = parser.add_argument
    add("kind", nargs="?", choices=["off", *_SUBJECTS], metavar="off|command|server")
    add("subject", nargs="?", metavar="COMMAND|URL", help="only what you give changes; everything else is kept")
    add("--model", metavar="NAME")
    keys = parser.add_mutually_exclusive_group()
    keys.add_argument("--key", action="store_true", help="prompt for the server's key, which is stored in the keyring")
    keys.add_argument("--key-from-stdin", action="store_true", help="read the key from stdin")
    keys.add_argument("--no-key", action="store_true", help="delete the key")
    add("--tokens", type=int, metavar="N", help="most tokens that one repair may use")
    add("--seconds", type=int, metavar="N", help="longest time that one repair may take")
    sent = parser.add_mutually_exclusive_group()
    sent.add_argument("--look-first", action="store_true", help="send nothing before you have seen it")
    sent.add_argument("--at-once", action="store_true", help="send a script as soon as it fails")
    used = parser.add_mutually_exclusive_group()
    used.add_argument("--automatic", action="store_true", help="use repairs without asking")
    used.add_argument("--ask", action="store_true", help="use repairs only after you approve them")


def _fixer(options: Namespace) -> CommandResult:
    settings = _read_settings(options)
    secrets = _read_key(options)
    return CommandResult(call_api(options, "fixer", settings=settings, secrets=secrets), _render_fixer)


def _read_settings(options: Namespace) -> dict[str, Any]:
    given = {name: getattr(options, name) for name in ("kind", "model", "tokens", "seconds")}
    settings = {name: value for name, value in given.items() if value is not None}
    if options.subject is not None:
        if options.kind not in _SUBJECTS:
            raise UsageError(f"{options.kind} takes no argument; got {options.subject!r}.")
        settings["command" if options.kind == "command" else "url"] = options.subject
    if options.automatic or options.ask:
        settings["applies"] = options.automatic
    if options.look_first or options.at_once:
        settings["shows"] = options.look_first
    return settings


def _read_key(options: Namespace) -> dict[str, str]:
    if options.no_key:
        return {"key": ""}
    if options.key_from_stdin:
        key = "" if sys.stdin is None else sys.stdin.read(_MAX_KEY_CHARS).strip()
    elif not options.key:
        return {}
    elif sys.stdin is None or not sys.stdin.isatty():
        raise RefusedError("secret", "The key is a secret. Run this in a terminal, or use --key-from-stdin.")
    else:
        key = getpass.getpass("Key of the server: ").strip()
    if not key:
        raise RefusedError("secret", "No key was given; nothing was changed.")
    return {"key": key}


def _render_fixer(chosen: dict[str, Any]) -> Iterator[str]:
    match chosen["kind"]:
        case "command":
            yield f"Failed scripts are repaired by the command: {chosen['command']}"
        case "server":
            key = "with a key from the keyring" if chosen["has_key"] else "without a key"
            yield f"Failed scripts are repaired by {chosen['model']} at {chosen['url']}, {key}."
            yield f"One repair may use {chosen['tokens']} tokens."
        case _:
            yield "Failed scripts are not repaired. To choose a fixer, see dayhand fixer --help"
            return
    yield f"One repair may take {describe_seconds(chosen['seconds'])}."
    if chosen["shows"]:
        yield "Nothing is sent before you have seen it in Attention."
    if chosen["applies"]:
        yield (
            "It is used without asking, unless it changes how events are identified, which commands are run or what is "
            "done without asking you."
        )
    else:
        yield "It waits for your approval."


VERBS = {"fix": Command(_fix_arguments, _fix), "fixer": Command(_fixer_arguments, _fixer)}
