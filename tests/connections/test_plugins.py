"""Third-party connectors: one that hangs blocks nobody, and results and errors are passed on."""

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from scheduler.connections.connector import Call, Checked, Connector, Tool, ToolFailedError
from scheduler.connections.errors import logic_failure
from scheduler.connections.plugins import with_time_limit
from scheduler.rules.failures import FailureClass
from tests.connections.tool_calls import call, tool_of


@pytest.fixture
def never() -> Iterator[Callable[[Call], Any]]:
    """Blocks until the test ends."""
    over = threading.Event()
    yield lambda _: over.wait()
    over.set()


def lamp(run: Callable[[Call], Any], check: Callable[[Call], Checked] | None = None) -> Connector:
    tools = (
        Tool(name="look", help="", parameters={}, run=run),
        Tool(name="switch", help="", parameters={}, run=run, mutating=True, check=check, identify_target=run),
    )
    return with_time_limit(Connector(kind="lamp", title="", help="", fields=(), tools=tools, test=run), grace=0.05)


@pytest.mark.parametrize(("tool", "kind"), [("look", FailureClass.TRANSIENT), ("switch", FailureClass.UNSURE)])
def test_a_call_that_hangs_is_abandoned(never: Callable[[Call], Any], tool: str, kind: FailureClass) -> None:
    with pytest.raises(ToolFailedError) as failed:
        tool_of(lamp(never), tool).run(call({}, seconds=0.05))
    assert failed.value.failure.kind is kind
    assert failed.value.failure.sentence.startswith("kind:name did not finish within 0.1 seconds.")


def test_checks_and_connection_tests_time_out(never: Callable[[Call], Any]) -> None:
    made = lamp(never, check=never)
    switch = tool_of(made, "switch")
    for ask in (switch.check, switch.identify_target, made.test):
        assert ask is not None
        with pytest.raises(ToolFailedError) as failed:
            ask(call({}, seconds=0.05))
        assert failed.value.failure.kind is FailureClass.TRANSIENT


def test_results_and_errors_are_passed_on() -> None:
    assert tool_of(lamp(lambda call: call.parameters["a"]), "look").run(call({}, a=5)) == 5
    for error in (logic_failure("No."), TimeoutError("its own")):

        def fail(_: Call, error: BaseException = error) -> None:
            raise error

        with pytest.raises(type(error)) as failed:
            tool_of(lamp(fail), "look").run(call({}))
        assert failed.value is error


def test_a_connector_cannot_exit_the_app() -> None:
    with pytest.raises(RuntimeError, match="tried to exit the app"):
        tool_of(lamp(lambda _: sys.exit(3)), "look").run(call({}))


def test_a_tool_without_a_checker_gets_none() -> None:
    assert tool_of(lamp(lambda _: None), "switch").check is None


def test_a_call_that_ends_exactly_at_the_limit_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends between the timeout and the check."""
    wait = Future.result

    def finish_late(answer: Future[Any], timeout: float | None = None) -> Any:
        result = wait(answer)
        if timeout is not None:
            raise TimeoutError
        return result

    monkeypatch.setattr(Future, "result", finish_late)
    assert tool_of(lamp(lambda _: "done"), "switch").run(call({}, seconds=5)) == "done"
