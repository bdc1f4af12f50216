"""What people see: lists, details, counters."""

from scheduler.engine.launcher import Result
from scheduler.engine.views import DRIFT_BOUNDS, ScheduleState
from scheduler.timing.catchup import Gap
from scheduler.timing.occurrences import Reason, State
from scheduler.timing.times import Count
from tests.engine.harness import HOUR, MINUTE, SECOND, Bench, at


def ids(bench: Bench, **narrowed: object) -> list[str]:
    return [view.id for view in bench.views.schedules(**narrowed)]  # type: ignore[arg-type]


def test_lists_are_narrowed_by_workflow_name_and_state(bench: Bench) -> None:
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


def test_a_text_is_taken_as_it_is(bench: Bench) -> None:
    bench.commands.add("w", "100%", {"every": "1h"})
    bench.commands.add("w", "1000", {"every": "1h"})
    assert ids(bench, text="0%") == ["w/100%"]
    assert ids(bench, text="_") == []


def test_details_of_a_schedule(bench: Bench) -> None:
    bench.add({"every": "1h"}, catchup="none")
    bench.run_for(2 * HOUR)
    bench.sleep(3 * HOUR + 10 * MINUTE)
    bench.run_for(HOUR)
    details = bench.views.describe("w/h", upcoming=2, recent=2)
    assert "every hour" in details.view.words.lower()
    assert details.upcoming == [at("17:00"), at("18:00")]
    assert [row.planned for row in details.recent] == [at("16:00"), at("12:00")]
    assert details.gaps == [(State.MISSED, Gap(at("13:00"), at("15:00"), Count(3), Reason.PASSED))]
    assert details.counters == bench.views.statistics(schedule="w/h")


def test_counters_tell_every_fate(bench: Bench) -> None:
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
    counters = bench.views.statistics(schedule="w/h")
    assert counters.due == 9
    assert (counters.succeeded, counters.failed, counters.cancelled) == (1, 1, 1)
    assert (counters.coalesced, counters.missed, counters.dropped) == (1, 2, 0)
    assert counters.skipped == {"by person": 1, "overlap": 1}
    assert counters.underway == 2, "one runs, one was asked for"
    assert counters.emitted == 5
    assert not counters.more


def test_counters_say_when_they_are_not_exact(bench: Bench) -> None:
    bench.add({"every": "10s"}, catchup="none")
    bench.sleep(48 * HOUR)
    bench.tick()
    counters = bench.views.statistics()
    assert counters.more and counters.missed == 10_000


def test_counters_since_an_instant_and_over_all(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.add({"every": "1h"}, name="other")
    bench.run_for(4 * HOUR)
    assert bench.views.statistics().succeeded == 8
    assert bench.views.statistics(schedule="w/h").succeeded == 4
    assert bench.views.statistics(since=at("13:00")).succeeded == 4
    assert bench.views.statistics(schedule="w/other", since=at("13:30")).succeeded == 1


def test_the_drift_histogram_counts_how_far_runs_began_from_their_planned_time(bench: Bench) -> None:
    bench.add({"every": "3h"}, catchup="one")
    for late in (0, 0.05, 0.5, 5, 45):
        bench.run_for(at("10:00") - bench.clock.wall + 3 * HOUR * len(bench.occurrences()) + 3 * HOUR - SECOND)
        bench.sleep(SECOND * (1 + late))
        bench.run_for(SECOND)
    bench.sleep(4 * HOUR)
    bench.run_for(SECOND)
    bench.commands.trigger("w/h")
    bench.run_for(SECOND)
    drift = bench.views.statistics().drift
    assert len(drift) == len(DRIFT_BOUNDS) + 1
    assert drift == (1, 1, 1, 1, 1, 0, 0, 1)


def test_jitter_is_drift(bench: Bench) -> None:
    bench.add({"every": "1h", "jitter": "+20m"})
    due = bench.row().next_due
    assert due is not None
    bench.run_for(2 * HOUR)
    began = bench.occurrences()[0].began
    assert began == due
    bound = next(place for place, bound in enumerate(DRIFT_BOUNDS) if (due - at("11:00")) <= SECOND * bound / 1000)
    assert bench.views.statistics().drift[bound] >= 1


def test_every_way_of_not_running_has_a_reason_that_can_be_read(bench: Bench) -> None:
    """U5."""
    bench.add({"every": "1h", "limit": 2}, overlap="buffer_all")
    bench.commands.skip_next("w/h")
    bench.run_for(5 * HOUR, finish=False)
    bench.launcher.finish(result=Result.FAILED)
    bench.run_for(2 * HOUR)
    rows = bench.occurrences()
    assert {row.state for row in rows} == {State.SKIPPED, State.FAILED, State.SUCCEEDED, State.DROPPED}
    assert all(row.reason is not None and row.reason.sentence for row in rows if row.state is not State.SUCCEEDED)


def test_the_engine_is_idle_when_nothing_runs_or_waits(bench: Bench) -> None:
    bench.add({"every": "1h"})
    assert bench.engine.is_idle
    bench.run_for(HOUR, finish=False)
    assert not bench.engine.is_idle
    bench.launcher.finish()
    bench.tick()
    assert bench.engine.is_idle
