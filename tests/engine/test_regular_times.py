"""Which times fire, and that they are the ones that were shown."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from scheduler.engine.launcher import Result
from scheduler.engine.refusal import RefusedError
from scheduler.engine.views import ScheduleState
from scheduler.store.errors import DiskFailedError
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.policies import Need
from tests.engine.harness import DAY, HOUR, MINUTE, SECOND, START, Bench, at


def fired(bench: Bench) -> list[datetime]:
    return [work.planned for work in bench.launcher.begun if work.origin is Origin.AUTOMATIC]


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
def test_what_is_shown_is_what_fires(bench: Bench, spec: dict[str, Any]) -> None:
    """S16."""
    schedule = bench.add(spec)
    shown = bench.views.upcoming(schedule, 5)
    assert shown
    bench.run_for(shown[-1] - START + HOUR)
    assert fired(bench)[: len(shown)] == shown
    if len(shown) < 5:
        assert fired(bench) == shown


def test_a_shown_time_stays_shown_until_it_is_due(bench: Bench) -> None:
    """S16: with jitter a planned time may have passed and still lie ahead."""
    bench.add({"every": "1h", "jitter": "+30m"})
    due = bench.row().next_due
    assert due is not None and due > at("11:00")
    bench.run_for(due - START - SECOND)
    assert bench.views.upcoming("w/h", 1) == [at("11:00")]
    bench.run_for(SECOND)
    assert fired(bench) == [at("11:00")]
    assert bench.views.upcoming("w/h", 1) == [at("12:00")]


def test_a_paused_schedule_shows_what_comes_after_its_pause(bench: Bench) -> None:
    """S16."""
    bench.add({"every": "1h"}, catchup="none")
    bench.commands.pause("w/h", until=at("14:00"))
    shown = bench.views.upcoming("w/h", 3)
    assert shown == [at("14:00"), at("15:00"), at("16:00")]
    bench.run_for(6 * HOUR)
    assert fired(bench) == shown


def test_paused_without_an_end_it_shows_what_would_come_if_it_were_resumed(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.commands.pause("w/h")
    bench.run_for(4 * HOUR + MINUTE)
    assert bench.views.upcoming("w/h", 2) == [at("15:00"), at("16:00")]


def test_what_waits_counts_against_the_limit_that_is_shown(bench: Bench) -> None:
    """S16, P1."""
    bench.add({"every": "1h", "limit": 3}, overlap="buffer_all")
    bench.run_for(2 * HOUR, finish=False)
    assert bench.states() == ["started", "queued"]
    assert bench.views.upcoming("w/h", 5) == [at("13:00")]


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
    """S4."""
    bench.clock.move(2 * MINUTE)
    bench.add({"every": "5m"})
    bench.run_for(8 * MINUTE)
    assert bench.views.upcoming("w/h", 1) == [at("10:12")]
    version = bench.row().version
    assert bench.commands.edit("w/h", version=version, **change).version == version + 1
    assert bench.views.upcoming("w/h", 2) == [at("10:12"), at("10:17")]


def test_the_anchor_survives_an_edit_of_what_narrows_the_times(bench: Bench) -> None:
    """S4: the grid stays where it was."""
    bench.clock.move(2 * MINUTE)
    bench.add({"every": "5m"})
    bench.run_for(7 * MINUTE)
    bench.commands.edit("w/h", version=1, spec={"every": "5m", "end_at": "2026-11-16T10:20Z"})
    assert bench.views.upcoming("w/h", 9) == [at("10:12"), at("10:17")]


def test_another_interval_begins_another_grid(bench: Bench) -> None:
    bench.add({"every": "5m"})
    bench.run_for(7 * MINUTE)
    bench.commands.edit("w/h", version=1, spec={"every": "10m"})
    assert bench.views.upcoming("w/h", 1) == [at("10:17")]


def test_an_edit_of_policies_leaves_the_other_policies_alone(bench: Bench) -> None:
    bench.add({"every": "5m"}, catchup="all", catchup_window="2h", needs=["network"])
    bench.commands.edit("w/h", version=1, policies={"overlap": "buffer_all"})
    bench.commands.edit("w/h", version=2, policies={"catchup_window": None})
    assert bench.row().policies == '{"overlap": "buffer_all", "catchup": "all", "needs": ["network"]}'


def test_the_zone_of_its_birth_stays_when_the_machine_moves(bench: Bench) -> None:
    """S17, K10: the zone is resolved when the schedule is created, and putting the same again changes nothing."""
    bench.zone = "Europe/Berlin"
    bench.crash()
    bench.commands.put("w", "h", {"cron": "0 14 * * *"})
    assert bench.views.upcoming("w/h", 1) == [at("13:00")]
    bench.engine.follow_zone("America/New_York")
    assert bench.views.upcoming("w/h", 1) == [at("13:00")]
    bench.commands.put("w", "h", {"cron": "0 14 * * *"})
    assert bench.views.upcoming("w/h", 1) == [at("13:00")]


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
    """S17: to a later or an earlier time, also when the zone changed while the app was closed."""
    bench.zone = zone
    bench.crash()
    bench.add({"cron": "0 14 * * *", "timezone": "local"}, name="local")
    bench.add({"cron": "0 14 * * *", "timezone": zone}, name="fixed")
    bench.tick()
    bench.zone = other
    if away:
        bench.crash(MINUTE)
    else:
        bench.engine.follow_zone(other)
    assert bench.views.upcoming("w/local", 1) == [at(local)]
    assert bench.views.upcoming("w/fixed", 1) == [at(fixed)]
    bench.run_for(10 * HOUR)
    assert {work.subject: work.planned for work in bench.launcher.begun} == {
        "w/local": at(local),
        "w/fixed": at(fixed),
    }


def test_what_fell_due_in_the_old_zone_is_recorded_by_it(bench: Bench) -> None:
    """S17: a laptop that slept through a flight."""
    bench.add({"cron": "0 * * * *", "timezone": "local"}, catchup="all")
    bench.sleep(3 * HOUR + MINUTE * 10)
    bench.engine.follow_zone("Asia/Kathmandu")
    assert bench.planned(State.QUEUED) == ["11:00", "12:00", "13:00"]
    assert bench.gaps() == []
    assert bench.views.upcoming("w/h", 1) == [at("13:15")]
    bench.run_for(HOUR)
    assert bench.planned(State.SUCCEEDED) == ["11:00", "12:00", "13:00", "13:15"]


def test_what_has_no_room_to_wait_when_the_zone_changes_is_dropped_with_a_reason(
    make_bench: Callable[..., Bench],
) -> None:
    """S17: its times are no times any more, so nobody could go on with them."""
    bench = make_bench(waiting_at_most=2)
    bench.add({"cron": "0 * * * *", "timezone": "local"}, catchup="all")
    bench.sleep(5 * HOUR + 10 * MINUTE)
    bench.tick()
    assert bench.planned() == ["11:00", "12:00"]
    bench.engine.follow_zone("Asia/Kathmandu")
    assert bench.row().trouble is None
    assert [(gap.first, gap.count.number, gap.reason) for gap in bench.gaps()] == [(at("13:00"), 3, Reason.EDITED)]


def test_a_queued_occurrence_keeps_its_instant_when_the_zone_changes(bench: Bench) -> None:
    bench.add({"cron": "0 11 * * *", "timezone": "local"}, needs=["network"])
    bench.moods.held[Need.NETWORK] = False
    bench.run_for(HOUR + MINUTE)
    assert bench.planned(State.QUEUED) == ["11:00"]
    bench.engine.follow_zone("Europe/Berlin")
    assert bench.planned(State.QUEUED) == ["11:00"]
    assert bench.views.upcoming("w/h", 1) == [at("17 10:00")]


def test_a_finished_schedule_stays_finished_in_another_zone(bench: Bench) -> None:
    bench.add({"cron": "0 * * * *", "timezone": "local", "limit": 1})
    bench.run_for(2 * HOUR)
    bench.engine.follow_zone("Asia/Kathmandu")
    assert bench.row().next_at is None
    assert [view.state for view in bench.views.schedules()] == [ScheduleState.FINISHED]


def test_a_paused_schedule_stays_paused_in_another_zone(bench: Bench) -> None:
    bench.add({"cron": "0 * * * *", "timezone": "local"})
    bench.commands.pause("w/h")
    bench.run_for(3 * HOUR)
    bench.engine.follow_zone("Asia/Kathmandu")
    bench.run_for(3 * HOUR)
    assert fired(bench) == []
    bench.commands.resume("w/h")
    bench.tick()
    assert fired(bench), "what passed in either zone is made up for"


def test_a_skip_that_is_no_time_in_the_new_zone_is_let_go(bench: Bench) -> None:
    bench.add({"cron": "0 14 * * *", "timezone": "local"})
    bench.commands.skip_next("w/h")
    bench.engine.follow_zone("Asia/Kathmandu")
    assert bench.row().skip_at is None
    bench.commands.skip_next("w/h")


def test_a_zone_that_nobody_knows_is_refused_and_changes_nothing(bench: Bench) -> None:
    """S18."""
    bench.add({"cron": "0 14 * * *", "timezone": "local"})
    with pytest.raises(BadScheduleError, match="there is no time zone 'Mars/Olympus'"):
        bench.engine.follow_zone("Mars/Olympus")
    bench.tick()
    assert bench.views.upcoming("w/h", 1) == [at("14:00")]
    assert bench.row().trouble is None


def test_skip_next_is_recorded_and_the_following_one_fires(bench: Bench) -> None:
    """S19."""
    bench.add({"every": "1h"})
    answer = bench.commands.skip_next("w/h")
    assert answer.version == 2
    assert bench.views.upcoming("w/h", 2) == [at("12:00"), at("13:00")]
    bench.run_for(2 * HOUR)
    skipped, ran = bench.occurrences()
    assert (skipped.planned, skipped.state, skipped.reason) == (at("11:00"), State.SKIPPED, Reason.BY_PERSON)
    assert (ran.planned, ran.state) == (at("12:00"), State.SUCCEEDED)


def test_skip_next_comes_back_by_itself(bench: Bench) -> None:
    """S19: once the skipped time has passed, the next can be skipped."""
    bench.add({"every": "1h"})
    bench.commands.skip_next("w/h")
    with pytest.raises(RefusedError, match="already skipped"):
        bench.commands.skip_next("w/h")
    bench.run_for(HOUR)
    bench.commands.skip_next("w/h")
    bench.run_for(2 * HOUR)
    assert bench.states() == ["skipped", "skipped", "succeeded"]


@pytest.mark.parametrize("catchup", ["none", "one", "all", "spread"])
def test_a_skip_that_was_slept_through_comes_back_too(bench: Bench, catchup: str) -> None:
    """S19."""
    bench.add({"every": "1h"}, catchup=catchup)
    bench.commands.skip_next("w/h")
    bench.sleep(5 * HOUR + MINUTE * 30)
    bench.run_for(2 * MINUTE)
    first = bench.occurrences()[0]
    assert (first.planned, first.reason) == (at("11:00"), Reason.BY_PERSON)
    assert bench.row().skip_at is None
    bench.commands.skip_next("w/h")
    assert bench.views.upcoming("w/h", 1) == [at("17:00")]


def test_one_that_waits_counts_as_the_next(bench: Bench) -> None:
    """S19: skip_next takes the occurrence that is queued and has not started."""
    bench.add({"every": "1h"}, overlap="buffer_one")
    bench.run_for(2 * HOUR, finish=False)
    assert bench.states() == ["started", "queued"]
    bench.commands.skip_next("w/h")
    assert [row.reason for row in bench.occurrences()] == [None, Reason.BY_PERSON]
    assert bench.views.upcoming("w/h", 1) == [at("13:00")]


def test_one_that_is_being_launched_can_still_be_skipped(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.launcher.slow = True
    bench.run_for(HOUR, finish=False)
    bench.commands.skip_next("w/h")
    bench.launcher.begin()
    assert bench.states() == ["skipped"]
    assert bench.launcher.running == {}
    bench.launcher.slow = False
    bench.run_for(HOUR)
    assert bench.states() == ["skipped", "succeeded"]


def test_one_that_runs_is_not_skipped(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    bench.commands.skip_next("w/h")
    assert bench.row().skip_at == at("12:00")
    assert bench.states() == ["started"]


def test_a_time_that_has_just_come_is_the_next(bench: Bench) -> None:
    """S19: it is due, and no tick has seen it yet."""
    bench.add({"every": "1h"})
    bench.clock.move(HOUR)
    bench.commands.skip_next("w/h")
    bench.tick()
    assert [row.reason for row in bench.occurrences()] == [Reason.BY_PERSON]


def test_an_edit_that_removes_the_skipped_time_clears_the_skip(bench: Bench) -> None:
    """S19."""
    bench.add({"every": "1h"})
    bench.commands.skip_next("w/h")
    bench.commands.edit("w/h", version=2, spec={"cron": "30 * * * *"})
    assert bench.row().skip_at is None
    bench.run_for(HOUR)
    assert bench.states() == ["succeeded"]


def test_an_edit_that_keeps_the_skipped_time_keeps_the_skip(bench: Bench) -> None:
    """S19."""
    bench.add({"every": "1h"})
    bench.commands.skip_next("w/h")
    bench.commands.edit("w/h", version=2, spec={"cron": "*/30 * * * *"})
    bench.run_for(90 * MINUTE)
    assert bench.states() == ["succeeded", "skipped", "succeeded"]


def test_in_a_pause_the_next_to_come_is_skipped_not_one_that_passed(bench: Bench) -> None:
    """S19."""
    bench.add({"every": "1h"}, catchup="none")
    bench.commands.pause("w/h")
    bench.run_for(3 * HOUR + 10 * MINUTE)
    bench.commands.skip_next("w/h")
    bench.commands.resume("w/h")
    assert bench.views.upcoming("w/h", 1) == [at("15:00")]
    bench.run_for(2 * HOUR)
    assert [(f"{row.planned:%H}", row.state.value) for row in bench.occurrences()] == [
        ("14", "skipped"),
        ("15", "succeeded"),
    ]


def test_without_more_times_there_is_nothing_to_skip(bench: Bench) -> None:
    bench.add({"once": "2026-11-16T11:00Z"})
    bench.run_for(2 * HOUR)
    with pytest.raises(RefusedError, match="no more times"):
        bench.commands.skip_next("w/h")


def test_a_run_in_forty_days_is_shown_and_fires(bench: Bench) -> None:
    """S20."""
    far = START + 40 * DAY
    bench.add({"once": far.isoformat()})
    assert bench.views.upcoming("w/h", 3) == [far]
    while bench.clock.wall < far:
        wake = bench.tick()
        assert timedelta() < wake - bench.clock.wall <= MINUTE
        bench.clock.move(min(12 * HOUR, far - bench.clock.wall))
    bench.tick()
    assert fired(bench) == [far]


def test_with_nothing_to_do_the_engine_still_comes_back_every_minute(bench: Bench) -> None:
    """S20."""
    assert bench.tick() == START + MINUTE


def test_a_once_schedule_is_finished_when_its_chain_has_ended(bench: Bench) -> None:
    """Domain 1: also when it failed, and not while it runs."""
    bench.add({"once": "2026-11-16T11:00Z"})
    bench.run_for(HOUR, finish=False)
    (view,) = bench.views.schedules()
    assert view.state is ScheduleState.ACTIVE
    bench.launcher.finish(result=Result.FAILED)
    bench.tick()
    (view,) = bench.views.schedules()
    assert view.state is ScheduleState.FINISHED


def test_early_jitter_does_not_make_the_first_time_missed(bench: Bench) -> None:
    """A daily schedule made one hour before its time, due eleven hours earlier by its jitter."""
    bench.clock.move(13 * HOUR)
    for number in range(30):
        bench.add({"cron": "0 0 * * *", "jitter": "12h"}, name=f"h{number}", catchup="none")
    bench.run_for(13 * HOUR - SECOND)
    for number in range(30):
        assert bench.states(f"w/h{number}") == ["succeeded"]
        assert bench.gaps(f"w/h{number}") == []


def test_another_jitter_holds_for_the_next_time_already(bench: Bench) -> None:
    """And the time itself stays where it is."""
    bench.add({"cron": "0 * * * *", "jitter": "+30m"})
    assert bench.row().next_due != at("11:00")
    bench.commands.edit("w/h", version=1, spec={"cron": "0 * * * *"})
    assert (bench.row().next_at, bench.row().next_due) == (at("11:00"), at("11:00"))
    bench.commands.edit("w/h", version=2, spec={"cron": "0 * * * *", "jitter": "+30m"})
    assert bench.row().next_at == at("11:00") < (bench.row().next_due or at("11:00"))


def test_of_several_that_wait_the_first_is_the_next_to_skip(bench: Bench) -> None:
    """S19."""
    bench.add({"every": "1h"}, overlap="buffer_all")
    bench.run_for(3 * HOUR, finish=False)
    bench.commands.skip_next("w/h")
    assert bench.states() == ["started", "skipped", "queued"]


def test_a_zone_that_could_not_be_taken_on_leaves_the_old_one(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """S17: the times and the zone they were made in belong together."""

    def fail(*_: object) -> None:
        raise DiskFailedError(bench.folder, "I/O error")

    bench.add({"cron": "0 12 * * *", "timezone": "local"})
    with monkeypatch.context() as broken:
        broken.setattr("scheduler.engine.emission.Emission.arm", fail)
        with pytest.raises(DiskFailedError):
            bench.engine.follow_zone("America/New_York")
    assert bench.row().next_at == bench.views.upcoming("w/h", 1)[0] == at("12:00")
    bench.engine.follow_zone("America/New_York")
    assert bench.row().next_at == at("17:00")
