"""Waiting for a run says each attempt, when the next one comes, and what the user has to do."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from scheduler.engine.api.commands import CommandApi
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.runtime import Runtime
from scheduler.rules.failures import FailureClass
from tests.engine.engine_fixture import MINUTE
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import job

LOOK = "ctx.call('world:x', 'look')\nctx.done('Looked')"


class FakeBackend:
    """The part of a backend that the command uses, on the test's own thread."""

    def __init__(self, runtime: RuntimeFixture) -> None:
        self._services = runtime.services
        self.queries = WorkflowQueries(runtime.engine.context, runtime.services.runner.plans, runtime.services.registry)

    def execute(self, command: Callable[[Runtime], Any]) -> Any:
        return command(self._services)


@pytest.fixture
def runtime(tmp_path: Any) -> Iterator[RuntimeFixture]:
    runtime = RuntimeFixture(tmp_path)
    yield runtime
    runtime.close()


def test_the_next_attempt_is_waited_for(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT, "No answer.")]
    runtime.deploy(job(LOOK))
    waiting = CommandApi(FakeBackend(runtime)).run_and_wait("w")  # type: ignore[arg-type]
    for message in waiting:
        if message is not None and "answer" in message:
            [result] = message["answer"]["results"]
            assert (result["status"], result["attempt"]) == ("committed", 2) and "error" not in message["answer"]
            return
        runtime.pass_time(MINUTE)
    pytest.fail("there was no answer")


def test_the_wait_between_two_attempts_is_reported(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT, "No answer.")]
    runtime.deploy(job(LOOK))
    waiting = CommandApi(FakeBackend(runtime)).run_and_wait("w")  # type: ignore[arg-type]
    [run] = next(waiting)["piece"]["runs"]  # type: ignore[index]
    runtime.tick()
    progress = next(waiting)["piece"]["progress"]  # type: ignore[index]
    assert (progress["id"], progress["status"], progress["attempt"]) == (run, "paused:transient", 1)
    assert progress["error"] == "No answer." and progress["resume_at"] is not None
    assert next(waiting) is None, "the same is not said twice"


def test_what_the_user_has_to_do_is_told_with_the_command(runtime: RuntimeFixture) -> None:
    runtime.deploy(job(LOOK), grant=False)
    waiting = CommandApi(FakeBackend(runtime)).run_and_wait("w")  # type: ignore[arg-type]
    next(waiting)
    runtime.tick()
    *_, last = waiting
    [request] = runtime.requests()
    assert last is not None
    error = last["answer"]["error"]
    assert error["code"] == "needs a person"
    answers = f"dayhand approve {request.id} | dayhand reject {request.id}"
    assert f"Answer: {answers} Details: dayhand runs show" in error["message"]
