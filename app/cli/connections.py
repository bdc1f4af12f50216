"""`connections`, `connect`, `disconnect`. Secrets are prompted for or read from stdin, never taken from arguments."""

import getpass
import json
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.cli.command import Command, CommandResult, add_idempotency_key, call_api
from app.cli.command_line import UsageError
from app.cli.connection_fields import list_fields
from app.cli.formatting import format_table, format_time
from app.data.data_dir import add_data_dir
from scheduler.engine.errors import RefusedError

_OPTIONS_WITH_VALUE = ("--data-dir", "--set", "--idempotency-key", "--request")
_HELP_OPTIONS = ("--help", "-h")
_LIST_FIELDS = "--list-fields"
"""Hidden: what --help becomes once a connection is named."""
_OWN_OPTIONS = ("--json", *_HELP_OPTIONS, _LIST_FIELDS, "--no-test", "--secrets-from-stdin", *_OPTIONS_WITH_VALUE)
_MAX_SECRETS_CHARS = 1_000_000


def _connections_arguments(parser: ArgumentParser) -> None:
    parser.description = "List the accounts, servers and files that workflows use, and whether they are connected."
    add_data_dir(parser)


def _connections(options: Namespace) -> CommandResult:
    return CommandResult(call_api(options, "connections"), _render_connections)


def _render_connections(answer: dict[str, Any]) -> Iterator[str]:
    if not answer["connections"]:
        yield "There are no connections, and no workflow needs one."
        return
    yield from format_table(
        ("CONNECTION", "STATUS", "LAST USED", "USED BY"),
        [
            (
                one["connection"],
                one["trouble"] or ("connected" if one["is_connected"] else "not connected"),
                format_time(one["used"], "never"),
                ", ".join(one["used_by"]) or "not used",
            )
            for one in answer["connections"]
        ],
    )


def _connect_arguments(parser: ArgumentParser) -> None:
    parser.description = """Add a connection, or change its settings.

Its fields are options: dayhand connect table:expenses --path ~/expenses.csv
In a terminal you are prompted for required fields that you did not give. Secrets are always prompted for and stored
only in this computer's keyring. Connecting again changes only the fields you give."""
    add_data_dir(parser)
    parser.add_argument("name", metavar="KIND:NAME")
    parser.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE", help="the same as --FIELD VALUE")
    add_idempotency_key(parser)
    parser.add_argument("--no-test", action="store_true", help="save it without testing it")
    parser.add_argument(
        "--secrets-from-stdin", action="store_true", help="read the secrets as a JSON object from stdin"
    )
    parser.add_argument(_LIST_FIELDS, action="store_true", help=SUPPRESS)
    parser.epilog = "For the fields of a kind: dayhand connect imap:home --help"


def _names_connection(words: list[str]) -> bool:
    return any(":" in word and not word.startswith("-") for word in words)


def rewrite_field_options(words: list[str]) -> list[str]:
    """Turn `--path x` into `--set path=x`: each connector has its own fields. Its help lists them."""
    written: list[str] = []
    rest = [_LIST_FIELDS if word in _HELP_OPTIONS and _names_connection(words) else word for word in words]
    while rest:
        word = rest.pop(0)
        name, _, value = word.partition("=")
        if not word.startswith("--") or word == "--" or name in _OWN_OPTIONS:
            written.append(word)
            if word in _OPTIONS_WITH_VALUE and rest:
                written.append(rest.pop(0))
        elif "=" in word:
            written.append(f"--set={name[2:]}={value}")
        elif rest and not rest[0].startswith("--"):
            written.append(f"--set={name[2:]}={rest.pop(0)}")
        else:
            written.append(f"--set={name[2:]}=true")
    return written


def _connect(options: Namespace) -> CommandResult:
    if options.list_fields:
        return list_fields(options.name)
    settings = {}
    for text in options.set:
        name, sign, value = text.partition("=")
        if not name or not sign:
            raise UsageError(f"--set needs FIELD=VALUE, not {text!r}.")
        settings[name.replace("-", "_")] = _absolute_path(name, value)
    _refuse_secrets(call_api(options, "fields", name=options.name), settings)
    if not options.secrets_from_stdin and _is_terminal():
        _ask_missing(options, settings)
    known = call_api(options, "fields", name=options.name, settings=settings)
    secrets = _read_secrets() if options.secrets_from_stdin else _ask_secrets(known)
    if known["signs_in"] and _signs_in(options, settings, secrets):
        sys.stderr.write(f"Sign in to {known['title']} using the browser window that opens.\n")
    answer = call_api(
        options,
        "connect",
        name=options.name,
        settings={**{name: value for name, value in known["settings"].items() if value is not None}, **settings},
        secrets=secrets,
        test=not options.no_test,
        idempotency_key=options.idempotency_key,
    )
    return CommandResult(answer, lambda answer: [answer["sentence"]])


