"""Translates the triggers of a Windows task into calendars, with the times that Windows would use."""

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
_ISO_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_DAY = timedelta(days=1)
_MAX_EMPTY_DAYS = 366 * 9
_REASONS = {
    "LogonTrigger": "It runs when someone logs on, not at a set time.",
    "BootTrigger": "It runs when the computer starts, not at a set time.",
    "IdleTrigger": "It runs when the computer is idle, not at a set time.",
    "EventTrigger": "It runs on a Windows event, which Dayhand does not see.",
    "RegistrationTrigger": "It runs when the task is registered. Run the workflow once instead.",
    "SessionStateChangeTrigger": "It runs when a session changes, not at a set time.",
}


class UntranslatableTriggerError(Exception):
    """A trigger cannot be translated; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """Days with times of day, or one single time."""

    start: datetime
    """Wall time of the machine, or UTC if the task is set to that."""
    end: datetime | None
    times_of_day: tuple[time, ...] = ()
    days: frozenset[int] = frozenset()
    last_day: bool = False
    months: frozenset[int] = frozenset()
    weekdays: frozenset[int] = frozenset()
    """0 = Monday; empty means any, as for days and months."""
    nths: tuple[str, ...] = ()
    """Which of those weekdays in the month, 1 to 4 or Last; empty means all."""
    is_once: bool = False
    delay: timedelta = field(default=timedelta())

    def calendars(self) -> list[dict[str, Any]]:
        by_minutes: dict[tuple[int, ...], list[int]] = {}
        for hour in sorted({clock.hour for clock in self.times_of_day}):
            minutes = tuple(clock.minute for clock in self.times_of_day if clock.hour == hour)
            by_minutes.setdefault(minutes, []).append(hour)
        second = self.times_of_day[0].second
        return [
            {
                **self._days(),
                "hour": _single_or_list(hours),
                "minute": _single_or_list(minutes),
                **({"second": second} if second else {}),
            }
            for minutes, hours in by_minutes.items()
        ]

    def _days(self) -> dict[str, Any]:
        written: dict[str, Any] = {}
        if self.months:
            written["month"] = _single_or_list(sorted(self.months))
        if self.days or self.last_day:
            written["day"] = _single_or_list([*sorted(self.days), *(["last"] if self.last_day else [])])
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
        day, empty_days = max(first, after).astimezone(zone).date(), 0
        while empty_days < _MAX_EMPTY_DAYS:
            found = False
            for clock in self.times_of_day if self._matches(day) else ():
                at = datetime.combine(day, clock, zone).astimezone(UTC)
                if last is not None and at > last:
                    return
                if at > after and at >= first:
                    found = True
                    yield at
            empty_days = 0 if found else empty_days + 1
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
        raise UntranslatableTriggerError(_REASONS[kind])
    if kind not in ("TimeTrigger", "CalendarTrigger"):
        raise UntranslatableTriggerError(f"{kind} is not a known kind of trigger.")
    start, end = _instant(_text(element, "StartBoundary")), _instant(_text(element, "EndBoundary"))
    if start is None:
        raise UntranslatableTriggerError("It has no start time.")
    if end is not None and end.replace(tzinfo=None) < start.replace(tzinfo=None):
        raise UntranslatableTriggerError("It ends before it starts.")
    given: dict[str, Any] = {"start": start, "end": end}
    repetition = _child(element, "Repetition")
    if (delay := _text(element, "RandomDelay")) is not None:
        given["delay"] = parse_iso_duration(delay)
    if kind == "TimeTrigger":
        if repetition is None:
            return Trigger(**given, is_once=True)
        if _text(repetition, "Duration") is not None:
            raise UntranslatableTriggerError(
                "It repeats for a while on one day only. Give the command its own schedule."
            )
        return Trigger(**given, times_of_day=_repeated_clocks(start, repetition, every_day=True))
    days = _days(element)
    clocks = (
        (start.time(),) if repetition is None else _repeated_clocks(start, repetition, every_day=not any(days.values()))
    )
    return Trigger(**given, times_of_day=clocks, **days)


def parse_iso_duration(text: str) -> timedelta:
    """ISO 8601, as in PT1H30M."""
    match = _ISO_DURATION.fullmatch(text.strip())
    if match is None or text.strip() in ("P", "PT"):
        raise UntranslatableTriggerError(f"{text!r} is not a valid time span.")
    days, hours, minutes, seconds = (int(group or 0) for group in match.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


def _repeated_clocks(start: datetime, repetition: Element, *, every_day: bool) -> tuple[time, ...]:
    """The times of day that the repetition gives; without a duration it never ends."""
    interval, limit = parse_iso_duration(_text(repetition, "Interval") or ""), _text(repetition, "Duration")
    if limit is None and not every_day:
        raise UntranslatableTriggerError("It repeats without end after the first day, which no calendar can express.")
    duration = _DAY if limit is None else parse_iso_duration(limit)
    if interval < timedelta(minutes=1) or duration > _DAY or (duration == _DAY and _DAY % interval):
        raise UntranslatableTriggerError("Its repetition does not fit into a day, which no calendar can express.")
    count = duration // interval if duration == _DAY else duration // interval + (1 if duration % interval else 0)
    walls = [start + number * interval for number in range(max(count, 1))]
    if (duration < _DAY or not every_day) and walls[-1].date() != start.date():
        raise UntranslatableTriggerError("It repeats past midnight, which no calendar can express.")
    return tuple(sorted({wall.time() for wall in walls}))


def _days(element: Element) -> dict[str, Any]:
    """The days of a calendar trigger."""
    for schedule in element:
        match _name(schedule):
            case "ScheduleByDay":
                _refuse_interval(schedule, "DaysInterval", "days", 1)
                return {}
            case "ScheduleByWeek":
                _refuse_interval(schedule, "WeeksInterval", "weeks", 7)
                return {"weekdays": _list_numbers(schedule, "DaysOfWeek", _WEEKDAYS, 0)}
            case "ScheduleByMonth":
                days = _list_entries(schedule, "DaysOfMonth")
                return {
                    "days": frozenset(int(day) for day in days if day.isdigit()),
                    "last_day": "Last" in days,
                    "months": _list_numbers(schedule, "Months", _MONTHS, 1),
                }
            case "ScheduleByMonthDayOfWeek":
                return {
                    "nths": tuple(_list_entries(schedule, "Weeks")),
                    "weekdays": _list_numbers(schedule, "DaysOfWeek", _WEEKDAYS, 0),
                    "months": _list_numbers(schedule, "Months", _MONTHS, 1),
                }
    raise UntranslatableTriggerError("It does not name its days.")


def _refuse_interval(schedule: Element, step: str, unit: str, days: int) -> None:
    number = _text(schedule, step) or "1"
    if number != "1":
        hint = f"; use every={int(number) * days}d" if number.isdigit() else ""
        raise UntranslatableTriggerError(f"It runs every {number} {unit}, which no calendar can express{hint}.")


def _list_entries(schedule: Element, name: str) -> list[str]:
    """The entries of the list: element texts, or element names."""
    entries = _child(schedule, name)
    found = [] if entries is None else [(one.text or "").strip() or _name(one) for one in entries]
    if not found and name != "Months":  # no months means every month
        raise UntranslatableTriggerError("It does not name its days.")
    return found


def _list_numbers(schedule: Element, name: str, names: tuple[str, ...], first: int) -> frozenset[int]:
    """Empty if all of them are named."""
    found = frozenset(names.index(one) + first for one in _list_entries(schedule, name) if one in names)
    return frozenset() if len(found) == len(names) else found


def _instant(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text.strip()).replace(microsecond=0)
        return at if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise UntranslatableTriggerError(f"{text!r} is not a date and time.") from error


def _single_or_list(values: list[Any] | tuple[int, ...]) -> Any:
    return values[0] if len(values) == 1 else list(values)


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _child(element: Element, name: str) -> Element | None:
    return next((one for one in element if _name(one) == name), None)


def _text(element: Element, name: str) -> str | None:
    child = _child(element, name)
    return None if child is None or not (child.text or "").strip() else (child.text or "").strip()
