"""Statistics since a given time: runs by status, planned times by state."""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from scheduler.engine.lookup import find_handler, find_workflow
from scheduler.engine.queries.schedules import Counters, ScheduleQueries
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.rules.handler_ids import split_target
from scheduler.rules.phases import RunStatus
from scheduler.store import history, schedules, workflows
from scheduler.store.history import RunCount

_DEFAULT_SPAN = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowStatistics:
    workflow: str
    name: str
    runs: int
    done: int
    failed: int
    seconds: float | None
    """The average duration of a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    since: datetime
    runs: dict[str, int]
    """Attempts by status."""
    times: Counters
    workflows: tuple[WorkflowStatistics, ...]


def count(snapshot: Snapshot, target: str | None, since: datetime | None) -> Statistics:
    since = since or snapshot.now - _DEFAULT_SPAN
    name, handler = (None, None) if target is None else split_target(target)
    workflow = None if name is None else find_workflow(snapshot.db, name)
    slug = None if workflow is None else workflow.slug
    if workflow is not None and handler is not None:
        find_handler(snapshot.db, workflow, handler)
    names = {row.slug: row.name for row in workflows.list_all(snapshot.db)}
    tallies = history.count_runs_by_status(snapshot.db, slug, since, handler)
    statuses: dict[str, int] = {}
    by_workflow: dict[str, list[RunCount]] = {}
    for one in tallies:
        statuses[one.status.value] = statuses.get(one.status.value, 0) + one.number
        by_workflow.setdefault(one.workflow, []).append(one)
    return Statistics(
        since=since,
        runs=statuses,
        times=_count_times(snapshot, slug, handler, since),
        workflows=tuple(
            WorkflowStatistics(
                workflow=found,
                name=names.get(found, found),
                runs=sum(one.number for one in ones),
                done=sum(one.number for one in ones if one.status is RunStatus.COMMITTED),
                failed=sum(one.number for one in ones if one.status in (RunStatus.LOGIC, RunStatus.INTERNAL)),
                seconds=_average(ones),
            )
            for found, ones in sorted(by_workflow.items())
        ),
    )


def _average(ones: list[RunCount]) -> float | None:
    number = sum(one.timed for one in ones)
    return round(sum(one.milliseconds for one in ones) / number / 1000, 3) if number else None


def _count_times(snapshot: Snapshot, workflow: str | None, handler: str | None, since: datetime) -> Counters:
    views = ScheduleQueries(snapshot.context)
    if workflow is None:
        return views.statistics(since=since)
    rows = [one for one in schedules.list_all(snapshot.db, workflow=workflow) if handler in (None, one.handler)]
    return _add([views.statistics(schedule=row.id, since=since) for row in rows])


def _add(counters: list[Counters]) -> Counters:
    if not counters:
        return Counters()
    total: dict[str, Any] = {}
    for name in (field.name for field in fields(Counters)):
        values = [getattr(one, name) for one in counters]
        if name in ("skipped", "planned"):
            total[name] = {key: sum(one.get(key, 0) for one in values) for one in values for key in one}
        elif name == "drift":
            total[name] = tuple(sum(parts) for parts in zip(*values, strict=True))
        else:
            total[name] = any(values) if name == "more" else sum(values)
    return Counters(**total)
