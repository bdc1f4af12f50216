"""Every policy beside every kind of occurrence that has not ended."""

from itertools import combinations

import pytest

from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.overlap import Decision, Underway, decide_overlap
from scheduler.timing.policies import Overlap

WAITS = Decision()
SKIPPED = Decision(state=State.SKIPPED, reason=Reason.OVERLAP)
DROPPED = Decision(state=State.DROPPED, reason=Reason.BUFFER_FULL)

queued = Underway("queued", Origin.AUTOMATIC, State.QUEUED)
late = Underway("late", Origin.AUTOMATIC, State.QUEUED, late=True)
running = Underway("running", Origin.AUTOMATIC, State.STARTED)
late_running = Underway("late running", Origin.AUTOMATIC, State.STARTED, late=True)
asked = Underway("asked", Origin.MANUAL, State.QUEUED)
asked_running = Underway("asked running", Origin.MANUAL, State.STARTED)
deployed = Underway("deployed", Origin.DEPLOY, State.QUEUED)
deployed_running = Underway("deployed running", Origin.DEPLOY, State.STARTED)
filled = Underway("filled", Origin.BACKFILL, State.QUEUED)
filled_running = Underway("filled running", Origin.BACKFILL, State.STARTED)
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
GIVE_WAY = {queued, filled}


def replacing(*others: Underway) -> Decision:
    return Decision(replaced=tuple(one.key for one in others))


@pytest.mark.parametrize("policy", Overlap)
def test_alone_a_time_just_waits_its_turn(policy: Overlap) -> None:
    assert decide_overlap(policy, []) == WAITS


@pytest.mark.parametrize("other", EVERY, ids=lambda one: one.key)
@pytest.mark.parametrize("policy", Overlap)
def test_every_policy_beside_every_other(policy: Overlap, other: Underway) -> None:
    expected = {
        Overlap.SKIP: WAITS if other is late else SKIPPED,
        Overlap.BUFFER_ONE: replacing(other) if other in GIVE_WAY else WAITS,
        Overlap.BUFFER_ALL: WAITS,
        Overlap.CANCEL_OTHER: replacing(other) if other in GIVE_WAY else WAITS,
        Overlap.TERMINATE_OTHER: replacing(other) if other in GIVE_WAY else WAITS,
        Overlap.ALLOW_ALL: WAITS,
    }
    assert decide_overlap(policy, [other]) == expected[policy]


@pytest.mark.parametrize("pair", list(combinations(EVERY, 2)), ids=lambda pair: f"{pair[0].key}+{pair[1].key}")
@pytest.mark.parametrize("policy", Overlap)
def test_beside_two_others_each_counts_as_it_does_alone(policy: Overlap, pair: tuple[Underway, Underway]) -> None:
    alone = [decide_overlap(policy, [other]) for other in pair]
    together = decide_overlap(policy, pair)
    assert together.replaced == alone[0].replaced + alone[1].replaced
    assert together.state == next((one.state for one in alone if one.state is not State.QUEUED), State.QUEUED)


def test_a_full_buffer_drops_the_new_one() -> None:
    """O3."""
    waiting = [Underway(str(place), Origin.AUTOMATIC, State.QUEUED) for place in range(1000)]
    assert decide_overlap(Overlap.BUFFER_ALL, [running, *waiting[1:]]) == WAITS
    assert decide_overlap(Overlap.BUFFER_ALL, [running, *waiting]) == DROPPED


def test_catch_ups_and_wishes_of_people_do_not_fill_the_buffer() -> None:
    """O3."""
    wishes = [Underway(str(place), Origin.MANUAL, State.QUEUED) for place in range(1000)]
    missed = [Underway(str(place), Origin.AUTOMATIC, State.QUEUED, late=True) for place in range(1000)]
    assert decide_overlap(Overlap.BUFFER_ALL, [*wishes, *missed]) == WAITS


def test_buffer_one_replaces_all_that_wait() -> None:
    """O2: after a change from buffer_all there may be several."""
    several = [Underway(str(place), Origin.AUTOMATIC, State.QUEUED) for place in range(3)]
    assert decide_overlap(Overlap.BUFFER_ONE, [running, *several]) == replacing(*several)
