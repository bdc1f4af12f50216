"""A schedule's times as written: one kind of rule plus its limits. Reads and writes JSON values."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from scheduler.timing.calendar import Calendar, parse_calendars
from scheduler.timing.compiled import PlannedTimes, TimeRule
from scheduler.timing.cron import parse_cron
from scheduler.timing.durations import format_duration
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.every import IntervalRule, parse_interval
from scheduler.timing.exclusions import Exclusion, parse_exclusions
from scheduler.timing.instants import format_instant, parse_instant
from scheduler.timing.jitter import Jitter, parse_jitter
from scheduler.timing.zones import LOCAL, find_zone
from scheduler.user_text import UserText


class ScheduleKind(StrEnum):
    """How the times are given."""

    EVERY = "every"
    """A fixed interval in real time."""
    CRON = "cron"
    """Cron expressions, in wall time."""
    CALENDAR = "calendar"
    """Parts of a date and time, in wall time."""
    ONCE = "once"
    """One instant."""


_OPTIONS = {"anchor", "timezone", "start_at", "end_at", "exclude", "limit", "jitter"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleSpec:
    """A validated spec. `timezone` is an IANA name, or `local` to follow the machine."""

    kind: ScheduleKind
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
    def read(cls, written: Mapping[str, Any], *, machine_zone: str, now: datetime) -> "ScheduleSpec":
        """Parse what the author wrote, and fill in zone and anchor if omitted."""
        kinds = [kind for kind in ScheduleKind if kind in written]
        if len(kinds) != 1:
            raise BadScheduleError("schedule", UserText("schedule: give exactly one of every, cron, calendar or once."))
        unknown = set(written) - set(ScheduleKind) - _OPTIONS
        if unknown:
            name = min(map(str, unknown))
            raise BadScheduleError(name, UserText("{name}: a schedule has no such setting.", name=name))
        timezone = machine_zone if written.get("timezone") is None else written["timezone"]
        zone = find_zone(machine_zone if timezone == LOCAL else timezone)
        if "anchor" in written and kinds != [ScheduleKind.EVERY]:
            raise BadScheduleError("anchor", UserText("anchor: only a schedule with every can have one."))
        instants = {
            name: parse_instant(written[name], name, zone, end_of_day=name == "end_at")
            for name in ("once", "anchor", "start_at", "end_at")
            if written.get(name) is not None or name in kinds
        }
        if ScheduleKind.EVERY in written:
            instants.setdefault("anchor", now.astimezone(UTC).replace(microsecond=0))
        spec = cls(
            kind=kinds[0],
            timezone=timezone,
            every=parse_interval(written["every"]) if "every" in written else None,
            cron=_parse_expressions(written.get("cron")),
            calendar=_parse_list(written.get("calendar")),
            exclude=_parse_list(written.get("exclude")),
            limit=_parse_limit(written.get("limit")),
            jitter=parse_jitter(written.get("jitter")),
            **instants,
        )
        if spec.start_at and spec.end_at and spec.end_at < spec.start_at:
            raise BadScheduleError("end_at", UserText("end_at: it is before start_at."))
        return spec

    def write(self) -> dict[str, Any]:
        """JSON values that `read` turns back into an equal spec."""
        written: dict[str, Any] = {"timezone": self.timezone}
        if self.every is not None:
            written["every"] = format_duration(self.every)
        for name in ("anchor", "once", "start_at", "end_at"):
            if (instant := getattr(self, name)) is not None:
                written[name] = format_instant(instant)
        for name in ("cron", "calendar", "exclude"):
            if values := getattr(self, name):
                written[name] = list(values)
        if self.limit is not None:
            written["limit"] = self.limit
        if self.jitter is not None:
            written["jitter"] = self.jitter.write()
        return written

    def compile(self, machine_zone: str) -> PlannedTimes:
        """Compile the spec, in the given zone if it follows the machine."""
        return PlannedTimes(
            rule=self._rule(),
            zone=find_zone(machine_zone if self.timezone == LOCAL else self.timezone),
            start_at=self.start_at,
            end_at=self.end_at,
            exclusions=parse_exclusions(self.exclude),
        )

    def has_same_times(self, other: "ScheduleSpec") -> bool:
        """Whether both have the same times; limit and jitter do not count."""
        return replace(self, limit=None, jitter=None) == replace(other, limit=None, jitter=None)

    def _rule(self) -> TimeRule:
        match self.kind:
            case ScheduleKind.EVERY:
                assert self.every is not None and self.anchor is not None
                return IntervalRule(self.every, self.anchor)
            case ScheduleKind.CRON:
                return parse_cron(self.cron)
            case ScheduleKind.CALENDAR:
                return parse_calendars(self.calendar)
            case ScheduleKind.ONCE:
                assert self.once is not None
                return OnceRule(self.once)


@dataclass(frozen=True, slots=True)
class OnceRule:
    at: datetime

    def after(self, instant: datetime, _zone: ZoneInfo) -> datetime | None:
        return self.at if instant < self.at else None

    def on(self, _day: date, _midnight: datetime) -> tuple[None, tuple[()]]:
        return None, ()  # if the one instant is excluded, there is no other

    def date_after(self, _day: date) -> None:
        return None

    @property
    def is_fixed(self) -> bool:
        return False

    def between(self, after: datetime, until: datetime, _zone: ZoneInfo) -> Iterator[datetime]:
        if after < self.at <= until:
            yield self.at


def _parse_expressions(value: object) -> tuple[str, ...]:
    texts = _parse_list(value)
    if not all(isinstance(text, str) for text in texts):
        raise BadScheduleError(
            "cron",
            UserText("cron: {value} is not a cron expression; write for example 0 9 * * 1-5.", value=repr(value)),
        )
    return tuple(" ".join(text.split()) for text in texts)


def _parse_list(value: object) -> tuple[Any, ...]:
    """One value or a list, copied as JSON so that the spec is immutable; dates become text."""
    if value is None:
        return ()
    copied = json.loads(json.dumps(value, default=str))
    return tuple(copied) if isinstance(copied, list) else (copied,)


def _parse_limit(value: object) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BadScheduleError(
            "limit", UserText("limit: {value} is not a number of runs; write 1 or more.", value=repr(value))
        )
    return value
