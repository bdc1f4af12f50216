"""Passing failures: tried again after growing waits, blocked at the fifth, and the whole chain is one run."""

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs.workshop import NoWorkerError
from scheduler.rules.failures import FailureClass
from scheduler.timing.policies import Need
from tests.engine.harness import DAY, HOUR, MINUTE, SECOND
from tests.runs.scripts import consumer, job, producer
from tests.runs.shop import Shop, fail

READS = 'ctx.call("world:x", "look")\nctx.done("read")'
PASSING = fail(FailureClass.TRANSIENT, "The server is busy.")
WAITS = [30, 60, 300, 900]


def fail_often(shop: Shop, times: int, **options: str) -> None:
    """A job that fails so many times, at its first attempt."""
    shop.world.read_fails = [PASSING] * times
    shop.deploy(job(READS, **{"every": "7d", **options}))
    shop.clock.move(7 * DAY)
    shop.tick()


def next_attempt(shop: Shop) -> float:
    """Let it try again; after how many seconds that was."""
    [waiting] = [run for run in shop.runs("j") if run.resume_at is not None]
    assert waiting.resume_at is not None
    wait = waiting.resume_at - shop.clock.wall
    assert shop.lane("j").until == waiting.resume_at
    shop.clock.move(wait)
    shop.tick()
    return wait.total_seconds()


@pytest.mark.parametrize("restarts", [False, True])
def test_the_waits_grow_and_the_fifth_failure_blocks(shop: Shop, restarts: bool) -> None:  # noqa: FBT001
    """P2: 30 s, 1, 5 and 15 minutes, each up to a tenth more; also over restarts."""
    fail_often(shop, 5)
    for wait in WAITS:
        assert shop.lane("j").blocked == "retrying"
        assert shop.requests() == []
        if restarts:
            shop.crash()
            shop.tick()
        assert wait <= next_attempt(shop) <= wait * 1.1
    assert (shop.lane("j").blocked, len(shop.world.reads)) == ("too many failures", 5)
    [request] = shop.requests()
    assert (request.kind, request.run) == ("too many failures", shop.runs("j")[-1].id)
    assert "5 times in a row. The server is busy." in request.sentence
    assert [run.attempt for run in shop.runs("j")] == [1, 2, 3, 4, 5]
    shop.pass_time(DAY)
    assert len(shop.world.reads) == 5


def test_the_wait_is_not_drawn_anew(shop: Shop) -> None:
    fail_often(shop, 1)
    [before] = shop.runs("j")
    shop.crash()
    shop.tick()
    [after] = shop.runs("j")
    assert after.resume_at == before.resume_at
    assert after.resume_at is not None


def test_the_chain_is_one_run_of_its_time(shop: Shop) -> None:
    """The occurrence stays started until the chain ends, and a chain that succeeds in the end has succeeded."""
    fail_often(shop, 3)
    for _ in range(3):
        [one] = shop.occurrences("j")
        assert one.state == "started"
        next_attempt(shop)
    [one] = shop.occurrences("j")
    assert (one.state, one.detail) == ("succeeded", "read")
    assert shop.schedule("j").runs == 1
    runs = shop.runs("j")
    assert [run.status for run in runs] == ["paused:transient"] * 3 + ["committed"]
    assert [run.retry_of for run in runs] == [None, *(run.id for run in runs[:-1])]
    assert {run.occurrence for run in runs} == {one.key}


def test_a_chain_that_never_succeeds_has_failed(shop: Shop) -> None:
    fail_often(shop, 5)
    for _ in WAITS:
        next_attempt(shop)
    assert [(one.state, one.detail) for one in shop.occurrences("j")] == [("failed", "The server is busy.")]


def test_a_person_may_try_again_at_once_and_the_count_begins_anew(shop: Shop) -> None:
    """P2: retry resets."""
    fail_often(shop, 6)
    for _ in WAITS:
        next_attempt(shop)
    shop.answering.retry("w")
    assert shop.requests() == []
    shop.tick()
    assert (shop.lane("j").blocked, len(shop.world.reads)) == ("retrying", 6)
    assert 30 <= next_attempt(shop) <= 33
    assert shop.runs("j")[-1].status == "committed"
    assert [one.state for one in shop.occurrences("j")] == ["succeeded"]


