"""A run that takes three intervals, under every overlap policy, with manual runs and backfills besides it."""

from collections.abc import Callable

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.scheduling.launcher import Result
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Overlap
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND, START, Bench, at


def run_over_three_times(bench: Bench, overlap: str) -> list[tuple[str, str]]:
    """Run the 11:00 time until 14:05; returns the states of the later ones then."""
    bench.add({"every": "1h"}, overlap=overlap)
    bench.run_for(4 * HOUR + 5 * MINUTE, finish=False)
    return states_by_hour(bench)


def states_by_hour(bench: Bench) -> list[tuple[str, str]]:
    return [(f"{row.planned:%H}", row.state.value) for row in bench.occurrences()]


def start_order(bench: Bench) -> list[str]:
    """Hour and origin of what started, in order."""
    return [f"{work.planned:%H:%M} {work.origin}" for work in bench.launcher.begun]


def test_skip_records_each_with_its_reason_and_the_next_regular_time_runs(bench: Bench) -> None:
    assert run_over_three_times(bench, "skip") == [
        ("11", "started"),
        ("12", "skipped"),
        ("13", "skipped"),
        ("14", "skipped"),
    ]
    assert {row.reason for row in bench.occurrences()[1:]} == {OccurrenceReason.OVERLAP}
    bench.launcher.finish()
    bench.run_for(HOUR)
    assert states_by_hour(bench)[-1] == ("15", "succeeded")
    assert start_order(bench) == ["11:00 automatic", "15:00 automatic"]


def test_buffer_one_runs_the_latest_right_after(bench: Bench) -> None:
    assert run_over_three_times(bench, "buffer_one") == [
        ("11", "started"),
        ("12", "coalesced"),
        ("13", "coalesced"),
        ("14", "queued"),
    ]
    assert [row.reason for row in bench.occurrences()[1:3]] == [OccurrenceReason.REPLACED] * 2
    bench.launcher.finish()
    bench.tick()
    assert start_order(bench) == ["11:00 automatic", "14:00 automatic"]
    (running,) = bench.occurrences("w/h", OccurrenceState.STARTED)
    assert running.began == at("14:05")


def test_buffer_all_runs_them_in_order(bench: Bench) -> None:
    run_over_three_times(bench, "buffer_all")
    assert bench.states() == ["started", "queued", "queued", "queued"]
    for _ in range(4):
        assert len(bench.launcher.running) == 1
        bench.launcher.finish()
        bench.tick()
    assert start_order(bench) == [f"{hour}:00 automatic" for hour in (11, 12, 13, 14)]


def test_what_exceeds_the_buffer_is_dropped_except_manual_runs(make_bench: Callable[..., Bench]) -> None:
    """The buffer limit is reduced from a thousand to twenty."""
    bench = make_bench(buffer_limit=20)
    bench.add({"every": "10s"}, overlap="buffer_all")
    bench.run_for(10 * SECOND * 24, finish=False)
    rows = bench.occurrences()
    assert [row.state for row in rows[-4:]] == [
        OccurrenceState.QUEUED,
        OccurrenceState.DROPPED,
        OccurrenceState.DROPPED,
        OccurrenceState.DROPPED,
    ]
    assert rows[-1].reason is OccurrenceReason.BUFFER_FULL
    bench.commands.trigger("w/h")
    bench.tick()
    assert bench.occurrences("w/h", OccurrenceState.QUEUED)[-1].origin is OccurrenceOrigin.MANUAL


@pytest.mark.parametrize(("policy", "kill"), [("cancel_other", False), ("terminate_other", True)])
def test_the_new_run_starts_only_after_the_old_one_ended(bench: Bench, policy: str, kill: bool) -> None:  # noqa: FBT001
    bench.add({"every": "1h"}, overlap=policy)
    bench.run_for(2 * HOUR, finish=False)
    old = bench.launcher.begun[0]
    assert bench.launcher.stops == [(old.key, kill)]
    assert bench.states() == ["started", "queued"]
    bench.run_for(10 * MINUTE, finish=False)
    assert bench.launcher.stops == [(old.key, kill)], "it was asked once"
    bench.launcher.finish(old.key, Result.CANCELLED)
    bench.tick()
    assert start_order(bench) == ["11:00 automatic", "12:00 automatic"]
    assert bench.one(old.key).reason is OccurrenceReason.OVERTAKEN


