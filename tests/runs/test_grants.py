"""Grants: a workflow uses only what the user allowed; missing permissions are requested once."""

from typing import Any

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.runs.tool_calls import ToolCaller
from scheduler.rules.requests import RequestKind
from scheduler.store import grants
from scheduler.store.grants import GrantKind
from tests.engine.engine_fixture import HOUR, MINUTE
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer, job, prepare, producer

READS = "return {'seen': ctx.call('world:x', 'look')}"
SENTENCE = "W wants to use look of world:x, which you have not allowed yet."


def refusal(act: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(RefusedError) as refused:
        act(*args, **options)
    return str(refused.value)


def allowed(runtime: RuntimeFixture) -> list[str]:
    return [f"{one.connection} {one.tool}" for one in grants.of_workflow(runtime.database.read(), "w")]


def test_deploy_lists_missing_permissions(runtime: RuntimeFixture) -> None:
    answer = runtime.deploy(consumer(), grant=False)
    assert answer["warnings"] == ["W needs your permission to use act of world:x: dayhand grant w world:x act"]
    assert runtime.deploy(consumer(), grant=True)["warnings"] == []
    assert allowed(runtime) == ["world:x act"]


def test_a_missing_permission_is_requested_and_the_run_continues_after_approval(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer(READS), grant=False)
    runtime.tick()
    [request] = runtime.requests()
    assert (request.kind, request.sentence) == ("permission", SENTENCE)
    assert (runtime.runs("p")[-1].status, runtime.lane().blocked) == ("paused:approval", "permission")
    runtime.pass_time(HOUR)
    assert len(runtime.requests()) == 1 and runtime.service.reads == [], "it is asked once"
    runtime.request_commands.approve(request.id)
    runtime.tick()
    assert runtime.requests() == [] and allowed(runtime) == ["world:x look"]
    assert runtime.states("p")[0] == "succeeded" and runtime.lane().blocked is None


def test_a_rejected_permission_ends_the_run_and_its_occurrence(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer(READS), grant=False)
    runtime.tick()
    runtime.request_commands.reject(runtime.requests()[0].id)
    runtime.tick()
    assert runtime.states("p") == ["cancelled"] and runtime.requests() == [] and runtime.lane().blocked is None
    assert runtime.service.reads == []


@pytest.mark.parametrize("where", ["prepare", "mutate"])
def test_a_rejected_permission_is_not_requested_again_without_new_events(runtime: RuntimeFixture, where: str) -> None:
    """The consumer does not restart on its own."""
    reading = prepare("ctx.call('world:x', 'look')\nreturn dayhand.prepared(reserve=ctx.peek(t))")
    runtime.deploy(reading if where == "prepare" else consumer(), grant=False)
    runtime.publish("a")
    runtime.tick()
    runtime.request_commands.reject(runtime.requests()[0].id)
    runtime.pass_time(10 * MINUTE)
    assert runtime.requests() == [] and runtime.pending() == ["a"] and runtime.lane().blocked is None
    runtime.publish("b")
    runtime.tick()
    assert len(runtime.requests()) == 1


def test_an_action_without_permission_is_not_made(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(), grant=False)
    runtime.publish("a")
    runtime.tick()
    assert (
        runtime.service.calls == []
        and runtime.mutation(runtime.runs("C")[-1].id) is None
        and runtime.events() == {"a": "reserved"}
    )
    runtime.request_commands.approve(runtime.requests()[0].id)
    runtime.tick()
    assert len(runtime.service.calls) == 1 and runtime.events() == {"a": "consumed"}


@pytest.mark.parametrize("where", ["prepare", "mutate"])
def test_a_consumer_resumes_as_the_same_attempt_when_it_is_allowed(runtime: RuntimeFixture, where: str) -> None:
    """Nothing was lost: what prepare decided is kept, and its events stay reserved."""
    body = "ctx.call('world:x', 'look')\nreturn dayhand.prepared(reserve=ctx.peek(t)) if state is None else NOTHING"
    reading = prepare(body.replace("NOTHING", "dayhand.nothing()"))
    runtime.deploy(reading if where == "prepare" else consumer(), grant=False)
    runtime.publish("a")
    runtime.tick()
    [waiting] = runtime.runs("C")
    assert (waiting.status, waiting.ended) == ("paused:approval", None)
    runtime.pass_time(10 * MINUTE)
    runtime.request_commands.approve(runtime.requests()[0].id)
    runtime.tick()
    run = runtime.runs("C")[0]
    assert (run.id, run.attempt, run.status, run.error) == (waiting.id, 1, "committed", None)
    assert not any(one.attempt > 1 for one in runtime.runs("C"))
    assert runtime.log(run.id).endswith("Allowed by you; resumed.\n")


def test_a_job_that_is_allowed_says_why_it_starts_again(runtime: RuntimeFixture) -> None:
    """It may have done half its work before the call."""
    runtime.deploy(job("ctx.call('world:x', 'look')"), grant=False)
    runtime.commands.run("w")
    runtime.tick()
    runtime.request_commands.approve(runtime.requests()[0].id)
    runtime.tick()
    first, second = runtime.runs("j")
    assert (first.status, second.retry_of, second.status) == ("paused:approval", first.id, "committed")
    assert first.ended is not None
    assert runtime.log(second.id).endswith(
        "Allowed by you; started again because a job cannot continue in the middle.\n"
    )


@pytest.mark.parametrize("words", [("w",), ("w", "world:x"), ("W", "world:x", "look")])
def test_a_grant_resolves_the_open_request(runtime: RuntimeFixture, words: tuple[str, ...]) -> None:
    runtime.deploy(producer(READS), grant=False)
    runtime.tick()
    assert runtime.services.grant_commands.grant(*words)["grants"] == [{"connection": "world:x", "tool": "look"}]
    runtime.tick()
    assert runtime.requests() == [] and runtime.states("p") == ["succeeded"]


def test_nothing_is_asked_if_the_grant_exists_already(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer(READS), grant=False)
    runtime.services.grant_commands.grant("w", idempotency_key="r")
    runtime.services.grant_commands.grant("w", idempotency_key="r")
    runtime.tick()
    assert runtime.requests() == [] and runtime.states("p") == ["succeeded"]


def test_a_tool_named_only_at_run_time_can_be_granted(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("ctx.call('world:x', 'lo' + 'ok')"), grant=False)
    runtime.services.grant_commands.grant("w", "world:x", "look")
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.states("j") == ["succeeded"]


def test_unused_tools_cannot_be_granted_or_revoked_as_a_group(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"), grant=False)
    assert refusal(runtime.services.grant_commands.grant, "w") == "W does not use that."
    assert refusal(runtime.services.grant_commands.revoke, "w") == "W has no such permission."


def test_a_revoked_tool_is_asked_for_again(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("ctx.call('world:x', 'look')"))
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.services.grant_commands.revoke("w", "world:x", "look") == {"workflow": "w", "revoked": 1}
    runtime.commands.run("w")
    runtime.tick()
    assert [request.sentence for request in runtime.requests()] == [SENTENCE] and len(runtime.service.reads) == 1


def test_a_script_that_adds_a_connection_while_it_runs_gains_nothing(runtime: RuntimeFixture) -> None:
    """Not even one that an earlier version was allowed to use: only the deployed declaration counts."""
    asks = job("ctx.call('world:' + 'y', 'look')")
    asks = asks.replace('connections=["world:x"]', 'connections=["world:x", "world:y"]')
    runtime.deploy(asks, grant=False)
    runtime.services.grant_commands.grant("w", "world:y", "look")
    runtime.deploy(job("ctx._flow.connections = ['world:y']\nctx.call('world:' + 'y', 'look')"))
    runtime.commands.run("w")
    runtime.tick()
    [request] = runtime.requests()
    assert "world:y is not among the connections of W; add it there" in request.sentence
    assert runtime.service.reads == []


def test_a_tool_revoked_while_an_approval_waits_is_not_used(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    runtime.services.grant_commands.revoke("w", "world:x", "act")
    runtime.request_commands.approve(runtime.requests()[0].id)
    runtime.tick()
    [request] = runtime.requests()
    assert request.kind is RequestKind.PERMISSION and runtime.service.calls == []
    runtime.request_commands.approve(request.id)
    runtime.tick()
    for request in runtime.requests():
        runtime.request_commands.approve(request.id)
    runtime.tick()
    assert len(runtime.service.calls) == 1 and runtime.events() == {"a": "consumed"}


def test_a_tool_revoked_while_the_keyring_is_read_is_not_used(
    runtime: RuntimeFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare_call = ToolCaller.prepare_call

    def prepare_and_revoke(self: ToolCaller, *given: Any) -> Any:
        ready = prepare_call(self, *given)
        runtime.services.grant_commands.revoke("w", "world:x", "act")
        return ready

    runtime.deploy(consumer())
    monkeypatch.setattr(ToolCaller, "prepare_call", prepare_and_revoke)
    runtime.publish("a")
    runtime.tick()
    monkeypatch.undo()
    assert runtime.service.calls == [] and runtime.mutation(runtime.runs("C")[-1].id) is None
    runtime.request_commands.approve(runtime.requests()[0].id)
    runtime.tick()
    assert len(runtime.service.calls) == 1 and runtime.events() == {"a": "consumed"}


def test_one_answer_resumes_all_lanes_that_wait_for_it(runtime: RuntimeFixture) -> None:
    source = producer(READS) + "@flow.job(every='1h')\ndef j(ctx):\n    ctx.call('world:x', 'look')\n"
    runtime.deploy(source, grant=False)
    runtime.commands.run("w", "j")
    runtime.tick()
    [request] = runtime.requests()
    assert (runtime.lane().blocked, runtime.lane("j").blocked) == ("permission", "permission")
    runtime.request_commands.approve(request.id)
    runtime.tick()
    assert (runtime.states("p"), runtime.states("j")) == (["succeeded"], ["succeeded"])


@pytest.mark.parametrize(
    ("before", "after", "tool", "asks"),
    [
        ("always", "never", "act", True),
        ("always", "first", "act", True),
        ("first", "never", "act", True),
        ("never", "always", "act", False),
        ("always", "always", "act", False),
        ("always", None, "act", True),
        ("always", None, "send", False),
        (None, "never", "send", True),
        (None, "never", "act", False),
    ],
)
def test_a_version_that_asks_less_often_needs_new_permission(
    runtime: RuntimeFixture, before: str | None, after: str | None, tool: str, *, asks: bool
) -> None:
    """Without `approve`, only tools that act on others ask."""

    def version(approve: str | None) -> str:
        return consumer(approve="always", tool=tool).replace(
            ', approve="always"', "" if approve is None else f', approve="{approve}"'
        )

    runtime.deploy(version(before))
    runtime.deploy(f"{version(after)}# 2\n", grant=False)
    assert (allowed(runtime) == []) is asks


def test_a_tool_named_only_at_run_time_counts_as_acting_on_others(runtime: RuntimeFixture) -> None:
    """So `approve="never"` asks less often than the default and needs new permission."""

    def version(approve: str) -> str:
        return consumer().replace(', approve="never"', approve).replace('"act"', '"a" + "ct"')

    runtime.deploy(version(""))
    runtime.services.grant_commands.grant("w", "world:x", "act")
    runtime.deploy(version(', approve="never"'), grant=False)
    assert allowed(runtime) == []


def test_reading_tools_keep_their_permission(runtime: RuntimeFixture) -> None:
    def version(approve: str) -> str:
        return consumer(approve=approve).replace(
            "        batch =", '        ctx.call("world:x", "look")\n        batch ='
        )

    runtime.deploy(version("always"))
    assert allowed(runtime) == ["world:x act", "world:x look"]
    runtime.deploy(version("never"), grant=False)
    assert allowed(runtime) == ["world:x look"]


def test_a_renewed_grant_survives_deploying_the_same_source_again(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.deploy(consumer(approve="never"), grant=False)
    assert allowed(runtime) == []
    runtime.services.grant_commands.grant("w")
    runtime.deploy(consumer(approve="never"), grant=False)
    assert allowed(runtime) == ["world:x act"]


def test_the_compared_version_is_the_one_in_use_and_not_the_previous_number(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.deploy(consumer(approve="never"))
    runtime.commands.rollback("w", 1)
    runtime.deploy(f"{consumer(approve='never')}# again\n", grant=False)
    assert allowed(runtime) == []


def test_a_grant_survives_a_version_that_asks_as_often(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.deploy(f"{consumer(approve='always')}# 2\n", grant=False)
    assert allowed(runtime) == ["world:x act"]


def test_always_allow_writes_a_grant_that_revoke_removes(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    runtime.request_commands.approve(runtime.requests()[0].id, always=True)
    runtime.tick()
    runtime.publish("b")
    runtime.tick()
    assert len(runtime.service.calls) == 2
    [grant] = [one for one in grants.of_workflow(runtime.database.read(), "w") if one.kind is GrantKind.APPROVAL]
    assert (grant.handler, grant.connection, grant.tool) == ("C", "world:x", "act")
    runtime.services.grant_commands.revoke("w")
    runtime.services.grant_commands.grant("w")
    runtime.publish("c")
    runtime.tick()
    assert len(runtime.service.calls) == 2 and [request.kind for request in runtime.requests()] == ["approval"]
