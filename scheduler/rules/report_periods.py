"""Which report is due: of the last whole day or week, at eight in the morning after it. Pure."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

_SEND_AT = time(8)


class ReportInterval(StrEnum):
    OFF = "off"
    DAILY = "daily"
    WEEKLY = "weekly"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPeriod:
    key: str
    """Identifies it: `weekly 2026-11-16` for the week that began on that Monday."""
    since: datetime
    until: datetime


def find_due_period(interval: ReportInterval, now: datetime, zone: ZoneInfo) -> ReportPeriod | None:
    """The last period whose report should have been sent by now; None if none is wanted."""
    if interval is ReportInterval.OFF:
        return None
    today = now.astimezone(zone).date()
    if now < _at(today, _SEND_AT, zone):
        today -= timedelta(days=1)
    last = today if interval is ReportInterval.DAILY else today - timedelta(days=today.weekday())
    if interval is ReportInterval.WEEKLY and now < _at(last, _SEND_AT, zone):
        last -= timedelta(days=7)
    first = last - timedelta(days=1 if interval is ReportInterval.DAILY else 7)
    return ReportPeriod(
        key=f"{interval.value} {first.isoformat()}", since=_at(first, time(), zone), until=_at(last, time(), zone)
    )


def _at(day: date, at: time, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, at, zone).astimezone(UTC)
