"""`preview`: the next times of a schedule typed in a shell, such as `every 5m` or `0 9 * * 1-5`."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from app.cli.command import Command
from app.cli.formatting import TIME_EXAMPLES
from app.platform.zone import machine_zone
from scheduler.engine.clock import SystemClock
from scheduler.timing.compiled import PlannedTimes
from scheduler.timing.description import describe_schedule
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.instants import format_instant
from scheduler.timing.spec import ScheduleSpec
from scheduler.timing.time_expressions import Direction, parse_time
from scheduler.timing.zones import LOCAL, find_zone

DEFAULT_COUNT = 10
MAX_TIMES = 10_000
_DESCRIPTION = """Show the next times of a schedule. Nothing is stored or started.

SPEC is one of
  every 5m                          a number and s, m, h or d; or: every 5m anchor 2026-01-01T10:02
  '0 9 * * 1-5'                     a cron expression of 5, 6 or 7 fields, or a macro; separate several with ;
  calendar '{"hour": 18, "day": "last"}'
  once 2026-11-20T09:00"""
_EXAMPLES = "for example every 5m, 0 9 * * 1-5, once 2026-11-20T09:00 or calendar '{\"hour\": 18}'"
_MAX_DEPTH = 6
"""How deep lists and objects may be nested in a calendar."""


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add = parser.add_argument
    add("schedule", nargs="*", metavar="SPEC", help="the schedule, quoted or as separate words")
    add("--timezone", metavar="ZONE", help="an IANA name such as Europe/Berlin (default: this machine's)")
    add("--from", dest="after", metavar="TIME", help=f"show times after this one (default: now): {TIME_EXAMPLES}")
    add("--until", metavar="TIME", help=f"show all times up to this one, at most {MAX_TIMES:,}")
    add("--count", metavar="N", help=f"show at most N (default: {DEFAULT_COUNT}, with --until all)")
    add("--start-at", metavar="TIME", help="the schedule starts here")
    add("--end-at", metavar="TIME", help="the schedule ends here")
    add(
        "--exclude",
        action="append",
        default=[],
        metavar="DATES",
        help="leave out a date, a range (2026-12-24/2027-01-01) or a calendar; repeatable",
    )
    add("--jitter", metavar="LENGTH", help="how far each start may shift: 30s, or +30s for later only")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    words: str
    zone: ZoneInfo
    times: tuple[datetime, ...]
    closing: str
    """A note below the times; may be empty."""

    def data(self) -> dict[str, Any]:
        times = [format_instant(at) for at in self.times]
        return {"times": times, "timezone": self.zone.key, "words": self.words}

    def lines(self) -> Iterator[str]:
        yield self.words
        yield f"Time zone: {self.zone.key}"
        if self.times:
            yield ""
        clock = "%H:%M:%S" if any(at.second for at in self.times) else "%H:%M"
        locals_ = [at.astimezone(self.zone) for at in self.times]
        width = max((len(str(at.tzname())) for at in locals_), default=0)
        for at in locals_:
            yield f"{at:%a} {at.day:2} {at:%b %Y}  {at:{clock}} {at.tzname():{width}}  {format_instant(at)}"
        if self.closing:
            yield self.closing


def _preview(options: Namespace) -> Preview:
    machine = machine_zone()
    named = machine if options.timezone in (None, LOCAL) else options.timezone
    zone = find_zone(named)
    now = SystemClock().now()

    def read(text: str, field: str, *, end_of_day: bool = False) -> datetime:
        return parse_time(text, field, zone, now, Direction.FUTURE, end_of_day=end_of_day)

    after = now if options.after is None else read(options.after, "from")
    until = None if options.until is None else read(options.until, "until", end_of_day=True)
    if until is not None and until < after:
        raise BadScheduleError("until", "until: it is before from.")
    most = _read_count(options.count, MAX_TIMES if until else DEFAULT_COUNT)
    written = _parse_schedule(options.schedule) | {
        "timezone": named,
        "exclude": [exclusion for text in options.exclude for exclusion in parse_exclusion(text)],
        "start_at": None if options.start_at is None else read(options.start_at, "start_at"),
        "end_at": None if options.end_at is None else read(options.end_at, "end_at", end_of_day=True),
        "jitter": options.jitter,
    }
    # Without an anchor the times count from `after`, as if it were deployed then.
    spec = ScheduleSpec.read(written, machine_zone=machine, now=after)
    times = spec.compile(machine)
    found, following = _walk(times, after, until, most)
    return Preview(
        words=describe_schedule(spec),
        zone=zone,
        times=found,
        closing=_closing_note(found, following, until, options.count),
    )


def _walk(
    times: PlannedTimes, after: datetime, until: datetime | None, most: int
) -> tuple[tuple[datetime, ...], datetime | None]:
    """The times in (after, until], at most `most`, and the one that follows them."""
    found: list[datetime] = []
    following = times.after(after)
    while following is not None and len(found) < most and (until is None or following <= until):
        found.append(following)
        following = times.after(following)
    return tuple(found), following


def _closing_note(
    found: tuple[datetime, ...], following: datetime | None, until: datetime | None, count: str | None
) -> str:
    if following is None:
        return "No more times."
    if until is None:
        return ""
    if not found:
        return "No times in this range."
    return "" if following > until or count is not None else f"These are the first {MAX_TIMES:,}; there are more."


def _read_count(text: str | None, default: int) -> int:
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MAX_TIMES)) and 1 <= int(text) <= MAX_TIMES):
        raise BadScheduleError("count", f"count: {text!r} is not a number from 1 to {MAX_TIMES:,}.")
    return int(text)


def _parse_schedule(words: Sequence[str]) -> dict[str, Any]:
    """The settings for `Spec.read`; the shell may have split the text into words."""
    kind, _, rest = _one_spaced(words).partition(" ")
    match kind.lower():
        case "":
            raise BadScheduleError("schedule", f"schedule: it is missing; write {_EXAMPLES}.")
        case "every":
            interval, anchor, instant = rest.partition(" anchor ")
            return {"every": interval, "anchor": instant} if anchor else {"every": interval}
        case "once":
            return {"once": rest}
        case "calendar":
            return {"calendar": parse_json(rest, "calendar")}
        case _:
            return {"cron": _parse_cron(words)}


def parse_exclusion(text: str) -> list[Any]:
    """A date or range as it is, or calendars from JSON."""
    if not text.strip().startswith(("{", "[")):
        return [text]
    value = parse_json(text, "exclude")
    return value if isinstance(value, list) else [value]


def parse_json(text: str, field: str) -> Any:
    try:
        value = json.loads(text, object_pairs_hook=_refuse_duplicates)
    except (ValueError, RecursionError) as error:
        raise _not_json(text, field) from error
    if _is_nested(value, _MAX_DEPTH):
        raise _not_json(text, field)
    return value


def _not_json(text: str, field: str) -> BadScheduleError:
    return BadScheduleError(
        field, f'{field}: {text!r} is not a calendar in JSON; write for example \'{{"hour": 18, "day": "last"}}\'.'
    )


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The parser would silently use the last of two equal keys."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


def _is_nested(value: Any, room: int) -> bool:
    """Whether lists and objects are nested deeper than that."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return room == 0 or any(_is_nested(item, room - 1) for item in inside)


def _parse_cron(words: Sequence[str]) -> list[str]:
    """Expressions separated by `;`, one per argument, or one whose fields are separate arguments."""
    words = words[1:] if words[0].strip().lower() == "cron" else words
    texts = [_without_prefix(text) for word in words for text in word.split(";") if text.strip()]
    if all(_is_complete(text) for text in texts):
        return texts
    return [_without_prefix(text) for text in _one_spaced(words).split(";") if text.strip()]


def _without_prefix(text: str) -> str:
    first, _, rest = _one_spaced([text]).partition(" ")
    return rest if first.lower() == "cron" else _one_spaced([text])


def _is_complete(text: str) -> bool:
    return text.startswith("@") or len(text.split()) >= 5


def _one_spaced(words: Sequence[str]) -> str:
    return " ".join(" ".join(words).split())


VERBS = {"preview": Command(_arguments, _preview)}
