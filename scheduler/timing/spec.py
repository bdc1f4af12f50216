"""A schedule's times as written: one kind of rule and what narrows it. Reads and writes JSON values."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from scheduler.timing.calendar import Calendar, parse_calendars
from scheduler.timing.cron import parse_cron
from scheduler.timing.durations import write_duration
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.every import Every, parse_interval
from scheduler.timing.exclusions import Exclusion, parse_exclusions
from scheduler.timing.instants import parse_instant, write_instant
from scheduler.timing.jitter import Jitter, parse_jitter
from scheduler.timing.once import Once
from scheduler.timing.times import Rule, Times
from scheduler.timing.zones import LOCAL, find_zone


class Kind(StrEnum):
    """How the times are said."""

    EVERY = "every"
    """A grid in real time."""
    CRON = "cron"
    """Cron texts, in wall time."""
    CALENDAR = "calendar"
    """Parts of a date and time, in wall time."""
    ONCE = "once"
    """One instant."""


_OPTIONS = {"anchor", "timezone", "start_at", "end_at", "exclude", "limit", "jitter"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """Validated text. `timezone` is an IANA name, or `local` to follow the machine."""

    kind: Kind
    timezone: str
    every: timedelta | None = None
    anchor: datetime | None = None
    cron: tuple[str, ...] = ()
    calendar: tuple[Calendar, ...] = ()
    once: datetime | None = None
    start_at: datetime | None = None
    end_at: datetime | None = None
    exclude: tuple[Exclusion, ...] = ()
    limit: int | None = None
    jitter: Jitter | None = None

    @classmethod
    def read(cls, written: Mapping[str, Any], *, machine_zone: str, now: datetime) -> "Spec":
        """Check what an author wrote and fill in what he left out: zone and anchor."""
        kinds = [kind for kind in Kind if kind in written]
        if len(kinds) != 1:
            raise BadScheduleError("schedule", "schedule: say exactly one of every, cron, calendar or once.")
        unknown = set(written) - set(Kind) - _OPTIONS
        if unknown:
            name = min(map(str, unknown))
            raise BadScheduleError(name, f"{name}: a schedule has no such setting.")
        timezone = machine_zone if written.get("timezone") is None else written["timezone"]
        zone = find_zone(machine_zone if timezone == LOCAL else timezone)
        if "anchor" in written and kinds != [Kind.EVERY]:
            raise BadScheduleError("anchor", "anchor: only a schedule with every has one.")
        instants = {
            name: parse_instant(written[name], name, zone, end_of_day=name == "end_at")
            for name in ("once", "anchor", "start_at", "end_at")
            if written.get(name) is not None or name in kinds
        }
        if Kind.EVERY in written:
            instants.setdefault("anchor", now.astimezone(UTC).replace(microsecond=0))
        spec = cls(
            kind=kinds[0],
            timezone=timezone,
            every=parse_interval(written["every"]) if "every" in written else None,
            cron=_texts(written.get("cron")),
            calendar=_several(written.get("calendar")),
            exclude=_several(written.get("exclude")),
            limit=_limit(written.get("limit")),
            jitter=parse_jitter(written.get("jitter")),
            **instants,
        )
        if spec.start_at and spec.end_at and spec.end_at < spec.start_at:
            raise BadScheduleError("end_at", "end_at: it lies before start_at.")
        return spec

    def write(self) -> dict[str, Any]:
        """JSON values that `read` takes back to an equal spec."""
        written: dict[str, Any] = {"timezone": self.timezone}
        if self.every is not None:
            written["every"] = write_duration(self.every)
        for name in ("anchor", "once", "start_at", "end_at"):
            if (instant := getattr(self, name)) is not None:
                written[name] = write_instant(instant)
        for name in ("cron", "calendar", "exclude"):
            if values := getattr(self, name):
                written[name] = list(values)
        if self.limit is not None:
            written["limit"] = self.limit
        if self.jitter is not None:
            written["jitter"] = self.jitter.write()
        return written

    def times(self, machine_zone: str) -> Times:
        """Compile: what answers "when next", in the given zone if this spec follows the machine."""
        return Times(
            rule=self._rule(),
            zone=find_zone(machine_zone if self.timezone == LOCAL else self.timezone),
            start_at=self.start_at,
            end_at=self.end_at,
            exclusions=parse_exclusions(self.exclude),
        )

    def has_same_times(self, other: "Spec") -> bool:
        """Whether both name the same times; limit and jitter are not times."""
        return replace(self, limit=None, jitter=None) == replace(other, limit=None, jitter=None)

    def _rule(self) -> Rule:
        match self.kind:
            case Kind.EVERY:
                assert self.every is not None and self.anchor is not None
                return Every(self.every, self.anchor)
            case Kind.CRON:
                return parse_cron(self.cron)
            case Kind.CALENDAR:
                return parse_calendars(self.calendar)
            case Kind.ONCE:
                assert self.once is not None
                return Once(self.once)


def _texts(value: object) -> tuple[str, ...]:
    texts = _several(value)
    if not all(isinstance(text, str) for text in texts):
        raise BadScheduleError("cron", f"cron: {value!r} is not a text; write for example 0 9 * * 1-5.")
    return tuple(" ".join(text.split()) for text in texts)


def _several(value: object) -> tuple[Any, ...]:
    """One value or a list of them, copied as JSON so that a spec never changes; dates become text."""
    if value is None:
        return ()
    copied = json.loads(json.dumps(value, default=str))
    return tuple(copied) if isinstance(copied, list) else (copied,)


def _limit(value: object) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BadScheduleError("limit", f"limit: {value!r} is not a number of runs; write 1 or more.")
    return value
