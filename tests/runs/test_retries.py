"""Transient failures: retried with growing delays, blocked at the fifth; the chain is one occurrence."""

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.runs.script_workers import NoWorkerError
from scheduler.rules.failures import FailureClass
from scheduler.timing.policies import Need
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer, job, producer

READS = 'ctx.call("world:x", "look")\nctx.done("read")'
PASSING = fail(FailureClass.TRANSIENT, "The server is busy.")
WAITS = [30, 60, 300, 900]


def start_failing_job(runtime: RuntimeFixture, times: int, **options: str) -> None:
    """Deploy a job that fails that many times, and run its first attempt."""
    runtime.service.read_fails = [PASSING] * times
    runtime.deploy(job(READS, **{"every": "7d", **options}))
    runtime.clock.move(7 * DAY)
    runtime.tick()


def next_attempt(runtime: RuntimeFixture) -> float:
    """Move to the next attempt and run it; returns the delay in seconds."""
    [waiting] = [run for run in runtime.runs("j") if run.resume_at is not None]
    assert waiting.resume_at is not None
    wait = waiting.resume_at - runtime.clock.wall
    assert runtime.lane("j").until == waiting.resume_at
    runtime.clock.move(wait)
    runtime.tick()
    return wait.total_seconds()


@pytest.mark.parametrize("restarts", [False, True])
def test_the_delays_grow_and_the_fifth_failure_blocks(runtime: RuntimeFixture, restarts: bool) -> None:  # noqa: FBT001
    """30 s, 1, 5 and 15 minutes, each up to 10 % more; even over restarts."""
    start_failing_job(runtime, 5)
    for wait in WAITS:
        assert runtime.lane("j").blocked == "retrying"
        assert runtime.requests() == []
        if restarts:
            runtime.crash()
            runtime.tick()
        assert wait <= next_attempt(runtime) <= wait * 1.1
    assert (runtime.lane("j").blocked, len(runtime.service.reads)) == ("too many failures", 5)
    [request] = runtime.requests()
    assert (request.kind, request.run) == ("too many failures", runtime.runs("j")[-1].id)
    assert "5 times in a row. The server is busy." in request.sentence
    assert [run.attempt for run in runtime.runs("j")] == [1, 2, 3, 4, 5]
    runtime.pass_time(DAY)
    assert len(runtime.service.reads) == 5


def test_a_restart_does_not_change_the_delay(runtime: RuntimeFixture) -> None:
    start_failing_job(runtime, 1)
    [before] = runtime.runs("j")
    runtime.crash()
    runtime.tick()
    [after] = runtime.runs("j")
    assert after.resume_at == before.resume_at
    assert after.resume_at is not None


def test_a_chain_of_attempts_is_one_occurrence(runtime: RuntimeFixture) -> None:
    """The occurrence stays started until the chain ends, and succeeds if the last attempt does."""
    start_failing_job(runtime, 3)
    for _ in range(3):
        [one] = runtime.occurrences("j")
        assert one.state == "started"
        next_attempt(runtime)
    [one] = runtime.occurrences("j")
    assert (one.state, one.detail) == ("succeeded", "read")
    assert runtime.schedule("j").runs == 1
    runs = runtime.runs("j")
    assert [run.status for run in runs] == ["paused:transient"] * 3 + ["committed"]
    assert [run.retry_of for run in runs] == [None, *(run.id for run in runs[:-1])]
    assert {run.occurrence for run in runs} == {one.key}


def test_a_chain_that_never_succeeds_has_failed(runtime: RuntimeFixture) -> None:
    start_failing_job(runtime, 5)
    for _ in WAITS:
        next_attempt(runtime)
    assert [(one.state, one.detail) for one in runtime.occurrences("j")] == [("failed", "The server is busy.")]


def test_a_retry_by_the_user_runs_at_once_and_resets_the_count(runtime: RuntimeFixture) -> None:
    start_failing_job(runtime, 6)
    for _ in WAITS:
        next_attempt(runtime)
    runtime.request_commands.retry("w")
    assert runtime.requests() == []
    runtime.tick()
    assert (runtime.lane("j").blocked, len(runtime.service.reads)) == ("retrying", 6)
    assert 30 <= next_attempt(runtime) <= 33
    assert runtime.runs("j")[-1].status == "committed"
    assert [one.state for one in runtime.occurrences("j")] == ["succeeded"]


def test_a_retry_does_not_wait_for_the_next_attempt(runtime: RuntimeFixture) -> None:
    start_failing_job(runtime, 1)
    runtime.request_commands.retry(runtime.runs("j")[-1].id)
    runtime.tick()
    assert runtime.runs("j")[-1].status == "committed"
    with pytest.raises(RefusedError) as refused:
        runtime.request_commands.retry(runtime.runs("j")[-1].id)
    assert refused.value.code == "nothing to retry"


