"""Deploy: a new version is stored, and everything that hangs on the old one follows in the same transaction."""

import threading
from typing import Any

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.deploying import Wish
from scheduler.rules.failures import FailureClass
from scheduler.store import lanes, workflows
from tests.engine.harness import HOUR, MINUTE
from tests.runs.scripts import HEAD, consumer, job, prepare, producer
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


def test_the_first_deploy_looks_once(shop: Shop) -> None:
    """Each producer runs now, each consumer prepares once, jobs wait for their time."""
    answer = shop.deploy(producer() + "@flow.job(every='1h')\ndef j(ctx):\n    pass\n")
    assert (answer["workflow"], answer["version"], answer["warnings"]) == ("w", 1, [])
    assert [(one["handler"], one["next"]) for one in answer["schedules"]] == [
        ("p", "2026-11-16T11:00:00Z"),
        ("j", "2026-11-16T11:00:00Z"),
    ]
    assert all(one["words"] for one in answer["schedules"])
    shop.pass_time(10 * MINUTE)
    assert sorted((run.handler, run.trigger) for run in shop.runs()) == [("C", "event"), ("p", "deploy")]
    shop.deploy(later(producer()))
    shop.pass_time(10 * MINUTE)
    assert len(shop.runs("p")) == 1, "only the first deploy"
    assert len(shop.runs("C")) == 2, "a consumer looks after each"


def test_the_run_after_the_first_deploy_can_be_turned_off(shop: Shop) -> None:
    shop.deploy(producer(run_on_deploy=False))  # type: ignore[arg-type]
    shop.pass_time(10 * MINUTE)
    assert shop.runs("p") == []
    shop.pass_time(HOUR)
    assert [run.trigger for run in shop.runs("p")] == ["automatic"]


def test_the_anchor_of_an_interval_is_the_first_deploy(shop: Shop) -> None:
    shop.clock.move(7 * MINUTE)
    shop.deploy(producer())
    shop.pass_time(2 * HOUR)
    assert [f"{row.planned:%H:%M}" for row in shop.occurrences("p")] == ["10:07", "11:07", "12:07"]


def test_the_same_text_again_changes_nothing(shop: Shop) -> None:
    source = producer()
    first = shop.deploy(source)
    shop.tick()
    before = (shop.workflow(), shop.schedule("p"), shop.handler("C"), shop.runs())
    assert shop.deploy(source) == first
    shop.tick()
    assert (shop.workflow(), shop.schedule("p"), shop.handler("C"), shop.runs()) == before


def test_an_unchanged_schedule_keeps_its_next_time_its_anchor_and_its_pause(shop: Shop) -> None:
    """K10."""
    shop.deploy(job("pass", every="2h"))
    shop.commands.pause("w", "j", note="Later")
    before = shop.schedule("j")
    shop.clock.move(45 * MINUTE)
    shop.deploy(job("print(1)", every="2h"))
    assert shop.schedule("j") == before and before.paused


def test_a_changed_schedule_is_computed_anew_and_stays_paused(shop: Shop) -> None:
    """K10, P7."""
    shop.deploy(job("pass", cron="0 9 * * *", every=None))  # type: ignore[arg-type]
    shop.commands.pause("w", "j")
    shop.deploy(job("pass", cron="30 12 * * *", every=None))  # type: ignore[arg-type]
    row = shop.schedule("j")
    assert f"{row.next_at:%d %H:%M}" == "16 12:30" and row.paused


def test_a_changed_policy_keeps_the_times(shop: Shop) -> None:
    """S4: the anchor survives."""
    shop.deploy(job("pass"))
    shop.clock.move(20 * MINUTE)
    shop.deploy(job("pass", catchup="all"))
    assert f"{shop.schedule('j').next_at:%H:%M}" == "11:00" and '"all"' in shop.schedule("j").policies


def test_a_removed_schedule_goes_and_one_that_comes_back_begins_anew(shop: Shop) -> None:
    """K10."""
    both = job("pass") + "@flow.job(every='1h')\ndef k(ctx):\n    pass\n"
    shop.deploy(both)
    shop.deploy(job("pass"))
    assert shop.schedule("k").removed is not None
    shop.pass_time(HOUR)
    assert (shop.states("j"), shop.states("k")) == (["succeeded"], [])
    shop.clock.move(7 * MINUTE)
    shop.deploy(later(both))
    shop.pass_time(HOUR)
    assert [f"{row.planned:%H:%M}" for row in shop.occurrences("k")] == ["12:07"]


def test_a_schedule_that_a_person_edited_stays_so_while_its_author_does_not_change_it(shop: Shop) -> None:
    shop.deploy(job("pass"))
    row = shop.schedule("j")
    shop.house.schedules.edit("w/j", version=row.version, spec={"every": "3h"})
    shop.deploy(later(job("pass")))
    assert '"3h"' in shop.schedule("j").spec or "10800" in shop.schedule("j").spec
    shop.deploy(job("pass", every="2h"))
    assert "3h" not in shop.schedule("j").spec


