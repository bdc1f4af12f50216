"""Versions, idempotency keys, and what each command keeps or changes."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.schedules import ScheduleState
from scheduler.engine.scheduling.launcher import Result
from scheduler.engine.scheduling.schedule_commands import ScheduleAnswer
from scheduler.timing.jitter import parse_jitter
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Catchup, Overlap
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND, START, Bench, at

HOURLY = {"cron": "0 * * * *"}


def read_tables(bench: Bench) -> list[Any]:
    """Everything stored about schedules and their occurrences."""
    db = bench.database.read()
    tables = ("schedules", "occurrences", "gaps", "backfills")
    return [[tuple(row) for row in db.execute(f"SELECT * FROM {table}")] for table in tables]


def shift(bench: Bench, schedule: str = "w/h") -> timedelta:
    """How far jitter moves the next time."""
    row = bench.row(schedule)
    assert row.next_due is not None and row.next_at is not None
    return row.next_due - row.next_at


def effective(bench: Bench, schedule: str = "w/h") -> tuple[str, str]:
    """Overlap and catch-up policy as they apply now."""
    policies = bench.engine.context.policies(bench.row(schedule))
    return policies.overlap.value, policies.catchup.value


COMMANDS: dict[str, Callable[[Bench, str | None], ScheduleAnswer]] = {
    "add": lambda bench, request: bench.commands.add("w", "new", HOURLY, idempotency_key=request),
    "put": lambda bench, request: bench.commands.put("w", "h", {"cron": "30 * * * *"}, idempotency_key=request),
    "edit": lambda bench, request: bench.commands.edit("w/h", version=1, spec={"every": "5m"}, idempotency_key=request),
    "pause": lambda bench, request: bench.commands.pause("w/h", note="n", idempotency_key=request),
    "skip next": lambda bench, request: bench.commands.skip_next("w/h", idempotency_key=request),
    "trigger": lambda bench, request: bench.commands.trigger("w/h", idempotency_key=request),
    "backfill": lambda bench, request: bench.commands.backfill(
        "w/h", [(at("05:00"), at("06:00"))], idempotency_key=request
    ),
    "delete": lambda bench, request: bench.commands.delete("w/h", idempotency_key=request),
}


@pytest.mark.parametrize("verb", COMMANDS)
def test_repeating_a_command_with_the_same_key_returns_the_first_answer(bench: Bench, verb: str) -> None:
    bench.add(HOURLY)
    first = COMMANDS[verb](bench, "request 1")
    stored, announced = read_tables(bench), len(bench.announcements)
    bench.clock.move(SECOND)
    assert COMMANDS[verb](bench, "request 1") == first
    assert read_tables(bench) == stored and len(bench.announcements) == announced
    bench.crash()
    assert COMMANDS[verb](bench, "request 1") == first, "even after a restart"


def test_repeating_resume_stop_or_cancel_returns_the_first_answer(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.commands.pause("w/h")
    assert bench.commands.resume("w/h", idempotency_key="r") == bench.commands.resume("w/h", idempotency_key="r")
    bench.commands.trigger("w/h")
    bench.tick()
    assert bench.commands.stop("w/h", idempotency_key="s") == bench.commands.stop("w/h", idempotency_key="s")
    assert len(bench.launcher.stops) == 1
    backfill = bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))]).backfill
    assert backfill is not None
    first = bench.commands.cancel_backfill(backfill, idempotency_key="c")
    assert bench.commands.cancel_backfill(backfill, idempotency_key="c") == first


def test_a_key_of_another_command_is_refused(bench: Bench) -> None:
    """Returning the first answer would claim that something else was done."""
    bench.add(HOURLY)
    bench.commands.pause("w/h", idempotency_key="r")
    with pytest.raises(RefusedError, match="The idempotency key r was already used to pause; use a new one to resume"):
        bench.commands.resume("w/h", idempotency_key="r")
    assert bench.row().paused


def test_another_key_has_another_effect(bench: Bench) -> None:
    bench.add(HOURLY)
    bench.commands.trigger("w/h", idempotency_key="a")
    bench.commands.trigger("w/h", idempotency_key="b")
    assert len(bench.occurrences()) == 2


def test_a_refused_command_can_be_repeated_with_the_same_key(bench: Bench) -> None:
    with pytest.raises(RefusedError):
        bench.commands.trigger("w/h", idempotency_key="r")
    bench.add(HOURLY)
    assert bench.commands.trigger("w/h", idempotency_key="r").occurrence is not None


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
def test_a_stale_change_is_refused_with_both_versions(bench: Bench, stale: Callable[[Bench], ScheduleAnswer]) -> None:
    bench.add(HOURLY)
    bench.commands.pause("w/h", note="the other window")
    stored = read_tables(bench)
    with pytest.raises(RefusedError, match="you have version 1, the current one is 2") as refused:
        stale(bench)
    assert refused.value.code == "stale"
    assert read_tables(bench) == stored


def test_counters_of_the_engine_do_not_change_the_version(bench: Bench) -> None:
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


def test_every_change_by_the_user_gives_the_next_version(bench: Bench) -> None:
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
    bench.add(HOURLY)
    first, second = bench.commands.trigger("w/h"), bench.commands.trigger("w/h")
    assert first.occurrence != second.occurrence
    bench.run_for(SECOND)
    assert {work.key for work in bench.launcher.begun} == {first.occurrence, second.occurrence}
    assert bench.states() == ["succeeded", "succeeded"]


def test_four_manual_runs_leave_the_next_regular_time_unchanged(bench: Bench) -> None:
    bench.add({"every": "1h"})
    for _ in range(4):
        bench.run_for(10 * MINUTE)
        bench.commands.trigger("w/h")
        bench.tick()
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("11:00")]
    bench.run_for(30 * MINUTE)
    assert [work.planned for work in bench.launcher.begun if work.origin is OccurrenceOrigin.AUTOMATIC] == [at("11:00")]


def test_a_failure_does_not_move_the_regular_times(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    bench.launcher.finish(result=Result.FAILED)
    bench.tick()
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("12:00")]


def test_a_paused_schedule_can_be_run_by_hand(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.commands.pause("w/h")
    bench.commands.trigger("w/h")
    bench.tick()
    assert bench.states() == ["started"]


def test_the_last_run_is_set_when_it_really_starts(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.launcher.slow = True
    bench.run_for(HOUR, finish=False)
    assert bench.row().last_run is None and bench.states() == ["queued"]
    bench.clock.move(5 * SECOND)
    bench.launcher.begin()
    assert bench.row().last_run == at("11:00:05")


def test_a_removed_schedule_keeps_its_history_and_name(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(2 * HOUR)
    bench.commands.delete("w/h")
    assert list(bench.schedule_queries.schedules()) == []
    (removed,) = bench.schedule_queries.schedules(state=ScheduleState.REMOVED)
    assert removed.id == "w/h" and removed.version == 2
    assert bench.states() == ["succeeded", "succeeded"]
    bench.run_for(5 * HOUR)
    assert len(bench.occurrences()) == 2
    assert bench.commands.add("w", "h", {"every": "1h"}).version == 3
    bench.run_for(HOUR)
    assert bench.planned(OccurrenceState.SUCCEEDED) == ["11:00", "12:00", "18:00"]


def test_a_schedule_added_again_counts_its_runs_from_zero(bench: Bench) -> None:
    bench.add({"every": "1h", "limit": 1})
    bench.run_for(HOUR)
    bench.commands.delete("w/h")
    bench.add({"every": "1h", "limit": 1})
    bench.run_for(HOUR)
    assert len(bench.launcher.begun) == 2


def test_queued_runs_of_a_removed_schedule_are_dropped(bench: Bench) -> None:
    bench.add({"every": "1h"}, overlap="buffer_all")
    bench.run_for(2 * HOUR, finish=False)
    bench.commands.trigger("w/h")
    bench.commands.delete("w/h")
    assert [(row.state, row.reason) for row in bench.occurrences()] == [
        (OccurrenceState.STARTED, None),
        (OccurrenceState.DROPPED, OccurrenceReason.REMOVED),
        (OccurrenceState.DROPPED, OccurrenceReason.REMOVED),
    ]
    bench.launcher.finish()
    bench.run_for(HOUR)
    assert bench.states()[0] == "succeeded"


@pytest.mark.parametrize("result", Result)
def test_a_running_run_of_a_removed_schedule_keeps_its_result(bench: Bench, result: Result) -> None:
    bench.add({"every": "1h"}, pause_on_failure=True)
    bench.run_for(HOUR, finish=False)
    bench.commands.delete("w/h")
    bench.launcher.finish(result=result)
    bench.run_for(HOUR)
    assert bench.states() == [result.value]
    assert len(bench.launcher.begun) == 1 and bench.engine.is_idle


def test_times_before_the_removal_are_recorded(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.sleep(3 * HOUR)
    bench.commands.delete("w/h")
    ((state, gap),) = bench.schedule_queries.describe("w/h").gaps
    assert (state, gap.count.number, gap.reason) == (OccurrenceState.DROPPED, 3, OccurrenceReason.REMOVED)


@pytest.mark.parametrize("verb", ["edit", "pause", "resume", "skip_next", "trigger", "backfill", "stop", "delete"])
def test_every_command_refuses_an_unknown_schedule(bench: Bench, verb: str) -> None:
    bench.add(HOURLY)
    bench.commands.delete("w/h")
    given: dict[str, Any] = {"edit": {"version": 2}, "backfill": {"ranges": [(START, START)]}}
    for schedule in ("w/h", "w/nobody"):
        with pytest.raises(RefusedError, match=f"There is no schedule {schedule}") as refused:
            getattr(bench.commands, verb)(schedule, **given.get(verb, {}))
        assert refused.value.code == "unknown"


def test_a_duplicate_name_is_refused(bench: Bench) -> None:
    bench.add(HOURLY)
    with pytest.raises(RefusedError, match="A schedule w/h already exists"):
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
def test_invalid_settings_are_refused_and_nothing_is_stored(
    bench: Bench, verb: str, spec: dict[str, Any], policies: dict[str, Any], code: str
) -> None:
    if verb != "add":
        bench.add(HOURLY)
    stored = read_tables(bench)
    name = {"schedule": "w/h", "version": 1} if verb == "edit" else {"workflow": "w", "handler": "h"}
    with pytest.raises(RefusedError) as refused:
        getattr(bench.commands, verb)(**name, spec=spec, policies=policies)
    assert refused.value.code == code
    assert read_tables(bench) == stored
    bench.run_for(HOUR)


def test_an_unknown_kind_is_refused(bench: Bench) -> None:
    with pytest.raises(RefusedError, match="kind: 'cobbler' is not known; choose one of job, producer"):
        bench.add(HOURLY, kind="cobbler")


def test_putting_the_same_again_keeps_next_time_anchor_pause_and_queue(bench: Bench) -> None:
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
    bench.commands.put("w", "h", {"every": "1h"})
    bench.commands.pause("w/h")
    bench.commands.put("w", "h", {"cron": "30 * * * *"})
    assert bench.row().next_at == at("10:30") and bench.row().paused


def test_putting_less_goes_back_to_the_defaults(bench: Bench) -> None:
    bench.commands.put("w", "h", {"every": "1h"}, {"overlap": "buffer_all", "catchup": "none"})
    bench.commands.put("w", "h", {"every": "1h"})
    assert effective(bench) == ("skip", "one")


def test_an_edit_of_the_times_records_what_was_due(bench: Bench) -> None:
    """The old times apply up to now, the new ones from now on."""
    bench.add({"every": "1h"}, catchup="one")
    bench.sleep(2 * HOUR + 30 * MINUTE)
    bench.commands.edit("w/h", version=1, spec={"cron": "15 * * * *"})
    bench.run_for(HOUR)
    assert bench.planned(OccurrenceState.SUCCEEDED) == ["12:00", "13:15"]
    assert [(gap.first, gap.last) for gap in bench.gaps()] == [(at("11:00"), at("11:00"))]


def test_an_edit_that_is_undone_does_not_run_a_time_twice(bench: Bench) -> None:
    bench.add({"cron": "0 * * * *"})
    bench.run_for(HOUR)
    bench.commands.edit("w/h", version=1, spec={"cron": "0,30 * * * *"})
    bench.commands.edit("w/h", version=2, spec={"cron": "0 * * * *"})
    bench.run_for(MINUTE)
    assert bench.planned() == ["11:00"]


def test_the_apps_default_jitter_applies(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(jitter=parse_jitter("+10m"))
    bench.add({"every": "1h"})
    bench.add({"every": "1h", "jitter": "+1s"}, name="own")
    bench.add({"every": "1h", "jitter": "0s"}, name="none")
    assert SECOND < shift(bench) <= 10 * MINUTE
    assert shift(bench, "w/own") <= SECOND
    assert not shift(bench, "w/none")


def test_a_new_default_jitter_applies_from_the_time_after_the_next(bench: Bench) -> None:
    """The next time keeps the instant at which it is due: it was announced."""
    bench.add({"every": "1h"})
    due = bench.row().next_due
    bench.change_settings(jitter=parse_jitter("+10m"))
    assert bench.row().next_due == due == at("11:00")
    bench.run_for(HOUR + SECOND)
    assert SECOND < shift(bench) <= 10 * MINUTE


def test_the_apps_default_policies_apply(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(catchup=Catchup.ALL, overlap={"job": Overlap.BUFFER_ALL, "producer": Overlap.SKIP})
    bench.add({"every": "1h"})
    bench.add({"every": "1h"}, kind="producer", name="p", catchup="none")
    assert effective(bench) == ("buffer_all", "all")
    assert effective(bench, "w/p") == ("skip", "none")


def test_a_changed_default_applies_at_once_to_schedules_without_their_own_policy(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.add({"every": "1h"}, name="own", overlap="skip", catchup="one")
    bench.change_settings(catchup=Catchup.NONE, overlap={"job": Overlap.BUFFER_ALL, "producer": Overlap.SKIP})
    assert effective(bench) == ("buffer_all", "none")
    assert effective(bench, "w/own") == ("skip", "one")
    bench.run_for(3 * HOUR, finish=False)
    assert bench.states() == ["started", "queued", "queued"]
    assert bench.states("w/own") == ["started", "skipped", "skipped"]


@pytest.mark.parametrize(("default", "kill"), [(Overlap.CANCEL_OTHER, False), (Overlap.TERMINATE_OTHER, True)])
def test_a_default_that_ends_the_other_ends_it(bench: Bench, default: Overlap, kill: bool) -> None:  # noqa: FBT001
    bench.add({"every": "1h"})
    bench.add({"every": "1h"}, name="own", overlap="skip")
    bench.change_settings(overlap={"job": default, "producer": Overlap.BUFFER_ONE})
    bench.run_for(2 * HOUR, finish=False)
    [(key, killed)] = bench.launcher.stops
    assert (bench.one(key).schedule, killed) == ("w/h", kill)


def test_a_policy_can_be_left_to_the_default_again(bench: Bench) -> None:
    bench.add({"every": "1h"}, overlap="buffer_all", catchup="all")
    bench.commands.edit("w/h", version=1, policies={"overlap": None})
    assert effective(bench) == ("skip", "all")
    assert bench.row().policies == '{"catchup": "all"}'


def test_parts_of_a_spec_are_changed_and_the_others_stay(bench: Bench) -> None:
    bench.add({"every": "1h", "timezone": "Europe/Berlin", "limit": 9, "exclude": ["2026-12-25"]})
    anchor = json.loads(bench.row().spec)["anchor"]
    bench.commands.edit("w/h", version=1, changes={"limit": None, "jitter": "30s"})
    assert json.loads(bench.row().spec) == {
        "every": "1h", "anchor": anchor, "timezone": "Europe/Berlin", "exclude": ["2026-12-25"], "jitter": "30s",
    }  # fmt: skip
    bench.commands.edit("w/h", version=2, changes={"cron": "0 9 * * *"})
    assert json.loads(bench.row().spec) == {
        "cron": ["0 9 * * *"], "timezone": "Europe/Berlin", "exclude": ["2026-12-25"], "jitter": "30s",
    }  # fmt: skip
    bench.commands.edit("w/h", version=3, changes={"every": "2h", "anchor": "2026-11-01T08:00"})
    assert json.loads(bench.row().spec)["anchor"] == "2026-11-01T07:00:00Z"
    bench.commands.edit("w/h", version=4, changes={"every": "3h"})
    assert json.loads(bench.row().spec)["anchor"] == "2026-11-01T07:00:00Z", (
        "another interval counts from the same time"
    )
    assert bench.row().next_at == at("13:00")


def test_a_stale_edit_shows_both_versions_and_what_it_is_now(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.commands.edit("w/h", version=1, changes={"every": "2h"}, policies={"catchup": "all"})
    with pytest.raises(RefusedError) as refused:
        bench.commands.edit("w/h", version=1, changes={"every": "3h"})
    assert str(refused.value) == (
        "w/h has changed: you have version 1, the current one is 2. "
        "Now: Every 2 hours; overlap skip; catchup all. Refresh and try again."
    )
    assert (bench.row().version, '"every": "2h"' in bench.row().spec) == (2, True)
