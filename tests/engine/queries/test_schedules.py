"""Schedule queries: lists, details, counters."""

from scheduler.engine.queries.schedules import ScheduleState
from scheduler.engine.scheduling.launcher import Result
from scheduler.timing.catchup import Gap
from scheduler.timing.compiled import Count
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Overlap
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND, Bench, at


def ids(bench: Bench, **filters: object) -> list[str]:
    return [view.id for view in bench.schedule_queries.schedules(**filters)]  # type: ignore[arg-type]


def test_schedules_are_filtered_by_workflow_name_and_state(bench: Bench) -> None:
    for workflow, handler in (("mail", "fetch"), ("mail", "sort"), ("photos", "Fetch all")):
        bench.commands.add(workflow, handler, {"every": "1h"})
    bench.commands.pause("mail/sort")
    bench.commands.delete("photos/Fetch all")
    bench.commands.add("photos", "once", {"once": "2026-11-16T10:30Z"})
    bench.run_for(HOUR - MINUTE)
    assert ids(bench) == ["mail/fetch", "mail/sort", "photos/once"]
    assert ids(bench, workflow="mail") == ["mail/fetch", "mail/sort"]
    assert ids(bench, text="FETCH") == ["mail/fetch"]
    assert ids(bench, state=ScheduleState.ACTIVE) == ["mail/fetch"]
    assert ids(bench, state=ScheduleState.PAUSED) == ["mail/sort"]
    assert ids(bench, state=ScheduleState.FINISHED) == ["photos/once"]
    assert ids(bench, state=ScheduleState.REMOVED) == ["photos/Fetch all"]
    assert ids(bench, workflow="mail", text="sort", state=ScheduleState.ACTIVE) == []


def test_a_name_filter_has_no_wildcards(bench: Bench) -> None:
    bench.commands.add("w", "100%", {"every": "1h"})
    bench.commands.add("w", "1000", {"every": "1h"})
    assert ids(bench, text="0%") == ["w/100%"]
    assert ids(bench, text="_") == []


def test_details_of_a_schedule(bench: Bench) -> None:
    bench.add({"every": "1h"}, catchup="none")
    bench.run_for(2 * HOUR)
    bench.sleep(3 * HOUR + 10 * MINUTE)
    bench.run_for(HOUR)
    details = bench.schedule_queries.describe("w/h", upcoming=2, recent=2)
    assert "every hour" in details.view.words.lower()
    assert details.upcoming == [at("17:00"), at("18:00")]
    assert [row.planned for row in details.recent] == [at("16:00"), at("12:00")]
    assert details.gaps == [(OccurrenceState.MISSED, Gap(at("13:00"), at("15:00"), Count(3), OccurrenceReason.PASSED))]
    assert details.counters == bench.schedule_queries.statistics(schedule="w/h")


def test_counters_cover_every_state(bench: Bench) -> None:
    bench.add({"every": "1h"}, overlap="buffer_one", catchup="none")
    bench.commands.skip_next("w/h")
    bench.run_for(2 * HOUR)
    bench.run_for(3 * HOUR, finish=False)
    bench.launcher.finish(result=Result.FAILED)
    bench.tick()
    bench.launcher.finish(result=Result.CANCELLED)
    bench.sleep(2 * HOUR + 30 * MINUTE)
    bench.tick()
    bench.commands.edit("w/h", version=2, policies={"overlap": "skip"})
    bench.run_for(30 * MINUTE, finish=False)
    bench.run_for(HOUR, finish=False)
    bench.commands.trigger("w/h")
    counters = bench.schedule_queries.statistics(schedule="w/h")
    assert counters.due == 9
    assert (counters.ran, counters.queued) == (4, 0)
    assert (counters.succeeded, counters.failed, counters.cancelled) == (1, 1, 1)
    assert (counters.coalesced, counters.missed, counters.dropped) == (1, 2, 0)
    assert counters.skipped == {"by person": 1, "overlap": 1}
    assert counters.underway == 2, "one is running, one was triggered"
    assert counters.emitted == 5
    assert not counters.more


def test_counters_show_when_they_are_not_exact(bench: Bench) -> None:
    bench.add({"every": "10s"}, catchup="none")
    bench.sleep(48 * HOUR)
    bench.tick()
    counters = bench.schedule_queries.statistics()
    assert counters.more and counters.missed == 10_000


