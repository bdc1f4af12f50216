"""Each failure has one class, and each class one consequence."""

import pytest

from scheduler.rules.failures import (
    STATUS_AFTER_FAILURE,
    FailureClass,
    TransportFailure,
    classify_http_status,
    classify_transport_failure,
)
from scheduler.rules.phases import STATUS_MOVES, RunStatus


@pytest.mark.parametrize(
    ("code", "read", "mutating"),
    [
        (400, "logic", "logic"),
        (401, "auth", "auth"),
        (403, "permission", "permission"),
        (404, "logic", "logic"),
        (408, "transient", "unsure"),
        (409, "logic", "logic"),
        (422, "logic", "logic"),
        (425, "transient", "transient"),
        (429, "transient", "transient"),
        (500, "transient", "unsure"),
        (503, "transient", "unsure"),
        (599, "transient", "unsure"),
    ],
)
def test_an_http_status_maps_to_one_class_for_reads_and_one_for_mutating_calls(
    code: int, read: str, mutating: str
) -> None:
    """A 503 is unsure after a mutating call, and retried after a read."""
    assert classify_http_status(code, mutating=False) == read
    assert classify_http_status(code, mutating=True) == mutating


@pytest.mark.parametrize(
    ("trouble", "read", "mutating"),
    [(TransportFailure.NOT_REACHED, "transient", "transient"), (TransportFailure.BROKEN, "transient", "unsure")],
)
def test_a_call_that_never_arrived_can_be_made_again(trouble: TransportFailure, read: str, mutating: str) -> None:
    """A refused connection did nothing; a broken one may have done everything."""
    assert classify_transport_failure(trouble, mutating=False) == read
    assert classify_transport_failure(trouble, mutating=True) == mutating


@pytest.mark.parametrize("kind", list(FailureClass))
def test_every_class_gives_a_status_that_an_active_run_may_take(kind: FailureClass) -> None:
    assert STATUS_AFTER_FAILURE[kind] in STATUS_MOVES[RunStatus.ACTIVE]


def test_only_unsure_failures_wait_for_reconciliation() -> None:
    """What is unsure never counts as failed."""
    assert [kind for kind, status in STATUS_AFTER_FAILURE.items() if status is RunStatus.RECONCILIATION] == [
        FailureClass.UNSURE
    ]
