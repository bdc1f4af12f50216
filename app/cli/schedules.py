"""`schedules`, `schedule`: all schedules, and one of them shown in full or changed."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from typing import Any

from app.cli.command import Command, CommandResult, add_idempotency_key, call_api
from app.cli.command_line import UsageError
from app.cli.formatting import (
    TIME_EXAMPLES,
    format_duration,
    format_state,
    format_status,
    format_table,
    format_time,
    render_times,
)
from app.data.data_dir import add_data_dir

_NONE = "none"
"""Removes a value; the default applies."""
_DEFAULT = "default"
_PLAIN = ("every", "anchor", "once", "timezone", "start_at", "end_at")
_TIMES = (*_PLAIN, "cron", "calendar", "exclude", "limit", "jitter")
_POLICIES = ("overlap", "catchup", "catchup_window")
_EDIT_DESCRIPTION = """Show one schedule in full, or change it.

`show` prints its times, policies, counters, next 5 times, last 10 times and version. `edit` changes what is given and
keeps the rest; it never ends a pause, and applies until the script's own schedule changes. With --if-version it is
refused if the schedule has changed since you looked at it."""


def _schedules_arguments(parser: ArgumentParser) -> None:
    parser.description = "List schedules with their times, next time and state: of one workflow, or all."
    add_data_dir(parser)
    parser.add_argument("workflow", nargs="?", metavar="WORKFLOW[/HANDLER]")


def _schedules(options: Namespace) -> CommandResult:
    return CommandResult(call_api(options, "schedules", workflow=options.workflow), _render_list)


def _render_list(answer: dict[str, Any]) -> Iterator[str]:
    if not answer["schedules"]:
        yield "There are no schedules."
        return
    yield from format_table(
        ("SCHEDULE", "STATE", "NEXT TIME", "TIMES"),
        [
            (one["schedule"], format_state(one["state"]), format_time(one["next"], "-"), one["words"])
            for one in answer["schedules"]
        ],
    )


def _schedule_arguments(parser: ArgumentParser) -> None:
    parser.description = _EDIT_DESCRIPTION
    add_data_dir(parser)
    add = parser.add_argument
    add("what", choices=["show", "edit"], metavar="show|edit")
    add("target", metavar="WORKFLOW/HANDLER")
    times = parser.add_argument_group("times")
    add = times.add_argument
    add("--every", metavar="LENGTH", help="an interval such as 2h")
    add("--anchor", metavar="TIME", help=f"count the interval from this time: {TIME_EXAMPLES}")
    add("--cron", action="append", metavar="EXPRESSION", help="a cron expression; repeatable")
    add("--calendar", action="append", metavar="JSON", help="parts of a date and time; repeatable")
    add("--once", metavar="TIME", help="a single time")
    add("--timezone", metavar="ZONE", help="an IANA name such as Europe/Berlin, or local")
    add("--start-at", metavar="TIME", help="the first possible time, or none")
    add("--end-at", metavar="TIME", help="the last possible time, or none")
    add(
        "--exclude",
        action="append",
        metavar="DATES",
        help="the excluded dates, ranges or calendars, repeatable; or none",
    )
    add("--limit", type=_limit, metavar="N", help="stop after N automatic runs, or none")
    add("--jitter", metavar="LENGTH", help="30s, +30s for later only, none, or default")
    add = parser.add_argument_group("policies").add_argument
    add("--overlap", metavar="POLICY", help="if the previous run is still going: skip, buffer_one, … or default")
    add("--catchup", metavar="POLICY", help="which missed runs are caught up: none, one, all, spread, or default")
    add("--catchup-window", metavar="LENGTH", help="how old a missed run may be: 2h, 0, or default (no limit)")
    parser.add_argument("--if-version", type=int, metavar="N", help="only if this is still its version")
    add_idempotency_key(parser)


def _limit(text: str) -> int | str:
    if text == _NONE:
        return text
    if not (text.isascii() and text.isdigit() and int(text[:10]) >= 1):
        raise ArgumentTypeError(f"{text!r} is not a number of runs; write 1 or more, or none")
    return int(text)


def _schedule(options: Namespace) -> CommandResult:
    if options.what == "show":
        if any(getattr(options, name) is not None for name in (*_TIMES, *_POLICIES, "if_version")):
            raise UsageError("show changes nothing; to change the schedule: dayhand schedule edit")
        return CommandResult(call_api(options, "schedule_show", schedule=options.target), _render_schedule)
    changes, policies = _read_changes(options), _read_policies(options)
    if not changes and not policies:
        raise UsageError("Say what to change, for example --every 2h or --overlap skip.")
    answer = call_api(
        options,
        "schedule_edit",
        schedule=options.target,
        changes=changes,
        policies=policies,
        if_version=options.if_version,
        idempotency_key=options.idempotency_key,
    )
    return CommandResult(answer, _render_edited)


def _read_changes(options: Namespace) -> dict[str, Any]:
    """The given parts of the times; None removes one."""
    from app.cli.preview import parse_exclusion, parse_json  # slow to load

    given: dict[str, Any] = {name: getattr(options, name) for name in _PLAIN if getattr(options, name) is not None}
    for name in ("start_at", "end_at"):
        if given.get(name) == _NONE:
            given[name] = None
    if options.cron is not None:
        given["cron"] = [text.strip() for one in options.cron for text in one.split(";") if text.strip()]
    if options.calendar is not None:
        parts = [parse_json(one, "calendar") for one in options.calendar]
        given["calendar"] = [item for part in parts for item in (part if isinstance(part, list) else [part])]
    if options.exclude is not None:
        given["exclude"] = [one for text in options.exclude if text != _NONE for one in parse_exclusion(text)] or None
    if options.jitter is not None:
        given["jitter"] = {_DEFAULT: None, _NONE: "0s"}.get(options.jitter, options.jitter)
    if options.limit is not None:
        given["limit"] = None if options.limit == _NONE else options.limit
    return given


def _read_policies(options: Namespace) -> dict[str, Any]:
    if options.catchup_window == _NONE:
        raise UsageError("For no limit write --catchup-window default; to catch up nothing, --catchup none.")
    given = {name: getattr(options, name) for name in _POLICIES if getattr(options, name) is not None}
    return {name: None if value == _DEFAULT else value for name, value in given.items()}


def _render_edited(answer: dict[str, Any]) -> Iterator[str]:
    following = format_time(answer["next"][0]) if answer["next"] else "none"
    yield f"{answer['schedule']} changed: {answer['words']}. Next: {following}. Version {answer['version']}."


def _render_schedule(answer: dict[str, Any]) -> Iterator[str]:
    yield f"{answer['schedule']}: {answer['words']}"
    yield f"{format_state(answer['state'])}, version {answer['version']}, a {answer['kind']}"
    if answer["trouble"]:
        yield f"It cannot run: {answer['trouble']}"
    if answer["paused_until"]:
        yield f"Paused until {format_time(answer['paused_until'])}"
    if answer["pause_note"]:
        yield f"Note: {answer['pause_note']}"
    yield ""
    yield from (f"{name:16}{value}" for name, value in _setting_rows(answer))
    yield ""
    if answer["state"] == "stopped":
        yield f"It failed too often and does not run until you resume it: dayhand resume {answer['schedule']}"
    else:
        yield "Next times:" if answer["next"] else "No more times."
    yield from (f"  {format_time(at)}" for at in answer["next"])
    if answer["skipped"]:
        yield f"  {format_time(answer['skipped'])} will be skipped"
    yield from (f"Backfill: {one['made']:,} of {one['total']:,}" for one in answer["backfills"])
    if answer["recent"]:
        yield ""
        yield from format_table(
            ("PLANNED", "TOOK", "STARTED BY", "STATUS", "REASON"), [_occurrence_row(one) for one in answer["recent"]]
        )
    yield ""
    yield from render_times(answer["counters"])


def _setting_rows(answer: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in answer["spec"].items():
        yield name, ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    for name, value in answer["policies"].items():
        shown = ", ".join(value) if isinstance(value, list) else str(value)
        yield name, shown if name in answer["own_policies"] else f"{shown} (default)"


def _occurrence_row(one: dict[str, Any]) -> tuple[str, ...]:
    status = f"{format_status(one['state'])}{', caught up' if one['late'] else ''}"
    took = format_duration(one["began"], one["ended"])
    return format_time(one["planned"]), took, one["origin"], status, one["reason"] or ""


VERBS = {
    "schedules": Command(_schedules_arguments, _schedules),
    "schedule": Command(_schedule_arguments, _schedule),
}
