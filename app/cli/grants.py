"""`grant` and `revoke`: what workflows may use."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from typing import Any

from app.keeping.folder import add_data_dir
from app.verbs.verb import Told, Verb, ask


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
    "grant": Verb(_grant_arguments("Allow a workflow to use what it uses, or one tool."), _grant),
    "revoke": Verb(_grant_arguments("Forbid it again, also what was to be done without asking."), _revoke),
}
