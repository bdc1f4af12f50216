"""Changed occurrences and gaps are reported after the commit of their transaction, and only then."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.store import gaps, occurrence_changes, occurrences, schedules
from scheduler.store.database import Database
from scheduler.store.occurrence_changes import OccurrenceChange
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.opening import close_store, open_store
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.catchup import Gap
from scheduler.timing.compiled import Count
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState

NOW = datetime(2026, 11, 16, 10, tzinfo=UTC)


class Store:
    def __init__(self, folder: Path) -> None:
        self.database: Database = open_store(folder, NOW).database
        self.reported: list[list[OccurrenceChange]] = []

    def watch(self) -> None:
        occurrence_changes.watch(self.database, self._report)

    def add_schedule(self) -> None:
        with self.database.write() as db:
            row = ScheduleRow(
                id="w/h",
                workflow="w",
                handler="h",
                kind="job",
                spec="{}",
                policies="{}",
                version=1,
                next_at=None,
                next_due=None,
                computed=NOW,
                created=NOW,
            )
            schedules.save(db, row)

    def states(self) -> list[list[tuple[str | None, str]]]:
        return [[(one.old_state, one.state) for one in changes] for changes in self.reported]

    def _report(self, changes: list[Any]) -> None:
        with self.database.quick_read() as db:
            assert not db.in_transaction, "it is committed"
        self.reported.append([OccurrenceChange._make(one) for one in changes])


def occurrence(key: str = "k") -> OccurrenceRow:
    return OccurrenceRow(key=key, schedule="w/h", planned=NOW, due=NOW, created=NOW, origin=OccurrenceOrigin.AUTOMATIC)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    store = Store(tmp_path)
    store.add_schedule()
    yield store
    close_store(store.database)


@pytest.mark.parametrize("is_connected", [True, False])
def test_it_works_before_and_after_the_first_transaction(tmp_path: Path, *, is_connected: bool) -> None:
    store = Store(tmp_path)
    if not is_connected:
        store.watch()
    store.add_schedule()
    if is_connected:
        store.watch()
    with store.database.write() as db:
        occurrences.insert(db, occurrence())
    assert store.states() == [[(None, "queued")]]
    close_store(store.database)


def test_each_transaction_reports_its_own_changes(store: Store) -> None:
    store.watch()
    with store.database.write() as db:
        occurrences.insert_all(db, [occurrence("a"), occurrence("b")])
        occurrences.update_if(db, "a", OccurrenceState.QUEUED, state=OccurrenceState.STARTED, began=NOW)
    with store.database.write() as db:
        occurrences.update_if(db, "b", OccurrenceState.QUEUED, due=NOW + timedelta(hours=1))
    with store.database.write() as db:
        occurrences.insert(db, occurrence("a"))
    with store.database.write() as db:
        gaps.add(db, "w/h", Gap(NOW, NOW, Count(7), OccurrenceReason.PASSED), OccurrenceState.MISSED, NOW)
    assert store.states() == [
        [(None, "queued"), (None, "queued"), ("queued", "started")],
        [(None, "missed")],
    ], "not what was there already, and not a time that moved"
    assert store.reported[1][0].number == 7


def test_a_rollback_reports_nothing_and_leaves_nothing_behind(store: Store) -> None:
    def fail() -> None:
        with store.database.write() as db:
            occurrences.insert(db, occurrence("a"))
            raise ZeroDivisionError

    store.watch()
    with pytest.raises(ZeroDivisionError):
        fail()
    with store.database.write() as db:
        occurrences.insert(db, occurrence("b"))
    assert [[one.key for one in changes] for changes in store.reported] == [["b"]]


def test_a_time_dropped_by_a_wrong_clock_is_reported_when_it_comes(store: Store) -> None:
    with store.database.write() as db:
        occurrences.insert(db, occurrence())
        clock = {"reason": OccurrenceReason.CLOCK, "ended": NOW}
        occurrences.move(db, "k", OccurrenceState.QUEUED, OccurrenceState.DROPPED, **clock)
    store.watch()
    with store.database.write() as db:
        assert occurrences.insert(db, occurrence())
    assert store.states() == [[("dropped", "queued")]]


def test_nothing_of_it_is_stored_in_the_file(store: Store) -> None:
    store.watch()
    with store.database.write() as db:
        occurrences.insert(db, occurrence())
    names = [
        row[0] for row in store.database.read().execute("SELECT name FROM main.sqlite_master WHERE type = 'trigger'")
    ]
    assert not {"occurrence_added", "occurrence_changed", "gap_added"} & set(names)
