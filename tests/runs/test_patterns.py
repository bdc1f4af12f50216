"""The classic patterns of message passing, as an author would write them."""

from tests.engine.engine_fixture import DAY, HOUR, MINUTE
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import HEAD, prepare

SEND = "def mutate(self, ctx, prepared):\n    ctx.call('world:x', 'act', n=prepared.data)"

CORRELATION = (
    HEAD
    + """
u = flow.topic("u")

@flow.consumer(subscribe=[t, u])
class Match:
    def prepare(self, ctx, state):
        payments = {event.data["order"]: event for event in ctx.peek(u)}
        for order in ctx.peek(t):
            if order.id in payments:
                pair = [order, payments[order.id]]
                return dayhand.prepared(reserve=pair, data=[event.id for event in pair], wake_at=ctx.now)
        return dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("world:x", "act", n=prepared.data)
"""
)

WINDOW = prepare(
    """
from datetime import timedelta
events = ctx.peek(t)
if not events:
    return dayhand.nothing()
end = events[0].published_at + timedelta(hours=1)
if ctx.now < end:
    return dayhand.nothing(wake_at=end)
inside = [event for event in events if event.published_at < end]
return dayhand.prepared(reserve=inside, data=[event.id for event in inside], wake_at=ctx.now)
""",
    SEND,
)

BATCH = prepare(
    """
from datetime import timedelta
events = ctx.peek(t, limit=3)
if not events:
    return dayhand.nothing()
full, late = len(events) == 3, events[0].published_at + timedelta(minutes=10)
if full or ctx.now >= late:
    return dayhand.prepared(reserve=events, data=[event.id for event in events], wake_at=ctx.now)
return dayhand.nothing(wake_at=late)
""",
    SEND,
)

DIGEST = prepare(
    """
from datetime import timedelta
evening = ctx.now.replace(hour=18, minute=0, second=0, microsecond=0)
following = evening if ctx.now < evening else evening + timedelta(days=1)
today = ctx.now.date().isoformat()
events = ctx.peek(t)
if ctx.now < evening or state.get("sent") == today or not events:
    return dayhand.nothing(wake_at=following)
return dayhand.prepared(reserve=events, data=[event.id for event in events], wake_at=following)
""",
    SEND + "\ndef next(self, ctx, prepared, result, state):\n    return {'sent': ctx.now.date().isoformat()}",
)


def sent(runtime: RuntimeFixture) -> list[list[str]]:
    return [call.parameters["n"] for call in runtime.service.calls]


def test_correlation_across_two_topics(runtime: RuntimeFixture) -> None:
    """Each pair once, in whatever order its halves arrive."""
    runtime.deploy(CORRELATION)
    runtime.publish("o1", topic="t")
    runtime.publish("o2", topic="t")
    runtime.tick()
    assert sent(runtime) == []
    runtime.publish("p2", {"order": "o2"}, topic="u")
    runtime.tick()
    runtime.publish("p3", {"order": "o3"}, topic="u")
    runtime.tick()
    runtime.publish("o3", topic="t")
    runtime.tick()
    assert sent(runtime) == [["o2", "p2"], ["o3", "p3"]]
    assert (runtime.pending("t"), runtime.pending("u")) == (["o1"], [])
    runtime.crash()
    for number in ("1", "4"):
        runtime.publish(f"o{number}", topic="t")
        runtime.publish(f"p{number}", {"order": f"o{number}"}, topic="u")
    runtime.pass_time(MINUTE)
    assert sent(runtime)[2:] == [["o1", "p1"], ["o4", "p4"]] and runtime.pending("t") == []


def test_a_time_window(runtime: RuntimeFixture) -> None:
    """Events within an hour of the first go together; later ones open the next window."""
    runtime.deploy(WINDOW)
    for identity in ("a", "b", "c"):
        runtime.publish(identity)
        runtime.pass_time(25 * MINUTE)
    assert sent(runtime) == [["a", "b", "c"]], "10:00, 10:25 and 10:50, at 11:00"
    runtime.publish("d")
    runtime.pass_time(59 * MINUTE)
    assert len(sent(runtime)) == 1
    runtime.pass_time(2 * MINUTE)
    assert sent(runtime)[1:] == [["d"]]


def test_a_batch_with_a_time_limit(runtime: RuntimeFixture) -> None:
    """Three at once, or whatever there is after ten minutes."""
    runtime.deploy(BATCH)
    for identity in ("a", "b", "c", "d"):
        runtime.publish(identity)
    runtime.tick()
    assert sent(runtime) == [["a", "b", "c"]]
    runtime.pass_time(9 * MINUTE)
    assert len(sent(runtime)) == 1
    runtime.pass_time(2 * MINUTE)
    assert sent(runtime) == [["a", "b", "c"], ["d"]]
    before = len(runtime.runs("C"))
    runtime.pass_time(6 * HOUR)
    assert len(runtime.runs("C")) <= before + 1, "without events it does not run"


def test_a_daily_digest(runtime: RuntimeFixture) -> None:
    """One a day at 18:00 with everything since the last, even over a restart."""
    runtime.deploy(DIGEST)
    runtime.publish("a")
    runtime.pass_time(2 * HOUR)
    runtime.publish("b")
    runtime.crash()
    runtime.pass_time(4 * HOUR)
    assert sent(runtime) == []
    runtime.pass_time(3 * HOUR)
    assert sent(runtime) == [["a", "b"]]
    runtime.publish("c")
    runtime.pass_time(HOUR)
    assert len(sent(runtime)) == 1, "once a day"
    runtime.pass_time(DAY)
    assert sent(runtime) == [["a", "b"], ["c"]]
    before = len(runtime.runs("C"))
    runtime.pass_time(2 * DAY)
    assert len(sent(runtime)) == 2 and len(runtime.runs("C")) <= before + 4, "without events it only checks"
