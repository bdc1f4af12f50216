"""Stored statuses as the states that pictures and lists show."""

from app.words.states import RunState
from scheduler.rules.phases import Status
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


def state_of_run(status: Status, *, is_followed: bool = False) -> RunState:
    """What waited has failed once another attempt took its place."""
    return RunState.FAILED if is_followed and status.is_waiting else _RUNS[status]


def state_of_time(state: str) -> RunState:
    """Of a planned time that did not run."""
    return _TIMES[State(state)]
