"""A workflow in a real store file, as small as the tests of its aggregates need it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scheduler.rules.phases import HandlerKind, Phase, Status
from scheduler.store import events, runs, workflows
from scheduler.store.database import Database
from scheduler.store.health import close_store, open_store
from scheduler.store.runs import RunRow
from scheduler.store.workflows import ScriptOrigin, ScriptRow, WorkflowRow, WorkflowStatus

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)


@contextmanager
def store(folder: Path) -> Iterator[Database]:
    database = open_store(folder, NOW).database
    with database.write() as db:
        row = WorkflowRow("w", "W", "w.py", ("home",), WorkflowStatus.ACTIVE, False, 1, 0, 1, NOW)  # noqa: FBT003
        workflows.save(db, row)
        workflows.add_script(db, ScriptRow("w", 1, "aa", "print()", ScriptOrigin.AUTHOR, {"handlers": []}, NOW))
        workflows.put_handler(db, "w", "poll", HandlerKind.PRODUCER)
        workflows.put_handler(db, "w", "file", HandlerKind.CONSUMER)
        for topic in ("mails", "news"):
            events.add_topic(db, "w", topic)
    yield database
    close_store(database)


def run(name: str, *, retry_of: str | None = None, attempt: int = 1, status: Status = Status.ACTIVE) -> RunRow:
    return RunRow(
        id=name,
        workflow="w",
        handler="file",
        kind=HandlerKind.CONSUMER,
        trigger="event",
        script=1,
        phase=Phase.PREPARING,
        status=status,
        created=NOW + timedelta(seconds=attempt),
        updated=NOW,
        retry_of=retry_of,
        attempt=attempt,
    )


def add_run(database: Database, name: str, **facts: object) -> None:
    with database.write() as db:
        runs.insert(db, run(name, **facts))  # type: ignore[arg-type]
