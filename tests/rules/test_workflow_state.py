"""The state of a workflow for every combination of facts."""

from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest

from scheduler.rules.workflow_state import (
    WorkflowState,
    WorkflowStateFacts,
    decide_state,
    find_unasked,
    is_on_hold,
    rank_by_need,
)

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
LATER, EARLIER = NOW + timedelta(minutes=1), NOW - timedelta(minutes=1)

ORDER: list[tuple[str, dict[str, Any]]] = [
    ("archived", {"is_archived": True}),
    ("needs-attention", {"asks": 1}),
    ("stopped", {"has_failed_inside": True}),
    ("fixing", {"is_fixing": True}),
    ("running", {"is_active": True}),
    ("paused", {"is_paused": True}),
    ("queued", {"earliest_waiting": EARLIER}),
    ("retrying", {"tries_again_at": LATER}),
    ("paused", {"paused_schedules": True}),
    ("missed", {"has_missed": True}),
    ("finished", {"has_schedule": True, "next_at": None}),
]
"""The facts that lead to each state, highest priority first."""


@pytest.mark.parametrize("chosen", list(product([False, True], repeat=len(ORDER))))
def test_the_first_state_that_applies_wins(chosen: tuple[bool, ...]) -> None:
    """All 2,048 combinations: what needs the user comes before what happens automatically."""
    facts: dict[str, Any] = {"next_at": LATER}
    for (_, given), holds in zip(ORDER, chosen, strict=True):
        facts |= given if holds else {}
    holding = [word for (word, _), holds in zip(ORDER, chosen, strict=True) if holds]
    if holding[:1] == ["finished"] and facts.get("earliest_waiting"):
        holding = []
    assert decide_state(WorkflowStateFacts(**facts), NOW).value == (holding[0] if holding else "idle")


@pytest.mark.parametrize(
    ("at", "word"), [(EARLIER, "queued"), (NOW, "queued"), (LATER, "idle"), (None, "idle")], ids=str
)
def test_what_is_not_yet_due_is_not_queued(at: datetime | None, word: str) -> None:
    assert decide_state(WorkflowStateFacts(earliest_waiting=at, next_at=LATER), NOW) == word


@pytest.mark.parametrize(("at", "word"), [(EARLIER, "idle"), (NOW, "idle"), (LATER, "retrying")], ids=str)
def test_a_retry_that_is_due_no_longer_shows_as_retrying(at: datetime, word: str) -> None:
    assert decide_state(WorkflowStateFacts(tries_again_at=at, next_at=LATER), NOW) == word


@pytest.mark.parametrize(("until", "held"), [(None, False), (EARLIER, False), (NOW, False), (LATER, True)], ids=str)
def test_a_pause_of_everything_ends_at_its_time(until: datetime | None, held: bool) -> None:  # noqa: FBT001
    facts = WorkflowStateFacts(everything_paused_until=until, next_at=LATER)
    assert is_on_hold(facts, NOW) is held
    assert decide_state(facts, NOW) == ("paused" if held else "idle")


def test_a_workflow_without_schedules_is_never_finished() -> None:
    """Other programs may publish into it."""
    assert decide_state(WorkflowStateFacts(), NOW) is WorkflowState.IDLE


def test_a_workflow_still_waiting_for_its_last_run_is_not_finished() -> None:
    assert decide_state(WorkflowStateFacts(has_schedule=True, earliest_waiting=LATER), NOW) is WorkflowState.IDLE


def test_the_values_are_lower_case_with_dashes() -> None:
    assert all(state.value.replace("-", "").islower() for state in WorkflowState)
    assert WorkflowState.NEEDS_ATTENTION == "needs-attention"


def test_a_list_begins_with_what_needs_the_user_then_what_runs_then_what_fails() -> None:
    order = ("needs-attention", "running", "missed", "idle", "paused", "archived")
    assert sorted(map(WorkflowState, reversed(order)), key=rank_by_need) == list(order)
    failing = rank_by_need(WorkflowState.IDLE, is_failing=True)
    assert rank_by_need(WorkflowState.RUNNING) < failing < rank_by_need(WorkflowState.IDLE)
    assert rank_by_need(WorkflowState.NEEDS_ATTENTION, is_failing=True) == 0
    assert {rank_by_need(state) for state in WorkflowState} == set(range(6))


def test_a_workflow_that_needs_the_user_without_a_request_is_found() -> None:
    needs, idle = WorkflowState.NEEDS_ATTENTION, WorkflowState.IDLE
    assert find_unasked([("asks", needs), ("broken", needs), ("well", idle)], {"asks"}) == ["broken"]
