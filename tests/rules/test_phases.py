"""Phases go forward only; statuses move only along their table."""

from itertools import product

import pytest

from scheduler.rules.phases import PHASE_MOVES, STATUS_MOVES, HandlerKind, RunPhase, RunStatus, first_phase

CONSUMER = [
    RunPhase.PREPARING,
    RunPhase.PREPARED,
    RunPhase.MUTATING,
    RunPhase.MUTATED,
    RunPhase.EMITTING,
    RunPhase.COMMITTED,
]
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


@pytest.mark.parametrize(("old", "new"), list(product(RunPhase, RunPhase)))
def test_only_these_phase_moves_are_legal(old: RunPhase, new: RunPhase) -> None:
    assert (new in PHASE_MOVES[old]) == ((old.value, new.value) in LEGAL)


def test_no_phase_goes_back() -> None:
    for old, following in PHASE_MOVES.items():
        if old in CONSUMER:
            assert all(CONSUMER.index(new) > CONSUMER.index(old) for new in following)


ENDS = {"committed", "crashed", "cancelled", "paused:transient", "failed:logic", "failed:internal"}
"""What has ended stays as it ended; a retry is a new attempt."""


@pytest.mark.parametrize(("old", "new"), list(product(RunStatus, RunStatus)))
def test_only_these_status_moves_are_legal(old: RunStatus, new: RunStatus) -> None:
    if old.value in ENDS or old is new:
        legal = False
    elif old is RunStatus.ACTIVE or new is RunStatus.CANCELLED:
        legal = True
    else:
        legal = new is RunStatus.ACTIVE and old in (RunStatus.APPROVAL, RunStatus.RECONCILIATION)
    assert (new in STATUS_MOVES[old]) == legal


def test_every_run_can_leave_active() -> None:
    assert STATUS_MOVES[RunStatus.ACTIVE] == set(RunStatus) - {RunStatus.ACTIVE}


def test_everything_that_has_not_ended_can_be_cancelled() -> None:
    assert all(RunStatus.CANCELLED in STATUS_MOVES[old] for old in RunStatus if old.value not in ENDS)


def test_which_statuses_wait() -> None:
    assert {status for status in RunStatus if status.is_waiting} == {
        RunStatus.TRANSIENT,
        RunStatus.APPROVAL,
        RunStatus.RECONCILIATION,
    }


def test_only_consumers_prepare() -> None:
    assert first_phase(HandlerKind.CONSUMER) is RunPhase.PREPARING
    assert first_phase(HandlerKind.PRODUCER) is first_phase(HandlerKind.JOB) is RunPhase.EXECUTING
