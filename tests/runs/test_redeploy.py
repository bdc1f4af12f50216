"""Deploying anew while something is under way: what runs finishes, what waits follows, what has acted is not lost."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.rules.failures import FailureClass
from scheduler.store import lanes
from scheduler.store.workflows import ScriptOrigin
from tests.engine.harness import HOUR, MINUTE
from tests.runs.scripts import consumer, job, prepare, producer
from tests.runs.shop import Shop, fail

LOOK = "ctx.call('world:x', 'look')\n"


def refusal(act: Any, *told: Any, **options: Any) -> str:
    with pytest.raises(RefusedError) as refused:
        act(*told, **options)
    return str(refused.value)


def is_held_up(shop: Shop) -> bool:
    return lanes.blocked(shop.database.read()) != []


def later(source: str) -> str:
    """The same workflow in another version."""
    return f"{source}\n# another version\n"


def test_what_runs_finishes_on_its_version_and_the_new_one_applies_from_the_next(shop: Shop) -> None:
    go = shop.folder / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)\n"
    shop.deploy(job(f"{wait}ctx.done('old')"))
    shop.commands.run("w")
    shop.until_begun()
    shop.deploy(job("ctx.done('new')"))
    go.touch()
    shop.tick()
    shop.commands.run("w")
    shop.tick()
    assert [(run.script, run.summary) for run in shop.runs()] == [(1, "old"), (2, "new")]
    assert shop.states("j") == ["succeeded"] * 2, "its time was not let go while it ran"


@pytest.mark.parametrize("origin", [ScriptOrigin.AUTHOR, ScriptOrigin.FIX])
def test_while_an_approval_waits_it_is_withdrawn_and_asked_anew_for_what_the_new_version_would_do(
    shop: Shop, origin: ScriptOrigin
) -> None:
    """X14: also of a repair, which is made for another run."""
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    [old] = shop.requests()
    shop.deploy(consumer(approve="always", tool="send"), origin=origin)
    assert shop.requests() == [] and shop.pending() == ["a"]
    shop.tick()
    [new] = shop.requests()
    assert (old.call["tool"], new.call["tool"]) == ("act", "send")
    assert [(run.status, run.script) for run in shop.runs("C")] == [("cancelled", 1), ("paused:approval", 2)]
    assert "already answered (withdrawn)" in refusal(shop.answering.approve, old.id)
    shop.answering.approve(new.id)
    shop.tick()
    assert len(shop.world.calls) == 1 and shop.events() == {"a": "consumed"}


@pytest.mark.parametrize("kind", [FailureClass.TRANSIENT, FailureClass.LOGIC, FailureClass.INTERNAL])
def test_what_backs_off_or_has_failed_is_let_go_and_its_lane_opened(shop: Shop, kind: FailureClass) -> None:
    """Its occurrence ends with it, so that the next one is not held up."""
    shop.world.read_fails = [fail(kind)]
    shop.deploy(job(LOOK))
    shop.commands.run("w")
    shop.tick()
    assert shop.lane("j").blocked is not None
    shop.deploy(job("pass"))
    assert shop.lane("j").blocked is None and shop.requests() == []
    shop.tick()
    last = shop.runs()[-1]
    assert last.status == "cancelled" and last.summary == "The script changed."
    if kind is FailureClass.TRANSIENT:
        assert shop.occurrences("j")[0].detail == "The script changed."
    assert shop.states("j") == (["cancelled"] if kind is FailureClass.TRANSIENT else ["failed"])
    shop.pass_time(2 * HOUR)
    assert shop.states("j")[1:] == ["succeeded"] * 2


def test_an_account_that_others_wait_for_is_still_asked_for(shop: Shop) -> None:
    """F3: one workflow's new version answers nothing for the other."""
    shop.world.read_fails = [fail(FailureClass.AUTH, "Sign in again.")] * 2
    for name in ("W", "V"):
        shop.deploy(job(LOOK).replace('"W"', f'"{name}"'), path=f"{name}.py")
        shop.commands.run(name)
        shop.tick()
    assert len(shop.requests()) == 1
    shop.deploy(job("pass"), path="W.py")
    assert [request.kind for request in shop.requests()] == ["reconnect"]
    shop.house.allowing.connected("world:x", {})
    shop.tick()
    assert shop.requests() == [] and shop.states("j", "v") == ["succeeded"]


@pytest.mark.parametrize("change", [later, str], ids=["another version", "the same again"])
def test_too_many_failures_are_forgiven(shop: Shop, change: Callable[[str], str]) -> None:
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)] * 5
    shop.deploy(job(LOOK, every="24h"))
    shop.commands.run("w")
    shop.pass_time(2 * HOUR)
    assert shop.lane("j").blocked == "too many failures"
    shop.deploy(change(job(LOOK, every="24h")))
    assert shop.lane("j").blocked is None and shop.handler("j").failures == 0 and shop.requests() == []


