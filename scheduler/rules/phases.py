"""How far a run has come, and how it stands. The two are independent: a status never changes the phase."""

from enum import StrEnum


class HandlerKind(StrEnum):
    PRODUCER = "producer"
    """Looks outside on a schedule and publishes what is new."""
    CONSUMER = "consumer"
    """Takes events through prepare, mutate and next."""
    JOB = "job"
    """A plain scheduled task."""


class Phase(StrEnum):
    """The last checkpoint that a run has passed. Forward only."""

    PREPARING = "preparing"
    PREPARED = "prepared"
    """What to do is known and stored, its events are reserved."""
    MUTATING = "mutating"
    """The outside action has begun."""
    MUTATED = "mutated"
    """Its outcome is known and stored."""
    EMITTING = "emitting"
    EXECUTING = "executing"
    """A producer or a job at work."""
    COMMITTED = "committed"


PHASES: dict[Phase, frozenset[Phase]] = {
    Phase.PREPARING: frozenset({Phase.PREPARED}),
    # Without mutate a consumer goes straight to next; a person's reject or skip counts as an outcome.
    Phase.PREPARED: frozenset({Phase.MUTATING, Phase.MUTATED, Phase.EMITTING, Phase.COMMITTED}),
    Phase.MUTATING: frozenset({Phase.MUTATED}),
    Phase.MUTATED: frozenset({Phase.EMITTING, Phase.COMMITTED}),
    Phase.EMITTING: frozenset({Phase.COMMITTED}),
    Phase.EXECUTING: frozenset({Phase.COMMITTED}),
    Phase.COMMITTED: frozenset(),
}


class Status(StrEnum):
    """How an attempt stands."""

    ACTIVE = "active"
    TRANSIENT = "paused:transient"
    """A passing failure; another attempt will follow by itself."""
    APPROVAL = "paused:approval"
    """Waits for a person: an approval, a permission or a reconnect."""
    RECONCILIATION = "paused:reconciliation"
    """Nobody knows yet whether the outside action happened."""
    LOGIC = "failed:logic"
    """The script is at fault."""
    INTERNAL = "failed:internal"
    """Dayhand is at fault."""
    COMMITTED = "committed"
    CRASHED = "crashed"
    """Dayhand ended while it ran."""
    CANCELLED = "cancelled"

    @property
    def is_waiting(self) -> bool:
        """Whether it goes on later: by itself, or after a person's answer."""
        return self in _WAITING


_WAITING = frozenset({Status.TRANSIENT, Status.APPROVAL, Status.RECONCILIATION})
_ENDS = frozenset({Status.COMMITTED, Status.CRASHED, Status.CANCELLED})
STATUSES: dict[Status, frozenset[Status]] = {
    Status.ACTIVE: frozenset(Status) - {Status.ACTIVE},
    # An answer, a checker or a stop ends the wait; the retry itself is a new attempt.
    Status.TRANSIENT: frozenset({Status.CANCELLED}),
    Status.APPROVAL: frozenset({Status.ACTIVE, Status.CANCELLED}),
    Status.RECONCILIATION: frozenset({Status.ACTIVE, Status.CANCELLED}),
    Status.LOGIC: frozenset({Status.CANCELLED}),
    Status.INTERNAL: frozenset({Status.CANCELLED}),
} | {status: frozenset() for status in _ENDS}


def first_phase(kind: HandlerKind) -> Phase:
    return Phase.PREPARING if kind is HandlerKind.CONSUMER else Phase.EXECUTING
