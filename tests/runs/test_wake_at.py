"""When a consumer runs: on new events, at its wake time, after a restart or resume, and never otherwise."""

import threading
from datetime import timedelta

import pytest

from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import HEAD, consumer, prepare

IDLE = prepare("return dayhand.nothing()")


def wakes(written: str) -> str:
    """A consumer that reserves nothing and sets this wake time."""
    return prepare(f"from datetime import datetime, timedelta, timezone\nreturn dayhand.nothing(wake_at={written})")


def run_count(runtime: RuntimeFixture, name: str = "C") -> int:
    return len(runtime.runs(name))


@pytest.mark.parametrize("phase", ["prepare", "mutate", "next"])
def test_an_event_that_arrives_during_a_run_is_not_lost(runtime: RuntimeFixture, phase: str) -> None:
    """The consumer runs again."""
    lines = consumer().splitlines()
    place = next(number for number, line in enumerate(lines) if f"def {phase}(" in line) + 1
    lines.insert(place + (phase == "prepare"), "        batch and wait()" if phase == "prepare" else "        wait()")
    go, there = runtime.folder / "go", runtime.folder / "there"
    helper = (
        "import os, time\n"
        "def wait():\n"
        f"    open({str(there)!r}, 'w').close()\n"
        f"    while not os.path.exists({str(go)!r}):\n"
        "        time.sleep(0.01)\n"
    )
    runtime.deploy(helper + "\n".join(lines))
    runtime.tick()
    runtime.publish("a")
    runtime.wait(there.exists)
    runtime.publish("b")
    go.touch()
    runtime.tick()
    assert runtime.events() == {"a": "consumed", "b": "consumed"}
    assert [call.parameters["n"] for call in runtime.service.calls] == [["a"], ["b"]]


def test_an_event_that_arrives_during_the_outside_call_is_not_lost(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer())
    runtime.tick()
    runtime.service.gate = threading.Event()
    runtime.publish("a")
    runtime.wait(runtime.service.entered.is_set)
    runtime.publish("b")
    runtime.service.gate.set()
    runtime.tick()
    assert [call.parameters["n"] for call in runtime.service.calls] == [["a"], ["b"]]


def test_pending_events_alone_are_no_reason_to_run(runtime: RuntimeFixture) -> None:
    """An empty prepare is not repeated."""
    runtime.deploy(IDLE)
    runtime.publish("a")
    runtime.tick()
    before = run_count(runtime)
    runtime.pass_time(10 * MINUTE)
    assert (run_count(runtime), runtime.pending()) == (before, ["a"])


def test_an_empty_prepare_runs_again_at_its_wake_time(runtime: RuntimeFixture) -> None:
    """Not before."""
    runtime.deploy(wakes("ctx.now + timedelta(hours=1)"))
    runtime.publish("a")
    runtime.tick()
    before = run_count(runtime)
    runtime.pass_time(HOUR - MINUTE)
    assert run_count(runtime) == before
    runtime.pass_time(2 * MINUTE)
    assert run_count(runtime) == before + 1


def test_a_new_event_runs_the_consumer_before_its_wake_time(runtime: RuntimeFixture) -> None:
    runtime.deploy(wakes("ctx.now + timedelta(hours=1)"))
    runtime.tick()
    before = run_count(runtime)
    runtime.publish("a")
    runtime.tick()
    assert run_count(runtime) == before + 1


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
def test_a_wake_time_is_clamped(runtime: RuntimeFixture, written: str, after: timedelta) -> None:
    runtime.deploy(wakes(written))
    runtime.tick()
    wake = runtime.handler("C").wake_at
    assert wake is not None and after <= wake - runtime.clock.wall < after + MINUTE


def test_an_invalid_wake_time_is_ignored_with_a_warning(runtime: RuntimeFixture) -> None:
    """Visible in the log of the run, which commits."""
    runtime.deploy(wakes("'next tuesday'"))
    runtime.tick()
    run = runtime.runs("C")[-1]
    assert (run.status, runtime.handler("C").wake_at) == ("committed", None)
    assert "wake_at: 'next tuesday' is not a date and time and was ignored" in runtime.log(run.id)


