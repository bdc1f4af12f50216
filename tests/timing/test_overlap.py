"""Every overlap policy against every kind of unfinished occurrence."""

from collections.abc import Sequence
from itertools import combinations

import pytest

from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.timing.overlap import OverlapDecision, UnfinishedOccurrence, decide_held_up, decide_overlap
from scheduler.timing.policies import Overlap

BUFFER_LIMIT = 1000
WAITS = OverlapDecision()
SKIPPED = OverlapDecision(state=OccurrenceState.SKIPPED, reason=OccurrenceReason.OVERLAP)
BEHIND_QUEUED = OverlapDecision(state=OccurrenceState.SKIPPED, reason=OccurrenceReason.NOT_STARTED)
DROPPED = OverlapDecision(state=OccurrenceState.DROPPED, reason=OccurrenceReason.BUFFER_FULL)

queued = UnfinishedOccurrence("queued", OccurrenceOrigin.AUTOMATIC, OccurrenceState.QUEUED)
late = UnfinishedOccurrence("late", OccurrenceOrigin.AUTOMATIC, OccurrenceState.QUEUED, late=True)
running = UnfinishedOccurrence("running", OccurrenceOrigin.AUTOMATIC, OccurrenceState.STARTED)
late_running = UnfinishedOccurrence("late running", OccurrenceOrigin.AUTOMATIC, OccurrenceState.STARTED, late=True)
asked = UnfinishedOccurrence("asked", OccurrenceOrigin.MANUAL, OccurrenceState.QUEUED)
asked_running = UnfinishedOccurrence("asked running", OccurrenceOrigin.MANUAL, OccurrenceState.STARTED)
deployed = UnfinishedOccurrence("deployed", OccurrenceOrigin.DEPLOY, OccurrenceState.QUEUED)
deployed_running = UnfinishedOccurrence("deployed running", OccurrenceOrigin.DEPLOY, OccurrenceState.STARTED)
filled = UnfinishedOccurrence("filled", OccurrenceOrigin.BACKFILL, OccurrenceState.QUEUED)
filled_running = UnfinishedOccurrence("filled running", OccurrenceOrigin.BACKFILL, OccurrenceState.STARTED)


def decide(policy: Overlap, others: Sequence[UnfinishedOccurrence]) -> OverlapDecision:
    return decide_overlap(policy, others, buffer_limit=BUFFER_LIMIT)


EVERY = (
    queued,
    late,
    running,
    late_running,
    asked,
    asked_running,
    deployed,
    deployed_running,
    filled,
    filled_running,
)
REPLACEABLE = {queued, filled}


def replacing(*others: UnfinishedOccurrence) -> OverlapDecision:
    return OverlapDecision(replaced=tuple(one.key for one in others))


@pytest.mark.parametrize("policy", Overlap)
def test_a_time_on_its_own_is_queued(policy: Overlap) -> None:
    assert decide(policy, []) == WAITS


@pytest.mark.parametrize("other", EVERY, ids=lambda one: one.key)
@pytest.mark.parametrize("policy", Overlap)
def test_every_policy_against_every_other_occurrence(policy: Overlap, other: UnfinishedOccurrence) -> None:
    expected = {
        Overlap.SKIP: WAITS if other is late else SKIPPED if other.state is OccurrenceState.STARTED else BEHIND_QUEUED,
        Overlap.BUFFER_ONE: replacing(other) if other in REPLACEABLE else WAITS,
        Overlap.BUFFER_ALL: WAITS,
        Overlap.CANCEL_OTHER: replacing(other) if other in REPLACEABLE else WAITS,
        Overlap.TERMINATE_OTHER: replacing(other) if other in REPLACEABLE else WAITS,
        Overlap.ALLOW_ALL: WAITS,
    }
    assert decide(policy, [other]) == expected[policy]


@pytest.mark.parametrize("pair", list(combinations(EVERY, 2)), ids=lambda pair: f"{pair[0].key}+{pair[1].key}")
@pytest.mark.parametrize("policy", Overlap)
def test_each_of_two_others_counts_as_it_does_alone(
    policy: Overlap, pair: tuple[UnfinishedOccurrence, UnfinishedOccurrence]
) -> None:
    alone = [decide(policy, [other]) for other in pair]
    together = decide(policy, pair)
    assert together.replaced == alone[0].replaced + alone[1].replaced
    assert together.state == next(
        (one.state for one in alone if one.state is not OccurrenceState.QUEUED), OccurrenceState.QUEUED
    )


def test_a_full_buffer_drops_the_new_one() -> None:
    waiting = [
        UnfinishedOccurrence(str(place), OccurrenceOrigin.AUTOMATIC, OccurrenceState.QUEUED)
        for place in range(BUFFER_LIMIT)
    ]
    assert decide(Overlap.BUFFER_ALL, [running, *waiting[1:]]) == WAITS
    assert decide(Overlap.BUFFER_ALL, [running, *waiting]) == DROPPED


def test_catch_ups_and_manual_runs_do_not_fill_the_buffer() -> None:
    manual = [
        UnfinishedOccurrence(str(place), OccurrenceOrigin.MANUAL, OccurrenceState.QUEUED)
        for place in range(BUFFER_LIMIT)
    ]
    missed = [
        UnfinishedOccurrence(str(place), OccurrenceOrigin.AUTOMATIC, OccurrenceState.QUEUED, late=True)
        for place in range(BUFFER_LIMIT)
    ]
    assert decide(Overlap.BUFFER_ALL, [*manual, *missed]) == WAITS


def test_buffer_one_replaces_all_waiting_occurrences() -> None:
    """After a change from buffer_all there may be several."""
    several = [
        UnfinishedOccurrence(str(place), OccurrenceOrigin.AUTOMATIC, OccurrenceState.QUEUED) for place in range(3)
    ]
    assert decide(Overlap.BUFFER_ONE, [running, *several]) == replacing(*several)


@pytest.mark.parametrize("other", EVERY, ids=lambda one: one.key)
@pytest.mark.parametrize("policy", Overlap)
def test_held_up_every_policy_keeps_the_new_one(policy: Overlap, other: UnfinishedOccurrence) -> None:
    """It replaces what waits, but never what has started or what the user asked for; `buffer_all` keeps everything."""
    replaced = [other.key] if other in {*REPLACEABLE, late} and policy is not Overlap.BUFFER_ALL else []
    decision = decide_held_up(policy, [other], buffer_limit=BUFFER_LIMIT)
    assert (decision.state, [*decision.replaced]) == (OccurrenceState.QUEUED, replaced)
    assert decision.replaced_reason is OccurrenceReason.HELD_UP


def test_held_up_a_full_buffer_loses_the_oldest_so_that_the_latest_is_kept() -> None:
    waiting = [
        UnfinishedOccurrence(str(place), OccurrenceOrigin.AUTOMATIC, OccurrenceState.QUEUED) for place in range(1000)
    ]
    assert decide_held_up(Overlap.BUFFER_ALL, waiting[1:], buffer_limit=BUFFER_LIMIT).replaced == ()
    assert decide_held_up(Overlap.BUFFER_ALL, waiting, buffer_limit=BUFFER_LIMIT).replaced == ("0",)
