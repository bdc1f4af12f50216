"""Idle with 1,000 schedules and nothing due within the hour: wake-ups, disk, CPU."""

import os
import time
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QTimer

from app.engine_thread import EngineThread
from scheduler.engine.scheduling.engine import Engine
from scheduler.engine.scheduling.launcher import Announce
from scheduler.store.opening import close_store, open_store
from tests.bench import our_engine
from tests.bench.measure import Figure
from tests.bench.null_launcher import NullLauncher

SCHEDULES = 1_000


def idle(folder: Path, seconds: int) -> list[Figure]:
    app = QCoreApplication.instance() or QCoreApplication([])
    place = folder / "idle"
    our_engine.fill(place, SCHEDULES)
    database = open_store(place, datetime.now(UTC)).database
    ticks: list[float] = []
    statements: list[str] = []

    class Watched(Engine):
        def tick(self, now: datetime) -> datetime:
            ticks.append(time.monotonic())
            database.read().set_trace_callback(statements.append)
            return super().tick(now)

    def make(announce: Announce) -> Engine:
        return Watched(database, NullLauncher().attach, machine_zone="UTC", announce=announce)

    host = EngineThread(make)
    host.start()
    settled: dict[str, float] = {}

    def settle() -> None:
        ticks.clear()
        statements.clear()
        settled.update(processor=time.process_time(), calls=_calls(), start=time.monotonic())

    QTimer.singleShot(2_000, settle)
    QTimer.singleShot(2_000 + seconds * 1000, app.quit)
    app.exec()
    span = time.monotonic() - settled["start"]
    processor = time.process_time() - settled["processor"]
    calls = _calls() - settled["calls"]
    host.stop()
    close_store(database)
    return [
        Figure(name="idle, 1,000 schedules: ticks a minute", unit="", ours=len(ticks) * 60 / span, target=1.1),
        Figure(name="idle: SQL statements", unit="", ours=len(statements), target=0),
        Figure(name="idle: reads and writes of files, a tick", unit="", ours=calls / max(len(ticks), 1), target=8),
        Figure(name="idle: share of a core", unit="%", ours=processor / span * 100, target=0.1),
    ]


def _calls() -> float:
    """Read and write calls of this process, including the wake-up descriptor of the event loop."""
    lines = Path(f"/proc/{os.getpid()}/io").read_text().splitlines()
    return sum(float(line.split()[1]) for line in lines if line.startswith(("syscr", "syscw")))
