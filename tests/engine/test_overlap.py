"""A run that takes three intervals, under every policy, and what stands beside it."""

from collections.abc import Callable

import pytest

from scheduler.engine.launcher import Result
from scheduler.engine.refusal import RefusedError
from scheduler.timing import overlap
from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.policies import Overlap
from tests.engine.harness import HOUR, MINUTE, SECOND, START, Bench, at


def through_three(bench: Bench, overlap: str) -> list[tuple[str, str]]:
    """11:00 runs until 14:05; what the later ones are by then."""
    bench.add({"every": "1h"}, overlap=overlap)
    bench.run_for(4 * HOUR + 5 * MINUTE, finish=False)
    return fates(bench)


def fates(bench: Bench) -> list[tuple[str, str]]:
    return [(f"{row.planned:%H}", row.state.value) for row in bench.occurrences()]


def order(bench: Bench) -> list[str]:
    """Hour and origin of what began, in order."""
    return [f"{work.planned:%H:%M} {work.origin}" for work in bench.launcher.begun]


def test_skip_records_each_with_its_reason_and_the_next_regular_one_fires(bench: Bench) -> None:
    """O1."""
    assert through_three(bench, "skip") == [("11", "started"), ("12", "skipped"), ("13", "skipped"), ("14", "skipped")]
    assert {row.reason for row in bench.occurrences()[1:]} == {Reason.OVERLAP}
    bench.launcher.finish()
    bench.run_for(HOUR)
    assert fates(bench)[-1] == ("15", "succeeded")
    assert order(bench) == ["11:00 automatic", "15:00 automatic"]


def test_buffer_one_runs_the_latest_right_after(bench: Bench) -> None:
    """O2."""
    assert through_three(bench, "buffer_one") == [
        ("11", "started"),
        ("12", "coalesced"),
        ("13", "coalesced"),
        ("14", "queued"),
    ]
    assert [row.reason for row in bench.occurrences()[1:3]] == [Reason.REPLACED] * 2
    bench.launcher.finish()
    bench.tick()
    assert order(bench) == ["11:00 automatic", "14:00 automatic"]
    (running,) = bench.occurrences("w/h", State.STARTED)
    assert running.began == at("14:05")


def test_buffer_all_runs_them_in_order(bench: Bench) -> None:
    """O3."""
    through_three(bench, "buffer_all")
    assert bench.states() == ["started", "queued", "queued", "queued"]
    for _ in range(4):
        assert len(bench.launcher.running) == 1
        bench.launcher.finish()
        bench.tick()
    assert order(bench) == [f"{hour}:00 automatic" for hour in (11, 12, 13, 14)]


