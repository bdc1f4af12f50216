"""Deploying over open runs: active ones finish, waiting ones move on, actions are not lost or repeated."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.rules.failures import FailureClass
from scheduler.store import lanes, runs
from scheduler.store.workflows import ScriptOrigin
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer, job, prepare, producer

LOOK = "ctx.call('world:x', 'look')\n"


def refusal(act: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(RefusedError) as refused:
        act(*args, **options)
    return str(refused.value)


def has_blocked_lane(runtime: RuntimeFixture) -> bool:
    return lanes.list_blocked(runtime.database.read()) != []


def later(source: str) -> str:
    """The same workflow in another version."""
    return f"{source}\n# another version\n"


def test_an_active_run_finishes_on_its_version_and_the_next_uses_the_new_one(runtime: RuntimeFixture) -> None:
    go = runtime.folder / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)\n"
    runtime.deploy(job(f"{wait}ctx.done('old')"))
    runtime.commands.run("w")
    runtime.tick_until_active()
    runtime.deploy(job("ctx.done('new')"))
    go.touch()
    runtime.tick()
    runtime.commands.run("w")
    runtime.tick()
    assert [(run.script, run.summary) for run in runtime.runs()] == [(1, "old"), (2, "new")]
    assert runtime.states("j") == ["succeeded"] * 2, "its occurrence was not cancelled while it ran"


@pytest.mark.parametrize("origin", [ScriptOrigin.AUTHOR, ScriptOrigin.FIX])
def test_a_waiting_approval_is_withdrawn_and_asked_again_for_the_new_version(
    runtime: RuntimeFixture, origin: ScriptOrigin
) -> None:
    """Even by a repair, which is made for another run."""
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    [old] = runtime.requests()
    runtime.deploy(consumer(approve="always", tool="send"), origin=origin)
    assert runtime.requests() == [] and runtime.pending() == ["a"]
    runtime.tick()
    [new] = runtime.requests()
    assert (old.call["tool"], new.call["tool"]) == ("act", "send")
    assert [(run.status, run.script) for run in runtime.runs("C")] == [("cancelled", 1), ("paused:approval", 2)]
    assert "This was withdrawn at " in refusal(runtime.request_commands.approve, old.id)
    runtime.request_commands.approve(new.id)
    runtime.tick()
    assert len(runtime.service.calls) == 1 and runtime.events() == {"a": "consumed"}


@pytest.mark.parametrize("kind", [FailureClass.TRANSIENT, FailureClass.LOGIC, FailureClass.INTERNAL])
def test_failed_runs_stay_as_they_ended_and_their_lane_is_opened(runtime: RuntimeFixture, kind: FailureClass) -> None:
    """Its occurrence ends, so that the next one can start."""
    runtime.service.read_fails = [fail(kind)]
    runtime.deploy(job(LOOK))
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.lane("j").blocked is not None
    before = runtime.runs()[-1]
    runtime.clock.move(10 * SECOND)
    runtime.deploy(job("pass"))
    assert runtime.lane("j").blocked is None and runtime.requests() == []
    runtime.tick()
    last = runtime.runs()[-1]
    assert last.id == before.id and last.summary == "The script changed."
    assert (last.status, last.error, last.ended) == (before.status, before.error, before.ended)
    assert runs.list_unfinished(runtime.database.read(), "w") == []
    if kind is FailureClass.TRANSIENT:
        assert runtime.occurrences("j")[0].detail == "The script changed."
    assert runtime.states("j") == (["cancelled"] if kind is FailureClass.TRANSIENT else ["failed"])
    runtime.pass_time(2 * HOUR)
    assert runtime.states("j")[1:] == ["succeeded"] * 2


@pytest.mark.parametrize(
    ("kind", "verb"),
    [
        (FailureClass.TRANSIENT, "stop"),
        *((kind, verb) for kind in (FailureClass.TRANSIENT, FailureClass.LOGIC) for verb in ("archive", "rollback")),
    ],
)
def test_no_command_rewrites_a_run_that_has_failed(runtime: RuntimeFixture, kind: FailureClass, verb: str) -> None:
    runtime.deploy(job("pass"))
    runtime.service.read_fails = [fail(kind)]
    runtime.deploy(job(LOOK))
    runtime.commands.run("w")
    runtime.tick()
    before = runtime.runs()[-1]
    runtime.clock.move(10 * SECOND)
    if verb == "rollback":
        runtime.commands.rollback("w", 1)
    else:
        getattr(runtime.commands, verb)("w")
    after = runtime.runs()[-1]
    assert (after.status, after.error, after.ended) == (before.status, before.error, before.ended)
    assert after.followed and runtime.requests() == [] and not has_blocked_lane(runtime)


def test_a_reconnect_request_stays_open_for_other_workflows(runtime: RuntimeFixture) -> None:
    """A new version of one workflow answers nothing for another."""
    runtime.service.read_fails = [fail(FailureClass.AUTH, "Sign in again.")] * 2
    for name in ("W", "V"):
        runtime.deploy(job(LOOK).replace('"W"', f'"{name}"'), path=f"{name}.py")
        runtime.commands.run(name)
        runtime.tick()
    assert len(runtime.requests()) == 1
    runtime.deploy(job("pass"), path="W.py")
    assert [request.kind for request in runtime.requests()] == ["reconnect"]
    runtime.services.grant_commands.save_connection("world:x", {})
    runtime.tick()
    assert runtime.requests() == [] and runtime.states("j", "v") == ["succeeded"]


@pytest.mark.parametrize("change", [later, str], ids=["another version", "the same again"])
def test_a_deploy_resets_too_many_failures(runtime: RuntimeFixture, change: Callable[[str], str]) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)] * 5
    runtime.deploy(job(LOOK, every="24h"))
    runtime.commands.run("w")
    runtime.pass_time(2 * HOUR)
    assert runtime.lane("j").blocked == "too many failures"
    runtime.deploy(change(job(LOOK, every="24h")))
    assert runtime.lane("j").blocked is None and runtime.handler("j").failures == 0 and runtime.requests() == []


def test_a_consumer_that_failed_before_acting_starts_again_on_the_new_version(runtime: RuntimeFixture) -> None:
    runtime.deploy(prepare("raise ValueError('broken')"))
    runtime.publish("a")
    runtime.tick()
    runtime.deploy(consumer())
    runtime.tick()
    assert runtime.events() == {"a": "consumed"} and len(runtime.service.calls) == 1


def test_a_run_that_acted_continues_with_next_of_the_new_version(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer().replace('        state["done"]', '        1 / 0\n        state["done"]'))
    runtime.publish("a")
    runtime.tick()
    assert runtime.runs("C")[-1].status == "failed:logic" and len(runtime.service.calls) == 1
    runtime.deploy(consumer())
    runtime.tick()
    assert len(runtime.service.calls) == 1 and runtime.events() == {"a": "consumed"}
    assert runtime.state("C") == {"done": ["a"], "told": ["applied", "done"]}
    assert [run.script for run in runtime.runs("C") if run.status == "committed"][-1] == 2


def test_a_new_version_closes_the_script_error_request(runtime: RuntimeFixture) -> None:
    """Even while it is paused and cannot continue yet."""
    runtime.deploy(consumer().replace('        state["done"]', '        1 / 0\n        state["done"]'))
    runtime.publish("a")
    runtime.tick()
    runtime.commands.pause("w")
    assert [one.kind for one in runtime.requests()] == ["script error"]
    runtime.deploy(consumer())
    runtime.tick()
    assert (runtime.requests(), runtime.events()) == ([], {"a": "reserved"})
    runtime.commands.resume("w")
    runtime.tick()
    assert (len(runtime.service.calls), runtime.events()) == (1, {"a": "consumed"})


def test_a_run_that_acted_and_lost_its_consumer_is_closed_with_a_note(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer().replace('        state["done"]', '        1 / 0\n        state["done"]'))
    runtime.publish("a")
    runtime.tick()
    runtime.deploy(job("pass"))
    runtime.tick()
    last = runtime.runs("C")[-1]
    assert last.summary == "It was done; the part of the script that would have continued was removed."
    assert runtime.events() == {"a": "consumed"} and runtime.requests() == [] and not has_blocked_lane(runtime)


def test_a_rejected_action_stays_skipped_when_its_consumer_is_removed(runtime: RuntimeFixture) -> None:
    """The rejection stays in effect."""
    runtime.deploy(consumer(approve="always").replace('        state["done"]', '        1 / 0\n        state["done"]'))
    runtime.publish("a")
    runtime.tick()
    runtime.request_commands.reject(runtime.requests()[0].id)
    runtime.tick()
    assert runtime.runs("C")[-1].status == "failed:logic"
    runtime.deploy(job("pass"))
    runtime.tick()
    assert runtime.events() == {"a": "skipped"} and not has_blocked_lane(runtime)
    assert (
        runtime.runs("C")[-1].summary == "It was skipped; the part of the script that would have continued was removed."
    )


@pytest.mark.parametrize(
    ("happened", "state"), [(True, "consumed"), (False, "skipped")], ids=["it happened", "it did not"]
)
def test_an_unsure_outcome_is_checked_before_the_run_of_a_removed_consumer_is_closed(
    runtime: RuntimeFixture,
    happened: bool,  # noqa: FBT001
    state: str,
) -> None:
    """By the tool's checker."""
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.service.happens = happened
    runtime.service.check_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.tick()
    assert runtime.runs("C")[-1].status == "paused:reconciliation"
    runtime.deploy(job("pass"))
    assert runtime.events() == {"a": "reserved"}, "the outcome must be known first"
    runtime.pass_time(3 * MINUTE)
    assert runtime.events() == {"a": state} and len(runtime.service.calls) == 1
    last = runtime.runs("C")[-1]
    assert last.status == "cancelled" and last.summary and not has_blocked_lane(runtime)
    assert runtime.requests() == []


