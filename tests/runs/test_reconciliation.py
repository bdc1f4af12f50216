"""An unknown outcome: the tool's checker is asked, then the user, and nothing is done twice."""

from dataclasses import replace

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.runs.reconciliation import MAX_CHECKS
from scheduler.rules.failures import FailureClass
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer


def leave_unsure(runtime: RuntimeFixture, *, tool: str = "act", happens: bool = True) -> str:
    """Make a run whose action has an unknown outcome; returns the run."""
    runtime.service.fails, runtime.service.happens = [fail(FailureClass.UNSURE, "No answer came.")], happens
    runtime.deploy(consumer(tool=tool))
    runtime.tick()
    runtime.publish("a")
    runtime.tick()
    return runtime.runs("C")[-1].id


def refusal(runtime: RuntimeFixture, run: str, answer: str) -> str:
    with pytest.raises(RefusedError) as refused:
        runtime.request_commands.resolve(run, answer)
    return refused.value.code


def test_a_positive_check_resumes_the_run(runtime: RuntimeFixture) -> None:
    """`next` gets the checker's result; one call is made."""
    run = leave_unsure(runtime)
    assert (len(runtime.service.calls), len(runtime.service.checks)) == (1, 1)
    assert runtime.service.checks[0].key == runtime.service.calls[0].key
    assert runtime.service.checks[0].parameters == {"n": ["a"]}
    assert runtime.events() == {"a": "consumed"}
    assert runtime.state("C")["told"] == ["applied", "found"]
    assert [one.id for one in runtime.runs("C")[1:]] == [run]
    assert runtime.lane().blocked is None


def test_two_negative_checks_start_the_run_again(runtime: RuntimeFixture) -> None:
    """The events are released and reserved again after the apply window."""
    leave_unsure(runtime, happens=False)
    runtime.pass_time(2 * MINUTE - SECOND)
    assert len(runtime.service.calls) == 1
    runtime.pass_time(SECOND)
    assert (len(runtime.service.calls), len(runtime.service.checks)) == (2, 6)
    unsure, fresh = runtime.runs("C")[1:]
    assert (unsure.status, unsure.followed, fresh.retry_of) == ("paused:reconciliation", True, unsure.id)
    assert unsure.ended is not None
    assert fresh.status == "committed"
    assert runtime.events() == {"a": "consumed"}


@pytest.mark.parametrize("late_s", [1, 10, 50, 61, 119])
def test_an_action_that_the_service_applies_late_is_not_repeated(runtime: RuntimeFixture, late_s: int) -> None:
    leave_unsure(runtime, happens=False)
    runtime.pass_time(late_s * SECOND)
    runtime.service.happened.add(runtime.service.calls[0].key)
    runtime.pass_time(10 * MINUTE)
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}
    assert runtime.state("C")["told"] == ["applied", "found"]


def test_a_connector_may_set_a_longer_apply_window(runtime: RuntimeFixture) -> None:
    connector = runtime.services.registry.connector("world")
    tools = tuple(replace(tool, apply_window=15 * MINUTE) if tool.name == "act" else tool for tool in connector.tools)
    runtime.services.registry._connectors["world"] = replace(connector, tools=tools)
    leave_unsure(runtime, happens=False)
    runtime.pass_time(30 * MINUTE - SECOND)
    assert len(runtime.service.calls) == 1
    runtime.pass_time(SECOND)
    assert len(runtime.service.calls) == 2


def test_a_clock_jump_does_not_shorten_the_wait(runtime: RuntimeFixture) -> None:
    """Only monotonic time counts."""
    leave_unsure(runtime, happens=False)
    for _ in range(5):
        runtime.clock.wall += HOUR
        runtime.tick()
    assert len(runtime.service.calls) == 1
    runtime.pass_time(3 * MINUTE)
    assert len(runtime.service.calls) == 2


def test_a_restart_restarts_the_wait(runtime: RuntimeFixture) -> None:
    leave_unsure(runtime, happens=False)
    runtime.pass_time(MINUTE)
    runtime.crash(off=HOUR)
    runtime.pass_time(2 * MINUTE - SECOND)
    assert len(runtime.service.calls) == 1
    runtime.pass_time(SECOND)
    assert len(runtime.service.calls) == 2


def test_each_unsure_call_of_a_chain_has_its_own_wait(runtime: RuntimeFixture) -> None:
    """The check of the first call says nothing about the second."""
    leave_unsure(runtime, happens=False)
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.pass_time(2 * MINUTE)
    assert len(runtime.service.calls) == 2
    runtime.pass_time(2 * MINUTE - SECOND)
    assert len(runtime.service.calls) == 2
    runtime.service.happened.add(runtime.service.calls[1].key)
    runtime.pass_time(10 * MINUTE)
    assert len(runtime.service.calls) == 2


