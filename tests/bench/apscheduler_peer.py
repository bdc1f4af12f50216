"""APScheduler 3 with its SQLAlchemy store on SQLite: with defaults, and tuned with WAL mode."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.schedulers.base import BaseScheduler
from apscheduler.triggers.cron import CronTrigger
from sqlalchemy import create_engine, event, insert

from tests.bench.our_engine import THREADS, cron_text


def nothing(*_: object) -> None:
    """The body of a job."""


def job_store(path: Path, *, wal: bool) -> SQLAlchemyJobStore:
    engine = create_engine(f"sqlite:///{path}")
    if wal:

        @event.listens_for(engine, "connect")
        def tune(connection: object, _: object) -> None:
            cursor = connection.cursor()  # type: ignore[attr-defined]
            cursor.execute("PRAGMA journal_mode = WAL")
            cursor.execute("PRAGMA synchronous = NORMAL")

    return SQLAlchemyJobStore(engine=engine)


class Still(BaseScheduler):
    """Without a thread: ticks are called explicitly."""

    def wakeup(self) -> None:
        return

    def shutdown(self, **how: bool) -> None:
        super().shutdown(**how)


def _configured(kind: type[BaseScheduler], path: Path, *, wal: bool) -> BaseScheduler:
    return kind(
        jobstores={"default": job_store(path, wal=wal)},
        executors={"default": ThreadPoolExecutor(THREADS)},
        timezone=UTC,
        job_defaults={"misfire_grace_time": 3600},
    )


@contextmanager
def opened(path: Path, *, wal: bool = True, paused: bool = False, threaded: bool = False) -> Iterator[BaseScheduler]:
    scheduler = _configured(BackgroundScheduler if threaded else Still, path, wal=wal)
    scheduler.start(paused=paused)
    try:
        yield scheduler
    finally:
        scheduler.shutdown()


def add(scheduler: BaseScheduler, number: int, body: Callable[..., None] = nothing) -> None:
    scheduler.add_job(body, CronTrigger.from_crontab(cron_text(number), timezone=UTC), id=f"job{number}")


def fill(path: Path, number: int) -> None:
    """Store that many jobs; in bulk, since adding is measured elsewhere."""
    import pickle

    with opened(path, paused=True) as scheduler:
        add(scheduler, 0)
        store: SQLAlchemyJobStore = scheduler._jobstores["default"]
        template = scheduler.get_job("job0")
        rows = []
        for n in range(1, number):
            trigger = CronTrigger.from_crontab(cron_text(n), timezone=UTC)
            state = template.__getstate__() | {
                "id": f"job{n}",
                "trigger": trigger,
                "next_run_time": trigger.get_next_fire_time(None, datetime.now(UTC)),
            }
            stamp = state["next_run_time"].timestamp()
            rows.append({"id": state["id"], "next_run_time": stamp, "job_state": pickle.dumps(state, 5)})
        with store.engine.begin() as connection:
            connection.execute(insert(store.jobs_t), rows)
