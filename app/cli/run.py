"""`run`, `stop`, `pause`, `resume`, `skip-next`, `backfill`, `publish`, `skip-event`: control of runs and events."""

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from typing import Any, NoReturn

from app.cli.command import Command, CommandResult, add_idempotency_key, call_api, stream_api
from app.cli.command_line import UsageError, print_to_stderr
from app.cli.formatting import TIME_EXAMPLES, format_status, format_time
from app.data.data_dir import add_data_dir
from scheduler.engine.errors import RefusedError
from scheduler.timing.policies import Overlap

OVERLAPS = [one.value for one in Overlap]


def _add_target(parser: ArgumentParser, description: str, *, optional: bool = False) -> None:
    parser.description = description
    add_data_dir(parser)
    parser.add_argument("target", nargs="?" if optional else None, metavar="WORKFLOW[/HANDLER]")
    add_idempotency_key(parser)


def _run_arguments(parser: ArgumentParser) -> None:
    _add_target(parser, "Run a workflow now; its schedule does not change.")
    parser.add_argument(
        "--wait", action="store_true", help="wait until it ends or needs your attention, and say what it waits for"
    )
    parser.add_argument("--when-finished", action="store_true", help="if it is already running, start afterwards")
    parser.add_argument(
        "--overlap",
        choices=OVERLAPS,
        metavar="POLICY",
        help="if its previous run is still going: skip (do not start), buffer_one or buffer_all (start afterwards), "
        "cancel_other (ask the scheduled run to stop first), terminate_other (kill it first), allow_all (in parallel; "
        "only jobs)",
    )


def _run(options: Namespace) -> CommandResult:
    if options.when_finished and options.overlap:
        raise UsageError("Give --when-finished or --overlap, not both.")
    given = {
        "target": options.target,
        "when_finished": options.when_finished,
        "idempotency_key": options.idempotency_key,
    }
    if options.overlap:
        given["overlap"] = options.overlap
    if not options.wait:
        return CommandResult(call_api(options, "run", **given), _render_started)
    answer: dict[str, Any] = {}
    for message in stream_api(options, "run_and_wait", **given):
        answer = message.get("answer", answer)
        progress = None if options.json else message.get("piece", {}).get("progress")
        if progress is not None and (line := _describe_progress(progress)) is not None:
            print_to_stderr(line)
    return CommandResult(answer, _render_results, answer["error"]["message"] if "error" in answer else None)


def _render_started(answer: dict[str, Any]) -> Iterator[str]:
    count = _count(answer["runs"])
    yield f"Queued {count}; waiting for what runs now." if answer.get("waits") else f"Started {count}."


def _describe_progress(run: dict[str, Any]) -> str | None:
    """What happens while the command waits; its end is the command's answer."""
    match run["status"]:
        case "queued":
            return f"{run['id']}: {run['waits_for']}"
        case "active" if run["attempt"] > 1:
            return f"{run['id']}: attempt {run['attempt']} is running."
        case "paused:transient" | "failed:logic" if run["resume_at"]:
            at = format_time(run["resume_at"])
            return f"{run['id']}: attempt {run['attempt']} failed. {run['error']} The next attempt starts at {at}."
        case "paused:reconciliation":
            return f"{run['id']}: checking whether its action happened. {run['error'] or ''}".rstrip()
    return None


def _render_results(answer: dict[str, Any]) -> Iterator[str]:
    for one in answer["results"]:
        yield f"{one['id']}: {format_status(one['status'])}. {one['summary'] or ''}".rstrip()


def _count(ids: list[str]) -> str:
    return f"{len(ids)} {'run' if len(ids) == 1 else 'runs'}: {', '.join(ids)}"


def _stop_arguments(parser: ArgumentParser) -> None:
    parser.description = "Stop what is running or waiting: a workflow, one handler, or one run."
    add_data_dir(parser)
    parser.add_argument("target", metavar="WORKFLOW[/HANDLER]|RUN")
    parser.add_argument("--kill", action="store_true", help="kill it immediately instead of asking it to end")
    add_idempotency_key(parser)


