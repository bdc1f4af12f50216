"""`fixer`: choose who repairs scripts that fail, within which limits, and whether a repair waits for your yes."""

import getpass
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from app.cli import UsageError
from app.keeping.folder import add_data_dir
from app.verbs.verb import Told, Verb, ask
from scheduler.engine.refusal import RefusedError

_DESCRIPTION = """Choose who repairs a script that fails. Nobody does unless you say so here or in Settings:

  dayhand fixer                                   shows what you chose
  dayhand fixer command 'llm -m small'            a command: the problem goes in, the new script comes out
  dayhand fixer server http://localhost:11434/v1 --model NAME
  dayhand fixer off

Once it is on, a script that fails is sent: with its error, the end of its log and what it worked on, without secrets
and without the words of mails. dayhand fix RUN --show shows what that is; with --look-first you see it before. A repair
waits for your yes unless you say --automatic; one that changes how events are told apart, which commands are run or
what is done outside without asking you, or brings in something new, always does. dayhand rollback goes back."""
_SUBJECTS = {"command": "COMMAND", "server": "URL"}
_LARGEST = 10_000


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    add = parser.add_argument
    add("kind", nargs="?", choices=["off", *_SUBJECTS], metavar="off|command|server")
    add("subject", nargs="?", metavar="COMMAND|URL", help="only what you give changes; the rest stays as it was")
    add("--model", metavar="NAME")
    keys = parser.add_mutually_exclusive_group()
    keys.add_argument("--key", action="store_true", help="ask for the key of the server, which the keyring keeps")
    keys.add_argument("--key-from-stdin", action="store_true", help="read the key, for programs")
    keys.add_argument("--no-key", action="store_true", help="forget the key")
    add("--tokens", type=int, metavar="N", help="how many tokens one repair may cost")
    add("--seconds", type=int, metavar="N", help="how long one repair may take")
    sent = parser.add_mutually_exclusive_group()
    sent.add_argument("--look-first", action="store_true", help="send nothing before you have looked at it")
    sent.add_argument("--at-once", action="store_true", help="send a script as soon as it fails")
    used = parser.add_mutually_exclusive_group()
    used.add_argument("--automatic", action="store_true", help="use repairs without asking")
    used.add_argument("--ask", action="store_true", help="use repairs only after your yes")


def _choose(options: Namespace) -> Told:
    settings = _read_settings(options)
    secrets = _read_key(options)
    return Told(ask(options, "fixer", settings=settings, secrets=secrets), _say)


def _read_settings(options: Namespace) -> dict[str, Any]:
    given = {name: getattr(options, name) for name in ("kind", "model", "tokens", "seconds")}
    settings = {name: value for name, value in given.items() if value is not None}
    if options.subject is not None:
        if options.kind not in _SUBJECTS:
            raise UsageError(f"{options.kind} takes nothing more; {options.subject!r} was not expected.")
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
        key = "" if sys.stdin is None else sys.stdin.read(_LARGEST).strip()
    elif not options.key:
        return {}
    elif sys.stdin is None or not sys.stdin.isatty():
        raise RefusedError("secret", "The key is a secret. Ask at a terminal, or give it with --key-from-stdin.")
    else:
        key = getpass.getpass("Key of the server: ").strip()
    if not key:
        raise RefusedError("secret", "No key was given, and nothing was changed.")
    return {"key": key}


def _say(chosen: dict[str, Any]) -> Iterator[str]:
    match chosen["kind"]:
        case "command":
            yield f"Scripts that fail are repaired by the command: {chosen['command']}"
        case "server":
            key = "with a key from the keyring" if chosen["has_key"] else "without a key"
            yield f"Scripts that fail are repaired by {chosen['model']} at {chosen['url']}, {key}."
            yield f"One repair may cost {chosen['tokens']} tokens."
        case _:
            yield "Nobody repairs scripts that fail. dayhand fixer --help says how to choose somebody."
            return
    yield f"One repair may take {chosen['seconds']} seconds."
    if chosen["shows"]:
        yield "Nothing is sent before you have looked at it in Attention."
    if chosen["applies"]:
        yield (
            "It is used without asking, unless it changes how events are told apart, which commands are run or what is "
            "done outside without asking you."
        )
    else:
        yield "It waits for your yes."


VERBS = {"fixer": Verb(_arguments, _choose)}
