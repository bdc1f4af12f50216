"""The triggers of a task of Windows as calendars, and when its scheduler would start them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from xml.etree.ElementTree import Element
from zoneinfo import ZoneInfo

from scheduler.timing.zones import LOCAL

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SPAN = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_DAY = timedelta(days=1)
_FAR = 366 * 9
_REASONS = {
    "LogonTrigger": "It runs when somebody logs on, which is not a time.",
    "BootTrigger": "It runs when the computer starts, which is not a time.",
    "IdleTrigger": "It runs when the computer is idle, which is not a time.",
    "EventTrigger": "It runs on an event of Windows, which Dayhand does not see.",
    "RegistrationTrigger": "It runs when the task is registered; deploy it and run it once instead.",
    "SessionStateChangeTrigger": "It runs when a session changes, which is not a time.",
}


class NotTranslatedError(Exception):
    """Why a trigger cannot be taken over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """Some days, and the times on them; or one time."""

    start: datetime
    """Wall time of the machine, or of UTC if the task keeps to that wherever the machine is."""
    end: datetime | None
    clocks: tuple[time, ...] = ()
    days: frozenset[int] = frozenset()
    last_day: bool = False
    months: frozenset[int] = frozenset()
    weekdays: frozenset[int] = frozenset()
    """0 = Monday; empty as with the others is any."""
    nths: tuple[str, ...] = ()
    """Which of those weekdays in the month, 1 to 4 or Last; empty is all."""
    is_once: bool = False
    delay: timedelta = field(default=timedelta())

    def calendars(self) -> list[dict[str, Any]]:
        by_minutes: dict[tuple[int, ...], list[int]] = {}
        for hour in sorted({clock.hour for clock in self.clocks}):
            minutes = tuple(clock.minute for clock in self.clocks if clock.hour == hour)
            by_minutes.setdefault(minutes, []).append(hour)
        second = self.clocks[0].second
        return [
            {**self._days(), "hour": _one(hours), "minute": _one(minutes), **({"second": second} if second else {})}
            for minutes, hours in by_minutes.items()
        ]

    def _days(self) -> dict[str, Any]:
        written: dict[str, Any] = {}
        if self.months:
            written["month"] = _one(sorted(self.months))
        if self.days or self.last_day:
            written["day"] = _one([*sorted(self.days), *(["last"] if self.last_day else [])])
        if self.nths:
            named = [_WEEKDAYS[day][:3].lower() for day in sorted(self.weekdays)]
            written["weekday"] = [f"{day}l" if nth == "Last" else f"{day}#{nth}" for nth in self.nths for day in named]
        elif self.weekdays:
            written["weekday"] = [_WEEKDAYS[day][:3].lower() for day in sorted(self.weekdays)]
        return written

    @property
    def zone(self) -> str:
        return LOCAL if self.start.tzinfo is None else "UTC"

    def times(self, after: datetime, machine: ZoneInfo) -> Iterator[datetime]:
        zone = machine if self.zone == LOCAL else ZoneInfo(self.zone)
        first = self.start.replace(tzinfo=zone)
        last = None if self.end is None else self.end.replace(tzinfo=self.end.tzinfo or zone)
        if self.is_once:
            if first > after:
                yield first.astimezone(UTC)
            return
        day, barren = max(first, after).astimezone(zone).date(), 0
        while barren < _FAR:
            found = False
            for clock in self.clocks if self._matches(day) else ():
                at = datetime.combine(day, clock, zone).astimezone(UTC)
                if last is not None and at > last:
                    return
                if at > after and at >= first:
                    found = True
                    yield at
            barren = 0 if found else barren + 1
            day += _DAY

    def _matches(self, day: date) -> bool:
        ends = (day + _DAY).month != day.month
        by_day = not (self.days or self.last_day) or day.day in self.days or (self.last_day and ends)
        nth, is_last = str((day.day - 1) // 7 + 1), (day + 7 * _DAY).month != day.month
        by_nth = not self.nths or nth in self.nths or ("Last" in self.nths and is_last)
        by_weekday = not self.weekdays or day.weekday() in self.weekdays
        return by_day and by_weekday and by_nth and (not self.months or day.month in self.months)


def read_trigger(element: Element) -> Trigger:
    kind = _name(element)
    if kind in _REASONS:
        raise NotTranslatedError(_REASONS[kind])
    if kind not in ("TimeTrigger", "CalendarTrigger"):
        raise NotTranslatedError(f"{kind} is not a trigger that is known here.")
    start, end = _instant(_text(element, "StartBoundary")), _instant(_text(element, "EndBoundary"))
    if start is None:
        raise NotTranslatedError("It does not say when it begins.")
    if end is not None and end.replace(tzinfo=None) < start.replace(tzinfo=None):
        raise NotTranslatedError("It ends before it begins.")
    given: dict[str, Any] = {"start": start, "end": end}
    repetition = _child(element, "Repetition")
    if (delay := _text(element, "RandomDelay")) is not None:
        given["delay"] = read_period(delay)
    if kind == "TimeTrigger":
        if repetition is None:
            return Trigger(**given, is_once=True)
        if _text(repetition, "Duration") is not None:
            raise NotTranslatedError(
                "It repeats for a while on one day only; run the command on a schedule of its own."
            )
        return Trigger(**given, clocks=_spread(start, repetition, every_day=True))
    days = _days(element)
    clocks = (start.time(),) if repetition is None else _spread(start, repetition, every_day=not any(days.values()))
    return Trigger(**given, clocks=clocks, **days)


def read_period(text: str) -> timedelta:
    """ISO 8601, as in PT1H30M."""
    match = _SPAN.fullmatch(text.strip())
    if match is None or text.strip() in ("P", "PT"):
        raise NotTranslatedError(f"{text!r} is not a length of time.")
    days, hours, minutes, seconds = (int(group or 0) for group in match.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


def _spread(start: datetime, repetition: Element, *, every_day: bool) -> tuple[time, ...]:
    """The times of a day that the repetition leads to; without a duration it goes on for ever."""
    interval, lasting = read_period(_text(repetition, "Interval") or ""), _text(repetition, "Duration")
    if lasting is None and not every_day:
        raise NotTranslatedError("Its repetition goes on for ever after the first day, so no calendar has its times.")
    duration = _DAY if lasting is None else read_period(lasting)
    if interval < timedelta(minutes=1) or duration > _DAY or (duration == _DAY and _DAY % interval):
        raise NotTranslatedError("Its repetition does not fit into a day, so no calendar has its times.")
    count = duration // interval if duration == _DAY else duration // interval + (1 if duration % interval else 0)
    walls = [start + number * interval for number in range(max(count, 1))]
    if (duration < _DAY or not every_day) and walls[-1].date() != start.date():
        raise NotTranslatedError("Its repetition goes on over midnight, so no calendar has its times.")
    return tuple(sorted({wall.time() for wall in walls}))


def _days(element: Element) -> dict[str, Any]:
    """Which days a calendar trigger names."""
    for schedule in element:
        match _name(schedule):
            case "ScheduleByDay":
                _each(schedule, "DaysInterval", "days", 1)
                return {}
            case "ScheduleByWeek":
                _each(schedule, "WeeksInterval", "weeks", 7)
                return {"weekdays": _named(schedule, "DaysOfWeek", _WEEKDAYS, 0)}
            case "ScheduleByMonth":
                days = _listed(schedule, "DaysOfMonth")
                return {
                    "days": frozenset(int(day) for day in days if day.isdigit()),
                    "last_day": "Last" in days,
                    "months": _named(schedule, "Months", _MONTHS, 1),
                }
            case "ScheduleByMonthDayOfWeek":
                return {
                    "nths": tuple(_listed(schedule, "Weeks")),
                    "weekdays": _named(schedule, "DaysOfWeek", _WEEKDAYS, 0),
                    "months": _named(schedule, "Months", _MONTHS, 1),
                }
    raise NotTranslatedError("It does not say on which days.")


def _each(schedule: Element, step: str, unit: str, days: int) -> None:
    number = _text(schedule, step) or "1"
    if number != "1":
        hint = f"; use every={int(number) * days}d" if number.isdigit() else ""
        raise NotTranslatedError(f"It runs every {number} {unit}, which no calendar says{hint}.")


def _listed(schedule: Element, name: str) -> list[str]:
    """What the list holds: texts, or elements that are words themselves."""
    found = [(one.text or "").strip() or _name(one) for one in _child(schedule, name) or ()]
    if not found and name != "Months":  # none named is every month
        raise NotTranslatedError("It does not say on which days.")
    return found


def _named(schedule: Element, name: str, names: tuple[str, ...], first: int) -> frozenset[int]:
    """All of them is none in particular."""
    found = frozenset(names.index(one) + first for one in _listed(schedule, name) if one in names)
    return frozenset() if len(found) == len(names) else found


def _instant(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text.strip()).replace(microsecond=0)
        return at if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise NotTranslatedError(f"{text!r} is not a date and time.") from error


def _one(values: list[Any] | tuple[int, ...]) -> Any:
    return values[0] if len(values) == 1 else list(values)


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _child(element: Element, name: str) -> Element | None:
    return next((one for one in element if _name(one) == name), None)


def _text(element: Element, name: str) -> str | None:
    child = _child(element, name)
    return None if child is None or not (child.text or "").strip() else (child.text or "").strip()
