"""Dayhand asks before it acts: once, about exactly this call, and not again after a rejection."""

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.rules.failures import FailureClass
from scheduler.store import grants
from scheduler.store.workflows import ScriptOrigin
from tests.engine.engine_fixture import DAY, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer


def ask(runtime: RuntimeFixture, script: str, event: str = "a") -> str | None:
    """Deploy and publish one event; returns the resulting request, if any."""
    runtime.deploy(script)
    return publish_and_ask(runtime, event)


def publish_and_ask(runtime: RuntimeFixture, event: str) -> str | None:
    runtime.publish(event)
    runtime.tick()
    requests = [request.id for request in runtime.requests() if request.kind == "approval"]
    return requests[0] if requests else None


def without_approve(tool: str) -> str:
    return consumer(tool=tool).replace(', approve="never"', "")


def test_always_asks_each_time(runtime: RuntimeFixture) -> None:
    first = ask(runtime, consumer(approve="always"))
    assert first is not None
    runtime.request_commands.approve(first)
    runtime.tick()
    assert publish_and_ask(runtime, "b") not in (None, first)
    assert len(runtime.service.calls) == 1


def test_never_does_not_ask(runtime: RuntimeFixture) -> None:
    assert ask(runtime, consumer(approve="never", tool="send")) is None
    assert len(runtime.service.calls) == 1


def test_first_asks_until_one_approval(runtime: RuntimeFixture) -> None:
    first = ask(runtime, consumer(approve="first"))
    assert first is not None
    runtime.request_commands.approve(first)
    runtime.tick()
    assert publish_and_ask(runtime, "b") is None
    assert len(runtime.service.calls) == 2


@pytest.mark.parametrize(("origin", "asks"), [(ScriptOrigin.AUTHOR, False), (ScriptOrigin.FIX, True)])
def test_first_asks_again_after_a_repair(runtime: RuntimeFixture, origin: ScriptOrigin, *, asks: bool) -> None:
    """The approval was for the author's script."""
    runtime.deploy(consumer(approve="first"))
    runtime.publish("a")
    runtime.tick()
    runtime.request_commands.approve(runtime.requests()[0].id)
    runtime.tick()
    runtime.deploy(f"{consumer(approve='first')}# another version\n", origin=origin)
    runtime.publish("b")
    runtime.tick()
    assert ([one.kind for one in runtime.requests()] == ["approval"]) is asks


def test_first_asks_again_after_a_rejection(runtime: RuntimeFixture) -> None:
    first = ask(runtime, consumer(approve="first"))
    assert first is not None
    runtime.request_commands.reject(first)
    runtime.tick()
    assert publish_and_ask(runtime, "b") is not None
    assert runtime.service.calls == []


@pytest.mark.parametrize(("tool", "asks"), [("send", True), ("act", False)])
def test_by_default_only_tools_that_act_on_others_ask(runtime: RuntimeFixture, tool: str, asks: bool) -> None:  # noqa: FBT001
    assert (ask(runtime, without_approve(tool)) is not None) == asks
    assert len(runtime.service.calls) == (not asks)


def test_the_request_shows_the_sentence_and_the_exact_call(runtime: RuntimeFixture) -> None:
    script = consumer(approve="always").replace('say="Do "', 'ui={"rows": 3}, say="Do "')
    ask(runtime, script)
    [request] = runtime.requests()
    assert request.sentence == "Do 1"
    assert request.call == {"connection": "world:x", "tool": "act", "parameters": {"n": ["a"]}}
    assert request.ui == {"rows": 3}
    run = runtime.runs("C")[-1]
    assert (run.id, run.status, run.phase) == (request.run, "paused:approval", "prepared")
    assert runtime.events() == {"a": "reserved"}
    assert runtime.lane().blocked is None


def test_waiting_has_no_deadline_and_survives_restarts(runtime: RuntimeFixture) -> None:
    request = ask(runtime, consumer(approve="always"))
    assert request is not None
    runtime.crash(off=30 * DAY)
    runtime.tick()
    assert [one.id for one in runtime.requests()] == [request]
    runtime.request_commands.approve(request)
    runtime.crash(off=DAY)
    runtime.tick()
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}


