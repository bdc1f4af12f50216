"""A minimal workflow in a real store file."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scheduler.rules.phases import HandlerKind, RunPhase, RunStatus
from scheduler.store import handlers, lanes, runs, workflows
from scheduler.store.database import Database
from scheduler.store.opening import close_store, open_store
from scheduler.store.runs import RunRow
from scheduler.store.workflows import ScriptOrigin, ScriptRow, WorkflowRow, WorkflowStatus

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)


@contextmanager
def store(folder: Path) -> Iterator[Database]:
    database = open_store(folder, NOW).database
    with database.write() as db:
        add_workflow(db, "w")
    yield database
    close_store(database)


def add_workflow(db: sqlite3.Connection, slug: str) -> None:
    """A producer, a consumer of the topics mails and news, and their lane."""
    workflows.save(
        db,
        WorkflowRow(
            slug=slug,
            name=slug.upper(),
            path=f"{slug}.py",
            tags=("home",),
            status=WorkflowStatus.ACTIVE,
            fixing=False,
            watching=False,
            script=1,
            sequence=0,
            version=1,
            created=NOW,
        ),
    )
    workflows.add_script(db, ScriptRow(slug, 1, "aa", "print()", ScriptOrigin.AUTHOR, {"handlers": []}, NOW))
    lanes.ensure(db, slug, "")
    handlers.save(db, slug, "poll", HandlerKind.PRODUCER)
    handlers.save(db, slug, "file", HandlerKind.CONSUMER, ["mails", "news"])


def sequence_of(database: Database, slug: str = "w") -> int:
    row = workflows.find(database.read(), slug)
    assert row is not None
    return row.sequence


def make_run(
    name: str,
    *,
    workflow: str = "w",
    chain: str | None = None,
    retry_of: str | None = None,
    attempt: int = 1,
    phase: RunPhase = RunPhase.PREPARING,
    status: RunStatus = RunStatus.ACTIVE,
    resume_at: datetime | None = None,
) -> RunRow:
    return RunRow(
        id=name,
        workflow=workflow,
        handler="file",
        kind=HandlerKind.CONSUMER,
        trigger="event",
        script=1,
        chain=chain or name,
        phase=phase,
        status=status,
        created=NOW + timedelta(seconds=attempt),
        updated=NOW,
        retry_of=retry_of,
        attempt=attempt,
        resume_at=resume_at,
    )


def add_run(database: Database, name: str, **facts: object) -> None:
    with database.write() as db:
        runs.insert(db, make_run(name, **facts))  # type: ignore[arg-type]
