"""The user changes a call before approving it: that call is made, once, and the script learns which it was."""

from typing import Any

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.runs.attempt import OutsideCall
from scheduler.rules.failures import FailureClass
from scheduler.store import mutations, requests
from scheduler.store.requests import RequestRow
from tests.engine.engine_fixture import DAY, MINUTE
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer

ORIGINAL = {"n": ["a"], "text": "Dear all", "rows": [{"day": "Monday"}]}


def writing(*, approve: str = "always", tool: str = "act") -> str:
    """Calls with a text and rows, and keeps in its state what `next` was told."""
    script = consumer(approve=approve, tool=tool)
    script = script.replace("n=prepared.data", 'n=prepared.data, text="Dear all", rows=[{"day": "Monday"}]')
    return script.replace('state["told"] = [ctx.outcome, result]', 'state["told"] = [ctx.outcome, ctx.call_made]')


def ask(runtime: RuntimeFixture, script: str | None = None) -> RequestRow:
    runtime.deploy(script or writing())
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    return request


def row_of(runtime: RuntimeFixture, request: str) -> RequestRow:
    row = requests.find(runtime.database.read(), request)
    assert row is not None
    return row


def parameters(runtime: RuntimeFixture) -> list[Any]:
    return [call.parameters for call in runtime.service.calls]


