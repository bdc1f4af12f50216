"""When a consumer runs: on news, when it wants to be woken, when a look is owed, and never else."""

import threading
from datetime import timedelta

import pytest

from tests.engine.harness import DAY, HOUR, MINUTE, SECOND
from tests.runs.scripts import HEAD, consumer, prepare
from tests.runs.shop import Shop

IDLE = prepare("return dayhand.nothing()")


def wakes(written: str) -> str:
    """A consumer that never takes anything and asks to be woken so."""
    return prepare(f"from datetime import datetime, timedelta, timezone\nreturn dayhand.nothing(wake_at={written})")


def looks(shop: Shop, name: str = "C") -> int:
    return len(shop.runs(name))


@pytest.mark.parametrize("phase", ["prepare", "mutate", "next"])
def test_an_event_that_arrives_during_a_run_is_not_lost(shop: Shop, phase: str) -> None:
    """K2: the consumer runs again."""
    lines = consumer().splitlines()
    place = next(number for number, line in enumerate(lines) if f"def {phase}(" in line) + 1
    lines.insert(place + (phase == "prepare"), "        batch and wait()" if phase == "prepare" else "        wait()")
    go, there = shop.folder / "go", shop.folder / "there"
    helper = (
        "import os, time\n"
        "def wait():\n"
        f"    open({str(there)!r}, 'w').close()\n"
        f"    while not os.path.exists({str(go)!r}):\n"
        "        time.sleep(0.01)\n"
    )
    shop.deploy(helper + "\n".join(lines))
    shop.tick()
    shop.publish("a")
    shop.wait(there.exists)
    shop.publish("b")
    go.touch()
    shop.tick()
    assert shop.events() == {"a": "consumed", "b": "consumed"}
    assert [call.parameters["n"] for call in shop.world.calls] == [["a"], ["b"]]


def test_an_event_that_arrives_during_the_outside_call_is_not_lost(shop: Shop) -> None:
    """K2."""
    shop.deploy(consumer())
    shop.tick()
    shop.world.gate = threading.Event()
    shop.publish("a")
    shop.wait(shop.world.entered.is_set)
    shop.publish("b")
    shop.world.gate.set()
    shop.tick()
    assert [call.parameters["n"] for call in shop.world.calls] == [["a"], ["b"]]


def test_pending_events_alone_are_no_reason_to_run(shop: Shop) -> None:
    """K3: an empty prepare is not repeated."""
    shop.deploy(IDLE)
    shop.publish("a")
    shop.tick()
    before = looks(shop)
    shop.pass_time(10 * MINUTE)
    assert (looks(shop), shop.pending()) == (before, ["a"])


def test_an_empty_prepare_is_looked_at_again_when_it_said(shop: Shop) -> None:
    """K4: at the hour it asked for, not before."""
    shop.deploy(wakes("ctx.now + timedelta(hours=1)"))
    shop.publish("a")
    shop.tick()
    before = looks(shop)
    shop.pass_time(HOUR - MINUTE)
    assert looks(shop) == before
    shop.pass_time(2 * MINUTE)
    assert looks(shop) == before + 1


def test_news_comes_before_the_wake_time(shop: Shop) -> None:
    """K4: at once on a new event."""
    shop.deploy(wakes("ctx.now + timedelta(hours=1)"))
    shop.tick()
    before = looks(shop)
    shop.publish("a")
    shop.tick()
    assert looks(shop) == before + 1


@pytest.mark.parametrize(
    ("written", "after"),
    [
        ("ctx.now - timedelta(hours=1)", 30 * SECOND),
        ("ctx.now + timedelta(days=3)", DAY),
        ("(ctx.now + timedelta(hours=2)).isoformat()", 2 * HOUR),
        ("ctx.now.astimezone(timezone(timedelta(hours=5))) + timedelta(hours=2)", 2 * HOUR),
    ],
    ids=["past", "three days", "text", "another zone"],
)
def test_a_wake_time_is_kept_within_bounds(shop: Shop, written: str, after: timedelta) -> None:
    """K5."""
    shop.deploy(wakes(written))
    shop.tick()
    wake = shop.handler("C").wake_at
    assert wake is not None and after <= wake - shop.clock.wall < after + MINUTE


