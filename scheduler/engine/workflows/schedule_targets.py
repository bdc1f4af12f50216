"""Applies a command on schedules to one handler of a workflow, or to all of its schedules."""

from collections.abc import Callable
from typing import Any

from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.lookup import find_schedules
from scheduler.engine.scheduling.schedule_commands import ScheduleAnswer
from scheduler.store.workflows import WorkflowRow


def apply_to_schedules(
    context: EngineContext,
    row: WorkflowRow,
    handler: str | None,
    idempotency_key: str | None,
    act: Callable[[str, str | None], ScheduleAnswer],
) -> dict[str, Any]:
    """`act` gets the id of a schedule and an idempotency key of its own. Refused only if all refuse."""
    answers, refused = [], None
    for one in find_schedules(context.database.read(), row, handler):
        try:
            answers.append(act(one, None if idempotency_key is None else f"{idempotency_key} {one}"))
        except RefusedError as error:
            refused = refused or error
    if refused is not None and not answers:
        raise refused
    return {
        "workflow": row.slug,
        "schedules": [
            {"schedule": one.schedule, "version": one.version, "backfill": one.backfill, "total": one.total}
            for one in answers
        ],
    }
