"""The identity of an occurrence, its legal moves, and its reasons."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from scheduler.timing.occurrences import MOVES, UNDERWAY, Origin, Reason, State, occurrence_key

PLANNED = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
LEGAL = {
    (State.QUEUED, State.STARTED),
    (State.QUEUED, State.FAILED),
    (State.QUEUED, State.CANCELLED),
    (State.QUEUED, State.SKIPPED),
    (State.QUEUED, State.COALESCED),
    (State.QUEUED, State.MISSED),
    (State.QUEUED, State.DROPPED),
    (State.STARTED, State.SUCCEEDED),
    (State.STARTED, State.FAILED),
    (State.STARTED, State.CANCELLED),
    (State.FAILED, State.SUCCEEDED),
}


@pytest.mark.parametrize("old", State)
@pytest.mark.parametrize("new", State)
def test_every_pair_of_states_is_a_legal_move_or_none(old: State, new: State) -> None:
    assert (new in MOVES[old]) == ((old, new) in LEGAL)


def test_all_but_queued_and_started_are_ends_and_only_a_failure_can_still_be_made_good() -> None:
    assert {state for state in State if MOVES[state]} == UNDERWAY | {State.FAILED}
    assert not any(MOVES[state] & UNDERWAY for state in State if state not in UNDERWAY)


def test_an_automatic_key_is_the_hash_of_schedule_and_second() -> None:
    expected = sha256(f"w/h:{int(PLANNED.timestamp())}".encode()).hexdigest()
    assert occurrence_key("w/h", PLANNED, Origin.AUTOMATIC) == expected
    assert occurrence_key("w/h", PLANNED, Origin.AUTOMATIC, "a request does not matter") == expected


def test_a_key_names_an_instant_whatever_zone_it_is_written_in() -> None:
    elsewhere = PLANNED.astimezone().astimezone(tz=None)
    assert occurrence_key("w/h", elsewhere, Origin.AUTOMATIC) == occurrence_key("w/h", PLANNED, Origin.AUTOMATIC)


def test_schedule_time_origin_and_request_each_make_another_key() -> None:
    keys = {occurrence_key("w/h", PLANNED, origin, request) for origin in Origin for request in ("a", "b")}
    assert len(keys) == 1 + 2 * (len(Origin) - 1)
    keys |= {occurrence_key("w/i", PLANNED, origin, "a") for origin in Origin}
    keys |= {occurrence_key("w/h", PLANNED + timedelta(seconds=1), origin, "a") for origin in Origin}
    assert len(keys) == 7 + 2 * len(Origin)


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_sentence_and_is_read_back_from_its_value(reason: Reason) -> None:
    assert reason.sentence.endswith(".") and not reason.sentence[0].islower()
    assert Reason(reason.value) is reason
