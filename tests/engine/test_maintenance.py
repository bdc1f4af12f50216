"""Chores for quiet moments: the index catches up, what is old goes, and doing nothing costs no write."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from scheduler.engine.context import Context
from scheduler.engine.settings import Settings
from scheduler.engine.tidying import Tidying
from scheduler.store import history
from scheduler.store.database import Database
from scheduler.store.health import close_store, open_store
from scheduler.store.history import Page, Search
from tests.engine.harness import START, MovedClock
from tests.store.past import add_past
from tests.store.workflow_rows import add_workflow

DAY = timedelta(days=1)
KEPT = timedelta(days=365)


class Bench:
    def __init__(self, folder: Path) -> None:
        self.clock = MovedClock()
        self.database: Database = open_store(folder, START).database
        with self.database.write() as db:
            add_workflow(db, "w")
        context = Context(
            database=self.database,
            clock=self.clock,
            announce=lambda _: None,
            tell=lambda _: None,
            settings=Settings(),
            machine_zone="UTC",
        )
        self.context = context
        self.tidying = Tidying(context)

    def keep(self, kept: timedelta | None) -> None:
        self.context.settings = replace(self.context.settings, kept=kept)

    def add(self, number: int, first: int = 0) -> None:
        with self.database.write() as db:
            for place in range(first, first + number):
                add_past(db, f"r{place}", at=self.clock.wall, summary="Filed")

    def live(self, span: timedelta) -> None:
        """Let days pass on a computer that is on, one look each, as the clock of a real one goes."""
        end = self.clock.wall + span
        while self.clock.wall < end:
            self.clock.move(min(DAY, end - self.clock.wall))
            while self.tidying.step():
                pass

    def runs(self) -> int:
        return int(self.database.read().execute("SELECT count(*) FROM runs").fetchone()[0])

    def writes(self) -> int:
        """Grows with every transaction that changes the file."""
        return int(self.database.read().execute("PRAGMA data_version").fetchone()[0])


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    close_store(bench.database)


def test_the_index_catches_up_a_little_at_a_time(bench: Bench) -> None:
    bench.add(1_200)
    steps = [bench.tidying.step() for _ in range(4)]
    assert steps == [True, True, False, False]
    db = bench.database.read()
    assert not history.lag(db)
    assert len(history.find_runs(db, Search(text="filed"), Page(), 2_000)) == 1_200


def test_where_it_is_never_quiet_the_index_follows_at_a_distance(bench: Bench) -> None:
    bench.add(100)
    assert not bench.tidying.keep_up()
    bench.add(100, first=100)
    assert [bench.tidying.keep_up() for _ in range(3)] == [True, True, False]
    assert history.lag(bench.database.read()) == 100


def test_what_is_old_goes_a_little_at_a_time(bench: Bench) -> None:
    bench.add(300)
    while bench.tidying.step():
        pass
    bench.live(KEPT + DAY)
    bench.add(1, first=300)
    while bench.tidying.step():
        pass
    bench.clock.move(DAY)
    numbers = []
    while bench.tidying.step():
        numbers.append(bench.runs())
    assert numbers == [101, 1]


def test_what_is_young_stays(bench: Bench) -> None:
    bench.add(10)
    bench.live(KEPT - DAY)
    bench.add(1, first=10)
    while bench.tidying.step():
        pass
    assert bench.runs() == 11


def test_a_person_who_wants_less_of_it_is_followed_at_once(bench: Bench) -> None:
    bench.add(3)
    bench.live(33 * DAY)
    bench.add(1, first=3)
    while bench.tidying.step():
        pass
    assert bench.runs() == 4
    bench.keep(30 * DAY)
    while bench.tidying.step():
        pass
    assert bench.runs() == 1


def test_what_is_kept_for_ever_stays(bench: Bench) -> None:
    bench.keep(None)
    bench.add(3)
    bench.live(3 * 365 * DAY)
    bench.add(1, first=3)
    while bench.tidying.step():
        pass
    assert bench.runs() == 4


def test_with_nothing_to_do_nothing_is_written(bench: Bench) -> None:
    bench.add(10)
    while bench.tidying.step():
        pass
    before = bench.writes()
    assert not bench.tidying.step()
    assert bench.writes() == before


@pytest.mark.parametrize("step", [timedelta(hours=1), -timedelta(hours=1)], ids=["an hour later", "clock set back"])
def test_it_looks_again(bench: Bench, step: timedelta) -> None:
    bench.add(1)
    bench.live(4 * DAY)
    bench.database.read().execute("UPDATE runs SET created = 0, ended = 0, status = 'cancelled'")
    assert not bench.tidying.step() and bench.runs() == 1, "it has just looked"
    bench.clock.move(step)
    assert bench.tidying.step() and bench.runs() == 0


def test_cleaning_up_comes_once_after_all_that_is_old_was_forgotten(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    cleaned: list[int] = []
    tidying = Tidying(bench.tidying._context, clean_up=lambda: cleaned.append(1))
    for _ in range(5):
        tidying.step()
    assert cleaned == [1]
    close_store(bench.database)


def test_a_clock_400_days_ahead_for_a_while_forgets_nothing(bench: Bench) -> None:
    """For 12 seconds, for hours, at a start, or again and again: it has to hold for a day."""
    bench.add(50)
    bench.live(5 * DAY)
    for seconds in (12, 3_600, 23 * 3_600):
        bench.clock.wall += 400 * DAY
        bench.add(1, first=1_000 + seconds)
        bench.tidying = Tidying(bench.context)
        for _ in range(20):
            bench.tidying.step()
            bench.clock.move(timedelta(seconds=seconds / 20))
        bench.clock.wall -= 400 * DAY
        bench.live(3 * DAY)
    assert bench.runs() == 53


def test_a_computer_that_was_off_for_400_days_forgets_a_day_later(bench: Bench) -> None:
    bench.add(50)
    bench.live(5 * DAY)
    bench.clock.wall += 400 * DAY
    bench.add(1, first=100)
    bench.tidying = Tidying(bench.context)
    bench.live(timedelta(hours=20))
    assert bench.runs() == 51
    bench.live(3 * DAY)
    assert bench.runs() == 1


def test_a_computer_that_is_on_for_an_hour_a_day_forgets_what_is_old(bench: Bench) -> None:
    bench.keep(30 * DAY)
    bench.add(50)
    for _ in range(33):
        bench.clock.wall += timedelta(hours=23)
        bench.tidying = Tidying(bench.context)
        for _ in range(4):
            while bench.tidying.step():
                pass
            bench.clock.move(timedelta(minutes=15))
    bench.add(1, first=100)
    bench.live(DAY)
    assert bench.runs() == 1


def test_in_an_hour_only_a_share_is_forgotten(bench: Bench) -> None:
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
    while bench.tidying.step():
        pass
    assert before - bench.runs() <= 500
