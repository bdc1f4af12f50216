"""Adding, ticking, opening and listing schedules."""

import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from scheduler.engine.callable_launcher import Task
from scheduler.engine.queries.schedules import ScheduleQueries
from scheduler.timing.catchup import plan_catchup
from scheduler.timing.compiled import UnrecordedTimes
from scheduler.timing.policies import Catchup
from scheduler.timing.spec import ScheduleSpec
from tests.bench import apscheduler_peer, our_engine
from tests.bench.measure import Figure, alternate, measure_seconds
from tests.clocks import ManualClock

STORED = 50_000
TICKS = 40
IDLE = 0.003
"""Seconds before each tick, so that CPU caches are as cold as for a real tick."""


def adding(folder: Path, number: int) -> list[Figure]:
    """Add schedules one by one, each durable when its command returns."""

    def us() -> float:
        place = _fresh(folder / "ours")
        with our_engine.opened(place) as engine:
            return measure_seconds(
                lambda: [
                    engine.commands.add("bench", f"job{n}", {"cron": our_engine.cron_text(n)}) for n in range(number)
                ]
            )

    def them(*, wal: bool) -> float:
        place = _fresh(folder / "peer") / "jobs.db"
        with apscheduler_peer.opened(place, wal=wal, paused=True) as scheduler:
            return measure_seconds(lambda: [apscheduler_peer.add(scheduler, n) for n in range(number)])

    def raw() -> float:
        place = _fresh(folder / "raw") / "raw.db"
        connection = sqlite3.connect(place, isolation_level=None)
        connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE t (a, b, c)")
        return measure_seconds(
            lambda: [
                connection.execute("INSERT INTO t VALUES (?, ?, ?)", (n, our_engine.cron_text(n), n))
                for n in range(number)
            ]
        )

    medians = alternate({"ours": us, "APScheduler WAL": lambda: them(wal=True), "raw SQLite": raw})
    seconds = medians.pop("ours")
    return [
        Figure(
            name=f"add {number:,} schedules one by one",
            unit="s",
            ours=seconds,
            peers=medians,
            against="APScheduler WAL",
            target=1.8,
        )
    ]


def ticking(folder: Path) -> list[Figure]:
    """A tick with one of 50,000 schedules due: record it, store its next time, start it."""
    place, jobs = folder / "ours", folder / "peer" / "jobs.db"
    dice = random.Random(1)

    clock = ManualClock(datetime.now(UTC).replace(second=0, microsecond=0))

    def us() -> float:
        tasks: dict[str, Task] = {}
        with our_engine.opened(place, tasks, clock) as engine:
            for n in range(1, TICKS + 1):
                at = clock.wall + timedelta(minutes=n)
                tasks[f"bench/due{n}"] = apscheduler_peer.nothing
                engine.commands.put("bench", f"due{n}", {"cron": f"{at.minute} {at.hour} {at.day} {at.month} *"})
            engine.tick(clock.now())
            taken = []
            for _ in range(TICKS):
                clock.wall += timedelta(minutes=1)
                time.sleep(IDLE)
                taken.append(measure_seconds(lambda: engine.tick(clock.now())))
                while engine._dispatch.in_flight:
                    engine.tick(clock.now())
                engine.tick(clock.now())
            assert (
                ScheduleQueries(engine.context).statistics(since=clock.wall - timedelta(minutes=TICKS - 1)).succeeded
                == TICKS
            )
            return statistics.median(taken) * 1000

    def them() -> float:
        with apscheduler_peer.opened(jobs) as scheduler:
            scheduler._process_jobs()
            taken = []
            for _ in range(TICKS):
                scheduler.get_job(f"job{dice.randrange(STORED)}").modify(next_run_time=datetime.now(UTC))
                time.sleep(IDLE)
                taken.append(measure_seconds(scheduler._process_jobs))
            return statistics.median(taken) * 1000

    medians = alternate({"ours": us, "APScheduler WAL": them})
    milliseconds = medians.pop("ours")
    return [
        Figure(
            name="tick, one due of 50,000",
            unit="ms",
            ours=milliseconds,
            peers=medians,
            against="APScheduler WAL",
            target=2,
        ),
        Figure(name="tick, one due of 50,000 (limit)", unit="ms", ours=milliseconds, target=1),
    ]


def listing(folder: Path) -> list[Figure]:
    """Open and arm, then list all, each in a separate process."""
    place, jobs = folder / "ours", folder / "peer" / "jobs.db"
    results: dict[str, list[list[float]]] = {"ours": [], "peer": []}
    for _ in range(5):
        for who, path in (("ours", place), ("peer", jobs)):
            command = [sys.executable, "-m", "tests.bench.open_process", who, str(path)]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            results[who].append([float(word) for word in output.split()])
    us, them = ([statistics.median(column) for column in zip(*rows, strict=True)] for rows in results.values())
    return [
        Figure(name="open and arm with 50,000", unit="ms", ours=us[0] * 1000, target=100),
        Figure(
            name="list 50,000",
            unit="s",
            ours=us[1],
            peers={"APScheduler WAL": them[1]},
            against="APScheduler WAL",
            target=6,
        ),
        Figure(
            name="memory after listing 50,000",
            unit="MB",
            ours=us[2],
            peers={"APScheduler WAL": them[2]},
            against="APScheduler WAL",
            target=2,
        ),
    ]


def missed() -> list[Figure]:
    """Catch-up decisions for one and ten years of missed times, one per minute."""
    now = datetime(2026, 11, 16, 12, 0, 30, tzinfo=UTC)
    figures = []
    for name, written in (("every 1m", {"every": "1m"}), ("cron * * * * *", {"cron": "* * * * *"})):
        taken = {}
        for years in (1, 10):
            begin = now - timedelta(days=365 * years)
            times = UnrecordedTimes(
                ScheduleSpec.read(written, machine_zone="Europe/Berlin", now=begin).compile("Europe/Berlin")
            )
            first = times.after(begin)
            assert first is not None

            def decide(times: UnrecordedTimes, first: datetime) -> float:
                last = times.last(first, now)
                assert last is not None
                plan = partial(plan_catchup, times, first, last, mode=Catchup.ONE, window=None, now=now)
                return measure_seconds(plan) + measure_seconds(lambda: times.last(first, now))

            taken[years] = alternate({"ours": partial(decide, times, first)})["ours"] * 1000
        figures.append(Figure(name=f"a year of {name} missed, catch-up one", unit="ms", ours=taken[1], target=50))
        figures.append(Figure(name=f"ten years of {name}", unit="ms", ours=taken[10], target=50))
    return figures


def _fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