def test_without_a_checker_the_user_is_asked_at_once(runtime: RuntimeFixture) -> None:
    run = leave_unsure(runtime, tool="blind")
    [request] = runtime.requests()
    assert (request.kind, request.run, request.sentence) == ("unsure", run, "No answer came. Did it happen?")
    assert request.call == {"connection": "world:x", "tool": "blind", "parameters": {"n": ["a"]}}
    assert runtime.lane().blocked == "unsure"
    assert runtime.events() == {"a": "reserved"}


def test_a_failing_checker_is_tried_five_times_before_the_user_is_asked(runtime: RuntimeFixture) -> None:
    """With 10, 20, 40 and 80 seconds in between."""
    runtime.service.check_fails = [fail(FailureClass.TRANSIENT)] * MAX_CHECKS
    run, waits = leave_unsure(runtime), []
    while (mutation := runtime.mutation(run)) is not None and mutation.check_at is not None:
        waits.append((mutation.check_at - runtime.clock.wall).total_seconds())
        assert runtime.requests() == []
        runtime.clock.move(mutation.check_at - runtime.clock.wall - SECOND / 1000)
        runtime.tick()
        assert len(runtime.service.checks) == len(waits)
        runtime.clock.move(SECOND / 1000)
        runtime.tick()
    assert waits == [10, 20, 40, 80]
    [request] = runtime.requests()
    assert (request.kind, len(runtime.service.checks)) == ("unsure", 5)
    runtime.pass_time(HOUR)
    assert len(runtime.service.checks) == 5


def test_the_delays_of_a_checker_survive_restarts(runtime: RuntimeFixture) -> None:
    runtime.service.check_fails = [fail(FailureClass.TRANSIENT)] * MAX_CHECKS
    run = leave_unsure(runtime)
    for _ in range(MAX_CHECKS - 1):
        runtime.crash(off=10 * MINUTE)
        runtime.tick()
        runtime.tick()
    assert len(runtime.service.checks) == MAX_CHECKS
    assert [request.run for request in runtime.requests()] == [run]
    assert runtime.events() == {"a": "reserved"}


def test_being_offline_does_not_count_as_a_check(runtime: RuntimeFixture) -> None:
    """After a day offline the checker still has all its tries."""
    runtime.service.check_fails = [fail(FailureClass.TRANSIENT, counts=False)] * 20_000
    run = leave_unsure(runtime)
    runtime.pass_time(10 * MINUTE)
    assert len(runtime.service.checks) > MAX_CHECKS
    mutation = runtime.mutation(run)
    assert mutation is not None and mutation.checks == 0
    assert runtime.requests() == []
    runtime.service.check_fails = []
    runtime.pass_time(MINUTE)
    assert runtime.events() == {"a": "consumed"}


def test_being_offline_at_the_last_check_does_not_count(runtime: RuntimeFixture) -> None:
    """Four failures, then offline: the user is asked only after a fifth failure."""
    passing, offline = fail(FailureClass.TRANSIENT), fail(FailureClass.TRANSIENT, counts=False)
    runtime.service.check_fails = [passing] * 4 + [offline] * 3 + [passing]
    leave_unsure(runtime)
    runtime.pass_time(150 * SECOND)
    assert len(runtime.service.checks) == 5
    assert runtime.requests() == []
    runtime.pass_time(10 * MINUTE)
    assert len(runtime.service.checks) == 8
    assert [request.kind for request in runtime.requests()] == ["unsure"]


def test_an_expired_login_during_a_check_asks_for_a_reconnect_and_does_not_count(runtime: RuntimeFixture) -> None:
    runtime.service.check_fails = [fail(FailureClass.AUTH, "Sign in again.")]
    run = leave_unsure(runtime)
    [request] = runtime.requests()
    assert (request.kind, request.subject) == ("reconnect", "world:x")
    mutation = runtime.mutation(run)
    assert mutation is not None and (mutation.checks, mutation.check_at) == (0, None)
    runtime.pass_time(DAY)
    assert len(runtime.service.checks) == 1
    runtime.services.connect("world:x", {})
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}
    assert (len(runtime.service.calls), runtime.requests()) == (1, [])


def test_an_unsure_checker_asks_the_user(runtime: RuntimeFixture) -> None:
    runtime.service.check_fails = [fail(FailureClass.UNSURE)]
    leave_unsure(runtime)
    assert [request.kind for request in runtime.requests()] == ["unsure"]


def test_a_crashing_checker_counts_as_a_failed_check(runtime: RuntimeFixture) -> None:
    runtime.service.happened = None  # type: ignore[assignment]
    run = leave_unsure(runtime, happens=False)
    mutation = runtime.mutation(run)
    assert mutation is not None and mutation.checks == 1


