"""`run`, `stop`, `pause`, `resume`, `skip-next`, `backfill`, `publish`, `skip-event`: what runs, and when."""

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from typing import Any, NoReturn

from app.cli import UsageError
from app.keeping.folder import add_data_dir
from app.verbs.human import say_status
from app.verbs.verb import Told, Verb, ask, stream


def _target(parser: ArgumentParser, description: str, *, optional: bool = False) -> None:
    parser.description = description
    add_data_dir(parser)
    parser.add_argument("target", nargs="?" if optional else None, metavar="WORKFLOW[/HANDLER]")
    parser.add_argument("--request", metavar="ID", help="the same id again gets the first answer")


def _run_arguments(parser: ArgumentParser) -> None:
    _target(parser, "Start a workflow now; its regular times do not move.")
    parser.add_argument("--wait", action="store_true", help="until what was started has ended, or needs you")
    parser.add_argument("--when-finished", action="store_true", help="if it is running, start after that")


def _run(options: Namespace) -> Told:
    given = {"target": options.target, "when_finished": options.when_finished, "request": options.request}
    if not options.wait:
        return Told(ask(options, "run", **given), lambda told: [f"Started {_count(told['runs'])}."])
    answer: dict[str, Any] = {}
    for message in stream(options, "run_and_wait", **given):
        answer = message.get("answer", answer)
    return Told(answer, _say_results, answer["error"]["message"] if "error" in answer else None)


def _say_results(answer: dict[str, Any]) -> Iterator[str]:
    for one in answer["results"]:
        yield f"{one['id']}: {say_status(one['status'])}. {one['summary'] or ''}".rstrip()


def _count(ids: list[str]) -> str:
    return f"{len(ids)} {'run' if len(ids) == 1 else 'runs'}: {', '.join(ids)}"


def _stop_arguments(parser: ArgumentParser) -> None:
    parser.description = "End what runs or waits: of a workflow, of one handler, or one run."
    add_data_dir(parser)
    parser.add_argument("target", metavar="WORKFLOW[/HANDLER]|RUN")
    parser.add_argument("--kill", action="store_true", help="at once, without asking it first")
    parser.add_argument("--request", metavar="ID", help="the same id again gets the first answer")


def _stop(options: Namespace) -> Told:
    answer = ask(options, "stop", target=options.target, kill=options.kill, request=options.request)
    return Told(answer, lambda told: [f"Stopped {_count(told['stopped'])}."])


def _pause_arguments(parser: ArgumentParser) -> None:
    _target(parser, "Let times pass without running: of a workflow, of one handler, or of everything.", optional=True)
    parser.add_argument("--all", action="store_true", dest="everything", help="start nothing at all")
    parser.add_argument("--until", metavar="TIME", help="go on by itself at this time")
    parser.add_argument("--note", metavar="TEXT", help="why, for you to read later")


def _pause(options: Namespace) -> Told:
    _one_or_all(options)
    answer = ask(
        options,
        "pause",
        target=options.target,
        everything=options.everything,
        until=options.until,
        note=options.note,
        request=options.request,
    )
    return Told(answer, lambda _: [f"{options.target or 'Everything'} is paused."])


def _resume_arguments(parser: ArgumentParser) -> None:
    _target(parser, "Go on after a pause; times that passed are caught up as their schedule says.", optional=True)
    parser.add_argument("--all", action="store_true", dest="everything", help="after a pause of everything")


def _resume(options: Namespace) -> Told:
    _one_or_all(options)
    answer = ask(options, "resume", target=options.target, everything=options.everything, request=options.request)
    return Told(answer, lambda _: [f"{options.target or 'Everything'} goes on."])


def _one_or_all(options: Namespace) -> None:
    if (options.target is None) != options.everything:
        raise UsageError("Name a workflow, or say --all.")


def _skip_arguments(parser: ArgumentParser) -> None:
    _target(parser, "Leave out the next time; the one after it runs.")


