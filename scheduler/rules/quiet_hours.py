"""Quiet hours: a time of day, possibly across midnight, without notifications. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """In local time, from `start` (inclusive) to `end` (exclusive). Equal times mean never."""

    start: time
    end: time
    approvals_pass: bool = False
    """Whether approval requests are shown anyway."""

    def is_active_at(self, now: datetime, zone: tzinfo) -> bool:
        local = now.astimezone(zone).time()
        if self.start <= self.end:
            return self.start <= local < self.end
        return local >= self.start or local < self.end

    def end_after(self, now: datetime, zone: tzinfo) -> datetime:
        """When they end, given that they are active now; correct across clock changes."""
        today = now.astimezone(zone).date()
        walls = [datetime.combine(today + timedelta(days=days), self.end, zone) for days in range(3)]
        ends = [wall.replace(fold=fold).astimezone(UTC) for wall in walls for fold in (0, 1)]
        end = min(instant for instant in ends if instant > now and not self.is_active_at(instant, zone))
        while end - _MINUTE > now and not self.is_active_at(end - _MINUTE, zone):
            end -= _MINUTE  # that time does not exist today: they end at the skipped hour
        return end
