"""Dayhand as the bench drives it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from scheduler.engine.callable_launcher import CallableLauncher, Task
from scheduler.engine.clock import Clock
from scheduler.engine.scheduling.engine import Engine
from scheduler.engine.settings import Settings
from scheduler.store.database import to_ms
from scheduler.store.opening import close_store, open_store
from tests.bench.null_launcher import NullLauncher

THREADS = 10


def cron_text(number: int) -> str:
    """A text like those in crontabs, in a month that is not near."""
    month = (datetime.now(UTC).month + 5) % 12 + 1
    return f"{number % 60} {number // 60 % 24} * {month} mon-fri"


@contextmanager
def opened(folder: Path, tasks: dict[str, Task] | None = None, clock: Clock | None = None) -> Iterator[Engine]:
    database = open_store(folder, datetime.now(UTC)).database
    launcher = NullLauncher() if tasks is None else CallableLauncher(lambda work: tasks[work.subject], THREADS)
    engine = Engine(database, launcher.attach, machine_zone="UTC", clock=clock, settings=Settings(concurrency=THREADS))
    engine.recover()
    try:
        yield engine
    finally:
        launcher.close()
        close_store(database)


def fill(folder: Path, number: int) -> None:
    """Store that many schedules through the normal command."""
    with opened(folder) as engine:
        for n in range(number):
            engine.commands.add("bench", f"job{n}", {"cron": cron_text(n)})


def shift_due(engine: Engine, schedule: str, due: datetime) -> None:
    """Move the due time of a schedule's next run, as jitter does: only planned times are whole seconds."""
    with engine._context.database.write() as db:
        db.execute("UPDATE schedules SET next_due = ? WHERE id = ?", (to_ms(due), schedule))
    engine.wake()
