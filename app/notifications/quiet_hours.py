"""Quiet hours: a stretch of the day, perhaps over midnight, in which nothing pops up. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """By the clock on the wall; from `start`, inclusive, to `end`. The same time twice means never."""

    start: time
    end: time
    approvals_pass: bool = False
    """Whether a question may disturb all the same, by the person's choice."""

    def hold_at(self, now: datetime, zone: tzinfo) -> bool:
        wall = now.astimezone(zone).time()
        if self.start <= self.end:
            return self.start <= wall < self.end
        return wall >= self.start or wall < self.end

    def end_after(self, now: datetime, zone: tzinfo) -> datetime:
        """When they hold no longer, given that they hold now; right across clock changes."""
        today = now.astimezone(zone).date()
        walls = [datetime.combine(today + timedelta(days=days), self.end, zone) for days in range(3)]
        ends = [wall.replace(fold=fold).astimezone(UTC) for wall in walls for fold in (0, 1)]
        end = min(instant for instant in ends if instant > now and not self.hold_at(instant, zone))
        while end - _MINUTE > now and not self.hold_at(end - _MINUTE, zone):
            end -= _MINUTE  # that time is missing on the wall today: they ended with the hour that was left out
        return end
