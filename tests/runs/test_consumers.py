"""Consumers: events come in, one thing is done outside, and nothing is lost or done twice."""

from tests.runs.scripts import consumer
from tests.runs.shop import Shop


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