def _stop(options: Namespace) -> CommandResult:
    answer = call_api(
        options, "stop", target=options.target, kill=options.kill, idempotency_key=options.idempotency_key
    )
    return CommandResult(answer, lambda done: [f"Stopped {_count(done['stopped'])}."])


def _pause_arguments(parser: ArgumentParser) -> None:
    _add_target(
        parser, "Pause a workflow, one handler, or everything: scheduled times pass without a run.", optional=True
    )
    parser.add_argument("--all", action="store_true", dest="everything", help="pause everything")
    parser.add_argument("--until", metavar="TIME", help=f"resume automatically at this time: {TIME_EXAMPLES}")
    parser.add_argument("--note", metavar="TEXT", help="a note to yourself")


def _pause(options: Namespace) -> CommandResult:
    _check_target(options)
    answer = call_api(
        options,
        "pause",
        target=options.target,
        everything=options.everything,
        until=options.until,
        note=options.note,
        idempotency_key=options.idempotency_key,
    )
    end = f" until {format_time(answer['paused_until'])}" if answer.get("paused_until") else ""
    return CommandResult(answer, lambda _: [f"{options.target or 'Everything'} is paused{end}."])


def _resume_arguments(parser: ArgumentParser) -> None:
    parser.description = "Resume after a pause; missed runs are caught up as the schedule says."
    add_data_dir(parser)
    parser.add_argument("target", nargs="*", metavar="WORKFLOW[/HANDLER]")
    add_idempotency_key(parser)
    parser.add_argument("--all", action="store_true", dest="everything", help="end the pause of everything")
    parser.add_argument("--tag", metavar="TAG", help="the paused workflows with this tag, such as: imported")


def _resume(options: Namespace) -> CommandResult:
    if bool(options.target) + options.everything + (options.tag is not None) != 1:
        raise UsageError("Give workflows, or --tag, or --all.")
    if options.tag is not None:
        return _resume_tag(options)
    targets = options.target or [None]
    if options.idempotency_key and len(targets) > 1:
        raise UsageError("--idempotency-key is for one workflow at a time.")
    answers = [
        call_api(
            options, "resume", target=target, everything=options.everything, idempotency_key=options.idempotency_key
        )
        for target in targets
    ]
    answer = answers[0] if len(answers) == 1 else {"resumed": answers}
    return CommandResult(answer, lambda _: [f"{target or 'Everything'} resumed." for target in targets])


def _resume_tag(options: Namespace) -> CommandResult:
    """Those that are paused, also if a run of theirs is still active."""
    names, answers = [], []
    for one in call_api(options, "list", tag=options.tag)["workflows"]:
        try:
            answers.append(call_api(options, "resume", target=one["workflow"]))
        except RefusedError as error:
            if error.code != "not paused":
                raise
        else:
            names.append(one["workflow"])
    failure = None if names else f"No paused workflow has the tag {options.tag}."
    return CommandResult({"resumed": answers}, lambda _: [f"{name} resumed." for name in names], failure)


def _check_target(options: Namespace) -> None:
    if (options.target is None) != options.everything:
        raise UsageError("Give a workflow, or --all.")


def _skip_arguments(parser: ArgumentParser) -> None:
    _add_target(parser, "Skip the next scheduled run; the one after it runs.")


def _skip(options: Namespace) -> CommandResult:
    answer = call_api(options, "skip_next", target=options.target, idempotency_key=options.idempotency_key)
    return CommandResult(answer, lambda _: [f"The next run of {options.target} will be skipped."])


