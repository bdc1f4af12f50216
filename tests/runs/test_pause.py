"""Pause: times pass without running, answers are accepted, and resuming restores each state."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.timing.occurrences import OccurrenceState
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer, job, producer

TWO = job("pass") + "\n@flow.job(every='1h')\ndef k(ctx):\n    pass\n"


def refusal(act: object, *args: object, **options: object) -> str:
    with pytest.raises(RefusedError) as refused:
        act(*args, **options)  # type: ignore[operator]
    return str(refused.value)


def planned(runtime: RuntimeFixture, handler: str, state: OccurrenceState = OccurrenceState.SUCCEEDED) -> list[str]:
    return [f"{row.planned:%H:%M}" for row in runtime.occurrences(handler) if row.state is state]


@pytest.mark.parametrize(("catchup", "ran"), [("none", []), ("one", ["18:00"]), ("all", None)])
def test_a_resumed_workflow_catches_up_by_its_policy(
    runtime: RuntimeFixture, catchup: str, ran: list[str] | None
) -> None:
    runtime.deploy(job("pass", catchup=catchup))
    assert runtime.commands.pause("w") == {"workflow": "w", "state": "paused", "paused_until": None}
    runtime.pass_time(8 * HOUR + 2 * MINUTE)
    assert runtime.runs() == []
    runtime.commands.resume("w")
    runtime.tick()
    assert planned(runtime, "j") == (ran if ran is not None else [f"{hour}:00" for hour in range(11, 19)])
    before = len(planned(runtime, "j"))
    runtime.pass_time(HOUR)
    assert planned(runtime, "j")[before:] == ["19:00"], "the regular times continue"


@pytest.mark.parametrize("verb", ["pause", "archive"])
def test_a_time_due_before_the_pause_is_not_missed(runtime: RuntimeFixture, verb: str) -> None:
    """It was due although no tick had run; only times during the pause are missed."""
    runtime.deploy(job("pass", catchup="none"))
    runtime.clock.move(HOUR)
    getattr(runtime.commands, verb)("w")
    runtime.pass_time(2 * HOUR + 2 * MINUTE)
    runtime.commands.resume("w")
    runtime.tick()
    assert planned(runtime, "j") == ["11:00"]


@pytest.mark.parametrize(("catchup", "ran"), [("none", []), ("one", ["11:00"]), ("all", ["11:00"])])
@pytest.mark.parametrize("what", ["workflow", "handler", "everything", "both"])
@pytest.mark.parametrize("ends", [False, True])
def test_a_time_during_a_pause_is_missed_even_if_the_pause_ends_right_after_it(
    runtime: RuntimeFixture, what: str, catchup: str, ran: list[str], *, ends: bool
) -> None:
    runtime.deploy(job("pass", catchup=catchup))
    until = runtime.clock.wall + HOUR + 17 * SECOND if ends else None
    if what != "everything":
        runtime.commands.pause("w", "j" if what == "handler" else None, until=until)
    if what in ("everything", "both"):
        runtime.commands.pause_all(until)
    runtime.pass_time(HOUR + 17 * SECOND)
    if not ends:
        if what != "everything":
            runtime.commands.resume("w", "j" if what == "handler" else None)
        if what in ("everything", "both"):
            runtime.commands.resume_all()
    runtime.pass_time(20 * SECOND)
    assert planned(runtime, "j") == ran
    runtime.pass_time(HOUR)
    assert planned(runtime, "j") == [*ran, "12:00"]


@pytest.mark.parametrize("what", ["workflow", "handler", "everything"])
def test_a_time_at_the_very_end_of_a_pause_runs(runtime: RuntimeFixture, what: str) -> None:
    runtime.deploy(job("pass", catchup="none"))
    until = runtime.clock.wall + HOUR
    if what == "everything":
        runtime.commands.pause_all(until)
    else:
        runtime.commands.pause("w", "j" if what == "handler" else None, until=until)
    runtime.pass_time(HOUR + SECOND)
    assert planned(runtime, "j") == ["11:00"]


def test_a_time_due_before_everything_was_paused_is_not_missed(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass", catchup="none"))
    runtime.clock.move(HOUR)
    runtime.commands.pause_all()
    runtime.pass_time(17 * SECOND)
    runtime.commands.resume_all()
    runtime.tick()
    assert planned(runtime, "j") == ["11:00"]


def test_a_paused_handler_lets_the_others_run(runtime: RuntimeFixture) -> None:
    runtime.deploy(TWO)
    runtime.commands.pause("w", "j", note="On holiday")
    runtime.pass_time(2 * HOUR + 2 * MINUTE)
    assert (planned(runtime, "j"), planned(runtime, "k")) == ([], ["11:00", "12:00"])
    assert (runtime.schedule("j").pause_note, runtime.workflow().status) == ("On holiday", "active")
    runtime.commands.resume("w", "j")
    runtime.tick()
    assert planned(runtime, "j") == ["12:00"]


def test_resuming_the_workflow_is_a_change_of_its_paused_handlers(runtime: RuntimeFixture) -> None:
    """An edit based on the old version is refused."""
    runtime.deploy(TWO)
    runtime.commands.pause("w", "j")
    version = runtime.schedule("j").version
    runtime.commands.resume("w")
    assert (runtime.schedule("j").version, runtime.schedule("j").paused) == (version + 1, False)


def test_pausing_and_resuming_the_workflow_are_changes_of_its_schedules(runtime: RuntimeFixture) -> None:
    """So that an edit based on the version before is refused; the end of a timed pause counts, too."""
    runtime.deploy(TWO)

    def versions() -> list[int]:
        return [runtime.schedule(name).version for name in ("j", "k")]

    assert versions() == [1, 1]
    runtime.commands.pause("w")
    assert versions() == [2, 2]
    runtime.commands.resume("w")
    assert versions() == [3, 3]
    runtime.commands.pause("w", until=runtime.clock.wall + HOUR)
    runtime.pass_time(2 * HOUR)
    assert versions() == [5, 5]
    runtime.deploy(TWO)
    assert versions() == [5, 5], "a deploy that changes nothing is no change"
    with pytest.raises(RefusedError, match="you have version 3, the current one is 5"):
        runtime.engine.commands.edit("w/j", version=3, policies={"catchup": "none"})


def test_a_pause_with_an_end_ends_automatically(runtime: RuntimeFixture) -> None:
    runtime.deploy(TWO)
    runtime.commands.pause("w", until=runtime.clock.wall + 90 * MINUTE)
    runtime.pass_time(2 * HOUR)
    assert planned(runtime, "j") == planned(runtime, "k") == ["11:00", "12:00"]
    assert runtime.occurrences("j")[0].began == runtime.clock.wall - HOUR / 2
    assert "passed" in refusal(runtime.commands.pause, "w", until=runtime.clock.wall)


def test_an_active_run_finishes_after_a_pause(runtime: RuntimeFixture) -> None:
    """Pausing stops nothing."""
    go = runtime.folder / "go"
    runtime.deploy(job(f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)"))
    runtime.commands.run("w")
    runtime.tick_until_active()
    runtime.commands.pause("w")
    go.touch()
    runtime.tick()
    assert runtime.states("j") == ["succeeded"]


def test_an_answer_given_while_paused_takes_effect_after_the_resume(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    runtime.commands.pause("w")
    runtime.request_commands.approve(runtime.requests()[0].id)
    runtime.pass_time(MINUTE)
    assert (runtime.requests(), runtime.service.calls) == ([], [])
    runtime.commands.resume("w")
    runtime.tick()
    assert len(runtime.service.calls) == 1 and runtime.events() == {"a": "consumed"}


def test_events_published_while_paused_are_consumed_after_the_resume(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer())
    runtime.tick()
    runtime.commands.pause("w")
    runtime.publish("a")
    runtime.pass_time(HOUR)
    assert runtime.events() == {"a": "pending"}
    runtime.commands.resume("w")
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}


def test_a_pause_survives_a_restart(runtime: RuntimeFixture) -> None:
    runtime.deploy(TWO)
    runtime.commands.pause("w", "j")
    runtime.commands.pause_all()
    runtime.crash(off=HOUR)
    runtime.pass_time(HOUR + 2 * MINUTE)
    assert runtime.runs() == []
    runtime.commands.resume_all()
    runtime.tick()
    assert (planned(runtime, "j"), planned(runtime, "k")) == ([], ["12:00"])


def test_resuming_all_restores_each_workflows_own_state(runtime: RuntimeFixture) -> None:
    runtime.deploy(TWO)
    runtime.deploy(job("pass").replace('"W"', '"V"'), path="v.py")
    runtime.commands.pause("v")
    runtime.commands.pause("w", "k")
    assert runtime.commands.pause_all() == {"paused_until": None}
    runtime.pass_time(HOUR + 2 * MINUTE)
    assert runtime.runs() == runtime.runs(workflow="v") == []
    assert runtime.commands.resume_all() == {"paused_until": None}
    runtime.pass_time(HOUR)
    assert (
        planned(runtime, "j") == ["11:00", "12:00"] and planned(runtime, "k") == [] and runtime.runs(workflow="v") == []
    )
    assert (runtime.workflow("v").status, runtime.schedule("k").paused) == ("paused", True)


def test_pausing_all_with_an_end_ends_automatically(runtime: RuntimeFixture) -> None:
    """The catch-up policy decides about missed times."""
    runtime.deploy(job("pass"))
    until = (runtime.clock.wall + 3 * HOUR + HOUR / 2).astimezone(ZoneInfo("Europe/Berlin"))
    assert runtime.commands.pause_all(until) == {"paused_until": "2026-11-16T13:30:00Z"}
    runtime.pass_time(3 * HOUR)
    assert runtime.runs() == []
    runtime.pass_time(HOUR / 2)
    assert planned(runtime, "j") == ["13:00"]


def test_nothing_continues_while_all_is_paused_and_everything_does_afterwards(runtime: RuntimeFixture) -> None:
    """Consumers, wakes and answers too."""
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    runtime.commands.pause_all()
    runtime.request_commands.approve(runtime.requests()[0].id)
    runtime.publish("b")
    runtime.pass_time(HOUR)
    assert runtime.service.calls == []
    runtime.commands.resume_all()
    runtime.tick()
    assert [call.parameters["n"] for call in runtime.service.calls] == [["a"]]
    assert [request.call["parameters"]["n"] for request in runtime.requests()] == [["b"]]


def test_invalid_pauses_and_resumes_are_refused(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    assert refusal(runtime.commands.resume, "w") == "W is not paused."
    assert refusal(runtime.commands.resume, "w", "j") == "w/j is not paused."
    assert refusal(runtime.commands.resume_all) == "Not everything is paused; name the workflows to resume."
    assert refusal(runtime.commands.pause, "w", "x") == "W has no schedule x. It has: j."
    runtime.commands.pause("w")
    assert refusal(runtime.commands.pause, "w") == "W is paused already."
    runtime.deploy(consumer().replace('"W"', '"V"'), path="v.py")
    assert refusal(runtime.commands.skip_next, "v") == "V has no schedule: it runs when something arrives."
    past = datetime.fromisoformat("2026-11-16T09:00:00+00:00")
    assert "passed" in refusal(runtime.commands.pause_all, past)


def test_resuming_the_workflow_resumes_its_paused_handlers_if_it_was_active(runtime: RuntimeFixture) -> None:
    runtime.deploy(TWO)
    runtime.commands.pause("w", "j")
    runtime.commands.resume("w")
    assert not runtime.schedule("j").paused
    runtime.commands.pause("w", "j")
    runtime.commands.pause("w")
    runtime.commands.resume("w")
    assert runtime.schedule("j").paused, "the handler had its own pause"


def test_a_new_version_of_a_paused_workflow_stays_paused(runtime: RuntimeFixture) -> None:
    """Only the user changes the user's status."""
    runtime.deploy(producer())
    runtime.tick()
    runtime.commands.pause("w")
    runtime.deploy(producer("return {'n': 1}") + "@flow.job(every='30m')\ndef j(ctx):\n    pass\n")
    before = len(runtime.runs())
    runtime.pass_time(2 * HOUR)
    assert runtime.workflow().status == "paused" and len(runtime.runs()) == before


