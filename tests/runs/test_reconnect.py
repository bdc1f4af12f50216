"""An expired login is requested once, and all runs that waited for it resume."""

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.rules.failures import FailureClass
from scheduler.store import connections
from tests.engine.engine_fixture import DAY, HOUR
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer, job, producer

READS = 'ctx.call("world:x", "look")\nctx.done("read")'
EXPIRED = fail(FailureClass.AUTH, "The login of world:x expired. Sign in again.")


def expire(runtime: RuntimeFixture, *names: str) -> None:
    """Deploy workflows whose job finds the login expired."""
    for name in names:
        runtime.deploy(job(READS).replace('"W"', repr(name)), path=f"{name}.py")
    runtime.service.read_fails = [EXPIRED] * len(names)
    runtime.clock.move(HOUR)
    runtime.tick()


def statuses(runtime: RuntimeFixture, *names: str) -> list[str]:
    return [runtime.runs("j", name)[-1].status for name in names]


def test_one_request_resumes_all_workflows(runtime: RuntimeFixture) -> None:
    expire(runtime, "a", "b", "c")
    [request] = runtime.requests()
    assert (request.kind, request.subject) == ("reconnect", "world:x")
    assert statuses(runtime, "a", "b", "c") == ["paused:approval"] * 3
    assert [runtime.lane("j", name).blocked for name in "abc"] == ["reconnect"] * 3
    runtime.pass_time(DAY)
    assert len(runtime.service.reads) == 3
    runtime.services.connect("world:x", {})
    runtime.tick()
    assert runtime.requests() == []
    assert statuses(runtime, "a", "b", "c") == ["committed"] * 3
    assert [runtime.lane("j", name).blocked for name in "abc"] == [None] * 3
    assert runtime.occurrences("j", "a")[0].state == "succeeded"


def test_it_survives_restarts_before_and_after_the_answer(runtime: RuntimeFixture) -> None:
    expire(runtime, "a")
    runtime.crash(off=DAY)
    runtime.tick()
    assert [request.kind for request in runtime.requests()] == ["reconnect"]
    runtime.services.connect("world:x", {})
    runtime.crash()
    runtime.tick()
    assert statuses(runtime, "a") == ["committed"]


def test_other_workflows_do_not_try_a_connection_in_trouble(runtime: RuntimeFixture) -> None:
    """Too many attempts with a wrong password would lock the account."""
    runtime.services.connect("world:x", {})
    expire(runtime, "a")
    row = connections.find(runtime.database.read(), "world:x")
    assert row is not None and row.trouble == EXPIRED.sentence
    runtime.deploy(job(READS).replace('"W"', '"b"'), path="b.py")
    runtime.clock.move(HOUR)
    runtime.tick()
    assert statuses(runtime, "b") == ["paused:approval"]
    assert len(runtime.service.reads) == 1
    assert len(runtime.requests()) == 1
    runtime.services.connect("world:x", {})
    runtime.tick()
    assert statuses(runtime, "a", "b") == ["committed"] * 2


@pytest.mark.parametrize("verb", ["archive", "remove", "stop"])
def test_the_request_survives_the_workflow_that_asked_first(runtime: RuntimeFixture, verb: str) -> None:
    """Other workflows still wait for it."""
    expire(runtime, "a", "b")
    [request] = runtime.requests()
    first, other = (request.workflow, "b" if request.workflow == "a" else "a")
    getattr(runtime.commands, verb)(first)
    [still] = runtime.requests()
    assert (still.id, still.workflow) == (request.id, other)
    runtime.services.connect("world:x", {})
    runtime.tick()
    assert statuses(runtime, other) == ["committed"]
    assert runtime.requests() == []


def test_the_request_closes_with_the_last_waiting_run(runtime: RuntimeFixture) -> None:
    expire(runtime, "a")
    runtime.commands.archive("a")
    assert runtime.requests() == []


def test_a_retry_is_refused_until_it_is_connected(runtime: RuntimeFixture) -> None:
    expire(runtime, "a")
    for target in ("a", runtime.runs("j", "a")[-1].id):
        with pytest.raises(RefusedError) as refused:
            runtime.request_commands.retry(target)
        assert refused.value.code == "answer first"
    with pytest.raises(RefusedError) as refused:
        runtime.request_commands.approve(runtime.requests()[0].id)
    assert "dayhand connect world:x" in str(refused.value)


def test_an_action_refused_by_an_expired_login_is_made_once_after_the_reconnect(runtime: RuntimeFixture) -> None:
    runtime.service.fails = [EXPIRED]
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.tick()
    assert [request.kind for request in runtime.requests()] == ["reconnect"]
    assert runtime.events() == {"a": "pending"}
    runtime.services.connect("world:x", {})
    runtime.tick()
    assert len(runtime.service.calls) == 2
    assert len(runtime.service.happened) == 1
    assert runtime.events() == {"a": "consumed"}
    refused, again = runtime.runs("C")
    assert (again.retry_of, again.status) == (refused.id, "committed")
    assert runtime.log(again.id).endswith("Started again after reconnecting because its action had been refused.\n")


def test_a_producer_resumes_as_the_same_attempt_after_the_reconnect(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [EXPIRED]
    runtime.deploy(producer('ctx.call("world:x", "look")'))
    runtime.tick()
    [waiting] = runtime.runs("p")
    assert (waiting.status, waiting.ended) == ("paused:approval", None)
    runtime.crash(off=HOUR)
    runtime.services.connect("world:x", {})
    runtime.tick()
    first = runtime.runs("p")[0]
    assert (first.id, first.attempt, first.status, first.error) == (waiting.id, 1, "committed", None)
    assert [run.attempt for run in runtime.runs("p")] == [1] * len(runtime.runs("p"))
    assert runtime.log(first.id) == f"{EXPIRED.sentence} Resumed after reconnecting.\n"


def test_a_reconnect_while_paused_takes_effect_after_the_resume(runtime: RuntimeFixture) -> None:
    expire(runtime, "a")
    runtime.commands.pause("a")
    runtime.services.connect("world:x", {})
    runtime.tick()
    assert runtime.requests() == []
    assert len(runtime.service.reads) == 1
    runtime.commands.resume("a")
    runtime.tick()
    assert statuses(runtime, "a") == ["committed"]


def test_connecting_another_account_resolves_nothing(runtime: RuntimeFixture) -> None:
    expire(runtime, "a")
    runtime.services.connect("world:y", {})
    runtime.tick()
    assert [request.subject for request in runtime.requests()] == ["world:x"]
    assert statuses(runtime, "a") == ["paused:approval"]


def test_the_login_may_expire_again(runtime: RuntimeFixture) -> None:
    expire(runtime, "a")
    runtime.service.read_fails = [EXPIRED]
    runtime.services.connect("world:x", {})
    runtime.tick()
    assert [request.kind for request in runtime.requests()] == ["reconnect"]
    assert [run.attempt for run in runtime.runs("j", "a")] == [1, 2]
    assert runtime.occurrences("j", "a")[0].state == "started"
