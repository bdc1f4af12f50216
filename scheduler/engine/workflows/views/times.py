"""What comes next, of one workflow or all."""

from dataclasses import dataclass
from datetime import datetime
from heapq import nsmallest

from scheduler.engine.upcoming import upcoming_times
from scheduler.engine.workflows.names import find_workflow
from scheduler.engine.workflows.views.look import Look
from scheduler.engine.workflows.views.sentences import say_schedule
from scheduler.store import schedules, workflows
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.errors import BadScheduleError

MOST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NextTime:
    at: datetime
    workflow: str
    name: str
    handler: str
    words: str


def find_next(look: Look, name: str | None, number: int) -> list[NextTime]:
    """The next times over all schedules, the earliest first."""
    number = min(max(number, 1), MOST)
    slug = None if name is None else find_workflow(look.db, name).slug
    names = {row.slug: row.name for row in workflows.every_one(look.db)}
    found = [
        (at, row)
        for row in schedules.every_one(look.db, workflow=slug)
        if not row.rests or row.paused_until is not None
        for at in _coming(look, row, number)
    ]
    return [
        NextTime(
            at=at,
            workflow=row.workflow,
            name=names.get(row.workflow, row.workflow),
            handler=row.handler,
            words=say_schedule(look, row),
        )
        for at, row in nsmallest(number, found, key=lambda one: (one[0], one[1].id))
    ]


def _coming(look: Look, row: ScheduleRow, number: int) -> list[datetime]:
    try:
        return upcoming_times(look.context, look.db, row, number, look.now)
    except BadScheduleError:
        return []
