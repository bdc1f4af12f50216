"""The identity of an occurrence, its legal moves, and its reasons."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from scheduler.timing.occurrences import (
    OCCURRENCE_MOVES,
    UNFINISHED_STATES,
    OccurrenceOrigin,
    OccurrenceReason,
    OccurrenceState,
    occurrence_key,
)

PLANNED = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
LEGAL = {
    (OccurrenceState.QUEUED, OccurrenceState.STARTED),
    (OccurrenceState.QUEUED, OccurrenceState.FAILED),
    (OccurrenceState.QUEUED, OccurrenceState.CANCELLED),
    (OccurrenceState.QUEUED, OccurrenceState.SKIPPED),
    (OccurrenceState.QUEUED, OccurrenceState.COALESCED),
    (OccurrenceState.QUEUED, OccurrenceState.MISSED),
    (OccurrenceState.QUEUED, OccurrenceState.DROPPED),
    (OccurrenceState.STARTED, OccurrenceState.SUCCEEDED),
    (OccurrenceState.STARTED, OccurrenceState.FAILED),
    (OccurrenceState.STARTED, OccurrenceState.CANCELLED),
    (OccurrenceState.FAILED, OccurrenceState.SUCCEEDED),
}


@pytest.mark.parametrize("old", OccurrenceState)
@pytest.mark.parametrize("new", OccurrenceState)
def test_only_these_moves_are_legal(old: OccurrenceState, new: OccurrenceState) -> None:
    assert (new in OCCURRENCE_MOVES[old]) == ((old, new) in LEGAL)


def test_all_but_queued_and_started_are_final_except_that_a_failure_may_still_succeed() -> None:
    assert {state for state in OccurrenceState if OCCURRENCE_MOVES[state]} == UNFINISHED_STATES | {
        OccurrenceState.FAILED
    }
    assert not any(
        OCCURRENCE_MOVES[state] & UNFINISHED_STATES for state in OccurrenceState if state not in UNFINISHED_STATES
    )


def test_an_automatic_key_is_the_hash_of_schedule_and_second() -> None:
    expected = sha256(f"w/h:{int(PLANNED.timestamp())}".encode()).hexdigest()
    assert occurrence_key("w/h", PLANNED, OccurrenceOrigin.AUTOMATIC) == expected
    assert occurrence_key("w/h", PLANNED, OccurrenceOrigin.AUTOMATIC, "a request does not matter") == expected


def test_the_key_does_not_depend_on_the_zone_of_the_planned_time() -> None:
    elsewhere = PLANNED.astimezone().astimezone(tz=None)
    assert occurrence_key("w/h", elsewhere, OccurrenceOrigin.AUTOMATIC) == occurrence_key(
        "w/h", PLANNED, OccurrenceOrigin.AUTOMATIC
    )


def test_schedule_time_origin_and_request_each_make_another_key() -> None:
    keys = {occurrence_key("w/h", PLANNED, origin, request) for origin in OccurrenceOrigin for request in ("a", "b")}
    assert len(keys) == 1 + 2 * (len(OccurrenceOrigin) - 1)
    keys |= {occurrence_key("w/i", PLANNED, origin, "a") for origin in OccurrenceOrigin}
    keys |= {occurrence_key("w/h", PLANNED + timedelta(seconds=1), origin, "a") for origin in OccurrenceOrigin}
    assert len(keys) == 7 + 2 * len(OccurrenceOrigin)


@pytest.mark.parametrize("reason", OccurrenceReason)
def test_every_reason_has_a_sentence_and_is_restored_from_its_value(reason: OccurrenceReason) -> None:
    assert reason.sentence.endswith(".") and not reason.sentence[0].islower()
    assert OccurrenceReason(reason.value) is reason
