"""Times that passed while the computer or the app was off or asleep, or the schedule paused."""

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from time import process_time

import pytest

from scheduler.engine.launcher import Result
from scheduler.engine.views import ScheduleState
from scheduler.store import gaps as stored_gaps
from scheduler.timing.catchup import Gap
from scheduler.timing.occurrences import Reason, State
from scheduler.timing.policies import Need
from scheduler.timing.times import Count
from tests.engine.harness import DAY, HOUR, MINUTE, SECOND, START, Bench, at

EIGHT = 8 * HOUR + 30 * MINUTE
AWAY = {"off": Bench.crash, "asleep": Bench.sleep}


def began(bench: Bench) -> list[str]:
    return [f"{work.planned:%H:%M}" for work in bench.launcher.begun]


@pytest.mark.parametrize("away", AWAY)
@pytest.mark.parametrize(
    ("catchup", "runs", "gaps"),
    [
        ("none", [], [Gap(at("11:00"), at("18:00"), Count(8), Reason.PASSED)]),
        ("one", ["18:00"], [Gap(at("11:00"), at("17:00"), Count(7), Reason.MADE_UP)]),
        ("all", [f"{hour}:00" for hour in range(11, 19)], []),
        ("spread", [f"{hour}:00" for hour in range(11, 19)], []),
    ],
)
def test_eight_hours_away_with_an_hourly_schedule(
    bench: Bench, away: str, catchup: str, runs: list[str], gaps: list[Gap]
) -> None:
    """M1."""
    bench.add({"every": "1h"}, catchup=catchup)
    AWAY[away](bench, EIGHT)
    bench.run_for(2 * MINUTE)
    assert began(bench) == runs
    assert bench.gaps() == gaps
    assert all(row.late and row.state is State.SUCCEEDED for row in bench.occurrences())
    counters = bench.views.statistics(schedule="w/h")
    assert (counters.due, counters.missed, counters.succeeded) == (8, 8 - len(runs), len(runs))


def test_spread_leaves_even_gaps_over_a_minute(bench: Bench) -> None:
    """M1."""
    bench.add({"every": "1h"}, catchup="spread")
    bench.crash(EIGHT)
    bench.run_for(2 * MINUTE)
    starts = [row.began for row in bench.occurrences()]
    assert starts == [at("18:30") + timedelta(seconds=7.5) * place for place in range(8)]


def test_all_run_one_after_the_other_and_in_order(bench: Bench) -> None:
    """M1: caught-up times do not overlap-skip each other, and never run at once."""
    bench.add({"every": "1h"}, overlap="skip", catchup="all")
    bench.crash(EIGHT)
    bench.tick()
    for hour in range(11, 19):
        assert bench.planned(State.STARTED) == [f"{hour}:00"]
        bench.launcher.finish()
        bench.tick()
    assert bench.states() == ["succeeded"] * 8


def test_the_time_that_is_due_now_runs_beside_what_was_missed(bench: Bench) -> None:
    """M1: away for exactly eight hours; the last of the eight is on time."""
    bench.add({"every": "1h"}, catchup="one")
    bench.crash(8 * HOUR)
    bench.run_for(MINUTE)
    assert began(bench) == ["17:00", "18:00"]
    assert [bool(row.late) for row in bench.occurrences()] == [True, False]


@pytest.mark.parametrize(
    ("catchup", "runs"),
    [("none", []), ("one", ["18:00"]), ("all", ["17:00", "18:00"]), ("spread", ["17:00", "18:00"])],
)
def test_with_a_window_of_two_hours_only_the_last_two_count(bench: Bench, catchup: str, runs: list[str]) -> None:
    """M2."""
    bench.add({"every": "1h"}, catchup=catchup, catchup_window="2h")
    bench.crash(EIGHT)
    bench.run_for(2 * MINUTE)
    assert began(bench) == runs
    assert bench.gaps()[0] == Gap(at("11:00"), at("16:00"), Count(6), Reason.EXPIRED)
    assert sum(gap.count.number for gap in bench.gaps()) + len(runs) == 8


@pytest.mark.parametrize("catchup", ["one", "all", "spread"])
def test_with_a_window_of_nothing_nothing_runs_late(bench: Bench, catchup: str) -> None:
    """M2."""
    bench.add({"every": "1h"}, catchup=catchup, catchup_window="0")
    bench.crash(EIGHT)
    bench.run_for(2 * MINUTE)
    assert began(bench) == []
    assert bench.gaps() == [Gap(at("11:00"), at("18:00"), Count(8), Reason.EXPIRED)]


