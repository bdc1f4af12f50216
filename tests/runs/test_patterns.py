"""K12: the classic patterns of message passing, as an author would write them."""

from tests.engine.harness import DAY, HOUR, MINUTE
from tests.runs.scripts import HEAD, prepare
from tests.runs.shop import Shop

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


def sent(shop: Shop) -> list[list[str]]:
    return [call.parameters["n"] for call in shop.world.calls]


def test_correlation_across_two_topics(shop: Shop) -> None:
    """Each pair once, in whatever order its halves come; halves wait for each other."""
    shop.deploy(CORRELATION)
    shop.publish("o1", topic="t")
    shop.publish("o2", topic="t")
    shop.tick()
    assert sent(shop) == []
    shop.publish("p2", {"order": "o2"}, topic="u")
    shop.tick()
    shop.publish("p3", {"order": "o3"}, topic="u")
    shop.tick()
    shop.publish("o3", topic="t")
    shop.tick()
    assert sent(shop) == [["o2", "p2"], ["o3", "p3"]]
    assert (shop.pending("t"), shop.pending("u")) == (["o1"], [])
    shop.crash()
    for number in ("1", "4"):
        shop.publish(f"o{number}", topic="t")
        shop.publish(f"p{number}", {"order": f"o{number}"}, topic="u")
    shop.pass_time(MINUTE)
    assert sent(shop)[2:] == [["o1", "p1"], ["o4", "p4"]] and shop.pending("t") == []


def test_a_time_window(shop: Shop) -> None:
    """What came within an hour of the first goes together; what came later opens the next window."""
    shop.deploy(WINDOW)
    for identity in ("a", "b", "c"):
        shop.publish(identity)
        shop.pass_time(25 * MINUTE)
    assert sent(shop) == [["a", "b", "c"]], "10:00, 10:25 and 10:50, at 11:00"
    shop.publish("d")
    shop.pass_time(59 * MINUTE)
    assert len(sent(shop)) == 1
    shop.pass_time(2 * MINUTE)
    assert sent(shop)[1:] == [["d"]]


def test_a_batch_with_a_time_limit(shop: Shop) -> None:
    """Three at once, or what there is after ten minutes."""
    shop.deploy(BATCH)
    for identity in ("a", "b", "c", "d"):
        shop.publish(identity)
    shop.tick()
    assert sent(shop) == [["a", "b", "c"]]
    shop.pass_time(9 * MINUTE)
    assert len(sent(shop)) == 1
    shop.pass_time(2 * MINUTE)
    assert sent(shop) == [["a", "b", "c"], ["d"]]
    looks = len(shop.runs("C"))
    shop.pass_time(6 * HOUR)
    assert len(shop.runs("C")) <= looks + 1, "with nothing to do it rests"


def test_a_daily_digest(shop: Shop) -> None:
    """One a day at six in the evening with all that came since the last, also over a restart."""
    shop.deploy(DIGEST)
    shop.publish("a")
    shop.pass_time(2 * HOUR)
    shop.publish("b")
    shop.crash()
    shop.pass_time(4 * HOUR)
    assert sent(shop) == []
    shop.pass_time(3 * HOUR)
    assert sent(shop) == [["a", "b"]]
    shop.publish("c")
    shop.pass_time(HOUR)
    assert len(sent(shop)) == 1, "once a day"
    shop.pass_time(DAY)
    assert sent(shop) == [["a", "b"], ["c"]]
    before = len(shop.runs("C"))
    shop.pass_time(2 * DAY)
    assert len(sent(shop)) == 2 and len(shop.runs("C")) <= before + 4, "without events it only looks"
