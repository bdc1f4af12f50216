"""`connections`, `connect`, `disconnect`: accounts and places. Secrets are asked for, never taken from arguments."""

import getpass
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.cli import UsageError
from app.keeping.folder import add_data_dir
from app.verbs.human import say_time, table
from app.verbs.verb import Told, Verb, ask
from scheduler.engine.refusal import RefusedError

_TAKE_A_VALUE = ("--data-dir", "--set", "--request")
_OURS = ("--json", "--help", "-h", "--no-test", "--secrets-from-stdin", *_TAKE_A_VALUE)
_LARGEST = 1_000_000
"""Bytes that secrets may have."""


def _connections_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show the accounts and places that workflows use, and whether they are connected."
    add_data_dir(parser)


def _connections(options: Namespace) -> Told:
    return Told(ask(options, "connections"), _say_connections)


def _say_connections(answer: dict[str, Any]) -> Iterator[str]:
    if not answer["connections"]:
        yield "Nothing is connected, and no workflow uses anything."
        return
    yield from table(
        ("CONNECTION", "HOW", "LAST USED", "USED BY"),
        [
            (
                one["connection"],
                one["trouble"] or ("connected" if one["is_connected"] else "not connected"),
                say_time(one["used"], "never"),
                ", ".join(one["used_by"]) or "nobody",
            )
            for one in answer["connections"]
        ],
    )


def _connect_arguments(parser: ArgumentParser) -> None:
    parser.description = """Connect an account or a place, or change how.

Its fields are options: dayhand connect table:expenses --path ~/expenses.csv
At a terminal you are asked for what is needed and not given. What is secret is always asked for, and only the keyring
of this computer keeps it. Connecting again changes only what is given."""
    add_data_dir(parser)
    parser.add_argument("name", metavar="KIND:NAME")
    parser.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE", help="the same as --FIELD VALUE")
    parser.add_argument("--request", metavar="ID", help="the same id again gets the first answer")
    parser.add_argument("--no-test", action="store_true", help="keep it without trying whether it works")
    parser.add_argument(
        "--secrets-from-stdin", action="store_true", help="read what is secret as a JSON object, for programs"
    )


def name_fields(words: list[str]) -> list[str]:
    """`--path x` becomes `--set path=x`, for whatever fields a kind of connection has."""
    written: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, _, value = word.partition("=")
        if not word.startswith("--") or word == "--" or name in _OURS:
            written.append(word)
            if word in _TAKE_A_VALUE and rest:
                written.append(rest.pop(0))
        elif "=" in word:
            written.append(f"--set={name[2:]}={value}")
        elif rest and not rest[0].startswith("--"):
            written.append(f"--set={name[2:]}={rest.pop(0)}")
        else:
            written.append(f"--set={name[2:]}=true")
    return written


def _connect(options: Namespace) -> Told:
    settings = {}
    for text in options.set:
        name, sign, value = text.partition("=")
        if not name or not sign:
            raise UsageError(f"--set takes FIELD=VALUE, not {text!r}.")
        settings[name.replace("-", "_")] = _settle(name, value)
    _refuse_secrets(ask(options, "fields", name=options.name), settings)
    if not options.secrets_from_stdin and _at_terminal():
        _ask_missing(options, settings)
    known = ask(options, "fields", name=options.name, settings=settings)
    secrets = _read_secrets() if options.secrets_from_stdin else _ask_secrets(known)
    if known["signs_in"] and _signs_in(options, settings, secrets):
        sys.stderr.write(f"Sign in to {known['title']} in the browser that opens now.\n")
    answer = ask(
        options,
        "connect",
        name=options.name,
        settings={**{name: value for name, value in known["settings"].items() if value is not None}, **settings},
        secrets=secrets,
        test=not options.no_test,
        request_id=options.request,
    )
    return Told(answer, lambda told: [told["sentence"]])


