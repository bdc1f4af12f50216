"""A clock that was set back: what was to go on soon does not wait for the time that lay ahead."""

import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from scheduler.rules.mutations import Mutation
from scheduler.rules.phases import Status
from scheduler.store import handlers, mutations, runs, waits
from scheduler.store.mutations import MutationRow
from tests.store.workflow_rows import NOW, run, store

HOUR, DAY, SECOND = timedelta(hours=1), timedelta(days=1), timedelta(seconds=1)


def shorten(db: sqlite3.Connection) -> None:
    waits.shorten(db, NOW, retry=HOUR, wake=DAY, check=timedelta(minutes=10), to=30 * SECOND)


def resumes(db: sqlite3.Connection, status: Status, at: datetime, *, written: datetime) -> datetime | None:
    runs.insert(db, run("r")._replace(status=status, resume_at=at, updated=written))
    shorten(db)
    found = runs.find(db, "r")
    assert found is not None
    return found.resume_at


@pytest.mark.parametrize("status", [Status.CRASHED, Status.APPROVAL, Status.RECONCILIATION, Status.LOGIC])
def test_what_may_go_on_goes_on_now(tmp_path: Path, status: Status) -> None:
    """M5: its answer was given, or Dayhand was started, under a clock that lay ahead."""
    with store(tmp_path) as database, database.write() as db:
        assert resumes(db, status, NOW + 400 * DAY, written=NOW - DAY) == NOW


def test_a_retry_never_waits_longer_than_retries_do(tmp_path: Path) -> None:
    with store(tmp_path) as database, database.write() as db:
        assert resumes(db, Status.TRANSIENT, NOW + 400 * DAY, written=NOW + 400 * DAY) == NOW + 30 * SECOND


def test_a_retry_that_is_near_stays(tmp_path: Path) -> None:
    with store(tmp_path) as database, database.write() as db:
        assert resumes(db, Status.TRANSIENT, NOW + HOUR, written=NOW + 2 * HOUR) == NOW + HOUR


def test_a_long_wait_that_a_server_asked_for_stays(tmp_path: Path) -> None:
    """F2"""
    with store(tmp_path) as database, database.write() as db:
        assert resumes(db, Status.TRANSIENT, NOW + DAY, written=NOW - SECOND) == NOW + DAY


@pytest.mark.parametrize(("asked", "left"), [(2 * DAY, 30 * SECOND), (DAY, DAY), (HOUR, HOUR)])
def test_a_wake_is_never_more_than_a_day_away(tmp_path: Path, asked: timedelta, left: timedelta) -> None:
    """Invariant 11"""
    with store(tmp_path) as database, database.write() as db:
        handlers.update(db, "w", "file", wake_at=NOW + asked)
        shorten(db)
        found = handlers.find(db, "w", "file")
        assert found is not None and found.wake_at == NOW + left


@pytest.mark.parametrize(("asked", "left"), [(DAY, 30 * SECOND), (10 * SECOND, 10 * SECOND)])
def test_a_tool_is_asked_after_ten_minutes_at_the_latest(tmp_path: Path, asked: timedelta, left: timedelta) -> None:
    with store(tmp_path) as database, database.write() as db:
        row = MutationRow(
            run="r", workflow="w", connection="c:x", tool="t", parameters={}, key="k", status=Mutation.UNSURE, begun=NOW
        )
        mutations.begin(db, row._replace(check_at=NOW + asked))
        shorten(db)
        found = mutations.find(db, "r")
        assert found is not None and found.check_at == NOW + left