def test_trying_again_does_not_wait_for_the_next_attempt(shop: Shop) -> None:
    fail_often(shop, 1)
    shop.answering.retry(shop.runs("j")[-1].id)
    shop.tick()
    assert shop.runs("j")[-1].status == "committed"
    with pytest.raises(RefusedError) as refused:
        shop.answering.retry(shop.runs("j")[-1].id)
    assert refused.value.code == "nothing to retry"


def test_a_resume_forgives(shop: Shop) -> None:
    """P2: resume resets."""
    fail_often(shop, 5)
    for _ in range(3):
        next_attempt(shop)
    assert shop.handler("j").failures == 4
    shop.commands.pause("w")
    shop.commands.resume("w")
    assert shop.handler("j").failures == 0


def test_a_success_ends_the_row(shop: Shop) -> None:
    """P2: consecutive means consecutive."""
    fail_often(shop, 4)
    for _ in WAITS:
        next_attempt(shop)
    assert (shop.runs("j")[-1].status, shop.handler("j").failures) == ("committed", 0)
    shop.world.read_fails = [PASSING]
    shop.commands.run("w")
    shop.tick()
    assert 30 <= next_attempt(shop) <= 33


def test_nothing_to_do_ends_the_row_too(shop: Shop) -> None:
    script = consumer().replace("if not batch", f"{READS.splitlines()[0]}\n        if not batch")
    shop.world.read_fails = [PASSING]
    shop.deploy(script)
    shop.tick()
    assert shop.handler("C").failures == 1
    shop.pass_time(40 * SECOND)
    assert shop.handler("C").failures == 0


def test_the_row_goes_over_several_times_of_a_schedule(shop: Shop) -> None:
    """P2: counted per handler, not per chain: four failures today, one tomorrow."""
    fail_often(shop, 4, every="1d")
    for _ in WAITS[:-1]:
        next_attempt(shop)
    shop.commands.stop("w/j")
    shop.world.read_fails = [PASSING]
    shop.pass_time(DAY)
    assert shop.lane("j").blocked == "too many failures"


def test_a_stop_between_two_attempts_ends_the_chain(shop: Shop) -> None:
    fail_often(shop, 1)
    failures = shop.handler("j").failures
    shop.commands.stop("w/j")
    shop.tick()
    assert [run.status for run in shop.runs("j")] == ["cancelled"]
    assert [(one.state, one.reason) for one in shop.occurrences("j")] == [("cancelled", "stopped")]
    assert shop.lane("j").blocked is None
    assert shop.handler("j").failures == failures
    shop.pass_time(DAY)
    assert len(shop.world.reads) == 1


def test_a_crash_does_not_count_as_a_failure(shop: Shop) -> None:
    """P2: interruptions by a restart do not count."""
    fail_often(shop, 4)
    for _ in range(3):
        next_attempt(shop)
        shop.crash()
        shop.tick()
    assert shop.handler("j").failures == 4
    next_attempt(shop)
    assert shop.runs("j")[-1].status == "committed"


def test_pause_on_failure_pauses_its_schedule_at_once(shop: Shop) -> None:
    """P2: nothing is tried again, and nobody is asked; the note says why."""
    shop.world.read_fails = [PASSING]
    shop.deploy(job(READS, pause_on_failure="yes").replace("'yes'", "True"))
    shop.clock.move(HOUR)
    shop.tick()
    assert [run.status for run in shop.runs("j")] == ["paused:transient"]
    assert [one.state for one in shop.occurrences("j")] == ["failed"]
    row = shop.schedule("j")
    assert (row.paused, row.pause_note) == (True, "Paused after a failure.")
    assert (shop.lane("j").blocked, shop.requests()) == (None, [])
    shop.pass_time(DAY)
    assert len(shop.world.reads) == 1
    shop.commands.resume("w", "j")
    shop.pass_time(HOUR)
    assert shop.runs("j")[-1].status == "committed"


def test_an_author_says_after_how_many_failures_a_person_is_asked(shop: Shop) -> None:
    fail_often(shop, 9, max_failures=2)  # type: ignore[arg-type]
    next_attempt(shop)
    assert (shop.lane("j").blocked, len(shop.world.reads)) == ("too many failures", 2)
    assert "2 times in a row" in shop.requests()[0].sentence


def test_an_author_may_have_it_tried_for_ever(shop: Shop) -> None:
    fail_often(shop, 9, max_failures=0)  # type: ignore[arg-type]
    shop.pass_time(DAY)
    assert (shop.requests(), shop.occurrences("j")[0].state, len(shop.world.reads) > 9) == ([], "succeeded", True)


