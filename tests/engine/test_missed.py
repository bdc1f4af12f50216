"""Times missed while the computer was off or asleep, the app closed, or the schedule paused."""

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from time import process_time

import pytest

from scheduler.engine.queries.schedules import ScheduleState
from scheduler.engine.scheduling.launcher import Result
from scheduler.store import gaps as stored_gaps
from scheduler.timing.catchup import Gap
from scheduler.timing.compiled import Count
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Need
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND, START, Bench, at

EIGHT = 8 * HOUR + 30 * MINUTE
AWAY = {"off": Bench.crash, "asleep": Bench.sleep}


def started_times(bench: Bench) -> list[str]:
    return [f"{work.planned:%H:%M}" for work in bench.launcher.begun]


@pytest.mark.parametrize("away", AWAY)
@pytest.mark.parametrize(
    ("catchup", "runs", "gaps"),
    [
        ("none", [], [Gap(at("11:00"), at("18:00"), Count(8), OccurrenceReason.PASSED)]),
        ("one", ["18:00"], [Gap(at("11:00"), at("17:00"), Count(7), OccurrenceReason.CAUGHT_UP)]),
        ("all", [f"{hour}:00" for hour in range(11, 19)], []),
        ("spread", [f"{hour}:00" for hour in range(11, 19)], []),
    ],
)
def test_eight_hours_away_with_an_hourly_schedule(
    bench: Bench, away: str, catchup: str, runs: list[str], gaps: list[Gap]
) -> None:
    bench.add({"every": "1h"}, catchup=catchup)
    AWAY[away](bench, EIGHT)
    bench.run_for(2 * MINUTE)
    assert started_times(bench) == runs
    assert bench.gaps() == gaps
    assert all(row.late and row.state is OccurrenceState.SUCCEEDED for row in bench.occurrences())
    counters = bench.schedule_queries.statistics(schedule="w/h")
    assert (counters.due, counters.missed, counters.succeeded) == (8, 8 - len(runs), len(runs))


def test_spread_leaves_even_gaps_over_a_minute(bench: Bench) -> None:
    bench.add({"every": "1h"}, catchup="spread")
    bench.crash(EIGHT)
    bench.run_for(2 * MINUTE)
    starts = [row.began for row in bench.occurrences()]
    assert starts == [at("18:30") + timedelta(seconds=7.5) * place for place in range(8)]


def test_caught_up_times_run_one_after_the_other_in_order(bench: Bench) -> None:
    """Caught-up times do not skip each other by the overlap policy, and never run in parallel."""
    bench.add({"every": "1h"}, overlap="skip", catchup="all")
    bench.crash(EIGHT)
    bench.tick()
    for hour in range(11, 19):
        assert bench.planned(OccurrenceState.STARTED) == [f"{hour}:00"]
        bench.launcher.finish()
        bench.tick()
    assert bench.states() == ["succeeded"] * 8


def test_the_time_that_is_due_now_is_the_catch_up_run(bench: Bench) -> None:
    """Away for exactly eight hours; the last of the eight is on time, and nothing runs twice in a row."""
    bench.add({"every": "1h"}, catchup="one")
    bench.crash(8 * HOUR)
    bench.run_for(MINUTE)
    assert started_times(bench) == ["18:00"]
    assert [bool(row.late) for row in bench.occurrences()] == [False]
    assert bench.gaps() == [Gap(at("11:00"), at("17:00"), Count(7), OccurrenceReason.CAUGHT_UP)]


GRIDS = pytest.mark.parametrize("every", ["10s", "1m", "5m"])


def away(bench: Bench, every: str, times: int) -> list[str]:
    """Sleep over that many times, the last of which is due now; returns all of them."""
    step = timedelta(seconds={"10s": 10, "1m": 60, "5m": 300}[every])
    bench.sleep(step * times + 2 * SECOND)
    return [f"{START + step * number:%H:%M:%S}" for number in range(1, times + 1)]


