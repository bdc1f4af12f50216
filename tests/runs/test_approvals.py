"""Dayhand asks before it acts: exactly this call, once, and whoever said no is not asked again."""

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.rules.failures import FailureClass
from scheduler.store import grants
from scheduler.store.workflows import ScriptOrigin
from tests.engine.harness import DAY, MINUTE, SECOND
from tests.runs.scripts import consumer
from tests.runs.shop import Shop, fail


def ask(shop: Shop, script: str, event: str = "a") -> str | None:
    """Deploy and let one event come; the request that follows, if there is one."""
    shop.deploy(script)
    return come(shop, event)


def come(shop: Shop, event: str) -> str | None:
    shop.publish(event)
    shop.tick()
    found = [request.id for request in shop.requests() if request.kind == "approval"]
    return found[0] if found else None


def by_default(tool: str) -> str:
    return consumer(tool=tool).replace(', approve="never"', "")


def test_always_asks_each_time(shop: Shop) -> None:
    first = ask(shop, consumer(approve="always"))
    assert first is not None
    shop.answering.approve(first)
    shop.tick()
    assert come(shop, "b") not in (None, first)
    assert len(shop.world.calls) == 1


def test_never_does_not_ask(shop: Shop) -> None:
    assert ask(shop, consumer(approve="never", tool="send")) is None
    assert len(shop.world.calls) == 1


def test_first_asks_until_one_yes(shop: Shop) -> None:
    first = ask(shop, consumer(approve="first"))
    assert first is not None
    shop.answering.approve(first)
    shop.tick()
    assert come(shop, "b") is None
    assert len(shop.world.calls) == 2


@pytest.mark.parametrize(("origin", "asks"), [(ScriptOrigin.AUTHOR, False), (ScriptOrigin.FIX, True)])
def test_first_asks_again_after_a_repair(shop: Shop, origin: ScriptOrigin, *, asks: bool) -> None:
    """The yes was for what a person wrote."""
    shop.deploy(consumer(approve="first"))
    shop.publish("a")
    shop.tick()
    shop.answering.approve(shop.requests()[0].id)
    shop.tick()
    shop.deploy(f"{consumer(approve='first')}# another version\n", origin=origin)
    shop.publish("b")
    shop.tick()
    assert ([one.kind for one in shop.requests()] == ["approval"]) is asks


def test_first_asks_again_after_a_no(shop: Shop) -> None:
    first = ask(shop, consumer(approve="first"))
    assert first is not None
    shop.answering.reject(first)
    shop.tick()
    assert come(shop, "b") is not None
    assert shop.world.calls == []


@pytest.mark.parametrize(("tool", "asks"), [("send", True), ("act", False)])
def test_unless_told_otherwise_only_what_acts_on_others_is_asked(shop: Shop, tool: str, asks: bool) -> None:  # noqa: FBT001
    assert (ask(shop, by_default(tool)) is not None) == asks
    assert len(shop.world.calls) == (not asks)


def test_the_request_shows_the_sentence_and_the_exact_call(shop: Shop) -> None:
    script = consumer(approve="always").replace('say="Do "', 'ui={"rows": 3}, say="Do "')
    ask(shop, script)
    [request] = shop.requests()
    assert request.sentence == "Do 1"
    assert request.call == {"connection": "world:x", "tool": "act", "parameters": {"n": ["a"]}}
    assert request.ui == {"rows": 3}
    run = shop.runs("C")[-1]
    assert (run.id, run.status, run.phase) == (request.run, "paused:approval", "prepared")
    assert shop.events() == {"a": "reserved"}
    assert shop.lane().blocked is None


def test_waiting_has_no_deadline_and_survives_restarts(shop: Shop) -> None:
    request = ask(shop, consumer(approve="always"))
    assert request is not None
    shop.crash(off=30 * DAY)
    shop.tick()
    assert [one.id for one in shop.requests()] == [request]
    shop.answering.approve(request)
    shop.crash(off=DAY)
    shop.tick()
    assert len(shop.world.calls) == 1
    assert shop.events() == {"a": "consumed"}


