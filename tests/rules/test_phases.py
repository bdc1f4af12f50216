"""Phases go forward only; statuses move only along their table."""

from itertools import product

import pytest

from scheduler.rules.phases import PHASES, STATUSES, HandlerKind, Phase, Status, first_phase

CONSUMER = [Phase.PREPARING, Phase.PREPARED, Phase.MUTATING, Phase.MUTATED, Phase.EMITTING, Phase.COMMITTED]
LEGAL = {
    ("preparing", "prepared"),
    ("prepared", "mutating"),
    ("prepared", "mutated"),
    ("prepared", "emitting"),
    ("prepared", "committed"),
    ("mutating", "mutated"),
    ("mutated", "emitting"),
    ("mutated", "committed"),
    ("emitting", "committed"),
    ("executing", "committed"),
}


@pytest.mark.parametrize(("old", "new"), list(product(Phase, Phase)))
def test_every_pair_of_phases(old: Phase, new: Phase) -> None:
    assert (new in PHASES[old]) == ((old.value, new.value) in LEGAL)


def test_no_phase_goes_back() -> None:
    """Invariant 2."""
    for old, following in PHASES.items():
        if old in CONSUMER:
            assert all(CONSUMER.index(new) > CONSUMER.index(old) for new in following)


ENDS = {"committed", "crashed", "cancelled"}


@pytest.mark.parametrize(("old", "new"), list(product(Status, Status)))
def test_every_pair_of_statuses(old: Status, new: Status) -> None:
    if old.value in ENDS or old is new:
        legal = False
    elif old is Status.ACTIVE or new is Status.CANCELLED:
        legal = True
    else:
        legal = new is Status.ACTIVE and old in (Status.APPROVAL, Status.RECONCILIATION)
    assert (new in STATUSES[old]) == legal


def test_every_run_can_leave_active() -> None:
    """Invariant 12."""
    assert STATUSES[Status.ACTIVE] == set(Status) - {Status.ACTIVE}


def test_a_person_can_stop_whatever_has_not_ended() -> None:
    assert all(Status.CANCELLED in STATUSES[old] for old in Status if old.value not in ENDS)


def test_what_waits_goes_on_later() -> None:
    assert {status for status in Status if status.is_waiting} == {
        Status.TRANSIENT,
        Status.APPROVAL,
        Status.RECONCILIATION,
    }


def test_only_consumers_prepare() -> None:
    assert first_phase(HandlerKind.CONSUMER) is Phase.PREPARING
    assert first_phase(HandlerKind.PRODUCER) is first_phase(HandlerKind.JOB) is Phase.EXECUTING
