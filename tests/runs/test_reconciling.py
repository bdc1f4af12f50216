"""Nobody knows whether it happened: the tool's checker is asked, then the person, and nothing is done twice."""

from dataclasses import replace

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs.reconciling import TRIES
from scheduler.engine.workflows.views import WorkflowViews
from scheduler.rules.failures import FailureClass
from tests.engine.harness import DAY, HOUR, MINUTE, SECOND
from tests.runs.scripts import consumer
from tests.runs.shop import Shop, fail


def leave_unsure(shop: Shop, *, tool: str = "act", happens: bool = True) -> str:
    """An event was taken, and what became of the action on it is open; the run."""
    shop.world.fails, shop.world.happens = [fail(FailureClass.UNSURE, "No answer came.")], happens
    shop.deploy(consumer(tool=tool))
    shop.tick()
    shop.publish("a")
    shop.tick()
    return shop.runs("C")[-1].id


def refusal(shop: Shop, run: str, answer: str) -> str:
    with pytest.raises(RefusedError) as refused:
        shop.answering.resolve(run, answer)
    return refused.value.code


def test_a_checker_that_finds_it_lets_the_run_go_on(shop: Shop) -> None:
    """X2: next runs with what the checker found; one call."""
    run = leave_unsure(shop)
    assert (len(shop.world.calls), len(shop.world.checks)) == (1, 1)
    assert shop.world.checks[0].key == shop.world.calls[0].key
    assert shop.world.checks[0].parameters == {"n": ["a"]}
    assert shop.events() == {"a": "consumed"}
    assert shop.state("C")["told"] == ["applied", "found"]
    assert [one.id for one in shop.runs("C")[1:]] == [run]
    assert shop.lane().blocked is None


def test_a_checker_that_does_not_find_it_twice_makes_a_fresh_start(shop: Shop) -> None:
    """X3: the events are released and taken again, once the service had time to act and still has not."""
    leave_unsure(shop, happens=False)
    shop.pass_time(2 * MINUTE - SECOND)
    assert len(shop.world.calls) == 1
    shop.pass_time(SECOND)
    assert (len(shop.world.calls), len(shop.world.checks)) == (2, 6)
    unsure, fresh = shop.runs("C")[1:]
    assert (unsure.status, unsure.followed, fresh.retry_of) == ("paused:reconciliation", True, unsure.id)
    assert unsure.ended is not None
    assert fresh.status == "committed"
    assert shop.events() == {"a": "consumed"}


@pytest.mark.parametrize("late_s", [1, 10, 50, 61, 119])
def test_what_a_service_does_late_is_not_done_again(shop: Shop, late_s: int) -> None:
    leave_unsure(shop, happens=False)
    shop.pass_time(late_s * SECOND)
    shop.world.happened.add(shop.world.calls[0].key)
    shop.pass_time(10 * MINUTE)
    assert len(shop.world.calls) == 1
    assert shop.events() == {"a": "consumed"}
    assert shop.state("C")["told"] == ["applied", "found"]


def test_a_connector_may_ask_for_longer(shop: Shop) -> None:
    connector = shop.house.registry.connector("world")
    tools = tuple(replace(tool, apply_window=15 * MINUTE) if tool.name == "act" else tool for tool in connector.tools)
    shop.house.registry._connectors["world"] = replace(connector, tools=tools)
    leave_unsure(shop, happens=False)
    shop.pass_time(30 * MINUTE - SECOND)
    assert len(shop.world.calls) == 1
    shop.pass_time(SECOND)
    assert len(shop.world.calls) == 2


def test_a_clock_that_leaps_ahead_makes_no_answer_count(shop: Shop) -> None:
    """Only time that really passed does."""
    leave_unsure(shop, happens=False)
    for _ in range(5):
        shop.clock.wall += HOUR
        shop.tick()
    assert len(shop.world.calls) == 1
    shop.pass_time(3 * MINUTE)
    assert len(shop.world.calls) == 2


def test_a_restart_waits_the_whole_time_again(shop: Shop) -> None:
    leave_unsure(shop, happens=False)
    shop.pass_time(MINUTE)
    shop.crash(off=HOUR)
    shop.pass_time(2 * MINUTE - SECOND)
    assert len(shop.world.calls) == 1
    shop.pass_time(SECOND)
    assert len(shop.world.calls) == 2


def test_each_call_of_a_chain_is_waited_for(shop: Shop) -> None:
    """The second one is unsure too: what was found out about the first says nothing about it."""
    leave_unsure(shop, happens=False)
    shop.world.fails = [fail(FailureClass.UNSURE)]
    shop.pass_time(2 * MINUTE)
    assert len(shop.world.calls) == 2
    shop.pass_time(2 * MINUTE - SECOND)
    assert len(shop.world.calls) == 2
    shop.world.happened.add(shop.world.calls[1].key)
    shop.pass_time(10 * MINUTE)
    assert len(shop.world.calls) == 2