@pytest.mark.parametrize("policy", ["cancel_other", "terminate_other"])
def test_only_the_latest_waits_for_an_old_run_that_does_not_end(bench: Bench, policy: str) -> None:
    """Over three intervals, each new one replaces the one that waited."""
    assert run_over_three_times(bench, policy) == [
        ("11", "started"),
        ("12", "coalesced"),
        ("13", "coalesced"),
        ("14", "queued"),
    ]


@pytest.mark.parametrize("result", [Result.CANCELLED, Result.FAILED])
def test_a_run_that_was_asked_to_stop_has_not_failed(bench: Bench, result: Result) -> None:
    """Being stopped does not pause its schedule."""
    bench.add({"every": "1h"}, overlap="cancel_other", pause_on_failure=True)
    bench.run_for(2 * HOUR, finish=False)
    bench.launcher.finish(result=result)
    bench.tick()
    assert states_by_hour(bench) == [("11", "cancelled"), ("12", "started")]
    assert not bench.row().paused


def test_a_run_that_succeeds_before_it_is_stopped_has_succeeded(bench: Bench) -> None:
    bench.add({"every": "1h"}, overlap="cancel_other")
    bench.run_for(2 * HOUR, finish=False)
    bench.launcher.finish()
    bench.tick()
    assert states_by_hour(bench) == [("11", "succeeded"), ("12", "started")]


def test_a_run_waiting_for_its_next_attempt_ends_at_once(bench: Bench) -> None:
    """Its chain has not ended, but nothing runs that could be asked to stop."""
    bench.add({"every": "1h"}, overlap="cancel_other")
    bench.run_for(2 * HOUR - SECOND, finish=False)
    bench.launcher.rest()
    bench.run_for(SECOND, finish=False)
    assert states_by_hour(bench) == [("11", "cancelled"), ("12", "started")]
    assert bench.launcher.stops == []
    first = bench.occurrences()[0]
    assert first.reason is OccurrenceReason.OVERTAKEN
    assert bench.launcher.abandoned == [first.key], "no attempt will follow"


@pytest.mark.parametrize("policy", ["cancel_other", "terminate_other"])
def test_a_manual_run_is_never_stopped_for_a_regular_one(bench: Bench, policy: str) -> None:
    bench.add({"every": "1h"}, overlap=policy)
    bench.commands.trigger("w/h")
    bench.run_for(HOUR, finish=False)
    assert bench.launcher.stops == []
    assert bench.states() == ["started", "queued"]
    bench.launcher.finish()
    bench.tick()
    assert start_order(bench) == ["10:00 manual", "11:00 automatic"]


def test_other_schedules_of_the_workflow_are_never_stopped(bench: Bench) -> None:
    bench.add({"every": "1h"}, overlap="terminate_other")
    bench.add({"every": "1h"}, name="other")
    bench.run_for(2 * HOUR, finish=False)
    assert [key for key, _ in bench.launcher.stops] == [
        work.key for work in bench.launcher.begun if work.subject == "w/h"
    ]
    assert bench.states("w/other") == ["started", "skipped"]


def test_a_backfill_and_the_regular_times_do_not_stop_each_other(bench: Bench) -> None:
    bench.add({"cron": "0 * * * *"}, overlap="cancel_other")
    bench.commands.backfill("w/h", [(at("05:00"), at("05:00"))], overlap=Overlap.CANCEL_OTHER)
    bench.run_for(HOUR, finish=False)
    assert start_order(bench) == ["05:00 backfill"] and bench.launcher.stops == []
    bench.launcher.finish()
    bench.commands.backfill("w/h", [(at("06:00"), at("06:00"))], overlap=Overlap.CANCEL_OTHER)
    bench.tick()
    assert start_order(bench)[1:] == ["11:00 automatic"] and bench.launcher.stops == []