def test_a_consumer_that_failed_before_it_acted_begins_anew_on_the_new_version(shop: Shop) -> None:
    shop.deploy(prepare("raise ValueError('broken')"))
    shop.publish("a")
    shop.tick()
    shop.deploy(consumer())
    shop.tick()
    assert shop.events() == {"a": "consumed"} and len(shop.world.calls) == 1


def test_what_has_acted_goes_on_with_next_of_the_new_version(shop: Shop) -> None:
    """It is not done again."""
    shop.deploy(consumer().replace('        state["done"]', '        1 / 0\n        state["done"]'))
    shop.publish("a")
    shop.tick()
    assert shop.runs("C")[-1].status == "failed:logic" and len(shop.world.calls) == 1
    shop.deploy(consumer())
    shop.tick()
    assert len(shop.world.calls) == 1 and shop.events() == {"a": "consumed"}
    assert shop.state("C") == {"done": ["a"], "told": ["applied", "done"]}
    assert [run.script for run in shop.runs("C") if run.status == "committed"][-1] == 2


def test_nobody_is_asked_about_a_failure_that_a_new_version_goes_on_from(shop: Shop) -> None:
    """Also while it is paused, and cannot go on yet."""
    shop.deploy(consumer().replace('        state["done"]', '        1 / 0\n        state["done"]'))
    shop.publish("a")
    shop.tick()
    shop.commands.pause("w")
    assert [one.kind for one in shop.requests()] == ["script error"]
    shop.deploy(consumer())
    shop.tick()
    assert (shop.requests(), shop.events()) == ([], {"a": "reserved"})
    shop.commands.resume("w")
    shop.tick()
    assert (len(shop.world.calls), shop.events()) == (1, {"a": "consumed"})


def test_what_has_acted_and_has_no_consumer_any_more_is_closed_with_a_note(shop: Shop) -> None:
    shop.deploy(consumer().replace('        state["done"]', '        1 / 0\n        state["done"]'))
    shop.publish("a")
    shop.tick()
    shop.deploy(job("pass"))
    shop.tick()
    last = shop.runs("C")[-1]
    assert last.summary == "It was done; the part that would have gone on was removed."
    assert shop.events() == {"a": "consumed"} and shop.requests() == [] and not is_held_up(shop)


def test_what_a_person_had_left_out_stays_left_out_without_its_consumer(shop: Shop) -> None:
    """X13 and its neighbours: no is no, whoever is there to hear it."""
    shop.deploy(consumer(approve="always").replace('        state["done"]', '        1 / 0\n        state["done"]'))
    shop.publish("a")
    shop.tick()
    shop.answering.reject(shop.requests()[0].id)
    shop.tick()
    assert shop.runs("C")[-1].status == "failed:logic"
    shop.deploy(job("pass"))
    shop.tick()
    assert shop.events() == {"a": "skipped"} and not is_held_up(shop)
    assert shop.runs("C")[-1].summary == "It was left out; the part that would have gone on was removed."


@pytest.mark.parametrize(
    ("happened", "state"), [(True, "consumed"), (False, "skipped")], ids=["it happened", "it did not"]
)
def test_an_unsure_outcome_is_found_out_before_a_removed_consumer_is_closed(
    shop: Shop,
    happened: bool,  # noqa: FBT001
    state: str,
) -> None:
    """X15: by the tool's own checker."""
    shop.world.fails = [fail(FailureClass.UNSURE)]
    shop.world.happens = happened
    shop.world.check_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(consumer())
    shop.publish("a")
    shop.tick()
    assert shop.runs("C")[-1].status == "paused:reconciliation"
    shop.deploy(job("pass"))
    assert shop.events() == {"a": "reserved"}, "first it must be known"
    shop.pass_time(3 * MINUTE)
    assert shop.events() == {"a": state} and len(shop.world.calls) == 1
    last = shop.runs("C")[-1]
    assert last.status == "cancelled" and last.summary and not is_held_up(shop)
    assert shop.requests() == []


@pytest.mark.parametrize(
    ("answer", "state"), [("happened", "consumed"), ("not-happened", "skipped"), ("skip", "skipped")]
)
def test_a_person_finds_it_out_where_no_tool_can(shop: Shop, answer: str, state: str) -> None:
    """X15."""
    shop.world.fails = [fail(FailureClass.UNSURE)]
    shop.deploy(consumer(tool="blind"))
    shop.publish("a")
    shop.tick()
    shop.deploy(job("pass"))
    shop.tick()
    [request] = shop.requests()
    shop.answering.resolve(request.run, answer)
    shop.tick()
    assert shop.events() == {"a": state} and not is_held_up(shop)
    assert shop.runs("C")[-1].status == "cancelled"


def test_a_consumer_that_goes_and_comes_back_does_nothing_before_it_is_known(shop: Shop) -> None:
    """X15: nobody acts beside an action of which nobody knows whether it happened."""
    shop.world.fails = [fail(FailureClass.UNSURE)]
    shop.deploy(consumer(tool="blind"))
    shop.publish("a")
    shop.tick()
    shop.deploy(job("pass"))
    shop.deploy(later(consumer(tool="blind")))
    shop.publish("b")
    shop.tick()
    assert (len(shop.world.calls), shop.events()) == (1, {"a": "reserved", "b": "pending"})
    shop.answering.resolve(shop.requests()[0].run, "happened")
    shop.tick()
    assert (len(shop.world.calls), shop.events()) == (2, {"a": "consumed", "b": "consumed"})


