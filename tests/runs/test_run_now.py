"""Run now: queues what can be started, says why not where it cannot, and moves no regular time."""

from datetime import timedelta

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.rules.failures import FailureClass
from scheduler.timing.policies import Need
from tests.engine.harness import HOUR, MINUTE
from tests.runs.scripts import HEAD, consumer, job, producer
from tests.runs.shop import Shop, fail

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


def refusal(shop: Shop, *target: str, **options: bool) -> str:
    with pytest.raises(RefusedError) as refused:
        shop.commands.run(*target, **options)
    return str(refused.value)


def hold(shop: Shop, name: str = "go") -> str:
    return f"import os, time\nwhile not os.path.exists({str(shop.folder / name)!r}):\n    time.sleep(0.01)"


def test_every_producer_runs_one_after_the_other(shop: Shop) -> None:
    script = producer("ctx.publish(t, id=ctx.key)\nreturn state", run_on_deploy=False)  # type: ignore[arg-type]
    second = script[script.index("@flow.producer") : script.index("@flow.consumer")].replace("def p(", "def q(")
    shop.deploy(script + second)
    answer = shop.commands.run("w")
    shop.tick()
    begun = [run for run in shop.runs() if run.handler in "pq"]
    assert {run.id for run in begun} == set(answer["runs"])
    assert sorted((run.handler, run.trigger, run.status) for run in begun) == [
        ("p", "manual", "committed"),
        ("q", "manual", "committed"),
    ]
    assert len(shop.pending()) == 2 and shop.runs()[-1].handler == "C", "consumers follow by themselves"


def test_the_only_job_or_the_one_named(shop: Shop) -> None:
    shop.deploy(job("pass"))
    shop.commands.run("w")
    shop.deploy(TWO_JOBS.replace('"W"', '"V"'), path="v.py")
    shop.commands.run("v", "b")
    shop.tick()
    assert (shop.states("j"), shop.states("a", "v"), shop.states("b", "v")) == (["succeeded"], [], ["succeeded"])


def test_the_regular_times_do_not_move(shop: Shop) -> None:
    """P6."""
    shop.deploy(job("pass"))
    before = shop.schedule("j")
    for _ in range(4):
        shop.commands.run("w")
        shop.tick()
        shop.clock.move(MINUTE)
    assert (shop.schedule("j").next_at, shop.schedule("j").runs) == (before.next_at, before.runs)
    shop.pass_time(HOUR)
    assert [row.origin for row in shop.occurrences("j")] == ["manual"] * 4 + ["automatic"]


def test_what_runs_beside_the_regular_times_is_planned_for_a_whole_second(shop: Shop) -> None:
    shop.clock.move(timedelta(milliseconds=1500))
    shop.deploy(producer())
    shop.tick()
    shop.commands.run("w")
    shop.tick()
    assert sorted((one.origin, one.planned.microsecond, one.due.microsecond) for one in shop.occurrences("p")) == [
        ("deploy", 0, 500_000),
        ("manual", 0, 500_000),
    ]


def test_twice_in_one_second_is_two_runs(shop: Shop) -> None:
    """P4."""
    shop.deploy(job("pass"))
    first, second = shop.commands.run("w"), shop.commands.run("w")
    shop.tick()
    assert first != second and shop.states("j") == ["succeeded"] * 2


def test_the_same_request_runs_once(shop: Shop) -> None:
    shop.deploy(job("pass"))
    assert shop.commands.run("w", request="r") == shop.commands.run("w", request="r")
    shop.tick()
    assert shop.states("j") == ["succeeded"]


def test_refused_while_it_runs_with_the_offer_to_start_it_afterwards(shop: Shop) -> None:
    shop.deploy(job(hold(shop)))
    shop.commands.run("w")
    shop.until_begun()
    assert refusal(shop, "w") == "W is running now; dayhand run w --when-finished starts it afterwards."
    shop.commands.run("w", when_finished=True)
    shop.engine.tick(shop.clock.wall)
    assert len(shop.active()) == 1
    (shop.folder / "go").touch()
    shop.tick()
    assert shop.states("j") == ["succeeded"] * 2


