"""A small shift of each start, drawn from the occurrence's key so that a restart does not roll again."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from scheduler.timing.durations import parse_duration, write_duration
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.times import Times

LONGEST = timedelta(days=1)
_SPREAD = 1 << 64


@dataclass(frozen=True, slots=True)
class Jitter:
    most: timedelta
    only_later: bool

    def write(self) -> str:
        return f"{'+' if self.only_later else ''}{write_duration(self.most)}"

    def due(self, planned: datetime, key: str, times: Times) -> datetime:
        """When the occurrence is due: never past the middle to its neighbours, never before `start_at`."""
        latest = self.most
        following = times.after(planned)
        if following is not None:
            latest = min(latest, (following - planned) / 2)
        earliest = timedelta() if self.only_later else self._earliest(planned, times)
        shift = earliest + (latest - earliest) * (int(key[:16], 16) / _SPREAD)
        return planned + timedelta(milliseconds=shift // timedelta(milliseconds=1))

    def _earliest(self, planned: datetime, times: Times) -> timedelta:
        earliest = -self.most
        previous = times.last(planned - 2 * self.most, planned - timedelta(seconds=1))
        if previous is not None:
            earliest = max(earliest, (previous - planned) / 2)
        if times.start_at is not None:
            earliest = max(earliest, times.start_at - planned)
        return earliest


def parse_jitter(text: object) -> Jitter | None:
    """`30s` is half a minute to either side, `+30s` only later."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise BadScheduleError("jitter", f"jitter: {text!r} is not a length of time; write 30s or +30s.")
    written = text.strip()
    most = parse_duration(written.removeprefix("+"), "jitter")
    if most > LONGEST:
        raise BadScheduleError("jitter", f"jitter: {written} is more than a day.")
    return Jitter(most, only_later=written.startswith("+")) if most else None