def test_an_unsure_outcome_goes_on_with_the_new_version_once_it_is_known(shop: Shop) -> None:
    shop.world.fails = [fail(FailureClass.UNSURE)]
    shop.deploy(consumer(tool="blind"))
    shop.publish("a")
    shop.tick()
    shop.deploy(later(consumer(tool="blind")))
    [request] = shop.requests()
    shop.answering.resolve(request.run, "happened")
    shop.tick()
    assert shop.events() == {"a": "consumed"} and len(shop.world.calls) == 1
    assert shop.runs("C")[-1].script == 2


def test_a_consumer_that_is_removed_while_it_acts_finishes(shop: Shop) -> None:
    shop.world.gate = threading.Event()
    shop.deploy(consumer())
    shop.publish("a")
    shop.wait(shop.world.entered.is_set)
    shop.deploy(job("pass"))
    shop.world.gate.set()
    shop.tick()
    assert shop.runs("C")[-1].status == "committed" and shop.events() == {"a": "consumed"}


def test_a_producer_that_is_removed_while_it_runs_and_then_fails_holds_up_nobody(shop: Shop) -> None:
    go = shop.folder / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)\n"
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(producer(f"{wait}{LOOK}"))
    shop.wait(lambda: [run.handler for run in shop.active()] == ["p"])
    shop.deploy(consumer())
    go.touch()
    shop.publish("a")
    shop.pass_time(10 * MINUTE)
    assert shop.events() == {"a": "consumed"} and not is_held_up(shop)
    assert shop.states("p") == ["cancelled"]


def test_a_job_that_is_removed_while_it_runs_and_then_fails_is_over(shop: Shop) -> None:
    go = shop.folder / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)\n"
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(job(f"{wait}{LOOK}"))
    shop.commands.run("w")
    shop.until_begun()
    shop.deploy(consumer())
    go.touch()
    shop.pass_time(10 * MINUTE)
    assert shop.states("j") == ["cancelled"] and not is_held_up(shop)
    shop.deploy(later(consumer()))
    assert [lane.name for lane in lanes.of_workflow(shop.database.read(), "w")] == [""]


def test_pending_events_of_a_topic_that_is_gone_are_skipped(shop: Shop) -> None:
    shop.deploy(prepare("return dayhand.nothing()"))
    shop.publish("a")
    shop.tick()
    shop.deploy(job("pass"))
    assert shop.events() == {"a": "skipped"}
    shop.deploy(later(prepare("return dayhand.prepared(reserve=ctx.peek(t))")))
    shop.publish("a")
    shop.tick()
    assert shop.events() == {"a": "skipped"}, "and stay so"


def test_events_that_a_removed_consumer_had_reserved_are_skipped_with_their_topic(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    shop.deploy(job("pass"))
    assert shop.events() == {"a": "skipped"} and shop.requests() == []


def test_a_job_that_asks_whether_it_finished_and_is_removed_asks_no_longer(shop: Shop) -> None:
    go = shop.folder / "go"
    shop.deploy(job(f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)"))
    shop.commands.run("w")
    shop.until_begun()
    go.touch()
    shop.crash()
    shop.tick()
    assert [request.kind for request in shop.requests()] == ["interrupted"]
    shop.deploy(prepare("return dayhand.nothing()"))
    shop.tick()
    assert shop.requests() == [] and shop.states("j") == ["cancelled"]


def test_the_same_script_again_lets_go_of_what_has_failed(shop: Shop) -> None:
    """It may have stumbled over something that is there now."""
    missing = shop.folder / "list.txt"
    source = job(f"open({str(missing)!r})")
    shop.deploy(source)
    shop.commands.run("w")
    shop.tick()
    assert shop.lane("j").blocked == "script error"
    missing.touch()
    assert shop.deploy(source)["version"] == 1
    assert shop.lane("j").blocked is None and shop.requests() == []
    assert (shop.runs("j")[-1].status, shop.runs("j")[-1].summary) == ("cancelled", "The script was deployed again.")
    shop.commands.run("w")
    shop.tick()
    assert shop.runs("j")[-1].status == "committed"


def test_the_same_script_again_leaves_alone_what_waits_for_an_answer(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    [request] = shop.requests()
    shop.deploy(consumer(approve="always"))
    shop.tick()
    assert [one.id for one in shop.requests()] == [request.id]


def test_what_waits_for_permission_goes_on_when_the_same_script_is_deployed_with_it(shop: Shop) -> None:
    shop.deploy(consumer(), grant=False)
    shop.publish("a")
    shop.tick()
    assert [one.kind for one in shop.requests()] == ["permission"]
    shop.deploy(consumer(), grant=True)
    shop.tick()
    assert (shop.requests(), shop.events()) == ([], {"a": "consumed"})