def test_one_failure_that_is_one_too_many_pauses_the_schedule(shop: Shop) -> None:
    fail_often(shop, 1, max_failures=1)  # type: ignore[arg-type]
    assert (shop.schedule("j").pause_note, shop.requests()) == ("Paused after a failure.", [])


def test_one_failure_that_is_one_too_many_asks_about_a_consumer(shop: Shop) -> None:
    """It has no schedule that could be paused."""
    shop.world.fails = [PASSING]
    shop.deploy(consumer().replace("subscribe=[t]", "subscribe=[t], max_failures=1"))
    shop.publish("a")
    shop.tick()
    assert (shop.lane().blocked, shop.events()) == ("too many failures", {"a": "pending"})
    assert [one.sentence for one in shop.requests()] == [PASSING.sentence]
    shop.answering.retry("w")
    shop.tick()
    assert shop.events() == {"a": "consumed"}


def test_another_attempt_waits_for_what_it_needs(shop: Shop) -> None:
    """needs="network" holds for every attempt."""
    fail_often(shop, 1, needs="network")
    shop.moods.held[Need.NETWORK] = False
    shop.pass_time(HOUR)
    assert len(shop.world.reads) == 1
    shop.moods.held[Need.NETWORK] = True
    shop.engine.stir()
    shop.tick()
    assert shop.runs("j")[-1].status == "committed"


def test_what_has_acted_goes_on_without_what_it_needed(shop: Shop) -> None:
    """Only its end is missing, and that happens in the store."""
    script = consumer().replace('state["told"]', "open(FLAG)\n        state['told']")
    flag = shop.folder / "flag"
    shop.deploy(f"FLAG = {str(flag)!r}\n{script}")
    shop.publish("a")
    shop.tick()
    flag.touch()
    shop.moods.held[Need.NETWORK] = False
    shop.answering.retry("w")
    shop.tick()
    assert shop.events() == {"a": "consumed"}


