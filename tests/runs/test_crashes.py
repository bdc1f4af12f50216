"""The process is gone without a word, at any point: nothing is lost, and nothing is done twice."""

import pytest

from scheduler.rules.failures import FailureClass
from tests.engine.harness import HOUR, MINUTE, SECOND
from tests.runs.breaking import die_in_call, live_until_death
from tests.runs.scripts import consumer, job, producer
from tests.runs.shop import Shop, fail

STEPS = {"begin": 1, "prepare": 2, "mutation begins": 3, "outcome": 4, "commit": 5}
CASES = [(step, stored) for step in STEPS for stored in (False, True)]


def crash_while_running(shop: Shop, name: str = "started") -> None:
    """Once the script has said that it runs."""
    place = shop.folder / name
    shop.wait(place.exists)
    place.unlink()
    shop.database.close()
    for key in list(shop.house.layer._flights):
        shop.house.layer.stop(key, kill=True)
    shop.crash()


def hanging_job(shop: Shop, **options: str) -> str:
    """Says that it runs, and goes on until it is killed, unless it is told to end."""
    return job(
        f"""
import pathlib, time
here = pathlib.Path({str(shop.folder)!r})
(here / "started").touch()
while not (here / "finish").exists():
    time.sleep(0.01)
ctx.done("finished")
""",
        **options,
    )


def run_hanging_job(shop: Shop, **options: str) -> None:
    shop.deploy(hanging_job(shop, **options))
    shop.clock.move(HOUR)
    crash_while_running(shop)


@pytest.mark.parametrize(("step", "stored"), CASES)
def test_a_crash_at_any_commit_loses_nothing_and_acts_once(shop: Shop, step: str, stored: bool) -> None:  # noqa: FBT001
    """X7, I3: before and after each of the transactions of a run."""
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    assert live_until_death(shop, STEPS[step], stored=stored)
    shop.pass_time(2 * MINUTE)
    assert shop.events() == {"a": "consumed"}
    assert shop.state("C")["done"] == ["a"]
    acted = [run for run in shop.runs("C") if shop.mutation(run.id) is not None]
    assert len(shop.world.calls) == 1
    settled = [shop.mutation(run.id).status for run in acted]  # type: ignore[union-attr]
    assert settled == (["failed", "applied"] if (step, stored) == ("mutation begins", True) else ["applied"])
    assert all(run.status != "active" for run in shop.runs())
    assert shop.requests() == []


def test_the_attempt_after_a_crash_is_linked_to_it(shop: Shop) -> None:
    """I3"""
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    live_until_death(shop, 2, stored=True)
    shop.tick()
    crashed, follower = shop.runs("C")[1:3]
    assert (crashed.status, follower.status) == ("crashed", "committed")
    assert (follower.retry_of, follower.attempt, follower.crashes) == (crashed.id, 2, 1)


def test_a_crash_inside_the_call_that_happened_is_found_out(shop: Shop) -> None:
    """X7, X2: in flight; the checker says that it happened."""
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    die_in_call(shop, happens=True)
    shop.tick()
    assert (len(shop.world.calls), len(shop.world.checks)) == (1, 1)
    assert shop.state("C")["told"] == ["applied", "found"]
    assert shop.events() == {"a": "consumed"}


def test_a_crash_inside_the_call_that_did_not_happen_starts_afresh(shop: Shop) -> None:
    """X7, X3"""
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    die_in_call(shop, happens=False)
    shop.pass_time(2 * MINUTE - SECOND)
    assert len(shop.world.calls) == 1
    shop.pass_time(SECOND)
    assert len(shop.world.calls) == 2
    assert shop.events() == {"a": "consumed"}
    assert shop.state("C")["done"] == ["a"]


def test_what_became_of_a_crashed_run_is_answered_by_its_own_name_too(shop: Shop) -> None:
    """Its next attempt waits for the answer; history shows both."""
    shop.deploy(consumer(tool="blind"))
    shop.tick()
    shop.publish("a")
    die_in_call(shop, happens=True)
    shop.tick()
    crashed, waiting = shop.runs("C")[1:]
    assert (crashed.status, waiting.status) == ("crashed", "paused:reconciliation")
    for _ in range(2):
        assert shop.answering.resolve(crashed.id, "happened") == {"run": waiting.id, "answer": "happened"}
        shop.tick()
    assert (len(shop.world.calls), shop.events()) == (1, {"a": "consumed"})


def test_the_events_of_an_unsure_run_stay_reserved_over_restarts(shop: Shop) -> None:
    """X10"""
    shop.world.fails = [fail(FailureClass.UNSURE)]
    shop.deploy(consumer(tool="blind"))
    shop.publish("a")
    shop.tick()
    for _ in range(3):
        shop.crash(off=HOUR)
        shop.tick()
        assert shop.events() == {"a": "reserved"}
    [request] = shop.requests()
    assert request.run is not None
    assert [event.id for event in shop.reserved(request.run)] == ["a"]
    shop.answering.resolve(request.run, "happened")
    shop.tick()
    assert shop.events() == {"a": "consumed"}
    assert len(shop.world.calls) == 1


def test_a_crash_in_next_after_a_reject_does_not_ask_again(shop: Shop) -> None:
    """X13"""
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    [request] = shop.requests()
    shop.answering.reject(request.id)
    assert live_until_death(shop, 2, stored=False)  # the first takes it up again, the second commits
    shop.tick()
    assert shop.requests() == []
    assert shop.world.calls == []
    assert shop.events() == {"a": "skipped"}
    assert shop.state("C")["told"] == ["skipped", None]


