"""Maintenance in idle moments: the index catches up, old history goes, and having nothing to do writes nothing."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from scheduler.engine.context import EngineContext
from scheduler.engine.maintenance import Maintenance
from scheduler.engine.settings import Settings
from scheduler.rules.history_query import HistoryCursor, HistoryQuery
from scheduler.store import history, history_index
from scheduler.store.database import Database
from scheduler.store.opening import close_store, open_store
from tests.clocks import ManualClock
from tests.engine.engine_fixture import START
from tests.store.history_samples import add_ended_run
from tests.store.workflow_rows import add_workflow

DAY = timedelta(days=1)
KEPT = timedelta(days=365)


class MaintenanceBench:
    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock()
        self.database: Database = open_store(folder, START).database
        with self.database.write() as db:
            add_workflow(db, "w")
        context = EngineContext(
            database=self.database,
            clock=self.clock,
            announce=lambda _: None,
            report_change=lambda _: None,
            settings=Settings(),
            machine_zone="UTC",
        )
        self.context = context
        self.maintenance = Maintenance(context)

    def keep(self, kept: timedelta | None) -> None:
        self.context.settings = replace(self.context.settings, kept=kept)

    def add(self, number: int, first: int = 0) -> None:
        with self.database.write() as db:
            for place in range(first, first + number):
                add_ended_run(db, f"r{place}", at=self.clock.wall, summary="Filed")

    def live(self, span: timedelta) -> None:
        """Let days pass on a running computer, with one step per day."""
        end = self.clock.wall + span
        while self.clock.wall < end:
            self.clock.move(min(DAY, end - self.clock.wall))
            while self.maintenance.step():
                pass

    def runs(self) -> int:
        return int(self.database.read().execute("SELECT count(*) FROM runs").fetchone()[0])

    def writes(self) -> int:
        """A number that grows with every transaction that changes the file."""
        return int(self.database.read().execute("PRAGMA data_version").fetchone()[0])


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[MaintenanceBench]:
    bench = MaintenanceBench(tmp_path)
    yield bench
    close_store(bench.database)


def test_the_index_catches_up_in_small_steps(bench: MaintenanceBench) -> None:
    bench.add(1_200)
    steps = [bench.maintenance.step() for _ in range(4)]
    assert steps == [True, True, False, False]
    db = bench.database.read()
    assert not history_index.count_unindexed(db)
    assert len(history.find_runs(db, HistoryQuery(text="filed"), HistoryCursor(), 2_000)) == 1_200


def test_a_busy_engine_keeps_the_index_lag_small(bench: MaintenanceBench) -> None:
    bench.add(100)
    assert not bench.maintenance.index_while_busy()
    bench.add(100, first=100)
    assert [bench.maintenance.index_while_busy() for _ in range(3)] == [True, True, False]
    assert history_index.count_unindexed(bench.database.read()) == 100


def test_old_history_is_deleted_in_small_steps(bench: MaintenanceBench) -> None:
    bench.add(300)
    while bench.maintenance.step():
        pass
    bench.live(KEPT + DAY)
    bench.add(1, first=300)
    while bench.maintenance.step():
        pass
    bench.clock.move(DAY)
    numbers = []
    while bench.maintenance.step():
        numbers.append(bench.runs())
    assert numbers == [101, 1]


def test_recent_history_stays(bench: MaintenanceBench) -> None:
    bench.add(10)
    bench.live(KEPT - DAY)
    bench.add(1, first=10)
    while bench.maintenance.step():
        pass
    assert bench.runs() == 11


def test_a_shorter_retention_applies_at_once(bench: MaintenanceBench) -> None:
    bench.add(3)
    bench.live(33 * DAY)
    bench.add(1, first=3)
    while bench.maintenance.step():
        pass
    assert bench.runs() == 4
    bench.keep(30 * DAY)
    while bench.maintenance.step():
        pass
    assert bench.runs() == 1


def test_history_kept_for_ever_stays(bench: MaintenanceBench) -> None:
    bench.keep(None)
    bench.add(3)
    bench.live(3 * 365 * DAY)
    bench.add(1, first=3)
    while bench.maintenance.step():
        pass
    assert bench.runs() == 4


def test_with_nothing_to_do_nothing_is_written(bench: MaintenanceBench) -> None:
    bench.add(10)
    while bench.maintenance.step():
        pass
    before = bench.writes()
    assert not bench.maintenance.step()
    assert bench.writes() == before


@pytest.mark.parametrize("step", [timedelta(hours=1), -timedelta(hours=1)], ids=["an hour later", "clock set back"])
def test_it_checks_again(bench: MaintenanceBench, step: timedelta) -> None:
    bench.add(1)
    bench.live(4 * DAY)
    bench.database.read().execute("UPDATE runs SET created = 0, ended = 0, status = 'cancelled'")
    assert not bench.maintenance.step() and bench.runs() == 1, "it has just checked"
    bench.clock.move(step)
    assert bench.maintenance.step() and bench.runs() == 0


def test_clean_up_runs_once_after_old_history_is_deleted(tmp_path: Path) -> None:
    bench = MaintenanceBench(tmp_path)
    cleaned: list[int] = []
    maintenance = Maintenance(bench.maintenance._context, clean_up=lambda: cleaned.append(1))
    for _ in range(5):
        maintenance.step()
    assert cleaned == [1]
    close_store(bench.database)


def test_a_clock_400_days_ahead_for_a_while_deletes_nothing(bench: MaintenanceBench) -> None:
    """For 12 seconds, for hours, at a start, or repeatedly: a clock must be steady for a day to be trusted."""
    bench.add(50)
    bench.live(5 * DAY)
    for seconds in (12, 3_600, 23 * 3_600):
        bench.clock.wall += 400 * DAY
        bench.add(1, first=1_000 + seconds)
        bench.maintenance = Maintenance(bench.context)
        for _ in range(20):
            bench.maintenance.step()
            bench.clock.move(timedelta(seconds=seconds / 20))
        bench.clock.wall -= 400 * DAY
        bench.live(3 * DAY)
    assert bench.runs() == 53


def test_a_computer_that_was_off_for_400_days_deletes_old_history_a_day_later(bench: MaintenanceBench) -> None:
    bench.add(50)
    bench.live(5 * DAY)
    bench.clock.wall += 400 * DAY
    bench.add(1, first=100)
    bench.maintenance = Maintenance(bench.context)
    bench.live(timedelta(hours=20))
    assert bench.runs() == 51
    bench.live(3 * DAY)
    assert bench.runs() == 1


def test_a_computer_that_is_on_for_an_hour_a_day_deletes_old_history(bench: MaintenanceBench) -> None:
    bench.keep(30 * DAY)
    bench.add(50)
    for _ in range(33):
        bench.clock.wall += timedelta(hours=23)
        bench.maintenance = Maintenance(bench.context)
        for _ in range(4):
            while bench.maintenance.step():
                pass
            bench.clock.move(timedelta(minutes=15))
    bench.add(1, first=100)
    bench.live(DAY)
    assert bench.runs() == 1


def test_only_a_share_is_deleted_per_hour(bench: MaintenanceBench) -> None:
    bench.add(1_300)
    bench.live(KEPT)
    bench.add(1, first=2_000)
    left = []
    for _ in range(3):
        bench.live(DAY)
        left.append(bench.runs())
    assert left[-1] >= 1_301 - 3 * 500
    before = bench.runs()
    bench.clock.move(timedelta(hours=1))
    while bench.maintenance.step():
        pass
    assert before - bench.runs() <= 500