def _skip(options: Namespace) -> Told:
    answer = ask(options, "skip_next", target=options.target, request=options.request)
    return Told(answer, lambda _: [f"The next time of {options.target} is left out."])


def _backfill_arguments(parser: ArgumentParser) -> None:
    _target(parser, "Run the times of a past range, both ends included.")
    parser.add_argument("--from", dest="start", metavar="TIME")
    parser.add_argument("--until", dest="end", metavar="TIME")
    parser.add_argument("--cancel", action="store_true", help="run no more of those that were asked for before")
    parser.add_argument("--missing", action="store_true", help="only times that did not run")
    parser.add_argument("--overlap", metavar="POLICY", help="what to do while one still runs (default: buffer_all)")


def _backfill(options: Namespace) -> Told:
    if options.cancel != (options.start is None) or options.cancel != (options.end is None):
        raise UsageError("Say from when until when with --from and --until, or --cancel.")
    if options.cancel:
        answer = ask(options, "cancel_backfill", target=options.target, request=options.request)
        return Told(answer, lambda _: [f"No more past times of {options.target} are run."])
    answer = ask(
        options,
        "backfill",
        target=options.target,
        start=options.start,
        end=options.end,
        overlap=options.overlap,
        missing=options.missing,
        request=options.request,
    )
    return Told(answer, _say_backfill)


def _say_backfill(answer: dict[str, Any]) -> Iterator[str]:
    for one in answer["schedules"]:
        yield f"{one['schedule']}: {one['total']:,} times will run."


def _publish_arguments(parser: ArgumentParser) -> None:
    parser.description = "Put an event into a topic of a workflow, for its consumers."
    add_data_dir(parser)
    add = parser.add_argument
    add("workflow", metavar="WORKFLOW")
    add("topic", metavar="TOPIC")
    add("--id", dest="identity", required=True, metavar="ID", help="what makes it unique: the same id is one event")
    add("--title", default="", metavar="TEXT", help="what people see")
    add("--data", type=_json, default=None, metavar="JSON", help="what the script gets")
    add("--request", metavar="ID", help="the same id again gets the first answer")


def _json(text: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(constant)

    try:
        return json.loads(text, parse_constant=refuse)  # Python would take NaN and Infinity
    except (ValueError, RecursionError) as error:
        raise ArgumentTypeError(f"{text!r:.80} is not JSON") from error


def _publish(options: Namespace) -> Told:
    answer = ask(
        options,
        "publish",
        workflow=options.workflow,
        topic=options.topic,
        identity=options.identity,
        title=options.title,
        data=options.data,
        request=options.request,
    )
    said = "Published." if answer["news"] else "Nothing new: that event is known already."
    return Told(answer, lambda _: [said])


def _skip_event_arguments(parser: ArgumentParser) -> None:
    parser.description = "Leave out one event that waits in a topic of a workflow."
    add_data_dir(parser)
    parser.add_argument("workflow", metavar="WORKFLOW")
    parser.add_argument("topic", metavar="TOPIC")
    parser.add_argument("--id", dest="identity", required=True, metavar="ID")
    parser.add_argument("--request", metavar="ID", help="the same id again gets the first answer")


def _skip_event(options: Namespace) -> Told:
    given = {"workflow": options.workflow, "topic": options.topic, "identity": options.identity}
    answer = ask(options, "skip_event", **given, request=options.request)
    return Told(answer, lambda told: [f"{told['id']} is left out."])


VERBS = {
    "run": Verb(_run_arguments, _run),
    "stop": Verb(_stop_arguments, _stop),
    "pause": Verb(_pause_arguments, _pause),
    "resume": Verb(_resume_arguments, _resume),
    "skip-next": Verb(_skip_arguments, _skip),
    "backfill": Verb(_backfill_arguments, _backfill),
    "publish": Verb(_publish_arguments, _publish),
    "skip-event": Verb(_skip_event_arguments, _skip_event),
}