def test_a_resume_resets_the_failure_count(runtime: RuntimeFixture) -> None:
    start_failing_job(runtime, 5)
    for _ in range(3):
        next_attempt(runtime)
    assert runtime.handler("j").failures == 4
    runtime.commands.pause("w")
    runtime.commands.resume("w")
    assert runtime.handler("j").failures == 0


def test_a_success_resets_the_failure_count(runtime: RuntimeFixture) -> None:
    start_failing_job(runtime, 4)
    for _ in WAITS:
        next_attempt(runtime)
    assert (runtime.runs("j")[-1].status, runtime.handler("j").failures) == ("committed", 0)
    runtime.service.read_fails = [PASSING]
    runtime.commands.run("w")
    runtime.tick()
    assert 30 <= next_attempt(runtime) <= 33


def test_a_run_with_nothing_to_do_resets_the_failure_count(runtime: RuntimeFixture) -> None:
    script = consumer().replace("if not batch", f"{READS.splitlines()[0]}\n        if not batch")
    runtime.service.read_fails = [PASSING]
    runtime.deploy(script)
    runtime.tick()
    assert runtime.handler("C").failures == 1
    runtime.pass_time(40 * SECOND)
    assert runtime.handler("C").failures == 0


def test_failures_are_counted_across_occurrences(runtime: RuntimeFixture) -> None:
    """Per handler, not per chain: four failures today, one tomorrow."""
    start_failing_job(runtime, 4, every="1d")
    for _ in WAITS[:-1]:
        next_attempt(runtime)
    runtime.commands.stop("w/j")
    runtime.service.read_fails = [PASSING]
    runtime.pass_time(DAY)
    assert runtime.lane("j").blocked == "too many failures"


def test_a_stop_between_two_attempts_ends_the_chain(runtime: RuntimeFixture) -> None:
    start_failing_job(runtime, 1)
    failures = runtime.handler("j").failures
    runtime.commands.stop("w/j")
    runtime.tick()
    [run] = runtime.runs("j")
    assert (run.status, run.followed, run.resume_at) == ("paused:transient", True, None), "it ended when it failed"
    assert [(one.state, one.reason) for one in runtime.occurrences("j")] == [("cancelled", "stopped")]
    assert runtime.lane("j").blocked is None
    assert runtime.handler("j").failures == failures
    runtime.pass_time(DAY)
    assert len(runtime.service.reads) == 1


def test_a_crash_does_not_count_as_a_failure(runtime: RuntimeFixture) -> None:
    """Nor does an interruption by a restart."""
    start_failing_job(runtime, 4)
    for _ in range(3):
        next_attempt(runtime)
        runtime.crash()
        runtime.tick()
    assert runtime.handler("j").failures == 4
    next_attempt(runtime)
    assert runtime.runs("j")[-1].status == "committed"


def test_pause_on_failure_pauses_its_schedule_at_once(runtime: RuntimeFixture) -> None:
    """Nothing is retried, and nothing waits for an answer; the note says why."""
    runtime.service.read_fails = [PASSING]
    runtime.deploy(job(READS, pause_on_failure="yes").replace("'yes'", "True"))
    runtime.clock.move(HOUR)
    runtime.tick()
    assert [run.status for run in runtime.runs("j")] == ["paused:transient"]
    assert [one.state for one in runtime.occurrences("j")] == ["failed"]
    row = runtime.schedule("j")
    assert (row.paused, row.pause_note) == (True, "Paused after a failure.")
    assert (runtime.lane("j").blocked, [one.kind for one in runtime.requests()]) == (None, ["run failed"])
    runtime.pass_time(DAY)
    assert len(runtime.service.reads) == 1
    runtime.commands.resume("w", "j")
    runtime.pass_time(HOUR)
    assert runtime.runs("j")[-1].status == "committed"


def test_max_failures_sets_when_the_user_is_asked(runtime: RuntimeFixture) -> None:
    start_failing_job(runtime, 9, max_failures=2)  # type: ignore[arg-type]
    next_attempt(runtime)
    assert (runtime.lane("j").blocked, len(runtime.service.reads)) == ("too many failures", 2)
    assert "2 times in a row" in runtime.requests()[0].sentence


def test_max_failures_zero_retries_forever(runtime: RuntimeFixture) -> None:
    start_failing_job(runtime, 9, max_failures=0)  # type: ignore[arg-type]
    runtime.pass_time(DAY)
    assert (runtime.requests(), runtime.occurrences("j")[0].state, len(runtime.service.reads) > 9) == (
        [],
        "succeeded",
        True,
    )


