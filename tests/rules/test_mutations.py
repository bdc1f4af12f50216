"""The mutation's status, never the phase, decides how a run continues."""

from itertools import product

import pytest

from scheduler.rules.mutations import (
    MUTATION_MOVES,
    Continuation,
    MutationStatus,
    ResumeMode,
    decide_continuation,
    decide_resume_mode,
)

LEGAL = {
    ("in_flight", "applied"),
    ("in_flight", "failed"),
    ("in_flight", "unsure"),
    ("unsure", "applied"),
    ("unsure", "failed"),
    ("unsure", "skipped"),
}


@pytest.mark.parametrize(("old", "new"), list(product(MutationStatus, MutationStatus)))
def test_only_these_moves_are_legal(old: MutationStatus, new: MutationStatus) -> None:
    assert (new in MUTATION_MOVES[old]) == ((old.value, new.value) in LEGAL)


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (None, Continuation.RESTART),
        (MutationStatus.FAILED, Continuation.RESTART),
        (MutationStatus.APPLIED, Continuation.EMIT),
        (MutationStatus.SKIPPED, Continuation.EMIT),
        (MutationStatus.IN_FLIGHT, Continuation.RECONCILE),
        (MutationStatus.UNSURE, Continuation.RECONCILE),
    ],
)
def test_how_a_chain_continues(known: MutationStatus | None, expected: Continuation) -> None:
    assert decide_continuation(known) is expected


def test_events_are_released_only_where_nothing_can_have_happened() -> None:
    released = {known for known in MutationStatus if decide_continuation(known) is Continuation.RESTART}
    assert released == {MutationStatus.FAILED}


@pytest.mark.parametrize("waited", [True, False])
@pytest.mark.parametrize("known", [None, *MutationStatus])
def test_how_a_waiting_or_failed_attempt_continues(known: MutationStatus | None, waited: bool) -> None:  # noqa: FBT001
    """Never while it is unsure whether it acted; never from the beginning once it has."""
    expected = {
        None: (ResumeMode.RESUME, ResumeMode.RESTART),
        MutationStatus.FAILED: (ResumeMode.RESTART, ResumeMode.RESTART),
        MutationStatus.APPLIED: (ResumeMode.RESUME, ResumeMode.EMIT),
        MutationStatus.SKIPPED: (ResumeMode.RESUME, ResumeMode.EMIT),
        MutationStatus.IN_FLIGHT: (None, None),
        MutationStatus.UNSURE: (None, None),
    }
    assert decide_resume_mode(waited=waited, mutation=known) is expected[known][not waited]
