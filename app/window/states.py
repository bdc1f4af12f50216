"""Stored statuses as the states that pictures and lists show."""

from app.words import RunState, WorkflowState
from scheduler.rules.phases import Status
from scheduler.rules.states import WorkflowState as Stored
from scheduler.timing.occurrences import State

_RUNS = {
    Status.ACTIVE: RunState.RUNNING,
    Status.TRANSIENT: RunState.RETRYING,
    Status.APPROVAL: RunState.WAITING,
    Status.RECONCILIATION: RunState.WAITING,
    Status.LOGIC: RunState.FAILED,
    Status.INTERNAL: RunState.FAILED,
    Status.COMMITTED: RunState.DONE,
    Status.CRASHED: RunState.FAILED,
    Status.CANCELLED: RunState.CANCELLED,
}
_TIMES = {
    State.QUEUED: RunState.QUEUED,
    State.STARTED: RunState.RUNNING,
    State.SUCCEEDED: RunState.DONE,
    State.FAILED: RunState.FAILED,
    State.CANCELLED: RunState.CANCELLED,
    State.SKIPPED: RunState.SKIPPED,
    State.COALESCED: RunState.REPLACED,
    State.MISSED: RunState.MISSED,
    State.DROPPED: RunState.DROPPED,
}


def state_of_run(status: Status) -> RunState:
    return _RUNS[status]


def state_of_time(state: str) -> RunState:
    """Of a planned time that did not run."""
    return _TIMES[State(state)]


def state_of_workflow(state: Stored) -> WorkflowState:
    """One that is put away has no word of its own in the main list: it has no more times."""
    if state is Stored.NEEDS_ATTENTION:
        return WorkflowState.ATTENTION
    if state is Stored.ARCHIVED:
        return WorkflowState.FINISHED
    return WorkflowState(state.value)
