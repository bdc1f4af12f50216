"""Events: unique by id, reserved by one run, and never revived."""

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.store import events, handlers
from tests.engine.engine_fixture import HOUR
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import HEAD, consumer, prepare, producer

IDLE = prepare("return dayhand.nothing()")
TAKES = prepare(
    "return dayhand.prepared(reserve=ctx.peek(t))",
    "def next(self, ctx, prepared, result, state):\n"
    "    return {'data': state.get('data', []) + [e.data for e in prepared.reserve]}",
)


def test_publishing_an_id_again_updates_the_pending_event(runtime: RuntimeFixture) -> None:
    runtime.deploy(IDLE)
    runtime.publish("a", 1)
    runtime.publish("b", 1)
    runtime.publish("a", 2)
    assert runtime.pending() == ["a", "b"], "it keeps its place"
    assert [event.data_json for event in events.peek(runtime.database.read(), "w", "t", 10)] == ["2", "1"]


def test_publishing_a_consumed_event_again_changes_nothing(runtime: RuntimeFixture) -> None:
    """It is not new and wakes no consumer."""
    runtime.deploy(TAKES)
    runtime.publish("a", 1)
    runtime.tick()
    assert runtime.services.event_commands.publish("w", "t", "a", data=2) == {"news": False}
    before = len(runtime.runs())
    runtime.tick()
    assert (runtime.events(), runtime.state("C"), len(runtime.runs())) == ({"a": "consumed"}, {"data": [1]}, before)