def test_a_waiting_approval_blocks_no_other_event(runtime: RuntimeFixture) -> None:
    """Two events, one after the other: both wait, and each is answered separately."""
    ask(runtime, consumer(approve="always"))
    publish_and_ask(runtime, "b")
    [request] = [one for one in runtime.requests() if one.call["parameters"] == {"n": ["b"]}]
    runtime.request_commands.approve(request.id)
    runtime.tick()
    assert runtime.events() == {"a": "reserved", "b": "consumed"}


def test_a_call_that_differs_from_the_approved_one_asks_again(runtime: RuntimeFixture) -> None:
    """The approval was for another call."""
    script = consumer(approve="always").replace("n=prepared.data", "n=open(NUMBER).read()")
    number = runtime.folder / "number"
    number.write_text("1")
    first = ask(runtime, f"NUMBER = {str(number)!r}\n{script}")
    assert first is not None
    number.write_text("2")
    runtime.request_commands.approve(first)
    runtime.tick()
    [second] = runtime.requests()
    assert runtime.service.calls == []
    assert second.call["parameters"] == {"n": "2"}
    assert second.run == runtime.runs("C")[-1].id
    runtime.request_commands.approve(second.id)
    runtime.tick()
    assert [call.parameters for call in runtime.service.calls] == [{"n": "2"}]


def test_an_approval_holds_for_the_chain_if_the_action_failed(runtime: RuntimeFixture) -> None:
    """The server was busy: the same call is retried without asking again."""
    runtime.service.fails = [fail(FailureClass.TRANSIENT)]
    request = ask(runtime, consumer(approve="always"))
    assert request is not None
    runtime.request_commands.approve(request)
    runtime.tick()
    assert runtime.runs("C")[-1].status == "paused:transient"
    runtime.pass_time(40 * SECOND)
    assert runtime.requests() == []
    assert len(runtime.service.calls) == 2
    assert runtime.events() == {"a": "consumed"}


def test_an_approval_does_not_hold_for_another_chain(runtime: RuntimeFixture) -> None:
    """The same call in another run asks again."""
    script = consumer(approve="always").replace("n=prepared.data", "n=1")
    first = ask(runtime, script)
    assert first is not None
    runtime.request_commands.approve(first)
    runtime.tick()
    assert publish_and_ask(runtime, "b") is not None
    assert len(runtime.service.calls) == 1


def test_always_allow_is_a_grant_that_can_be_listed_and_revoked(runtime: RuntimeFixture) -> None:
    first = ask(runtime, consumer(approve="always"))
    assert first is not None
    runtime.request_commands.approve(first, always=True)
    runtime.tick()
    assert publish_and_ask(runtime, "b") is None
    [given] = [one for one in grants.of_workflow(runtime.database.read(), "w") if one.kind == "approval"]
    assert (given.handler, given.connection, given.tool) == ("C", "world:x", "act")
    runtime.services.grant_commands.revoke("w", "world:x", "act")
    runtime.services.grant_commands.grant("w")
    assert publish_and_ask(runtime, "c") is not None
    assert len(runtime.service.calls) == 2


def test_a_rejection_skips_the_action_and_next_sees_it(runtime: RuntimeFixture) -> None:
    request = ask(runtime, consumer(approve="always"))
    assert request is not None
    runtime.request_commands.reject(request)
    run = runtime.runs("C")[-1]
    mutation = runtime.mutation(run.id)
    assert mutation is not None
    assert (run.phase, mutation.status) == ("mutated", "skipped")  # all in the transaction of the answer
    runtime.tick()
    assert runtime.service.calls == []
    assert runtime.state("C")["told"] == ["skipped", None]
    assert runtime.events() == {"a": "skipped"}
    assert runtime.runs("C")[-1].status == "committed"


def test_a_rejected_event_is_not_revived_by_publishing_it_again(runtime: RuntimeFixture) -> None:
    request = ask(runtime, consumer(approve="always"))
    assert request is not None
    runtime.request_commands.reject(request)
    runtime.tick()
    assert publish_and_ask(runtime, "a") is None
    assert runtime.events() == {"a": "skipped"}


