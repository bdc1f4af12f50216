"""Each failure has one class, and each class one consequence."""

import pytest

from scheduler.rules.failures import STATUS_AFTER, FailureClass, Trouble, classify_status, classify_trouble
from scheduler.rules.phases import STATUSES, Status


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
def test_a_status_means_the_same_whatever_its_text(code: int, read: str, mutating: str) -> None:
    """F1, X12: a 503 to a mutating call is unsure, to a read it is a retry."""
    assert classify_status(code, mutating=False) == read
    assert classify_status(code, mutating=True) == mutating


@pytest.mark.parametrize(
    ("trouble", "read", "mutating"),
    [(Trouble.NOT_REACHED, "transient", "transient"), (Trouble.BROKEN, "transient", "unsure")],
)
def test_a_call_that_never_arrived_can_be_made_again(trouble: Trouble, read: str, mutating: str) -> None:
    """A refused connection did nothing; a broken one may have done everything."""
    assert classify_trouble(trouble, mutating=False) == read
    assert classify_trouble(trouble, mutating=True) == mutating


@pytest.mark.parametrize("kind", list(FailureClass))
def test_every_class_ends_the_attempt_in_a_way_the_table_allows(kind: FailureClass) -> None:
    """F1"""
    assert STATUS_AFTER[kind] in STATUSES[Status.ACTIVE]


def test_only_a_lack_of_knowledge_waits_for_reconciliation() -> None:
    """Invariant 7: what is unsure never counts as failed."""
    assert [kind for kind, status in STATUS_AFTER.items() if status is Status.RECONCILIATION] == [FailureClass.UNSURE]
