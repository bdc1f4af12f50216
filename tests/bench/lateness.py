"""How late runs start: 100 at 100 different times, and 100 at the same time."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import mkdtemp

from apscheduler.triggers.date import DateTrigger
from PySide6.QtCore import QCoreApplication

from app.engine_thread import EngineThread
from scheduler.engine.callable_launcher import CallableLauncher
from scheduler.engine.scheduling.engine import Engine
from scheduler.engine.scheduling.launcher import Announce, Work
from scheduler.engine.settings import Settings
from scheduler.store.opening import close_store, open_store
from tests.bench import apscheduler_peer, our_engine
from tests.bench.measure import Figure, alternate, percentile

NUMBER = 100
STEP = timedelta(milliseconds=100)
HEAD_START = timedelta(seconds=1.5)

_begun: dict[str, float] = {}
_all_begun = threading.Event()


def note(name: str) -> None:
    _begun[name] = time.time()
    if len(_begun) == NUMBER:
        _all_begun.set()


def lateness(folder: Path) -> list[Figure]:
    _ = QCoreApplication.instance() or QCoreApplication([])
    figures = []
    for name, step in (("100 known instants", STEP), ("one instant", timedelta())):
        medians = alternate(
            {
                "ours": lambda step=step: _late(lambda begin: _us(folder, begin, step), step),
                "APScheduler WAL": lambda step=step: _late(lambda begin: _them(folder, begin, step), step),
            }
        )
        milliseconds = medians.pop("ours")
        figures.append(
            Figure(
                name=f"100 schedules at {name}, p99 late",
                unit="ms",
                ours=milliseconds,
                peers=medians,
                against="APScheduler WAL",
                target=1,
            )
        )
    return figures


def _late(run: Callable[[datetime], None], step: timedelta) -> float:
    _begun.clear()
    _all_begun.clear()
    begin = datetime.now(UTC).replace(microsecond=0) + HEAD_START + timedelta(seconds=1)
    begin = begin.replace(microsecond=0)
    run(begin)
    late = [_begun[f"job{n}"] - (begin + n * step).timestamp() for n in range(NUMBER)]
    assert min(late) > -0.001, "a run began before its time"
    return percentile(late, 0.99) * 1000


def _us(folder: Path, begin: datetime, step: timedelta) -> None:
    place = Path(mkdtemp(dir=folder))
    database = open_store(place, datetime.now(UTC)).database
    tasks = {f"bench/job{n}": _task(n) for n in range(NUMBER)}
    launcher = CallableLauncher(lambda work: tasks[work.subject], our_engine.THREADS)

    def make(announce: Announce) -> Engine:
        settings = Settings(concurrency=our_engine.THREADS)
        engine = Engine(database, launcher.attach, machine_zone="UTC", settings=settings, announce=announce)
        for n in range(NUMBER):
            due = begin + n * step
            engine.commands.add("bench", f"job{n}", {"once": due.replace(microsecond=0).isoformat()})
            our_engine.shift_due(engine, f"bench/job{n}", due)
        return engine

    host = EngineThread(make)
    host.start()
    assert _all_begun.wait(60)
    host.stop()
    launcher.close()
    close_store(database)


def _task(number: int) -> Callable[[Work], None]:
    return lambda _: note(f"job{number}")


def _them(folder: Path, begin: datetime, step: timedelta) -> None:
    place = Path(mkdtemp(dir=folder)) / "jobs.db"
    with apscheduler_peer.opened(place, threaded=True) as scheduler:
        for n in range(NUMBER):
            scheduler.add_job(note, DateTrigger(begin + n * step), id=f"job{n}", args=[f"job{n}"])
        assert _all_begun.wait(60)