def test_a_backfill_may_stop_its_own_earlier_runs(bench: Bench) -> None:
    """By its own overlap policy."""
    bench.add({"cron": "0 * * * *"})
    bench.commands.backfill("w/h", [(at("05:00"), at("05:00"))])
    bench.tick()
    bench.commands.backfill("w/h", [(at("06:00"), at("06:00"))], overlap=Overlap.TERMINATE_OTHER)
    bench.tick()
    assert bench.launcher.stops == [(bench.launcher.begun[0].key, True)]


@pytest.mark.parametrize("how", ["pause", "skip", "crash"])
def test_the_request_to_stop_the_old_run_survives_other_commands(bench: Bench, how: str) -> None:
    """The time became due, and another command came before the tick."""
    bench.add({"every": "1h"}, overlap="cancel_other")
    bench.run_for(2 * HOUR - SECOND, finish=False)
    bench.launcher.rest()
    bench.tick()
    bench.clock.move(SECOND)
    if how == "pause":
        bench.commands.pause("w/h")
        bench.tick()
        assert states_by_hour(bench) == [("11", "started"), ("12", "queued")], (
            "during a pause nothing is stopped for a run that may not start"
        )
        bench.commands.resume("w/h")
    elif how == "skip":
        bench.commands.trigger("w/h")
    else:
        bench.engine._emission.emit_due(bench.database.read(), bench.clock.wall)
        bench.crash()
    bench.tick()
    assert states_by_hour(bench)[0] == ("11", "cancelled")


def test_allow_all_runs_in_parallel(bench: Bench) -> None:
    assert run_over_three_times(bench, "allow_all") == [(hour, "started") for hour in ("11", "12", "13", "14")]
    assert len(bench.launcher.running) == 4


def test_allow_all_respects_the_limit_of_parallel_runs(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(concurrency=2)
    assert run_over_three_times(bench, "allow_all") == [
        ("11", "started"),
        ("12", "started"),
        ("13", "queued"),
        ("14", "queued"),
    ]
    bench.launcher.finish()
    bench.tick()
    assert states_by_hour(bench)[2] == ("13", "started")


def test_allow_all_is_refused_for_producers_everywhere(bench: Bench) -> None:
    with pytest.raises(RefusedError, match="allow_all is only for jobs; a producer keeps state"):
        bench.add({"every": "1h"}, kind="producer", overlap="allow_all")
    bench.add({"every": "1h"}, kind="producer")
    for ask in (
        lambda: bench.commands.edit("w/h", version=1, policies={"overlap": "allow_all"}),
        lambda: bench.commands.put("w", "h", {"every": "1h"}, {"overlap": "allow_all"}, kind="producer"),
        lambda: bench.commands.trigger("w/h", overlap=Overlap.ALLOW_ALL),
        lambda: bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))], overlap=Overlap.ALLOW_ALL),
    ):
        with pytest.raises(RefusedError, match="allow_all is only for jobs") as refused:
            ask()
        assert refused.value.code == "overlap"
    assert bench.row().version == 1 and bench.occurrences() == []


def test_a_job_that_becomes_a_producer_may_not_keep_allow_all(bench: Bench) -> None:
    bench.add({"every": "1h"}, overlap="allow_all")
    with pytest.raises(RefusedError, match="allow_all is only for jobs"):
        bench.commands.put("w", "h", {"every": "1h"}, {"overlap": "allow_all"}, kind="producer")


def test_the_defaults_are_skip_for_jobs_and_buffer_one_for_producers(bench: Bench) -> None:
    bench.add({"every": "1h"}, name="job")
    bench.add({"every": "1h"}, name="producer", kind="producer")
    bench.run_for(3 * HOUR, finish=False)
    assert bench.states("w/job") == ["started", "skipped", "skipped"]
    assert bench.states("w/producer") == ["started", "coalesced", "queued"]


