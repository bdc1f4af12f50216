"""The events of a workflow that wait for their consumer."""

from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from scheduler.engine.queries.snapshot import Snapshot
from scheduler.store import events


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingEvent:
    topic: str
    id: str
    title: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingEvents:
    shown: tuple[PendingEvent, ...]
    """The oldest of each topic."""
    more: int
    now: datetime


def find_pending(snapshot: Snapshot, workflow: str, limit: int) -> PendingEvents:
    numbers = events.count_pending(snapshot.db, workflow)
    found = (
        PendingEvent(topic=row.topic, id=row.id, title=row.title or row.id, since=row.published)
        for topic in numbers
        for row in events.peek(snapshot.db, workflow, topic, limit)
    )
    shown = tuple(islice(found, limit))
    return PendingEvents(shown=shown, more=sum(numbers.values()) - len(shown), now=snapshot.now)