def test_without_a_checker_the_person_is_asked_at_once(shop: Shop) -> None:
    """X4"""
    run = leave_unsure(shop, tool="blind")
    [request] = shop.requests()
    assert (request.kind, request.run, request.sentence) == ("unsure", run, "No answer came. Did it happen?")
    assert request.call == {"connection": "world:x", "tool": "blind", "parameters": {"n": ["a"]}}
    assert shop.lane().blocked == "unsure"
    assert shop.events() == {"a": "reserved"}


def test_a_checker_that_fails_is_asked_five_times_and_then_the_person(shop: Shop) -> None:
    """X5: 10, 20, 40 and 80 seconds between."""
    shop.world.check_fails = [fail(FailureClass.TRANSIENT)] * TRIES
    run, waits = leave_unsure(shop), []
    while (mutation := shop.mutation(run)) is not None and mutation.check_at is not None:
        waits.append((mutation.check_at - shop.clock.wall).total_seconds())
        assert shop.requests() == []
        shop.clock.move(mutation.check_at - shop.clock.wall - SECOND / 1000)
        shop.tick()
        assert len(shop.world.checks) == len(waits)
        shop.clock.move(SECOND / 1000)
        shop.tick()
    assert waits == [10, 20, 40, 80]
    [request] = shop.requests()
    assert (request.kind, len(shop.world.checks)) == ("unsure", 5)
    shop.pass_time(HOUR)
    assert len(shop.world.checks) == 5


def test_the_waits_of_a_checker_survive_restarts(shop: Shop) -> None:
    """X5, X10"""
    shop.world.check_fails = [fail(FailureClass.TRANSIENT)] * TRIES
    run = leave_unsure(shop)
    for _ in range(TRIES - 1):
        shop.crash(off=10 * MINUTE)
        shop.tick()
        shop.tick()
    assert len(shop.world.checks) == TRIES
    assert [request.run for request in shop.requests()] == [run]
    assert shop.events() == {"a": "reserved"}


def test_being_offline_uses_up_no_try(shop: Shop) -> None:
    """F5: a day without a network, and the checker still has all its tries."""
    shop.world.check_fails = [fail(FailureClass.TRANSIENT, counts=False)] * 20_000
    run = leave_unsure(shop)
    shop.pass_time(10 * MINUTE)
    assert len(shop.world.checks) > TRIES
    mutation = shop.mutation(run)
    assert mutation is not None and mutation.checks == 0
    assert shop.requests() == []
    shop.world.check_fails = []
    shop.pass_time(MINUTE)
    assert shop.events() == {"a": "consumed"}


def test_being_offline_at_the_last_try_does_not_use_it_up(shop: Shop) -> None:
    """F5: four failures, then the network is gone; the person is asked only after a fifth failure."""
    passing, offline = fail(FailureClass.TRANSIENT), fail(FailureClass.TRANSIENT, counts=False)
    shop.world.check_fails = [passing] * 4 + [offline] * 3 + [passing]
    leave_unsure(shop)
    shop.pass_time(150 * SECOND)
    assert len(shop.world.checks) == 5
    assert shop.requests() == []
    shop.pass_time(10 * MINUTE)
    assert len(shop.world.checks) == 8
    assert [request.kind for request in shop.requests()] == ["unsure"]


def test_an_expired_login_while_reconciling_asks_for_a_reconnect_and_uses_up_no_try(shop: Shop) -> None:
    shop.world.check_fails = [fail(FailureClass.AUTH, "Sign in again.")]
    run = leave_unsure(shop)
    [request] = shop.requests()
    assert (request.kind, request.subject) == ("reconnect", "world:x")
    mutation = shop.mutation(run)
    assert mutation is not None and (mutation.checks, mutation.check_at) == (0, None)
    shop.pass_time(DAY)
    assert len(shop.world.checks) == 1
    shop.house.connect("world:x", {})
    shop.tick()
    assert shop.events() == {"a": "consumed"}
    assert (len(shop.world.calls), shop.requests()) == (1, [])


def test_a_checker_that_cannot_tell_either_leaves_it_to_the_person(shop: Shop) -> None:
    shop.world.check_fails = [fail(FailureClass.UNSURE)]
    leave_unsure(shop)
    assert [request.kind for request in shop.requests()] == ["unsure"]