@pytest.mark.parametrize("catchup", ["none", "one", "all", "spread"])
def test_after_a_catch_up_the_regular_times_still_fire(bench: Bench, catchup: str) -> None:
    """M3."""
    bench.add({"cron": "0 9,20 * * *"}, catchup=catchup)
    bench.crash(DAY)
    assert bench.clock.wall == at("17 10:00")
    bench.run_for(HOUR)
    assert bench.views.upcoming("w/h", 1) == [at("17 20:00")]
    bench.run_for(10 * HOUR)
    assert began(bench)[-1] == "20:00" and not bench.occurrences()[-1].late


def test_a_catch_up_that_waits_does_not_swallow_the_regular_time(bench: Bench) -> None:
    """M3, M4."""
    bench.add({"every": "1h"}, overlap="skip", catchup="one", needs=["network"])
    bench.moods.held[Need.NETWORK] = False
    bench.sleep(3 * HOUR + 50 * MINUTE)
    bench.run_for(10 * MINUTE)
    assert bench.planned(State.QUEUED) == ["13:00", "14:00"]


def test_after_a_resume_it_waits_for_the_network_inside_the_window(bench: Bench) -> None:
    """M4."""
    bench.add({"every": "1h"}, catchup="one", catchup_window="2h", needs=["network"])
    bench.moods.held[Need.NETWORK] = False
    bench.sleep(EIGHT)
    bench.run_for(10 * MINUTE)
    assert bench.planned(State.QUEUED) == ["18:00"]
    bench.moods.held[Need.NETWORK] = True
    bench.engine.stir()
    bench.tick()
    assert began(bench) == ["18:00"]


def test_without_a_network_the_window_ends_the_wait(bench: Bench) -> None:
    """M4."""
    bench.add({"cron": "0 18 * * *"}, catchup="one", catchup_window="2h", needs=["network"])
    bench.moods.held[Need.NETWORK] = False
    bench.sleep(EIGHT)
    bench.run_for(89 * MINUTE)
    assert bench.planned(State.QUEUED) == ["18:00"]
    bench.run_for(3 * MINUTE)
    (row,) = bench.occurrences()
    assert (row.state, row.reason) == (State.MISSED, Reason.EXPIRED)


@pytest.mark.parametrize(
    ("catchup", "runs", "sentence"),
    [
        ("none", [], "8 times passed while it was paused; none of them runs."),
        ("one", ["18:00"], "8 times passed while it was paused; 1 of them runs now."),
        ("all", [f"{hour}:00" for hour in range(11, 19)], "8 times passed while it was paused; 8 of them run now."),
        ("spread", [f"{hour}:00" for hour in range(11, 19)], "8 times passed while it was paused; 8 of them run now."),
    ],
)
def test_after_a_pause_the_policy_decides_and_the_dialog_said_so(
    bench: Bench, catchup: str, runs: list[str], sentence: str
) -> None:
    """M6."""
    bench.add({"every": "1h"}, catchup=catchup)
    bench.commands.pause("w/h")
    bench.run_for(EIGHT)
    assert bench.views.resume_preview("w/h").sentence == sentence
    assert bench.occurrences() == [] and bench.gaps() == []
    bench.commands.resume("w/h")
    bench.run_for(2 * MINUTE)
    assert began(bench) == runs
    assert sum(gap.count.number for gap in bench.gaps()) + len(runs) == 8


def test_the_dialog_counts_the_window_the_limit_and_what_is_skipped(bench: Bench) -> None:
    """M6."""
    bench.add({"every": "1h", "limit": 2}, catchup="all", catchup_window="4h")
    bench.commands.skip_next("w/h")
    bench.commands.pause("w/h")
    bench.run_for(EIGHT)
    assert bench.views.resume_preview("w/h").sentence == "8 times passed while it was paused; 2 of them run now."
    bench.commands.resume("w/h")
    bench.run_for(2 * MINUTE)
    assert began(bench) == ["15:00", "16:00"]


@pytest.mark.parametrize(
    ("pause", "sentence"),
    [
        (30 * MINUTE, "No time passed while it was paused."),
        (HOUR + 30 * MINUTE, "1 time passed while it was paused; 1 of them runs now."),
    ],
)
def test_the_dialog_after_a_short_pause(bench: Bench, pause: timedelta, sentence: str) -> None:
    """M6."""
    bench.add({"every": "1h"})
    bench.commands.pause("w/h")
    bench.run_for(pause)
    assert bench.views.resume_preview("w/h").sentence == sentence