@pytest.mark.parametrize(
    ("new", "states"),
    [
        ("skip", ["started", "skipped", "skipped"]),
        ("buffer_one", ["started", "coalesced", "queued"]),
        ("buffer_all", ["started", "queued", "queued"]),
        ("cancel_other", ["started", "coalesced", "queued"]),
        ("terminate_other", ["started", "coalesced", "queued"]),
        ("allow_all", ["started", "started", "started"]),
    ],
)
def test_a_changed_policy_applies_to_queued_runs(bench: Bench, new: str, states: list[str]) -> None:
    bench.add({"every": "1h"}, overlap="buffer_all")
    bench.run_for(3 * HOUR, finish=False)
    assert bench.states() == ["started", "queued", "queued"]
    bench.commands.edit("w/h", version=1, policies={"overlap": new})
    bench.tick()
    assert bench.states() == states
    stops = {"cancel_other": [False], "terminate_other": [True]}
    assert [kill for _, kill in bench.launcher.stops] == stops.get(new, [])


def test_an_edit_from_cancel_to_terminate_kills_the_run(bench: Bench) -> None:
    bench.add({"every": "1h"}, overlap="cancel_other")
    bench.run_for(2 * HOUR, finish=False)
    bench.commands.edit("w/h", version=1, policies={"overlap": "terminate_other"})
    bench.tick()
    assert [kill for _, kill in bench.launcher.stops] == [False, True]


def test_other_edits_leave_queued_runs_alone(bench: Bench) -> None:
    """Even with a manual run that was requested later."""
    bench.add({"every": "1h"})
    bench.launcher.slow = True
    bench.run_for(HOUR, finish=False)
    bench.commands.trigger("w/h")
    bench.commands.edit("w/h", version=1, policies={"catchup": "all"})
    assert bench.states() == ["queued", "queued"]


@pytest.mark.parametrize("origin", [OccurrenceOrigin.MANUAL, OccurrenceOrigin.BACKFILL])
def test_an_edit_never_touches_requested_runs(bench: Bench, origin: OccurrenceOrigin) -> None:
    bench.add({"cron": "0 * * * *"}, overlap="buffer_all")
    bench.run_for(HOUR, finish=False)
    if origin is OccurrenceOrigin.MANUAL:
        bench.commands.trigger("w/h")
    else:
        bench.commands.backfill("w/h", [(at("05:00"), at("05:00"))])
    bench.tick()
    bench.commands.edit("w/h", version=1, policies={"overlap": "skip"})
    assert [row.origin for row in bench.occurrences("w/h", OccurrenceState.QUEUED)] == [origin]


def test_a_buffered_run_older_than_the_window_is_missed(bench: Bench) -> None:
    bench.add({"every": "1h"}, overlap="buffer_all", catchup_window="90m")
    bench.run_for(4 * HOUR + 5 * MINUTE, finish=False)
    bench.launcher.finish()
    bench.tick()
    assert states_by_hour(bench) == [("11", "succeeded"), ("12", "missed"), ("13", "started"), ("14", "queued")]
    assert bench.occurrences()[1].reason is OccurrenceReason.EXPIRED


@pytest.mark.parametrize("window", [None, "0"])
def test_without_a_positive_window_a_buffered_run_waits_indefinitely(bench: Bench, window: str | None) -> None:
    bench.add({"every": "1h"}, overlap="buffer_one", catchup_window=window)
    bench.run_for(2 * HOUR, finish=False)
    bench.commands.pause("w/h")
    bench.run_for(50 * HOUR + 10 * MINUTE, finish=False)
    bench.launcher.finish()
    bench.commands.resume("w/h")
    bench.tick()
    assert states_by_hour(bench)[:2] == [("11", "succeeded"), ("12", "started")]


def test_a_time_recorded_on_time_runs_despite_a_small_window(bench: Bench) -> None:
    """Less than a minute late counts as regular, and jitter does not make it late."""
    bench.add({"every": "1h"}, catchup_window="10s")
    bench.add({"every": "1h", "jitter": "+30m"}, name="shaken", catchup_window="10s")
    bench.sleep(HOUR + 40 * SECOND)
    bench.tick()
    assert bench.states() == ["started"]
    bench.run_for(HOUR)
    assert bench.states("w/shaken")[0] == "succeeded"


