"""Which candidate of a lane runs next."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from scheduler.rules.lanes import Candidate, LanePriority, choose_next, producer_candidate

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def candidate(turn: LanePriority, name: str = "x", ago: int = 1, place: int | None = None) -> Candidate:
    return Candidate(priority=turn, name=name, due_since=NOW - ago * MINUTE, oldest_event=place)


def test_nothing_is_chosen_in_an_empty_lane() -> None:
    assert choose_next([]) is None


@pytest.mark.parametrize("order", list(permutations(LanePriority)))
def test_a_continuation_goes_first_in_any_order_of_candidates(order: tuple[LanePriority, ...]) -> None:
    chosen = choose_next(candidate(turn) for turn in order)
    assert chosen is not None
    assert chosen.priority is LanePriority.CONTINUATION


def test_the_consumer_with_the_oldest_event_goes_first() -> None:
    chosen = choose_next(
        [candidate(LanePriority.CONSUMER, "late", place=9), candidate(LanePriority.CONSUMER, "early", place=2)]
    )
    assert chosen is not None
    assert chosen.name == "early"


def test_a_consumer_that_only_wakes_comes_after_those_with_events() -> None:
    chosen = choose_next(
        [candidate(LanePriority.CONSUMER, "wakes", ago=60), candidate(LanePriority.CONSUMER, "has events", place=9)]
    )
    assert chosen is not None
    assert chosen.name == "has events"


def test_producers_go_by_due_time() -> None:
    chosen = choose_next([candidate(LanePriority.PRODUCER, "b", ago=1), candidate(LanePriority.PRODUCER, "a", ago=5)])
    assert chosen is not None
    assert chosen.name == "a"


@pytest.mark.parametrize(
    ("waited", "gap", "turn"),
    [(4, 5, LanePriority.PRODUCER), (5, 5, LanePriority.PRODUCER), (6, 5, LanePriority.STARVING)],
)
def test_a_producer_that_waited_longer_than_its_interval_goes_first_once(
    waited: int, gap: int, turn: LanePriority
) -> None:
    """Consumers that are always busy do not starve producers."""
    due = NOW - waited * MINUTE
    assert producer_candidate("p", due, due + gap * MINUTE, NOW).priority is turn
    fresh = producer_candidate("p", NOW, NOW + gap * MINUTE, NOW)
    assert fresh.priority is LanePriority.PRODUCER


def test_a_producer_without_another_time_never_starves() -> None:
    assert producer_candidate("p", NOW - 60 * MINUTE, None, NOW).priority is LanePriority.PRODUCER
