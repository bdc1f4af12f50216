"""Every stored status maps to a visible state."""

import pytest

from app.i18n.state_labels import RunState, run_state_label, workflow_state_label
from app.window.history.history_data import state_of_run, state_of_time
from scheduler.rules.phases import RunStatus
from scheduler.rules.workflow_state import WorkflowState
from scheduler.timing.occurrences import OccurrenceState


@pytest.mark.parametrize("status", RunStatus)
def test_every_run_status_has_a_label(status: RunStatus) -> None:
    state = state_of_run(status)
    assert run_state_label(state)
    assert (state is RunState.DONE) == (status is RunStatus.COMMITTED)
    assert (state is RunState.WAITING) == (status in (RunStatus.APPROVAL, RunStatus.RECONCILIATION))


@pytest.mark.parametrize("status", RunStatus)
def test_a_waiting_attempt_counts_as_failed_once_another_follows(status: RunStatus) -> None:
    followed = state_of_run(status, is_followed=True)
    assert followed is (RunState.FAILED if status.is_waiting else state_of_run(status))


@pytest.mark.parametrize("state", OccurrenceState)
def test_every_state_of_a_planned_time_has_a_label(state: OccurrenceState) -> None:
    assert run_state_label(state_of_time(state.value))


def test_times_that_did_not_run_have_distinct_states() -> None:
    ends = [
        OccurrenceState.SKIPPED,
        OccurrenceState.COALESCED,
        OccurrenceState.MISSED,
        OccurrenceState.DROPPED,
        OccurrenceState.CANCELLED,
    ]
    assert len({state_of_time(end.value) for end in ends}) == len(ends)


@pytest.mark.parametrize("state", WorkflowState)
def test_every_workflow_state_has_a_label(state: WorkflowState) -> None:
    assert workflow_state_label(state)
