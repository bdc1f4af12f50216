"""Build specs and compiled times from schedules as authors write them."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from scheduler.timing.compiled import PlannedTimes
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.spec import ScheduleSpec

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def spec(machine_zone: str = "UTC", now: datetime = NOW, **written: Any) -> ScheduleSpec:
    return ScheduleSpec.read(written, machine_zone=machine_zone, now=now)


def times(machine_zone: str = "UTC", now: datetime = NOW, **written: Any) -> PlannedTimes:
    return spec(machine_zone, now, **written).compile(machine_zone)


def utc(text: str) -> datetime:
    """`2026-03-29 01:00` as an instant."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def local_times(instants: list[datetime], zone: str) -> list[str]:
    """Those instants in local time of the zone."""
    return [f"{at.astimezone(times(zone, every='1h').zone):%Y-%m-%d %H:%M}" for at in instants]


def refused_with(**written: Any) -> BadScheduleError:
    """The error that refuses the schedule; it names its field and is one sentence."""
    with pytest.raises(BadScheduleError) as raised:
        times(**written)
    error = raised.value
    assert str(error) == error.sentence
    assert error.sentence.startswith(f"{error.field}: ")
    assert error.sentence.endswith(".") and not re.search(r"[.!?]\s+[A-Z]|\n", error.sentence)
    return error