def test_refused_while_its_consumer_runs(shop: Shop) -> None:
    script = producer(run_on_deploy=False).replace(
        "        return dayhand.nothing()", f"        exec({hold(shop)!r})\n        return dayhand.nothing()"
    )  # type: ignore[arg-type]
    shop.deploy(script)
    shop.until_begun()
    assert "W is running now" in refusal(shop, "w")
    (shop.folder / "go").touch()


def test_refused_while_paused(shop: Shop) -> None:
    shop.deploy(job("pass"))
    shop.commands.pause("w")
    assert refusal(shop, "w") == "W is paused; first: dayhand resume w"
    shop.commands.archive("w")
    assert refusal(shop, "w") == "W is archived; first: dayhand resume w"
    shop.commands.resume("w")
    shop.commands.pause_all()
    assert refusal(shop, "w") == "Everything is paused; first: dayhand resume --all"


@pytest.mark.parametrize(
    ("failure", "help_line"),
    [
        (FailureClass.TRANSIENT, "It tries again by itself; dayhand retry w does so now."),
        (FailureClass.AUTH, "Reconnect the account first: dayhand attention"),
        (FailureClass.PERMISSION, "Answer first: dayhand attention"),
        (FailureClass.LOGIC, "Put the script right and deploy it again, or try again: dayhand retry w"),
        (FailureClass.INTERNAL, "Try again: dayhand retry w"),
    ],
)
def test_refused_while_held_up_naming_what_helps(shop: Shop, failure: FailureClass, help_line: str) -> None:
    shop.world.read_fails = [fail(failure, "It rains.")]
    shop.deploy(producer("ctx.call('world:x', 'look')\nreturn state"))
    shop.tick()
    place = "w.py, line 8: " if failure is FailureClass.LOGIC else ""
    assert refusal(shop, "w") == f"W is held up: {place}It rains. {help_line}"
    assert refusal(shop, "w", "p", when_finished=True).startswith("W is held up")


def test_refused_while_nobody_knows_whether_it_happened(shop: Shop) -> None:
    shop.world.fails = [fail(FailureClass.UNSURE, "The line broke.")]
    extra = "\n@flow.producer(every='1h', publishes=[t], run_on_deploy=False)\ndef p(ctx, state):\n    return state\n"
    shop.deploy(consumer(tool="blind") + extra)
    shop.publish("a")
    shop.tick()
    assert refusal(shop, "w").endswith("Say first whether it happened: dayhand attention")


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        (("nowhere",), "There is no workflow nowhere. There are: v, w."),
        (("w", "nobody"), "W has no nobody. It has: a, b."),
        (("w",), "Say which: w/a, w/b."),
        (("v", "C"), "C runs by itself when there is something for it."),
        (("v",), "V has nothing to start: it runs by itself when there is something for it."),
    ],
)
def test_refused_where_it_is_not_clear_what_to_start(shop: Shop, target: tuple[str, ...], sentence: str) -> None:
    shop.deploy(TWO_JOBS)
    shop.deploy(consumer().replace('"W"', '"V"'), path="v.py")
    assert refusal(shop, *target) == sentence


def test_refused_for_a_schedule_that_was_set_aside(shop: Shop) -> None:
    shop.deploy(job("pass"))
    with shop.database.write() as db:
        db.execute("UPDATE schedules SET trouble = 'The zone is unknown.'")
    assert "The zone is unknown." in refusal(shop, "w")


def test_a_paused_handler_can_still_be_run(shop: Shop) -> None:
    """The person's own wish."""
    shop.deploy(job("pass"))
    shop.commands.pause("w", "j")
    shop.commands.run("w")
    shop.tick()
    assert shop.states("j") == ["succeeded"]


def test_it_runs_though_the_machine_does_not_offer_what_it_needs(shop: Shop) -> None:
    shop.deploy(job("pass", needs="network"))
    shop.moods.held = {Need.NETWORK: False}
    shop.pass_time(HOUR)
    assert shop.states("j") == ["queued"]
    shop.commands.run("w")
    shop.pass_time(timedelta(seconds=1))
    assert sorted(shop.states("j")) == ["queued", "succeeded"]
