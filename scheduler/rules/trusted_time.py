"""Which time may decide what is too old: a clock that jumps ahead, even for hours, must not delete the history.

A time that was stable for ten minutes is a sighting. Sightings are at least a day apart, and the latest one confirmed
by a later one is trusted. So a wrong clock must stay wrong for a day before anything is deleted. A computer that is on
for an hour a day confirms each day by the next; one that was off for a year deletes a day later.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

_MIN_INTERVAL = timedelta(days=1)
_MAX_SIGHTINGS = 3
_STABLE_S = 600.0
_MAX_DRIFT_S = 60.0

Sightings = tuple[datetime, ...]


@dataclass(slots=True)
class ClockStability:
    """Whether the wall clock has kept pace with the monotonic clock for a while."""

    _wall: datetime | None = None
    _monotonic: float = 0.0

    def is_stable(self, now: datetime, monotonic: float) -> bool:
        """Whether it has done so for ten minutes; sleep and clock changes start again."""
        if self._wall is None or abs((now - self._wall).total_seconds() - (monotonic - self._monotonic)) > _MAX_DRIFT_S:
            self._wall, self._monotonic = now, monotonic
        return monotonic - self._monotonic >= _STABLE_S


def add_sighting(sightings: Sequence[datetime], now: datetime) -> Sightings:
    """Add a stable time; later sightings came from a wrong clock and are dropped."""
    past = tuple(sighting for sighting in sightings if sighting <= now)
    if past and now - past[-1] < _MIN_INTERVAL:
        return past
    return (*past, now)[-_MAX_SIGHTINGS:]


def find_trusted_time(sightings: Sequence[datetime], now: datetime) -> datetime | None:
    """The latest sighting confirmed by another at least a day later, if any."""
    past = [sighting for sighting in sightings if sighting <= now]
    return past[-2] if len(past) >= 2 else None
