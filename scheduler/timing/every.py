"""A grid in real time: anchor + n · interval. Goes on through clock changes untouched."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from scheduler.timing.durations import parse_duration
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.walls import SHORTEST_GAP

_SECOND = timedelta(seconds=1)
_DAY = 86400


@dataclass(frozen=True, slots=True)
class Every:
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
        """How many times lie in (after, until], whatever their number at the same cost."""
        return max(self._index(until) - self._index(after), 0)

    def _index(self, instant: datetime) -> int:
        return max((instant - self.anchor) // self.interval + 1, 0)


def parse_interval(text: str) -> timedelta:
    interval = parse_duration(text, "every")
    if interval < timedelta(seconds=SHORTEST_GAP):
        raise BadScheduleError(
            "every", f"every: {text.strip()} is too often; the shortest interval is {SHORTEST_GAP}s."
        )
    return interval
