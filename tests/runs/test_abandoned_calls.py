"""An abandoned third-party call still runs: nothing is decided before it ends, and it is not repeated."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.connections import abandoned_calls
from scheduler.connections.plugins import with_time_limit
from scheduler.connections.registry import Registry
from scheduler.engine.errors import RefusedError
from scheduler.engine.runs.tool_calls import CALL_TIMEOUT_S
from scheduler.rules.failures import FailureClass
from tests.engine.engine_fixture import HOUR, MINUTE
from tests.runs.runtime_fixture import TIMEOUT_S, RuntimeFixture, fail
from tests.runs.scripts import consumer

_GRACE = 0.05 - CALL_TIMEOUT_S
"""Makes the timeout of a call 50 ms, so that the tests need not wait for it."""


class SlowRuntime(RuntimeFixture):
    """Its mutating tools are third-party and finish only when the test lets them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        connector = self.service.registry().connector("world")
        self.service.registry = lambda: Registry([with_time_limit(connector, _GRACE)])  # type: ignore[method-assign]
        self.service.gate = threading.Event()
        self.crash()

    def act(self, tool: str) -> str:
        """Start a run and abandon its call; returns the run."""
        self.deploy(consumer(tool=tool))
        self.tick()
        self.publish("a")
        self.tick()
        assert self.runs("C")[-1].status == "paused:reconciliation"
        return self.runs("C")[-1].id

    def let_it_end(self) -> None:
        assert self.service.gate is not None
        self.service.gate.set()
        for thread in threading.enumerate():
            if thread.name == "world:x":
                thread.join(TIMEOUT_S)


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[SlowRuntime]:
    runtime = SlowRuntime(tmp_path)
    yield runtime
    runtime.let_it_end()
    runtime.close()


@pytest.mark.parametrize("tool", ["act", "blind"])
def test_nothing_is_decided_while_it_runs(runtime: SlowRuntime, tool: str) -> None:
    runtime.act(tool)
    runtime.pass_time(HOUR)
    assert (len(runtime.service.calls), runtime.service.checks) == (1, [])
    assert runtime.events() == {"a": "reserved"}


@pytest.mark.parametrize("tool", ["act", "blind"])
def test_a_late_result_of_the_call_counts(runtime: SlowRuntime, tool: str) -> None:
    runtime.service.answer = {"id": 7}
    runtime.act(tool)
    runtime.pass_time(MINUTE)
    runtime.let_it_end()
    runtime.pass_time(2 * MINUTE)
    assert runtime.state("C")["told"] == ["applied", {"id": 7}]
    assert (len(runtime.service.calls), runtime.requests()) == (1, [])


def test_a_late_result_that_cannot_be_stored_still_counts_as_applied(runtime: SlowRuntime) -> None:
    runtime.service.answer = float("inf")
    runtime.act("blind")
    runtime.let_it_end()
    runtime.pass_time(MINUTE)
    outcome, result = runtime.state("C")["told"]
    assert (outcome, "could not be stored" in result["note"]) == ("applied", True)


def test_a_late_failure_of_the_call_counts_and_it_is_retried(runtime: SlowRuntime) -> None:
    runtime.service.fails = [fail(FailureClass.TRANSIENT, "The queue was full.")]
    runtime.act("blind")
    runtime.let_it_end()
    runtime.pass_time(MINUTE)
    assert len(runtime.service.calls) == 2
    assert runtime.events() == {"a": "consumed"}


@pytest.mark.parametrize("tool", ["act", "blind"])
def test_a_late_unsure_result_is_reconciled_as_usual_from_then_on(runtime: SlowRuntime, tool: str) -> None:
    runtime.service.fails, runtime.service.happens = [fail(FailureClass.UNSURE)], False
    runtime.act(tool)
    runtime.pass_time(MINUTE)
    runtime.let_it_end()
    runtime.pass_time(2 * MINUTE)
    assert len(runtime.service.calls) == 1
    runtime.pass_time(2 * MINUTE)
    assert (len(runtime.service.calls), len(runtime.requests())) == ((2, 0) if tool == "act" else (1, 1))


def test_after_a_while_the_user_is_asked_and_cannot_deny_it_before_the_call_ends(runtime: SlowRuntime) -> None:
    run = runtime.act("blind")
    runtime.pass_time(2 * MINUTE)
    assert runtime.requests() == []
    runtime.pass_time(MINUTE)
    assert [request.kind for request in runtime.requests()] == ["unsure"]
    with pytest.raises(RefusedError) as refused:
        runtime.request_commands.resolve(run, "not-happened")
    assert refused.value.code == "still running"
    runtime.let_it_end()
    runtime.pass_time(10 * MINUTE)
    assert (runtime.events(), runtime.requests(), len(runtime.service.calls)) == ({"a": "consumed"}, [], 1)


def test_the_call_is_still_known_after_an_engine_restart_in_the_same_process(runtime: SlowRuntime) -> None:
    runtime.act("blind")
    runtime.crash()
    runtime.pass_time(2 * MINUTE)
    assert (runtime.requests(), len(runtime.service.calls)) == ([], 1)
    runtime.let_it_end()
    runtime.pass_time(MINUTE)
    assert runtime.events() == {"a": "consumed"}


def test_the_call_is_not_repeated_between_its_end_and_the_reading_of_its_result(runtime: SlowRuntime) -> None:
    run = runtime.act("blind")
    runtime.pass_time(3 * MINUTE)
    runtime.let_it_end()
    with pytest.raises(RefusedError) as refused:
        runtime.request_commands.resolve(run, "not-happened")
    assert refused.value.code == "still running"
    runtime.pass_time(MINUTE)
    assert (runtime.events(), runtime.requests(), len(runtime.service.calls)) == ({"a": "consumed"}, [], 1)


def test_the_call_is_forgotten_once_the_user_has_answered(runtime: SlowRuntime) -> None:
    run = runtime.act("blind")
    [key] = [call.key for call in runtime.service.calls]
    runtime.pass_time(3 * MINUTE)
    runtime.request_commands.resolve(run, "happened")
    assert not abandoned_calls.is_known(key)
