"""`log`: what Dayhand decided about every planned time, and the messages of the app."""

import json
import time
from argparse import ArgumentParser, Namespace
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dayhand._workflow import make_slug

from app.cli.command import Command, call_api
from app.cli.formatting import TIME_EXAMPLES, now
from app.data.data_dir import add_data_dir, data_dir
from app.data.log_reader import LogEntry, LogReader
from scheduler.rules.handler_ids import split_handler_id, split_target
from scheduler.timing.occurrences import OccurrenceReason
from scheduler.timing.time_expressions import Direction, parse_time
from scheduler.timing.zones import find_zone

_DEFAULT_COUNT = 100
_POLL_S = 0.3
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def _log_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Show what Dayhand decided about every planned time (queued, started, skipped, missed, …) and why, together\n"
        "with the messages of the app, oldest first. Works with and without a running app. With --json, each entry is\n"
        "one JSON object on its own line."
    )
    add_data_dir(parser)
    add = parser.add_argument
    add("--follow", action="store_true", help="keep printing new entries until Ctrl+C")
    add("--since", metavar="TIME", help=f"from this time (default: the last {_DEFAULT_COUNT}): {TIME_EXAMPLES}")
    add("--count", type=int, metavar="N", help="show at most the last N entries")
    add("--schedule", metavar="WORKFLOW[/HANDLER]", help="only decisions about this workflow or handler")
    add("--decisions", action="store_true", help="only decisions, without the messages of the app")


@dataclass(frozen=True, slots=True)
class _LogOutput:
    """Printed as it is read."""

    options: Namespace
    since: datetime | None
    is_live = True
    prints_json_lines = True

    def data(self) -> dict[str, Any]:
        return {"entries": [entry.values for entry in self._last(self._reader())]}

    def lines(self) -> Iterator[str]:
        reader = self._reader()
        last = self._last(reader)
        if not last and self.options.schedule is not None:
            call_api(self.options, "schedules", workflow=self.options.schedule)  # RefusedError if there is none
        if not last and not self.options.follow and not self.options.json:
            yield "No entries."
        show = _to_json if self.options.json else _format_entry
        yield from map(show, last)
        while self.options.follow:
            time.sleep(_POLL_S)
            yield from map(show, self._wanted(reader.read()))

    def _reader(self) -> LogReader:
        only_decisions = self.options.decisions or self.options.schedule is not None
        return LogReader(data_dir(self.options), only_decisions=only_decisions)

    def _last(self, reader: LogReader) -> deque[LogEntry]:
        most = _DEFAULT_COUNT if self.options.count is None and self.since is None else self.options.count
        return deque(self._wanted(reader.read()), None if most is None else max(most, 0))

    def _wanted(self, entries: Iterable[LogEntry]) -> Iterator[LogEntry]:
        for entry in entries:
            if (self.since is None or entry.at >= self.since) and self._is_about(entry.values.get("schedule")):
                yield entry

    def _is_about(self, schedule: str | None) -> bool:
        """What concerns all schedules, such as a clock set back, concerns each of them."""
        if self.options.schedule is None or schedule is None:
            return True
        workflow, handler = split_target(self.options.schedule)
        of_workflow, of_handler = split_handler_id(schedule)
        return of_workflow in (workflow, make_slug(workflow)) and handler in (None, of_handler)


def _log(options: Namespace) -> _LogOutput:
    since = None
    if options.since is not None:
        from app.platform.zone import machine_zone

        zone = find_zone(machine_zone())
        since = parse_time(options.since, "since", zone, now(), Direction.PAST)
    return _LogOutput(options, since)


def _to_json(entry: LogEntry) -> str:
    return json.dumps(entry.values)


def _format_entry(entry: LogEntry) -> str:
    at = f"{entry.at.astimezone():%Y-%m-%d %H:%M:%S}.{entry.at.microsecond // 1000:03}"
    if not entry.is_decision:
        return f"{at}  {entry.values['level'].lower()}  {entry.values['message']}"
    return f"{at}  {_format_decision(entry.values, entry.at)}"


def _format_decision(one: dict[str, Any], at: datetime) -> str:
    if "schedule" not in one:
        recalculated = f"{_count(one['schedules'], 'schedule')} recalculated"
        return f"{one['decision']}  {recalculated}, {_count(one['dropped'], 'run')} dropped"
    planned = _format_planned(one["planned"], at)
    if "count" in one:
        until = _format_planned(one["until"], at)
        times = f"{'more than ' if one.get('more') else ''}{_count(one['count'], 'time')}"
        planned = f"{times}, {planned}" if until == planned else f"{times} from {planned} until {until}"
    else:
        # the user chose when a manual run or a backfill happens
        lateness = "" if "origin" in one else _format_lateness(one["late_s"])
        planned = f"planned {planned}{lateness}"
    notes = [f"{one['schedule']}  {one['decision']}  {planned}"]
    if "origin" in one:
        notes.append(one["origin"])
    if "retry_at" in one:
        notes.append(f"next try {_format_planned(one['retry_at'], at)}")
    text = ", ".join(notes)
    return f"{text}. {_explain(one['reason'])}" if "reason" in one else text


def _format_planned(text: str, at: datetime) -> str:
    """The time alone on the day of the entry."""
    local = datetime.fromisoformat(text).astimezone()
    return f"{local:%H:%M:%S}" if local.date() == at.astimezone().date() else f"{local:%Y-%m-%d %H:%M:%S}"


def _format_lateness(seconds: float) -> str:
    size, unit = next((one for one in _UNITS if seconds >= 2 * one[0]), (1, "s"))
    return f", {seconds / size:.1f} {unit} late" if seconds >= 0.05 else ""


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _explain(reason: str) -> str:
    """The sentence of a reason; the word itself if a newer version wrote it."""
    known = OccurrenceReason.__members__.get(reason.upper())
    return reason if known is None else known.sentence


VERBS = {"log": Command(_log_arguments, _log)}
