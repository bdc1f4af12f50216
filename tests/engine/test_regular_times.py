"""The times that run are the times that were shown."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from scheduler.engine.queries.schedules import ScheduleState
from scheduler.engine.scheduling.launcher import Result
from scheduler.store.errors import DiskFailedError
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Need
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND, START, Bench, at


def run_times(bench: Bench) -> list[datetime]:
    return [work.planned for work in bench.launcher.begun if work.origin is OccurrenceOrigin.AUTOMATIC]


SPECS: list[dict[str, Any]] = [
    {"every": "10s"},
    {"every": "7m", "jitter": "3m"},
    {"every": "1h", "jitter": "+30m", "exclude": {"hour": "12-13"}},
    {"cron": "*/10 * * * *", "timezone": "Europe/Berlin"},
    {"cron": ["0 11 * * *", "30 12 * * *"], "jitter": "2h"},
    {"calendar": {"minute": [5, 50]}, "end_at": "2026-11-16T14:00Z"},
    {"once": "2026-11-16T11:11:11Z", "jitter": "+5m"},
    {"every": "20m", "limit": 3},
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_the_shown_times_are_the_ones_that_run(bench: Bench, spec: dict[str, Any]) -> None:
    schedule = bench.add(spec)
    shown = bench.schedule_queries.upcoming(schedule, 5)
    assert shown
    bench.run_for(shown[-1] - START + HOUR)
    assert run_times(bench)[: len(shown)] == shown
    if len(shown) < 5:
        assert run_times(bench) == shown


def test_a_shown_time_stays_shown_until_it_is_due(bench: Bench) -> None:
    """With jitter, a planned time may have passed and not be due yet."""
    bench.add({"every": "1h", "jitter": "+30m"})
    due = bench.row().next_due
    assert due is not None and due > at("11:00")
    bench.run_for(due - START - SECOND)
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("11:00")]
    bench.run_for(SECOND)
    assert run_times(bench) == [at("11:00")]
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("12:00")]


def test_a_paused_schedule_shows_times_after_its_pause(bench: Bench) -> None:
    bench.add({"every": "1h"}, catchup="none")
    bench.commands.pause("w/h", until=at("14:00"))
    shown = bench.schedule_queries.upcoming("w/h", 3)
    assert shown == [at("14:00"), at("15:00"), at("16:00")]
    bench.run_for(6 * HOUR)
    assert run_times(bench) == shown


def test_paused_without_an_end_it_shows_the_times_after_now(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.commands.pause("w/h")
    bench.run_for(4 * HOUR + MINUTE)
    assert bench.schedule_queries.upcoming("w/h", 2) == [at("15:00"), at("16:00")]


def test_queued_runs_count_against_the_limit_of_shown_times(bench: Bench) -> None:
    bench.add({"every": "1h", "limit": 3}, overlap="buffer_all")
    bench.run_for(2 * HOUR, finish=False)
    assert bench.states() == ["started", "queued"]
    assert bench.schedule_queries.upcoming("w/h", 5) == [at("13:00")]


@pytest.mark.parametrize(
    "change",
    [
        {"policies": {"overlap": "buffer_all"}},
        {"policies": {"catchup": "all"}},
        {"spec": {"every": "5m", "limit": 9}},
        {"spec": {"every": "5m", "jitter": "+1m"}},
        {"spec": {"every": "300s"}},
        {"spec": {"every": "5m", "timezone": "UTC"}},
    ],
    ids=str,
)
def test_the_anchor_survives_an_edit_that_does_not_touch_the_times(bench: Bench, change: dict[str, Any]) -> None:
    bench.clock.move(2 * MINUTE)
    bench.add({"every": "5m"})
    bench.run_for(8 * MINUTE)
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("10:12")]
    version = bench.row().version
    assert bench.commands.edit("w/h", version=version, **change).version == version + 1
    assert bench.schedule_queries.upcoming("w/h", 2) == [at("10:12"), at("10:17")]


def test_the_anchor_survives_an_edit_of_exclusions_and_bounds(bench: Bench) -> None:
    """The grid does not move."""
    bench.clock.move(2 * MINUTE)
    bench.add({"every": "5m"})
    bench.run_for(7 * MINUTE)
    bench.commands.edit("w/h", version=1, spec={"every": "5m", "end_at": "2026-11-16T10:20Z"})
    assert bench.schedule_queries.upcoming("w/h", 9) == [at("10:12"), at("10:17")]


def test_a_new_interval_starts_a_new_grid(bench: Bench) -> None:
    bench.add({"every": "5m"})
    bench.run_for(7 * MINUTE)
    bench.commands.edit("w/h", version=1, spec={"every": "10m"})
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("10:17")]


def test_an_edit_of_policies_leaves_the_other_policies_alone(bench: Bench) -> None:
    bench.add({"every": "5m"}, catchup="all", catchup_window="2h", needs=["network"])
    bench.commands.edit("w/h", version=1, policies={"overlap": "buffer_all"})
    bench.commands.edit("w/h", version=2, policies={"catchup_window": None})
    assert bench.row().policies == '{"overlap": "buffer_all", "catchup": "all", "needs": ["network"]}'


def test_a_schedule_keeps_its_original_zone_when_the_machine_moves(bench: Bench) -> None:
    """The zone is resolved when the schedule is created; putting the same again changes nothing."""
    bench.zone = "Europe/Berlin"
    bench.crash()
    bench.commands.put("w", "h", {"cron": "0 14 * * *"})
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("13:00")]
    bench.engine.change_zone("America/New_York")
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("13:00")]
    bench.commands.put("w", "h", {"cron": "0 14 * * *"})
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("13:00")]


@pytest.mark.parametrize("away", [False, True])
@pytest.mark.parametrize(
    ("zone", "other", "local", "fixed"),
    [("Europe/Berlin", "America/New_York", "19:00", "13:00"), ("America/New_York", "Europe/Berlin", "13:00", "19:00")],
)
def test_a_local_schedule_follows_the_machine_and_a_fixed_one_does_not(
    bench: Bench,
    zone: str,
    other: str,
    local: str,
    fixed: str,
    away: bool,  # noqa: FBT001
) -> None:
    """East or west, and also when the zone changed while the app was closed."""
    bench.zone = zone
    bench.crash()
    bench.add({"cron": "0 14 * * *", "timezone": "local"}, name="local")
    bench.add({"cron": "0 14 * * *", "timezone": zone}, name="fixed")
    bench.tick()
    bench.zone = other
    if away:
        bench.crash(MINUTE)
    else:
        bench.engine.change_zone(other)
    assert bench.schedule_queries.upcoming("w/local", 1) == [at(local)]
    assert bench.schedule_queries.upcoming("w/fixed", 1) == [at(fixed)]
    bench.run_for(10 * HOUR)
    assert {work.subject: work.planned for work in bench.launcher.begun} == {
        "w/local": at(local),
        "w/fixed": at(fixed),
    }


def test_times_due_in_the_old_zone_are_recorded_in_that_zone(bench: Bench) -> None:
    """For example, a laptop asleep during a flight."""
    bench.add({"cron": "0 * * * *", "timezone": "local"}, catchup="all")
    bench.sleep(3 * HOUR + MINUTE * 10)
    bench.engine.change_zone("Asia/Kathmandu")
    assert bench.planned(OccurrenceState.QUEUED) == ["11:00", "12:00", "13:00"]
    assert bench.gaps() == []
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("13:15")]
    bench.run_for(HOUR)
    assert bench.planned(OccurrenceState.SUCCEEDED) == ["11:00", "12:00", "13:00", "13:15"]


def test_times_beyond_the_queue_limit_are_dropped_when_the_zone_changes(
    make_bench: Callable[..., Bench],
) -> None:
    """They are no times of the schedule in the new zone, so they cannot be caught up later."""
    bench = make_bench(waiting_at_most=2)
    bench.add({"cron": "0 * * * *", "timezone": "local"}, catchup="all")
    bench.sleep(5 * HOUR + 10 * MINUTE)
    bench.tick()
    assert bench.planned() == ["11:00", "12:00"]
    bench.engine.change_zone("Asia/Kathmandu")
    assert bench.row().trouble is None
    assert [(gap.first, gap.count.number, gap.reason) for gap in bench.gaps()] == [
        (at("13:00"), 3, OccurrenceReason.ZONE)
    ]


def test_a_queued_occurrence_keeps_its_instant_when_the_zone_changes(bench: Bench) -> None:
    bench.add({"cron": "0 11 * * *", "timezone": "local"}, needs=["network"])
    bench.conditions.held[Need.NETWORK] = False
    bench.run_for(HOUR + MINUTE)
    assert bench.planned(OccurrenceState.QUEUED) == ["11:00"]
    bench.engine.change_zone("Europe/Berlin")
    assert bench.planned(OccurrenceState.QUEUED) == ["11:00"]
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("17 10:00")]


def test_a_finished_schedule_stays_finished_in_another_zone(bench: Bench) -> None:
    bench.add({"cron": "0 * * * *", "timezone": "local", "limit": 1})
    bench.run_for(2 * HOUR)
    bench.engine.change_zone("Asia/Kathmandu")
    assert bench.row().next_at is None
    assert [view.state for view in bench.schedule_queries.schedules()] == [ScheduleState.FINISHED]


def test_a_paused_schedule_stays_paused_in_another_zone(bench: Bench) -> None:
    bench.add({"cron": "0 * * * *", "timezone": "local"})
    bench.commands.pause("w/h")
    bench.run_for(3 * HOUR)
    bench.engine.change_zone("Asia/Kathmandu")
    bench.run_for(3 * HOUR)
    assert run_times(bench) == []
    bench.commands.resume("w/h")
    bench.tick()
    assert run_times(bench), "times that passed in either zone are caught up"


def test_an_unknown_zone_is_refused_and_changes_nothing(bench: Bench) -> None:
    bench.add({"cron": "0 14 * * *", "timezone": "local"})
    with pytest.raises(BadScheduleError, match="there is no time zone 'Mars/Olympus'"):
        bench.engine.change_zone("Mars/Olympus")
    bench.tick()
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("14:00")]
    assert bench.row().trouble is None


def test_a_time_in_forty_days_is_shown_and_runs(bench: Bench) -> None:
    far = START + 40 * DAY
    bench.add({"once": far.isoformat()})
    assert bench.schedule_queries.upcoming("w/h", 3) == [far]
    while bench.clock.wall < far:
        wake = bench.tick()
        assert timedelta() < wake - bench.clock.wall <= MINUTE
        bench.clock.move(min(12 * HOUR, far - bench.clock.wall))
    bench.tick()
    assert run_times(bench) == [far]


def test_an_idle_engine_still_ticks_every_minute(bench: Bench) -> None:
    assert bench.tick() == START + MINUTE


def test_a_once_schedule_is_finished_when_its_chain_has_ended(bench: Bench) -> None:
    """Even when it failed, but not while it runs."""
    bench.add({"once": "2026-11-16T11:00Z"})
    bench.run_for(HOUR, finish=False)
    (view,) = bench.schedule_queries.schedules()
    assert view.state is ScheduleState.ACTIVE
    bench.launcher.finish(result=Result.FAILED)
    bench.tick()
    (view,) = bench.schedule_queries.schedules()
    assert view.state is ScheduleState.FINISHED


def test_early_jitter_does_not_make_the_first_time_missed(bench: Bench) -> None:
    """A daily schedule created one hour before its time, with a jitter of eleven hours earlier."""
    bench.clock.move(13 * HOUR)
    for number in range(30):
        bench.add({"cron": "0 0 * * *", "jitter": "12h"}, name=f"h{number}", catchup="none")
    bench.run_for(13 * HOUR - SECOND)
    for number in range(30):
        assert bench.states(f"w/h{number}") == ["succeeded"]
        assert bench.gaps(f"w/h{number}") == []


def test_a_new_jitter_applies_to_the_next_time(bench: Bench) -> None:
    """The planned time itself does not change."""
    bench.add({"cron": "0 * * * *", "jitter": "+30m"})
    assert bench.row().next_due != at("11:00")
    bench.commands.edit("w/h", version=1, spec={"cron": "0 * * * *"})
    assert (bench.row().next_at, bench.row().next_due) == (at("11:00"), at("11:00"))
    bench.commands.edit("w/h", version=2, spec={"cron": "0 * * * *", "jitter": "+30m"})
    assert bench.row().next_at == at("11:00") < (bench.row().next_due or at("11:00"))


def test_a_failed_zone_change_keeps_the_old_zone(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Times and their zone change together or not at all."""

    def fail(*_: object) -> None:
        raise DiskFailedError(bench.folder, "I/O error")

    bench.add({"cron": "0 12 * * *", "timezone": "local"})
    with monkeypatch.context() as broken:
        broken.setattr("scheduler.engine.scheduling.emission.Emission.set_next_time", fail)
        with pytest.raises(DiskFailedError):
            bench.engine.change_zone("America/New_York")
    assert bench.row().next_at == bench.schedule_queries.upcoming("w/h", 1)[0] == at("12:00")
    bench.engine.change_zone("America/New_York")
    assert bench.row().next_at == at("17:00")