@pytest.mark.parametrize(("first", "second"), [("approve", "reject"), ("reject", "approve")])
def test_the_first_answer_counts(runtime: RuntimeFixture, first: str, second: str) -> None:
    """The same again changes nothing; a different one is refused, even later."""
    request = ask(runtime, consumer(approve="always"))
    assert request is not None
    one = getattr(runtime.request_commands, first)(request)
    for _ in range(2):
        assert getattr(runtime.request_commands, first)(request) == one
        with pytest.raises(RefusedError) as refused:
            getattr(runtime.request_commands, second)(request)
        assert refused.value.code == "too late"
        runtime.tick()
    assert len(runtime.service.calls) == (first == "approve")


def test_a_retry_is_refused_until_the_request_is_answered(runtime: RuntimeFixture) -> None:
    ask(runtime, consumer(approve="always"))
    for target in (runtime.runs("C")[-1].id, "w"):
        with pytest.raises(RefusedError) as refused:
            runtime.request_commands.retry(target)
        assert refused.value.code == "answer first"


def test_an_answer_while_paused_is_accepted_and_continues_after_the_resume(runtime: RuntimeFixture) -> None:
    request = ask(runtime, consumer(approve="always"))
    assert request is not None
    runtime.commands.pause("w")
    runtime.request_commands.approve(request)
    runtime.pass_time(MINUTE)
    assert runtime.service.calls == []
    runtime.commands.resume("w")
    runtime.tick()
    assert len(runtime.service.calls) == 1


def test_a_stop_withdraws_the_request_and_releases_the_events(runtime: RuntimeFixture) -> None:
    request = ask(runtime, consumer(approve="always"))
    assert request is not None
    runtime.commands.stop("w")
    assert runtime.requests() == []
    assert runtime.events() == {"a": "pending"}
    with pytest.raises(RefusedError):
        runtime.request_commands.approve(request)
    runtime.tick()
    assert runtime.service.calls == []


def test_only_yes_or_no_requests_can_be_approved_or_rejected(runtime: RuntimeFixture) -> None:
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.deploy(consumer(tool="blind"))
    publish_and_ask(runtime, "a")
    [request] = runtime.requests()
    for answer in (runtime.request_commands.approve, runtime.request_commands.reject):
        with pytest.raises(RefusedError) as refused:
            answer(request.id)
        assert "dayhand resolve" in str(refused.value)
    with pytest.raises(RefusedError):
        runtime.request_commands.approve("nobody")


def test_a_tool_without_permission_is_asked_about_and_then_used(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(), grant=False)
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    assert (request.kind, runtime.lane().blocked) == ("permission", "permission")
    runtime.request_commands.approve(request.id)
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}
    assert (runtime.requests(), runtime.lane().blocked) == ([], None)


def test_a_declined_tool_is_not_asked_about_again_without_new_events(runtime: RuntimeFixture) -> None:
    script = consumer().replace("batch = ctx.peek", 'ctx.call("world:x", "look")\n        batch = ctx.peek')
    runtime.deploy(script, grant=False)
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    runtime.request_commands.reject(request.id)
    runtime.tick()
    assert (runtime.requests(), runtime.lane().blocked) == ([], None)
    assert runtime.events() == {"a": "pending"}
    runtime.publish("b")
    runtime.tick()
    assert [one.kind for one in runtime.requests()] == ["permission"]


@pytest.mark.parametrize(("answer", "state", "calls"), [("approve", "consumed", 2), ("reject", "pending", 1)])
def test_a_call_that_the_server_forbids_is_retried_after_the_user_approves(
    runtime: RuntimeFixture, answer: str, state: str, calls: int
) -> None:
    """403: the user fixes it at the server and then approves or rejects here."""
    runtime.service.fails = [fail(FailureClass.PERMISSION, "world:x does not let you do that.")]
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    assert (request.kind, request.subject, runtime.lane().blocked) == ("permission", "world:x", "permission")
    getattr(runtime.request_commands, answer)(request.id)
    runtime.tick()
    assert runtime.events() == {"a": state}
    assert len(runtime.service.calls) == calls
    assert (runtime.requests(), runtime.lane().blocked) == ([], None)