def started_seconds(bench: Bench) -> list[str]:
    return [f"{work.planned:%H:%M:%S}" for work in bench.launcher.begun]


@GRIDS
def test_catch_up_runs_of_any_grid_start_in_order_before_the_regular_one(bench: Bench, every: str) -> None:
    """The regular one is due with them and comes last."""
    bench.add({"every": every}, catchup="all", overlap="buffer_all")
    due = away(bench, every, 5)
    bench.tick()
    for number in range(1, 6):
        assert started_seconds(bench) == due[:number]
        bench.launcher.finish()
        bench.tick()
    assert [bool(row.late) for row in bench.occurrences()] == [True] * 4 + [False]


@GRIDS
def test_missed_times_take_their_place_in_the_limit_first(bench: Bench, every: str) -> None:
    bench.add({"every": every, "limit": 3}, catchup="all", overlap="buffer_all")
    due = away(bench, every, 5)
    bench.run_for(SECOND)
    assert started_seconds(bench) == due[:3]
    assert bench.states() == ["succeeded"] * 3 + ["dropped"] * 2


@GRIDS
def test_spread_runs_of_any_grid_start_in_order_before_the_regular_one(bench: Bench, every: str) -> None:
    bench.add({"every": every, "end_at": "2026-11-16T10:26Z"}, catchup="spread", overlap="buffer_all")
    due = away(bench, every, 5)
    bench.run_for(2 * MINUTE)
    assert started_seconds(bench)[:5] == due
    began = [row.began for row in bench.occurrences()][:4]
    assert began == [bench.occurrences()[0].began + timedelta(seconds=15) * place for place in range(4)]


def test_a_long_catch_up_comes_before_the_regular_one_even_if_few_may_wait(make_bench: Callable[..., Bench]) -> None:
    """Neither the number that may wait nor the number per tick lets the regular one overtake."""
    bench = make_bench(waiting_at_most=1, catchup_per_tick=2)
    bench.add({"every": "1m"}, catchup="all")
    due = away(bench, "1m", 20)
    bench.run_for(SECOND)
    assert started_seconds(bench) == due


@pytest.mark.parametrize("policy", ["cancel_other", "terminate_other"])
def test_the_regular_time_that_waits_for_missed_ones_does_not_stop_them(bench: Bench, policy: str) -> None:
    bench.add({"every": "5m"}, catchup="all", overlap=policy)
    due = away(bench, "5m", 3)
    for _ in range(3):
        bench.tick()
        bench.engine.wake()
        bench.tick()
        assert bench.launcher.stops == []
        bench.launcher.finish()
    assert started_seconds(bench) == due


@pytest.mark.parametrize(("catchup", "runs"), [("none", 1), ("one", 1)])
@GRIDS
def test_after_sleep_at_most_one_time_of_any_grid_runs(bench: Bench, every: str, catchup: str, runs: int) -> None:
    bench.add({"every": every}, catchup=catchup, overlap="buffer_all")
    due = away(bench, every, 30)
    bench.run_for(SECOND)
    assert started_seconds(bench) == due[-runs:]
    [gap] = bench.gaps()
    assert gap.count == Count(29)


@pytest.mark.parametrize(
    ("catchup", "runs"),
    [("none", []), ("one", ["18:00"]), ("all", ["17:00", "18:00"]), ("spread", ["17:00", "18:00"])],
)
def test_with_a_window_of_two_hours_only_the_last_two_count(bench: Bench, catchup: str, runs: list[str]) -> None:
    bench.add({"every": "1h"}, catchup=catchup, catchup_window="2h")
    bench.crash(EIGHT)
    bench.run_for(2 * MINUTE)
    assert started_times(bench) == runs
    assert bench.gaps()[0] == Gap(at("11:00"), at("16:00"), Count(6), OccurrenceReason.EXPIRED)
    assert sum(gap.count.number for gap in bench.gaps()) + len(runs) == 8


