"""Every stored status has a state that people see."""

import pytest

from app.window.states import state_of_run, state_of_time
from app.words.states import RunState, say_run, say_workflow
from scheduler.rules.phases import Status
from scheduler.rules.states import WorkflowState
from scheduler.timing.occurrences import State


@pytest.mark.parametrize("status", Status)
def test_every_status_of_a_run_has_a_word(status: Status) -> None:
    state = state_of_run(status)
    assert say_run(state)
    assert (state is RunState.DONE) == (status is Status.COMMITTED)
    assert (state is RunState.WAITING) == (status in (Status.APPROVAL, Status.RECONCILIATION))


@pytest.mark.parametrize("status", Status)
def test_what_waited_has_failed_once_another_attempt_took_its_place(status: Status) -> None:
    followed = state_of_run(status, is_followed=True)
    assert followed is (RunState.FAILED if status.is_waiting else state_of_run(status))


@pytest.mark.parametrize("state", State)
def test_every_state_of_a_planned_time_has_a_word(state: State) -> None:
    assert say_run(state_of_time(state.value))


def test_no_two_ends_without_a_run_look_alike() -> None:
    ends = [State.SKIPPED, State.COALESCED, State.MISSED, State.DROPPED, State.CANCELLED]
    assert len({state_of_time(end.value) for end in ends}) == len(ends)


@pytest.mark.parametrize("state", WorkflowState)
def test_every_state_of_a_workflow_has_a_word(state: WorkflowState) -> None:
    assert say_workflow(state)