def test_max_failures_one_stops_a_job_at_the_first_failure(runtime: RuntimeFixture) -> None:
    start_failing_job(runtime, 1, max_failures=1)  # type: ignore[arg-type]
    assert [one.kind for one in runtime.requests()] == ["too many failures"]
    runtime.pass_time(DAY)
    assert len(runtime.service.reads) == 1


def test_max_failures_one_pauses_the_schedule_of_a_producer(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [PASSING]
    runtime.deploy(producer(READS.partition("\n")[0], max_failures=1))  # type: ignore[arg-type]
    runtime.tick()
    assert (runtime.schedule("p").pause_note, runtime.lane().blocked) == ("Paused after a failure.", None)
    assert [one.kind for one in runtime.requests()] == ["run failed"]


def test_max_failures_one_asks_about_a_consumer(runtime: RuntimeFixture) -> None:
    """It has no schedule that could be paused."""
    runtime.service.fails = [PASSING]
    runtime.deploy(consumer().replace("subscribe=[t]", "subscribe=[t], max_failures=1"))
    runtime.publish("a")
    runtime.tick()
    assert (runtime.lane().blocked, runtime.events()) == ("too many failures", {"a": "pending"})
    assert [one.sentence for one in runtime.requests()] == [PASSING.sentence]
    runtime.request_commands.retry("w")
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}


def test_a_retry_waits_for_its_conditions(runtime: RuntimeFixture) -> None:
    """needs="network" holds for every attempt."""
    start_failing_job(runtime, 1, needs="network")
    runtime.conditions.held[Need.NETWORK] = False
    runtime.pass_time(HOUR)
    assert len(runtime.service.reads) == 1
    runtime.conditions.held[Need.NETWORK] = True
    runtime.engine.wake()
    runtime.tick()
    assert runtime.runs("j")[-1].status == "committed"


def test_a_run_that_acted_continues_without_its_conditions(runtime: RuntimeFixture) -> None:
    """Only `next` is left, which needs no network."""
    script = consumer().replace('state["told"]', "open(FLAG)\n        state['told']")
    flag = runtime.folder / "flag"
    runtime.deploy(f"FLAG = {str(flag)!r}\n{script}")
    runtime.publish("a")
    runtime.tick()
    flag.touch()
    runtime.conditions.held[Need.NETWORK] = False
    runtime.request_commands.retry("w")
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}


