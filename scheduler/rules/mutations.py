"""What is known of an outside action, and how its run continues. This decides, never the run's phase."""

from enum import StrEnum


class MutationStatus(StrEnum):
    """What is known of an outside action."""

    IN_FLIGHT = "in_flight"
    """Recorded before the call; the call may or may not have happened."""
    APPLIED = "applied"
    FAILED = "failed"
    """It did not happen, for certain."""
    UNSURE = "unsure"
    """It may have happened; the tool's checker or the user must find out."""
    SKIPPED = "skipped"
    """The user rejected it."""


MUTATION_MOVES: dict[MutationStatus, frozenset[MutationStatus]] = {
    MutationStatus.IN_FLIGHT: frozenset({MutationStatus.APPLIED, MutationStatus.FAILED, MutationStatus.UNSURE}),
    MutationStatus.UNSURE: frozenset({MutationStatus.APPLIED, MutationStatus.FAILED, MutationStatus.SKIPPED}),
    MutationStatus.APPLIED: frozenset(),
    MutationStatus.FAILED: frozenset(),
    MutationStatus.SKIPPED: frozenset(),
}


class Continuation(StrEnum):
    """How a chain continues after an attempt that did not commit."""

    RESTART = "afresh"
    """Release its events and start again at prepare."""
    EMIT = "emit"
    """Keep its events; a new attempt continues at next with the stored outcome."""
    RECONCILE = "reconcile"
    """Keep its events and find out whether it happened."""


def decide_continuation(mutation: MutationStatus | None) -> Continuation:
    """What follows a crash, a retry or a script change; `mutation` is None if no outside action began."""
    match mutation:
        case None | MutationStatus.FAILED:
            return Continuation.RESTART
        case MutationStatus.APPLIED | MutationStatus.SKIPPED:
            return Continuation.EMIT
        case MutationStatus.IN_FLIGHT | MutationStatus.UNSURE:
            return Continuation.RECONCILE


class ResumeMode(StrEnum):
    """How a waiting or failed attempt continues."""

    RESUME = "resume"
    """The same attempt continues where it waited: the user or a checker answered."""
    RESTART = "afresh"
    """A new attempt starts from the beginning."""
    EMIT = "emit"
    """A new attempt continues after the outside action."""


def decide_resume_mode(*, waited: bool, mutation: MutationStatus | None) -> ResumeMode | None:
    """`waited`: it did not fail but waited for an answer, which came. None while it is unsure whether it acted."""
    match decide_continuation(mutation):
        case Continuation.RECONCILE:
            return None
        case Continuation.EMIT:
            return ResumeMode.RESUME if waited else ResumeMode.EMIT
        case Continuation.RESTART:
            return ResumeMode.RESUME if waited and mutation is None else ResumeMode.RESTART