def test_a_repeated_command_returns_the_first_answer(runtime: RuntimeFixture) -> None:
    runtime.deploy(TWO)
    assert runtime.commands.pause("w", idempotency_key="1") == runtime.commands.pause("w", idempotency_key="1")
    assert runtime.commands.resume("w", idempotency_key="2") == runtime.commands.resume("w", idempotency_key="2")
    assert runtime.commands.pause("w", "j", idempotency_key="3") == runtime.commands.pause(
        "w", "j", idempotency_key="3"
    )
    assert runtime.commands.pause_all(idempotency_key="4") == runtime.commands.pause_all(idempotency_key="4")
    assert runtime.commands.resume_all(idempotency_key="5") == runtime.commands.resume_all(idempotency_key="5")
    assert runtime.schedule("j").version == 4, "paused with its workflow, resumed with it, and paused: once each"


def test_the_next_time_is_skipped_once(runtime: RuntimeFixture) -> None:
    runtime.deploy(TWO)
    runtime.commands.skip_next("w", "j", idempotency_key="r")
    runtime.commands.skip_next("w", "j", idempotency_key="r")
    runtime.pass_time(2 * HOUR)
    assert [(row.state, row.reason) for row in runtime.occurrences("j")] == [
        ("skipped", "by person"),
        ("succeeded", None),
    ]
    assert planned(runtime, "k") == ["11:00", "12:00"]


