"""A "no" is believed only after the service had time to act, and if it is given again."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from scheduler.rules.reconciliation import weigh_no


def ask_until_settled(window: float, delays: Sequence[float]) -> list[float]:
    """When a checker that always says "no" was asked, in seconds after the end of the call; late by the delays."""
    asked, now, first_no = list[float]([0]), 0.0, None
    for delay in [*delays, *[0.0] * 10_000]:
        denial = weigh_no(ended=0.0, first_no=first_no, now=now, window=window)
        if denial.did_not_happen:
            return asked
        assert denial.wait_s > 0
        first_no = denial.first_no
        now += denial.wait_s + delay
        asked.append(now)
    raise AssertionError("it never comes to an end")


def test_it_is_asked_at_once_then_in_growing_steps_then_twice_when_it_counts() -> None:
    assert ask_until_settled(60.0, []) == [0, 10, 20, 40, 60, 120]


def test_a_tool_that_cannot_act_late_is_believed_at_once() -> None:
    assert ask_until_settled(0.0, []) == [0]


@given(st.integers(1, 3600), st.lists(st.integers(0, 1000), max_size=20))
def test_two_answers_that_far_apart_settle_it_and_never_fewer(window: int, delays: list[int]) -> None:
    asked = ask_until_settled(window, delays)
    counted = [at for at in asked if at >= window]
    assert len(counted) >= 2
    assert counted[-1] - counted[0] >= window


def test_waits_are_bounded_so_that_a_yes_is_heard() -> None:
    denial = weigh_no(ended=0, first_no=None, now=5000, window=10_000)
    assert denial.wait_s == 600