@pytest.mark.parametrize(
    ("answer", "calls", "state", "outcomes"),
    [
        ("happened", 1, "consumed", ["applied", None]),
        ("not-happened", 2, "consumed", ["applied", "done"]),
        ("skip", 1, "skipped", ["skipped", None]),
    ],
)
def test_each_answer_of_the_user(
    runtime: RuntimeFixture, answer: str, calls: int, state: str, outcomes: list[str]
) -> None:
    """The same answer again changes nothing; another one is refused."""
    run = leave_unsure(runtime, tool="blind")
    first = runtime.request_commands.resolve(run, answer)
    assert runtime.request_commands.resolve(run, answer) == first
    runtime.tick()
    assert len(runtime.service.calls) == calls
    assert runtime.events() == {"a": state}
    assert runtime.state("C")["told"] == outcomes
    assert runtime.requests() == []
    assert runtime.request_commands.resolve(run, answer) == first
    for other in {"happened", "not-happened", "skip"} - {answer}:
        assert refusal(runtime, run, other) == "too late"
    runtime.tick()
    assert len(runtime.service.calls) == calls


def test_an_unknown_answer_is_refused(runtime: RuntimeFixture) -> None:
    run = leave_unsure(runtime, tool="blind")
    assert [refusal(runtime, run, word) for word in ("yes", "", "maybe", "withdrawn")] == ["answer"] * 4
    assert len(runtime.requests()) == 1


def test_a_run_with_a_known_outcome_cannot_be_resolved(runtime: RuntimeFixture) -> None:
    run = leave_unsure(runtime)
    assert refusal(runtime, run, "happened") == "nothing to resolve"


def test_a_second_unsure_attempt_has_its_own_request(runtime: RuntimeFixture) -> None:
    """A late second click on the first request does not answer the new one."""
    run = leave_unsure(runtime, tool="blind")
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.request_commands.resolve(run, "not-happened")
    runtime.tick()
    [request] = runtime.requests()
    assert request.run != run
    runtime.request_commands.resolve(run, "not-happened")
    runtime.tick()
    assert [one.id for one in runtime.requests()] == [request.id]
    assert len(runtime.service.calls) == 2


def test_an_unsure_run_blocks_its_lane(runtime: RuntimeFixture) -> None:
    leave_unsure(runtime, tool="blind")
    runtime.publish("b")
    runtime.tick()
    assert runtime.events() == {"a": "reserved", "b": "pending"}
    assert len(runtime.service.calls) == 1


def test_checks_continue_while_the_workflow_is_paused_but_the_run_does_not(runtime: RuntimeFixture) -> None:
    runtime.service.check_fails = [fail(FailureClass.TRANSIENT)]
    leave_unsure(runtime)
    runtime.commands.pause("w")
    runtime.pass_time(MINUTE)
    assert len(runtime.service.checks) == 2
    assert runtime.events() == {"a": "reserved"}
    runtime.commands.resume("w")
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}


def test_an_answer_while_paused_takes_effect_after_the_resume(runtime: RuntimeFixture) -> None:
    run = leave_unsure(runtime, tool="blind")
    runtime.commands.pause("w")
    runtime.request_commands.resolve(run, "happened")
    runtime.tick()
    assert runtime.events() == {"a": "reserved"}
    runtime.commands.resume("w")
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}


def test_a_stop_is_refused_while_the_outcome_is_unknown(runtime: RuntimeFixture) -> None:
    leave_unsure(runtime, tool="blind")
    with pytest.raises(RefusedError) as refused:
        runtime.commands.stop("w")
    assert refused.value.code == "answer first"
    assert runtime.events() == {"a": "reserved"}


def test_the_user_is_asked_if_the_tool_no_longer_exists(runtime: RuntimeFixture) -> None:
    runtime.service.check_fails = [fail(FailureClass.TRANSIENT)]
    leave_unsure(runtime)
    runtime.services.registry._connectors.clear()
    runtime.pass_time(MINUTE)
    assert [request.kind for request in runtime.requests()] == ["unsure"]


def test_during_reconciliation_the_state_says_so_and_commands_are_refused(runtime: RuntimeFixture) -> None:
    leave_unsure(runtime, happens=False)
    [view] = WorkflowQueries(runtime.engine.context, runtime.services.plans, runtime.services.registry).workflows()
    assert view.state == "retrying"
    assert view.words == "No answer came. Dayhand checks at 10:00 whether it happened."
    for command in (runtime.commands.archive, runtime.commands.remove):
        with pytest.raises(RefusedError, match="Dayhand is checking whether it happened; wait a few minutes"):
            command("w")
