"""Intervals: anchor + n · interval, in real time, unaffected by clock changes."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from scheduler.timing.durations import parse_duration
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.wall_times import MIN_GAP_S
from scheduler.user_text import UserText

_SECOND = timedelta(seconds=1)
_DAY = 86400


@dataclass(frozen=True, slots=True)
class IntervalRule:
    interval: timedelta
    anchor: datetime

    def after(self, instant: datetime, _zone: ZoneInfo) -> datetime | None:
        if instant < self.anchor:
            return self.anchor
        steps = (instant - self.anchor) // self.interval + 1
        return self.anchor + steps * self.interval

    def between(self, after: datetime, until: datetime, zone: ZoneInfo) -> Iterator[datetime]:
        at = self.after(after, zone)
        while at is not None and at <= until:
            yield at
            at += self.interval

    def on(self, _day: date, midnight: datetime) -> tuple[int, range]:
        first = (self.anchor - midnight) % self.interval // _SECOND
        return first, range(first, _DAY, self.interval // _SECOND)

    def date_after(self, day: date) -> date:
        return day + timedelta(days=1)

    @property
    def is_fixed(self) -> bool:
        return False

    def count(self, after: datetime, until: datetime) -> int:
        """How many times are in (after, until], in constant time."""
        return max(self._index(until) - self._index(after), 0)

    def _index(self, instant: datetime) -> int:
        return max((instant - self.anchor) // self.interval + 1, 0)


def parse_interval(text: str) -> timedelta:
    interval = parse_duration(text, "every")
    if interval < timedelta(seconds=MIN_GAP_S):
        raise BadScheduleError(
            "every",
            UserText(
                "every: {text} is too often; the shortest interval is {min_gap_s}s.",
                text=text.strip(),
                min_gap_s=MIN_GAP_S,
            ),
        )
    return interval
