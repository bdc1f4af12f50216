"""A login that expired is asked for once, and everything that waited for it goes on by itself."""

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.rules.failures import FailureClass
from scheduler.store import connections
from tests.engine.harness import DAY, HOUR
from tests.runs.scripts import consumer, job
from tests.runs.shop import Shop, fail

READS = 'ctx.call("world:x", "look")\nctx.done("read")'
EXPIRED = fail(FailureClass.AUTH, "The login of world:x expired. Sign in again.")


def expire(shop: Shop, *names: str) -> None:
    """Workflows whose job finds the login expired, one after the other."""
    for name in names:
        shop.deploy(job(READS).replace('"W"', repr(name)), path=f"{name}.py")
    shop.world.read_fails = [EXPIRED] * len(names)
    shop.clock.move(HOUR)
    shop.tick()


def statuses(shop: Shop, *names: str) -> list[str]:
    return [shop.runs("j", name)[-1].status for name in names]


def test_one_request_for_all_workflows_and_all_go_on_after_it(shop: Shop) -> None:
    """F3"""
    expire(shop, "a", "b", "c")
    [request] = shop.requests()
    assert (request.kind, request.subject) == ("reconnect", "world:x")
    assert statuses(shop, "a", "b", "c") == ["paused:approval"] * 3
    assert [shop.lane("j", name).blocked for name in "abc"] == ["reconnect"] * 3
    shop.pass_time(DAY)
    assert len(shop.world.reads) == 3
    shop.house.connect("world:x", {})
    shop.tick()
    assert shop.requests() == []
    assert statuses(shop, "a", "b", "c") == ["committed"] * 3
    assert [shop.lane("j", name).blocked for name in "abc"] == [None] * 3
    assert shop.occurrences("j", "a")[0].state == "succeeded"


def test_it_survives_a_restart_on_both_sides_of_the_answer(shop: Shop) -> None:
    expire(shop, "a")
    shop.crash(off=DAY)
    shop.tick()
    assert [request.kind for request in shop.requests()] == ["reconnect"]
    shop.house.connect("world:x", {})
    shop.crash()
    shop.tick()
    assert statuses(shop, "a") == ["committed"]


def test_a_connection_in_trouble_is_not_tried_by_others(shop: Shop) -> None:
    """A server that saw a wrong password twenty times locks the account."""
    shop.house.connect("world:x", {})
    expire(shop, "a")
    row = connections.find(shop.database.read(), "world:x")
    assert row is not None and row.trouble == EXPIRED.sentence
    shop.deploy(job(READS).replace('"W"', '"b"'), path="b.py")
    shop.clock.move(HOUR)
    shop.tick()
    assert statuses(shop, "b") == ["paused:approval"]
    assert len(shop.world.reads) == 1
    assert len(shop.requests()) == 1
    shop.house.connect("world:x", {})
    shop.tick()
    assert statuses(shop, "a", "b") == ["committed"] * 2


@pytest.mark.parametrize("verb", ["archive", "remove", "stop"])
def test_the_request_outlives_the_workflow_that_asked_first(shop: Shop, verb: str) -> None:
    """F3: others still wait for it."""
    expire(shop, "a", "b")
    [request] = shop.requests()
    first, other = (request.workflow, "b" if request.workflow == "a" else "a")
    getattr(shop.commands, verb)(first)
    [still] = shop.requests()
    assert (still.id, still.workflow) == (request.id, other)
    shop.house.connect("world:x", {})
    shop.tick()
    assert statuses(shop, other) == ["committed"]
    assert shop.requests() == []


def test_the_request_goes_with_the_last_that_waits(shop: Shop) -> None:
    expire(shop, "a")
    shop.commands.archive("a")
    assert shop.requests() == []


def test_trying_again_is_refused_until_it_is_connected(shop: Shop) -> None:
    expire(shop, "a")
    for target in ("a", shop.runs("j", "a")[-1].id):
        with pytest.raises(RefusedError) as refused:
            shop.answering.retry(target)
        assert refused.value.code == "answer first"
    with pytest.raises(RefusedError) as refused:
        shop.answering.approve(shop.requests()[0].id)
    assert "dayhand connect world:x" in str(refused.value)


def test_a_login_that_expires_while_it_acts_acts_once_after_the_reconnect(shop: Shop) -> None:
    shop.world.fails = [EXPIRED]
    shop.deploy(consumer())
    shop.publish("a")
    shop.tick()
    assert [request.kind for request in shop.requests()] == ["reconnect"]
    assert shop.events() == {"a": "pending"}
    shop.house.connect("world:x", {})
    shop.tick()
    assert len(shop.world.calls) == 2
    assert len(shop.world.happened) == 1
    assert shop.events() == {"a": "consumed"}


def test_a_reconnect_while_paused_counts_after_the_pause(shop: Shop) -> None:
    expire(shop, "a")
    shop.commands.pause("a")
    shop.house.connect("world:x", {})
    shop.tick()
    assert shop.requests() == []
    assert len(shop.world.reads) == 1
    shop.commands.resume("a")
    shop.tick()
    assert statuses(shop, "a") == ["committed"]


def test_another_connection_helps_nobody(shop: Shop) -> None:
    expire(shop, "a")
    shop.house.connect("world:y", {})
    shop.tick()
    assert [request.subject for request in shop.requests()] == ["world:x"]
    assert statuses(shop, "a") == ["paused:approval"]


def test_it_may_expire_again(shop: Shop) -> None:
    expire(shop, "a")
    shop.world.read_fails = [EXPIRED]
    shop.house.connect("world:x", {})
    shop.tick()
    assert [request.kind for request in shop.requests()] == ["reconnect"]
    assert [run.attempt for run in shop.runs("j", "a")] == [1, 2]
    assert shop.occurrences("j", "a")[0].state == "started"
