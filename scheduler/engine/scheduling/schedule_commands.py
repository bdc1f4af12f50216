"""The commands on schedules. Each returns the new version, or is refused with a sentence."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError, refuse_past
from scheduler.engine.idempotency import run_once
from scheduler.engine.scheduling.backfill import count_backfill, merge_ranges
from scheduler.engine.scheduling.dispatch import Dispatch
from scheduler.engine.scheduling.emission import Emission
from scheduler.engine.scheduling.manual_runs import queue_manual_run
from scheduler.engine.scheduling.schedule_edits import ScheduleEdits, refuse_parallel_runs
from scheduler.engine.scheduling.stale_edits import refuse_stale
from scheduler.engine.scheduling.upcoming import upcoming_times
from scheduler.rules.handler_ids import handler_id
from scheduler.store import backfills, occurrences, schedules
from scheduler.store.backfills import BackfillRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Overlap
from scheduler.user_text import UserText


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleAnswer:
    schedule: str
    version: int
    sentence: str = ""
    occurrence: str | None = None
    backfill: str | None = None
    total: int | None = None


class ScheduleCommands:
    """All commands take an optional idempotency key: repeating one with the same key returns the first answer."""

    def __init__(self, context: EngineContext, emission: Emission, dispatch: Dispatch) -> None:
        self._context = context
        self._emission = emission
        self._definition = ScheduleEdits(context, emission)
        self._dispatch = dispatch

    def add(
        self,
        workflow: str,
        handler: str,
        spec: Mapping[str, Any],
        policies: Mapping[str, Any] | None = None,
        *,
        kind: str = "job",
        idempotency_key: str | None = None,
    ) -> ScheduleAnswer:
        """Create a schedule; refused if one of that name exists."""

        def act(db: sqlite3.Connection, now: datetime) -> ScheduleAnswer:
            version = self._definition.add(db, workflow, handler, spec, policies or {}, kind, now)
            return ScheduleAnswer(schedule=handler_id(workflow, handler), version=version)

        return self._answer("add", idempotency_key, act)

    def put(
        self,
        workflow: str,
        handler: str,
        spec: Mapping[str, Any],
        policies: Mapping[str, Any] | None = None,
        *,
        kind: str = "job",
        idempotency_key: str | None = None,
    ) -> ScheduleAnswer:
        """Create a schedule, or update the one of that name; what does not change is kept."""

        def act(db: sqlite3.Connection, now: datetime) -> ScheduleAnswer:
            schedule = handler_id(workflow, handler)
            row = schedules.find(db, schedule)
            if row is None or row.removed is not None:
                version = self._definition.add(db, workflow, handler, spec, policies or {}, kind, now)
            else:
                version = self._definition.edit(db, row._replace(kind=kind), spec, policies or {}, now)
            return ScheduleAnswer(schedule=schedule, version=version)

        return self._answer("put", idempotency_key, act)

    def edit(
        self,
        schedule: str,
        *,
        version: int | None,
        spec: Mapping[str, Any] | None = None,
        changes: Mapping[str, Any] | None = None,
        policies: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> ScheduleAnswer:
        """Change times or policies; what is not given stays. Never resumes a paused schedule.

        `spec` replaces the whole spec, `changes` parts of it. In `changes` and `policies`, None removes a value, so
        that the default applies.
        """

        def act(db: sqlite3.Connection, now: datetime) -> ScheduleAnswer:
            row = self._find(db, schedule, version)
            written = spec if changes is None else self._definition.merge_spec(row, changes)
            merged = None if policies is None else self._definition.merge_policies(row, policies)
            return ScheduleAnswer(schedule=schedule, version=self._definition.edit(db, row, written, merged, now))

        return self._answer("edit", idempotency_key, act)

    def pause(
        self,
        schedule: str,
        *,
        note: str | None = None,
        until: datetime | None = None,
        version: int | None = None,
        idempotency_key: str | None = None,
    ) -> ScheduleAnswer:
        def act(db: sqlite3.Connection, now: datetime) -> ScheduleAnswer:
            row = self._find(db, schedule, version)
            refuse_past(until, now)
            row = self._record_due(db, row, now)
            return self._bump(db, row, paused=True, paused_until=until, pause_note=note)

        return self._answer("pause", idempotency_key, act)

    def resume(
        self, schedule: str, *, version: int | None = None, idempotency_key: str | None = None
    ) -> ScheduleAnswer:
        """End the pause. The catch-up policy handles the times that passed."""

        def act(db: sqlite3.Connection, now: datetime) -> ScheduleAnswer:
            row = self._find(db, schedule, version)
            if not row.paused:
                raise RefusedError("not paused", UserText("{schedule} is not paused.", schedule=schedule))
            if not row.held:
                self.record_paused(db, row, now)
            return self._bump(db, row, paused=False, paused_until=None, pause_note=None)

        return self._answer("resume", idempotency_key, act)

    def skip_next(
        self, schedule: str, *, version: int | None = None, idempotency_key: str | None = None
    ) -> ScheduleAnswer:
        """Skip the next run, once: one that is already queued, or the upcoming one."""

        def act(db: sqlite3.Connection, now: datetime) -> ScheduleAnswer:
            row = self._record_due(db, self._find(db, schedule, version), now)
            _refuse_trouble(row)
            waiting = [one for one in occurrences.list_queued(db, schedule) if one.origin is OccurrenceOrigin.AUTOMATIC]
            if waiting:
                first = min(waiting, key=lambda one: one.planned)
                occurrences.move(
                    db,
                    first.key,
                    OccurrenceState.QUEUED,
                    OccurrenceState.SKIPPED,
                    reason=OccurrenceReason.BY_USER,
                    ended=now,
                )
                return self._bump(db, row)
            if row.skip_at is not None:
                raise RefusedError(
                    "already skipped", UserText("The next run of {schedule} is already skipped.", schedule=schedule)
                )
            coming = upcoming_times(self._context, db, row, 1, now)
            if not coming:
                raise RefusedError(
                    "no more times", UserText("{schedule} has no upcoming run to skip.", schedule=schedule)
                )
            return self._bump(db, row, skip_at=coming[0])

        return self._answer("skip next", idempotency_key, act)

    def trigger(
        self, schedule: str, *, overlap: Overlap | None = None, idempotency_key: str | None = None
    ) -> ScheduleAnswer:
        """Run it now; its regular times do not move. Without an overlap policy it waits its turn."""

        def act(db: sqlite3.Connection, now: datetime) -> ScheduleAnswer:
            row = self._find(db, schedule)
            _refuse_trouble(row)
            key = queue_manual_run(
                db,
                row,
                now,
                overlap=overlap,
                buffer_limit=self._context.settings.buffer_limit,
                idempotency_key=idempotency_key,
            )
            return ScheduleAnswer(schedule=schedule, version=row.version, occurrence=key)

        return self._answer("trigger", idempotency_key, act)

    def backfill(
        self,
        schedule: str,
        ranges: Sequence[tuple[datetime, datetime]],
        *,
        overlap: Overlap = Overlap.BUFFER_ALL,
        missing: bool = False,
        idempotency_key: str | None = None,
    ) -> ScheduleAnswer:
        """Run the times of past ranges (inclusive), each once even where ranges overlap."""

        def act(db: sqlite3.Connection, now: datetime) -> ScheduleAnswer:
            row = self._find(db, schedule)
            _refuse_trouble(row)
            refuse_parallel_runs(overlap, row.kind)
            _, times = self._context.compile(row.id, row.spec)
            spans = merge_ranges(ranges, now)
            total = count_backfill(db, schedule, times, spans, missing=missing)
            identity = idempotency_key or uuid4().hex
            backfills.insert(
                db,
                BackfillRow(
                    id=identity,
                    schedule=schedule,
                    ranges=spans,
                    overlap=overlap,
                    missing=missing,
                    total=total,
                    created=now,
                ),
            )
            return ScheduleAnswer(schedule=schedule, version=row.version, backfill=identity, total=total)

        return self._answer("backfill", idempotency_key, act)

    def cancel_backfill(self, backfill: str, *, idempotency_key: str | None = None) -> ScheduleAnswer:
        """Cancel a backfill: queued runs are dropped, running ones may finish."""

        def act(db: sqlite3.Connection, now: datetime) -> ScheduleAnswer:
            found = backfills.find(db, backfill)
            if found is None:
                raise RefusedError("unknown", UserText("There is no backfill {backfill}.", backfill=backfill))
            waiting = [one for one in occurrences.list_queued(db, found.schedule) if one.backfill == backfill]
            if found.ended is not None and not waiting:
                raise RefusedError("ended", UserText("That backfill has already ended."))
            backfills.cancel(db, backfill, now)
            for one in waiting:
                occurrences.move(
                    db,
                    one.key,
                    OccurrenceState.QUEUED,
                    OccurrenceState.DROPPED,
                    reason=OccurrenceReason.BACKFILL_CANCELLED,
                    ended=now,
                )
            return ScheduleAnswer(
                schedule=found.schedule, version=self._find(db, found.schedule).version, backfill=backfill
            )

        return self._answer("cancel backfill", idempotency_key, act)

    def stop(self, schedule: str, *, kill: bool = False, idempotency_key: str | None = None) -> ScheduleAnswer:
        """Stop what the schedule runs now."""

        def act(db: sqlite3.Connection, _: datetime) -> ScheduleAnswer:
            row = self._find(db, schedule)
            running.extend(
                one.key for one in occurrences.list_unfinished(db, schedule) if one.state is OccurrenceState.STARTED
            )
            if not running:
                raise RefusedError("not running", UserText("{schedule} is not running.", schedule=schedule))
            return ScheduleAnswer(schedule=schedule, version=row.version)

        running: list[str] = []
        answer = self._answer("stop", idempotency_key, act)
        for key in running:
            self._dispatch.stop(key, kill=kill)
        return answer

    def delete(
        self, schedule: str, *, version: int | None = None, idempotency_key: str | None = None
    ) -> ScheduleAnswer:
        """Remove the schedule; its history and name stay, and what runs may finish."""

        def act(db: sqlite3.Connection, now: datetime) -> ScheduleAnswer:
            row = self._find(db, schedule, version)
            return ScheduleAnswer(schedule=schedule, version=self._definition.remove(db, row, now))

        return self._answer("delete", idempotency_key, act)

    def record_paused(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> None:
        """Record what became due during a pause that ends now."""
        if row.trouble is None and row.removed is None:
            self._emission.record_paused(db, row, now, now)

    def record_all_due(self, db: sqlite3.Connection, workflow: str | None, now: datetime) -> None:
        """Record what is due of a workflow, or of all, before its schedules stop."""
        for row in schedules.list_all(db, workflow=workflow):
            self._record_due(db, row, now)

    def remove_in_transaction(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> None:
        """Remove the schedule within the caller's transaction."""
        self._definition.remove(db, row, now)

    def _answer(
        self, verb: str, idempotency_key: str | None, act: Callable[[sqlite3.Connection, datetime], ScheduleAnswer]
    ) -> ScheduleAnswer:
        def write(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            return asdict(act(db, now))

        return ScheduleAnswer(**run_once(self._context, verb, "schedules", idempotency_key, write))

    def _find(self, db: sqlite3.Connection, schedule: str, version: int | None = None) -> ScheduleRow:
        row = schedules.find(db, schedule)
        if row is None or row.removed is not None:
            raise RefusedError("unknown", UserText("There is no schedule {schedule}.", schedule=schedule))
        refuse_stale(self._context, row, version)
        return row

    def _bump(self, db: sqlite3.Connection, row: ScheduleRow, **changes: Any) -> ScheduleAnswer:
        schedules.update(db, row.id, version=row.version + 1, **changes)
        return ScheduleAnswer(schedule=row.id, version=row.version + 1)

    def _record_due(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> ScheduleRow:
        """Record what is due before a change that affects it."""
        if row.trouble is None and not row.is_suspended:
            with self._emission.disabling_on_error(db, row.id):
                return self._emission.record_due(db, row, now)
            return self._find(db, row.id)
        return row


def _refuse_trouble(row: ScheduleRow) -> None:
    if row.trouble is not None:
        raise RefusedError(
            "trouble", UserText("{id} cannot run: {trouble} Fix that first.", id=row.id, trouble=row.trouble)
        )
