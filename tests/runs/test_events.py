"""Events: each once by its id, taken by one run, and never revived."""

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.store import events, handlers
from tests.engine.harness import HOUR
from tests.runs.scripts import HEAD, consumer, prepare, producer
from tests.runs.shop import Shop

IDLE = prepare("return dayhand.nothing()")
TAKES = prepare(
    "return dayhand.prepared(reserve=ctx.peek(t))",
    "def next(self, ctx, prepared, result, state):\n"
    "    return {'data': state.get('data', []) + [e.data for e in prepared.reserve]}",
)


def test_the_same_id_again_is_one_event_with_the_newest_data(shop: Shop) -> None:
    """K1."""
    shop.deploy(IDLE)
    shop.publish("a", 1)
    shop.publish("b", 1)
    shop.publish("a", 2)
    assert shop.pending() == ["a", "b"], "it keeps its place in the line"
    assert [event.written for event in events.peek(shop.database.read(), "w", "t", 10)] == ["2", "1"]


def test_what_was_consumed_stays_consumed(shop: Shop) -> None:
    """K1: publishing it again is no news and changes nothing."""
    shop.deploy(TAKES)
    shop.publish("a", 1)
    shop.tick()
    assert shop.house.events.publish("w", "t", "a", data=2) == {"news": False}
    before = len(shop.runs())
    shop.tick()
    assert (shop.events(), shop.state("C"), len(shop.runs())) == ({"a": "consumed"}, {"data": [1]}, before)


