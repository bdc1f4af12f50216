"""Which time may decide what is too old: a clock that leaps ahead, even for hours, must not empty the history.

A time that held for ten minutes is a sighting. Sightings are a day apart at least, and the latest one that a later one
confirms is trusted. So a wrong clock has to stay wrong for a day before anything is forgotten by it. A computer that is
on for an hour a day confirms each day by the next; one that was off for a year forgets a day later.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

_APART = timedelta(days=1)
_REMEMBERED = 3
_HELD_S = 600.0
_DRIFT_S = 60.0

Sightings = tuple[datetime, ...]


@dataclass(slots=True)
class Steadiness:
    """Whether the wall clock and the monotonic one have gone side by side for a while."""

    _wall: datetime | None = None
    _monotonic: float = 0.0

    def holds(self, now: datetime, monotonic: float) -> bool:
        """Sleep and a clock that is set both begin a new while."""
        if self._wall is None or abs((now - self._wall).total_seconds() - (monotonic - self._monotonic)) > _DRIFT_S:
            self._wall, self._monotonic = now, monotonic
        return monotonic - self._monotonic >= _HELD_S


def add_sighting(sightings: Sequence[datetime], now: datetime) -> Sightings:
    """With a time that held; what lies ahead of it was seen under a wrong clock."""
    past = tuple(one for one in sightings if one <= now)
    if past and now - past[-1] < _APART:
        return past
    return (*past, now)[-_REMEMBERED:]


def trusted_time(sightings: Sequence[datetime], now: datetime) -> datetime | None:
    """The latest sighting that another one, at least a day later, confirms; None while there is none."""
    past = [one for one in sightings if one <= now]
    return past[-2] if len(past) >= 2 else None