def test_state_is_kept_by_the_name_of_the_handler(shop: Shop) -> None:
    shop.deploy(producer("return {'n': state.get('n', 0) + 1}"))
    shop.tick()
    without = HEAD + "@flow.job(every='1h')\ndef j(ctx):\n    pass\n"
    shop.deploy(without)
    shop.deploy(producer("return {'n': state.get('n', 0) + 10}"))
    shop.commands.run("w")
    shop.tick()
    assert shop.state("p")["n"] >= 11


def test_a_workflow_of_that_name_from_another_file_is_refused_without_replace(shop: Shop) -> None:
    shop.deploy(job("pass"), path="/home/me/w.py")
    sentence = refusal(shop.deploy, job("print(2)"), path="/home/me/copy.py")
    assert sentence == (
        "There is already a workflow W, from /home/me/w.py. Give this one another name, or deploy it with --replace."
    )
    assert shop.workflow().script == 1
    assert shop.deploy(job("print(2)"), path="/home/me/copy.py", replace=True)["version"] == 2
    assert shop.workflow().path == "/home/me/copy.py"


def test_the_same_text_from_another_file_moves_there_with_replace(shop: Shop) -> None:
    shop.deploy(job("pass"), path="a.py")
    shop.deploy(job("pass"), path="b.py", replace=True)
    assert shop.workflow().path == "b.py"
    shop.commands.run("w")
    shop.tick()
    assert shop.states("j") == ["succeeded"]


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


def test_while_an_approval_waits_it_is_withdrawn_and_asked_anew_for_what_the_new_version_would_do(shop: Shop) -> None:
    """X14."""
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    [old] = shop.requests()
    shop.deploy(consumer(approve="always", tool="send"))
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
    shop.answering.connected("world:x", {})
    shop.tick()
    assert shop.requests() == [] and shop.states("j", "v") == ["succeeded"]


def test_too_many_failures_are_forgiven(shop: Shop) -> None:
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)] * 5
    shop.deploy(job(LOOK, every="24h"))
    shop.commands.run("w")
    shop.pass_time(2 * HOUR)
    assert shop.lane("j").blocked == "too many failures"
    shop.deploy(later(job(LOOK, every="24h")))
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


def test_what_has_acted_and_has_no_consumer_any_more_is_closed_with_a_note(shop: Shop) -> None:
    shop.deploy(consumer().replace('        state["done"]', '        1 / 0\n        state["done"]'))
    shop.publish("a")
    shop.tick()
    shop.deploy(job("pass"))
    shop.tick()
    last = shop.runs("C")[-1]
    assert last.summary == "It was done; the consumer that would have gone on was removed."
    assert shop.events() == {"a": "consumed"} and shop.requests() == [] and not is_held_up(shop)


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
    shop.pass_time(MINUTE)
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


def test_a_deploy_that_is_refused_leaves_everything_as_it_was(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.deploy(job("pass"))
    monkeypatch.setattr(workflows, "add_script", lambda *_: (_ for _ in ()).throw(OSError("no room")))
    with pytest.raises(OSError, match="no room"):
        shop.deploy(job("print(2)"))
    monkeypatch.undo()
    assert shop.workflow().script == 1
    assert shop.deploy(job("print(3)"))["version"] == 2
    shop.commands.run("w")
    shop.tick()
    assert shop.log(shop.runs()[-1].id) == "3\n"


def test_watching_is_kept_until_it_is_turned_off(shop: Shop) -> None:
    shop.deploy(job("pass"))
    assert not shop.workflow().watching
    shop.deploy(job("pass"), watch=True)
    shop.deploy(job("print(2)"))
    assert shop.workflow().watching
    shop.deploy(job("print(2)"), watch=False)
    assert not shop.workflow().watching
    assert shop.commands.watch("w", on=True) == {"workflow": "w", "watching": True}
    assert shop.workflow().watching


def test_the_same_request_deploys_once(shop: Shop) -> None:
    for body in ("pass", "print(2)"):
        answer = shop.commands.deploy(shop.house.validation.validate("w.py", job(body)), Wish(), request="r")
        assert answer["version"] == 1
    assert shop.workflow().script == 1


def test_a_workflow_is_named_by_its_slug_and_carries_its_tags(shop: Shop) -> None:
    source = job("pass").replace('"W"', '"Mail & Más", tags=["home", "post"]')
    assert shop.deploy(source)["workflow"] == "mail-más"
    row = shop.workflow("mail-más")
    assert (row.name, row.tags) == ("Mail & Más", ("home", "post"))
    shop.commands.run("Mail & Más")
    shop.tick()
    assert shop.states("j", "mail-más") == ["succeeded"]
