"""The times of a schedule that nobody has recorded yet."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from scheduler.timing.times import Count, Times, walk

_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Remaining:
    """The times without those in `taken`, which have a row of their own: a clock that was set back leaves such."""

    times: Times
    taken: frozenset[datetime] = frozenset()

    def after(self, instant: datetime) -> datetime | None:
        at = self.times.after(instant)
        while at in self.taken:
            assert at is not None
            at = self.times.after(at)
        return at

    def since(self, time: datetime) -> datetime | None:
        """That time of the schedule, or the first later one. One that was promised holds, whatever zones do since."""
        return self.after(time) if time in self.taken else time

    def between(self, after: datetime, until: datetime) -> Iterator[datetime]:
        return (at for at in self.times.between(after, until) if at not in self.taken)

    def upcoming(self, after: datetime, number: int) -> list[datetime]:
        return walk(self.after, after, number)

    def last(self, after: datetime, until: datetime) -> datetime | None:
        at = self.times.last(after, until)
        while at in self.taken:
            assert at is not None
            at = self.times.last(after, at - _TICK)
        return at

    def count(self, after: datetime, until: datetime, most: int) -> Count:
        taken = sum(after < at <= until and self.names(at) for at in self.taken)
        count = self.times.count(after, until, most + taken)
        return Count(count.number - taken, count.more)

    def names(self, instant: datetime) -> bool:
        """Whether that instant is a time of the schedule, recorded or not."""
        return self.times.after(instant - _TICK) == instant
