"""Several requests answered at once: each once, each bound to the call that was seen, and no other one."""

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.workflows.group_answers import GroupAnswer, GroupResult, SeenRequest, answer_each
from scheduler.store import grants, requests
from scheduler.store.requests import RequestRow
from tests.engine.engine_fixture import SECOND
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import HEAD, consumer

TWO_CONSUMERS = (
    HEAD
    + """
u = flow.topic("u")
"""
    + "".join(
        f"""
@flow.consumer(subscribe=[{topic}], approve="always")
class {name}:
    def prepare(self, ctx, state):
        batch = ctx.peek({topic}, limit=1)
        return dayhand.prepared(reserve=batch, data=[one.id for one in batch], say="Do") if batch else dayhand.nothing()

    def mutate(self, ctx, prepared):
        if prepared.data == ["send"]:
            ctx.call("world:x", "send", n=prepared.data)
        ctx.call("world:x", "act", n=prepared.data)
"""
        for name, topic in (("C", "t"), ("D", "u"))
    )
)


@pytest.fixture
def waiting(runtime: RuntimeFixture) -> list[RequestRow]:
    """Three requests of one consumer."""
    runtime.deploy(consumer(approve="always"))
    for event in "abc":
        runtime.publish(event)
        runtime.pass_time(SECOND)
    return runtime.requests()


def answer(
    runtime: RuntimeFixture,
    given: GroupAnswer,
    rows: list[RequestRow],
    *,
    key: str | None = None,
    reason: str | None = None,
) -> list[GroupResult]:
    seen = [SeenRequest(id=one.id, call_hash=one.hash, run=one.run) for one in rows]
    return answer_each(runtime.request_commands, given, seen, reason=reason, idempotency_key=key)


def acted_on(runtime: RuntimeFixture) -> list[str]:
    return [call.parameters["n"][0] for call in runtime.service.calls]


def refusals(results: list[GroupResult]) -> list[str]:
    return ["" if one.refusal is None else one.refusal.code for one in results]


def test_all_are_approved_and_each_acts_once(runtime: RuntimeFixture, waiting: list[RequestRow]) -> None:
    results = answer(runtime, GroupAnswer.APPROVE, waiting)
    assert [(one.request, one.answer) for one in results] == [
        (row.id, {"request": row.id, "answer": "yes"}) for row in waiting
    ]
    runtime.tick()
    assert sorted(acted_on(runtime)) == ["a", "b", "c"]


def test_all_are_rejected_and_none_acts(runtime: RuntimeFixture, waiting: list[RequestRow]) -> None:
    answer(runtime, GroupAnswer.REJECT, waiting)
    runtime.tick()
    assert runtime.service.calls == []
    assert runtime.events() == dict.fromkeys("abc", "skipped")


def test_the_reason_of_a_rejection_is_kept_for_each(runtime: RuntimeFixture, waiting: list[RequestRow]) -> None:
    answer(runtime, GroupAnswer.REJECT, waiting, reason="Too late")
    found = [requests.find(runtime.database.read(), one.id) for one in waiting]
    assert [one.reason for one in found if one is not None] == ["Too late"] * 3


def test_only_those_that_were_seen_are_answered(runtime: RuntimeFixture, waiting: list[RequestRow]) -> None:
    """One that arrived after the list was shown stays open."""
    runtime.publish("late")
    runtime.tick()
    answer(runtime, GroupAnswer.APPROVE, waiting)
    runtime.tick()
    assert [one.call["parameters"] for one in runtime.requests()] == [{"n": ["late"]}]


def test_one_that_was_answered_before_is_refused_and_the_others_are_answered(
    runtime: RuntimeFixture, waiting: list[RequestRow]
) -> None:
    runtime.request_commands.reject(waiting[1].id)
    results = answer(runtime, GroupAnswer.APPROVE, waiting)
    assert refusals(results) == ["", "too late", ""]
    runtime.tick()
    assert sorted(acted_on(runtime)) == ["a", "c"]