def _backfill_arguments(parser: ArgumentParser) -> None:
    _add_target(
        parser,
        "Run the scheduled times of a past range, both ends included. "
        "Repeat --from and --until for several ranges; each time runs once.",
    )
    add = parser.add_argument
    add("--from", dest="starts", action="append", default=[], metavar="TIME", help=f"for example {TIME_EXAMPLES}")
    add(
        "--until", "--to", dest="ends", action="append", default=[], metavar="TIME", help="a day includes its last time"
    )
    parser.add_argument("--cancel", action="store_true", help="cancel a backfill that is under way")
    parser.add_argument("--missing", action="store_true", help="only times that did not run")
    parser.add_argument(
        "--overlap",
        choices=OVERLAPS,
        metavar="POLICY",
        help="what to do if a run is still going (default: buffer_all)",
    )


def _backfill(options: Namespace) -> CommandResult:
    if options.cancel == bool(options.starts) or len(options.starts) != len(options.ends):
        raise UsageError("Give --from and --until for each range, or --cancel.")
    if options.cancel:
        answer = call_api(options, "cancel_backfill", target=options.target, idempotency_key=options.idempotency_key)
        return CommandResult(answer, lambda _: [f"The backfill of {options.target} is cancelled."])
    ranges = list(zip(options.starts, options.ends, strict=True))
    spans = {"start": ranges[0][0], "end": ranges[0][1]} if len(ranges) == 1 else {"ranges": ranges}
    answer = call_api(
        options,
        "backfill",
        target=options.target,
        **spans,
        overlap=options.overlap,
        missing=options.missing,
        idempotency_key=options.idempotency_key,
    )
    return CommandResult(answer, _render_backfill)


def _render_backfill(answer: dict[str, Any]) -> Iterator[str]:
    for one in answer["schedules"]:
        yield f"{one['schedule']}: {one['total']:,} {'run' if one['total'] == 1 else 'runs'} planned."


def _publish_arguments(parser: ArgumentParser) -> None:
    parser.description = "Publish an event to a topic of a workflow, for its consumers."
    add_data_dir(parser)
    add = parser.add_argument
    add("workflow", metavar="WORKFLOW")
    add("topic", metavar="TOPIC")
    add(
        "--id",
        dest="identity",
        required=True,
        metavar="ID",
        help="identifies the event; publishing the same ID again has no effect",
    )
    add("--title", default="", metavar="TEXT", help="what you see in lists")
    add("--data", type=_json, default=None, metavar="JSON", help="what the script receives")
    add_idempotency_key(parser)


def _json(text: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(constant)

    try:
        return json.loads(text, parse_constant=refuse)  # Python would accept NaN and Infinity
    except (ValueError, RecursionError) as error:
        raise ArgumentTypeError(f"{text!r:.80} is not JSON") from error


def _publish(options: Namespace) -> CommandResult:
    answer = call_api(
        options,
        "publish",
        workflow=options.workflow,
        topic=options.topic,
        identity=options.identity,
        title=options.title,
        data=options.data,
        idempotency_key=options.idempotency_key,
    )
    text = "Published." if answer["news"] else "Nothing new: this event was published before."
    return CommandResult(answer, lambda _: [text])


def _skip_event_arguments(parser: ArgumentParser) -> None:
    parser.description = "Skip a pending event in a topic of a workflow."
    add_data_dir(parser)
    parser.add_argument("workflow", metavar="WORKFLOW")
    parser.add_argument("topic", metavar="TOPIC")
    parser.add_argument("--id", dest="identity", required=True, metavar="ID")
    add_idempotency_key(parser)


def _skip_event(options: Namespace) -> CommandResult:
    given = {"workflow": options.workflow, "topic": options.topic, "identity": options.identity}
    answer = call_api(options, "skip_event", **given, idempotency_key=options.idempotency_key)
    return CommandResult(answer, lambda done: [f"{done['id']} is skipped."])


VERBS = {
    "run": Command(_run_arguments, _run),
    "stop": Command(_stop_arguments, _stop),
    "pause": Command(_pause_arguments, _pause),
    "resume": Command(_resume_arguments, _resume),
    "skip-next": Command(_skip_arguments, _skip),
    "backfill": Command(_backfill_arguments, _backfill),
    "publish": Command(_publish_arguments, _publish),
    "skip-event": Command(_skip_event_arguments, _skip_event),
}