@pytest.mark.parametrize("catchup", ["one", "all", "spread"])
def test_with_a_zero_window_nothing_runs_late(bench: Bench, catchup: str) -> None:
    bench.add({"every": "1h"}, catchup=catchup, catchup_window="0")
    bench.crash(EIGHT)
    bench.run_for(2 * MINUTE)
    assert started_times(bench) == []
    assert bench.gaps() == [Gap(at("11:00"), at("18:00"), Count(8), OccurrenceReason.EXPIRED)]


@pytest.mark.parametrize("catchup", ["none", "one", "all", "spread"])
def test_regular_times_still_run_after_a_catch_up(bench: Bench, catchup: str) -> None:
    bench.add({"cron": "0 9,20 * * *"}, catchup=catchup)
    bench.crash(DAY)
    assert bench.clock.wall == at("17 10:00")
    bench.run_for(HOUR)
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("17 20:00")]
    bench.run_for(10 * HOUR)
    assert started_times(bench)[-1] == "20:00" and not bench.occurrences()[-1].late


def test_a_waiting_catch_up_does_not_replace_the_regular_time(bench: Bench) -> None:
    bench.add({"every": "1h"}, overlap="skip", catchup="one", needs=["network"])
    bench.conditions.held[Need.NETWORK] = False
    bench.sleep(3 * HOUR + 50 * MINUTE)
    bench.run_for(10 * MINUTE)
    assert bench.planned(OccurrenceState.QUEUED) == ["13:00", "14:00"]


def test_after_a_wakeup_it_waits_for_the_network_within_the_window(bench: Bench) -> None:
    bench.add({"every": "1h"}, catchup="one", catchup_window="2h", needs=["network"])
    bench.conditions.held[Need.NETWORK] = False
    bench.sleep(EIGHT)
    bench.run_for(10 * MINUTE)
    assert bench.planned(OccurrenceState.QUEUED) == ["18:00"]
    bench.conditions.held[Need.NETWORK] = True
    bench.engine.wake()
    bench.tick()
    assert started_times(bench) == ["18:00"]


def test_without_a_network_it_is_missed_when_the_window_ends(bench: Bench) -> None:
    bench.add({"cron": "0 18 * * *"}, catchup="one", catchup_window="2h", needs=["network"])
    bench.conditions.held[Need.NETWORK] = False
    bench.sleep(EIGHT)
    bench.run_for(89 * MINUTE)
    assert bench.planned(OccurrenceState.QUEUED) == ["18:00"]
    bench.run_for(3 * MINUTE)
    (row,) = bench.occurrences()
    assert (row.state, row.reason) == (OccurrenceState.MISSED, OccurrenceReason.EXPIRED)


@pytest.mark.parametrize(
    ("catchup", "runs", "sentence"),
    [
        ("none", [], "8 runs were missed during the pause; none will run."),
        ("one", ["18:00"], "8 runs were missed during the pause; 1 will run now."),
        ("all", [f"{hour}:00" for hour in range(11, 19)], "8 runs were missed during the pause; 8 will run now."),
        ("spread", [f"{hour}:00" for hour in range(11, 19)], "8 runs were missed during the pause; 8 will run now."),
    ],
)
def test_after_a_pause_the_policy_decides_as_the_dialog_announced(
    bench: Bench, catchup: str, runs: list[str], sentence: str
) -> None:
    bench.add({"every": "1h"}, catchup=catchup)
    bench.commands.pause("w/h")
    bench.run_for(EIGHT)
    assert bench.schedule_queries.resume_preview("w/h").sentence == sentence
    assert bench.occurrences() == [] and bench.gaps() == []
    bench.commands.resume("w/h")
    bench.run_for(2 * MINUTE)
    assert started_times(bench) == runs
    assert sum(gap.count.number for gap in bench.gaps()) + len(runs) == 8


def test_the_dialog_counts_window_limit_and_skips(bench: Bench) -> None:
    bench.add({"every": "1h", "limit": 2}, catchup="all", catchup_window="4h")
    bench.commands.skip_next("w/h")
    bench.commands.pause("w/h")
    bench.run_for(EIGHT)
    assert (
        bench.schedule_queries.resume_preview("w/h").sentence == "8 runs were missed during the pause; 2 will run now."
    )
    bench.commands.resume("w/h")
    bench.run_for(2 * MINUTE)
    assert started_times(bench) == ["15:00", "16:00"]


