"""How long to wait before the next attempt."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.timing.backoff import RETRIES, TOO_MANY, launch_delay, retry_delay
from tests.timing.anything import checked

LEAST, MOST = "0" * 64, "f" * 64
keys = st.text("0123456789abcdef", min_size=64, max_size=64)


@pytest.mark.parametrize(
    ("failures", "seconds"), [(1, 30), (2, 60), (3, 300), (4, 900), (5, 3600), (6, 3600), (99, 3600)]
)
def test_waits_grow_and_stay_at_an_hour(failures: int, seconds: int) -> None:
    """P2."""
    assert retry_delay(failures, LEAST) == timedelta(seconds=seconds)
    assert retry_delay(failures, MOST) == timedelta(seconds=seconds * 1.1)


@checked(200)
@given(st.integers(1, 20), keys)
def test_a_tenth_at_most_is_added_and_the_same_key_adds_the_same(failures: int, key: str) -> None:
    wait = RETRIES[min(failures, len(RETRIES)) - 1]
    assert wait <= retry_delay(failures, key) <= wait * 1.1
    assert retry_delay(failures, key) == retry_delay(failures, key)


def test_a_longer_wait_that_a_server_asks_for_wins_and_a_shorter_does_not() -> None:
    """F2."""
    assert retry_delay(1, LEAST, timedelta(seconds=120)) == timedelta(seconds=120)
    assert retry_delay(1, LEAST, timedelta(seconds=5)) == timedelta(seconds=30)


def test_a_start_is_tried_again_after_1_2_and_4_seconds_and_then_given_up() -> None:
    assert [launch_delay(failures) for failures in (1, 2, 3, 4, 5)] == [
        timedelta(seconds=1),
        timedelta(seconds=2),
        timedelta(seconds=4),
        None,
        None,
    ]


def test_there_is_a_wait_before_every_attempt_that_does_not_block() -> None:
    assert len(RETRIES) >= TOO_MANY - 1
