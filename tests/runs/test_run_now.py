"""Run now: queues what can start, names the reason if nothing can, and moves no regular time."""

from datetime import timedelta

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.rules.failures import FailureClass
from scheduler.timing.policies import Need
from tests.engine.engine_fixture import HOUR, MINUTE
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import HEAD, consumer, job, producer

TWO_JOBS = (
    HEAD.replace("t = flow.topic", "_ = flow.topic")
    + """
@flow.job(every="1h")
def a(ctx):
    pass

@flow.job(every="1h")
def b(ctx):
    pass
"""
)


def refusal(runtime: RuntimeFixture, *target: str, **options: bool) -> str:
    with pytest.raises(RefusedError) as refused:
        runtime.commands.run(*target, **options)
    return str(refused.value)


def hold(runtime: RuntimeFixture, name: str = "go") -> str:
    return f"import os, time\nwhile not os.path.exists({str(runtime.folder / name)!r}):\n    time.sleep(0.01)"


def test_every_producer_runs_one_after_the_other(runtime: RuntimeFixture) -> None:
    script = producer("ctx.publish(t, id=ctx.key)\nreturn state", run_on_deploy=False)  # type: ignore[arg-type]
    second = script[script.index("@flow.producer") : script.index("@flow.consumer")].replace("def p(", "def q(")
    runtime.deploy(script + second)
    answer = runtime.commands.run("w")
    runtime.tick()
    begun = [run for run in runtime.runs() if run.handler in "pq"]
    assert {run.id for run in begun} == set(answer["runs"])
    assert sorted((run.handler, run.trigger, run.status) for run in begun) == [
        ("p", "manual", "committed"),
        ("q", "manual", "committed"),
    ]
    assert len(runtime.pending()) == 2 and runtime.runs()[-1].handler == "C", "consumers follow automatically"


