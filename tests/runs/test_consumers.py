"""Consumers: events arrive, one outside action is made, and nothing is lost or repeated."""

from datetime import UTC, datetime

import pytest

from tests.engine.engine_fixture import HOUR
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer

NO_END = datetime(9999, 1, 1, tzinfo=UTC)


def test_an_event_is_reserved_acted_on_and_consumed(runtime: RuntimeFixture) -> None:
    """One call, its result goes to next, the events are consumed."""
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    runtime.publish("b")
    runtime.tick()
    assert [call.parameters["n"] for call in runtime.service.calls] == [["a", "b"]]
    assert runtime.events() == {"a": "consumed", "b": "consumed"}
    assert runtime.state("C") == {"done": ["a", "b"], "told": ["applied", "done"]}
    last = runtime.runs("C")[-1]
    assert (last.status, last.phase, last.summary) == ("committed", "committed", "Did 2")


def test_an_approved_action_is_made_once(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    assert (request.sentence, request.call["parameters"]) == ("Do 1", {"n": ["a"]})
    assert runtime.service.calls == []
    runtime.request_commands.approve(request.id)
    runtime.tick()
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}
    assert runtime.requests() == []


@pytest.mark.parametrize(("wake", "taken"), [("ctx.now", ["a", "b", "c"]), ("None", ["a"])])
def test_events_taken_one_at_a_time_follow_each_other_only_with_a_wake_time(
    runtime: RuntimeFixture, wake: str, taken: list[str]
) -> None:
    """With one, each is asked about without waiting for the answer to the one before; the guide says so."""
    one_by_one = consumer(approve="always").replace("limit=10", "limit=1")
    runtime.deploy(one_by_one.replace("reserve=batch,", f"reserve=batch, wake_at={wake},"))
    runtime.engine.context.paused_until = NO_END
    for name in "abc":
        runtime.publish(name)
    runtime.engine.context.paused_until = None
    runtime.engine.wake()
    runtime.tick()
    runtime.pass_time(HOUR)
    assert [request.call["parameters"]["n"] for request in runtime.requests()] == [[name] for name in taken]
    for request in runtime.requests():
        runtime.request_commands.approve(request.id)
    runtime.pass_time(HOUR)
    assert runtime.requests() == []
    assert sorted(runtime.state("C")["done"]) == taken


@pytest.mark.parametrize("size", [1, 20_000])
@pytest.mark.parametrize("limit", [3, 10, 12, 100])
def test_peek_gives_the_oldest_ones_however_many_are_asked_for(runtime: RuntimeFixture, limit: int, size: int) -> None:
    """The first few are sent with prepare; more or larger ones are fetched by peek."""
    runtime.deploy(consumer().replace("limit=10", f"limit={limit}"))
    runtime.tick()
    runtime.engine.context.paused_until = NO_END
    for number in range(15):
        runtime.publish(f"e{number:02}", "x" * size)
    runtime.engine.context.paused_until = None
    runtime.engine.wake()
    runtime.tick()
    assert runtime.state("C")["done"] == [f"e{number:02}" for number in range(min(limit, 15))]