def test_a_checker_with_a_mistake_counts_as_one_that_failed(shop: Shop) -> None:
    shop.world.happened = None  # type: ignore[assignment]
    run = leave_unsure(shop, happens=False)
    mutation = shop.mutation(run)
    assert mutation is not None and mutation.checks == 1


@pytest.mark.parametrize(
    ("answer", "calls", "state", "told"),
    [
        ("happened", 1, "consumed", ["applied", None]),
        ("not-happened", 2, "consumed", ["applied", "done"]),
        ("skip", 1, "skipped", ["skipped", None]),
    ],
)
def test_each_answer_of_the_person(shop: Shop, answer: str, calls: int, state: str, told: list[str]) -> None:
    """X6: also that the same twice changes nothing, and another is refused."""
    run = leave_unsure(shop, tool="blind")
    first = shop.answering.resolve(run, answer)
    assert shop.answering.resolve(run, answer) == first
    shop.tick()
    assert len(shop.world.calls) == calls
    assert shop.events() == {"a": state}
    assert shop.state("C")["told"] == told
    assert shop.requests() == []
    assert shop.answering.resolve(run, answer) == first
    for other in {"happened", "not-happened", "skip"} - {answer}:
        assert refusal(shop, run, other) == "too late"
    shop.tick()
    assert len(shop.world.calls) == calls


def test_an_answer_that_is_none_is_refused(shop: Shop) -> None:
    run = leave_unsure(shop, tool="blind")
    assert [refusal(shop, run, word) for word in ("yes", "", "maybe", "withdrawn")] == ["answer"] * 4
    assert len(shop.requests()) == 1


def test_nobody_is_asked_about_a_run_that_is_sure(shop: Shop) -> None:
    run = leave_unsure(shop)
    assert refusal(shop, run, "happened") == "nothing to resolve"


def test_a_second_unsure_attempt_has_a_question_of_its_own(shop: Shop) -> None:
    """X6: a late second click on the first one does not answer the new one."""
    run = leave_unsure(shop, tool="blind")
    shop.world.fails = [fail(FailureClass.UNSURE)]
    shop.answering.resolve(run, "not-happened")
    shop.tick()
    [request] = shop.requests()
    assert request.run != run
    shop.answering.resolve(run, "not-happened")
    shop.tick()
    assert [one.id for one in shop.requests()] == [request.id]
    assert len(shop.world.calls) == 2


def test_while_it_is_unsure_nothing_of_its_lane_starts_and_news_waits(shop: Shop) -> None:
    leave_unsure(shop, tool="blind")
    shop.publish("b")
    shop.tick()
    assert shop.events() == {"a": "reserved", "b": "pending"}
    assert len(shop.world.calls) == 1


def test_checkers_go_on_while_the_workflow_is_paused_and_the_run_does_not(shop: Shop) -> None:
    shop.world.check_fails = [fail(FailureClass.TRANSIENT)]
    leave_unsure(shop)
    shop.commands.pause("w")
    shop.pass_time(MINUTE)
    assert len(shop.world.checks) == 2
    assert shop.events() == {"a": "reserved"}
    shop.commands.resume("w")
    shop.tick()
    assert shop.events() == {"a": "consumed"}


def test_an_answer_while_paused_counts_after_the_pause(shop: Shop) -> None:
    run = leave_unsure(shop, tool="blind")
    shop.commands.pause("w")
    shop.answering.resolve(run, "happened")
    shop.tick()
    assert shop.events() == {"a": "reserved"}
    shop.commands.resume("w")
    shop.tick()
    assert shop.events() == {"a": "consumed"}


def test_a_stop_is_refused_until_it_is_known(shop: Shop) -> None:
    leave_unsure(shop, tool="blind")
    with pytest.raises(RefusedError) as refused:
        shop.commands.stop("w")
    assert refused.value.code == "answer first"
    assert shop.events() == {"a": "reserved"}


def test_a_tool_that_is_no_longer_there_leaves_it_to_the_person(shop: Shop) -> None:
    shop.world.check_fails = [fail(FailureClass.TRANSIENT)]
    leave_unsure(shop)
    shop.house.registry._connectors.clear()
    shop.pass_time(MINUTE)
    assert [request.kind for request in shop.requests()] == ["unsure"]


def test_while_it_is_found_out_the_workflow_says_so_and_commands_say_to_wait(shop: Shop) -> None:
    leave_unsure(shop, happens=False)
    [view] = WorkflowViews(shop.engine.context, shop.house.plans, shop.house.registry).workflows()
    assert view.state == "retrying"
    assert view.words == "No answer came. Dayhand checks at 10:00 whether it happened."
    for command in (shop.commands.archive, shop.commands.remove):
        with pytest.raises(RefusedError, match="Dayhand is checking whether it happened; wait a few minutes"):
            command("w")
