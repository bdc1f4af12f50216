"""The process is killed at any point: nothing is lost and nothing is done twice."""

import pytest

from scheduler.rules.failures import FailureClass
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND
from tests.runs.fault_injection import kill_in_call, run_until_killed
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer, job, producer

STEPS = {"begin": 1, "prepare": 2, "mutation begins": 3, "outcome": 4, "commit": 5}
CASES = [(step, stored) for step in STEPS for stored in (False, True)]


def crash_while_running(runtime: RuntimeFixture, name: str = "started") -> None:
    """Crash once the script has created its file."""
    place = runtime.folder / name
    runtime.wait(place.exists)
    place.unlink()
    runtime.database.close()
    for work in runtime.services.runner._in_flight.list_running():
        runtime.services.runner.stop(work.key, kill=True)
    runtime.crash()


def hanging_job(runtime: RuntimeFixture, **options: str) -> str:
    """A job that creates a file and runs until it is killed or allowed to finish."""
    return job(
        f"""
import pathlib, time
here = pathlib.Path({str(runtime.folder)!r})
(here / "started").touch()
while not (here / "finish").exists():
    time.sleep(0.01)
ctx.done("finished")
""",
        **options,
    )


def run_hanging_job(runtime: RuntimeFixture, **options: str) -> None:
    runtime.deploy(hanging_job(runtime, **options))
    runtime.clock.move(HOUR)
    crash_while_running(runtime)


@pytest.mark.parametrize(("step", "stored"), CASES)
def test_a_crash_at_any_commit_loses_nothing_and_acts_once(runtime: RuntimeFixture, step: str, stored: bool) -> None:  # noqa: FBT001
    """Before and after each of the transactions of a run."""
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    assert run_until_killed(runtime, STEPS[step], stored=stored)
    runtime.pass_time(2 * MINUTE)
    assert runtime.events() == {"a": "consumed"}
    assert runtime.state("C")["done"] == ["a"]
    acted = [run for run in runtime.runs("C") if runtime.mutation(run.id) is not None]
    assert len(runtime.service.calls) == 1
    settled = [runtime.mutation(run.id).status for run in acted]  # type: ignore[union-attr]
    assert settled == (["failed", "applied"] if (step, stored) == ("mutation begins", True) else ["applied"])
    assert all(run.status != "active" for run in runtime.runs())
    assert runtime.requests() == []