def test_a_retry_without_a_worker_is_a_failed_attempt(runtime: RuntimeFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    start_failing_job(runtime, 1)
    with monkeypatch.context() as patch:

        def refuse(*_: object) -> None:
            raise NoWorkerError("No process could be started.")

        patch.setattr(runtime.services.script_workers, "acquire", refuse)
        assert 30 <= next_attempt(runtime) <= 33
        assert [run.status for run in runtime.runs("j")] == ["paused:transient"] * 2
        assert runtime.runs("j")[-1].error["sentence"] == "No process could be started."
        assert [one.state for one in runtime.occurrences("j")] == ["started"]
    assert 60 <= next_attempt(runtime) <= 66
    assert runtime.runs("j")[-1].status == "committed"


def test_a_script_error_can_be_retried_without_a_change(runtime: RuntimeFixture) -> None:
    flag = runtime.folder / "flag"
    runtime.deploy(job(f"open({str(flag)!r})"))
    runtime.clock.move(HOUR)
    runtime.tick()
    [failed] = runtime.runs("j")
    assert (failed.status, runtime.lane("j").blocked) == ("failed:logic", "backing off")
    flag.touch()
    assert runtime.request_commands.retry(failed.id) == {"runs": [failed.id]}
    runtime.tick()
    assert runtime.runs("j")[-1].status == "committed"
    assert (runtime.requests(), runtime.lane("j").blocked) == ([], None)


def test_a_failing_producer_blocks_its_lane_and_loses_no_events(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [PASSING]
    runtime.deploy(producer('ctx.publish(t, id="p")\nctx.call("world:x", "look")'))
    runtime.tick()
    assert runtime.lane().blocked == "retrying"
    assert runtime.events() == {}
    runtime.pass_time(40 * SECOND)
    assert runtime.events() == {"p": "pending"}


def run_in_parallel(runtime: RuntimeFixture, number: int, *, release: bool = True) -> None:
    """Start that many parallel occurrences of one job, and release them together."""
    gate = runtime.folder / "gate"
    body = f"""
import pathlib, time
while not pathlib.Path({str(gate)!r}).exists():
    time.sleep(0.01)
ctx.call("world:x", "look")
"""
    runtime.deploy(job(body, overlap="allow_all"))
    for _ in range(number):
        runtime.clock.move(HOUR)
        runtime.tick_until_active()
        runtime.wait(lambda: runtime._tick_once() > runtime.clock.wall)
    runtime.wait(lambda: len(runtime.active()) == number)
    if release:
        gate.touch()


def test_two_parallel_failures_can_both_be_retried(runtime: RuntimeFixture) -> None:
    """The lane names only one of them."""
    runtime.service.read_fails = [fail(FailureClass.INTERNAL)] * 2
    run_in_parallel(runtime, 2)
    runtime.tick()
    assert [run.status for run in runtime.runs("j")] == ["failed:internal"] * 2
    assert len(runtime.requests()) == 2
    for run in runtime.runs("j"):
        runtime.request_commands.retry(run.id)
        runtime.tick()
    assert [run.status for run in runtime.runs("j")[2:]] == ["committed"] * 2
    assert (runtime.requests(), runtime.lane("j").blocked) == ([], None)


def test_two_parallel_transient_failures_are_both_retried(runtime: RuntimeFixture) -> None:
    """The lane opens for the second run when the first has resumed."""
    runtime.service.read_fails = [PASSING] * 2
    run_in_parallel(runtime, 2)
    runtime.tick()
    runtime.pass_time(3 * MINUTE)
    assert [one.state for one in runtime.occurrences("j")] == ["succeeded"] * 2
    assert runtime.lane("j").blocked is None


def test_two_parallel_runs_with_an_expired_login_both_resume(runtime: RuntimeFixture) -> None:
    """The lane names only one of them."""
    runtime.service.read_fails = [fail(FailureClass.AUTH, "Sign in again.")] * 2
    run_in_parallel(runtime, 2)
    runtime.tick()
    assert [run.status for run in runtime.runs("j")] == ["paused:approval"] * 2
    assert [request.kind for request in runtime.requests()] == ["reconnect"]
    runtime.services.connect("world:x", {})
    runtime.tick()
    assert [one.state for one in runtime.occurrences("j")] == ["succeeded"] * 2
    assert (runtime.requests(), runtime.lane("j").blocked) == ([], None)


def test_two_parallel_crashes_are_both_asked_about(runtime: RuntimeFixture) -> None:
    endless = "import time\nwhile not ctx.cancelled:\n    time.sleep(0.01)"
    runtime.deploy(job(endless, overlap="allow_all", after_crash="ask"))
    for _ in range(2):
        runtime.clock.move(HOUR)
        runtime.tick_until_active()
        runtime.wait(lambda: runtime._tick_once() > runtime.clock.wall)
    runtime.wait(lambda: len(runtime.active()) == 2)
    runtime.crash()
    assert [request.kind for request in runtime.requests()] == ["interrupted"] * 2
    assert [one.state for one in runtime.occurrences("j")] == ["started"] * 2
    for run in runtime.runs("j"):
        runtime.request_commands.resolve(run.id, "happened")
    runtime.tick()
    assert [one.state for one in runtime.occurrences("j")] == ["succeeded"] * 2
    assert (runtime.requests(), runtime.lane("j").blocked) == ([], None)


@pytest.mark.parametrize("kind", [FailureClass.TRANSIENT, FailureClass.LOGIC])
def test_a_run_that_fails_after_its_handler_was_removed_is_closed(runtime: RuntimeFixture, kind: FailureClass) -> None:
    """No handler is left to retry it, and it must not block its workflow forever."""
    runtime.service.read_fails = [fail(kind)]
    run_in_parallel(runtime, 1, release=False)
    runtime.deploy(consumer())
    (runtime.folder / "gate").touch()
    runtime.tick()
    if kind is FailureClass.LOGIC:
        runtime.request_commands.retry(runtime.runs("j")[-1].id)
    runtime.pass_time(MINUTE)
    [run] = runtime.runs("j")
    assert (run.followed, run.resume_at) == (True, None)
    assert "removed" in str(run.summary)
    assert runtime.requests() == []
    assert [one.state for one in runtime.occurrences("j") if one.state in ("queued", "started")] == []


def test_a_stop_neither_counts_as_a_failure_nor_resets_the_count(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [PASSING]
    runtime.deploy(job('import time\nctx.call("world:x", "look")\nwhile not ctx.cancelled:\n    time.sleep(0.01)'))
    runtime.clock.move(HOUR)
    runtime.tick()
    runtime.clock.move(MINUTE)
    runtime.wait(lambda: len(runtime.service.reads) == 2)
    runtime.commands.stop("w/j")
    runtime.tick()
    assert [run.status for run in runtime.runs("j")] == ["paused:transient", "cancelled"]
    assert [one.state for one in runtime.occurrences("j")] == ["cancelled"]
    assert runtime.handler("j").failures == 1
