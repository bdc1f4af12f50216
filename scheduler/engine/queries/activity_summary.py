"""What happened in a span of time, in a few numbers and the names of what went wrong."""

from dataclasses import dataclass
from datetime import datetime

from scheduler.engine.lookup import natural_sort_key
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.rules.requests import REQUESTS
from scheduler.store import activity_counts, requests, workflows


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivitySummary:
    since: datetime
    until: datetime
    succeeded: int
    failed: int
    """Runs whose last attempt failed."""
    missed: int
    """Planned times that nothing ran, without those that a later run caught up."""
    waiting: int
    """Requests of that span that still need an answer."""
    failed_names: tuple[str, ...] = ()
    """Of workflows."""
    missed_names: tuple[str, ...] = ()

    @property
    def needs_user(self) -> bool:
        return bool(self.failed or self.missed or self.waiting)

    @property
    def is_empty(self) -> bool:
        return not self.succeeded and not self.needs_user


def summarize(snapshot: Snapshot, since: datetime, until: datetime) -> ActivitySummary:
    names = {row.slug: row.name for row in workflows.list_all(snapshot.db)}
    runs = activity_counts.count_runs(snapshot.db, since, until)
    missed = activity_counts.count_missed(snapshot.db, since, until)
    asked = [one for one in requests.list_open(snapshot.db) if since <= one.created <= until]

    def list_names(slugs: list[str]) -> tuple[str, ...]:
        return tuple(sorted((names.get(slug, slug) for slug in slugs), key=natural_sort_key))

    return ActivitySummary(
        since=since,
        until=until,
        succeeded=sum(one.succeeded for one in runs),
        failed=sum(one.failed for one in runs),
        missed=sum(missed.values()),
        # A report that a run failed waits for nothing.
        waiting=sum(not REQUESTS[one.kind].is_report for one in asked),
        failed_names=list_names([one.workflow for one in runs if one.failed]),
        missed_names=list_names(list(missed)),
    )
