"""Commands on schedules, and what they return."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from scheduler.library import (
    CommandRefusedError,
    InvalidScheduleError,
    SchedulerError,
    StaleVersionError,
    UnknownScheduleError,
)
from tests.library.library_fixture import HOUR, MINUTE, START, LibraryBench


def test_a_schedule_is_created_with_its_next_times(bench: LibraryBench) -> None:
    assert bench.scheduler.upsert_schedule("job", every=timedelta(minutes=30)) == 1
    found = bench.scheduler.get("job")
    assert found.next_times == tuple(START + n * 30 * MINUTE for n in range(1, 6))
    assert (found.name, found.state, found.version, found.description) == ("job", "active", 1, "Every 30 minutes")
    assert all(at.tzinfo is UTC for at in found.next_times)


@pytest.mark.parametrize(
    ("times", "first"),
    [
        ({"cron": "0 9 * * *", "timezone": "Europe/Berlin"}, "2026-11-17T08:00+00:00"),
        ({"cron": ["0 11 * * *", "30 10 * * *"]}, "2026-11-16T10:30+00:00"),
        ({"calendar": {"hour": 12, "weekday": "mon-fri"}}, "2026-11-16T12:00+00:00"),
        ({"at": datetime(2026, 11, 20, 9, tzinfo=UTC)}, "2026-11-20T09:00+00:00"),
        ({"at": "2026-11-20T09:00", "timezone": "Europe/Berlin"}, "2026-11-20T08:00+00:00"),
        ({"every": "1h", "start_at": date(2026, 12, 1)}, "2026-12-01T00:00+00:00"),
        ({"every": "1h", "exclude": [date(2026, 11, 16)]}, "2026-11-17T00:00+00:00"),
    ],
)
def test_times_are_given_in_many_ways(bench: LibraryBench, times: dict[str, Any], first: str) -> None:
    bench.scheduler.upsert_schedule("job", **times)
    assert bench.scheduler.get("job").next_time == datetime.fromisoformat(first)


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({}, "schedule", "exactly one of every, cron, calendar or at"),
        ({"every": "1h", "cron": "0 9 * * *"}, "schedule", "exactly one"),
        ({"every": "5s"}, "every", "the shortest interval is 10s"),
        ({"every": timedelta(seconds=10.5)}, "every", "whole number of seconds"),
        ({"at": datetime(2026, 11, 20)}, "at", "has no time zone"),  # noqa: DTZ001  that is the point
        ({"at": "soon"}, "at", "^at: 'soon' is not a date"),
        ({"at": START - HOUR}, "schedule", "no time in the future"),
        ({"every": "1h", "start_at": datetime(2026, 11, 20)}, "start_at", "has no time zone"),  # noqa: DTZ001
        ({"every": "1h", "overlap": "whatever"}, "overlap", "choose one of skip, buffer_one"),
        ({"every": "1h", "timezone": "Atlantis"}, "timezone", "no time zone 'Atlantis'"),
        ({"cron": "60 * * * *"}, "minute", "60 is out of range"),
    ],
)
def test_what_is_not_valid_is_refused_with_the_argument(
    bench: LibraryBench, given: dict[str, Any], field: str, message: str
) -> None:
    with pytest.raises(InvalidScheduleError, match=message) as caught:
        bench.scheduler.upsert_schedule("job", **given)
    assert caught.value.field == field
    assert bench.scheduler.list() == ()


@pytest.mark.parametrize("name", ["", " job", "job\n", "x" * 201, None])
def test_a_name_is_a_printable_text(bench: LibraryBench, name: Any) -> None:
    with pytest.raises(InvalidScheduleError, match="name: "):
        bench.scheduler.upsert_schedule(name, every="1h")


def test_a_name_may_contain_anything_printable(bench: LibraryBench) -> None:
    for name in ("reports/daily/π", "a b", "jobs/x", "%_'"):
        bench.scheduler.upsert_schedule(name, every="1h")
        assert bench.scheduler.get(name).name == name
    assert [one.name for one in bench.scheduler.list(text="DAILY")] == ["reports/daily/π"]


def test_repeating_an_upsert_changes_nothing(bench: LibraryBench) -> None:
    """A program calls it at every start: version, anchor, pause and next time stay."""
    bench.scheduler.upsert_schedule("job", every="1h", overlap="buffer_all")
    bench.scheduler.pause("job")
    bench.clock.move(10 * MINUTE)
    before = bench.scheduler.get("job")
    assert bench.scheduler.upsert_schedule("job", every="1h", overlap="buffer_all") == before.version
    assert bench.scheduler.get("job") == before


def test_an_upsert_replaces_all_settings(bench: LibraryBench) -> None:
    bench.scheduler.upsert_schedule("job", every="1h", overlap="buffer_all", pause_on_failure=True, limit=3)
    for version in (2, 3):
        current = None if version == 2 else 2
        assert bench.scheduler.upsert_schedule("job", every=f"{version}h", if_version=current) == version
        found = bench.scheduler.get("job")
        assert found.policies == {"overlap": "skip", "catchup": "one"}
        assert "limit" not in found.times


def test_a_stale_edit_is_refused_with_both_versions(bench: LibraryBench) -> None:
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.scheduler.upsert_schedule("job", every="2h")
    with pytest.raises(StaleVersionError, match="job has changed: you have version 1, the current one is 2") as caught:
        bench.scheduler.upsert_schedule("job", every="3h", if_version=1)
    assert (caught.value.expected, caught.value.current) == (1, 2)
    for command in (bench.scheduler.pause, bench.scheduler.skip_next, bench.scheduler.delete):
        with pytest.raises(StaleVersionError):
            command("job", if_version=1)
    assert bench.scheduler.get("job").description == "Every 2 hours"


def test_version_0_only_creates(bench: LibraryBench) -> None:
    assert bench.scheduler.upsert_schedule("job", every="1h", if_version=0) == 1
    with pytest.raises(CommandRefusedError, match="A schedule job already exists") as caught:
        bench.scheduler.upsert_schedule("job", every="2h", if_version=0)
    assert caught.value.code == "exists"


def test_an_idempotency_key_carries_a_command_out_once(bench: LibraryBench) -> None:
    for _ in range(2):
        assert bench.scheduler.upsert_schedule("job", every="1h", idempotency_key="k1") == 1
    assert bench.scheduler.upsert_schedule("other", every="1h", idempotency_key="k1") == 1
    assert {bench.scheduler.trigger("job", idempotency_key="k2") for _ in range(2)} == {bench.last().key}
    assert [bench.scheduler.pause("job", idempotency_key="k3") for _ in range(2)] == [2, 2]
    with pytest.raises(CommandRefusedError, match="already used to pause"):
        bench.scheduler.resume("job", idempotency_key="k3")
    assert [one.name for one in bench.scheduler.list()] == ["job", "other"]


def test_a_pause_lets_times_pass_and_ends_by_itself(bench: LibraryBench) -> None:
    bench.scheduler.upsert_schedule("job", every="1h", catchup="none")
    bench.scheduler.pause("job", until=START + 150 * MINUTE, note="maintenance")
    paused = bench.scheduler.get("job")
    assert (paused.state, paused.next_time, paused.pause_note) == ("paused", None, "maintenance")
    assert paused.next_times[0] == START + 3 * HOUR
    bench.run(3 * HOUR)
    assert [run.planned for run in bench.ran] == [START + 3 * HOUR]
    with pytest.raises(CommandRefusedError, match="job is not paused"):
        bench.scheduler.resume("job")


def test_skip_next_skips_one_time(bench: LibraryBench) -> None:
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.scheduler.skip_next("job")
    assert bench.scheduler.get("job").skipped_time == START + HOUR
    assert bench.scheduler.list()[0].next_time == START + 2 * HOUR
    bench.run(2 * HOUR)
    assert bench.states() == ["skipped", "succeeded"]
    assert bench.scheduler.run_stats("job").skipped == {"by_user": 1}


def test_a_deleted_schedule_keeps_its_log(bench: LibraryBench) -> None:
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.run(HOUR)
    assert bench.scheduler.delete("job") == 2
    bench.run(3 * HOUR)
    assert bench.states() == ["succeeded"]
    assert bench.scheduler.list() == ()
    with pytest.raises(UnknownScheduleError, match="job was deleted"):
        bench.scheduler.get("job")
    assert bench.scheduler.upsert_schedule("job", every="1h") == 3


def test_unknown_names_are_refused(bench: LibraryBench) -> None:
    for command in (
        bench.scheduler.get,
        bench.scheduler.trigger,
        bench.scheduler.run_log,
        bench.scheduler.run_stats,
        bench.scheduler.pause,
        bench.scheduler.stop_running,
    ):
        with pytest.raises(UnknownScheduleError, match="There is no schedule nope"):
            command("nope")
    with pytest.raises(UnknownScheduleError, match="There is no run"):
        bench.scheduler.find_run("nope")
    with pytest.raises(UnknownScheduleError, match="There is no backfill nope"):
        bench.scheduler.cancel_backfill("nope")


def test_a_backfill_runs_past_times_once_each(bench: LibraryBench) -> None:
    bench.scheduler.upsert_schedule("job", cron="0 * * * *")
    made = bench.scheduler.backfill("job", START - 3 * HOUR, START - HOUR)
    assert (made.total, made.made, made.ended) == (3, 0, None)
    bench.run(MINUTE)
    assert [(run.planned, run.origin) for run in bench.ran] == [(START - n * HOUR, "backfill") for n in (3, 2, 1)]
    again = bench.scheduler.backfill(
        "job", ranges=[(START - 4 * HOUR, START - 2 * HOUR), (START - 3 * HOUR, START)], missing=True
    )
    bench.run(MINUTE)
    assert again.total == 2
    assert [run.planned for run in bench.ran[3:]] == [START - 4 * HOUR, START]
    assert [one.made for one in bench.scheduler.get("job").backfills] == [2, 3]


def test_a_backfill_can_be_cancelled(bench: LibraryBench) -> None:
    bench.scheduler.upsert_schedule("job", cron="0 * * * *")
    made = bench.scheduler.backfill("job", START - 30 * HOUR, START)
    bench.scheduler.cancel_backfill(made.id)
    bench.run(MINUTE)
    assert bench.ran == []
    assert bench.scheduler.get("job").backfills[0].is_cancelled


@pytest.mark.parametrize(
    "ranges",
    [{}, {"start": START}, {"start": START, "end": START, "ranges": [(START, START)]}, {"start": datetime(2026, 1, 1), "end": START}],  # noqa: DTZ001, E501
)  # fmt: skip
def test_a_backfill_needs_one_kind_of_range(bench: LibraryBench, ranges: dict[str, Any]) -> None:
    bench.scheduler.upsert_schedule("job", cron="0 * * * *")
    with pytest.raises(InvalidScheduleError):
        bench.scheduler.backfill("job", **ranges)


def test_every_error_is_a_scheduler_error() -> None:
    assert issubclass(InvalidScheduleError, SchedulerError) and issubclass(InvalidScheduleError, ValueError)
    assert issubclass(UnknownScheduleError, SchedulerError) and issubclass(UnknownScheduleError, LookupError)
    assert issubclass(StaleVersionError, SchedulerError) and issubclass(CommandRefusedError, SchedulerError)
