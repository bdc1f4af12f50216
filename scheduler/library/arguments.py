"""Converts what callers of the library pass: naive datetimes are refused, timedeltas and enums become texts."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, TypeVar

from scheduler.library.errors import InvalidScheduleError
from scheduler.timing.durations import format_duration
from scheduler.timing.policies import Catchup, Overlap, Policies

_MAX_NAME_LENGTH = 200
_Instant = TypeVar("_Instant")


def check_name(name: str) -> str:
    if not isinstance(name, str) or not name.strip() or name != name.strip():
        raise InvalidScheduleError("name", f"name: {name!r} is not a name; write a text without spaces around it.")
    if len(name) > _MAX_NAME_LENGTH or not name.isprintable():
        raise InvalidScheduleError(
            "name", f"name: use at most {_MAX_NAME_LENGTH} characters, all of them printable, not {name[:20]!r}…"
        )
    return name


def refuse_naive(value: _Instant, field: str) -> _Instant:
    """Only datetimes are checked: a text without an offset is in the schedule's zone."""
    if isinstance(value, datetime) and value.tzinfo is None:
        raise InvalidScheduleError(
            field, f"{field}: {value.isoformat()} has no time zone; use for example datetime(…, tzinfo=UTC)."
        )
    return value


def write_times(given: Mapping[str, Any]) -> dict[str, Any]:
    """The spec that the engine reads, where `at` is called `once`."""
    written = {name: value for name, value in given.items() if value is not None}
    if len(written.keys() & {"every", "cron", "calendar", "at"}) != 1:
        raise InvalidScheduleError("schedule", "Give exactly one of every, cron, calendar or at.")
    for name in written.keys() & {"at", "anchor", "start_at", "end_at"}:
        written[name] = _instant(written[name], name)
    for name in written.keys() & {"every", "jitter"}:
        written[name] = _duration(written[name], name)
    if "at" in written:
        written["once"] = written.pop("at")
    return written


def write_policies(
    overlap: Overlap | str, catchup: Catchup | str, window: str | timedelta | None, *, pause_on_failure: bool
) -> dict[str, Any]:
    """All policies, so that an edit replaces the stored ones completely."""
    return {
        "overlap": str(overlap),
        "catchup": str(catchup),
        "catchup_window": _duration(window, "catchup_window"),
        "pause_on_failure": pause_on_failure,
        "needs": [],
    }


def read_overlap(overlap: Overlap | str) -> Overlap:
    return Policies.read({"overlap": overlap}, Policies()).overlap


def _duration(value: Any, field: str) -> Any:
    if not isinstance(value, timedelta):
        return value
    if value.microseconds:
        raise InvalidScheduleError(field, f"{field}: {value} is not a whole number of seconds.")
    return format_duration(value)


def _instant(value: Any, field: str) -> Any:
    refuse_naive(value, field)
    return value.isoformat() if isinstance(value, date) and not isinstance(value, datetime) else value
