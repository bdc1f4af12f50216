"""Schedules as their authors write them, and what becomes of them."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from scheduler.timing.errors import BadScheduleError
from scheduler.timing.spec import Spec
from scheduler.timing.times import Times

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def spec(machine_zone: str = "UTC", now: datetime = NOW, **written: Any) -> Spec:
    return Spec.read(written, machine_zone=machine_zone, now=now)


def times(machine_zone: str = "UTC", now: datetime = NOW, **written: Any) -> Times:
    return spec(machine_zone, now, **written).times(machine_zone)


def utc(text: str) -> datetime:
    """`2026-03-29 01:00` as an instant."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def local(found: list[datetime], zone: str) -> list[str]:
    """What clocks in the zone show at those instants."""
    return [f"{at.astimezone(times(zone, every='1h').zone):%Y-%m-%d %H:%M}" for at in found]


def refusal(**written: Any) -> BadScheduleError:
    """The error that the schedule is refused with; it names its field and is one sentence."""
    with pytest.raises(BadScheduleError) as raised:
        times(**written)
    error = raised.value
    assert str(error) == error.sentence
    assert error.sentence.startswith(f"{error.field}: ")
    assert error.sentence.endswith(".") and not re.search(r"[.!?]\s+[A-Z]|\n", error.sentence)
    return error
