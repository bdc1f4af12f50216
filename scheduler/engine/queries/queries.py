"""The query interface for the app, CLI and control socket. Thread-safe and read-only."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from scheduler.connections.registry import Registry
from scheduler.engine.connection_setup import find_unconnected
from scheduler.engine.context import EngineContext
from scheduler.engine.queries import (
    activity_summary,
    channels,
    connections,
    events,
    folded_history,
    history,
    imported_jobs,
    metrics,
    next_times,
    permissions,
    report,
    requests,
    runs,
    schedule_data,
    schedule_report,
    statistics,
    versions,
    workflows,
)
from scheduler.engine.queries.activity_summary import ActivitySummary
from scheduler.engine.queries.channels import ChannelView
from scheduler.engine.queries.connections import ConnectionView
from scheduler.engine.queries.events import PendingEvents
from scheduler.engine.queries.folded_history import FoldedHistory
from scheduler.engine.queries.history import HistoryResult
from scheduler.engine.queries.imported_jobs import ImportedJob
from scheduler.engine.queries.next_times import NextTime
from scheduler.engine.queries.permissions import ToolPermission, WorkflowPermissions
from scheduler.engine.queries.report import Report
from scheduler.engine.queries.requests import RequestView
from scheduler.engine.queries.runs import LogPart, RunChanges, RunDetails, RunStatusView
from scheduler.engine.queries.schedule_data import RangeCount, ScheduleData
from scheduler.engine.queries.schedule_report import ScheduleEntry, ScheduleReport
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.engine.queries.statistics import Statistics
from scheduler.engine.queries.versions import VersionDiff, VersionView
from scheduler.engine.queries.workflows import WatchedWorkflow, WorkflowDetails, WorkflowView
from scheduler.engine.script_plan import ScriptPlans
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.rules.history_query import HistoryQuery, RunRange
from scheduler.rules.openmetrics import MetricFamily
from scheduler.rules.workflow_state import WorkflowState, find_unasked


class WorkflowQueries:
    def __init__(self, context: EngineContext, plans: ScriptPlans, registry: Registry) -> None:
        self._context = context
        self._plans = plans
        self._registry = registry
        self._open_requests = requests.OpenRequests()

    def workflows(self, *, state: WorkflowState | None = None, tag: str | None = None) -> list[WorkflowView]:
        """All workflows by name; archived ones only for that state."""
        return workflows.find_all(self._snapshot(), state=state, tag=tag)

    def names(self) -> dict[str, str]:
        """Names by slug, including archived workflows."""
        return workflows.list_names(self._snapshot())

    def imported_jobs(self) -> list[ImportedJob]:
        """Jobs of other schedulers that were imported before."""
        return imported_jobs.find_all(self._snapshot())

    def uninterruptible(self) -> tuple[str, ...]:
        """Names of the workflows that should not be interrupted now."""
        return workflows.find_uninterruptible(self._snapshot())

    def workflow(self, name: str) -> WorkflowDetails:
        return workflows.describe(self._snapshot(), name)

    def watched_workflows(self) -> list[WatchedWorkflow]:
        """Workflows that are deployed again when their file is saved."""
        return workflows.find_watched(self._snapshot())

    def next_times(self, target: str | None = None, limit: int = 10, after: datetime | None = None) -> list[NextTime]:
        """Of all workflows, one of them, or one handler."""
        return next_times.find_next_times(self._snapshot(), target, limit, after)

    def times_until(self, end: datetime, limit: int) -> dict[str, list[datetime]]:
        """By workflow, the times before `end` that will run as things stand, up to that many for each."""
        return next_times.find_times_until(self._snapshot(), end, limit)

    def schedule_entries(self, target: str | None = None) -> list[ScheduleEntry]:
        """All schedules, those of one workflow, or the one of a handler."""
        return schedule_report.list_entries(self._snapshot(), target)

    def schedule_report(self, target: str) -> ScheduleReport:
        """Everything about one schedule; a workflow's name is enough if it has only one."""
        return schedule_report.describe(self._snapshot(), target)

    def schedules(self, workflow: str) -> list[ScheduleData]:
        return schedule_data.find_all(self._snapshot(), workflow)

    def schedule(self, schedule: str) -> ScheduleData | None:
        """The current state; None if it was removed."""
        return schedule_data.find(self._snapshot(), schedule)

    def count_times(self, schedule: str, start: datetime, end: datetime, limit: int) -> RangeCount:
        """Count the planned times in a past range, up to that many."""
        return schedule_data.count_times(self._snapshot(), schedule, start, end, limit)

    def pending_events(self, workflow: str, limit: int) -> PendingEvents:
        return events.find_pending(self._snapshot(), workflow, limit)

    def permissions(self, workflow: str) -> WorkflowPermissions:
        return permissions.find_of_workflow(self._snapshot(), workflow)

    def permissions_of_script(
        self, script: ValidatedScript, settings: Mapping[str, Mapping[str, Any]] | None = None
    ) -> tuple[ToolPermission, ...]:
        """What a script would use, and whether it may already. `settings`: of connections that do not exist yet."""
        return permissions.find_of_script(self._snapshot(), script, settings or {})

    def history(self, query: HistoryQuery, cursor: str | None = None, limit: int = 50) -> HistoryResult:
        return history.find(self._snapshot(), query, cursor, limit)

    def folded_history(
        self, query: HistoryQuery, cursor: str | None = None, limit: int = 50, unfolded: Collection[RunRange] = ()
    ) -> FoldedHistory:
        """Runs with nothing to report as one row, except those in the unfolded ranges."""
        return folded_history.find(self._snapshot(), query, cursor, limit, unfolded)

    def quiet_runs(self, query: HistoryQuery, runs: RunRange) -> FoldedHistory:
        """The rows of one folded row, and one more for those beyond the limit."""
        return folded_history.unfold(self._snapshot(), query, runs)

    def count_history(self, query: HistoryQuery) -> int:
        return history.count(self._snapshot(), query)

    def run(self, run: str) -> RunDetails:
        return runs.describe(self._snapshot(), run)

    def log(self, run: str, since: int = 0) -> LogPart:
        return runs.read_log(self._snapshot(), run, since)

    def run_statuses(self, ids: Sequence[str]) -> list[RunStatusView]:
        """The current status of requested runs, some of which may not have started."""
        return [runs.find_status(self._snapshot(), one) for one in ids]

    def attention(self) -> list[RequestView]:
        return self._open_requests.find(self._snapshot())

    def unasked(self) -> list[WorkflowView]:
        """The workflows that need the user though none of their requests is open."""
        asking = {slug for one in self.attention() for slug in one.workflows}
        found = self.workflows()
        slugs = find_unasked(((one.workflow, one.state) for one in found), asking)
        return [one for one in found if one.workflow in slugs]

    def request(self, request: str) -> RequestView:
        return requests.find_one(self._snapshot(), request)

    def statistics(self, target: str | None = None, since: datetime | None = None) -> Statistics:
        """Of all workflows, one of them, or one handler."""
        return statistics.count(self._snapshot(), target, since)

    def activity_summary(self, since: datetime, until: datetime) -> ActivitySummary:
        """What ran, failed, was missed and waits for the user in a span of time."""
        return activity_summary.summarize(self._snapshot(), since, until)

    def report(self, since: datetime, until: datetime) -> Report:
        """What ran, was approved and did not run in [since, until), and what is failing, paused or waiting now."""
        return report.make_report(self._snapshot(), since, until)

    def metrics(self, *, is_running: bool) -> list[MetricFamily]:
        """Numbers for monitoring; `is_running` says whether an app runs on this store."""
        return metrics.collect(self._snapshot(), is_running=is_running)

    def versions(self, name: str) -> list[VersionView]:
        return versions.find_all(self._snapshot(), name)

    def source(self, workflow: str, version: int) -> str:
        """The script of one version; empty if there is none."""
        return versions.find_source(self._snapshot(), workflow, version)

    def difference(self, name: str, old: int | None = None, new: int | None = None) -> VersionDiff:
        return versions.compare(self._snapshot(), name, old, new)

    def connections(self) -> list[ConnectionView]:
        return connections.find_all(self._snapshot())

    def channels(self) -> list[ChannelView]:
        return channels.find_all(self._snapshot())

    def unconnected(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of the names that still need to be connected."""
        snapshot = self._snapshot()
        return find_unconnected(snapshot.db, snapshot.registry, names)

    def paused_until(self) -> datetime | None:
        """The end of the pause of everything, if it is paused."""
        return self._snapshot().everything_paused_until

    def changes_since(self, after: int, watched: Collection[str] = ()) -> RunChanges:
        """Runs created after that number, plus the watched ones as they are now."""
        return runs.find_changes(self._snapshot(), after, watched)

    def last_run_number(self) -> int:
        """The number of the newest run, to pass to `changes_since`."""
        return runs.last_run_number(self._snapshot())

    def is_idle(self) -> bool:
        """Whether nothing is running, queued or due; runs that wait for the user do not count."""
        return runs.is_idle(self._snapshot())

    def _snapshot(self) -> Snapshot:
        return Snapshot.take(self._context, self._plans, self._registry)