@pytest.mark.parametrize("catchup", ["none", "one", "all"])
def test_the_dialog_after_a_year_says_more_than(bench: Bench, catchup: str) -> None:
    """M6, M7."""
    bench.add({"every": "1m"}, catchup=catchup)
    bench.commands.pause("w/h")
    bench.sleep(365 * DAY)
    assert bench.views.resume_preview("w/h").sentence.startswith("more than 10,00")


def test_the_dialog_does_not_promise_what_an_earlier_catch_up_makes_up_for(make_bench: Callable[..., Bench]) -> None:
    """M6: times missed before the pause are not counted as passed in it."""
    bench = make_bench(waiting_at_most=2)
    bench.add({"every": "1h"}, catchup="all")
    bench.sleep(EIGHT)
    bench.tick()
    bench.commands.pause("w/h")
    assert bench.views.resume_preview("w/h").passed == 0
    bench.run_for(2 * HOUR, finish=False)
    assert bench.views.resume_preview("w/h").sentence == "2 times passed while it was paused; 2 of them run now."


@pytest.mark.parametrize("spec", [{"every": "1m"}, {"cron": "* * * * *"}], ids=str)
@pytest.mark.parametrize(("catchup", "rows", "reason"), [("one", 1, Reason.MADE_UP), ("none", 0, Reason.PASSED)])
def test_a_year_of_minutes_is_decided_at_once_with_a_handful_of_rows(
    bench: Bench, spec: dict[str, str], catchup: str, rows: int, reason: Reason
) -> None:
    """M7."""
    bench.add(spec, catchup=catchup)
    begun = process_time()
    bench.crash(365 * DAY + 30 * SECOND)
    bench.tick()
    assert process_time() - begun < 1
    (gap,) = bench.gaps()
    assert (gap.first, gap.count, gap.reason) == (START + MINUTE, Count(10_000, more=True), reason)
    late = [row for row in bench.occurrences() if row.late]
    assert len(late) == rows and len(bench.occurrences()) == rows + 1
    assert str(gap.count) == "more than 10,000"


def test_all_of_a_year_comes_in_portions_and_the_regular_times_go_on(make_bench: Callable[..., Bench]) -> None:
    """Domain 1: a persisted cursor, at most 100 rows a tick, while the next regular time already lies ahead."""
    bench = make_bench()
    bench.add({"every": "1m"}, catchup="all", overlap="buffer_all")
    bench.crash(365 * DAY + 30 * SECOND)
    made = []
    for _ in range(4):
        bench.engine.tick(bench.clock.wall)
        made.append(len(bench.occurrences()))
    assert [later - earlier for earlier, later in pairwise(made)] == [100, 100, 100]
    assert bench.views.upcoming("w/h", 1) == [START + 365 * DAY + MINUTE]
    bench.tick()
    assert len(bench.occurrences("w/h", State.QUEUED, State.STARTED)) == 1_000
    before = bench.row().late_next
    bench.crash(MINUTE)
    assert bench.row().late_next == before
    bench.tick()
    assert bench.row().next_at == START + 365 * DAY + 2 * MINUTE


