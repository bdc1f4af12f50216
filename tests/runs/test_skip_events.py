"""Skipping one pending event: only that one, only while it is pending, and for good."""

from pathlib import Path

import pytest

from scheduler.engine.errors import RefusedError
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer, prepare

IDLE = prepare("return dayhand.nothing()")


def test_one_event_is_skipped_and_the_others_stay_pending(runtime: RuntimeFixture) -> None:
    runtime.deploy(IDLE)
    for identity in ("a", "b", "c"):
        runtime.publish(identity)
    assert runtime.services.event_commands.skip("w", "t", "b") == {"workflow": "w", "topic": "t", "id": "b"}
    assert runtime.pending() == ["a", "c"]
    assert runtime.events()["b"] == "skipped"


def test_a_skipped_event_is_not_revived(runtime: RuntimeFixture) -> None:
    runtime.deploy(IDLE)
    runtime.publish("a", 1)
    runtime.services.event_commands.skip("w", "t", "a")
    assert runtime.services.event_commands.publish("w", "t", "a", data=2) == {"news": False}
    assert runtime.pending() == []


def test_a_reserved_event_cannot_be_skipped(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    with pytest.raises(RefusedError, match="being processed") as refused:
        runtime.services.event_commands.skip("w", "t", "a")
    assert refused.value.code == "not waiting"
    assert runtime.events() == {"a": "reserved"}


@pytest.mark.parametrize(("topic", "identity"), [("t", "b"), ("other", "a")])
def test_an_unknown_event_is_refused(runtime: RuntimeFixture, topic: str, identity: str) -> None:
    runtime.deploy(IDLE)
    runtime.publish("a")
    with pytest.raises(RefusedError):
        runtime.services.event_commands.skip("w", topic, identity)
    assert runtime.pending() == ["a"]


def test_a_repeated_skip_returns_the_first_answer(runtime: RuntimeFixture) -> None:
    runtime.deploy(IDLE)
    runtime.publish("a")
    first = runtime.services.event_commands.skip("w", "t", "a", idempotency_key="r")
    assert runtime.services.event_commands.skip("w", "t", "a", idempotency_key="r") == first


def test_an_event_skipped_during_prepare_makes_it_prepare_again(runtime: RuntimeFixture, tmp_path: Path) -> None:
    """The event is gone when the script wants to reserve it: it prepares again with what is left."""
    started, go = tmp_path / "started", tmp_path / "go"
    body = f"""
import os, time
batch = ctx.peek(t)
open({str(started)!r}, "w").close()
while not os.path.exists({str(go)!r}): time.sleep(0.01)
return dayhand.prepared(reserve=batch) if batch else dayhand.nothing()
"""
    runtime.deploy(prepare(body))
    runtime.publish("a")
    runtime.publish("b")
    runtime.wait(started.exists)
    runtime.services.event_commands.skip("w", "t", "a")
    go.touch()
    runtime.tick()
    cancelled, after = runtime.runs("C")
    assert (cancelled.status, cancelled.error, after.status) == ("cancelled", None, "committed")
    assert runtime.events() == {"a": "skipped", "b": "consumed"}
    assert runtime.requests() == []
