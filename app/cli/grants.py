"""`grant` and `revoke`: the tools that workflows may use."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from typing import Any

from app.cli.command import Command, CommandResult, add_idempotency_key, call_api
from app.data.data_dir import add_data_dir


def _grant_arguments(description: str) -> Callable[[ArgumentParser], None]:
    def add(parser: ArgumentParser) -> None:
        parser.description = description
        add_data_dir(parser)
        parser.add_argument("workflow", metavar="WORKFLOW")
        parser.add_argument("connection", nargs="?", metavar="CONNECTION", help="such as table:expenses (default: all)")
        parser.add_argument("tool", nargs="?", metavar="TOOL", help="such as append (default: all)")
        add_idempotency_key(parser)

    return add


def _arguments(options: Namespace) -> dict[str, Any]:
    return {
        "workflow": options.workflow,
        "connection": options.connection,
        "tool": options.tool,
        "idempotency_key": options.idempotency_key,
    }


def _grant(options: Namespace) -> CommandResult:
    return CommandResult(call_api(options, "grant", **_arguments(options)), _render_grants)


def _render_grants(answer: dict[str, Any]) -> Iterator[str]:
    for one in answer["grants"]:
        yield f"{answer['workflow']} may use {one['tool']} of {one['connection']}."


def _revoke(options: Namespace) -> CommandResult:
    answer = call_api(options, "revoke", **_arguments(options))
    return CommandResult(answer, lambda done: [f"Permissions of {done['workflow']} revoked: {done['revoked']}."])


VERBS = {
    "grant": Command(_grant_arguments("Allow a workflow one tool, or all that it uses."), _grant),
    "revoke": Command(
        _grant_arguments("Revoke permissions of a workflow, including permission to act without asking."), _revoke
    ),
}