def test_a_wake_time_that_is_none_is_ignored_with_a_warning(shop: Shop) -> None:
    """K5: visible in the log of the run, which goes on."""
    shop.deploy(wakes("'next tuesday'"))
    shop.tick()
    run = shop.runs("C")[-1]
    assert (run.status, shop.handler("C").wake_at) == ("committed", None)
    assert "wake_at: 'next tuesday' is not a date and time and was ignored" in shop.log(run.id)


@pytest.mark.parametrize("takes", [True, False], ids=["taking", "taking nothing"])
def test_no_wake_time_clears_the_one_before(shop: Shop, takes: bool) -> None:  # noqa: FBT001
    """K5: absent is cleared, whether or not anything is reserved."""
    way = "dayhand.prepared(reserve=ctx.peek(t))" if takes else "dayhand.nothing()"
    shop.deploy(
        prepare(
            "from datetime import timedelta\n"
            f"if ctx.peek(t):\n    return {way}\nreturn dayhand.nothing(wake_at=ctx.now + timedelta(hours=1))"
        )
    )
    shop.tick()
    assert shop.handler("C").wake_at is not None
    shop.publish("a")
    shop.tick()
    assert shop.handler("C").wake_at is None


def test_a_wake_time_is_kept_also_when_something_is_reserved(shop: Shop) -> None:
    shop.deploy(
        prepare(
            "from datetime import timedelta\n"
            "return dayhand.prepared(reserve=ctx.peek(t), wake_at=ctx.now + timedelta(hours=1))",
            "def mutate(self, ctx, prepared):\n    ctx.call('world:x', 'send')",
        )
    )
    shop.tick()
    assert shop.runs("C")[-1].status == "paused:approval" and shop.handler("C").wake_at is not None


def test_two_consumers_keep_their_own_wakes_over_a_restart(shop: Shop) -> None:
    """K6."""
    second = wakes("ctx.now + timedelta(hours=3)").removeprefix(HEAD).replace("class C", "class D")
    shop.deploy(wakes("ctx.now + timedelta(hours=1)") + second)
    shop.tick()
    before = shop.handler("C").wake_at, shop.handler("D").wake_at
    shop.crash()
    assert (shop.handler("C").wake_at, shop.handler("D").wake_at) == before
    shop.tick()
    seen = looks(shop, "C"), looks(shop, "D")
    shop.pass_time(HOUR + MINUTE)
    assert (looks(shop, "C"), looks(shop, "D")) == (seen[0] + 1, seen[1])


def test_after_a_restart_each_consumer_looks_once(shop: Shop) -> None:
    shop.deploy(IDLE)
    shop.publish("a")
    shop.tick()
    before = looks(shop)
    shop.crash(off=HOUR)
    shop.pass_time(10 * MINUTE)
    assert looks(shop) == before + 1


def test_after_a_resume_each_consumer_looks_once(shop: Shop) -> None:
    shop.deploy(IDLE)
    shop.tick()
    before = looks(shop)
    shop.commands.pause("w")
    shop.publish("a")
    shop.pass_time(HOUR)
    assert looks(shop) == before, "nothing runs while it is paused"
    shop.commands.resume("w")
    shop.pass_time(10 * MINUTE)
    assert looks(shop) == before + 1
    shop.commands.pause("w")
    shop.commands.resume("w")
    shop.pass_time(10 * MINUTE)
    assert looks(shop) == before + 2, "also without news"


def test_a_wake_that_came_while_the_app_was_off_is_served_at_the_start(shop: Shop) -> None:
    shop.deploy(wakes("ctx.now + timedelta(hours=1)"))
    shop.tick()
    before = looks(shop)
    shop.crash(off=2 * HOUR)
    shop.tick()
    assert looks(shop) == before + 1
    wake = shop.handler("C").wake_at
    assert wake is not None and wake > shop.clock.wall, "and it is not served twice"
