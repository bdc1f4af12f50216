"""A checker's "no" is trusted only after the service had time to act, and if it is repeated."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from scheduler.rules.reconciliation import evaluate_negative_check


def check_until_resolved(window: float, delays: Sequence[float]) -> list[float]:
    """When a checker that always says "no" is asked, in seconds after the call ended, each delayed as given."""
    checked_at, now, first_no = list[float]([0]), 0.0, None
    for delay in [*delays, *[0.0] * 10_000]:
        denial = evaluate_negative_check(ended=0.0, first_no=first_no, now=now, window=window)
        if denial.did_not_happen:
            return checked_at
        assert denial.wait_s > 0
        first_no = denial.first_no
        now += denial.wait_s + delay
        checked_at.append(now)
    raise AssertionError("it never ends")


def test_it_checks_at_once_then_at_growing_intervals_then_twice_when_it_counts() -> None:
    assert check_until_resolved(60.0, []) == [0, 10, 20, 40, 60, 120]


def test_a_tool_that_cannot_act_late_is_trusted_at_once() -> None:
    assert check_until_resolved(0.0, []) == [0]


@given(st.integers(1, 3600), st.lists(st.integers(0, 1000), max_size=20))
def test_it_takes_two_answers_a_window_apart(window: int, delays: list[int]) -> None:
    checked_at = check_until_resolved(window, delays)
    counted = [at for at in checked_at if at >= window]
    assert len(counted) >= 2
    assert counted[-1] - counted[0] >= window


def test_waits_are_bounded_so_that_a_yes_is_noticed() -> None:
    denial = evaluate_negative_check(ended=0, first_no=None, now=5000, window=10_000)
    assert denial.wait_s == 600
