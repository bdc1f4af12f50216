"""Query results as JSON values."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import pytest

from scheduler.engine.api.json_values import format_instant, to_json
from scheduler.rules.phases import RunStatus


@dataclass(frozen=True, slots=True)
class _Inner:
    at: datetime | None
    status: RunStatus


@dataclass(frozen=True, slots=True)
class _Outer:
    inner: tuple[_Inner, ...]
    numbers: dict[RunStatus, int]


def test_nested_values_become_json() -> None:
    at = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
    value = to_json(_Outer((_Inner(at, RunStatus.ACTIVE), _Inner(None, RunStatus.LOGIC)), {RunStatus.CRASHED: 2}))
    assert value == {
        "inner": [{"at": "2026-11-16T09:00:00Z", "status": "active"}, {"at": None, "status": "failed:logic"}],
        "numbers": {"crashed": 2},
    }
    assert type(value["inner"][0]["status"]) is str
    json.dumps(value)


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (datetime(2026, 11, 16, 9, 0, tzinfo=UTC), "2026-11-16T09:00:00Z"),
        (datetime(2026, 11, 16, 9, 0, 1, 50_000, tzinfo=UTC), "2026-11-16T09:00:01.050Z"),
        (datetime(2026, 11, 16, 9, 0, tzinfo=timezone(timedelta(hours=1))), "2026-11-16T08:00:00Z"),
    ],
)
def test_times_are_utc(at: datetime, text: str) -> None:
    assert format_instant(at) == text
    assert datetime.fromisoformat(text) == at
