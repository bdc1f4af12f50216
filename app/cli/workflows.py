"""`list`, `show`, `next`: workflows and their upcoming runs."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from functools import partial
from shlex import quote
from typing import Any

from app.cli.command import Command, CommandResult, call_api
from app.cli.formatting import RUN_COLUMNS, TIME_EXAMPLES, format_state, format_table, format_time, run_row
from app.data.data_dir import add_data_dir
from app.data.script_file import is_file_changed
from scheduler.rules.workflow_state import rank_by_need


def _list_arguments(parser: ArgumentParser) -> None:
    parser.description = "List all workflows with their state and next run; what needs attention comes first."
    add_data_dir(parser)
    parser.add_argument(
        "--state", metavar="STATE", help="only workflows in this state, such as needs-attention, paused or archived"
    )
    parser.add_argument("--tag", metavar="TAG", help="only workflows with this tag")


def _list(options: Namespace) -> CommandResult:
    answer = call_api(options, "list", state=options.state, tag=options.tag)
    return CommandResult(answer, partial(_render_list, is_filtered=bool(options.state or options.tag)))


def _render_list(answer: dict[str, Any], *, is_filtered: bool) -> Iterator[str]:
    if not answer["workflows"]:
        yield "No workflow matches." if is_filtered else "There are no workflows yet. Add one: dayhand deploy FILE"
        return
    heads = ("WORKFLOW", "STATE", "NEXT RUN", "DETAILS")
    # What needs the user first; within that as given, by name.
    found = sorted(answer["workflows"], key=lambda one: rank_by_need(one["state"], is_failing=one["is_failing"]))
    yield from format_table(
        heads,
        [(one["name"], format_state(one["state"]), format_time(one["next"], "-"), one["words"]) for one in found],
    )


def _show_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show one workflow: its handlers, pending events, permissions and recent runs."
    add_data_dir(parser)
    parser.add_argument("workflow", metavar="WORKFLOW")


def _show(options: Namespace) -> CommandResult:
    answer = call_api(options, "show", workflow=options.workflow)
    versions = call_api(options, "versions", workflow=options.workflow)["versions"]
    changed = any(is_file_changed(answer["path"], one["sha256"]) for one in versions if one["current"])
    return CommandResult({**answer, "file_changed": changed}, _render_show)


def _render_show(answer: dict[str, Any]) -> Iterator[str]:
    yield f"{answer['name']}: {format_state(answer['state'])}. {answer['words']}"
    if answer["description"]:
        yield answer["description"].splitlines()[0]
    watching = ", redeployed when it changes" if answer["watching"] else ""
    yield f"Version {answer['version']} of {answer['path']}{watching}"
    if answer["file_changed"]:
        yield f"The file has other contents now. Can it be used? dayhand deploy --check {quote(answer['path'])}"
    yield ""
    yield from format_table(
        ("HANDLER", "KIND", "STATE", "NEXT RUN", "SCHEDULE"),
        [
            (
                one["name"],
                one["kind"],
                format_state(one["state"]),
                format_time(one["next"], "-"),
                one["schedule"] or "-",
            )
            for one in answer["handlers"]
        ],
    )
    for one in answer["backfills"]:
        yield f"Backfill of {one['handler']}: {one['made']:,} of {one['total']:,}"
    pending = {topic: number for topic, number in answer["pending"].items() if number}
    if pending:
        yield ""
        yield "Pending events: " + ", ".join(f"{number:,} in {topic}" for topic, number in pending.items())
    if answer["grants"]:
        yield ""
        yield from format_table(
            ("CONNECTION", "TOOL", "PERMISSION"),
            [(one["connection"], one["tool"], _describe_grant(one)) for one in answer["grants"]],
        )
    if answer["recent"]:
        yield ""
        yield from format_table(RUN_COLUMNS, [run_row(run) for run in answer["recent"]])


def _describe_grant(one: dict[str, Any]) -> str:
    return f"{one['handler']} does not ask" if one["kind"] == "approval" else "allowed"


def _next_arguments(parser: ArgumentParser) -> None:
    parser.description = "List upcoming runs of one workflow, one handler, or all."
    add_data_dir(parser)
    parser.add_argument("workflow", nargs="?", metavar="WORKFLOW[/HANDLER]")
    parser.add_argument("--after", metavar="TIME", help=f"only after this time (default: now): {TIME_EXAMPLES}")
    parser.add_argument("--count", type=int, default=10, metavar="N", help="how many to show (default: 10)")


def _next(options: Namespace) -> CommandResult:
    given = {} if options.after is None else {"after": options.after}
    return CommandResult(
        call_api(options, "next", workflow=options.workflow, count=options.count, **given), _render_next
    )


def _render_next(answer: dict[str, Any]) -> Iterator[str]:
    if not answer["next"]:
        yield "Nothing is scheduled, or it is paused."
        return
    yield from format_table(
        ("WHEN", "WORKFLOW", "HANDLER", "SCHEDULE"),
        [(format_time(one["at"]), one["name"], one["handler"], one["words"]) for one in answer["next"]],
    )


VERBS = {
    "list": Command(_list_arguments, _list),
    "show": Command(_show_arguments, _show),
    "next": Command(_next_arguments, _next),
}
