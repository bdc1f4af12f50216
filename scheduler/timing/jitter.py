"""A small shift of each start, derived from the occurrence's key so that a restart does not change it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from scheduler.timing.compiled import PlannedTimes
from scheduler.timing.durations import format_duration, parse_duration
from scheduler.timing.errors import BadScheduleError
from scheduler.user_text import UserText

MAX_JITTER = timedelta(days=1)
_KEY_RANGE = 1 << 64


@dataclass(frozen=True, slots=True)
class Jitter:
    max_shift: timedelta
    only_later: bool

    def write(self) -> str:
        return f"{'+' if self.only_later else ''}{format_duration(self.max_shift)}"

    def due_time(self, planned: datetime, key: str, times: PlannedTimes) -> datetime:
        """When the occurrence is due: at most halfway to its neighbours, never before `start_at`."""
        if not self.max_shift:
            return planned
        latest = self.max_shift
        following = times.after(planned)
        if following is not None:
            latest = min(latest, (following - planned) / 2)
        earliest = timedelta() if self.only_later else self._earliest(planned, times)
        shift = earliest + (latest - earliest) * (int(key[:16], 16) / _KEY_RANGE)
        return planned + timedelta(milliseconds=shift // timedelta(milliseconds=1))

    def _earliest(self, planned: datetime, times: PlannedTimes) -> timedelta:
        earliest = -self.max_shift
        previous = times.last(planned - 2 * self.max_shift, planned - timedelta(seconds=1))
        if previous is not None:
            earliest = max(earliest, (previous - planned) / 2)
        if times.start_at is not None:
            earliest = max(earliest, times.start_at - planned)
        return earliest


def parse_jitter(text: object) -> Jitter | None:
    """`30s` shifts by up to 30 s either way, `+30s` only later; `0s` is none, whatever the default."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise BadScheduleError(
            "jitter", UserText("jitter: {text} is not a duration; write 30s or +30s.", text=repr(text))
        )
    written = text.strip()
    most = parse_duration(written.removeprefix("+"), "jitter")
    if most > MAX_JITTER:
        raise BadScheduleError("jitter", UserText("jitter: {written} is more than a day.", written=written))
    return Jitter(most, only_later=written.startswith("+"))
