"""After the clock was set back, nothing waits for times computed while it was ahead."""

import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import RunStatus
from scheduler.store import handlers, mutations, next_wake, runs
from scheduler.store.mutations import MutationRow
from tests.store.workflow_rows import NOW, make_run, store

HOUR, DAY, SECOND = timedelta(hours=1), timedelta(days=1), timedelta(seconds=1)


def shorten(db: sqlite3.Connection) -> None:
    next_wake.shorten_waits(db, NOW, retry=HOUR, wake=DAY, check=timedelta(minutes=10), to=30 * SECOND)


def resume_time(db: sqlite3.Connection, status: RunStatus, at: datetime, *, written: datetime) -> datetime | None:
    runs.insert(db, make_run("r")._replace(status=status, resume_at=at, updated=written))
    shorten(db)
    row = runs.find(db, "r")
    assert row is not None
    return row.resume_at


@pytest.mark.parametrize("status", [RunStatus.CRASHED, RunStatus.APPROVAL, RunStatus.RECONCILIATION, RunStatus.LOGIC])
def test_an_attempt_that_need_not_wait_resumes_now(tmp_path: Path, status: RunStatus) -> None:
    """It was answered, or Dayhand was started, while the clock was ahead."""
    with store(tmp_path) as database, database.write() as db:
        assert resume_time(db, status, NOW + 400 * DAY, written=NOW - DAY) == NOW


def test_a_retry_never_waits_longer_than_the_longest_delay(tmp_path: Path) -> None:
    with store(tmp_path) as database, database.write() as db:
        assert resume_time(db, RunStatus.TRANSIENT, NOW + 400 * DAY, written=NOW + 400 * DAY) == NOW + 30 * SECOND


def test_a_retry_in_the_near_future_stays(tmp_path: Path) -> None:
    with store(tmp_path) as database, database.write() as db:
        assert resume_time(db, RunStatus.TRANSIENT, NOW + HOUR, written=NOW + 2 * HOUR) == NOW + HOUR


def test_a_long_delay_requested_by_a_server_stays(tmp_path: Path) -> None:
    with store(tmp_path) as database, database.write() as db:
        assert resume_time(db, RunStatus.TRANSIENT, NOW + DAY, written=NOW - SECOND) == NOW + DAY


@pytest.mark.parametrize(("requested", "left"), [(2 * DAY, 30 * SECOND), (DAY, DAY), (HOUR, HOUR)])
def test_a_wake_is_never_more_than_a_day_away(tmp_path: Path, requested: timedelta, left: timedelta) -> None:
    with store(tmp_path) as database, database.write() as db:
        handlers.update(db, "w", "file", wake_at=NOW + requested)
        shorten(db)
        row = handlers.find(db, "w", "file")
        assert row is not None and row.wake_at == NOW + left


@pytest.mark.parametrize(("requested", "left"), [(DAY, 30 * SECOND), (10 * SECOND, 10 * SECOND)])
def test_a_tool_is_checked_after_ten_minutes_at_the_latest(
    tmp_path: Path, requested: timedelta, left: timedelta
) -> None:
    with store(tmp_path) as database, database.write() as db:
        row = MutationRow(
            run="r",
            workflow="w",
            connection="c:x",
            tool="t",
            parameters={},
            key="k",
            status=MutationStatus.UNSURE,
            begun=NOW,
        )
        mutations.begin(db, row._replace(check_at=NOW + requested))
        shorten(db)
        stored = mutations.find(db, "r")
        assert stored is not None and stored.check_at == NOW + left