def test_waiting_holds_up_nobody(shop: Shop) -> None:
    """Two events, one after the other: both wait, and each is answered for itself."""
    ask(shop, consumer(approve="always"))
    come(shop, "b")
    [request] = [one for one in shop.requests() if one.call["parameters"] == {"n": ["b"]}]
    shop.answering.approve(request.id)
    shop.tick()
    assert shop.events() == {"a": "reserved", "b": "consumed"}


def test_another_call_than_the_one_shown_is_asked_about_again(shop: Shop) -> None:
    """The yes was for something else."""
    script = consumer(approve="always").replace("n=prepared.data", "n=open(NUMBER).read()")
    number = shop.folder / "number"
    number.write_text("1")
    first = ask(shop, f"NUMBER = {str(number)!r}\n{script}")
    assert first is not None
    number.write_text("2")
    shop.answering.approve(first)
    shop.tick()
    [second] = shop.requests()
    assert shop.world.calls == []
    assert second.call["parameters"] == {"n": "2"}
    assert second.run == shop.runs("C")[-1].id
    shop.answering.approve(second.id)
    shop.tick()
    assert [call.parameters for call in shop.world.calls] == [{"n": "2"}]


def test_a_yes_holds_for_the_chain_if_the_action_could_not_be_made(shop: Shop) -> None:
    """The server was busy: the same call is made a little later without another question."""
    shop.world.fails = [fail(FailureClass.TRANSIENT)]
    request = ask(shop, consumer(approve="always"))
    assert request is not None
    shop.answering.approve(request)
    shop.tick()
    assert shop.runs("C")[-1].status == "paused:transient"
    shop.pass_time(40 * SECOND)
    assert shop.requests() == []
    assert len(shop.world.calls) == 2
    assert shop.events() == {"a": "consumed"}


def test_a_yes_does_not_hold_for_another_chain(shop: Shop) -> None:
    """The same call on another day is another question."""
    script = consumer(approve="always").replace("n=prepared.data", "n=1")
    first = ask(shop, script)
    assert first is not None
    shop.answering.approve(first)
    shop.tick()
    assert come(shop, "b") is not None
    assert len(shop.world.calls) == 1


def test_always_allow_is_written_down_where_it_can_be_seen_and_revoked(shop: Shop) -> None:
    first = ask(shop, consumer(approve="always"))
    assert first is not None
    shop.answering.approve(first, always=True)
    shop.tick()
    assert come(shop, "b") is None
    [given] = [one for one in grants.of_workflow(shop.database.read(), "w") if one.kind == "approval"]
    assert (given.handler, given.connection, given.tool) == ("C", "world:x", "act")
    shop.house.allowing.revoke("w", "world:x", "act")
    shop.house.allowing.grant("w")
    assert come(shop, "c") is not None
    assert len(shop.world.calls) == 2


def test_a_reject_leaves_the_action_out_and_tells_next(shop: Shop) -> None:
    request = ask(shop, consumer(approve="always"))
    assert request is not None
    shop.answering.reject(request)
    run = shop.runs("C")[-1]
    mutation = shop.mutation(run.id)
    assert mutation is not None
    assert (run.phase, mutation.status) == ("mutated", "skipped")  # all in the transaction of the answer
    shop.tick()
    assert shop.world.calls == []
    assert shop.state("C")["told"] == ["skipped", None]
    assert shop.events() == {"a": "skipped"}
    assert shop.runs("C")[-1].status == "committed"


def test_a_rejected_event_is_not_revived_by_publishing_it_again(shop: Shop) -> None:
    request = ask(shop, consumer(approve="always"))
    assert request is not None
    shop.answering.reject(request)
    shop.tick()
    assert come(shop, "a") is None
    assert shop.events() == {"a": "skipped"}