def test_skipping_the_next_time_of_all_ignores_already_skipped_ones(runtime: RuntimeFixture) -> None:
    runtime.deploy(TWO)
    runtime.commands.skip_next("w", "j")
    assert [one["schedule"] for one in runtime.commands.skip_next("w")["schedules"]] == ["w/k"]
    assert refusal(runtime.commands.skip_next, "w") == "The next run of w/j is already skipped."
    runtime.pass_time(2 * HOUR)
    assert planned(runtime, "j") == planned(runtime, "k") == ["12:00"]


def test_a_backfill_runs_a_past_range(runtime: RuntimeFixture) -> None:
    """Inclusive, visible to the script, and possible while its handler is paused."""
    runtime.deploy(job("print(ctx.origin, ctx.planned.isoformat())"))
    runtime.pass_time(3 * HOUR + SECOND)
    runtime.commands.pause("w", "j")
    start = runtime.clock.wall.replace(hour=11, minute=0, second=0)
    answer = runtime.commands.backfill("w", "j", [(start, start + HOUR)])
    assert answer["schedules"][0]["total"] == 2
    runtime.pass_time(MINUTE)
    logs = [runtime.log(run.id).strip() for run in runtime.runs() if run.trigger == "backfill"]
    assert logs == ["backfill 2026-11-16T11:00:00+00:00", "backfill 2026-11-16T12:00:00+00:00"]
    far = start.replace(year=2020)
    assert refusal(runtime.commands.backfill, "w", "j", [(far, far)]) == "w/j has no scheduled runs in that range."