def test_data_for_a_reserved_event_waits_until_it_is_released(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    shop.publish("a", 1)
    shop.tick()
    run = shop.runs("C")[-1]
    shop.publish("a", 2)
    shop.tick()
    assert [event.written for event in shop.reserved(run.id)] == ["1"], "the run that has it is not disturbed"
    shop.commands.stop(run.id)
    [released] = events.peek(shop.database.read(), "w", "t", 10)
    assert (released.written, released.attempt) == ("2", 1)


def test_newer_data_for_a_released_event_is_news(shop: Shop) -> None:
    """The consumer looks again, and asks about what is there now."""
    shop.deploy(
        prepare(
            "e = ctx.peek(t)\nreturn dayhand.prepared(reserve=e, data=e[0].data) if e else dayhand.nothing()",
            "def mutate(self, ctx, prepared):\n    ctx.call('world:x', 'send', n=prepared.data)",
        )
    )
    shop.publish("a", 1)
    shop.tick()
    shop.publish("a", 2)
    shop.commands.stop("w")
    shop.tick()
    [request] = shop.requests()
    assert request.call["parameters"] == {"n": 2}


def test_publishing_the_same_ids_on_every_poll_wakes_nobody(shop: Shop) -> None:
    """K14."""
    shop.world.inbox = ["a", "b"]
    shop.deploy(producer("for id in ctx.call('world:x', 'look'):\n    ctx.publish(t, id=id, data=id)\nreturn state"))
    shop.tick()
    looked = len(shop.runs("C"))
    shop.pass_time(5 * HOUR)
    assert len(shop.runs("p")) == 6 and len(shop.runs("C")) == looked
    shop.world.inbox = ["a", "b", "c"]
    shop.pass_time(HOUR)
    assert len(shop.runs("C")) == looked + 1


def test_what_a_run_publishes_is_seen_when_it_commits_and_not_before(shop: Shop) -> None:
    shop.deploy(producer("ctx.publish(t, id='a')\nraise ValueError('no')"))
    shop.tick()
    assert shop.runs("p")[-1].status == "failed:logic" and shop.events() == {}
    assert shop.state("p") == {}


@pytest.mark.parametrize(
    ("reserve", "says"),
    [
        ("[dayhand.Event(id='missing', title='', data=None, topic=t, published_at=None)]", "'missing' in t that it"),
        ("[dayhand.Event(id='b', title='', data=None, topic=u, published_at=None)]", "'b' in u that it"),
        ("[dayhand.Event(id='n', title='', data=None, topic=v, published_at=None)]", "'n' in v that it"),
        ("ctx.peek(t)", "reserve has an event twice"),
    ],
    ids=["missing", "of another topic", "of somebody else", "twice"],
)
def test_what_cannot_be_reserved_is_an_error_of_the_script_and_nothing_is(shop: Shop, reserve: str, says: str) -> None:
    """K8."""
    script = prepare(f"return dayhand.prepared(reserve=ctx.peek(t) + {reserve})")
    shop.deploy(
        script.replace("t = flow", 'u, v = flow.topic("u"), flow.topic("v")\nt = flow').replace("[t]", "[t, u]")
        + "\n@flow.consumer(subscribe=[v])\nclass D:\n    def prepare(self, ctx, state): return dayhand.nothing()\n"
    )
    shop.publish("n", topic="v")
    shop.publish("b")
    shop.tick()
    run = shop.runs("C")[-1]
    assert run.status == "failed:logic" and says in run.error["sentence"]
    assert run.error["sentence"].startswith("w.py, line ")
    assert shop.pending() == ["b"] and shop.reserved(run.id) == [] and shop.pending("v") == ["n"]


def test_what_another_run_has_reserved_cannot_be_reserved(shop: Shop) -> None:
    """K8: the first to reserve it has it."""
    second = """
@flow.consumer(subscribe=[t])
class D:
    def prepare(self, ctx, state):
        if ctx.last is None and not state and ctx.peek(t):
            return dayhand.nothing()
        return dayhand.prepared(reserve=[dayhand.Event(id="a", title="", data=None, topic=t, published_at=None)])
"""
    shop.deploy(consumer(approve="always") + second)
    shop.publish("a")
    shop.tick()
    taker, loser = shop.runs("C")[-1], shop.runs("D")[-1]
    assert (taker.status, loser.status) == ("paused:approval", "failed:logic")
    assert [event.id for event in shop.reserved(taker.id)] == ["a"]


def test_another_program_publishes_into_a_topic(shop: Shop) -> None:
    shop.deploy(TAKES)
    shop.tick()
    assert shop.house.events.publish("W", "t", "x", title="X", data={"n": 1}) == {"news": True}
    shop.tick()
    assert shop.state("C") == {"data": [{"n": 1}]}


@pytest.mark.parametrize(
    ("topic", "identity", "data", "sentence"),
    [
        ("u", "a", None, "W has no topic u. It has: t."),
        ("t", "", None, "An event needs an id that makes it unique."),
        ("t", "a", "x" * 1_000_001, "An event holds at most 1 MB; publish the path of a file instead."),
        ("t", "a", [float("nan")], "event.data[0] is nan, which JSON does not have; write None."),
        ("t", "\udcff", 1, "event.id is a text with half a character; write .encode(errors='replace').decode()."),
    ],
)
def test_what_cannot_be_published_is_refused(
    shop: Shop, topic: str, identity: str, data: object, sentence: str
) -> None:
    shop.deploy(TAKES)
    with pytest.raises(RefusedError) as refused:
        shop.house.events.publish("w", topic, identity, data=data)
    assert str(refused.value) == sentence and shop.events() == {}


def test_the_same_request_publishes_once(shop: Shop) -> None:
    shop.deploy(IDLE)
    assert shop.house.events.publish("w", "t", "a", request="r") == {"news": True}
    assert shop.house.events.publish("w", "t", "b", request="r") == {"news": True}, "the first answer"
    assert shop.pending() == ["a"]


def test_events_of_workflows_are_apart(shop: Shop) -> None:
    shop.deploy(TAKES)
    shop.deploy(TAKES.replace('"W"', '"V"'), path="v.py")
    shop.publish("a", 1, workflow="v")
    shop.tick()
    assert (shop.state("C", "v"), shop.state("C")) == ({"data": [1]}, {"data": []})


def test_a_consumer_hands_on_to_the_next(shop: Shop) -> None:
    """What `next` publishes is visible with the commit that consumes what it came from."""
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
    shop.deploy(chain)
    shop.publish("a")
    shop.tick()
    assert (shop.events("t"), shop.events("u")) == ({"a": "consumed"}, {"a": "consumed"})
    assert shop.state("Second") == {"seen": ["A"]}


def test_peek_and_the_choice_of_a_consumer_use_their_indexes(shop: Shop) -> None:
    """K11: neither reads through what is pending."""
    db = shop.database.read()
    asked: list[str] = []
    db.set_trace_callback(asked.append)
    events.peek(db, "w", "t", 10)
    handlers.ready(db, shop.clock.wall)
    handlers.ready_in(db, "w")
    db.set_trace_callback(None)
    assert len(asked) == 3
    for query in asked:
        plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {query}")]
        on_events = [step for step in plan if " e " in f"{step} " or "events" in step]
        assert on_events and all("SEARCH" in step and "events_pending" in step for step in on_events), plan
        assert not [step for step in plan if step.startswith("SCAN") and "USING INDEX handlers_ready" not in step], plan
        assert not [step for step in plan if "TEMP B-TREE FOR ORDER" in step]