@pytest.mark.parametrize("number", [1, 2])
def test_a_crash_after_a_yes_does_not_ask_again(shop: Shop, number: int) -> None:
    """The yes holds for the chain and this very call, until it was made."""
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    [request] = shop.requests()
    shop.answering.approve(request.id)
    assert live_until_death(shop, number, stored=number == 1)  # taken up again, or before the mutation was written
    shop.tick()
    assert shop.requests() == []
    assert len(shop.world.calls) == 1
    assert shop.events() == {"a": "consumed"}


def test_the_third_crash_without_progress_is_a_failure_of_ours(shop: Shop) -> None:
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    for _ in range(3):
        assert live_until_death(shop, 2, stored=True)
    shop.tick()
    [request] = shop.requests()
    assert (request.kind, shop.lane().blocked) == ("internal", "internal")
    last = shop.runs("C")[-1]
    assert (last.status, last.attempt) == ("failed:internal", 3)
    assert shop.events() == {"a": "pending"}
    shop.answering.retry(last.id)
    assert live_until_death(shop, 2, stored=True), "after a retry, one crash is one again"
    shop.tick()
    assert shop.events() == {"a": "consumed"}
    assert shop.requests() == []


def test_a_crash_further_on_is_not_another_at_the_same_point(shop: Shop) -> None:
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    assert live_until_death(shop, 2, stored=True)
    assert live_until_death(shop, 2, stored=True)
    assert live_until_death(shop, 4, stored=True)
    shop.tick()
    assert shop.events() == {"a": "consumed"}


def test_a_producer_that_gets_further_each_time_may_crash_often(shop: Shop) -> None:
    """Each checkpoint is progress; what it published before one is not published again."""
    shop.deploy(
        producer(
            'n = state.get("n", 0)\nctx.publish(t, id=str(n))\nctx.checkpoint({"n": n + 1})\nctx.publish(t, id="end")',
            run_on_deploy="",
        ).replace("run_on_deploy=''", "run_on_deploy=False")
    )
    shop.tick()
    shop.clock.move(HOUR)
    for _ in range(4):
        assert live_until_death(shop, 2, stored=True)  # begin, checkpoint
    shop.tick()
    assert list(shop.events()) == ["0", "1", "2", "3", "4", "end"]
    assert shop.runs("p")[-1].status == "committed"


def test_a_job_may_begin_again_after_a_crash(shop: Shop) -> None:
    run_hanging_job(shop, after_crash="again")
    (shop.folder / "finish").touch()
    shop.tick()
    assert [run.status for run in shop.runs("j")] == ["crashed", "committed"]
    assert [one.state for one in shop.occurrences("j")] == ["succeeded"]


def test_a_job_that_must_not_begin_again_is_over(shop: Shop) -> None:
    run_hanging_job(shop, after_crash="never")
    shop.tick()
    assert [run.status for run in shop.runs("j")] == ["crashed"]
    assert [(one.state, one.reason) for one in shop.occurrences("j")] == [("failed", "interrupted")]
    assert shop.requests() == []
    (shop.folder / "finish").touch()
    shop.pass_time(HOUR)
    assert shop.runs("j")[-1].status == "committed"


@pytest.mark.parametrize(
    ("answer", "state", "statuses"),
    [
        ("happened", "succeeded", ["crashed"]),
        ("not-happened", "succeeded", ["crashed", "committed"]),
        ("skip", "cancelled", ["crashed"]),
    ],
)
def test_a_job_asks_what_its_crash_means(shop: Shop, answer: str, state: str, statuses: list[str]) -> None:
    run_hanging_job(shop)
    shop.tick()
    [request] = shop.requests()
    assert (request.kind, shop.lane("j").blocked) == ("interrupted", "interrupted")
    assert [one.state for one in shop.occurrences("j")] == ["started"]
    shop.crash()
    shop.tick()
    assert [one.state for one in shop.occurrences("j")] == ["started"]
    (shop.folder / "finish").touch()
    assert request.run is not None
    shop.answering.resolve(request.run, answer)
    shop.tick()
    assert [one.state for one in shop.occurrences("j")] == [state]
    assert [run.status for run in shop.runs("j")] == statuses
    assert shop.requests() == []
    assert shop.lane("j").blocked is None


def test_a_crash_before_anything_ran_does_not_count_the_time_as_begun(shop: Shop) -> None:
    """I2"""
    shop.deploy(job('ctx.done("x")'))
    shop.clock.move(HOUR)
    assert live_until_death(shop, 1, stored=False)
    assert [one.state for one in shop.occurrences("j")] == ["queued"]
    shop.tick()
    assert [run.attempt for run in shop.runs("j")] == [1]
    assert [one.state for one in shop.occurrences("j")] == ["succeeded"]


def test_a_run_whose_handler_is_gone_after_a_crash_is_closed_with_a_note(shop: Shop) -> None:
    """X15: it acted, the consumer was removed meanwhile, and the process died."""
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    die_in_call(shop, happens=True)
    shop.world.check_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(
        producer(run_on_deploy="").replace("run_on_deploy=''", "run_on_deploy=False").replace("class C", "class D")
    )
    shop.tick()
    assert shop.events() == {"a": "reserved"}
    shop.pass_time(MINUTE)
    assert shop.events() == {"a": "consumed"}
    last = shop.runs("C")[-1]
    assert last.status == "cancelled"
    assert "removed" in str(last.summary)
    assert shop.lane().blocked is None
    assert len(shop.world.calls) == 1
