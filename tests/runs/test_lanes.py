"""Lanes: one thing at a time, the oldest event first, and a failure holds up its own lane only."""

from pathlib import Path

from scheduler.rules.failures import FailureClass
from tests.engine.harness import HOUR, MINUTE
from tests.runs.scripts import HEAD, job, producer
from tests.runs.shop import Shop, fail

TWO = (
    HEAD
    + """
u = flow.topic("u")

@flow.consumer(subscribe=[t])
class A:
    def prepare(self, ctx, state):
        one = ctx.peek(t, limit=1)
        return dayhand.prepared(reserve=one) if one else dayhand.nothing()

@flow.consumer(subscribe=[u])
class B:
    def prepare(self, ctx, state):
        one = ctx.peek(u, limit=1)
        return dayhand.prepared(reserve=one) if one else dayhand.nothing()
"""
)


def test_the_consumer_with_the_oldest_pending_event_goes_first(shop: Shop) -> None:
    """K7."""
    shop.deploy(TWO)
    shop.tick()
    shop.publish("1", topic="u")
    shop.publish("2", topic="t")
    before = len(shop.runs())
    shop.tick()
    assert [run.handler for run in shop.runs()[before:]] == ["B", "A"]


def test_a_consumer_comes_before_a_producer_and_both_have_their_turn(shop: Shop) -> None:
    """K7: the producer is not starved."""
    shop.deploy(producer("ctx.publish(t, id=ctx.key)\nreturn state"))
    shop.pass_time(3 * HOUR)
    assert [run.handler for run in shop.runs()] == ["C", "p"] + ["C"] + ["p", "C"] * 3


def test_runs_of_a_lane_never_lie_over_one_another(shop: Shop) -> None:
    """Invariant 1: seen by the script itself."""
    busy = shop.folder / "busy"
    guard = (
        f"import os\nos.mkdir({str(busy)!r})\n"
        f"try:\n    ctx.call('world:x', 'look')\nfinally:\n    os.rmdir({str(busy)!r})\n"
    )
    script = producer(f"{guard}ctx.publish(t, id=ctx.key)\nreturn state")
    second = script[script.index("@flow.producer") : script.index("@flow.consumer")].replace("def p(", "def q(")
    shop.deploy(script + second)
    shop.pass_time(5 * HOUR)
    assert {run.status for run in shop.runs()} == {"committed"}
    assert len(shop.runs("p")) == len(shop.runs("q")) == 6


def test_a_long_job_stops_nothing_else_of_its_workflow(shop: Shop) -> None:
    """O5."""
    go = shop.folder / "go"
    shop.deploy(
        producer("ctx.publish(t, id=ctx.key)\nreturn state")
        + "@flow.job(every='1h')\ndef long(ctx):\n    import os, time\n"
        + f"    while not os.path.exists({str(go)!r}):\n        time.sleep(0.01)\n"
    )
    shop.clock.move(HOUR)
    shop.wait(lambda: len(shop.runs("p")) == 2 and bool(shop.runs("long")) and len(shop.active()) == 1)
    assert [run.handler for run in shop.active()] == ["long"]
    go.touch()
    shop.tick()
    assert shop.runs("long")[-1].status == "committed"


def test_a_failure_closes_its_own_lane_and_no_other(shop: Shop) -> None:
    """F6: the job of the same workflow and the other workflow stay on time."""
    shop.deploy(producer("raise ValueError('broken')") + "@flow.job(every='1h')\ndef fine(ctx):\n    pass\n")
    shop.deploy(job("pass").replace('"W"', '"V"'), path="v.py")
    shop.pass_time(3 * HOUR)
    assert shop.lane().blocked == "script error" and shop.lane("fine").blocked is None
    assert shop.states("fine") == ["succeeded"] * 3 and shop.states("j", "v") == ["succeeded"] * 3
    assert len(shop.runs("p")) == 1, "what is held up does not run"


def test_triggers_that_arrive_while_a_lane_is_closed_accumulate_and_coalesce(shop: Shop) -> None:
    """None is lost: one run for the times that passed, and all events."""
    shop.world.read_fails = [fail(FailureClass.LOGIC)]
    shop.deploy(producer("ctx.call('world:x', 'look')\nctx.publish(t, id=ctx.key)\nreturn state"))
    shop.pass_time(3 * HOUR + MINUTE)
    assert shop.states("p") == ["failed", "coalesced", "coalesced", "queued"]
    shop.publish("from outside")
    looked = len(shop.runs("C"))
    shop.tick()
    assert len(shop.runs("C")) == looked
    shop.answering.retry("w")
    shop.tick()
    assert shop.states("p") == ["succeeded", "coalesced", "coalesced", "succeeded"]
    assert len(shop.runs("C")) > looked and len(shop.pending()) == 3


def test_one_workflow_that_hangs_leaves_the_others_on_time(tmp_path: Path) -> None:
    """L1, invariant 13: also with few slots, as long as one is free."""
    shop = Shop(tmp_path, concurrency=2)
    go = tmp_path / "go"
    shop.deploy(job(f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)"))
    shop.deploy(job("pass").replace('"W"', '"V"'), path="v.py")
    shop.clock.move(HOUR)
    shop.wait(lambda: shop.states("j") == ["started"])
    for number in (1, 2, 3, 4):
        shop.wait(lambda number=number: shop.states("j", "v") == ["succeeded"] * number)
        if number < 4:
            shop.clock.move(HOUR)
    assert shop.states("j") == ["started", "skipped", "skipped", "skipped"]
    drift = [abs(row.began - row.planned) for row in shop.occurrences("j", "v") if row.began]
    assert drift == [HOUR * 0] * 4
    go.touch()
    shop.close()


def test_side_by_side_runs_widen_the_lane_of_a_job_only(shop: Shop) -> None:
    """O5: `allow_all`."""
    go = shop.folder / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)"
    shop.deploy(job(wait, overlap="allow_all"))
    for number in (1, 2, 3):
        shop.clock.move(HOUR)
        shop.wait(lambda number=number: len(shop.active()) == number)
    go.touch()
    shop.tick()
    assert shop.states("j") == ["succeeded"] * 3


def test_a_lane_that_goes_on_at_once_takes_the_oldest_event_first(shop: Shop) -> None:
    """K7: whatever the consumers are called, and in whatever order they are written."""
    consumers = "".join(
        f"""
@flow.consumer(subscribe=[{topic}])
class {name}:
    def prepare(self, ctx, state):
        new = ctx.peek({topic})
        return dayhand.prepared(reserve=new) if new else dayhand.nothing()
"""
        for name, topic in (("A", "t"), ("B", "u"), ("C", "v"))
    )
    topics = 'u, v = flow.topic("u"), flow.topic("v")\n'
    publishes = "".join(f"    ctx.publish({topic}, id='x')\n" for topic in "uvt")
    shop.deploy(
        f"{HEAD}{topics}{consumers}\n@flow.producer(every='1h', publishes=[t, u, v], run_on_deploy=False)\n"
        f"def p(ctx, state):\n{publishes}"
    )
    shop.tick()
    seen = len(shop.runs())
    shop.clock.move(HOUR)
    shop.tick()
    assert [run.handler for run in shop.runs()[seen:]] == ["p", "B", "C", "A"]
