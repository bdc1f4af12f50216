"""Versions, request ids, and what each verb keeps or changes."""

from collections.abc import Callable
from typing import Any

import pytest

from scheduler.engine.commands import Answer
from scheduler.engine.launcher import Result
from scheduler.engine.refusal import RefusedError
from scheduler.engine.views import ScheduleState
from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.policies import Overlap
from tests.engine.harness import HOUR, MINUTE, SECOND, START, Bench, at

HOURLY = {"cron": "0 * * * *"}


def image(bench: Bench) -> list[Any]:
    """Everything that is stored about schedules and what became of them."""
    db = bench.database.read()
    tables = ("schedules", "occurrences", "gaps", "backfills")
    return [[tuple(row) for row in db.execute(f"SELECT * FROM {table}")] for table in tables]


COMMANDS: dict[str, Callable[[Bench, str | None], Answer]] = {
    "add": lambda bench, request: bench.commands.add("w", "new", HOURLY, request=request),
    "put": lambda bench, request: bench.commands.put("w", "h", {"cron": "30 * * * *"}, request=request),
    "edit": lambda bench, request: bench.commands.edit("w/h", version=1, spec={"every": "5m"}, request=request),
    "pause": lambda bench, request: bench.commands.pause("w/h", note="n", request=request),
    "skip next": lambda bench, request: bench.commands.skip_next("w/h", request=request),
    "trigger": lambda bench, request: bench.commands.trigger("w/h", request=request),
    "backfill": lambda bench, request: bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))], request=request),
    "delete": lambda bench, request: bench.commands.delete("w/h", request=request),
}


@pytest.mark.parametrize("verb", COMMANDS)
def test_the_same_request_again_gets_the_first_answer_and_does_nothing(bench: Bench, verb: str) -> None:
    bench.add(HOURLY)
    first = COMMANDS[verb](bench, "request 1")
    stored, said = image(bench), len(bench.announcements)
    bench.clock.move(SECOND)
    assert COMMANDS[verb](bench, "request 1") == first
    assert image(bench) == stored and len(bench.announcements) == said
    bench.crash()
    assert COMMANDS[verb](bench, "request 1") == first, "also after a restart"


def test_the_same_request_to_resume_stop_or_cancel_gets_the_first_answer(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.commands.pause("w/h")
    assert bench.commands.resume("w/h", request="r") == bench.commands.resume("w/h", request="r")
    bench.commands.trigger("w/h")
    bench.tick()
    assert bench.commands.stop("w/h", request="s") == bench.commands.stop("w/h", request="s")
    assert len(bench.launcher.stops) == 1
    backfill = bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))]).backfill
    assert backfill is not None
    first = bench.commands.cancel_backfill(backfill, request="c")
    assert bench.commands.cancel_backfill(backfill, request="c") == first


def test_a_request_id_of_another_command_is_refused(bench: Bench) -> None:
    """Its first answer would say that something was done which was not."""
    bench.add(HOURLY)
    bench.commands.pause("w/h", request="r")
    with pytest.raises(RefusedError, match="The request id r was used to pause; take another one to resume"):
        bench.commands.resume("w/h", request="r")
    assert bench.row().paused