def test_a_backfill_waits_while_the_workflow_is_paused(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    runtime.pass_time(2 * HOUR)
    runtime.commands.pause("w")
    runtime.commands.backfill("w", None, [(runtime.clock.wall - HOUR, runtime.clock.wall)])
    runtime.pass_time(MINUTE)
    assert [run.trigger for run in runtime.runs()] == ["automatic"] * 2
    runtime.commands.resume("w")
    runtime.pass_time(MINUTE)
    assert [run.trigger for run in runtime.runs()] == ["automatic"] * 2 + ["backfill"] * 2


def test_a_producer_deployed_paused_runs_once_after_the_resume(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer(), paused=True)
    runtime.pass_time(MINUTE)
    assert runtime.runs() == [] and runtime.workflow().status == "paused"
    runtime.commands.resume("w")
    runtime.tick()
    assert [run.trigger for run in runtime.runs("p")] == ["deploy"]


def test_a_pause_with_an_end_stops_consumers_and_run_now_too(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer())
    runtime.commands.pause("w", until=runtime.clock.wall + HOUR)
    runtime.publish("a")
    runtime.tick()
    assert runtime.pending() == ["a"] and runtime.workflow().status == "paused"
    runtime.pass_time(HOUR)
    assert runtime.pending() == [] and runtime.workflow().status == "active"
    runtime.deploy(job("pass"))
    runtime.commands.pause("w", until=runtime.clock.wall + HOUR)
    assert "resume" in refusal(runtime.commands.run, "w", when_finished=True)


def test_a_pause_with_an_end_survives_a_restart(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    runtime.commands.pause("w", until=runtime.clock.wall + 90 * MINUTE)
    runtime.crash()
    runtime.pass_time(2 * HOUR)
    assert runtime.workflow().status == "active" and planned(runtime, "j") == ["11:00", "12:00"]


def test_resuming_early_forgets_the_end_and_the_note(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    runtime.commands.pause("w", until=runtime.clock.wall + HOUR, note="On holiday")
    assert (runtime.workflow().pause_note, runtime.workflow().paused_until) == (
        "On holiday",
        runtime.clock.wall + HOUR,
    )
    runtime.commands.resume("w")
    assert (runtime.workflow().pause_note, runtime.workflow().paused_until) == (None, None)
