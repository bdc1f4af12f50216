"""Durations in words."""

import pytest

from scheduler.timing.durations import describe_seconds


@pytest.mark.parametrize(
    ("seconds", "words"), [(1, "1 second"), (0.5, "0.5 seconds"), (90, "1 minute 30 seconds"), (3600, "1 hour")]
)
def test_seconds_are_said_in_the_largest_units(seconds: float, words: str) -> None:
    assert describe_seconds(seconds) == words
