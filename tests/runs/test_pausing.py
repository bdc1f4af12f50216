"""Pause: times pass without running, answers are still taken, and afterwards each one has its own state back."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.timing.occurrences import State
from tests.engine.harness import HOUR, MINUTE, SECOND
from tests.runs.scripts import consumer, job, producer
from tests.runs.shop import Shop

TWO = job("pass") + "\n@flow.job(every='1h')\ndef k(ctx):\n    pass\n"


def refusal(act: object, *told: object, **options: object) -> str:
    with pytest.raises(RefusedError) as refused:
        act(*told, **options)  # type: ignore[operator]
    return str(refused.value)


def planned(shop: Shop, handler: str, state: State = State.SUCCEEDED) -> list[str]:
    return [f"{row.planned:%H:%M}" for row in shop.occurrences(handler) if row.state is state]


@pytest.mark.parametrize(("catchup", "ran"), [("none", []), ("one", ["18:00"]), ("all", None)])
def test_a_workflow_that_was_paused_catches_up_as_its_policy_says(
    shop: Shop, catchup: str, ran: list[str] | None
) -> None:
    """M6."""
    shop.deploy(job("pass", catchup=catchup))
    assert shop.commands.pause("w") == {"workflow": "w", "state": "paused"}
    shop.pass_time(8 * HOUR + 2 * MINUTE)
    assert shop.runs() == []
    shop.commands.resume("w")
    shop.tick()
    assert planned(shop, "j") == (ran if ran is not None else [f"{hour}:00" for hour in range(11, 19)])
    before = len(planned(shop, "j"))
    shop.pass_time(HOUR)
    assert planned(shop, "j")[before:] == ["19:00"], "the regular times go on"


@pytest.mark.parametrize("verb", ["pause", "archive"])
def test_what_was_due_before_the_pause_is_not_missed(shop: Shop, verb: str) -> None:
    """Its time had come, though nobody had looked; those that passed in the pause are."""
    shop.deploy(job("pass", catchup="none"))
    shop.clock.move(HOUR)
    getattr(shop.commands, verb)("w")
    shop.pass_time(2 * HOUR + 2 * MINUTE)
    shop.commands.resume("w")
    shop.tick()
    assert planned(shop, "j") == ["11:00"]


def test_a_paused_handler_lets_the_others_run(shop: Shop) -> None:
    shop.deploy(TWO)
    shop.commands.pause("w", "j", note="On holiday")
    shop.pass_time(2 * HOUR + 2 * MINUTE)
    assert (planned(shop, "j"), planned(shop, "k")) == ([], ["11:00", "12:00"])
    assert (shop.schedule("j").pause_note, shop.workflow().status) == ("On holiday", "active")
    shop.commands.resume("w", "j")
    shop.tick()
    assert planned(shop, "j") == ["12:00"]


def test_resuming_the_workflow_is_a_change_of_its_paused_handlers(shop: Shop) -> None:
    """Whoever edits one of them must see it first."""
    shop.deploy(TWO)
    shop.commands.pause("w", "j")
    version = shop.schedule("j").version
    shop.commands.resume("w")
    assert (shop.schedule("j").version, shop.schedule("j").paused) == (version + 1, False)


def test_a_pause_with_an_end_ends_by_itself(shop: Shop) -> None:
    shop.deploy(TWO)
    shop.commands.pause("w", until=shop.clock.wall + 90 * MINUTE)
    shop.pass_time(2 * HOUR)
    assert planned(shop, "j") == planned(shop, "k") == ["11:00", "12:00"]
    assert shop.occurrences("j")[0].began == shop.clock.wall - HOUR / 2
    assert "passed" in refusal(shop.commands.pause, "w", until=shop.clock.wall)


def test_what_runs_when_it_is_paused_finishes(shop: Shop) -> None:
    """X11 for jobs: pausing stops nothing."""
    go = shop.folder / "go"
    shop.deploy(job(f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)"))
    shop.commands.run("w")
    shop.until_begun()
    shop.commands.pause("w")
    go.touch()
    shop.tick()
    assert shop.states("j") == ["succeeded"]


def test_an_answer_given_while_paused_is_taken_and_goes_on_after_the_resume(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    shop.commands.pause("w")
    shop.answering.approve(shop.requests()[0].id)
    shop.pass_time(MINUTE)
    assert (shop.requests(), shop.world.calls) == ([], [])
    shop.commands.resume("w")
    shop.tick()
    assert len(shop.world.calls) == 1 and shop.events() == {"a": "consumed"}


def test_events_published_while_paused_are_taken_afterwards(shop: Shop) -> None:
    shop.deploy(consumer())
    shop.tick()
    shop.commands.pause("w")
    shop.publish("a")
    shop.pass_time(HOUR)
    assert shop.events() == {"a": "pending"}
    shop.commands.resume("w")
    shop.tick()
    assert shop.events() == {"a": "consumed"}


def test_a_pause_survives_a_restart(shop: Shop) -> None:
    shop.deploy(TWO)
    shop.commands.pause("w", "j")
    shop.commands.pause_all()
    shop.crash(off=HOUR)
    shop.pass_time(HOUR + 2 * MINUTE)
    assert shop.runs() == []
    shop.commands.resume_all()
    shop.tick()
    assert (planned(shop, "j"), planned(shop, "k")) == ([], ["12:00"])


def test_resuming_all_gives_each_one_its_own_state_back(shop: Shop) -> None:
    """U8."""
    shop.deploy(TWO)
    shop.deploy(job("pass").replace('"W"', '"V"'), path="v.py")
    shop.commands.pause("v")
    shop.commands.pause("w", "k")
    assert shop.commands.pause_all() == {"paused_until": None}
    shop.pass_time(HOUR + 2 * MINUTE)
    assert shop.runs() == shop.runs(workflow="v") == []
    assert shop.commands.resume_all() == {"paused_until": None}
    shop.pass_time(HOUR)
    assert planned(shop, "j") == ["11:00", "12:00"] and planned(shop, "k") == [] and shop.runs(workflow="v") == []
    assert (shop.workflow("v").status, shop.schedule("k").paused) == ("paused", True)


def test_pausing_all_for_a_time_ends_by_itself(shop: Shop) -> None:
    """U8: the catch-up policy decides over what passed."""
    shop.deploy(job("pass"))
    until = (shop.clock.wall + 3 * HOUR + HOUR / 2).astimezone(ZoneInfo("Europe/Berlin"))
    assert shop.commands.pause_all(until) == {"paused_until": "2026-11-16T13:30:00Z"}
    shop.pass_time(3 * HOUR)
    assert shop.runs() == []
    shop.pass_time(HOUR / 2)
    assert planned(shop, "j") == ["13:00"]


def test_nothing_goes_on_while_all_is_paused_and_everything_does_afterwards(shop: Shop) -> None:
    """U8: consumers, wakes and answers too."""
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    shop.commands.pause_all()
    shop.answering.approve(shop.requests()[0].id)
    shop.publish("b")
    shop.pass_time(HOUR)
    assert shop.world.calls == []
    shop.commands.resume_all()
    shop.tick()
    assert [call.parameters["n"] for call in shop.world.calls] == [["a"]]
    assert [request.call["parameters"]["n"] for request in shop.requests()] == [["b"]]


def test_a_pause_that_is_none_is_refused(shop: Shop) -> None:
    shop.deploy(job("pass"))
    assert refusal(shop.commands.resume, "w") == "W is not paused."
    assert refusal(shop.commands.resume, "w", "j") == "w/j is not paused."
    assert refusal(shop.commands.resume_all) == "Dayhand is not paused."
    assert refusal(shop.commands.pause, "w", "x") == "W has no schedule x. It has: j."
    shop.commands.pause("w")
    assert refusal(shop.commands.pause, "w") == "W is paused already."
    shop.deploy(consumer().replace('"W"', '"V"'), path="v.py")
    assert refusal(shop.commands.skip_next, "v") == "V has no schedule: it runs by itself when something arrives."
    past = datetime.fromisoformat("2026-11-16T09:00:00+00:00")
    assert "passed" in refusal(shop.commands.pause_all, past)


def test_resuming_the_workflow_resumes_its_paused_handlers_if_it_was_active(shop: Shop) -> None:
    shop.deploy(TWO)
    shop.commands.pause("w", "j")
    shop.commands.resume("w")
    assert not shop.schedule("j").paused
    shop.commands.pause("w", "j")
    shop.commands.pause("w")
    shop.commands.resume("w")
    assert shop.schedule("j").paused, "that pause was its own"


def test_a_new_version_of_a_paused_workflow_stays_paused(shop: Shop) -> None:
    """P7: nobody but the person changes what the person wants."""
    shop.deploy(producer())
    shop.tick()
    shop.commands.pause("w")
    shop.deploy(producer("return {'n': 1}") + "@flow.job(every='30m')\ndef j(ctx):\n    pass\n")
    before = len(shop.runs())
    shop.pass_time(2 * HOUR)
    assert shop.workflow().status == "paused" and len(shop.runs()) == before


def test_the_same_request_is_answered_the_same(shop: Shop) -> None:
    shop.deploy(TWO)
    assert shop.commands.pause("w", request="1") == shop.commands.pause("w", request="1")
    assert shop.commands.resume("w", request="2") == shop.commands.resume("w", request="2")
    assert shop.commands.pause("w", "j", request="3") == shop.commands.pause("w", "j", request="3")
    assert shop.commands.pause_all(request="4") == shop.commands.pause_all(request="4")
    assert shop.commands.resume_all(request="5") == shop.commands.resume_all(request="5")
    assert shop.schedule("j").version == 2, "paused once"


def test_the_next_time_is_skipped_once(shop: Shop) -> None:
    """S19, through a workflow."""
    shop.deploy(TWO)
    shop.commands.skip_next("w", "j", request="r")
    shop.commands.skip_next("w", "j", request="r")
    shop.pass_time(2 * HOUR)
    assert [(row.state, row.reason) for row in shop.occurrences("j")] == [("skipped", "by person"), ("succeeded", None)]
    assert planned(shop, "k") == ["11:00", "12:00"]


def test_skipping_the_next_time_of_all_leaves_out_what_is_skipped_already(shop: Shop) -> None:
    shop.deploy(TWO)
    shop.commands.skip_next("w", "j")
    assert [one["schedule"] for one in shop.commands.skip_next("w")["schedules"]] == ["w/k"]
    assert refusal(shop.commands.skip_next, "w") == "The next time of w/j is already skipped."
    shop.pass_time(2 * HOUR)
    assert planned(shop, "j") == planned(shop, "k") == ["12:00"]


def test_a_past_range_is_run_again(shop: Shop) -> None:
    """P3, through a workflow: inclusive, seen by the script, works while its handler is paused."""
    shop.deploy(job("print(ctx.origin, ctx.planned.isoformat())"))
    shop.pass_time(3 * HOUR + SECOND)
    shop.commands.pause("w", "j")
    start = shop.clock.wall.replace(hour=11, minute=0, second=0)
    answer = shop.commands.backfill("w", "j", start, start + HOUR)
    assert answer["schedules"][0]["total"] == 2
    shop.pass_time(MINUTE)
    logs = [shop.log(run.id).strip() for run in shop.runs() if run.trigger == "backfill"]
    assert logs == ["backfill 2026-11-16T11:00:00+00:00", "backfill 2026-11-16T12:00:00+00:00"]
    far = start.replace(year=2020)
    assert refusal(shop.commands.backfill, "w", "j", far, far) == "w/j has no times in that range."


def test_a_backfill_waits_while_the_workflow_is_paused(shop: Shop) -> None:
    shop.deploy(job("pass"))
    shop.pass_time(2 * HOUR)
    shop.commands.pause("w")
    shop.commands.backfill("w", None, shop.clock.wall - HOUR, shop.clock.wall)
    shop.pass_time(MINUTE)
    assert [run.trigger for run in shop.runs()] == ["automatic"] * 2
    shop.commands.resume("w")
    shop.pass_time(MINUTE)
    assert [run.trigger for run in shop.runs()] == ["automatic"] * 2 + ["backfill"] * 2


def test_a_producer_that_was_paused_before_its_first_run_runs_afterwards(shop: Shop) -> None:
    shop.deploy(producer(), paused=True)
    shop.pass_time(MINUTE)
    assert shop.runs() == [] and shop.workflow().status == "paused"
    shop.commands.resume("w")
    shop.tick()
    assert [run.trigger for run in shop.runs("p")] == ["deploy"]
