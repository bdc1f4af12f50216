"""The mutation row, never the phase, decides how to go on."""

from itertools import product

import pytest

from scheduler.rules.mutations import MUTATIONS, Continuation, Mutation, Way, continue_after, way_on

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


@pytest.mark.parametrize("waited", [True, False])
@pytest.mark.parametrize("known", [None, *Mutation])
def test_how_an_attempt_that_stands_still_is_taken_up_again(known: Mutation | None, waited: bool) -> None:  # noqa: FBT001
    """Never while it is open whether it has acted; never from the beginning once it has."""
    expected = {
        None: (Way.RESUME, Way.AFRESH),
        Mutation.FAILED: (Way.AFRESH, Way.AFRESH),
        Mutation.APPLIED: (Way.RESUME, Way.EMIT),
        Mutation.SKIPPED: (Way.RESUME, Way.EMIT),
        Mutation.IN_FLIGHT: (None, None),
        Mutation.UNSURE: (None, None),
    }
    assert way_on(waited=waited, mutation=known) is expected[known][not waited]
