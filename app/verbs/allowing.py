"""`connections`, `connect`, `disconnect`, `grant`, `revoke`: what workflows may use."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.cli import UsageError
from app.folder import add_data_dir
from app.verbs.human import table
from app.verbs.verb import Told, Verb, ask

_OURS = ("--json", "--data-dir", "--set", "--request", "--help", "-h")


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
        ("CONNECTION", "HOW", "USED BY"),
        [
            (
                one["connection"],
                one["trouble"] or ("connected" if one["is_connected"] else "not connected"),
                ", ".join(one["used_by"]) or "nobody",
            )
            for one in answer["connections"]
        ],
    )


def _connect_arguments(parser: ArgumentParser) -> None:
    parser.description = """Connect an account or a place, or change how.

Its fields are options: dayhand connect table:expenses --path ~/expenses.csv"""
    add_data_dir(parser)
    parser.add_argument("name", metavar="KIND:NAME")
    parser.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE", help="the same as --FIELD VALUE")
    parser.add_argument("--request", metavar="ID", help="the same id again gets the first answer")


def name_fields(words: list[str]) -> list[str]:
    """`--path x` becomes `--set path=x`, for whatever fields a kind of connection has."""
    written: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, _, value = word.partition("=")
        if not word.startswith("--") or word == "--" or name in _OURS:
            written.append(word)
            if word in _OURS[1:4] and rest:
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
        settings[name.replace("-", "_")] = str(Path(value).absolute()) if _is_relative(name, value) else value
    answer = ask(options, "connect", name=options.name, settings=settings, request_id=options.request)
    return Told(answer, lambda told: [told["sentence"]])


def _is_relative(name: str, value: str) -> bool:
    """A path is meant from where the person is, not from where the app was started."""
    return name == "path" and bool(value) and not value.startswith(("/", "~"))


def _disconnect_arguments(parser: ArgumentParser) -> None:
    parser.description = "Forget a connection; what uses it will ask for it."
    add_data_dir(parser)
    parser.add_argument("name", metavar="KIND:NAME")


def _disconnect(options: Namespace) -> Told:
    return Told(ask(options, "disconnect", name=options.name), lambda told: [told["sentence"]])


def _grant_arguments(description: str) -> Callable[[ArgumentParser], None]:
    def add(parser: ArgumentParser) -> None:
        parser.description = description
        add_data_dir(parser)
        parser.add_argument("workflow", metavar="WORKFLOW")
        parser.add_argument("connection", nargs="?", metavar="CONNECTION", help="such as table:expenses (default: all)")
        parser.add_argument("tool", nargs="?", metavar="TOOL", help="such as append (default: all)")
        parser.add_argument("--request", metavar="ID", help="the same id again gets the first answer")

    return add


def _given(options: Namespace) -> dict[str, Any]:
    return {
        "workflow": options.workflow,
        "connection": options.connection,
        "tool": options.tool,
        "request_id": options.request,
    }


def _grant(options: Namespace) -> Told:
    return Told(ask(options, "grant", **_given(options)), _say_grants)


def _say_grants(answer: dict[str, Any]) -> Iterator[str]:
    for one in answer["grants"]:
        yield f"{answer['workflow']} may use {one['tool']} of {one['connection']}."


def _revoke(options: Namespace) -> Told:
    answer = ask(options, "revoke", **_given(options))
    return Told(answer, lambda told: [f"{told['workflow']} may no longer do that ({told['revoked']} taken back)."])


VERBS = {
    "connections": Verb(_connections_arguments, _connections),
    "connect": Verb(_connect_arguments, _connect, name_fields),
    "disconnect": Verb(_disconnect_arguments, _disconnect),
    "grant": Verb(_grant_arguments("Allow a workflow to use what it uses, or one tool."), _grant),
    "revoke": Verb(_grant_arguments("Forbid it again, also what was to be done without asking."), _revoke),
}
