"""`dayhand preview`: the next times of a schedule, as they would fire, before anything is deployed."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from app.platform.zone import machine_zone
from app.schedule_text import read_exclusion, read_schedule_words
from scheduler.engine.clock import SystemClock
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.instants import parse_instant, write_instant
from scheduler.timing.spec import Spec
from scheduler.timing.times import Times
from scheduler.timing.words import say
from scheduler.timing.zones import LOCAL, find_zone

DEFAULT_COUNT = 10
MOST = 10_000
_DESCRIPTION = """Show the next times of a schedule. Nothing is stored or started.

SPEC is one of
  every 5m                          a number and s, m, h or d; also: every 5m anchor 2026-01-01T10:02
  '0 9 * * 1-5'                     a cron text of 5, 6 or 7 fields or a macro; several, or one with ;, are a union
  calendar '{"hour": 18, "day": "last"}'
  once 2026-11-20T09:00"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add = parser.add_argument
    add("schedule", nargs="*", metavar="SPEC", help="the schedule, in quotes or as it is")
    add("--timezone", metavar="ZONE", help="an IANA name such as Europe/Berlin (default: this machine's)")
    add("--from", dest="after", metavar="TIME", help="show what comes after this time (default: now)")
    add("--until", metavar="TIME", help=f"show all up to this time, at most {MOST:,}")
    add("--count", metavar="N", help=f"show at most so many (default: {DEFAULT_COUNT}, with --until all)")
    add("--start-at", metavar="TIME", help="the schedule begins here")
    add("--end-at", metavar="TIME", help="the schedule ends here")
    add(
        "--exclude",
        action="append",
        default=[],
        metavar="DATES",
        help="leave out a date, a span (2026-12-24/2027-01-01) or a calendar; may be repeated",
    )
    add("--jitter", metavar="LENGTH", help="how far each start may shift: 30s, or +30s for only later")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    words: str
    zone: ZoneInfo
    times: tuple[datetime, ...]
    closing: str
    """What to know about the times behind the last one, if anything."""

    def data(self) -> dict[str, Any]:
        times = [write_instant(at) for at in self.times]
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
            yield f"{at:%a} {at.day:2} {at:%b %Y}  {at:{clock}} {at.tzname():{width}}  {write_instant(at)}"
        if self.closing:
            yield self.closing


def run(options: Namespace) -> Preview:
    machine = machine_zone()
    named = machine if options.timezone in (None, LOCAL) else options.timezone
    zone = find_zone(named)
    after = SystemClock().now() if options.after is None else parse_instant(options.after, "from", zone)
    until = None if options.until is None else parse_instant(options.until, "until", zone, end_of_day=True)
    if until is not None and until < after:
        raise BadScheduleError("until", "until: it lies before from.")
    most = _read_count(options.count, MOST if until else DEFAULT_COUNT)
    written = read_schedule_words(options.schedule) | {
        "timezone": named,
        "exclude": [exclusion for text in options.exclude for exclusion in read_exclusion(text)],
        "start_at": options.start_at,
        "end_at": options.end_at,
        "jitter": options.jitter,
    }
    # Without an anchor the grid starts where one looks from, as if it were deployed then.
    spec = Spec.read(written, machine_zone=machine, now=after)
    times = spec.times(machine)
    found, following = _walk(times, after, until, most)
    return Preview(words=say(spec), zone=zone, times=found, closing=_close(found, following, until, options.count))


def _walk(
    times: Times, after: datetime, until: datetime | None, most: int
) -> tuple[tuple[datetime, ...], datetime | None]:
    """The times in (after, until], at most so many, and the one that follows them."""
    found: list[datetime] = []
    following = times.after(after)
    while following is not None and len(found) < most and (until is None or following <= until):
        found.append(following)
        following = times.after(following)
    return tuple(found), following


def _close(found: tuple[datetime, ...], following: datetime | None, until: datetime | None, count: str | None) -> str:
    if following is None:
        return "No more times."
    if until is None:
        return ""
    if not found:
        return "No times until then."
    return "" if following > until or count is not None else f"These are the first {MOST:,}; there are more."


def _read_count(text: str | None, default: int) -> int:
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MOST)) and 1 <= int(text) <= MOST):
        raise BadScheduleError("count", f"count: {text!r} is not a number from 1 to {MOST:,}.")
    return int(text)