def test_the_changed_call_is_made_instead_of_the_asked_one(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.request_commands.approve(request.id, edits={"text": "Dear Ann"})
    runtime.tick()
    assert parameters(runtime) == [{**ORIGINAL, "text": "Dear Ann"}]
    assert runtime.events() == {"a": "consumed"}
    assert runtime.requests() == []


def test_next_gets_the_call_that_was_made(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.request_commands.approve(request.id, edits={"text": "Dear Ann"})
    runtime.tick()
    made = {"connection": "world:x", "tool": "act", "parameters": {**ORIGINAL, "text": "Dear Ann"}}
    assert runtime.state("C")["told"] == ["applied", made]


def test_next_gets_the_call_also_if_nothing_was_changed(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.request_commands.approve(request.id)
    runtime.tick()
    assert runtime.state("C")["told"] == [
        "applied",
        {"connection": "world:x", "tool": "act", "parameters": ORIGINAL},
    ]


def test_both_calls_are_kept(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.request_commands.approve(request.id, edits={"text": "Dear Ann"})
    runtime.tick()
    row = row_of(runtime, request.id)
    assert row.call["parameters"] == ORIGINAL
    assert row.edited["parameters"] == {**ORIGINAL, "text": "Dear Ann"}
    assert row.edited_hash not in (None, row.hash)
    mutation = runtime.mutation(runtime.runs("C")[-1].id)
    assert mutation is not None
    assert (mutation.parameters["text"], mutation.asked) == ("Dear Ann", ORIGINAL)


def test_a_changed_call_has_an_idempotency_key_of_its_own(runtime: RuntimeFixture) -> None:
    """Services and checkers must not take it for the call that was asked for."""
    first = ask(runtime)
    runtime.request_commands.approve(first.id, edits={"text": "Dear Ann"})
    runtime.service.fails = [fail(FailureClass.TRANSIENT)]
    runtime.tick()
    runtime.pass_time(2 * MINUTE)
    keys = {call.key for call in runtime.service.calls}
    assert len(runtime.service.calls) == 2 and len(keys) == 1
    [run, *_] = runtime.runs("C")
    assert keys == {OutsideCall.from_stored(row_of(runtime, first.id).edited).make_idempotency_key(run.chain)}


def test_the_approval_holds_for_the_chain_if_the_changed_call_failed(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.service.fails = [fail(FailureClass.TRANSIENT)]
    runtime.request_commands.approve(request.id, edits={"text": "Dear Ann"})
    runtime.tick()
    runtime.pass_time(2 * MINUTE)
    assert [one["text"] for one in parameters(runtime)] == ["Dear Ann", "Dear Ann"]
    assert runtime.requests() == []


def test_an_unknown_outcome_of_a_changed_call_is_checked_by_its_own_key(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.request_commands.approve(request.id, edits={"text": "Dear Ann"})
    runtime.tick()
    runtime.pass_time(5 * MINUTE)
    [call] = runtime.service.calls
    assert {check.key for check in runtime.service.checks} == {call.key}
    assert {check.parameters["text"] for check in runtime.service.checks} == {"Dear Ann"}
    assert runtime.events() == {"a": "consumed"}
    assert runtime.state("C")["told"][1]["parameters"]["text"] == "Dear Ann"


@pytest.mark.parametrize("off", [MINUTE, 3 * DAY])
def test_a_changed_approval_survives_a_crash(runtime: RuntimeFixture, off: Any) -> None:
    request = ask(runtime)
    runtime.request_commands.approve(request.id, edits={"text": "Dear Ann"})
    runtime.crash(off=off)
    runtime.tick()
    assert [one["text"] for one in parameters(runtime)] == ["Dear Ann"]
    assert runtime.events() == {"a": "consumed"}


def test_another_original_asks_again(runtime: RuntimeFixture) -> None:
    """The user changed another call: what the script asks for now was never seen."""
    number = runtime.folder / "number"
    number.write_text("1")
    script = writing().replace("n=prepared.data,", "n=open(NUMBER).read(),")
    request = ask(runtime, f"NUMBER = {str(number)!r}\n{script}")
    number.write_text("2")
    runtime.request_commands.approve(request.id, edits={"text": "Dear Ann"})
    runtime.tick()
    assert runtime.service.calls == []
    [again] = runtime.requests()
    assert again.call["parameters"] == {**ORIGINAL, "n": "2"}


def test_a_script_that_asks_for_the_changed_call_itself_asks_again(runtime: RuntimeFixture) -> None:
    """Only the call that was shown is covered, not what the user made of it."""
    text = runtime.folder / "text"
    text.write_text("Dear all")
    request = ask(runtime, f"TEXT = {str(text)!r}\n" + writing().replace('text="Dear all"', "text=open(TEXT).read()"))
    text.write_text("Dear Ann")
    runtime.request_commands.approve(request.id, edits={"text": "Dear Ann"})
    runtime.tick()
    assert runtime.service.calls == []
    assert len(runtime.requests()) == 1


@pytest.mark.parametrize(
    ("edits", "sentence"),
    [
        ({"n": ["b"]}, "n cannot be changed; only text, rows can."),
        ({"nothing": 1}, "nothing cannot be changed; only text, rows can."),
        ({"text": 7}, '"text" of act takes a text, not a whole number.'),
        ({"text": "Hello!!!"}, '"text" must not shout.'),
        ({"rows": "[{]"}, 'rows is not valid JSON; write for example [{"day": "Monday"}].'),
        ({"rows": "7"}, '"rows" of act takes a list, not a whole number.'),
        ({"text": "\ud800"}, "text has a value that cannot be used."),
        ({"rows": [float("nan")]}, "rows has a value that cannot be used."),
        ({"text": "x" * 1_000_001}, "That is too long; the limit is 1,000,000 characters."),
    ],
)
def test_a_bad_change_is_refused_and_the_request_stays_open(
    runtime: RuntimeFixture, edits: dict[str, Any], sentence: str
) -> None:
    request = ask(runtime)
    with pytest.raises(RefusedError) as refused:
        runtime.request_commands.approve(request.id, edits=edits)
    assert refused.value.sentence == sentence
    runtime.tick()
    assert [one.id for one in runtime.requests()] == [request.id]
    assert runtime.service.calls == []


def test_rows_may_be_typed_as_json(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.request_commands.approve(request.id, edits={"rows": '[{"day": "Friday"}]'})
    runtime.tick()
    assert parameters(runtime) == [{**ORIGINAL, "rows": [{"day": "Friday"}]}]


def test_a_deeply_nested_change_is_refused(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    nested: list[Any] = []
    for _ in range(50):
        nested = [nested]
    with pytest.raises(RefusedError, match="cannot be used"):
        runtime.request_commands.approve(request.id, edits={"rows": nested})


def test_the_same_values_again_are_no_change(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.request_commands.approve(request.id, edits={"text": "Dear all"})
    runtime.tick()
    assert row_of(runtime, request.id).edited is None
    assert parameters(runtime) == [ORIGINAL]


def test_a_changed_approval_is_never_for_good(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    with pytest.raises(RefusedError, match="approved once; it cannot be allowed for good"):
        runtime.request_commands.approve(request.id, edits={"text": "Dear Ann"}, always=True)
    assert [one.id for one in runtime.requests()] == [request.id]


def test_with_approve_first_a_changed_approval_asks_again_the_next_time(runtime: RuntimeFixture) -> None:
    request = ask(runtime, writing(approve="first"))
    runtime.request_commands.approve(request.id, edits={"text": "Dear Ann"})
    runtime.tick()
    runtime.publish("b")
    runtime.tick()
    assert [one.kind for one in runtime.requests()] == ["approval"]


def test_a_grant_given_meanwhile_does_not_undo_the_change(runtime: RuntimeFixture) -> None:
    """Two calls wait: one is changed, the other allowed for good, before either is made."""
    first = ask(runtime)
    runtime.publish("b")
    runtime.tick()
    [second] = [one for one in runtime.requests() if one.id != first.id]
    runtime.request_commands.approve(first.id, edits={"text": "Dear Ann"})
    runtime.request_commands.approve(second.id, always=True)
    runtime.tick()
    made = {call.parameters["n"][0]: call.parameters["text"] for call in runtime.service.calls}
    assert made == {"a": "Dear Ann", "b": "Dear all"}


def test_the_first_answer_counts_also_between_two_changes(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.request_commands.approve(request.id, edits={"text": "Dear Ann"})
    runtime.request_commands.approve(request.id, edits={"text": "Dear Ann"})
    for edits in ({"text": "Dear Bob"}, {}):
        with pytest.raises(RefusedError, match="You approved this with your changes at "):
            runtime.request_commands.approve(request.id, edits=edits)
    runtime.tick()
    assert [one["text"] for one in parameters(runtime)] == ["Dear Ann"]


def test_a_stored_change_that_does_not_match_its_hash_asks_again(runtime: RuntimeFixture) -> None:
    """What is done is what was approved: a damaged row approves nothing."""
    request = ask(runtime)
    runtime.request_commands.approve(request.id, edits={"text": "Dear Ann"})
    with runtime.database.write() as db:
        db.execute("UPDATE requests SET edited = replace(edited, 'Ann', 'Eve')")
    runtime.tick()
    assert runtime.service.calls == []
    assert len(runtime.requests()) == 1


def test_only_an_approval_can_be_changed(runtime: RuntimeFixture) -> None:
    runtime.deploy(writing(approve="never"), grant=False)
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    assert request.kind == "permission"
    with pytest.raises(RefusedError, match="Only an action that waits for approval"):
        runtime.request_commands.approve(request.id, edits={"text": "x"})


def test_a_rejection_has_a_reason_that_next_and_the_history_know(runtime: RuntimeFixture) -> None:
    script = writing().replace("[ctx.outcome, ctx.call_made]", "[ctx.outcome, ctx.reason, ctx.call_made]")
    request = ask(runtime, script)
    runtime.request_commands.reject(request.id, reason="  Too early ")
    runtime.tick()
    assert runtime.state("C")["told"] == ["skipped", "Too early", None]
    assert row_of(runtime, request.id).reason == "Too early"
    mutation = mutations.find(runtime.database.read(), runtime.runs("C")[-1].id)
    assert mutation is not None and (mutation.status, mutation.reason) == ("skipped", "Too early")


@pytest.mark.parametrize("reason", [None, "", "  \n"])
def test_without_a_reason_next_gets_none(runtime: RuntimeFixture, reason: str | None) -> None:
    request = ask(runtime, writing().replace("ctx.call_made]", "ctx.reason]"))
    runtime.request_commands.reject(request.id, reason=reason)
    runtime.tick()
    assert runtime.state("C")["told"] == ["skipped", None]


def test_a_reason_survives_a_crash_before_next(runtime: RuntimeFixture) -> None:
    request = ask(runtime, writing().replace("ctx.call_made]", "ctx.reason]"))
    runtime.request_commands.reject(request.id, reason="Too early")
    runtime.crash(off=DAY)
    runtime.tick()
    assert runtime.state("C")["told"] == ["skipped", "Too early"]


def test_a_reason_that_is_too_long_is_refused(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    with pytest.raises(RefusedError, match="at most 1,000 characters"):
        runtime.request_commands.reject(request.id, reason="x" * 1001)
    assert [one.id for one in runtime.requests()] == [request.id]