def test_a_next_attempt_that_gets_no_worker_is_a_failed_attempt(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_often(shop, 1)
    with monkeypatch.context() as patch:

        def refuse(*_: object) -> None:
            raise NoWorkerError("No process could be started.")

        patch.setattr(shop.house.workshop, "acquire", refuse)
        assert 30 <= next_attempt(shop) <= 33
        assert [run.status for run in shop.runs("j")] == ["paused:transient"] * 2
        assert shop.runs("j")[-1].error["sentence"] == "No process could be started."
        assert [one.state for one in shop.occurrences("j")] == ["started"]
    assert 60 <= next_attempt(shop) <= 66
    assert shop.runs("j")[-1].status == "committed"


def test_a_script_error_can_be_tried_again_without_a_change(shop: Shop) -> None:
    flag = shop.folder / "flag"
    shop.deploy(job(f"open({str(flag)!r})"))
    shop.clock.move(HOUR)
    shop.tick()
    [failed] = shop.runs("j")
    assert (failed.status, shop.lane("j").blocked) == ("failed:logic", "script error")
    flag.touch()
    assert shop.answering.retry(failed.id) == {"runs": [failed.id]}
    shop.tick()
    assert shop.runs("j")[-1].status == "committed"
    assert (shop.requests(), shop.lane("j").blocked) == ([], None)


def test_a_producer_that_fails_holds_up_its_lane_and_loses_no_news(shop: Shop) -> None:
    shop.world.read_fails = [PASSING]
    shop.deploy(producer('ctx.publish(t, id="p")\nctx.call("world:x", "look")'))
    shop.tick()
    assert shop.lane().blocked == "retrying"
    assert shop.events() == {}
    shop.pass_time(40 * SECOND)
    assert shop.events() == {"p": "pending"}


def side_by_side(shop: Shop, number: int, *, let_go: bool = True) -> None:
    """So many occurrences of one job that may run side by side have begun, and are let go together."""
    gate = shop.folder / "gate"
    body = f"""
import pathlib, time
while not pathlib.Path({str(gate)!r}).exists():
    time.sleep(0.01)
ctx.call("world:x", "look")
"""
    shop.deploy(job(body, overlap="allow_all"))
    for _ in range(number):
        shop.clock.move(HOUR)
        shop.until_begun()
        shop.wait(lambda: shop._turn() > shop.clock.wall)
    shop.wait(lambda: len(shop.active()) == number)
    if let_go:
        gate.touch()


@pytest.mark.parametrize("kind", [FailureClass.LOGIC, FailureClass.INTERNAL])
def test_two_that_fail_side_by_side_can_both_be_tried_again(shop: Shop, kind: FailureClass) -> None:
    """The lane names one of them; the other is not forgotten."""
    shop.world.read_fails = [fail(kind)] * 2
    side_by_side(shop, 2)
    shop.tick()
    assert [run.status for run in shop.runs("j")] == [f"failed:{kind.value}"] * 2
    assert len(shop.requests()) == 2
    for run in shop.runs("j"):
        shop.answering.retry(run.id)
        shop.tick()
    assert [run.status for run in shop.runs("j")[2:]] == ["committed"] * 2
    assert (shop.requests(), shop.lane("j").blocked) == ([], None)


def test_two_that_wait_side_by_side_both_go_on(shop: Shop) -> None:
    """Passing failures of both: the lane opens again for the second when the first has been taken up."""
    shop.world.read_fails = [PASSING] * 2
    side_by_side(shop, 2)
    shop.tick()
    shop.pass_time(3 * MINUTE)
    assert [one.state for one in shop.occurrences("j")] == ["succeeded"] * 2
    assert shop.lane("j").blocked is None


def test_two_that_find_a_login_expired_side_by_side_both_go_on(shop: Shop) -> None:
    """F3: the lane names one of them, and both are waited for."""
    shop.world.read_fails = [fail(FailureClass.AUTH, "Sign in again.")] * 2
    side_by_side(shop, 2)
    shop.tick()
    assert [run.status for run in shop.runs("j")] == ["paused:approval"] * 2
    assert [request.kind for request in shop.requests()] == ["reconnect"]
    shop.house.connect("world:x", {})
    shop.tick()
    assert [one.state for one in shop.occurrences("j")] == ["succeeded"] * 2
    assert (shop.requests(), shop.lane("j").blocked) == ([], None)


def test_two_that_crash_side_by_side_are_both_asked_about(shop: Shop) -> None:
    shop.deploy(job("import time\nwhile not ctx.cancelled:\n    time.sleep(0.01)", overlap="allow_all"))
    for _ in range(2):
        shop.clock.move(HOUR)
        shop.until_begun()
        shop.wait(lambda: shop._turn() > shop.clock.wall)
    shop.wait(lambda: len(shop.active()) == 2)
    shop.crash()
    assert [request.kind for request in shop.requests()] == ["interrupted"] * 2
    assert [one.state for one in shop.occurrences("j")] == ["started"] * 2
    for run in shop.runs("j"):
        shop.answering.resolve(run.id, "happened")
    shop.tick()
    assert [one.state for one in shop.occurrences("j")] == ["succeeded"] * 2
    assert (shop.requests(), shop.lane("j").blocked) == ([], None)


@pytest.mark.parametrize("kind", [FailureClass.TRANSIENT, FailureClass.LOGIC])
def test_one_that_fails_after_its_handler_was_removed_is_let_go(shop: Shop, kind: FailureClass) -> None:
    """It finished on its own version, and nobody is left to try again; it does not hold up its workflow for ever."""
    shop.world.read_fails = [fail(kind)]
    side_by_side(shop, 1, let_go=False)
    shop.deploy(consumer())
    (shop.folder / "gate").touch()
    shop.tick()
    if kind is FailureClass.LOGIC:
        shop.answering.retry(shop.runs("j")[-1].id)
    shop.pass_time(MINUTE)
    [run] = shop.runs("j")
    assert (run.status, run.resume_at) == ("cancelled", None)
    assert "removed" in str(run.summary)
    assert shop.requests() == []
    assert [one.state for one in shop.occurrences("j") if one.state in ("queued", "started")] == []


def test_a_stop_of_a_running_attempt_neither_counts_nor_ends_the_row(shop: Shop) -> None:
    """P2"""
    shop.world.read_fails = [PASSING]
    shop.deploy(job('import time\nctx.call("world:x", "look")\nwhile not ctx.cancelled:\n    time.sleep(0.01)'))
    shop.clock.move(HOUR)
    shop.tick()
    shop.clock.move(MINUTE)
    shop.wait(lambda: len(shop.world.reads) == 2)
    shop.commands.stop("w/j")
    shop.tick()
    assert [run.status for run in shop.runs("j")] == ["paused:transient", "cancelled"]
    assert [one.state for one in shop.occurrences("j")] == ["cancelled"]
    assert shop.handler("j").failures == 1