def test_counters_since_a_time_and_over_all_schedules(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.add({"every": "1h"}, name="other")
    bench.run_for(4 * HOUR)
    assert bench.schedule_queries.statistics().succeeded == 8
    assert bench.schedule_queries.statistics(schedule="w/h").succeeded == 4
    assert bench.schedule_queries.statistics(since=at("13:00")).succeeded == 4
    assert bench.schedule_queries.statistics(schedule="w/other", since=at("13:30")).succeeded == 1


def test_the_drift_histogram_counts_runs_by_delay(bench: Bench) -> None:
    bench.add({"every": "3h"}, catchup="one")
    for late in (0, 0.05, 0.5, 5, 45):
        bench.run_for(at("10:00") - bench.clock.wall + 3 * HOUR * len(bench.occurrences()) + 3 * HOUR - SECOND)
        bench.sleep(SECOND * (1 + late))
        bench.run_for(SECOND)
    bench.sleep(4 * HOUR)
    bench.run_for(SECOND)
    bench.commands.trigger("w/h")
    bench.run_for(SECOND)
    drift = bench.schedule_queries.statistics().drift
    assert [(one.label, one.runs) for one in drift] == [
        ("≤ 10 ms", 1),
        ("≤ 100 ms", 1),
        ("≤ 1 s", 1),
        ("≤ 10 s", 1),
        ("≤ 1 min", 1),
        ("≤ 10 min", 0),
        ("≤ 1 h", 0),
        ("> 1 h", 1),
    ]


def test_jitter_counts_as_drift(bench: Bench) -> None:
    bench.add({"every": "1h", "jitter": "+20m"})
    due = bench.row().next_due
    assert due is not None
    bench.run_for(2 * HOUR)
    began = bench.occurrences()[0].began
    assert began == due
    delay_ms = (due - at("11:00")) / SECOND * 1_000
    drift = bench.schedule_queries.statistics().drift
    assert next(one for one in drift if one.within_ms is None or delay_ms <= one.within_ms).runs >= 1


def test_every_time_that_did_not_run_has_a_readable_reason(bench: Bench) -> None:
    bench.add({"every": "1h", "limit": 2}, overlap="buffer_all")
    bench.commands.skip_next("w/h")
    bench.run_for(5 * HOUR, finish=False)
    bench.launcher.finish(result=Result.FAILED)
    bench.run_for(2 * HOUR)
    rows = bench.occurrences()
    assert {row.state for row in rows} == {
        OccurrenceState.SKIPPED,
        OccurrenceState.FAILED,
        OccurrenceState.SUCCEEDED,
        OccurrenceState.DROPPED,
    }
    assert all(
        row.reason is not None and row.reason.sentence for row in rows if row.state is not OccurrenceState.SUCCEEDED
    )


def test_the_engine_is_idle_when_nothing_runs_or_waits(bench: Bench) -> None:
    bench.add({"every": "1h"})
    assert bench.engine.is_idle
    bench.run_for(HOUR, finish=False)
    assert not bench.engine.is_idle
    bench.launcher.finish()
    bench.tick()
    assert bench.engine.is_idle


def test_the_counters_of_due_times_add_up_while_a_catch_up_is_recorded(bench: Bench) -> None:
    """Missed times that have no row yet wait to run."""
    bench.add({"every": "1h"}, catchup="all", catchup_window="6h")
    bench.sleep(10 * HOUR + 10 * SECOND)
    bench.engine.tick(bench.clock.wall)
    for _ in range(8):
        counters = bench.schedule_queries.statistics(schedule="w/h")
        assert (counters.due, counters.ran + counters.queued) == (10, 6)
        assert (counters.missed, counters.missed_outside_window) == (4, 4)
        bench.engine.tick(bench.clock.wall)
        if bench.launcher.running:
            bench.launcher.finish()
    assert counters.queued == 0


def test_missed_times_inside_and_outside_the_window_are_told_apart(bench: Bench) -> None:
    bench.add({"every": "1h"}, catchup="one", catchup_window="3h")
    bench.sleep(8 * HOUR + 30 * MINUTE)
    bench.tick()
    counters = bench.schedule_queries.statistics()
    assert (counters.due, counters.ran, counters.missed, counters.missed_outside_window) == (8, 1, 7, 5)


def test_only_the_own_times_of_a_schedule_are_due(bench: Bench) -> None:
    """A backfill and a manual run are counted besides."""
    bench.add({"every": "1h"})
    bench.run_for(3 * HOUR)
    bench.commands.backfill("w/h", [(at("11:00"), at("13:00"))], overlap=Overlap.SKIP)
    bench.commands.trigger("w/h")
    bench.run_for(MINUTE)
    counters = bench.schedule_queries.statistics()
    assert (counters.due, counters.ran, counters.skipped) == (3, 3, {})
    assert counters.succeeded > 3
