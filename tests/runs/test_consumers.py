"""Consumers: events come in, one thing is done outside, and nothing is lost or done twice."""

from datetime import UTC, datetime

import pytest

from tests.runs.scripts import consumer
from tests.runs.shop import Shop

FOR_EVER = datetime(9999, 1, 1, tzinfo=UTC)


def test_an_event_is_taken_acted_on_and_consumed(shop: Shop) -> None:
    """X1: one call, its result goes to next, the events are consumed."""
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    shop.publish("b")
    shop.tick()
    assert [call.parameters["n"] for call in shop.world.calls] == [["a", "b"]]
    assert shop.events() == {"a": "consumed", "b": "consumed"}
    assert shop.state("C") == {"done": ["a", "b"], "told": ["applied", "done"]}
    last = shop.runs("C")[-1]
    assert (last.status, last.phase, last.summary) == ("committed", "committed", "Did 2")


def test_an_approval_waits_for_the_person_and_then_acts_once(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    [request] = shop.requests()
    assert (request.sentence, request.call["parameters"]) == ("Do 1", {"n": ["a"]})
    assert shop.world.calls == []
    shop.answering.approve(request.id)
    shop.tick()
    assert len(shop.world.calls) == 1
    assert shop.events() == {"a": "consumed"}
    assert shop.requests() == []


@pytest.mark.parametrize("size", [1, 20_000])
@pytest.mark.parametrize("limit", [3, 10, 12, 100])
def test_peek_gives_the_oldest_ones_however_many_are_asked_for(shop: Shop, limit: int, size: int) -> None:
    """The first few are handed over with prepare; what goes beyond, or is large, is asked for."""
    shop.deploy(consumer().replace("limit=10", f"limit={limit}"))
    shop.tick()
    shop.engine.context.paused_until = FOR_EVER
    for number in range(15):
        shop.publish(f"e{number:02}", "x" * size)
    shop.engine.context.paused_until = None
    shop.engine.stir()
    shop.tick()
    assert shop.state("C")["done"] == [f"e{number:02}" for number in range(min(limit, 15))]