def test_what_the_buffer_cannot_hold_is_dropped_and_a_person_is_not(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """O3: the buffer holds a thousand; twenty are enough to see it."""
    monkeypatch.setattr(overlap, "BUFFER", 20)
    bench.add({"every": "10s"}, overlap="buffer_all")
    bench.run_for(10 * SECOND * 24, finish=False)
    rows = bench.occurrences()
    assert [row.state for row in rows[-4:]] == [State.QUEUED, State.DROPPED, State.DROPPED, State.DROPPED]
    assert rows[-1].reason is Reason.BUFFER_FULL
    bench.commands.trigger("w/h")
    bench.tick()
    assert bench.occurrences("w/h", State.QUEUED)[-1].origin is Origin.MANUAL


@pytest.mark.parametrize(("policy", "kill"), [("cancel_other", False), ("terminate_other", True)])
def test_the_new_one_begins_only_after_the_old_has_ended(bench: Bench, policy: str, kill: bool) -> None:  # noqa: FBT001
    """O4."""
    bench.add({"every": "1h"}, overlap=policy)
    bench.run_for(2 * HOUR, finish=False)
    old = bench.launcher.begun[0]
    assert bench.launcher.stops == [(old.key, kill)]
    assert bench.states() == ["started", "queued"]
    bench.run_for(10 * MINUTE, finish=False)
    assert bench.launcher.stops == [(old.key, kill)], "asked once"
    bench.launcher.finish(old.key, Result.CANCELLED)
    bench.tick()
    assert order(bench) == ["11:00 automatic", "12:00 automatic"]
    assert bench.one(old.key).reason is Reason.OVERTAKEN


@pytest.mark.parametrize("policy", ["cancel_other", "terminate_other"])
def test_an_old_one_that_will_not_end_is_waited_for_by_the_latest(bench: Bench, policy: str) -> None:
    """O4: three intervals; each new one takes the place of the one that waited."""
    assert through_three(bench, policy) == [
        ("11", "started"),
        ("12", "coalesced"),
        ("13", "coalesced"),
        ("14", "queued"),
    ]


@pytest.mark.parametrize("result", [Result.CANCELLED, Result.FAILED])
def test_one_that_was_asked_to_end_has_not_failed(bench: Bench, result: Result) -> None:
    """O4: it died of being stopped, and its schedule is not paused for that."""
    bench.add({"every": "1h"}, overlap="cancel_other", pause_on_failure=True)
    bench.run_for(2 * HOUR, finish=False)
    bench.launcher.finish(result=result)
    bench.tick()
    assert fates(bench) == [("11", "cancelled"), ("12", "started")]
    assert not bench.row().paused


def test_one_that_ended_well_before_it_could_be_stopped_has_succeeded(bench: Bench) -> None:
    bench.add({"every": "1h"}, overlap="cancel_other")
    bench.run_for(2 * HOUR, finish=False)
    bench.launcher.finish()
    bench.tick()
    assert fates(bench) == [("11", "succeeded"), ("12", "started")]


def test_one_that_waits_for_its_next_attempt_ends_at_once(bench: Bench) -> None:
    """O4: its chain has not ended, but nothing runs that could be asked."""
    bench.add({"every": "1h"}, overlap="cancel_other")
    bench.run_for(2 * HOUR - SECOND, finish=False)
    bench.launcher.rest()
    bench.run_for(SECOND, finish=False)
    assert fates(bench) == [("11", "cancelled"), ("12", "started")]
    assert bench.launcher.stops == []
    first = bench.occurrences()[0]
    assert first.reason is Reason.OVERTAKEN
    assert bench.launcher.abandoned == [first.key], "and no attempt will follow"


@pytest.mark.parametrize("policy", ["cancel_other", "terminate_other"])
def test_a_manual_run_is_never_stopped_for_a_regular_one(bench: Bench, policy: str) -> None:
    """O4."""
    bench.add({"every": "1h"}, overlap=policy)
    bench.commands.trigger("w/h")
    bench.run_for(HOUR, finish=False)
    assert bench.launcher.stops == []
    assert bench.states() == ["started", "queued"]
    bench.launcher.finish()
    bench.tick()
    assert order(bench) == ["10:00 manual", "11:00 automatic"]


def test_another_schedule_of_the_same_workflow_is_never_touched(bench: Bench) -> None:
    """O4."""
    bench.add({"every": "1h"}, overlap="terminate_other")
    bench.add({"every": "1h"}, name="other")
    bench.run_for(2 * HOUR, finish=False)
    assert [key for key, _ in bench.launcher.stops] == [
        work.key for work in bench.launcher.begun if work.subject == "w/h"
    ]
    assert bench.states("w/other") == ["started", "skipped"]


def test_a_backfill_and_the_regular_times_do_not_stop_each_other(bench: Bench) -> None:
    """O4, P3."""
    bench.add({"cron": "0 * * * *"}, overlap="cancel_other")
    bench.commands.backfill("w/h", [(at("05:00"), at("05:00"))], overlap=Overlap.CANCEL_OTHER)
    bench.run_for(HOUR, finish=False)
    assert order(bench) == ["05:00 backfill"] and bench.launcher.stops == []
    bench.launcher.finish()
    bench.commands.backfill("w/h", [(at("06:00"), at("06:00"))], overlap=Overlap.CANCEL_OTHER)
    bench.tick()
    assert order(bench)[1:] == ["11:00 automatic"] and bench.launcher.stops == []


def test_a_backfill_may_end_its_own_earlier_times(bench: Bench) -> None:
    """P3: its own overlap policy."""
    bench.add({"cron": "0 * * * *"})
    bench.commands.backfill("w/h", [(at("05:00"), at("05:00"))])
    bench.tick()
    bench.commands.backfill("w/h", [(at("06:00"), at("06:00"))], overlap=Overlap.TERMINATE_OTHER)
    bench.tick()
    assert bench.launcher.stops == [(bench.launcher.begun[0].key, True)]


@pytest.mark.parametrize("how", ["pause", "skip", "crash"])
def test_the_wish_to_end_the_other_outlives_what_happens_meanwhile(bench: Bench, how: str) -> None:
    """O4: the time came, and before any tick saw it something else was asked."""
    bench.add({"every": "1h"}, overlap="cancel_other")
    bench.run_for(2 * HOUR - SECOND, finish=False)
    bench.launcher.rest()
    bench.tick()
    bench.clock.move(SECOND)
    if how == "pause":
        bench.commands.pause("w/h")
        bench.tick()
        assert fates(bench) == [("11", "started"), ("12", "queued")], (
            "in a pause nothing is stopped for what may not start"
        )
        bench.commands.resume("w/h")
    elif how == "skip":
        bench.commands.trigger("w/h")
    else:
        bench.engine._emission.emit_due(bench.database.read(), bench.clock.wall)
        bench.crash()
    bench.tick()
    assert fates(bench)[0] == ("11", "cancelled")


def test_allow_all_runs_side_by_side(bench: Bench) -> None:
    """O5."""
    assert through_three(bench, "allow_all") == [(hour, "started") for hour in ("11", "12", "13", "14")]
    assert len(bench.launcher.running) == 4


def test_allow_all_keeps_to_the_number_of_runs_at_once(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(concurrency=2)
    assert through_three(bench, "allow_all") == [
        ("11", "started"),
        ("12", "started"),
        ("13", "queued"),
        ("14", "queued"),
    ]
    bench.launcher.finish()
    bench.tick()
    assert fates(bench)[2] == ("13", "started")


def test_allow_all_is_refused_for_producers_wherever_it_is_said(bench: Bench) -> None:
    """O5."""
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
    """O5."""
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
def test_the_policy_edited_while_some_wait_applies_to_them(bench: Bench, new: str, states: list[str]) -> None:
    """O6."""
    bench.add({"every": "1h"}, overlap="buffer_all")
    bench.run_for(3 * HOUR, finish=False)
    assert bench.states() == ["started", "queued", "queued"]
    bench.commands.edit("w/h", version=1, policies={"overlap": new})
    bench.tick()
    assert bench.states() == states
    asked = {"cancel_other": [False], "terminate_other": [True]}
    assert [kill for _, kill in bench.launcher.stops] == asked.get(new, [])


def test_an_edit_from_cancel_to_terminate_asks_again_by_force(bench: Bench) -> None:
    """O6."""
    bench.add({"every": "1h"}, overlap="cancel_other")
    bench.run_for(2 * HOUR, finish=False)
    bench.commands.edit("w/h", version=1, policies={"overlap": "terminate_other"})
    bench.tick()
    assert [kill for _, kill in bench.launcher.stops] == [False, True]


def test_an_edit_of_something_else_leaves_what_waits_alone(bench: Bench) -> None:
    """O6: also beside a manual run that was asked for later."""
    bench.add({"every": "1h"})
    bench.launcher.slow = True
    bench.run_for(HOUR, finish=False)
    bench.commands.trigger("w/h")
    bench.commands.edit("w/h", version=1, policies={"catchup": "all"})
    assert bench.states() == ["queued", "queued"]


@pytest.mark.parametrize("origin", [Origin.MANUAL, Origin.BACKFILL])
def test_an_edit_never_touches_what_a_person_asked_for(bench: Bench, origin: Origin) -> None:
    """O6."""
    bench.add({"cron": "0 * * * *"}, overlap="buffer_all")
    bench.run_for(HOUR, finish=False)
    if origin is Origin.MANUAL:
        bench.commands.trigger("w/h")
    else:
        bench.commands.backfill("w/h", [(at("05:00"), at("05:00"))])
    bench.tick()
    bench.commands.edit("w/h", version=1, policies={"overlap": "skip"})
    assert [row.origin for row in bench.occurrences("w/h", State.QUEUED)] == [origin]


def test_a_buffered_one_older_than_the_window_is_missed(bench: Bench) -> None:
    """O7."""
    bench.add({"every": "1h"}, overlap="buffer_all", catchup_window="90m")
    bench.run_for(4 * HOUR + 5 * MINUTE, finish=False)
    bench.launcher.finish()
    bench.tick()
    assert fates(bench) == [("11", "succeeded"), ("12", "missed"), ("13", "started"), ("14", "queued")]
    assert bench.occurrences()[1].reason is Reason.EXPIRED


@pytest.mark.parametrize("window", [None, "0"])
def test_without_a_positive_window_a_buffered_one_waits_as_long_as_it_takes(bench: Bench, window: str | None) -> None:
    """O7."""
    bench.add({"every": "1h"}, overlap="buffer_one", catchup_window=window)
    bench.run_for(2 * HOUR, finish=False)
    bench.commands.pause("w/h")
    bench.run_for(50 * HOUR + 10 * MINUTE, finish=False)
    bench.launcher.finish()
    bench.commands.resume("w/h")
    bench.tick()
    assert fates(bench)[:2] == [("11", "succeeded"), ("12", "started")]


def test_a_time_recorded_in_time_runs_however_small_the_window(bench: Bench) -> None:
    """O7: younger than a minute is regular, and jitter is no age."""
    bench.add({"every": "1h"}, catchup_window="10s")
    bench.add({"every": "1h", "jitter": "+30m"}, name="shaken", catchup_window="10s")
    bench.sleep(HOUR + 40 * SECOND)
    bench.tick()
    assert bench.states() == ["started"]
    bench.run_for(HOUR)
    assert bench.states("w/shaken")[0] == "succeeded"


@pytest.mark.parametrize(
    ("overlap", "begins"),
    [
        (None, ["11:00 automatic", "11:10 manual", "12:00 automatic"]),
        (Overlap.BUFFER_ALL, ["11:00 automatic", "11:10 manual", "12:00 automatic"]),
    ],
)
def test_a_trigger_waits_its_turn(bench: Bench, overlap: Overlap | None, begins: list[str]) -> None:
    """Domain 1: trigger, now, with its own overlap override."""
    bench.add({"every": "1h"}, overlap="buffer_all")
    bench.run_for(HOUR + 10 * MINUTE, finish=False)
    bench.commands.trigger("w/h", overlap=overlap)
    bench.run_for(HOUR, finish=False)
    for _ in begins:
        bench.launcher.finish()
        bench.tick()
    assert order(bench) == begins


def test_a_trigger_may_refuse_to_wait(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    with pytest.raises(RefusedError, match="still busy") as refused:
        bench.commands.trigger("w/h", overlap=Overlap.SKIP)
    assert refused.value.code == "busy"
    assert bench.states() == ["started"]


def test_a_trigger_may_run_beside(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    bench.commands.trigger("w/h", overlap=Overlap.ALLOW_ALL)
    bench.tick()
    assert bench.states() == ["started", "started"]


@pytest.mark.parametrize(("overlap", "kill"), [(Overlap.CANCEL_OTHER, False), (Overlap.TERMINATE_OTHER, True)])
def test_a_trigger_may_end_the_regular_one(bench: Bench, overlap: Overlap, kill: bool) -> None:  # noqa: FBT001
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    bench.commands.trigger("w/h", overlap=overlap)
    bench.tick()
    assert bench.launcher.stops == [(bench.launcher.begun[0].key, kill)]
    bench.launcher.finish(result=Result.CANCELLED)
    bench.tick()
    assert order(bench) == ["11:00 automatic", "11:00 manual"]


def test_a_trigger_does_not_end_another_manual_run(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.commands.trigger("w/h")
    bench.tick()
    bench.commands.trigger("w/h", overlap=Overlap.TERMINATE_OTHER)
    bench.tick()
    assert bench.launcher.stops == []
    assert sorted(bench.states()) == ["queued", "started"]


def test_a_policy_that_ends_others_does_not_make_a_plain_trigger_end_them(bench: Bench) -> None:
    """A trigger without a policy of its own waits its turn, whatever its schedule does."""
    bench.add({"every": "1h"}, overlap="cancel_other")
    bench.run_for(HOUR, finish=False)
    bench.commands.trigger("w/h")
    bench.tick()
    assert bench.launcher.stops == []


def test_catch_ups_do_not_end_each_other(bench: Bench) -> None:
    """Domain 1: caught-up times do not overlap-skip each other."""
    bench.add({"every": "1h"}, overlap="cancel_other", catchup="all")
    bench.sleep(3 * HOUR + 30 * MINUTE)
    bench.tick()
    assert bench.launcher.stops == []
    bench.run_for(MINUTE)
    assert bench.states() == ["succeeded"] * 3


def test_a_long_chain_of_attempts_counts_as_one(bench: Bench) -> None:
    """Domain 1: the whole chain is one occurrence that has not ended."""
    bench.add({"every": "1m"})
    bench.run_for(MINUTE, finish=False)
    bench.launcher.rest()
    bench.tick()
    assert bench.launcher.running == {}
    bench.clock.move(START + 2 * MINUTE - bench.clock.wall)
    bench.tick()
    assert fates_by_minute(bench) == ["10:01 started", "10:02 skipped"]


def fates_by_minute(bench: Bench) -> list[str]:
    return [f"{row.planned:%H:%M} {row.state}" for row in bench.occurrences()]
