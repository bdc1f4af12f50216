"""Schedules that can be picked without writing cron, converted from and to a schedule spec. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time, timedelta
from enum import StrEnum
from typing import Any

from scheduler.timing.cron import split_cron
from scheduler.timing.cron_fields import expand_fields
from scheduler.timing.durations import parse_duration
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.spec import ScheduleKind


class TimeUnit(StrEnum):
    SECONDS = "s"
    MINUTES = "m"
    HOURS = "h"
    DAYS = "d"


_UNIT_SECONDS = {TimeUnit.DAYS: 86400, TimeUnit.HOURS: 3600, TimeUnit.MINUTES: 60, TimeUnit.SECONDS: 1}
MONDAY_FIRST = (1, 2, 3, 4, 5, 6, 0)


@dataclass(frozen=True, slots=True)
class IntervalChoice:
    number: int
    unit: TimeUnit


@dataclass(frozen=True, slots=True)
class DailyChoice:
    at: time


@dataclass(frozen=True, slots=True)
class WeeklyChoice:
    days: frozenset[int]
    """0 is Sunday, as in cron."""
    at: time


@dataclass(frozen=True, slots=True)
class MonthlyChoice:
    day: int | None
    """None is the last day."""
    at: time


@dataclass(frozen=True, slots=True)
class CronChoice:
    text: str
    """One expression, or several separated by semicolons."""


@dataclass(frozen=True, slots=True)
class UnchangedChoice:
    """A schedule that the picker cannot show; it is kept unchanged."""


ScheduleChoice = IntervalChoice | DailyChoice | WeeklyChoice | MonthlyChoice | CronChoice | UnchangedChoice


def parse_choice(written: Mapping[str, Any]) -> ScheduleChoice:
    """The simplest choice that means exactly this schedule."""
    kinds = [kind for kind in ScheduleKind if kind in written]
    try:
        if kinds == [ScheduleKind.EVERY]:
            return _read_every(parse_duration(written["every"], "every"))
        if kinds == [ScheduleKind.CRON]:
            texts = [written["cron"]] if isinstance(written["cron"], str) else list(written["cron"])
            simple = _read_simple(texts[0]) if len(texts) == 1 else None
            return simple or CronChoice("; ".join(texts))
    except (BadScheduleError, TypeError):
        return CronChoice(str(written["cron"])) if kinds == [ScheduleKind.CRON] else UnchangedChoice()
    return UnchangedChoice()


def choice_to_schedule(choice: ScheduleChoice) -> dict[str, Any]:
    """The timing part of a schedule; empty for AsItIs."""
    match choice:
        case IntervalChoice(number, unit):
            return {"every": f"{number}{unit.value}"}
        case DailyChoice(at):
            return {"cron": f"{at.minute} {at.hour} * * *"}
        case WeeklyChoice(days, at):
            if not days:
                raise BadScheduleError("weekday", "weekday: choose at least one day.")
            return {"cron": f"{at.minute} {at.hour} * * {_write_days(days)}"}
        case MonthlyChoice(day, at):
            return {"cron": f"{at.minute} {at.hour} {'L' if day is None else day} * *"}
        case CronChoice(text):
            texts = [part.strip() for part in text.split(";") if part.strip()]
            return {"cron": texts[0] if len(texts) == 1 else texts}
        case UnchangedChoice():
            return {}


def apply_choice(written: Mapping[str, Any], choice: ScheduleChoice, zone: str | None) -> dict[str, Any]:
    """The schedule with another timing; everything else is kept, and an unchanged timing stays as written."""
    kept = {name: value for name, value in written.items() if name not in set(ScheduleKind) | {"anchor", "timezone"}}
    if zone is not None:
        kept["timezone"] = zone
    same_rule = choice == parse_choice(written)
    if same_rule:
        rule = {name: value for name, value in written.items() if name in set(ScheduleKind) | {"anchor"}}
    else:
        rule = choice_to_schedule(choice)
    return {**rule, **kept}


def _read_every(length: timedelta) -> ScheduleChoice:
    seconds = int(length.total_seconds())
    unit = next(unit for unit, size in _UNIT_SECONDS.items() if seconds % size == 0)
    return IntervalChoice(seconds // _UNIT_SECONDS[unit], unit)


def _read_simple(text: str) -> ScheduleChoice | None:
    """None unless minute and hour are plain numbers: `*/60` means the same minutes but behaves differently."""
    fields = split_cron(text)
    if not (fields["minute"].isdecimal() and fields["hour"].isdecimal()):
        return None
    values = expand_fields(fields)
    if values.seconds != (0,) or (fields["second"], fields["month"], fields["year"]) != ("0", "*", "*"):
        return None
    at = time(values.hours[0], values.minutes[0])
    any_day, any_weekday = fields["day"] == "*", fields["weekday"] == "*"
    if any_day and any_weekday:
        return DailyChoice(at)
    if any_day and values.weekdays and not values.nth_weekdays and not values.last_weekdays:
        return WeeklyChoice(frozenset(day % 7 for day in values.weekdays), at)
    if any_weekday and fields["day"].isdecimal():
        return MonthlyChoice(int(fields["day"]), at)
    if any_weekday and fields["day"].lower() == "l":
        return MonthlyChoice(None, at)
    return None


def _write_days(days: frozenset[int]) -> str:
    if days == {1, 2, 3, 4, 5}:
        return "1-5"
    return ",".join(str(day) for day in sorted(days))
