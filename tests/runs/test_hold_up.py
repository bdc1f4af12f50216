"""Times behind a blocked lane: the latest waits, and each of the others says what held it up."""

import pytest

from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.rules.failures import FailureClass
from scheduler.rules.history_query import HistoryQuery
from scheduler.timing.occurrences import OccurrenceReason
from tests.engine.engine_fixture import DAY, HOUR, MINUTE
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import producer

READS = "ctx.call('world:x', 'look')\nreturn state"


def queries_of(runtime: RuntimeFixture) -> WorkflowQueries:
    services = runtime.services
    return WorkflowQueries(services.engine.context, services.plans, services.registry)


def sentences(runtime: RuntimeFixture) -> set[str]:
    """What the history says about the times that did not run."""
    return {str(one.sentence) for one in queries_of(runtime).history(HistoryQuery(), None).occurrences}


@pytest.mark.parametrize("overlap", ["skip", "buffer_one", "cancel_other", "terminate_other"])
def test_behind_a_failed_run_the_latest_time_waits(runtime: RuntimeFixture, overlap: str) -> None:
    """Nothing was running, so none of them claims that."""
    runtime.service.read_fails = [fail(FailureClass.LOGIC)]
    runtime.deploy(producer(READS, overlap=overlap))
    runtime.pass_time(3 * HOUR + MINUTE)
    assert runtime.states("p") == ["failed", "coalesced", "coalesced", "queued"]
    assert sentences(runtime) == {"Held up: failed at 10:00."}
    runtime.request_commands.retry("w")
    runtime.tick()
    assert runtime.states("p") == ["succeeded", "coalesced", "coalesced", "succeeded"]


def test_behind_a_failed_run_buffer_all_keeps_every_time(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.LOGIC)]
    runtime.deploy(producer(READS, overlap="buffer_all"))
    runtime.pass_time(3 * HOUR + MINUTE)
    assert runtime.states("p") == ["failed", "queued", "queued", "queued"]


def test_on_another_day_the_history_says_when_it_failed(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.LOGIC)]
    runtime.deploy(producer(READS, every="5h"))
    runtime.pass_time(21 * HOUR)
    assert sentences(runtime) == {"Held up: failed on 16 November at 10:00."}


@pytest.mark.parametrize("overlap", ["skip", "buffer_one"])
def test_behind_a_run_that_is_retried_later(runtime: RuntimeFixture, overlap: str) -> None:
    """Its chain of attempts has not ended, but nothing runs."""
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT, retry_after=3 * HOUR + 30 * MINUTE)]
    runtime.deploy(producer(READS, overlap=overlap))
    runtime.pass_time(3 * HOUR + MINUTE)
    assert runtime.states("p") == ["started", "coalesced", "coalesced", "queued"]
    assert sentences(runtime) == {"Held up: failed at 10:00, next try at 13:30."}
    runtime.pass_time(30 * MINUTE)
    assert runtime.states("p") == ["succeeded", "coalesced", "coalesced", "succeeded"]


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (FailureClass.AUTH, "Held up: waiting for you to connect an account."),
        (FailureClass.PERMISSION, "Held up: waiting for your permission."),
    ],
)
def test_behind_a_run_that_waits_for_the_user(runtime: RuntimeFixture, kind: FailureClass, sentence: str) -> None:
    runtime.service.read_fails = [fail(kind)]
    runtime.deploy(producer(READS, overlap="skip"))
    runtime.pass_time(3 * HOUR + MINUTE)
    assert runtime.states("p") == ["started", "coalesced", "coalesced", "queued"]
    assert sentences(runtime) == {sentence}


def test_behind_another_handler_of_the_lane_that_failed(runtime: RuntimeFixture) -> None:
    script = producer("ctx.publish(t, id=ctx.key)\nreturn state", overlap="skip")
    runtime.deploy(script.replace("return dayhand.nothing()", "return 1 / len(ctx.peek(t)) and dayhand.nothing()"))
    runtime.pass_time(3 * HOUR + MINUTE)
    assert runtime.lane().blocked == "script error" and {run.handler for run in runtime.runs()} == {"C"}
    assert sentences(runtime) == {"Held up: C failed at 10:00."}
    assert runtime.states("p") == ["queued", "coalesced", "coalesced", "queued"], "the first is that of the deploy"
    assert [one.reason for one in runtime.occurrences("p")][1:3] == [OccurrenceReason.HELD_UP] * 2


def test_an_approval_of_a_consumer_holds_up_no_producer(runtime: RuntimeFixture) -> None:
    """A run that waits for an answer leaves its lane to the others."""
    script = producer("ctx.publish(t, id='one')\nreturn state").replace(
        "        return dayhand.nothing()\n",
        "        batch = ctx.peek(t)\n"
        "        return dayhand.prepared(reserve=batch) if batch else dayhand.nothing()\n"
        "    def mutate(self, ctx, prepared):\n        ctx.call('world:x', 'send', n=['one'])\n",
    )
    runtime.deploy(script)
    runtime.pass_time(3 * HOUR + MINUTE)
    assert [one.kind for one in runtime.requests()] == ["approval"]
    assert runtime.states("p") == ["succeeded"] * 4


def test_held_up_times_are_counted(runtime: RuntimeFixture) -> None:
    """Over two weeks behind a failure."""
    runtime.deploy(producer("assert ctx.origin == 'deploy'\nreturn state", every="1d"))
    runtime.pass_time(14 * DAY + MINUTE)
    times = queries_of(runtime).statistics(since=runtime.clock.wall - 15 * DAY).times
    assert (times.due, times.ran, times.queued, times.coalesced, times.held_up) == (14, 1, 1, 12, 12)
    assert times.planned == {"failed": 1, "coalesced": 12, "queued": 1}


def test_attempts_that_failed_transiently_are_counted(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)] * 3
    runtime.deploy(producer(READS))
    runtime.pass_time(HOUR)
    found = queries_of(runtime).statistics("w")
    assert found.times.transient_failures == 3
    assert [(one.failed, one.transient_failures) for one in found.workflows] == [(0, 3)]