def test_the_same_answer_given_twice_counts_once_and_says_so(
    runtime: RuntimeFixture, waiting: list[RequestRow]
) -> None:
    runtime.request_commands.approve(waiting[0].id)
    assert [bool(one.before) for one in answer(runtime, GroupAnswer.APPROVE, waiting)] == [True, False, False]
    assert [bool(one.before) for one in answer(runtime, GroupAnswer.APPROVE, waiting)] == [True, True, True]
    runtime.tick()
    assert sorted(acted_on(runtime)) == ["a", "b", "c"]


def test_a_call_that_was_not_seen_is_refused(runtime: RuntimeFixture, waiting: list[RequestRow]) -> None:
    stale = [waiting[0], waiting[1]._replace(hash="of another call")]
    assert refusals(answer(runtime, GroupAnswer.APPROVE, stale)) == ["", "changed"]
    runtime.tick()
    assert acted_on(runtime) == ["a"]
    for command in (runtime.request_commands.approve, runtime.request_commands.reject):
        with pytest.raises(RefusedError, match="has changed since you saw it"):
            command(waiting[1].id, call_hash="of another call")


def test_an_unknown_request_does_not_stop_the_others(runtime: RuntimeFixture, waiting: list[RequestRow]) -> None:
    results = answer(runtime, GroupAnswer.APPROVE, [waiting[0]._replace(id="gone"), waiting[2]])
    assert refusals(results) == ["unknown", ""]


def test_repeating_an_idempotency_key_answers_only_what_was_left(
    runtime: RuntimeFixture, waiting: list[RequestRow]
) -> None:
    """As after a crash in the middle: the first answers stand, and the rest follows."""
    answer(runtime, GroupAnswer.APPROVE, waiting[:1], key="k")
    results = answer(runtime, GroupAnswer.APPROVE, waiting, key="k")
    assert refusals(results) == ["", "", ""]
    runtime.tick()
    assert sorted(acted_on(runtime)) == ["a", "b", "c"]


def test_always_allow_also_approves_what_waits_in_the_scope_of_its_grant(runtime: RuntimeFixture) -> None:
    """The same consumer, connection and tool; another consumer and another tool still wait."""
    runtime.deploy(TWO_CONSUMERS)
    for topic, event in (("t", "a"), ("t", "b"), ("t", "send"), ("u", "other")):
        runtime.publish(event, topic=topic)
        runtime.pass_time(SECOND)
    first, second, *_ = runtime.requests()
    given = runtime.request_commands.approve(first.id, always=True)
    assert given == {"request": first.id, "answer": "yes", "also_approved": [second.id]}
    row = requests.find(runtime.database.read(), second.id)
    assert row is not None and row.answer == "yes"
    runtime.tick()
    assert sorted(acted_on(runtime)) == ["a", "b"]
    assert sorted(one.call["parameters"]["n"][0] for one in runtime.requests()) == ["other", "send"]


def test_always_allow_leaves_what_was_answered_as_it_was(runtime: RuntimeFixture, waiting: list[RequestRow]) -> None:
    runtime.request_commands.reject(waiting[1].id)
    assert runtime.request_commands.approve(waiting[0].id, always=True)["also_approved"] == [waiting[2].id]
    with pytest.raises(RefusedError) as refused:
        runtime.request_commands.reject(waiting[2].id)
    assert refused.value.code == "too late"
    runtime.tick()
    assert sorted(acted_on(runtime)) == ["a", "c"]


def test_a_usual_approval_answers_no_other_request(runtime: RuntimeFixture) -> None:
    """Not even under "first", whose card does not say that it would."""
    runtime.deploy(consumer(approve="first"))
    for event in "ab":
        runtime.publish(event)
        runtime.pass_time(SECOND)
    first, second = runtime.requests()
    assert runtime.request_commands.approve(first.id) == {"request": first.id, "answer": "yes"}
    assert [one.id for one in runtime.requests()] == [second.id]
    assert [one.kind for one in grants.of_workflow(runtime.database.read(), "w")].count("approval") == 1