@pytest.mark.parametrize(
    ("answer", "state"), [("happened", "consumed"), ("not-happened", "skipped"), ("skip", "skipped")]
)
def test_the_user_resolves_the_run_of_a_removed_consumer_without_a_checker(
    runtime: RuntimeFixture, answer: str, state: str
) -> None:
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.deploy(consumer(tool="blind"))
    runtime.publish("a")
    runtime.tick()
    runtime.deploy(job("pass"))
    runtime.tick()
    [request] = runtime.requests()
    runtime.request_commands.resolve(request.run, answer)
    runtime.tick()
    assert runtime.events() == {"a": state} and not has_blocked_lane(runtime)
    assert runtime.runs("C")[-1].status == "cancelled"


def test_a_consumer_that_is_added_again_waits_for_the_unsure_outcome(runtime: RuntimeFixture) -> None:
    """No new action starts while an outcome is unknown."""
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.deploy(consumer(tool="blind"))
    runtime.publish("a")
    runtime.tick()
    runtime.deploy(job("pass"))
    runtime.deploy(later(consumer(tool="blind")))
    runtime.publish("b")
    runtime.tick()
    assert (len(runtime.service.calls), runtime.events()) == (1, {"a": "reserved", "b": "pending"})
    runtime.request_commands.resolve(runtime.requests()[0].run, "happened")
    runtime.tick()
    assert (len(runtime.service.calls), runtime.events()) == (2, {"a": "consumed", "b": "consumed"})


