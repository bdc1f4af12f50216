"""Delays before the next attempt."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.timing.backoff import MAX_FAILURES, RETRY_DELAYS, launch_delay, retry_delay
from tests.timing.strategies import examples

LEAST, MOST = "0" * 64, "f" * 64
keys = st.text("0123456789abcdef", min_size=64, max_size=64)


@pytest.mark.parametrize(
    ("failures", "seconds"), [(1, 30), (2, 60), (3, 300), (4, 900), (5, 3600), (6, 3600), (99, 3600)]
)
def test_delays_grow_to_an_hour_and_stay_there(failures: int, seconds: int) -> None:
    assert retry_delay(failures, LEAST) == timedelta(seconds=seconds)
    assert retry_delay(failures, MOST) == timedelta(seconds=seconds * 1.1)


@examples(200)
@given(st.integers(1, 20), keys)
def test_at_most_a_tenth_is_added_and_the_same_key_adds_the_same(failures: int, key: str) -> None:
    delay = RETRY_DELAYS[min(failures, len(RETRY_DELAYS)) - 1]
    assert delay <= retry_delay(failures, key) <= delay * 1.1
    assert retry_delay(failures, key) == retry_delay(failures, key)


def test_a_longer_retry_after_of_the_server_wins_and_a_shorter_one_does_not() -> None:
    assert retry_delay(1, LEAST, timedelta(seconds=120)) == timedelta(seconds=120)
    assert retry_delay(1, LEAST, timedelta(seconds=5)) == timedelta(seconds=30)


def test_a_launch_is_retried_after_1_2_and_4_seconds_and_then_given_up() -> None:
    assert [launch_delay(failures) for failures in (1, 2, 3, 4, 5)] == [
        timedelta(seconds=1),
        timedelta(seconds=2),
        timedelta(seconds=4),
        None,
        None,
    ]


def test_there_is_a_delay_for_every_failure_that_does_not_block() -> None:
    assert len(RETRY_DELAYS) >= MAX_FAILURES - 1
