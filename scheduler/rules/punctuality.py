"""Whether a schedule is overdue, and whether its runs take as long as expected. Pure."""

from datetime import datetime, timedelta

from scheduler.timing.durations import DurationRange, describe_duration
from scheduler.user_text import UserText

_MAX_GRACE = timedelta(minutes=10)
"""After the start, a sleep or a pause, missed runs get that long to be caught up."""


def is_overdue(expected: datetime, limit: timedelta, watched_since: datetime, now: datetime) -> bool:
    """Whether it had enough time to succeed; `watched_since` is since when it could run."""
    return now > max(expected + limit, watched_since + min(limit, _MAX_GRACE))


def describe_overdue(name: str, limit: timedelta) -> str:
    length = describe_duration(limit)
    return UserText(
        "{name} is overdue: it should have run more than {length} ago and has not succeeded since.",
        name=name,
        length=length,
    )


def describe_running_time(name: str, expected: DurationRange, took: timedelta, *, is_running: bool) -> str:
    """What is unusual about how long it takes, or took; empty if nothing is."""
    if took in expected or (is_running and (expected.longest is None or took <= expected.longest)):
        return ""
    if is_running:
        assert expected.longest is not None
        limit = describe_duration(expected.longest)
        return UserText("{name} has been running for more than {limit}.", name=name, limit=limit)
    words = describe_duration(took)
    if expected.longest is not None and took > expected.longest:
        limit = describe_duration(expected.longest)
        return UserText("{name} took {took}; {limit} is the most expected.", name=name, took=words, limit=limit)
    assert expected.shortest is not None
    limit = describe_duration(expected.shortest)
    return UserText("{name} took only {took}; {limit} is the least expected.", name=name, took=words, limit=limit)