def test_an_edit_of_the_times_drops_the_rest_with_a_reason(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(waiting_at_most=3)
    bench.add({"every": "1h"}, catchup="all")
    bench.crash(EIGHT)
    bench.tick()
    assert bench.planned() == ["11:00", "12:00", "13:00"]
    bench.commands.edit("w/h", version=1, spec={"every": "2h"})
    assert bench.gaps() == [Gap(at("14:00"), at("18:00"), Count(5), Reason.EDITED)]
    bench.run_for(HOUR)
    assert began(bench) == ["11:00", "12:00", "13:00"]


def test_a_change_of_mind_about_catching_up_holds_for_the_rest(make_bench: Callable[..., Bench]) -> None:
    """From all to none while the avalanche rolls."""
    bench = make_bench(waiting_at_most=3)
    bench.add({"every": "1h"}, catchup="all")
    bench.crash(EIGHT)
    bench.tick()
    bench.commands.edit("w/h", version=1, policies={"catchup": "none"})
    assert bench.gaps() == [Gap(at("14:00"), at("18:00"), Count(5), Reason.PASSED)]


def test_a_second_outage_before_the_first_is_made_up_for(make_bench: Callable[..., Bench]) -> None:
    """Invariant 10: each time still has exactly one fate."""
    bench = make_bench(waiting_at_most=2)
    bench.add({"every": "1h"}, catchup="all", catchup_window="6h")
    bench.crash(EIGHT)
    bench.tick()
    assert bench.planned() == ["13:00", "14:00"]
    bench.crash(3 * HOUR)
    bench.run_for(20 * MINUTE)
    rows, gaps = bench.planned(), bench.gaps()
    listed = {*rows, *(f"{gap.first + HOUR * place:%H:%M}" for gap in gaps for place in range(gap.count.number))}
    assert len(rows) + sum(gap.count.number for gap in gaps) == 11
    assert listed == {f"{hour}:00" for hour in range(11, 22)}


def test_catch_up_keeps_to_the_limit_and_drops_the_rest_with_its_reason(bench: Bench) -> None:
    """Domain 1, P1."""
    bench.add({"every": "1h", "limit": 3}, catchup="all")
    bench.crash(EIGHT)
    bench.run_for(MINUTE)
    assert began(bench) == ["11:00", "12:00", "13:00"]
    dropped = [row for row in bench.occurrences() if row.state is State.DROPPED]
    assert {row.reason for row in dropped} == {Reason.LIMIT} and len(dropped) == 5
    assert [view.state for view in bench.views.schedules()] == [ScheduleState.FINISHED]


def test_those_beyond_the_limit_that_nobody_had_come_to_are_dropped_together(bench: Bench) -> None:
    """Domain 1: with their reason, and counted."""
    bench.add({"every": "1h", "limit": 3}, catchup="all")
    bench.crash(2_000 * HOUR)
    bench.run_for(MINUTE)
    ((state, gap),) = stored_gaps.of_schedule(bench.database.read(), "w/h")
    assert (state, gap.reason) == (State.DROPPED, Reason.LIMIT)
    assert len(bench.occurrences()) + gap.count.number == 2_000


def test_a_once_that_was_slept_through_fires_late_inside_the_window(bench: Bench) -> None:
    """M8."""
    bench.add({"once": "2026-11-16T12:00Z"}, catchup_window="12h")
    bench.crash(EIGHT)
    bench.tick()
    (row,) = bench.occurrences()
    assert (row.planned, row.state, bool(row.late)) == (at("12:00"), State.STARTED, True)
    bench.launcher.finish(result=Result.FAILED)
    bench.tick()
    assert [view.state for view in bench.views.schedules()] == [ScheduleState.FINISHED]


@pytest.mark.parametrize(
    ("policies", "reason"),
    [({"catchup_window": "1h"}, Reason.EXPIRED), ({"catchup": "none"}, Reason.PASSED)],
    ids=str,
)
def test_a_once_outside_the_window_is_missed_and_can_be_run_now(
    bench: Bench, policies: dict[str, str], reason: Reason
) -> None:
    """M8."""
    bench.add({"once": "2026-11-16T12:00Z"}, **policies)
    bench.crash(EIGHT)
    bench.tick()
    assert bench.occurrences() == []
    ((state, gap),) = bench.views.describe("w/h").gaps
    assert (state, gap) == (State.MISSED, Gap(at("12:00"), at("12:00"), Count(1), reason))
    bench.commands.trigger("w/h")
    bench.tick()
    assert bench.states() == ["started"]


def test_excluded_times_are_not_missed(bench: Bench) -> None:
    """Domain 1: enumerate, exclude, window, mode."""
    bench.add({"every": "1h", "exclude": {"hour": "12-17"}}, catchup="all")
    bench.crash(EIGHT)
    bench.run_for(MINUTE)
    assert began(bench) == ["11:00", "18:00"]
    assert bench.gaps() == []


def test_many_schedules_that_cannot_go_on_do_not_hold_up_another(make_bench: Callable[..., Bench]) -> None:
    """A catch-up that has no room leaves its turn to the next, however old what it has missed."""
    bench = make_bench(waiting_at_most=1, concurrency=1)
    for number in range(60):
        bench.add({"every": "1h"}, name=f"h{number:02}", catchup="all")
    bench.crash(EIGHT)
    bench.tick()
    assert all(len(bench.occurrences(f"w/h{number:02}")) == 1 for number in range(60))
    bench.add({"every": "1h"}, name="young", catchup="all")
    bench.crash(EIGHT)
    bench.tick()
    assert len(bench.occurrences("w/young")) == 1
