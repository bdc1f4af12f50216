"""Conversion between local wall time and instants, across clock changes."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from scheduler.timing.errors import BadScheduleError
from scheduler.user_text import UserText

LOCAL = "local"
# Found among a system's zones, but they differ between systems or count leap seconds.
_UNUSABLE_ZONES = ("localtime", "posixrules", "posix/", "right/")
_SECOND = timedelta(seconds=1)


def find_zone(name: str, field: str = "timezone") -> ZoneInfo:
    """The zone of that IANA name; an unknown name is refused, never replaced by UTC."""
    try:
        if name.startswith(_UNUSABLE_ZONES):
            raise KeyError(name)
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError, TypeError, AttributeError) as error:
        raise BadScheduleError(
            field,
            UserText(
                "{field}: there is no time zone {name}; write a name like Europe/Berlin, or UTC.",
                field=field,
                name=repr(name),
            ),
        ) from error


def instants_of(wall: datetime, zone: ZoneInfo) -> tuple[datetime, ...]:
    """The instants at which clocks in `zone` show `wall`: none in a gap, two in a fold, otherwise one."""
    first = wall.replace(tzinfo=zone)
    before = first.utcoffset()
    after = first.replace(fold=1).utcoffset()
    assert before is not None and after is not None
    if before == after:
        return ((wall - before).replace(tzinfo=UTC),)
    if before < after:
        return ()
    return (wall - before).replace(tzinfo=UTC), (wall - after).replace(tzinfo=UTC)


def is_first_pass(local: datetime) -> bool:
    """Whether clocks will show this local time a second time."""
    before = local.utcoffset()
    after = local.replace(fold=1).utcoffset()
    assert before is not None and after is not None
    return before > after


def end_of_gap(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first instant after the gap that contains `wall`."""
    outside = wall.replace(tzinfo=zone)
    return change_between(outside.replace(fold=1).astimezone(UTC), outside.astimezone(UTC), zone)


def end_of_first_pass(wall: datetime, zone: ZoneInfo) -> datetime:
    """The instant at which clocks go back, ending the first pass of the repeated `wall`."""
    first, second = instants_of(wall, zone)
    return change_between(first, second, zone)


def change_between(low: datetime, high: datetime, zone: ZoneInfo) -> datetime:
    """The instant in (low, high] at which the offset changes, to the second."""
    offset = low.astimezone(zone).utcoffset()
    while high - low > _SECOND:
        middle = low + timedelta(seconds=int((high - low).total_seconds()) // 2)
        if middle.astimezone(zone).utcoffset() == offset:
            low = middle
        else:
            high = middle
    return high
