"""The hours above the picture of a day, as clocks in its zone show them. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

_STEPS = [timedelta(minutes=minutes) for minutes in (1, 5, 15, 30, 60, 120, 180, 360, 720, 1440)]
_QUARTER = timedelta(minutes=15)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    at: datetime
    label: str
    is_midnight: bool


def find_ticks(start: datetime, end: datetime, zone: ZoneInfo, most: int) -> list[Tick]:
    """At most about `most` of them, at round local times; days with a clock change have an hour more or less."""
    step = next((step for step in _STEPS if (end - start) / step <= max(most, 1)), _DAY)
    # Clocks everywhere differ from UTC by whole quarters of an hour, so round local times lie on this grid.
    stride = min(step, _QUARTER)
    at = datetime.fromtimestamp(start.timestamp() // stride.total_seconds() * stride.total_seconds(), UTC)
    found: list[Tick] = []
    while at <= end:
        local = at.astimezone(zone)
        since_midnight = timedelta(hours=local.hour, minutes=local.minute, seconds=local.second)
        if at >= start and not since_midnight % step:
            found.append(Tick(at=at, label=f"{local:%H:%M}", is_midnight=not since_midnight))
        at += stride
    return found


def day_span(at: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """From midnight to midnight of the local day around the instant: 23, 24 or 25 hours."""
    local = at.astimezone(zone)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    following = (midnight.replace(tzinfo=None) + _DAY).replace(tzinfo=zone)
    return midnight.astimezone(UTC), following.astimezone(UTC)
