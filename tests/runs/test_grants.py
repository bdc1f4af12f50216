"""Grants: a workflow uses what the person allowed; what it is not allowed to use is asked for once."""

from typing import Any

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs.tools import Tools
from scheduler.store import grants
from scheduler.store.grants import GrantKind
from scheduler.store.requests import RequestKind
from tests.engine.harness import HOUR, MINUTE
from tests.runs.scripts import consumer, job, prepare, producer
from tests.runs.shop import Shop

READS = "return {'seen': ctx.call('world:x', 'look')}"
SENTENCE = "W wants to use look of world:x, which you have not allowed yet."


def refusal(act: Any, *told: Any, **options: Any) -> str:
    with pytest.raises(RefusedError) as refused:
        act(*told, **options)
    return str(refused.value)


def allowed(shop: Shop) -> list[str]:
    return [f"{one.connection} {one.tool}" for one in grants.of_workflow(shop.database.read(), "w")]


def test_deploying_says_what_is_not_allowed_yet(shop: Shop) -> None:
    answer = shop.deploy(consumer(), grant=False)
    assert answer["warnings"] == ["W needs your permission to use act of world:x: dayhand grant w world:x act"]
    assert shop.deploy(consumer(), grant=True)["warnings"] == []
    assert allowed(shop) == ["world:x act"]


def test_what_is_not_allowed_is_asked_for_and_goes_on_after_a_yes(shop: Shop) -> None:
    shop.deploy(producer(READS), grant=False)
    shop.tick()
    [request] = shop.requests()
    assert (request.kind, request.sentence) == ("permission", SENTENCE)
    assert (shop.runs("p")[-1].status, shop.lane().blocked) == ("paused:approval", "permission")
    shop.pass_time(HOUR)
    assert len(shop.requests()) == 1 and shop.world.reads == [], "it is asked once"
    shop.answering.approve(request.id)
    shop.tick()
    assert shop.requests() == [] and allowed(shop) == ["world:x look"]
    assert shop.states("p")[0] == "succeeded" and shop.lane().blocked is None


def test_a_no_ends_the_run_and_its_occurrence(shop: Shop) -> None:
    shop.deploy(producer(READS), grant=False)
    shop.tick()
    shop.answering.reject(shop.requests()[0].id)
    shop.tick()
    assert shop.states("p") == ["cancelled"] and shop.requests() == [] and shop.lane().blocked is None
    assert shop.world.reads == []


@pytest.mark.parametrize("where", ["prepare", "mutate"])
def test_a_no_is_not_asked_again_until_there_is_news(shop: Shop, where: str) -> None:
    """The consumer does not start again by itself."""
    reading = prepare("ctx.call('world:x', 'look')\nreturn dayhand.prepared(reserve=ctx.peek(t))")
    shop.deploy(reading if where == "prepare" else consumer(), grant=False)
    shop.publish("a")
    shop.tick()
    shop.answering.reject(shop.requests()[0].id)
    shop.pass_time(10 * MINUTE)
    assert shop.requests() == [] and shop.pending() == ["a"] and shop.lane().blocked is None
    shop.publish("b")
    shop.tick()
    assert len(shop.requests()) == 1


def test_an_action_that_is_not_allowed_is_not_done(shop: Shop) -> None:
    shop.deploy(consumer(), grant=False)
    shop.publish("a")
    shop.tick()
    assert shop.world.calls == [] and shop.mutation(shop.runs("C")[-1].id) is None and shop.pending() == ["a"]
    shop.answering.approve(shop.requests()[0].id)
    shop.tick()
    assert len(shop.world.calls) == 1 and shop.events() == {"a": "consumed"}


@pytest.mark.parametrize("words", [("w",), ("w", "world:x"), ("W", "world:x", "look")])
def test_a_grant_answers_what_was_asked(shop: Shop, words: tuple[str, ...]) -> None:
    shop.deploy(producer(READS), grant=False)
    shop.tick()
    assert shop.house.allowing.grant(*words)["grants"] == [{"connection": "world:x", "tool": "look"}]
    shop.tick()
    assert shop.requests() == [] and shop.states("p") == ["succeeded"]


def test_a_grant_before_it_is_needed_asks_nobody(shop: Shop) -> None:
    shop.deploy(producer(READS), grant=False)
    shop.house.allowing.grant("w", request_id="r")
    shop.house.allowing.grant("w", request_id="r")
    shop.tick()
    assert shop.requests() == [] and shop.states("p") == ["succeeded"]


def test_a_tool_that_is_named_only_when_it_runs_can_be_granted(shop: Shop) -> None:
    shop.deploy(job("ctx.call('world:x', 'lo' + 'ok')"), grant=False)
    shop.house.allowing.grant("w", "world:x", "look")
    shop.commands.run("w")
    shop.tick()
    assert shop.states("j") == ["succeeded"]


def test_what_it_does_not_use_cannot_be_granted_by_its_connection(shop: Shop) -> None:
    shop.deploy(job("pass"), grant=False)
    assert refusal(shop.house.allowing.grant, "w") == "W uses nothing like that."
    assert refusal(shop.house.allowing.revoke, "w") == "W was not allowed anything like that."


def test_what_is_revoked_is_asked_for_again(shop: Shop) -> None:
    shop.deploy(job("ctx.call('world:x', 'look')"))
    shop.commands.run("w")
    shop.tick()
    assert shop.house.allowing.revoke("w", "world:x", "look") == {"workflow": "w", "revoked": 1}
    shop.commands.run("w")
    shop.tick()
    assert [request.sentence for request in shop.requests()] == [SENTENCE] and len(shop.world.reads) == 1


