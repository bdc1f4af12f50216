"""`history`, `runs`, `logs`, `stats`: past runs, and planned times that did not run."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from app.cli.command import Command, CommandResult, call_api, stream_api
from app.cli.command_line import add_folder_option, format_folder_option
from app.cli.formatting import (
    RUN_COLUMNS,
    TIME_EXAMPLES,
    describe_outcome,
    format_run_status,
    format_status,
    format_table,
    format_time,
    format_trigger,
    happened_at,
    render_times,
    run_row,
    to_single_line,
)
from app.data.data_dir import add_data_dir
from scheduler.engine.errors import RefusedError
from scheduler.rules.handler_ids import split_target
from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import RunPhase
from scheduler.rules.requests import REQUESTS, RequestKind
from scheduler.user_text import add_full_stop

_PHASES = {
    RunPhase.PREPARING: "started with prepare",
    RunPhase.PREPARED: "prepare decided what to do",
    RunPhase.MUTATING: "began the outside action",
    RunPhase.MUTATED: "knew how the outside action ended",
    RunPhase.EMITTING: "started with next",
    RunPhase.EXECUTING: "started",
    RunPhase.COMMITTED: "finished",
}
_ACTIONS = {
    MutationStatus.IN_FLIGHT: "under way",
    MutationStatus.APPLIED: "done",
    MutationStatus.FAILED: "did not happen",
    MutationStatus.UNSURE: "may have happened",
    MutationStatus.SKIPPED: "not done",
}


def _history_arguments(parser: ArgumentParser) -> None:
    parser.description = "List past, missed and skipped runs, newest first."
    add_data_dir(parser)
    add = parser.add_argument
    add("target", nargs="?", metavar="WORKFLOW[/HANDLER]")
    add("--workflow", metavar="WORKFLOW", help="only this workflow")
    add("--handler", metavar="HANDLER", help="only handlers with this name")
    add("--status", metavar="STATUS", help="done, rejected, failed, waiting, missed, skipped, … or a stored status")
    add("--since", metavar="TIME", help=f"only from this time: {TIME_EXAMPLES}")
    add("--until", metavar="TIME", help="only up to this time")
    add("--on", metavar="DAY", help="only this day: yesterday, tuesday, 2026-11-20, …")
    add("--text", "--search", dest="text", default="", metavar="WORDS", help="only those that contain these words")
    add("--count", "--limit", dest="count", type=int, default=50, metavar="N", help="show at most N (default: 50)")
    add("--cursor", metavar="CURSOR", help="continue where the previous page ended")


def _history(options: Namespace) -> CommandResult:
    workflow, handler = split_target(options.target or "")
    return CommandResult(
        call_api(
            options,
            "history",
            workflow=options.workflow or workflow or None,
            handler=options.handler or handler,
            status=options.status,
            since=options.since,
            until=options.until,
            on=options.on,
            text=options.text,
            cursor=options.cursor,
            count=options.count,
        ),
        _render_history,
    )


def _render_history(answer: dict[str, Any]) -> Iterator[str]:
    rows = [(happened_at(run) or "", run_row(run)) for run in answer["runs"]]
    rows += [(one["planned"], _unrun_row(one)) for one in answer["occurrences"]]
    if not rows:
        yield "No results."
        return
    yield from format_table(RUN_COLUMNS, [row for _, row in sorted(rows, key=lambda one: one[0], reverse=True)])
    if answer["cursor"]:
        yield f"For more: --cursor {answer['cursor']}"


def _unrun_row(one: dict[str, Any]) -> tuple[Any, ...]:
    times = f"{'more than ' if one['more'] else ''}{one['number']:,} times: " if one["number"] > 1 else ""
    status = format_status(one["state"])
    return format_time(one["planned"]), "", one["workflow"], one["handler"], status, "-", f"{times}{one['sentence']}"


def _runs_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show one run: its attempts, phases, log, outside action and result."
    add_data_dir(parser)
    parser.add_argument("what", choices=["show"], metavar="show")
    parser.add_argument("run_id", metavar="RUN", help="its ID, or the beginning of it")


def _runs(options: Namespace) -> CommandResult:
    return CommandResult(call_api(options, "run_show", run=options.run_id), partial(_render_run, options))


def _render_run(options: Namespace, run: dict[str, Any]) -> Iterator[str]:
    folder_option = format_folder_option(options.data_dir)
    yield f"{run['id']}: {run['workflow']}/{run['handler']}, {format_run_status(run)}"
    if run["summary"]:
        yield to_single_line(run["summary"])
    if run["error"]:
        yield add_folder_option(to_single_line(run["error"]), folder_option)
    yield from (f"Command: {to_single_line(command)}" for command in [run.get("command")] if command)
    started = format_trigger(run["trigger"])
    yield f"{started.capitalize()}, with version {run['version']} of the script, attempt {run['attempt']}"
    if run["planned"]:
        yield f"Planned for {format_time(run['planned'])}"
    yield from (f"  {format_time(one['at']):>18}  {_PHASES[one['phase']]}" for one in run["phases"])
    if run["resume_at"]:
        yield f"Continues at {format_time(run['resume_at'])}"
    if len(run["chain"]) > 1:
        yield "Attempts:"
        yield from (
            f"  {one['attempt']}  {one['id']}  {format_run_status(one)}  {to_single_line(describe_outcome(one) or '')}"
            for one in run["chain"]
        )
    if run["events"]:
        yield "Events:"
        yield from (f"  {one['topic']}  {one['id']}  {to_single_line(one.get('title', ''))}" for one in run["events"])
    if run["prepared"] is not None:
        yield f"Decided by prepare: {json.dumps(run['prepared'], ensure_ascii=False)}"
    yield from _render_action(run["call"])
    if run["call"] or run["result"] is not None:
        yield f"Result: {json.dumps(run['result'], ensure_ascii=False)}"
    for one in run["requests"]:
        yield from _render_request(one)
        yield from (f"  {add_folder_option(command, folder_option)}" for command in one["how"])
    if run["log"]:
        yield "Log:"
        yield from (f"  {line}" for line in run["log"].splitlines())
    if run["failure"]:
        yield from _render_traceback(run["failure"])


def _render_traceback(failure: dict[str, Any]) -> list[str]:
    return str(failure.get("traceback") or "").splitlines()


def _render_action(call: dict[str, Any] | None) -> Iterator[str]:
    if not call:
        return
    yield f"Outside action: {call['tool']} of {call['connection']}, {_ACTIONS[call['status']]}"
    yield f"  {json.dumps(call['parameters'], ensure_ascii=False)}"
    if call["asked"] is not None:
        yield "You changed this before approving it. The script asked for:"
        yield f"  {json.dumps(call['asked'], ensure_ascii=False)}"


def _render_request(one: dict[str, Any]) -> Iterator[str]:
    is_report = REQUESTS[RequestKind.from_slug(one["kind"])].is_report
    head = "Asked" if one["answer"] else "Needs attention" if is_report else "Waiting for your answer"
    yield f"{head}: {add_full_stop(to_single_line(one['sentence']))} {to_single_line(one['outcome'])}".rstrip()
    if one["answers"]:
        yield f"  Answers: {json.dumps(one['answers'], ensure_ascii=False)}"


def _logs_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show what a run printed and, if it failed, where in the script."
    add_data_dir(parser)
    parser.add_argument("run_id", metavar="RUN", help="its ID, or the beginning of it")
    parser.add_argument("--follow", action="store_true", help="keep printing until it ends")


@dataclass(frozen=True, slots=True)
class _FollowedLog:
    """A log that is printed as it grows."""

    options: Namespace
    is_live = True

    def data(self) -> dict[str, Any]:
        for message in stream_api(self.options, "follow_logs", run=self.options.run_id):
            if "answer" in message:
                answer: dict[str, Any] = message["answer"]
                return answer
        raise RefusedError("lost", "The log ended unexpectedly.")

    def lines(self) -> Iterator[str]:
        rest = ""
        for message in stream_api(self.options, "follow_logs", run=self.options.run_id):
            if "piece" in message:
                *whole, rest = (rest + message["piece"]["text"]).split("\n")
                yield from whole
            elif "answer" in message:
                yield from [rest] if rest else []
                yield from _render_traceback(message["answer"])


def _logs(options: Namespace) -> CommandResult | _FollowedLog:
    if options.follow:
        return _FollowedLog(options)
    return CommandResult(call_api(options, "logs", run=options.run_id), _render_log)


def _render_log(answer: dict[str, Any]) -> Iterable[str]:
    return [*str(answer["text"]).splitlines(), *_render_traceback(answer)] or ["It printed nothing."]


def _stats_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show run statistics of one workflow, one handler, or all."
    add_data_dir(parser)
    parser.add_argument("workflow", nargs="?", metavar="WORKFLOW[/HANDLER]")
    parser.add_argument("--since", metavar="TIME", help=f"only from this time (default: a week ago): {TIME_EXAMPLES}")


def _stats(options: Namespace) -> CommandResult:
    return CommandResult(call_api(options, "stats", workflow=options.workflow, since=options.since), _render_stats)


def _render_stats(answer: dict[str, Any]) -> Iterator[str]:
    yield f"Since {format_time(answer['since'])}"
    yield from render_times(answer["times"])
    if answer["workflows"]:
        yield ""
        yield from format_table(
            ("WORKFLOW", "RUNS", "DONE", "NOT APPROVED", "FAILED", "RETRIED", "AVERAGE SECONDS"),
            [
                (
                    one["name"],
                    one["runs"],
                    one["done"],
                    one["refused"],
                    one["failed"],
                    one["transient_failures"],
                    "-" if one["seconds"] is None else one["seconds"],
                )
                for one in answer["workflows"]
            ],
        )


VERBS = {
    "history": Command(_history_arguments, _history),
    "runs": Command(_runs_arguments, _runs),
    "logs": Command(_logs_arguments, _logs),
    "stats": Command(_stats_arguments, _stats),
}
