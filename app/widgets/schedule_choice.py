"""Schedules that a person can pick without writing cron, read from and written to what a script says. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time, timedelta
from enum import StrEnum
from typing import Any

from scheduler.timing.cron import split_cron
from scheduler.timing.durations import parse_duration
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.fields import expand_fields
from scheduler.timing.spec import Kind


class Unit(StrEnum):
    SECONDS = "s"
    MINUTES = "m"
    HOURS = "h"
    DAYS = "d"


_SECONDS = {Unit.DAYS: 86400, Unit.HOURS: 3600, Unit.MINUTES: 60, Unit.SECONDS: 1}
MONDAY_FIRST = (1, 2, 3, 4, 5, 6, 0)


@dataclass(frozen=True, slots=True)
class Every:
    number: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class Daily:
    at: time


@dataclass(frozen=True, slots=True)
class Weekly:
    days: frozenset[int]
    """0 is Sunday, as in cron."""
    at: time


@dataclass(frozen=True, slots=True)
class Monthly:
    day: int | None
    """None is the last day."""
    at: time


@dataclass(frozen=True, slots=True)
class CronText:
    text: str
    """One text, or several parted by semicolons."""


@dataclass(frozen=True, slots=True)
class AsItIs:
    """Something that no picker shows; it stays what it is."""


Choice = Every | Daily | Weekly | Monthly | CronText | AsItIs


def read_choice(written: Mapping[str, Any]) -> Choice:
    """The simplest picker that says exactly what is written, and nothing else."""
    kinds = [kind for kind in Kind if kind in written]
    try:
        if kinds == [Kind.EVERY]:
            return _read_every(parse_duration(written["every"], "every"))
        if kinds == [Kind.CRON]:
            texts = [written["cron"]] if isinstance(written["cron"], str) else list(written["cron"])
            simple = _read_simple(texts[0]) if len(texts) == 1 else None
            return simple or CronText("; ".join(texts))
    except (BadScheduleError, TypeError):
        return CronText(str(written["cron"])) if kinds == [Kind.CRON] else AsItIs()
    return AsItIs()


def write_choice(choice: Choice) -> dict[str, Any]:
    """The part of a schedule that says when; empty for what stays as it is."""
    match choice:
        case Every(number, unit):
            return {"every": f"{number}{unit.value}"}
        case Daily(at):
            return {"cron": f"{at.minute} {at.hour} * * *"}
        case Weekly(days, at):
            if not days:
                raise BadScheduleError("weekday", "weekday: no day is chosen; choose at least one.")
            return {"cron": f"{at.minute} {at.hour} * * {_write_days(days)}"}
        case Monthly(day, at):
            return {"cron": f"{at.minute} {at.hour} {'L' if day is None else day} * *"}
        case CronText(text):
            texts = [part.strip() for part in text.split(";") if part.strip()]
            return {"cron": texts[0] if len(texts) == 1 else texts}
        case AsItIs():
            return {}


def apply_choice(written: Mapping[str, Any], choice: Choice, zone: str | None) -> dict[str, Any]:
    """What was written with other times; everything else of it is kept, and what did not change is untouched."""
    kept = {name: value for name, value in written.items() if name not in set(Kind) | {"anchor", "timezone"}}
    if zone is not None:
        kept["timezone"] = zone
    same_rule = choice == read_choice(written)
    if same_rule:
        rule = {name: value for name, value in written.items() if name in set(Kind) | {"anchor"}}
    else:
        rule = write_choice(choice)
    return {**rule, **kept}


def _read_every(length: timedelta) -> Choice:
    seconds = int(length.total_seconds())
    unit = next(unit for unit, size in _SECONDS.items() if seconds % size == 0)
    return Every(seconds // _SECONDS[unit], unit)


def _read_simple(text: str) -> Choice | None:
    """Only a plain minute and hour is a time of day: `*/60` names the same minutes but follows the clock."""
    fields = split_cron(text)
    if not (fields["minute"].isdecimal() and fields["hour"].isdecimal()):
        return None
    values = expand_fields(fields)
    if values.seconds != (0,) or (fields["second"], fields["month"], fields["year"]) != ("0", "*", "*"):
        return None
    at = time(values.hours[0], values.minutes[0])
    any_day, any_weekday = fields["day"] == "*", fields["weekday"] == "*"
    if any_day and any_weekday:
        return Daily(at)
    if any_day and values.weekdays and not values.nth_weekdays and not values.last_weekdays:
        return Weekly(frozenset(day % 7 for day in values.weekdays), at)
    if any_weekday and fields["day"].isdecimal():
        return Monthly(int(fields["day"]), at)
    if any_weekday and fields["day"].lower() == "l":
        return Monthly(None, at)
    return None


def _write_days(days: frozenset[int]) -> str:
    if days == {1, 2, 3, 4, 5}:
        return "1-5"
    return ",".join(str(day) for day in sorted(days))