def test_the_only_job_or_the_named_one_runs(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    runtime.commands.run("w")
    runtime.deploy(TWO_JOBS.replace('"W"', '"V"'), path="v.py")
    runtime.commands.run("v", "b")
    runtime.tick()
    assert (runtime.states("j"), runtime.states("a", "v"), runtime.states("b", "v")) == (
        ["succeeded"],
        [],
        ["succeeded"],
    )


def test_the_regular_times_do_not_move(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    before = runtime.schedule("j")
    for _ in range(4):
        runtime.commands.run("w")
        runtime.tick()
        runtime.clock.move(MINUTE)
    assert (runtime.schedule("j").next_at, runtime.schedule("j").runs) == (before.next_at, before.runs)
    runtime.pass_time(HOUR)
    assert [row.origin for row in runtime.occurrences("j")] == ["manual"] * 4 + ["automatic"]


def test_manual_and_deploy_runs_are_planned_for_a_whole_second(runtime: RuntimeFixture) -> None:
    runtime.clock.move(timedelta(milliseconds=1500))
    runtime.deploy(producer())
    runtime.tick()
    runtime.commands.run("w")
    runtime.tick()
    assert sorted((one.origin, one.planned.microsecond, one.due.microsecond) for one in runtime.occurrences("p")) == [
        ("deploy", 0, 500_000),
        ("manual", 0, 500_000),
    ]


def test_twice_in_one_second_is_two_runs(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    first, second = runtime.commands.run("w"), runtime.commands.run("w")
    runtime.tick()
    assert first != second and runtime.states("j") == ["succeeded"] * 2


def test_the_same_request_runs_once(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    assert runtime.commands.run("w", idempotency_key="r") == runtime.commands.run("w", idempotency_key="r")
    runtime.tick()
    assert runtime.states("j") == ["succeeded"]


def test_refused_while_it_runs_with_the_offer_to_start_it_afterwards(runtime: RuntimeFixture) -> None:
    runtime.deploy(job(hold(runtime)))
    runtime.commands.run("w")
    runtime.tick_until_active()
    assert refusal(runtime, "w") == "W is running now; dayhand run w/j --when-finished starts it afterwards."
    runtime.commands.run("w", when_finished=True)
    runtime.engine.tick(runtime.clock.wall)
    assert len(runtime.active()) == 1
    (runtime.folder / "go").touch()
    runtime.tick()
    assert runtime.states("j") == ["succeeded"] * 2


def test_refused_while_its_consumer_runs(runtime: RuntimeFixture) -> None:
    script = producer(run_on_deploy=False).replace(
        "        return dayhand.nothing()", f"        exec({hold(runtime)!r})\n        return dayhand.nothing()"
    )  # type: ignore[arg-type]
    runtime.deploy(script)
    runtime.tick_until_active()
    assert "W is running now" in refusal(runtime, "w")
    (runtime.folder / "go").touch()


def test_refused_while_paused(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    runtime.commands.pause("w")
    assert refusal(runtime, "w") == "W is paused; first: dayhand resume w"
    runtime.commands.archive("w")
    assert refusal(runtime, "w") == "W is archived; first: dayhand resume w"
    runtime.commands.resume("w")
    runtime.commands.pause_all()
    assert refusal(runtime, "w") == "Everything is paused; first: dayhand resume --all"


@pytest.mark.parametrize(
    ("failure", "help_line"),
    [
        (FailureClass.TRANSIENT, "It will be retried automatically; to retry now: dayhand retry w"),
        (FailureClass.AUTH, "Reconnect the account first: dayhand attention"),
        (FailureClass.PERMISSION, "Answer first: dayhand attention"),
        (FailureClass.LOGIC, "Fix the script and deploy it again, or try again: dayhand retry w"),
        (FailureClass.INTERNAL, "Try again: dayhand retry w"),
    ],
)
def test_refused_while_blocked_naming_what_helps(
    runtime: RuntimeFixture, failure: FailureClass, help_line: str
) -> None:
    runtime.service.read_fails = [fail(failure, "It rains.")]
    runtime.deploy(producer("ctx.call('world:x', 'look')\nreturn state"))
    runtime.tick()
    place = "w.py, line 8: " if failure is FailureClass.LOGIC else ""
    assert refusal(runtime, "w") == f"W is blocked: {place}It rains. {help_line}"
    assert refusal(runtime, "w", "p", when_finished=True).startswith("W is blocked")


def test_refused_while_the_outcome_is_unknown(runtime: RuntimeFixture) -> None:
    runtime.service.fails = [fail(FailureClass.UNSURE, "The line broke.")]
    extra = "\n@flow.producer(every='1h', publishes=[t], run_on_deploy=False)\ndef p(ctx, state):\n    return state\n"
    runtime.deploy(consumer(tool="blind") + extra)
    runtime.publish("a")
    runtime.tick()
    assert refusal(runtime, "w").endswith("First answer whether it happened: dayhand attention")


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        (("nowhere",), "There is no workflow nowhere. There are: v, w."),
        (("w", "nobody"), "W has no nobody. It has: a, b."),
        (("w",), "Choose one: w/a, w/b."),
        (("v", "C"), "C runs when something arrives."),
        (("v",), "V has nothing to start: it runs when something arrives."),
    ],
)
def test_refused_where_it_is_not_clear_what_to_start(
    runtime: RuntimeFixture, target: tuple[str, ...], sentence: str
) -> None:
    runtime.deploy(TWO_JOBS)
    runtime.deploy(consumer().replace('"W"', '"V"'), path="v.py")
    assert refusal(runtime, *target) == sentence


def test_refused_for_a_schedule_that_was_set_aside(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    with runtime.database.write() as db:
        db.execute("UPDATE schedules SET trouble = 'The zone is unknown.'")
    assert "The zone is unknown." in refusal(runtime, "w")


def test_a_paused_handler_can_still_be_run(runtime: RuntimeFixture) -> None:
    """The user asked for it."""
    runtime.deploy(job("pass"))
    runtime.commands.pause("w", "j")
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.states("j") == ["succeeded"]


def test_it_runs_even_if_its_conditions_are_not_met(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass", needs="network"))
    runtime.conditions.held = {Need.NETWORK: False}
    runtime.pass_time(HOUR)
    assert runtime.states("j") == ["queued"]
    runtime.commands.run("w")
    runtime.pass_time(timedelta(seconds=1))
    assert sorted(runtime.states("j")) == ["queued", "succeeded"]