def _signs_in(options: Namespace, settings: dict[str, Any], secrets: dict[str, Any]) -> bool:
    """Whether a browser will open although these secrets are given; the question does without their values."""
    given = {name: "given" for name, value in secrets.items() if value}
    return bool(ask(options, "fields", name=options.name, settings={**settings, **given})["signs_in"])


def _refuse_secrets(known: dict[str, Any], given: dict[str, str]) -> None:
    """Before they go anywhere."""
    for field in known["fields"]:
        if field["secret"] and field["name"] in given:
            raise RefusedError(
                "secret",
                f"{field['label']} of {known['connection']} is a secret: never type it in a command, where others can "
                "read it. Leave it out and you will be asked for it, or give it with --secrets-from-stdin.",
            )


def _ask_missing(options: Namespace, settings: dict[str, str]) -> None:
    """Whoever left out what is needed is asked for all that has no answer yet; an empty answer stands for none."""
    fields = _unanswered(options, settings)
    if not any(field["required"] for field in fields):
        return
    while fields:
        field = fields[0]
        hint = f" ({field['help'].rstrip('.')})" if field["help"] else "" if field["required"] else " (if there is one)"
        typed = input(f"{field['label']}{hint}: ").strip()
        if typed or not field["required"]:
            settings[field["name"]] = _settle(field["name"], typed)
        fields = _unanswered(options, settings)


def _unanswered(options: Namespace, settings: dict[str, str]) -> list[dict[str, Any]]:
    """What counts beside the answers there are; files that few need are left to those who name them."""
    known = ask(options, "fields", name=options.name, settings=settings)
    taken = {**known["settings"], **settings}
    return [
        field
        for field in known["fields"]
        if not field["secret"] and field["default"] is None and field["name"] not in taken
        if field["required"] or field["kind"] != "path"
    ]


def _ask_secrets(known: dict[str, Any]) -> dict[str, str]:
    """One after the other at the terminal, unseen; nothing stands for what is kept already, or for none."""
    wanted = [field for field in known["fields"] if field["secret"]]
    if not wanted:
        return {}
    if not _at_terminal():
        missing = [field for field in wanted if field["required"] and field["name"] not in known["kept"]]
        if missing:
            raise RefusedError(
                "secret",
                f"{missing[0]['label']} of {known['connection']} is a secret. Connect it in a terminal, where you are "
                "asked for it, or give it with --secrets-from-stdin.",
            )
        return {}
    given = {field["name"]: getpass.getpass(f"{field['label']}{_say_empty(field, known)}: ") for field in wanted}
    return {name: value for name, value in given.items() if value}


def _say_empty(field: dict[str, Any], known: dict[str, Any]) -> str:
    if field["name"] in known["kept"]:
        return " (leave empty to keep the one from before)"
    return "" if field["required"] else " (if there is one)"


def _read_secrets() -> dict[str, Any]:
    """What is wrong with them is said without them."""
    try:
        given = json.loads("" if sys.stdin is None else sys.stdin.read(_LARGEST))
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise UsageError('--secrets-from-stdin takes a JSON object, such as {"password": "…"}.')
    return given


def _settle(name: str, value: str) -> str:
    """A path is meant from where the person is, not from where the app was started."""
    return str(Path(value).absolute()) if name == "path" and value and not value.startswith(("/", "~")) else value


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _disconnect_arguments(parser: ArgumentParser) -> None:
    parser.description = "Forget a connection; what uses it will ask for it."
    add_data_dir(parser)
    parser.add_argument("name", metavar="KIND:NAME")


def _disconnect(options: Namespace) -> Told:
    return Told(ask(options, "disconnect", name=options.name), lambda told: [told["sentence"]])


VERBS = {
    "connections": Verb(_connections_arguments, _connections),
    "connect": Verb(_connect_arguments, _connect, name_fields),
    "disconnect": Verb(_disconnect_arguments, _disconnect),
}