def _signs_in(options: Namespace, settings: dict[str, Any], secrets: dict[str, Any]) -> bool:
    """Whether a browser will open despite these secrets. Sends only which ones are given, not their values."""
    given = {name: "given" for name, value in secrets.items() if value}
    return bool(call_api(options, "fields", name=options.name, settings={**settings, **given})["signs_in"])


def _refuse_secrets(known: dict[str, Any], given: dict[str, str]) -> None:
    """Before they are sent anywhere."""
    for field in known["fields"]:
        if field["secret"] and field["name"] in given:
            raise RefusedError(
                "secret",
                f"{field['label']} of {known['connection']} is a secret: never type it in a command, where others can "
                "read it. Leave it out to be prompted for it, or use --secrets-from-stdin.",
            )


def _ask_missing(options: Namespace, settings: dict[str, str]) -> None:
    """If a required field is missing, prompt for all fields that have no value; empty input leaves one unset."""
    fields = _unanswered(options, settings)
    if not any(field["required"] for field in fields):
        return
    while fields:
        field = fields[0]
        hint = f" ({field['help'].rstrip('.')})" if field["help"] else "" if field["required"] else " (optional)"
        typed = input(f"{field['label']}{hint}: ").strip()
        if typed or not field["required"]:
            settings[field["name"]] = _absolute_path(field["name"], typed)
        fields = _unanswered(options, settings)


def _unanswered(options: Namespace, settings: dict[str, str]) -> list[dict[str, Any]]:
    """Fields without a value that apply to the settings so far; optional file paths are never prompted for."""
    known = call_api(options, "fields", name=options.name, settings=settings)
    taken = {**known["settings"], **settings}
    return [
        field
        for field in known["fields"]
        if not field["secret"] and field["default"] is None and field["name"] not in taken
        if field["required"] or field["kind"] != "path"
    ]


def _ask_secrets(known: dict[str, Any]) -> dict[str, str]:
    """Prompt without echo; empty input keeps the stored secret, or leaves it unset."""
    wanted = [field for field in known["fields"] if field["secret"]]
    if not wanted:
        return {}
    if not _is_terminal():
        missing = [field for field in wanted if field["required"] and field["name"] not in known["kept"]]
        if missing:
            name = missing[0]["name"]
            raise RefusedError(
                "secret",
                f"{known['connection']} needs its {name}. Run this in a terminal to be prompted, or pass it with "
                f'--secrets-from-stdin, as {{"{name}": "…"}}.',
            )
        return {}
    given = {field["name"]: getpass.getpass(f"{field['label']}{_empty_hint(field, known)}: ") for field in wanted}
    return {name: value for name, value in given.items() if value}


def _empty_hint(field: dict[str, Any], known: dict[str, Any]) -> str:
    if field["name"] in known["kept"]:
        return " (leave empty to keep the current one)"
    return "" if field["required"] else " (optional)"


def _read_secrets() -> dict[str, Any]:
    """Errors never repeat them."""
    try:
        given = json.loads("" if sys.stdin is None else sys.stdin.read(_MAX_SECRETS_CHARS))
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise UsageError('--secrets-from-stdin needs a JSON object, such as {"password": "…"}.')
    return given


def _absolute_path(name: str, value: str) -> str:
    """Resolve a relative path here: the app runs in another directory."""
    return str(Path(value).absolute()) if name == "path" and value and not value.startswith(("/", "~")) else value


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _disconnect_arguments(parser: ArgumentParser) -> None:
    parser.description = "Remove a connection. Workflows that use it will ask for it again."
    add_data_dir(parser)
    parser.add_argument("name", metavar="KIND:NAME")


def _disconnect(options: Namespace) -> CommandResult:
    return CommandResult(call_api(options, "disconnect", name=options.name), lambda answer: [answer["sentence"]])


VERBS = {
    "connections": Command(_connections_arguments, _connections),
    "connect": Command(_connect_arguments, _connect, rewrite_field_options),
    "disconnect": Command(_disconnect_arguments, _disconnect),
}