def test_catch_ups_do_not_stop_each_other(bench: Bench) -> None:
    """Caught-up times do not skip each other by the overlap policy."""
    bench.add({"every": "1h"}, overlap="cancel_other", catchup="all")
    bench.sleep(3 * HOUR + 30 * MINUTE)
    bench.tick()
    assert bench.launcher.stops == []
    bench.run_for(MINUTE)
    assert bench.states() == ["succeeded"] * 3


def test_a_chain_of_attempts_counts_as_one_run(bench: Bench) -> None:
    """The whole chain is one occurrence."""
    bench.add({"every": "1m"})
    bench.run_for(MINUTE, finish=False)
    bench.launcher.rest()
    bench.tick()
    assert bench.launcher.running == {}
    bench.clock.move(START + 2 * MINUTE - bench.clock.wall)
    bench.tick()
    assert states_by_minute(bench) == ["10:01 started", "10:02 skipped"]


def states_by_minute(bench: Bench) -> list[str]:
    return [f"{row.planned:%H:%M} {row.state}" for row in bench.occurrences()]


@pytest.mark.parametrize(
    ("policy", "states"),
    [
        (policy, ["coalesced", "coalesced", "queued"] if policy is not Overlap.BUFFER_ALL else ["queued"] * 3)
        for policy in Overlap
    ],
)
def test_behind_a_blocked_lane_the_latest_time_waits(bench: Bench, policy: Overlap, states: list[str]) -> None:
    """Under every policy; `buffer_all` keeps the others, too."""
    bench.deploy("h")
    bench.add({"every": "1h"}, overlap=policy)
    bench.block("h")
    bench.run_for(3 * HOUR)
    assert bench.states() == states
    replaced = bench.occurrences("w/h", OccurrenceState.COALESCED)
    assert {row.reason for row in replaced} <= {OccurrenceReason.HELD_UP}
    assert {row.detail for row in replaced} <= {"Held up: the run before it failed."}
    bench.unblock("h")
    bench.run_for(MINUTE)
    assert bench.states()[-1] == "succeeded"


def test_behind_a_blocked_lane_the_latest_of_several_catch_ups_waits(bench: Bench) -> None:
    """A laptop that sleeps every night must not catch up once for each of them."""
    bench.deploy("h")
    bench.add({"every": "1h"}, catchup="one")
    bench.block("h")
    for _ in range(3):
        bench.sleep(8 * HOUR + 30 * MINUTE)
        bench.tick()
    assert bench.states() == ["coalesced", "coalesced", "queued"]
    assert [row.reason for row in bench.occurrences()[:2]] == [OccurrenceReason.HELD_UP] * 2


def test_a_full_buffer_behind_a_blocked_lane_keeps_the_latest(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(buffer_limit=3)
    bench.deploy("h")
    bench.add({"every": "1h"}, overlap="buffer_all")
    bench.block("h")
    bench.run_for(5 * HOUR)
    assert bench.states() == ["coalesced", "coalesced", "queued", "queued", "queued"]


def test_the_resume_dialog_counts_the_time_that_will_wait_behind_a_blocked_lane(bench: Bench) -> None:
    bench.deploy("h")
    bench.add({"every": "1h"}, overlap="skip")
    bench.block("h")
    bench.run_for(HOUR)
    bench.commands.pause("w/h")
    bench.run_for(HOUR + 10 * SECOND)
    assert bench.schedule_queries.resume_preview("w/h").sentence == "1 run was missed during the pause; 1 will run now."
    bench.commands.resume("w/h")
    bench.tick()
    assert bench.states() == ["coalesced", "queued"]


def test_a_new_policy_behind_a_blocked_lane_keeps_the_latest(bench: Bench) -> None:
    bench.deploy("h")
    bench.add({"every": "1h"}, overlap="buffer_all")
    bench.block("h")
    bench.run_for(3 * HOUR)
    bench.commands.edit("w/h", version=1, policies={"overlap": "skip"})
    assert bench.states() == ["coalesced", "coalesced", "queued"]
    assert {row.reason for row in bench.occurrences()[:2]} == {OccurrenceReason.HELD_UP}