def test_another_request_has_another_effect(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.commands.trigger("w/h", request="a")
    bench.commands.trigger("w/h", request="b")
    assert len(bench.occurrences()) == 2


def test_a_refusal_is_no_answer_and_may_be_asked_again(bench: Bench) -> None:
    with pytest.raises(RefusedError):
        bench.commands.trigger("w/h", request="r")
    bench.add(HOURLY)
    assert bench.commands.trigger("w/h", request="r").occurrence is not None


@pytest.mark.parametrize(
    "stale",
    [
        lambda bench: bench.commands.edit("w/h", version=1, spec={"every": "5m"}),
        lambda bench: bench.commands.pause("w/h", version=1),
        lambda bench: bench.commands.resume("w/h", version=1),
        lambda bench: bench.commands.skip_next("w/h", version=1),
        lambda bench: bench.commands.delete("w/h", version=1),
    ],
)
def test_a_stale_change_is_refused_with_both_versions(bench: Bench, stale: Callable[[Bench], Answer]) -> None:
    """P5."""
    bench.add(HOURLY)
    bench.commands.pause("w/h", note="the other window")
    stored = image(bench)
    with pytest.raises(RefusedError, match="you saw version 1, it is now 2") as refused:
        stale(bench)
    assert refused.value.code == "stale"
    assert image(bench) == stored


def test_what_the_engine_counts_makes_no_open_dialog_stale(bench: Bench) -> None:
    """P5."""
    bench.add({"every": "1h", "limit": 99}, catchup="all")
    bench.run_for(2 * HOUR)
    bench.run_for(HOUR, finish=False)
    bench.launcher.finish(result=Result.FAILED)
    bench.sleep(5 * HOUR)
    bench.run_for(MINUTE)
    bench.commands.trigger("w/h")
    bench.crash(HOUR)
    bench.run_for(MINUTE)
    assert bench.row().version == 1
    assert bench.commands.edit("w/h", version=1, policies={"overlap": "buffer_one"}).version == 2


def test_every_change_by_a_person_gives_the_next_version(bench: Bench) -> None:
    """P5."""
    bench.add(HOURLY)
    versions = [
        bench.commands.pause("w/h", version=1).version,
        bench.commands.resume("w/h", version=2).version,
        bench.commands.skip_next("w/h", version=3).version,
        bench.commands.edit("w/h", version=4, policies={"catchup": "none"}).version,
        bench.commands.put("w", "h", HOURLY).version,
        bench.commands.delete("w/h", version=6).version,
    ]
    assert versions == [2, 3, 4, 5, 6, 7]


def test_two_triggers_in_one_second_are_two_runs(bench: Bench) -> None:
    """P4."""
    bench.add(HOURLY)
    first, second = bench.commands.trigger("w/h"), bench.commands.trigger("w/h")
    assert first.occurrence != second.occurrence
    bench.run_for(SECOND)
    assert {work.key for work in bench.launcher.begun} == {first.occurrence, second.occurrence}
    assert bench.states() == ["succeeded", "succeeded"]


def test_four_manual_runs_leave_the_next_regular_time_unchanged(bench: Bench) -> None:
    """P6."""
    bench.add({"every": "1h"})
    for _ in range(4):
        bench.run_for(10 * MINUTE)
        bench.commands.trigger("w/h")
        bench.tick()
    assert bench.views.upcoming("w/h", 1) == [at("11:00")]
    bench.run_for(30 * MINUTE)
    assert [work.planned for work in bench.launcher.begun if work.origin is Origin.AUTOMATIC] == [at("11:00")]


def test_a_failure_does_not_move_the_regular_times(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    bench.launcher.finish(result=Result.FAILED)
    bench.tick()
    assert bench.views.upcoming("w/h", 1) == [at("12:00")]


def test_a_paused_schedule_can_be_run_by_hand(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.commands.pause("w/h")
    bench.commands.trigger("w/h")
    bench.tick()
    assert bench.states() == ["started"]


def test_the_last_run_is_stamped_when_it_really_begins(bench: Bench) -> None:
    """I2."""
    bench.add({"every": "1h"})
    bench.launcher.slow = True
    bench.run_for(HOUR, finish=False)
    assert bench.row().last_run is None and bench.states() == ["queued"]
    bench.clock.move(5 * SECOND)
    bench.launcher.begin()
    assert bench.row().last_run == at("11:00:05")


def test_what_is_removed_keeps_its_history_and_its_name(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(2 * HOUR)
    bench.commands.delete("w/h")
    assert list(bench.views.schedules()) == []
    (removed,) = bench.views.schedules(state=ScheduleState.REMOVED)
    assert removed.id == "w/h" and removed.version == 2
    assert bench.states() == ["succeeded", "succeeded"]
    bench.run_for(5 * HOUR)
    assert len(bench.occurrences()) == 2
    assert bench.commands.add("w", "h", {"every": "1h"}).version == 3
    bench.run_for(HOUR)
    assert bench.planned(State.SUCCEEDED) == ["11:00", "12:00", "18:00"]


def test_added_again_it_counts_its_runs_anew(bench: Bench) -> None:
    bench.add({"every": "1h", "limit": 1})
    bench.run_for(HOUR)
    bench.commands.delete("w/h")
    bench.add({"every": "1h", "limit": 1})
    bench.run_for(HOUR)
    assert len(bench.launcher.begun) == 2


def test_what_waits_when_it_is_removed_is_dropped_with_that_reason(bench: Bench) -> None:
    bench.add({"every": "1h"}, overlap="buffer_all")
    bench.run_for(2 * HOUR, finish=False)
    bench.commands.trigger("w/h")
    bench.commands.delete("w/h")
    assert [(row.state, row.reason) for row in bench.occurrences()] == [
        (State.STARTED, None),
        (State.DROPPED, Reason.REMOVED),
        (State.DROPPED, Reason.REMOVED),
    ]
    bench.launcher.finish()
    bench.run_for(HOUR)
    assert bench.states()[0] == "succeeded"


@pytest.mark.parametrize("result", Result)
def test_what_runs_when_its_schedule_is_removed_ends_as_it_ends(bench: Bench, result: Result) -> None:
    bench.add({"every": "1h"}, pause_on_failure=True)
    bench.run_for(HOUR, finish=False)
    bench.commands.delete("w/h")
    bench.launcher.finish(result=result)
    bench.run_for(HOUR)
    assert bench.states() == [result.value]
    assert len(bench.launcher.begun) == 1 and bench.engine.is_idle


def test_times_that_passed_before_it_was_removed_are_accounted_for(bench: Bench) -> None:
    """Invariant 10."""
    bench.add({"every": "1h"})
    bench.sleep(3 * HOUR)
    bench.commands.delete("w/h")
    ((state, gap),) = bench.views.describe("w/h").gaps
    assert (state, gap.count.number, gap.reason) == (State.DROPPED, 3, Reason.REMOVED)


@pytest.mark.parametrize("verb", ["edit", "pause", "resume", "skip_next", "trigger", "backfill", "stop", "delete"])
def test_every_verb_refuses_what_does_not_exist(bench: Bench, verb: str) -> None:
    bench.add(HOURLY)
    bench.commands.delete("w/h")
    given: dict[str, Any] = {"edit": {"version": 2}, "backfill": {"ranges": [(START, START)]}}
    for schedule in ("w/h", "w/nobody"):
        with pytest.raises(RefusedError, match=f"There is no schedule {schedule}") as refused:
            getattr(bench.commands, verb)(schedule, **given.get(verb, {}))
        assert refused.value.code == "unknown"


def test_a_name_that_is_taken_is_refused(bench: Bench) -> None:
    bench.add(HOURLY)
    with pytest.raises(RefusedError, match="There is already a schedule w/h"):
        bench.add(HOURLY)


@pytest.mark.parametrize(
    ("spec", "policies", "code"),
    [
        ({"every": "5s"}, {}, "every"),
        ({"cron": "61 * * * *"}, {}, "minute"),
        ({"cron": "0 9 * * *", "timezone": "Mars/Olympus"}, {}, "timezone"),
        ({"once": "2026-11-16T09:00Z"}, {}, "schedule"),
        ({"every": "1h", "end_at": "2026-11-16T09:00Z"}, {}, "schedule"),
        ({"every": "1h", "limit": 0}, {}, "limit"),
        ({"every": "1h"}, {"overlap": "whatever"}, "overlap"),
        ({"every": "1h"}, {"catchup_window": "soon"}, "catchup_window"),
        ({"every": "1h"}, {"colour": "blue"}, "colour"),
    ],
    ids=str,
)
@pytest.mark.parametrize("verb", ["add", "put", "edit"])
def test_what_makes_no_sense_is_refused_and_nothing_is_stored(
    bench: Bench, verb: str, spec: dict[str, Any], policies: dict[str, Any], code: str
) -> None:
    if verb != "add":
        bench.add(HOURLY)
    stored = image(bench)
    name = {"schedule": "w/h", "version": 1} if verb == "edit" else {"workflow": "w", "handler": "h"}
    with pytest.raises(RefusedError) as refused:
        getattr(bench.commands, verb)(**name, spec=spec, policies=policies)
    assert refused.value.code == code
    assert image(bench) == stored
    bench.run_for(HOUR)


def test_a_kind_that_nobody_knows_is_refused(bench: Bench) -> None:
    with pytest.raises(RefusedError, match="kind: 'cobbler' is not known; choose one of job, producer"):
        bench.add(HOURLY, kind="cobbler")


def test_putting_the_same_again_keeps_next_time_anchor_pause_and_what_waits(bench: Bench) -> None:
    """K10."""
    bench.clock.move(7 * MINUTE)
    bench.commands.put("w", "h", {"every": "1h"}, {"overlap": "buffer_one"})
    bench.run_for(2 * HOUR, finish=False)
    bench.commands.pause("w/h", note="mine")
    bench.commands.skip_next("w/h")
    before = bench.row()
    answer = bench.commands.put("w", "h", {"every": "60m"}, {"overlap": "buffer_one"})
    after = bench.row()
    assert answer.version == before.version + 1
    kept = ("next_at", "next_due", "spec", "policies", "paused", "pause_note", "skip_at", "runs", "created")
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]


def test_putting_other_times_recomputes_and_keeps_the_pause(bench: Bench) -> None:
    """K10, P7."""
    bench.commands.put("w", "h", {"every": "1h"})
    bench.commands.pause("w/h")
    bench.commands.put("w", "h", {"cron": "30 * * * *"})
    assert bench.row().next_at == at("10:30") and bench.row().paused


def test_putting_less_goes_back_to_the_defaults(bench: Bench) -> None:
    bench.commands.put("w", "h", {"every": "1h"}, {"overlap": "buffer_all", "catchup": "none"})
    bench.commands.put("w", "h", {"every": "1h"})
    assert bench.row().policies == '{"overlap": "skip", "catchup": "one"}'


def test_an_edit_of_the_times_settles_what_was_due(bench: Bench) -> None:
    """Invariant 10: the old times count up to now, the new ones from now on."""
    bench.add({"every": "1h"}, catchup="one")
    bench.sleep(2 * HOUR + 30 * MINUTE)
    bench.commands.edit("w/h", version=1, spec={"cron": "15 * * * *"})
    bench.run_for(HOUR)
    assert bench.planned(State.SUCCEEDED) == ["12:00", "13:15"]
    assert [(gap.first, gap.last) for gap in bench.gaps()] == [(at("11:00"), at("11:00"))]


def test_an_edit_that_goes_back_does_not_run_a_time_twice(bench: Bench) -> None:
    bench.add({"cron": "0 * * * *"})
    bench.run_for(HOUR)
    bench.commands.edit("w/h", version=1, spec={"cron": "0,30 * * * *"})
    bench.commands.edit("w/h", version=2, spec={"cron": "0 * * * *"})
    bench.run_for(MINUTE)
    assert bench.planned() == ["11:00"]


def test_the_default_jitter_of_the_app_is_taken_on(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(jitter="+10m")
    bench.add({"every": "1h"})
    bench.add({"every": "1h", "jitter": "+1s"}, name="own")
    assert '"jitter": "+10m"' in bench.row().spec
    assert '"jitter": "+1s"' in bench.row("w/own").spec


def test_the_defaults_of_the_app_are_taken_on(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(catchup="all", overlap={"job": Overlap.BUFFER_ALL, "producer": Overlap.SKIP})
    bench.add({"every": "1h"})
    bench.add({"every": "1h"}, kind="producer", name="p")
    assert bench.row().policies == '{"overlap": "buffer_all", "catchup": "all"}'
    assert bench.row("w/p").policies == '{"overlap": "skip", "catchup": "all"}'
