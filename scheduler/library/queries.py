"""The methods of a scheduler that read: schedules, runs and their statistics."""

from datetime import datetime

from scheduler.engine.queries.counters import Counters
from scheduler.engine.queries.schedules import ScheduleState
from scheduler.library.arguments import refuse_naive
from scheduler.library.errors import UnknownScheduleError
from scheduler.library.runtime import GROUP, LibraryRuntime, schedule_id, schedule_name
from scheduler.library.values import (
    RunRecord,
    ScheduleInfo,
    ScheduleSummary,
    describe,
    record_of_gap,
    record_of_run,
    rename_reasons,
    summarize,
)
from scheduler.store import gaps, logs, occurrences
from scheduler.store.occurrences import OccurrenceRow

_UPCOMING = 5


class LibraryQueries:
    """The reading half of `Scheduler`."""

    _runtime: LibraryRuntime

    def get(self, name: str) -> ScheduleInfo:
        """Everything about a schedule, with its next five times and its counters."""
        with self._runtime.using_engine(name):
            details = self._runtime.queries.describe(schedule_id(name), upcoming=_UPCOMING, recent=0)
        if details.view.state is ScheduleState.REMOVED:
            raise UnknownScheduleError(f"The schedule {name} was deleted. Create it again with upsert_schedule().")
        return describe(details, name)

    def list(self, *, state: ScheduleState | str | None = None, text: str = "") -> tuple[ScheduleSummary, ...]:
        """All schedules by name, or those in that state, or with that text in their name."""
        with self._runtime.using_engine():
            found = []
            for view in self._runtime.queries.schedules(workflow=GROUP):
                name = schedule_name(view.id)
                if text.casefold() not in name.casefold() or (state is not None and view.state != state):
                    continue
                next_time = view.row.next_at if view.state is ScheduleState.ACTIVE else None
                if next_time is not None and next_time == view.row.skip_at:
                    next_time = next(iter(self._runtime.queries.upcoming(view.id, 1)), None)
                found.append(summarize(view, name, next_time))
            return tuple(found)

    def run_log(self, name: str, *, limit: int = 50) -> tuple[RunRecord, ...]:
        """The latest runs and the times that did not run, the latest first; also of a deleted schedule."""
        with self._runtime.using_engine(name):
            self._runtime.queries.upcoming(schedule_id(name), 0)  # refuses an unknown name
            db = self._runtime.database.read()
            runs = [self._record(row) for row in occurrences.recent(db, schedule_id(name), limit)]
            missed = [record_of_gap(state, gap, name) for state, gap in gaps.of_schedule(db, schedule_id(name), limit)]
        return tuple(sorted((*runs, *missed), key=lambda one: one.planned, reverse=True)[:limit])

    def find_run(self, key: str) -> RunRecord:
        """The run with that key, as returned by `trigger` or given to a handler."""
        with self._runtime.using_engine():
            row = occurrences.find(self._runtime.database.read(), key)
            if row is None:
                raise UnknownScheduleError(f"There is no run {key}.")
            return self._record(row)

    def wait(self, key: str, timeout: float | None = None) -> RunRecord:
        """Wait until the run has ended, and return it. TimeoutError after that many seconds."""
        if self._runtime.wait_until(lambda: self.find_run(key).has_ended, timeout):
            return self.find_run(key)
        raise TimeoutError(f"The run {key} has not ended after {timeout} seconds.")

    def run_stats(self, name: str | None = None, *, since: datetime | None = None) -> Counters:
        """What became of the planned times of one schedule or all, planned since then."""
        refuse_naive(since, "since")
        with self._runtime.using_engine(name or ""):
            identity = None if name is None else schedule_id(name)
            if identity is not None:
                self._runtime.queries.upcoming(identity, 0)  # refuses an unknown name
            return rename_reasons(self._runtime.queries.statistics(schedule=identity, since=since))

    def _record(self, row: OccurrenceRow) -> RunRecord:
        return record_of_run(row, schedule_name(row.schedule), logs.read(self._runtime.database.read(), row.key))
