"""The mutation row, never the phase, decides how to go on."""

from itertools import product

import pytest

from scheduler.rules.mutations import MUTATIONS, Continuation, Mutation, continue_after

LEGAL = {
    ("in_flight", "applied"),
    ("in_flight", "failed"),
    ("in_flight", "unsure"),
    ("unsure", "applied"),
    ("unsure", "failed"),
    ("unsure", "skipped"),
}


@pytest.mark.parametrize(("old", "new"), list(product(Mutation, Mutation)))
def test_every_pair(old: Mutation, new: Mutation) -> None:
    assert (new in MUTATIONS[old]) == ((old.value, new.value) in LEGAL)


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (None, Continuation.AFRESH),
        (Mutation.FAILED, Continuation.AFRESH),
        (Mutation.APPLIED, Continuation.EMIT),
        (Mutation.SKIPPED, Continuation.EMIT),
        (Mutation.IN_FLIGHT, Continuation.RECONCILE),
        (Mutation.UNSURE, Continuation.RECONCILE),
    ],
)
def test_how_a_chain_goes_on(known: Mutation | None, expected: Continuation) -> None:
    """X7"""
    assert continue_after(known) is expected


def test_events_are_released_only_where_nothing_can_have_happened() -> None:
    """Invariant 7."""
    released = {known for known in Mutation if continue_after(known) is Continuation.AFRESH}
    assert released == {Mutation.FAILED}