def test_the_attempt_after_a_crash_is_linked_to_it(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    run_until_killed(runtime, 2, stored=True)
    runtime.tick()
    crashed, follower = runtime.runs("C")[1:3]
    assert (crashed.status, follower.status) == ("crashed", "committed")
    assert (follower.retry_of, follower.attempt) == (crashed.id, 2)


def test_a_crash_during_a_call_that_happened_is_reconciled_as_applied(runtime: RuntimeFixture) -> None:
    """The call was in flight; the checker says that it happened."""
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    kill_in_call(runtime, happens=True)
    runtime.tick()
    assert (len(runtime.service.calls), len(runtime.service.checks)) == (1, 1)
    assert runtime.state("C")["told"] == ["applied", "found"]
    assert runtime.events() == {"a": "consumed"}


def test_a_crash_during_a_call_that_did_not_happen_starts_again(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    kill_in_call(runtime, happens=False)
    runtime.pass_time(2 * MINUTE - SECOND)
    assert len(runtime.service.calls) == 1
    runtime.pass_time(SECOND)
    assert len(runtime.service.calls) == 2
    assert runtime.events() == {"a": "consumed"}
    assert runtime.state("C")["done"] == ["a"]


def test_a_crashed_run_can_be_resolved_by_its_own_id(runtime: RuntimeFixture) -> None:
    """Its next attempt waits for the answer; history shows both."""
    runtime.deploy(consumer(tool="blind"))
    runtime.tick()
    runtime.publish("a")
    kill_in_call(runtime, happens=True)
    runtime.tick()
    crashed, waiting = runtime.runs("C")[1:]
    assert (crashed.status, waiting.status) == ("crashed", "paused:reconciliation")
    for _ in range(2):
        assert runtime.request_commands.resolve(crashed.id, "happened") == {"run": waiting.id, "answer": "happened"}
        runtime.tick()
    assert (len(runtime.service.calls), runtime.events()) == (1, {"a": "consumed"})


def test_the_events_of_an_unsure_run_stay_reserved_over_restarts(runtime: RuntimeFixture) -> None:
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.deploy(consumer(tool="blind"))
    runtime.publish("a")
    runtime.tick()
    for _ in range(3):
        runtime.crash(off=HOUR)
        runtime.tick()
        assert runtime.events() == {"a": "reserved"}
    [request] = runtime.requests()
    assert request.run is not None
    assert [event.id for event in runtime.reserved(request.run)] == ["a"]
    runtime.request_commands.resolve(request.run, "happened")
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}
    assert len(runtime.service.calls) == 1


def test_a_crash_in_next_after_a_reject_does_not_ask_again(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    runtime.request_commands.reject(request.id)
    assert run_until_killed(runtime, 2, stored=False)  # the first resumes it, the second commits
    runtime.tick()
    assert runtime.requests() == []
    assert runtime.service.calls == []
    assert runtime.events() == {"a": "skipped"}
    assert runtime.state("C")["told"] == ["skipped", None]


@pytest.mark.parametrize("number", [1, 2])
def test_a_crash_after_an_approval_does_not_ask_again(runtime: RuntimeFixture, number: int) -> None:
    """The approval holds for the chain and this exact call until it is made."""
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    runtime.request_commands.approve(request.id)
    assert run_until_killed(runtime, number, stored=number == 1)  # after the resume, or before the mutation is stored
    runtime.tick()
    assert runtime.requests() == []
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}


def test_the_third_crash_without_progress_is_an_internal_failure(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    for _ in range(3):
        assert run_until_killed(runtime, 2, stored=True)
    runtime.tick()
    [request] = runtime.requests()
    assert (request.kind, runtime.lane().blocked) == ("internal", "internal")
    last = runtime.runs("C")[-1]
    assert (last.status, last.attempt) == ("failed:internal", 3)
    assert runtime.events() == {"a": "pending"}
    runtime.request_commands.retry(last.id)
    assert run_until_killed(runtime, 2, stored=True), "a retry resets the crash count"
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}
    assert runtime.requests() == []


def test_a_crash_at_a_later_step_does_not_count_as_a_repeat(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    assert run_until_killed(runtime, 2, stored=True)
    assert run_until_killed(runtime, 2, stored=True)
    assert run_until_killed(runtime, 4, stored=True)
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}


def test_a_producer_that_makes_progress_may_crash_often(runtime: RuntimeFixture) -> None:
    """Each checkpoint is progress; what it published before one is not published again."""
    runtime.deploy(
        producer(
            'n = state.get("n", 0)\nctx.publish(t, id=str(n))\nctx.checkpoint({"n": n + 1})\nctx.publish(t, id="end")',
            run_on_deploy="",
        ).replace("run_on_deploy=''", "run_on_deploy=False")
    )
    runtime.tick()
    runtime.clock.move(HOUR)
    for _ in range(4):
        assert run_until_killed(runtime, 2, stored=True)  # begin, checkpoint
    runtime.tick()
    assert list(runtime.events()) == ["0", "1", "2", "3", "4", "end"]
    assert runtime.runs("p")[-1].status == "committed"


def test_a_job_with_after_crash_again_restarts(runtime: RuntimeFixture) -> None:
    run_hanging_job(runtime, after_crash="again")
    (runtime.folder / "finish").touch()
    runtime.tick()
    assert [run.status for run in runtime.runs("j")] == ["crashed", "committed"]
    assert [one.state for one in runtime.occurrences("j")] == ["succeeded"]


def test_a_job_with_after_crash_never_fails_and_continues_at_its_next_time(runtime: RuntimeFixture) -> None:
    run_hanging_job(runtime, after_crash="never")
    runtime.tick()
    assert [run.status for run in runtime.runs("j")] == ["crashed"]
    assert [(one.state, one.reason) for one in runtime.occurrences("j")] == [("failed", "interrupted")]
    assert runtime.requests() == []
    (runtime.folder / "finish").touch()
    runtime.pass_time(HOUR)
    assert runtime.runs("j")[-1].status == "committed"


@pytest.mark.parametrize(
    ("answer", "state", "statuses"),
    [
        ("happened", "succeeded", ["crashed"]),
        ("not-happened", "succeeded", ["crashed", "committed"]),
        ("skip", "cancelled", ["crashed"]),
    ],
)
def test_a_job_with_after_crash_ask_asks_whether_it_finished(
    runtime: RuntimeFixture, answer: str, state: str, statuses: list[str]
) -> None:
    run_hanging_job(runtime, after_crash="ask")
    runtime.tick()
    [request] = runtime.requests()
    assert (request.kind, runtime.lane("j").blocked) == ("interrupted", "interrupted")
    assert [one.state for one in runtime.occurrences("j")] == ["started"]
    runtime.crash()
    runtime.tick()
    assert [one.state for one in runtime.occurrences("j")] == ["started"]
    (runtime.folder / "finish").touch()
    assert request.run is not None
    runtime.request_commands.resolve(request.run, answer)
    runtime.tick()
    assert [one.state for one in runtime.occurrences("j")] == [state]
    assert [run.status for run in runtime.runs("j")] == statuses
    assert runtime.requests() == []
    assert runtime.lane("j").blocked is None


def test_a_crash_before_the_run_starts_leaves_its_occurrence_queued(runtime: RuntimeFixture) -> None:
    runtime.deploy(job('ctx.done("x")'))
    runtime.clock.move(HOUR)
    assert run_until_killed(runtime, 1, stored=False)
    assert [one.state for one in runtime.occurrences("j")] == ["queued"]
    runtime.tick()
    assert [run.attempt for run in runtime.runs("j")] == [1]
    assert [one.state for one in runtime.occurrences("j")] == ["succeeded"]


def test_a_crashed_run_whose_handler_was_removed_is_cancelled_with_a_note(runtime: RuntimeFixture) -> None:
    """It acted, the consumer was removed, and the process died."""
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    kill_in_call(runtime, happens=True)
    runtime.service.check_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(
        producer(run_on_deploy="").replace("run_on_deploy=''", "run_on_deploy=False").replace("class C", "class D")
    )
    runtime.tick()
    assert runtime.events() == {"a": "reserved"}
    runtime.pass_time(MINUTE)
    assert runtime.events() == {"a": "consumed"}
    last = runtime.runs("C")[-1]
    assert last.status == "cancelled"
    assert "removed" in str(last.summary)
    assert runtime.lane().blocked is None
    assert len(runtime.service.calls) == 1
