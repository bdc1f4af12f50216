"""The outside action: what is known of it, and how a run goes on from that. Never the phase, always this decides."""

from enum import StrEnum


class Mutation(StrEnum):
    """What is known of an outside action."""

    IN_FLIGHT = "in_flight"
    """Written down before the call; the call may or may not have happened."""
    APPLIED = "applied"
    FAILED = "failed"
    """It certainly did not happen."""
    UNSURE = "unsure"
    """It may have happened: to be found out by the tool's checker, or by the person."""
    SKIPPED = "skipped"
    """The person said no."""


MUTATIONS: dict[Mutation, frozenset[Mutation]] = {
    Mutation.IN_FLIGHT: frozenset({Mutation.APPLIED, Mutation.FAILED, Mutation.UNSURE}),
    Mutation.UNSURE: frozenset({Mutation.APPLIED, Mutation.FAILED, Mutation.SKIPPED}),
    Mutation.APPLIED: frozenset(),
    Mutation.FAILED: frozenset(),
    Mutation.SKIPPED: frozenset(),
}


class Continuation(StrEnum):
    """How a chain goes on after an attempt that did not commit."""

    AFRESH = "afresh"
    """Release its events and begin anew at prepare."""
    EMIT = "emit"
    """Keep its events; a new attempt goes on at next with the stored outcome."""
    RECONCILE = "reconcile"
    """Keep its events and find out whether it happened."""


def continue_after(mutation: Mutation | None) -> Continuation:
    """What follows a crash, a retry, or a script that changed; None where no outside action was begun."""
    match mutation:
        case None | Mutation.FAILED:
            return Continuation.AFRESH
        case Mutation.APPLIED | Mutation.SKIPPED:
            return Continuation.EMIT
        case Mutation.IN_FLIGHT | Mutation.UNSURE:
            return Continuation.RECONCILE


class Way(StrEnum):
    """How an attempt that stands still is taken up again."""

    RESUME = "resume"
    """The same attempt goes on where it waited: a person or a checker gave the answer."""
    AFRESH = "afresh"
    """Another attempt begins at the beginning."""
    EMIT = "emit"
    """Another attempt goes on after the outside action."""


def way_on(*, waited: bool, mutation: Mutation | None) -> Way | None:
    """`waited`: it had not failed but waited for an answer, which has come. None while it is not known if it acted."""
    match continue_after(mutation):
        case Continuation.RECONCILE:
            return None
        case Continuation.EMIT:
            return Way.RESUME if waited else Way.EMIT
        case Continuation.AFRESH:
            return Way.RESUME if waited and mutation is None else Way.AFRESH