@pytest.mark.parametrize(("first", "second"), [("approve", "reject"), ("reject", "approve")])
def test_the_first_answer_counts(shop: Shop, first: str, second: str) -> None:
    """The same again changes nothing; a different one is refused, also long after."""
    request = ask(shop, consumer(approve="always"))
    assert request is not None
    one = getattr(shop.answering, first)(request)
    for _ in range(2):
        assert getattr(shop.answering, first)(request) == one
        with pytest.raises(RefusedError) as refused:
            getattr(shop.answering, second)(request)
        assert refused.value.code == "too late"
        shop.tick()
    assert len(shop.world.calls) == (first == "approve")


def test_trying_again_is_refused_until_it_is_answered(shop: Shop) -> None:
    ask(shop, consumer(approve="always"))
    for target in (shop.runs("C")[-1].id, "w"):
        with pytest.raises(RefusedError) as refused:
            shop.answering.retry(target)
        assert refused.value.code == "answer first"


def test_an_answer_while_paused_is_taken_and_continues_afterwards(shop: Shop) -> None:
    request = ask(shop, consumer(approve="always"))
    assert request is not None
    shop.commands.pause("w")
    shop.answering.approve(request)
    shop.pass_time(MINUTE)
    assert shop.world.calls == []
    shop.commands.resume("w")
    shop.tick()
    assert len(shop.world.calls) == 1


def test_a_stop_withdraws_the_question_and_releases_the_events(shop: Shop) -> None:
    request = ask(shop, consumer(approve="always"))
    assert request is not None
    shop.commands.stop("w")
    assert shop.requests() == []
    assert shop.events() == {"a": "pending"}
    with pytest.raises(RefusedError):
        shop.answering.approve(request)
    shop.tick()
    assert shop.world.calls == []


def test_only_a_yes_or_no_question_takes_yes_or_no(shop: Shop) -> None:
    shop.world.fails = [fail(FailureClass.UNSURE)]
    shop.deploy(consumer(tool="blind"))
    come(shop, "a")
    [request] = shop.requests()
    for answer in (shop.answering.approve, shop.answering.reject):
        with pytest.raises(RefusedError) as refused:
            answer(request.id)
        assert "dayhand resolve" in str(refused.value)
    with pytest.raises(RefusedError):
        shop.answering.approve("nobody")


def test_a_tool_that_was_not_allowed_is_asked_about_and_then_used(shop: Shop) -> None:
    shop.deploy(consumer(), grant=False)
    shop.publish("a")
    shop.tick()
    [request] = shop.requests()
    assert (request.kind, shop.lane().blocked) == ("permission", "permission")
    shop.answering.approve(request.id)
    shop.tick()
    assert shop.events() == {"a": "consumed"}
    assert (shop.requests(), shop.lane().blocked) == ([], None)


def test_a_tool_that_the_person_declines_is_not_asked_about_again_without_news(shop: Shop) -> None:
    script = consumer().replace("batch = ctx.peek", 'ctx.call("world:x", "look")\n        batch = ctx.peek')
    shop.deploy(script, grant=False)
    shop.publish("a")
    shop.tick()
    [request] = shop.requests()
    shop.answering.reject(request.id)
    shop.tick()
    assert (shop.requests(), shop.lane().blocked) == ([], None)
    assert shop.events() == {"a": "pending"}
    shop.publish("b")
    shop.tick()
    assert [one.kind for one in shop.requests()] == ["permission"]


@pytest.mark.parametrize(("answer", "state", "calls"), [("approve", "consumed", 2), ("reject", "pending", 1)])
def test_a_server_that_forbids_it_is_tried_again_after_the_person_dealt_with_that(
    shop: Shop, answer: str, state: str, calls: int
) -> None:
    """403: what helps is done at the server; here the person only says go on, or leave it."""
    shop.world.fails = [fail(FailureClass.PERMISSION, "world:x does not let you do that.")]
    shop.deploy(consumer())
    shop.publish("a")
    shop.tick()
    [request] = shop.requests()
    assert (request.kind, request.subject, shop.lane().blocked) == ("permission", "world:x", "permission")
    getattr(shop.answering, answer)(request.id)
    shop.tick()
    assert shop.events() == {"a": state}
    assert len(shop.world.calls) == calls
    assert (shop.requests(), shop.lane().blocked) == ([], None)
