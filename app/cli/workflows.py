"""`list`, `show`, `next`: workflows and when they run."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from app.keeping.folder import add_data_dir
from app.verbs.human import RUN_HEADS, run_row, say_state, say_time, table
from app.verbs.verb import Told, Verb, ask


def _list_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show all workflows with their state, what it means, and when they run next."
    add_data_dir(parser)
    parser.add_argument("--state", metavar="STATE", help="only those, such as needs-attention, paused or archived")
    parser.add_argument("--tag", metavar="TAG", help="only those with this tag")


def _list(options: Namespace) -> Told:
    return Told(ask(options, "list", state=options.state, tag=options.tag), _say_list)


def _say_list(answer: dict[str, Any]) -> Iterator[str]:
    if not answer["workflows"]:
        yield "There is no workflow here. Deploy one: dayhand deploy FILE"
        return
    heads = ("WORKFLOW", "STATE", "NEXT", "WHAT")
    yield from table(
        heads,
        [
            (one["name"], say_state(one["state"]), say_time(one["next"], "-"), one["words"])
            for one in answer["workflows"]
        ],
    )


def _show_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show one workflow: its handlers, what waits, what ran, and what it may do."
    add_data_dir(parser)
    parser.add_argument("workflow", metavar="WORKFLOW")


def _show(options: Namespace) -> Told:
    return Told(ask(options, "show", workflow=options.workflow), _say_show)


def _say_show(answer: dict[str, Any]) -> Iterator[str]:
    yield f"{answer['name']}: {say_state(answer['state'])}. {answer['words']}"
    if answer["description"]:
        yield answer["description"].splitlines()[0]
    watching = ", deployed again when it changes" if answer["watching"] else ""
    yield f"Version {answer['version']} of {answer['path']}{watching}"
    yield ""
    yield from table(
        ("HANDLER", "KIND", "STATE", "NEXT", "TIMES"),
        [
            (one["name"], one["kind"], say_state(one["state"]), say_time(one["next"], "-"), one["schedule"] or "-")
            for one in answer["handlers"]
        ],
    )
    for one in answer["backfills"]:
        yield f"Past times of {one['handler']}: {one['made']:,} of {one['total']:,}"
    waiting = {topic: number for topic, number in answer["pending"].items() if number}
    if waiting:
        yield ""
        yield "Waiting: " + ", ".join(f"{number:,} in {topic}" for topic, number in waiting.items())
    if answer["grants"]:
        yield ""
        yield from table(
            ("MAY USE", "TOOL", "HOW"),
            [(one["connection"], one["tool"], _say_grant(one)) for one in answer["grants"]],
        )
    if answer["recent"]:
        yield ""
        yield from table(RUN_HEADS, [run_row(run) for run in answer["recent"]])


def _say_grant(one: dict[str, Any]) -> str:
    return f"{one['handler']} is not asked any more" if one["kind"] == "approval" else "allowed"


def _next_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show what comes next, of one workflow or all."
    add_data_dir(parser)
    parser.add_argument("workflow", nargs="?", metavar="WORKFLOW")
    parser.add_argument("--count", type=int, default=10, metavar="N", help="how many (default: 10)")


def _next(options: Namespace) -> Told:
    return Told(ask(options, "next", workflow=options.workflow, count=options.count), _say_next)


def _say_next(answer: dict[str, Any]) -> Iterator[str]:
    if not answer["next"]:
        yield "Nothing is planned."
        return
    yield from table(
        ("WHEN", "WORKFLOW", "HANDLER", "TIMES"),
        [(say_time(one["at"]), one["name"], one["handler"], one["words"]) for one in answer["next"]],
    )


VERBS = {
    "list": Verb(_list_arguments, _list),
    "show": Verb(_show_arguments, _show),
    "next": Verb(_next_arguments, _next),
}