def test_an_unsure_run_continues_on_the_new_version_once_resolved(runtime: RuntimeFixture) -> None:
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.deploy(consumer(tool="blind"))
    runtime.publish("a")
    runtime.tick()
    runtime.deploy(later(consumer(tool="blind")))
    [request] = runtime.requests()
    runtime.request_commands.resolve(request.run, "happened")
    runtime.tick()
    assert runtime.events() == {"a": "consumed"} and len(runtime.service.calls) == 1
    assert runtime.runs("C")[-1].script == 2


def test_a_consumer_removed_during_its_action_finishes(runtime: RuntimeFixture) -> None:
    runtime.service.gate = threading.Event()
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.wait(runtime.service.entered.is_set)
    runtime.deploy(job("pass"))
    runtime.service.gate.set()
    runtime.tick()
    assert runtime.runs("C")[-1].status == "committed" and runtime.events() == {"a": "consumed"}


def test_a_producer_that_fails_after_its_removal_blocks_nothing(runtime: RuntimeFixture) -> None:
    go = runtime.folder / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)\n"
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(producer(f"{wait}{LOOK}"))
    runtime.wait(lambda: [run.handler for run in runtime.active()] == ["p"])
    runtime.deploy(consumer())
    go.touch()
    runtime.publish("a")
    runtime.pass_time(10 * MINUTE)
    assert runtime.events() == {"a": "consumed"} and not has_blocked_lane(runtime)
    assert runtime.states("p") == ["cancelled"]


