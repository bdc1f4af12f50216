"""Leaving out one event that waits: that one and no other, only while it waits, and for good."""

from pathlib import Path

import pytest

from scheduler.engine.refusal import RefusedError
from tests.runs.scripts import consumer, prepare
from tests.runs.shop import Shop

IDLE = prepare("return dayhand.nothing()")


def test_the_one_is_left_out_and_the_others_wait_on(shop: Shop) -> None:
    shop.deploy(IDLE)
    for identity in ("a", "b", "c"):
        shop.publish(identity)
    assert shop.house.events.skip("w", "t", "b") == {"workflow": "w", "topic": "t", "id": "b"}
    assert shop.pending() == ["a", "c"]
    assert shop.events()["b"] == "skipped"


def test_one_that_was_left_out_does_not_come_back(shop: Shop) -> None:
    shop.deploy(IDLE)
    shop.publish("a", 1)
    shop.house.events.skip("w", "t", "a")
    assert shop.house.events.publish("w", "t", "a", data=2) == {"news": False}
    assert shop.pending() == []


def test_what_is_being_dealt_with_is_not_left_out(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    with pytest.raises(RefusedError, match="being dealt with") as refused:
        shop.house.events.skip("w", "t", "a")
    assert refused.value.code == "not waiting"
    assert shop.events() == {"a": "reserved"}


@pytest.mark.parametrize(("topic", "identity"), [("t", "b"), ("other", "a")])
def test_one_that_is_not_there_is_refused(shop: Shop, topic: str, identity: str) -> None:
    shop.deploy(IDLE)
    shop.publish("a")
    with pytest.raises(RefusedError):
        shop.house.events.skip("w", topic, identity)
    assert shop.pending() == ["a"]


def test_the_same_request_again_gets_the_first_answer(shop: Shop) -> None:
    shop.deploy(IDLE)
    shop.publish("a")
    first = shop.house.events.skip("w", "t", "a", request="r")
    assert shop.house.events.skip("w", "t", "a", request="r") == first


def test_one_that_is_left_out_while_a_script_looks_at_it_is_nobodys_mistake(shop: Shop, tmp_path: Path) -> None:
    """What the script saw is gone when it wants to take it: it looks again at what is left."""
    looks, goes_on = tmp_path / "looks", tmp_path / "goes on"
    body = f"""
import os, time
batch = ctx.peek(t)
open({str(looks)!r}, "w").close()
while not os.path.exists({str(goes_on)!r}): time.sleep(0.01)
return dayhand.prepared(reserve=batch) if batch else dayhand.nothing()
"""
    shop.deploy(prepare(body))
    shop.publish("a")
    shop.publish("b")
    shop.wait(looks.exists)
    shop.house.events.skip("w", "t", "a")
    goes_on.touch()
    shop.tick()
    overtaken, after = shop.runs("C")
    assert (overtaken.status, overtaken.error, after.status) == ("cancelled", None, "committed")
    assert shop.events() == {"a": "skipped", "b": "consumed"}
    assert shop.requests() == []