@pytest.mark.parametrize(
    ("pause", "sentence"),
    [
        (30 * MINUTE, "No runs were missed during the pause."),
        (HOUR + 30 * MINUTE, "1 run was missed during the pause; 1 will run now."),
    ],
)
def test_the_dialog_text_after_a_short_pause(bench: Bench, pause: timedelta, sentence: str) -> None:
    bench.add({"every": "1h"})
    bench.commands.pause("w/h")
    bench.run_for(pause)
    assert bench.schedule_queries.resume_preview("w/h").sentence == sentence


@pytest.mark.parametrize("catchup", ["none", "one", "all"])
def test_the_dialog_says_more_than_after_a_year(bench: Bench, catchup: str) -> None:
    bench.add({"every": "1m"}, catchup=catchup)
    bench.commands.pause("w/h")
    bench.sleep(365 * DAY)
    assert bench.schedule_queries.resume_preview("w/h").sentence.startswith("more than 10,00")


def test_the_dialog_does_not_count_times_of_an_earlier_catch_up(make_bench: Callable[..., Bench]) -> None:
    """Times missed before the pause are not counted as passed in it."""
    bench = make_bench(waiting_at_most=2)
    bench.add({"every": "1h"}, catchup="all")
    bench.sleep(EIGHT)
    bench.tick()
    bench.commands.pause("w/h")
    assert bench.schedule_queries.resume_preview("w/h").passed == 0
    bench.run_for(2 * HOUR, finish=False)
    assert (
        bench.schedule_queries.resume_preview("w/h").sentence == "2 runs were missed during the pause; 2 will run now."
    )


@pytest.mark.parametrize("spec", [{"every": "1m"}, {"cron": "* * * * *"}], ids=str)
@pytest.mark.parametrize(
    ("catchup", "reason"), [("one", OccurrenceReason.CAUGHT_UP), ("none", OccurrenceReason.PASSED)]
)
def test_a_year_of_minutes_is_recorded_at_once_in_a_few_rows(
    bench: Bench, spec: dict[str, str], catchup: str, reason: OccurrenceReason
) -> None:
    bench.add(spec, catchup=catchup)
    begun = process_time()
    bench.crash(365 * DAY + 30 * SECOND)
    bench.tick()
    assert process_time() - begun < 1
    (gap,) = bench.gaps()
    assert (gap.first, gap.count, gap.reason) == (START + MINUTE, Count(10_000, more=True), reason)
    assert [bool(row.late) for row in bench.occurrences()] == [False], "the time that is due now"
    assert str(gap.count) == "more than 10,000"


def test_catching_up_a_year_runs_in_portions_and_regular_times_continue(make_bench: Callable[..., Bench]) -> None:
    """A stored cursor adds at most 100 rows per tick, while the next regular time is already set."""
    bench = make_bench()
    bench.add({"every": "1m"}, catchup="all", overlap="buffer_all")
    bench.crash(365 * DAY + 30 * SECOND)
    made = []
    for _ in range(4):
        bench.engine.tick(bench.clock.wall)
        made.append(len(bench.occurrences()))
    assert [later - earlier for earlier, later in pairwise(made)] == [100, 100, 100]
    assert bench.schedule_queries.upcoming("w/h", 1) == [START + 365 * DAY + MINUTE]
    bench.tick()
    unfinished = bench.occurrences("w/h", OccurrenceState.QUEUED, OccurrenceState.STARTED)
    assert len([row for row in unfinished if row.late]) == 1_000
    assert [row.planned for row in unfinished if not row.late] == [START + 365 * DAY], "the regular one waits for them"
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
    assert bench.gaps() == [Gap(at("14:00"), at("18:00"), Count(5), OccurrenceReason.EDITED)]
    bench.run_for(HOUR)
    assert started_times(bench) == ["11:00", "12:00", "13:00"]


