"""A run's phase and status, with their legal moves. They are independent: a status change never moves the phase."""

from enum import StrEnum


class HandlerKind(StrEnum):
    PRODUCER = "producer"
    """Checks something on a schedule and publishes what is new."""
    CONSUMER = "consumer"
    """Processes events in prepare, mutate and next."""
    JOB = "job"
    """A plain scheduled task."""


class RunPhase(StrEnum):
    """The last checkpoint a run has passed. Forward only."""

    PREPARING = "preparing"
    PREPARED = "prepared"
    """Its plan is stored and its events are reserved."""
    MUTATING = "mutating"
    """The outside action has begun."""
    MUTATED = "mutated"
    """Its outcome is known and stored."""
    EMITTING = "emitting"
    EXECUTING = "executing"
    """A producer or a job is running."""
    COMMITTED = "committed"


PHASE_MOVES: dict[RunPhase, frozenset[RunPhase]] = {
    RunPhase.PREPARING: frozenset({RunPhase.PREPARED}),
    # Without mutate a consumer goes straight to next; a rejection or skip by the user counts as an outcome.
    RunPhase.PREPARED: frozenset({RunPhase.MUTATING, RunPhase.MUTATED, RunPhase.EMITTING, RunPhase.COMMITTED}),
    RunPhase.MUTATING: frozenset({RunPhase.MUTATED}),
    RunPhase.MUTATED: frozenset({RunPhase.EMITTING, RunPhase.COMMITTED}),
    RunPhase.EMITTING: frozenset({RunPhase.COMMITTED}),
    RunPhase.EXECUTING: frozenset({RunPhase.COMMITTED}),
    RunPhase.COMMITTED: frozenset(),
}


class RunStatus(StrEnum):
    ACTIVE = "active"
    TRANSIENT = "paused:transient"
    """A transient failure; another attempt follows automatically."""
    APPROVAL = "paused:approval"
    """Waits for the user: an approval, a permission or a reconnect."""
    RECONCILIATION = "paused:reconciliation"
    """It is not yet known whether the outside action happened."""
    LOGIC = "failed:logic"
    """The script is at fault."""
    INTERNAL = "failed:internal"
    """Dayhand is at fault."""
    COMMITTED = "committed"
    CRASHED = "crashed"
    """Dayhand quit or crashed while it ran."""
    CANCELLED = "cancelled"

    @property
    def is_waiting(self) -> bool:
        """Whether it continues later, automatically or after the user answers."""
        return self in _WAITING


class Refusal(StrEnum):
    """Why a committed run did not do what it had asked for."""

    REJECTED = "rejected"
    """By the user."""
    EXPIRED = "expired"
    """Nobody answered in time."""


_WAITING = frozenset({RunStatus.TRANSIENT, RunStatus.APPROVAL, RunStatus.RECONCILIATION})
_FAILED = frozenset({RunStatus.TRANSIENT, RunStatus.LOGIC, RunStatus.INTERNAL})
_ENDS = _FAILED | {RunStatus.COMMITTED, RunStatus.CRASHED, RunStatus.CANCELLED}
STATUS_MOVES: dict[RunStatus, frozenset[RunStatus]] = {
    RunStatus.ACTIVE: frozenset(RunStatus) - {RunStatus.ACTIVE},
    # An answer, a checker or a stop ends the wait. What has failed stays as it ended; the retry is a new attempt.
    RunStatus.APPROVAL: frozenset({RunStatus.ACTIVE, RunStatus.CANCELLED}),
    RunStatus.RECONCILIATION: frozenset({RunStatus.ACTIVE, RunStatus.CANCELLED}),
} | {status: frozenset() for status in _ENDS}


def first_phase(kind: HandlerKind) -> RunPhase:
    return RunPhase.PREPARING if kind is HandlerKind.CONSUMER else RunPhase.EXECUTING
