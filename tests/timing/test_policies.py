"""Policies as authors write them."""

from datetime import timedelta
from typing import Any

import pytest

from scheduler.timing.errors import BadScheduleError
from scheduler.timing.policies import Catchup, Need, Overlap, Policies

DEFAULTS = Policies(overlap=Overlap.BUFFER_ONE, catchup=Catchup.ALL)


def test_omitted_policies_take_the_default() -> None:
    assert Policies.read({}, DEFAULTS) == DEFAULTS


@pytest.mark.parametrize(
    "policies",
    [
        Policies(),
        Policies(overlap=Overlap.TERMINATE_OTHER, catchup=Catchup.SPREAD, catchup_window=timedelta(hours=2)),
        Policies(catchup_window=timedelta(), pause_on_failure=True, needs=(Need.NETWORK, Need.POWER)),
    ],
)
def test_written_policies_are_read_back(policies: Policies) -> None:
    assert Policies.read(policies.write(), DEFAULTS) == policies


@pytest.mark.parametrize(
    ("written", "window"), [("2h", timedelta(hours=2)), ("0", timedelta()), (0, timedelta()), (None, None)]
)
def test_the_window_is_a_duration_zero_or_none(written: object, window: timedelta | None) -> None:
    assert Policies.read({"catchup_window": written}, DEFAULTS).catchup_window == window


def test_a_single_need_can_be_a_string() -> None:
    assert Policies.read({"needs": "network"}, DEFAULTS).needs == (Need.NETWORK,)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("overlap", "sometimes"),
        ("overlap", None),
        ("overlap", 3),
        ("catchup", "two"),
        ("catchup", ["one"]),
        ("catchup_window", "2"),
        ("catchup_window", "-2h"),
        ("catchup_window", 7200),
        ("catchup_window", ["2h"]),
        ("pause_on_failure", "yes"),
        ("pause_on_failure", 1),
        ("needs", 5),
        ("needs", None),
        ("needs", {"network": True}),
        ("needs", ["network", "luck"]),
        ("colour", "blue"),
    ],
)
def test_an_invalid_policy_is_refused_by_its_name(field: str, value: Any) -> None:
    with pytest.raises(BadScheduleError) as refused:
        Policies.read({field: value}, DEFAULTS)
    assert refused.value.field == field
    assert refused.value.sentence.startswith(f"{field}: ")