def test_a_job_that_fails_after_its_removal_is_cancelled(runtime: RuntimeFixture) -> None:
    go = runtime.folder / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)\n"
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(job(f"{wait}{LOOK}"))
    runtime.commands.run("w")
    runtime.tick_until_active()
    runtime.deploy(consumer())
    go.touch()
    runtime.pass_time(10 * MINUTE)
    assert runtime.states("j") == ["cancelled"] and not has_blocked_lane(runtime)
    runtime.deploy(later(consumer()))
    assert [lane.name for lane in lanes.of_workflow(runtime.database.read(), "w")] == [""]


def test_pending_events_of_a_removed_topic_are_skipped(runtime: RuntimeFixture) -> None:
    runtime.deploy(prepare("return dayhand.nothing()"))
    runtime.publish("a")
    runtime.tick()
    runtime.deploy(job("pass"))
    assert runtime.events() == {"a": "skipped"}
    runtime.deploy(later(prepare("return dayhand.prepared(reserve=ctx.peek(t))")))
    runtime.publish("a")
    runtime.tick()
    assert runtime.events() == {"a": "skipped"}, "they stay skipped"


def test_events_reserved_by_a_removed_consumer_are_skipped_with_their_topic(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    runtime.deploy(job("pass"))
    assert runtime.events() == {"a": "skipped"} and runtime.requests() == []


@pytest.mark.parametrize(
    ("after_crash", "kind", "left"),
    [("ask", "interrupted", "cancelled"), ("next", "run interrupted", "failed")],
)
def test_removing_an_interrupted_job_withdraws_its_request(
    runtime: RuntimeFixture, after_crash: str, kind: str, left: str
) -> None:
    go = runtime.folder / "go"
    waits = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)"
    runtime.deploy(job(waits, after_crash=after_crash))
    runtime.commands.run("w")
    runtime.tick_until_active()
    go.touch()
    runtime.crash()
    runtime.tick()
    assert [request.kind for request in runtime.requests()] == [kind]
    runtime.deploy(prepare("return dayhand.nothing()"))
    runtime.tick()
    assert runtime.requests() == [] and runtime.states("j") == [left]


def test_deploying_the_same_script_again_closes_failed_runs(runtime: RuntimeFixture) -> None:
    """The missing file may exist now."""
    missing = runtime.folder / "list.txt"
    source = job(f"open({str(missing)!r})")
    runtime.deploy(source)
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.lane("j").blocked == "backing off"
    missing.touch()
    assert runtime.deploy(source)["version"] == 1
    assert runtime.lane("j").blocked is None and runtime.requests() == []
    assert (runtime.runs("j")[-1].status, runtime.runs("j")[-1].summary) == (
        "failed:logic",
        "The script was deployed again.",
    )
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.runs("j")[-1].status == "committed"


def test_deploying_the_same_script_again_keeps_open_requests(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    runtime.deploy(consumer(approve="always"))
    runtime.tick()
    assert [one.id for one in runtime.requests()] == [request.id]


def test_deploying_the_same_script_with_permission_resumes_waiting_runs(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(), grant=False)
    runtime.publish("a")
    runtime.tick()
    assert [one.kind for one in runtime.requests()] == ["permission"]
    runtime.deploy(consumer(), grant=True)
    runtime.tick()
    assert (runtime.requests(), runtime.events()) == ([], {"a": "consumed"})


def daily(timezone: str) -> str:
    return job("pass", timezone=timezone).replace("every='1h'", "cron='0 9 * * *'")


def test_deploying_says_the_zone_of_a_schedule_that_is_elsewhere(runtime: RuntimeFixture) -> None:
    source = daily("America/New_York")
    validated = runtime.services.validation.validate("w.py", source)
    assert [one["words"] for one in validated.schedules] == ["Daily at 09:00 (New York)"]
    assert [one["words"] for one in runtime.deploy(source)["schedules"]] == ["Daily at 09:00 (New York)"]


def test_deploying_says_the_times_that_the_user_chose(runtime: RuntimeFixture) -> None:
    """They stay until the script's own schedule changes."""
    source = daily("UTC")
    runtime.deploy(source)
    runtime.services.schedule_commands.edit("w/j", version=1, spec={"cron": "0 10 * * *", "timezone": "UTC"})
    [one] = runtime.deploy(later(source))["schedules"]
    assert one["words"].startswith("Daily at 10:00") and "T10:00:00" in one["next"]
