"""`history`, `runs`, `logs`, `stats`: what ran, what did not, and why."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from app.keeping.folder import add_data_dir
from app.verbs.human import RUN_HEADS, on_one_line, run_row, say_how, say_status, say_time, table
from app.verbs.verb import Told, Verb, ask, stream
from scheduler.engine.refusal import RefusedError


def _history_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show what ran and what did not, the newest first."
    add_data_dir(parser)
    add = parser.add_argument
    add("target", nargs="?", metavar="WORKFLOW[/HANDLER]")
    add("--workflow", metavar="WORKFLOW", help="only of this one")
    add("--handler", metavar="HANDLER", help="only of handlers with this name")
    add("--status", metavar="STATUS", help="done, failed, waiting, missed, skipped, … or a stored status")
    add("--since", metavar="TIME", help="only from this time on")
    add("--until", metavar="TIME", help="only up to this time")
    add("--text", "--search", dest="text", default="", metavar="WORDS", help="only with these words")
    add("--count", "--limit", dest="count", type=int, default=50, metavar="N", help="how many at most (default: 50)")
    add("--cursor", metavar="PLACE", help="go on where the page before ended")


def _history(options: Namespace) -> Told:
    workflow, _, handler = (options.target or "").partition("/")
    return Told(
        ask(
            options,
            "history",
            workflow=options.workflow or workflow or None,
            handler=options.handler or handler or None,
            status=options.status,
            since=options.since,
            until=options.until,
            text=options.text,
            cursor=options.cursor,
            count=options.count,
        ),
        _say_history,
    )


def _say_history(answer: dict[str, Any]) -> Iterator[str]:
    rows = [(run["began"] or "", run_row(run)) for run in answer["runs"]]
    rows += [(one["planned"], _unrun_row(one)) for one in answer["occurrences"]]
    if not rows:
        yield "Nothing like that has happened."
        return
    yield from table(RUN_HEADS, [row for _, row in sorted(rows, key=lambda one: one[0], reverse=True)])
    if answer["cursor"]:
        yield f"There is more: --cursor {answer['cursor']}"


def _unrun_row(one: dict[str, Any]) -> tuple[Any, ...]:
    times = f"{'more than ' if one['more'] else ''}{one['number']:,} times: " if one["number"] > 1 else ""
    how = say_status(one["state"])
    return say_time(one["planned"]), "", one["workflow"], one["handler"], how, "-", f"{times}{one['sentence']}"


def _runs_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show one run: its attempts, phases, log, what it did outside and what came of it."
    add_data_dir(parser)
    parser.add_argument("what", choices=["show"], metavar="show")
    parser.add_argument("run_id", metavar="RUN", help="its id, or the beginning of it")


def _runs(options: Namespace) -> Told:
    return Told(ask(options, "run_show", run=options.run_id), _say_run)


def _say_run(run: dict[str, Any]) -> Iterator[str]:
    yield f"{run['id']}: {run['workflow']}, {run['handler']} ({run['kind']}), {say_how(run)}"
    if run["summary"]:
        yield on_one_line(run["summary"])
    if run["error"]:
        yield on_one_line(run["error"])
    yield f"Began by: {run['trigger']}; version {run['version']}; attempt {run['attempt']}"
    if run["planned"]:
        yield f"Planned for {say_time(run['planned'])}"
    yield from (f"  {say_time(one['at']):>18}  {one['phase']}" for one in run["phases"])
    if run["resume_at"]:
        yield f"Goes on at {say_time(run['resume_at'])}"
    if len(run["chain"]) > 1:
        yield "Attempts:"
        yield from (
            f"  {one['attempt']}  {one['id']}  {say_how(one)}  {on_one_line(one['error'] or one['summary'] or '')}"
            for one in run["chain"]
        )
    if run["events"]:
        yield "Events:"
        yield from (f"  {one['topic']}  {one['id']}  {on_one_line(one.get('title', ''))}" for one in run["events"])
    if run["prepared"] is not None:
        yield f"Prepared: {json.dumps(run['prepared'], ensure_ascii=False)}"
    if run["call"]:
        call = run["call"]
        yield f"Outside: {call['tool']} of {call['connection']}, {call['status']}"
        yield f"  {json.dumps(call['parameters'], ensure_ascii=False)}"
    if run["call"] or run["result"] is not None:
        yield f"Gave: {json.dumps(run['result'], ensure_ascii=False)}"
    for one in run["requests"]:
        yield f"Asked: {on_one_line(one['sentence'])} ({one['answer'] or 'not answered'})"
    if run["log"]:
        yield "Log:"
        yield from (f"  {line}" for line in run["log"].splitlines())
    if run["failure"] and run["failure"].get("traceback"):
        yield from (f"  {line}" for line in run["failure"]["traceback"].splitlines())


def _logs_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show what a run printed."
    add_data_dir(parser)
    parser.add_argument("run_id", metavar="RUN", help="its id, or the beginning of it")
    parser.add_argument("--follow", action="store_true", help="go on until it ends")


@dataclass(frozen=True, slots=True)
class _Following:
    """A log that is shown as it grows."""

    options: Namespace
    is_live = True

    def data(self) -> dict[str, Any]:
        for message in stream(self.options, "follow_logs", run=self.options.run_id):
            if "answer" in message:
                answer: dict[str, Any] = message["answer"]
                return answer
        raise RefusedError("lost", "The log ended too soon.")

    def lines(self) -> Iterator[str]:
        rest = ""
        for message in stream(self.options, "follow_logs", run=self.options.run_id):
            if "piece" in message:
                *whole, rest = (rest + message["piece"]["text"]).split("\n")
                yield from whole
        if rest:
            yield rest


def _logs(options: Namespace) -> Told | _Following:
    if options.follow:
        return _Following(options)
    return Told(ask(options, "logs", run=options.run_id), _say_log)


def _say_log(answer: dict[str, Any]) -> Iterable[str]:
    return str(answer["text"]).splitlines() or ["It printed nothing."]


def _stats_arguments(parser: ArgumentParser) -> None:
    parser.description = "Count runs and planned times, of one workflow or all."
    add_data_dir(parser)
    parser.add_argument("workflow", nargs="?", metavar="WORKFLOW")
    parser.add_argument("--since", metavar="TIME", help="from when on (default: a week ago)")


def _stats(options: Namespace) -> Told:
    return Told(ask(options, "stats", workflow=options.workflow, since=options.since), _say_stats)


def _say_stats(answer: dict[str, Any]) -> Iterator[str]:
    yield f"Since {say_time(answer['since'])}"
    times = answer["times"]
    skipped = sum(times["skipped"].values())
    yield (
        f"Planned times: {times['due']:,} due, {times['succeeded']:,} ran well, {times['failed']:,} failed, "
        f"{times['missed']:,} missed, {skipped:,} skipped"
    )
    if answer["workflows"]:
        yield ""
        yield from table(
            ("WORKFLOW", "RUNS", "DONE", "FAILED", "SECONDS EACH"),
            [
                (
                    one["name"],
                    one["runs"],
                    one["done"],
                    one["failed"],
                    "-" if one["seconds"] is None else one["seconds"],
                )
                for one in answer["workflows"]
            ],
        )


VERBS = {
    "history": Verb(_history_arguments, _history),
    "runs": Verb(_runs_arguments, _runs),
    "logs": Verb(_logs_arguments, _logs),
    "stats": Verb(_stats_arguments, _stats),
}
