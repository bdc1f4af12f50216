"""Whose turn it is in a lane."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from scheduler.rules.lanes import Candidate, Turn, choose, producer

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def candidate(turn: Turn, name: str = "x", ago: int = 1, place: int | None = None) -> Candidate:
    return Candidate(turn=turn, name=name, since=NOW - ago * MINUTE, place=place)


def test_an_empty_lane_rests() -> None:
    assert choose([]) is None


@pytest.mark.parametrize("order", list(permutations(Turn)))
def test_the_order_of_turns(order: tuple[Turn, ...]) -> None:
    """Continuation, a starving producer, retry, consumer, producer; whatever order they are found in."""
    chosen = choose(candidate(turn) for turn in order)
    assert chosen is not None
    assert chosen.turn is Turn.CONTINUATION


def test_the_consumer_with_the_oldest_event_goes_first() -> None:
    """K7"""
    chosen = choose([candidate(Turn.CONSUMER, "late", place=9), candidate(Turn.CONSUMER, "early", place=2)])
    assert chosen is not None
    assert chosen.name == "early"


def test_a_consumer_that_only_wakes_comes_after_those_with_events() -> None:
    chosen = choose([candidate(Turn.CONSUMER, "wakes", ago=60), candidate(Turn.CONSUMER, "has events", place=9)])
    assert chosen is not None
    assert chosen.name == "has events"


def test_producers_go_by_due_time() -> None:
    chosen = choose([candidate(Turn.PRODUCER, "b", ago=1), candidate(Turn.PRODUCER, "a", ago=5)])
    assert chosen is not None
    assert chosen.name == "a"


@pytest.mark.parametrize(
    ("waited", "gap", "turn"),
    [(4, 5, Turn.PRODUCER), (5, 5, Turn.PRODUCER), (6, 5, Turn.STARVING)],
)
def test_a_producer_that_waited_longer_than_its_interval_goes_first_once(waited: int, gap: int, turn: Turn) -> None:
    """K7: producers are not starved by consumers that never rest."""
    due = NOW - waited * MINUTE
    assert producer("p", due, due + gap * MINUTE, NOW).turn is turn
    fresh = producer("p", NOW, NOW + gap * MINUTE, NOW)
    assert fresh.turn is Turn.PRODUCER


def test_a_producer_without_another_time_never_starves() -> None:
    assert producer("p", NOW - 60 * MINUTE, None, NOW).turn is Turn.PRODUCER
