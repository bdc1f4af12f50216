"""Statistics since a given time: runs by status, planned times by state."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from scheduler.engine.lookup import find_handler, find_workflow
from scheduler.engine.queries import counters
from scheduler.engine.queries.counters import Counters
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.rules.handler_ids import split_target
from scheduler.rules.phases import RunStatus
from scheduler.store import schedules, statistics, workflows
from scheduler.store.statistics import RunCount

_FAILED = (RunStatus.LOGIC, RunStatus.INTERNAL)
_DEFAULT_SPAN = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowStatistics:
    workflow: str
    name: str
    runs: int
    done: int
    refused: int
    """Rejected, or expired without an answer."""
    failed: int
    transient_failures: int
    """Attempts that failed and were retried without the user."""
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
    tallies = statistics.count_runs_by_status(snapshot.db, slug, since, handler)
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
                done=sum(one.number - one.refused for one in ones if one.status is RunStatus.COMMITTED),
                refused=sum(one.refused for one in ones),
                failed=sum(one.number - one.retried for one in ones if one.status in _FAILED),
                transient_failures=sum(one.retried for one in ones),
                seconds=_average(ones),
            )
            for found, ones in sorted(by_workflow.items())
        ),
    )


def _average(ones: list[RunCount]) -> float | None:
    number = sum(one.timed for one in ones)
    return round(sum(one.milliseconds for one in ones) / number / 1000, 3) if number else None


def _count_times(snapshot: Snapshot, workflow: str | None, handler: str | None, since: datetime) -> Counters:
    if workflow is None:
        return counters.count(snapshot.context, None, since)
    rows = [one for one in schedules.list_all(snapshot.db, workflow=workflow) if handler in (None, one.handler)]
    return counters.add([counters.count(snapshot.context, row.id, since) for row in rows])
