"""Views as JSON values."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import pytest

from app.desk.plain import plain, write_time
from scheduler.rules.phases import Status


@dataclass(frozen=True, slots=True)
class _Inner:
    at: datetime | None
    status: Status


@dataclass(frozen=True, slots=True)
class _Outer:
    inner: tuple[_Inner, ...]
    numbers: dict[Status, int]


def test_everything_becomes_json() -> None:
    at = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
    told = plain(_Outer((_Inner(at, Status.ACTIVE), _Inner(None, Status.LOGIC)), {Status.CRASHED: 2}))
    assert told == {
        "inner": [{"at": "2026-11-16T09:00:00Z", "status": "active"}, {"at": None, "status": "failed:logic"}],
        "numbers": {"crashed": 2},
    }
    assert type(told["inner"][0]["status"]) is str
    json.dumps(told)


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (datetime(2026, 11, 16, 9, 0, tzinfo=UTC), "2026-11-16T09:00:00Z"),
        (datetime(2026, 11, 16, 9, 0, 1, 50_000, tzinfo=UTC), "2026-11-16T09:00:01.050Z"),
        (datetime(2026, 11, 16, 9, 0, tzinfo=timezone(timedelta(hours=1))), "2026-11-16T08:00:00Z"),
    ],
)
def test_times_are_utc(at: datetime, text: str) -> None:
    assert write_time(at) == text
    assert datetime.fromisoformat(text) == at