@pytest.mark.parametrize(
    ("written", "shown"),
    [("5", "5 (an int)"), ("20261118", "20261118 (an int)"), ("['2026-11-18']", "['2026-11-18'] (a list)")],
    ids=["number", "number that looks like a date", "list"],
)
def test_a_wake_time_of_another_type_is_a_warning_on_the_run(runtime: RuntimeFixture, written: str, shown: str) -> None:
    """Not an error: the run commits. Not silence: its sentence says it."""
    runtime.deploy(wakes(written))
    runtime.tick()
    run = runtime.runs("C")[-1]
    assert (run.status, runtime.handler("C").wake_at) == ("committed", None)
    assert run.summary is not None
    assert run.summary == f"wake_at: {shown} is not a date and time and was ignored; write for example ctx.now."


@pytest.mark.parametrize("takes", [True, False], ids=["taking", "taking nothing"])
def test_an_absent_wake_time_clears_the_previous_one(runtime: RuntimeFixture, takes: bool) -> None:  # noqa: FBT001
    """Whether or not anything is reserved."""
    way = "dayhand.prepared(reserve=ctx.peek(t))" if takes else "dayhand.nothing()"
    runtime.deploy(
        prepare(
            "from datetime import timedelta\n"
            f"if ctx.peek(t):\n    return {way}\nreturn dayhand.nothing(wake_at=ctx.now + timedelta(hours=1))"
        )
    )
    runtime.tick()
    assert runtime.handler("C").wake_at is not None
    runtime.publish("a")
    runtime.tick()
    assert runtime.handler("C").wake_at is None


def test_a_wake_time_is_stored_even_when_events_are_reserved(runtime: RuntimeFixture) -> None:
    runtime.deploy(
        prepare(
            "from datetime import timedelta\n"
            "return dayhand.prepared(reserve=ctx.peek(t), wake_at=ctx.now + timedelta(hours=1))",
            "def mutate(self, ctx, prepared):\n    ctx.call('world:x', 'send')",
        )
    )
    runtime.tick()
    assert runtime.runs("C")[-1].status == "paused:approval" and runtime.handler("C").wake_at is not None


def test_two_consumers_keep_their_own_wakes_over_a_restart(runtime: RuntimeFixture) -> None:
    second = wakes("ctx.now + timedelta(hours=3)").removeprefix(HEAD).replace("class C", "class D")
    runtime.deploy(wakes("ctx.now + timedelta(hours=1)") + second)
    runtime.tick()
    before = runtime.handler("C").wake_at, runtime.handler("D").wake_at
    runtime.crash()
    assert (runtime.handler("C").wake_at, runtime.handler("D").wake_at) == before
    runtime.tick()
    seen = run_count(runtime, "C"), run_count(runtime, "D")
    runtime.pass_time(HOUR + MINUTE)
    assert (run_count(runtime, "C"), run_count(runtime, "D")) == (seen[0] + 1, seen[1])


def test_after_a_restart_each_consumer_runs_once(runtime: RuntimeFixture) -> None:
    runtime.deploy(IDLE)
    runtime.publish("a")
    runtime.tick()
    before = run_count(runtime)
    runtime.crash(off=HOUR)
    runtime.pass_time(10 * MINUTE)
    assert run_count(runtime) == before + 1


def test_after_a_resume_each_consumer_runs_once(runtime: RuntimeFixture) -> None:
    runtime.deploy(IDLE)
    runtime.tick()
    before = run_count(runtime)
    runtime.commands.pause("w")
    runtime.publish("a")
    runtime.pass_time(HOUR)
    assert run_count(runtime) == before, "nothing runs while it is paused"
    runtime.commands.resume("w")
    runtime.pass_time(10 * MINUTE)
    assert run_count(runtime) == before + 1
    runtime.commands.pause("w")
    runtime.commands.resume("w")
    runtime.pass_time(10 * MINUTE)
    assert run_count(runtime) == before + 2, "even without new events"


def test_a_wake_time_missed_while_the_app_was_off_runs_at_the_start(runtime: RuntimeFixture) -> None:
    runtime.deploy(wakes("ctx.now + timedelta(hours=1)"))
    runtime.tick()
    before = run_count(runtime)
    runtime.crash(off=2 * HOUR)
    runtime.tick()
    assert run_count(runtime) == before + 1
    wake = runtime.handler("C").wake_at
    assert wake is not None and wake > runtime.clock.wall, "it does not run twice"