def test_data_for_a_reserved_event_waits_until_it_is_released(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a", 1)
    runtime.tick()
    run = runtime.runs("C")[-1]
    runtime.publish("a", 2)
    runtime.tick()
    assert [event.data_json for event in runtime.reserved(run.id)] == ["1"], "the run that has it is not disturbed"
    runtime.commands.stop(run.id)
    [released] = events.peek(runtime.database.read(), "w", "t", 10)
    assert (released.data_json, released.attempt) == ("2", 1)


def test_newer_data_of_a_released_event_wakes_the_consumer(runtime: RuntimeFixture) -> None:
    """The consumer prepares again and asks about the new data."""
    runtime.deploy(
        prepare(
            "e = ctx.peek(t)\nreturn dayhand.prepared(reserve=e, data=e[0].data) if e else dayhand.nothing()",
            "def mutate(self, ctx, prepared):\n    ctx.call('world:x', 'send', n=prepared.data)",
        )
    )
    runtime.publish("a", 1)
    runtime.tick()
    runtime.publish("a", 2)
    runtime.commands.stop("w")
    runtime.tick()
    [request] = runtime.requests()
    assert request.call["parameters"] == {"n": 2}


def test_publishing_unchanged_events_wakes_no_consumer(runtime: RuntimeFixture) -> None:
    runtime.service.inbox = ["a", "b"]
    runtime.deploy(producer("for id in ctx.call('world:x', 'look'):\n    ctx.publish(t, id=id, data=id)\nreturn state"))
    runtime.tick()
    run_count = len(runtime.runs("C"))
    runtime.pass_time(5 * HOUR)
    assert len(runtime.runs("p")) == 6 and len(runtime.runs("C")) == run_count
    runtime.service.inbox = ["a", "b", "c"]
    runtime.pass_time(HOUR)
    assert len(runtime.runs("C")) == run_count + 1


def test_published_events_become_visible_only_with_the_commit(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer("ctx.publish(t, id='a')\nraise ValueError('no')"))
    runtime.tick()
    assert runtime.runs("p")[-1].status == "failed:logic" and runtime.events() == {}
    assert runtime.state("p") == {}


@pytest.mark.parametrize(
    ("reserve", "says"),
    [
        ("[dayhand.Event(id='missing', title='', data=None, topic=t, published_at=None)]", "'missing' in t to reserve"),
        ("[dayhand.Event(id='b', title='', data=None, topic=u, published_at=None)]", "'b' in u to reserve"),
        ("[dayhand.Event(id='n', title='', data=None, topic=v, published_at=None)]", "'n' in v to reserve"),
        ("ctx.peek(t)", "reserve contains an event twice"),
    ],
    ids=["missing", "of another topic", "not subscribed", "twice"],
)
def test_reserving_an_unavailable_event_fails_the_script_and_reserves_nothing(
    runtime: RuntimeFixture, reserve: str, says: str
) -> None:
    script = prepare(f"return dayhand.prepared(reserve=ctx.peek(t) + {reserve})")
    runtime.deploy(
        script.replace("t = flow", 'u, v = flow.topic("u"), flow.topic("v")\nt = flow').replace("[t]", "[t, u]")
        + "\n@flow.consumer(subscribe=[v])\nclass D:\n    def prepare(self, ctx, state): return dayhand.nothing()\n"
    )
    runtime.publish("n", topic="v")
    runtime.publish("b")
    runtime.tick()
    run = runtime.runs("C")[-1]
    assert run.status == "failed:logic" and says in run.error["sentence"]
    assert run.error["sentence"].startswith("w.py, line ")
    assert runtime.pending() == ["b"] and runtime.reserved(run.id) == [] and runtime.pending("v") == ["n"]


def test_an_event_reserved_by_another_run_cannot_be_reserved(runtime: RuntimeFixture) -> None:
    """The first to reserve it gets it."""
    second = """
@flow.consumer(subscribe=[t])
class D:
    def prepare(self, ctx, state):
        if ctx.last is None and not state and ctx.peek(t):
            return dayhand.nothing()
        return dayhand.prepared(reserve=[dayhand.Event(id="a", title="", data=None, topic=t, published_at=None)])
"""
    runtime.deploy(consumer(approve="always") + second)
    runtime.publish("a")
    runtime.tick()
    taker, loser = runtime.runs("C")[-1], runtime.runs("D")[-1]
    assert (taker.status, loser.status) == ("paused:approval", "failed:logic")
    assert [event.id for event in runtime.reserved(taker.id)] == ["a"]


def test_another_program_can_publish_into_a_topic(runtime: RuntimeFixture) -> None:
    runtime.deploy(TAKES)
    runtime.tick()
    assert runtime.services.event_commands.publish("W", "t", "x", title="X", data={"n": 1}) == {"news": True}
    runtime.tick()
    assert runtime.state("C") == {"data": [{"n": 1}]}


@pytest.mark.parametrize(
    ("topic", "identity", "data", "sentence"),
    [
        ("u", "a", None, "W has no topic u. It has: t."),
        ("t", "", None, "An event needs a unique id."),
        ("t", "a", "x" * 1_000_001, "An event holds at most 1 MB; publish the path of a file instead."),
        ("t", "a", [float("nan")], "event.data[0] is nan, which JSON does not have; write None."),
        ("t", "\udcff", 1, "event.id is a string with an invalid character; write .encode(errors='replace').decode()."),
    ],
)
def test_invalid_events_are_refused(
    runtime: RuntimeFixture, topic: str, identity: str, data: object, sentence: str
) -> None:
    runtime.deploy(TAKES)
    with pytest.raises(RefusedError) as refused:
        runtime.services.event_commands.publish("w", topic, identity, data=data)
    assert str(refused.value) == sentence and runtime.events() == {}


def test_the_same_request_publishes_once(runtime: RuntimeFixture) -> None:
    runtime.deploy(IDLE)
    assert runtime.services.event_commands.publish("w", "t", "a", idempotency_key="r") == {"news": True}
    assert runtime.services.event_commands.publish("w", "t", "b", idempotency_key="r") == {"news": True}, (
        "the first answer"
    )
    assert runtime.pending() == ["a"]


def test_workflows_do_not_share_events(runtime: RuntimeFixture) -> None:
    runtime.deploy(TAKES)
    runtime.deploy(TAKES.replace('"W"', '"V"'), path="v.py")
    runtime.publish("a", 1, workflow="v")
    runtime.tick()
    assert (runtime.state("C", "v"), runtime.state("C")) == ({"data": [1]}, {"data": []})


def test_a_consumer_publishes_to_the_next_one(runtime: RuntimeFixture) -> None:
    """Events published by `next` become visible with the commit that consumes its own events."""
    chain = (
        HEAD
        + """
u = flow.topic("u")

@flow.consumer(subscribe=[t], publishes=[u])
class First:
    def prepare(self, ctx, state):
        batch = ctx.peek(t)
        return dayhand.prepared(reserve=batch) if batch else dayhand.nothing()

    def next(self, ctx, prepared, result, state):
        for event in prepared.reserve:
            ctx.publish(u, id=event.id, title=event.title.upper(), data=event.data)

@flow.consumer(subscribe=[u])
class Second:
    def prepare(self, ctx, state):
        batch = ctx.peek(u)
        return dayhand.prepared(reserve=batch) if batch else dayhand.nothing()

    def next(self, ctx, prepared, result, state):
        return {"seen": [event.title for event in prepared.reserve]}
"""
    )
    runtime.deploy(chain)
    runtime.publish("a")
    runtime.tick()
    assert (runtime.events("t"), runtime.events("u")) == ({"a": "consumed"}, {"a": "consumed"})
    assert runtime.state("Second") == {"seen": ["A"]}


def test_peek_and_ready_consumers_use_their_indexes(runtime: RuntimeFixture) -> None:
    """Neither scans the pending events."""
    db = runtime.database.read()
    queries: list[str] = []
    db.set_trace_callback(queries.append)
    events.peek(db, "w", "t", 10)
    handlers.list_ready(db, runtime.clock.wall)
    handlers.list_ready_in(db, "w")
    db.set_trace_callback(None)
    assert len(queries) == 3
    for query in queries:
        plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {query}")]
        on_events = [step for step in plan if " e " in f"{step} " or "events" in step]
        assert on_events and all("SEARCH" in step and "events_pending" in step for step in on_events), plan
        assert not [step for step in plan if step.startswith("SCAN") and "USING INDEX handlers_ready" not in step], plan
        assert not [step for step in plan if "TEMP B-TREE FOR ORDER" in step]