def test_a_new_catch_up_policy_applies_to_the_rest(make_bench: Callable[..., Bench]) -> None:
    """From `all` to `none` during a catch-up."""
    bench = make_bench(waiting_at_most=3)
    bench.add({"every": "1h"}, catchup="all")
    bench.crash(EIGHT)
    bench.tick()
    bench.commands.edit("w/h", version=1, policies={"catchup": "none"})
    assert bench.gaps() == [Gap(at("14:00"), at("18:00"), Count(5), OccurrenceReason.PASSED)]


def test_a_second_outage_during_the_first_catch_up(make_bench: Callable[..., Bench]) -> None:
    """Each time is still recorded exactly once."""
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


def test_catch_up_respects_the_limit_and_drops_the_rest_with_its_reason(bench: Bench) -> None:
    bench.add({"every": "1h", "limit": 3}, catchup="all")
    bench.crash(EIGHT)
    bench.run_for(MINUTE)
    assert started_times(bench) == ["11:00", "12:00", "13:00"]
    dropped = [row for row in bench.occurrences() if row.state is OccurrenceState.DROPPED]
    assert {row.reason for row in dropped} == {OccurrenceReason.LIMIT} and len(dropped) == 5
    assert [view.state for view in bench.schedule_queries.schedules()] == [ScheduleState.FINISHED]


def test_unrecorded_times_beyond_the_limit_are_dropped_together(bench: Bench) -> None:
    """With their reason and count."""
    bench.add({"every": "1h", "limit": 3}, catchup="all")
    bench.crash(2_000 * HOUR)
    bench.run_for(MINUTE)
    ((state, gap),) = stored_gaps.of_schedule(bench.database.read(), "w/h")
    assert (state, gap.reason) == (OccurrenceState.DROPPED, OccurrenceReason.LIMIT)
    assert len(bench.occurrences()) + gap.count.number == 2_000


def test_a_once_schedule_missed_during_sleep_runs_late_within_the_window(bench: Bench) -> None:
    bench.add({"once": "2026-11-16T12:00Z"}, catchup_window="12h")
    bench.crash(EIGHT)
    bench.tick()
    (row,) = bench.occurrences()
    assert (row.planned, row.state, bool(row.late)) == (at("12:00"), OccurrenceState.STARTED, True)
    bench.launcher.finish(result=Result.FAILED)
    bench.tick()
    assert [view.state for view in bench.schedule_queries.schedules()] == [ScheduleState.FINISHED]


@pytest.mark.parametrize(
    ("policies", "reason"),
    [({"catchup_window": "1h"}, OccurrenceReason.EXPIRED), ({"catchup": "none"}, OccurrenceReason.PASSED)],
    ids=str,
)
def test_a_once_schedule_outside_the_window_is_missed_and_can_be_run_now(
    bench: Bench, policies: dict[str, str], reason: OccurrenceReason
) -> None:
    bench.add({"once": "2026-11-16T12:00Z"}, **policies)
    bench.crash(EIGHT)
    bench.tick()
    assert bench.occurrences() == []
    ((state, gap),) = bench.schedule_queries.describe("w/h").gaps
    assert (state, gap) == (OccurrenceState.MISSED, Gap(at("12:00"), at("12:00"), Count(1), reason))
    bench.commands.trigger("w/h")
    bench.tick()
    assert bench.states() == ["started"]


def test_excluded_times_are_not_missed(bench: Bench) -> None:
    """Enumerate, exclude, window, mode."""
    bench.add({"every": "1h", "exclude": {"hour": "12-17"}}, catchup="all")
    bench.crash(EIGHT)
    bench.run_for(MINUTE)
    assert started_times(bench) == ["11:00", "18:00"]
    assert bench.gaps() == []


def test_stalled_catch_ups_do_not_block_other_schedules(make_bench: Callable[..., Bench]) -> None:
    """A catch-up with a full queue lets others go first, however old its missed times are."""
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