def test_a_script_that_adds_a_connection_while_it_runs_gains_nothing(shop: Shop) -> None:
    """Not even one that an earlier version was allowed to use: what was declared when it was deployed counts."""
    asks = job("ctx.call('world:' + 'y', 'look')")
    asks = asks.replace('connections=["world:x"]', 'connections=["world:x", "world:y"]')
    shop.deploy(asks, grant=False)
    shop.house.allowing.grant("w", "world:y", "look")
    shop.deploy(job("ctx._flow.connections = ['world:y']\nctx.call('world:' + 'y', 'look')"))
    shop.commands.run("w")
    shop.tick()
    [request] = shop.requests()
    assert "world:y is not among the connections of W; name it there" in request.sentence
    assert shop.world.reads == []


def test_what_is_revoked_while_an_approval_waits_is_not_done_after_the_yes(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    shop.house.allowing.revoke("w", "world:x", "act")
    shop.answering.approve(shop.requests()[0].id)
    shop.tick()
    [request] = shop.requests()
    assert request.kind is RequestKind.PERMISSION and shop.world.calls == []
    shop.answering.approve(request.id)
    shop.tick()
    for request in shop.requests():
        shop.answering.approve(request.id)
    shop.tick()
    assert len(shop.world.calls) == 1 and shop.events() == {"a": "consumed"}


def test_what_is_revoked_while_the_keyring_is_asked_is_not_done(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    make_ready = Tools.make_ready

    def revoke_meanwhile(self: Tools, *told: Any) -> Any:
        ready = make_ready(self, *told)
        shop.house.allowing.revoke("w", "world:x", "act")
        return ready

    shop.deploy(consumer())
    monkeypatch.setattr(Tools, "make_ready", revoke_meanwhile)
    shop.publish("a")
    shop.tick()
    monkeypatch.undo()
    assert shop.world.calls == [] and shop.mutation(shop.runs("C")[-1].id) is None
    shop.answering.approve(shop.requests()[0].id)
    shop.tick()
    assert len(shop.world.calls) == 1 and shop.events() == {"a": "consumed"}


def test_one_answer_serves_all_lanes_that_wait_for_it(shop: Shop) -> None:
    source = producer(READS) + "@flow.job(every='1h')\ndef j(ctx):\n    ctx.call('world:x', 'look')\n"
    shop.deploy(source, grant=False)
    shop.commands.run("w", "j")
    shop.tick()
    [request] = shop.requests()
    assert (shop.lane().blocked, shop.lane("j").blocked) == ("permission", "permission")
    shop.answering.approve(request.id)
    shop.tick()
    assert (shop.states("p"), shop.states("j")) == (["succeeded"], ["succeeded"])


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
def test_a_version_that_asks_less_often_must_be_allowed_again(
    shop: Shop, before: str | None, after: str | None, tool: str, *, asks: bool
) -> None:
    """What unset means depends on the tool: what acts on others is asked about."""

    def version(approve: str | None) -> str:
        return consumer(approve="always", tool=tool).replace(
            ', approve="always"', "" if approve is None else f', approve="{approve}"'
        )

    shop.deploy(version(before))
    shop.deploy(f"{version(after)}# 2\n", grant=False)
    assert (allowed(shop) == []) is asks


def test_a_tool_that_is_named_only_when_it_runs_is_taken_to_act_on_others(shop: Shop) -> None:
    """So "never" asks less often than nothing said, and must be allowed again."""

    def version(approve: str) -> str:
        return consumer().replace(', approve="never"', approve).replace('"act"', '"a" + "ct"')

    shop.deploy(version(""))
    shop.house.allowing.grant("w", "world:x", "act")
    shop.deploy(version(', approve="never"'), grant=False)
    assert allowed(shop) == []


def test_what_it_only_reads_stays_allowed_though_it_asks_less_often(shop: Shop) -> None:
    def version(approve: str) -> str:
        return consumer(approve=approve).replace(
            "        batch =", '        ctx.call("world:x", "look")\n        batch ='
        )

    shop.deploy(version("always"))
    assert allowed(shop) == ["world:x act", "world:x look"]
    shop.deploy(version("never"), grant=False)
    assert allowed(shop) == ["world:x look"]


def test_allowing_it_again_holds_when_the_same_text_is_deployed_again(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    shop.deploy(consumer(approve="never"), grant=False)
    assert allowed(shop) == []
    shop.house.allowing.grant("w")
    shop.deploy(consumer(approve="never"), grant=False)
    assert allowed(shop) == ["world:x act"]


def test_the_version_before_is_the_one_that_ran_and_not_the_number_before(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    shop.deploy(consumer(approve="never"))
    shop.commands.rollback("w", 1)
    shop.deploy(f"{consumer(approve='never')}# again\n", grant=False)
    assert allowed(shop) == []


def test_a_grant_survives_a_new_version_that_is_not_bolder(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    shop.deploy(f"{consumer(approve='always')}# 2\n", grant=False)
    assert allowed(shop) == ["world:x act"]


def test_always_allowing_is_a_grant_that_can_be_seen_and_revoked(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    shop.answering.approve(shop.requests()[0].id, always=True)
    shop.tick()
    shop.publish("b")
    shop.tick()
    assert len(shop.world.calls) == 2
    [grant] = [one for one in grants.of_workflow(shop.database.read(), "w") if one.kind is GrantKind.APPROVAL]
    assert (grant.handler, grant.connection, grant.tool) == ("C", "world:x", "act")
    shop.house.allowing.revoke("w")
    shop.house.allowing.grant("w")
    shop.publish("c")
    shop.tick()
    assert len(shop.world.calls) == 2 and [request.kind for request in shop.requests()] == ["approval"]
