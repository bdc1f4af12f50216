"""Every verb on schedules, once. A command answers with the new version, or refuses with a sentence."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from scheduler.engine.backfilling import count_missing
from scheduler.engine.context import Context
from scheduler.engine.definition import Definition, refuse_side_by_side, schedule_id
from scheduler.engine.dispatch import Dispatch
from scheduler.engine.emission import Emission
from scheduler.engine.once import carry_out
from scheduler.engine.refusal import RefusedError
from scheduler.engine.upcoming import upcoming_times
from scheduler.store import backfills, occurrences, schedules
from scheduler.store.backfills import BackfillRow
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.occurrences import Origin, Reason, State, occurrence_key
from scheduler.timing.overlap import decide_overlap
from scheduler.timing.policies import Overlap

_BACKFILL_AT_MOST = 100_000
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    schedule: str
    version: int
    sentence: str = ""
    occurrence: str | None = None
    backfill: str | None = None
    total: int | None = None


class Commands:
    """All commands take an optional request id: the same id again gets the first answer, and nothing else."""

    def __init__(self, context: Context, emission: Emission, dispatch: Dispatch) -> None:
        self._context = context
        self._emission = emission
        self._definition = self.definition = Definition(context, emission)
        self._dispatch = dispatch

    def add(
        self,
        workflow: str,
        handler: str,
        spec: Mapping[str, Any],
        policies: Mapping[str, Any] | None = None,
        *,
        kind: str = "job",
        request: str | None = None,
    ) -> Answer:
        """Create a schedule; refused if there is one of that name."""

        def act(db: sqlite3.Connection, now: datetime) -> Answer:
            version = self._definition.add(db, workflow, handler, spec, policies or {}, kind, now)
            return Answer(schedule=schedule_id(workflow, handler), version=version)

        return self._answer("add", request, act)

    def put(
        self,
        workflow: str,
        handler: str,
        spec: Mapping[str, Any],
        policies: Mapping[str, Any] | None = None,
        *,
        kind: str = "job",
        request: str | None = None,
    ) -> Answer:
        """Create a schedule, or make the one of that name so; what does not change is kept."""

        def act(db: sqlite3.Connection, now: datetime) -> Answer:
            schedule = schedule_id(workflow, handler)
            row = schedules.find(db, schedule)
            if row is None or row.removed is not None:
                version = self._definition.add(db, workflow, handler, spec, policies or {}, kind, now)
            else:
                version = self._definition.edit(db, row._replace(kind=kind), spec, policies or {}, now)
            return Answer(schedule=schedule, version=version)

        return self._answer("put", request, act)

    def edit(
        self,
        schedule: str,
        *,
        version: int,
        spec: Mapping[str, Any] | None = None,
        policies: Mapping[str, Any] | None = None,
        request: str | None = None,
    ) -> Answer:
        """Change times or policies; what is not given stays. Never un-pauses."""

        def act(db: sqlite3.Connection, now: datetime) -> Answer:
            row = self._find(db, schedule, version)
            merged = None if policies is None else self._definition.merge_policies(row, policies)
            return Answer(schedule=schedule, version=self._definition.edit(db, row, spec, merged, now))

        return self._answer("edit", request, act)

    def pause(
        self,
        schedule: str,
        *,
        note: str | None = None,
        until: datetime | None = None,
        version: int | None = None,
        request: str | None = None,
    ) -> Answer:
        def act(db: sqlite3.Connection, now: datetime) -> Answer:
            row = self._find(db, schedule, version)
            if until is not None and until <= now:
                raise RefusedError("past", "That time has passed; choose a later one, or pause without an end.")
            row = self._settle(db, row, now)
            return self._bump(db, row, paused=True, paused_until=until, pause_note=note)

        return self._answer("pause", request, act)

    def resume(self, schedule: str, *, version: int | None = None, request: str | None = None) -> Answer:
        """Go on. Times that passed meanwhile are handled by the catch-up policy."""

        def act(db: sqlite3.Connection, _: datetime) -> Answer:
            row = self._find(db, schedule, version)
            if not row.paused:
                raise RefusedError("not paused", f"{schedule} is not paused.")
            return self._bump(db, row, paused=False, paused_until=None, pause_note=None)

        return self._answer("resume", request, act)

    def skip_next(self, schedule: str, *, version: int | None = None, request: str | None = None) -> Answer:
        """Leave out the next time, once: one that already waits, or the one to come."""

        def act(db: sqlite3.Connection, now: datetime) -> Answer:
            row = self._settle(db, self._find(db, schedule, version), now)
            _refuse_trouble(row)
            waiting = [one for one in occurrences.queued(db, schedule) if one.origin is Origin.AUTOMATIC]
            if waiting:
                first = min(waiting, key=lambda one: one.planned)
                occurrences.move(db, first.key, State.QUEUED, State.SKIPPED, reason=Reason.BY_PERSON, ended=now)
                return self._bump(db, row)
            if row.skip_at is not None:
                raise RefusedError("already skipped", f"The next time of {schedule} is already skipped.")
            coming = upcoming_times(self._context, db, row, 1, now)
            if not coming:
                raise RefusedError("no more times", f"{schedule} has no more times to skip.")
            return self._bump(db, row, skip_at=coming[0])

        return self._answer("skip next", request, act)

    def trigger(self, schedule: str, *, overlap: Overlap | None = None, request: str | None = None) -> Answer:
        """Run it now, beside its regular times, which do not move. Without a policy of its own it waits its turn."""

        def act(db: sqlite3.Connection, now: datetime) -> Answer:
            row = self._find(db, schedule)
            _refuse_trouble(row)
            refuse_side_by_side(overlap, row.kind)
            key = occurrence_key(schedule, now, Origin.MANUAL, request or uuid4().hex)
            others = [one for one in occurrences.underway(db, schedule) if one.origin is not Origin.BACKFILL]
            decision = decide_overlap(overlap or Overlap.BUFFER_ALL, others)
            if decision.state is State.SKIPPED:
                raise RefusedError("busy", f"{schedule} is still busy; it was not started again.")
            for waiting in decision.replaced:
                occurrences.move(db, waiting, State.QUEUED, State.COALESCED, reason=Reason.REPLACED, ended=now)
            occurrences.insert(
                db,
                OccurrenceRow(
                    key=key,
                    schedule=schedule,
                    planned=now.replace(microsecond=0),
                    due=now,
                    origin=Origin.MANUAL,
                    overlap=overlap,
                    created=now,
                ),
            )
            return Answer(schedule=schedule, version=row.version, occurrence=key)

        return self._answer("trigger", request, act)

    def backfill(
        self,
        schedule: str,
        ranges: Sequence[tuple[datetime, datetime]],
        *,
        overlap: Overlap = Overlap.BUFFER_ALL,
        missing: bool = False,
        request: str | None = None,
    ) -> Answer:
        """Run the times of past ranges (inclusive), each once however often the ranges name it."""

        def act(db: sqlite3.Connection, now: datetime) -> Answer:
            row = self._find(db, schedule)
            _refuse_trouble(row)
            refuse_side_by_side(overlap, row.kind)
            spans = _merge(ranges, now)
            _, times = self._context.compile(row.id, row.spec)
            total = sum(times.count(first - _TICK, last, _BACKFILL_AT_MOST).number for first, last in spans)
            if total == 0:
                raise RefusedError("no times", f"{schedule} has no times in that range.")
            if total >= _BACKFILL_AT_MOST:
                raise RefusedError("too many", f"That range holds {total:,} times or more; choose a shorter one.")
            if missing:
                total = sum(count_missing(db, row.id, times, first, last) for first, last in spans)
                if total == 0:
                    raise RefusedError("no times", f"All times of {schedule} in that range have run.")
            identity = request or uuid4().hex
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
            return Answer(schedule=schedule, version=row.version, backfill=identity, total=total)

        return self._answer("backfill", request, act)

    def cancel_backfill(self, backfill: str, *, request: str | None = None) -> Answer:
        """End a backfill: what waits is dropped, what runs may finish."""

        def act(db: sqlite3.Connection, now: datetime) -> Answer:
            found = backfills.find(db, backfill)
            if found is None:
                raise RefusedError("unknown", f"There is no backfill {backfill}.")
            waiting = [one for one in occurrences.queued(db, found.schedule) if one.backfill == backfill]
            if found.ended is not None and not waiting:
                raise RefusedError("ended", "That backfill has already ended.")
            backfills.cancel(db, backfill, now)
            for one in waiting:
                occurrences.move(db, one.key, State.QUEUED, State.DROPPED, reason=Reason.BACKFILL_CANCELLED, ended=now)
            return Answer(schedule=found.schedule, version=self._find(db, found.schedule).version, backfill=backfill)

        return self._answer("cancel backfill", request, act)

    def stop(self, schedule: str, *, kill: bool = False, request: str | None = None) -> Answer:
        """End what the schedule runs now."""

        def act(db: sqlite3.Connection, _: datetime) -> Answer:
            row = self._find(db, schedule)
            running.extend(one.key for one in occurrences.underway(db, schedule) if one.state is State.STARTED)
            if not running:
                raise RefusedError("not running", f"{schedule} is not running.")
            return Answer(schedule=schedule, version=row.version)

        running: list[str] = []
        answer = self._answer("stop", request, act)
        for key in running:
            self._dispatch.stop(key, kill=kill)
        return answer

    def delete(self, schedule: str, *, version: int | None = None, request: str | None = None) -> Answer:
        """Take it off; its history and its name stay, and what runs may finish."""

        def act(db: sqlite3.Connection, now: datetime) -> Answer:
            row = self._find(db, schedule, version)
            return Answer(schedule=schedule, version=self._definition.remove(db, row, now))

        return self._answer("delete", request, act)

    def settle_all(self, db: sqlite3.Connection, workflow: str, now: datetime) -> None:
        """Record what is due of a workflow before its times no longer count."""
        for row in schedules.every_one(db, workflow=workflow):
            self._settle(db, row, now)

    def remove_in(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> None:
        """Take it off, in a transaction of the caller's."""
        self._definition.remove(db, row, now)

    def _answer(self, verb: str, request: str | None, act: Callable[[sqlite3.Connection, datetime], Answer]) -> Answer:
        def write(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            return asdict(act(db, now))

        return Answer(**carry_out(self._context, verb, "schedules", request, write))

    def _find(self, db: sqlite3.Connection, schedule: str, version: int | None = None) -> ScheduleRow:
        row = schedules.find(db, schedule)
        if row is None or row.removed is not None:
            raise RefusedError("unknown", f"There is no schedule {schedule}.")
        if version is not None and row.version != version:
            raise RefusedError(
                "stale",
                f"{schedule} was changed meanwhile: you saw version {version}, it is now {row.version}. "
                "Look again, then make your change.",
            )
        return row

    def _bump(self, db: sqlite3.Connection, row: ScheduleRow, **changes: Any) -> Answer:
        schedules.update(db, row.id, version=row.version + 1, **changes)
        return Answer(schedule=row.id, version=row.version + 1)

    def _settle(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> ScheduleRow:
        """Record what is due, before something changes that bears on it."""
        if row.trouble is None and not row.rests:
            with self._emission.setting_aside(db, row.id):
                return self._emission.settle(db, row, now)
            return self._find(db, row.id)
        return row


def _refuse_trouble(row: ScheduleRow) -> None:
    if row.trouble is not None:
        raise RefusedError("trouble", f"{row.id} was set aside: {row.trouble} Put that right first.")


def _merge(ranges: Sequence[tuple[datetime, datetime]], now: datetime) -> tuple[tuple[datetime, datetime], ...]:
    """The ranges in order, cut at now, joined where they touch."""
    merged: list[tuple[datetime, datetime]] = []
    for first, end in sorted(ranges):
        if end < first:
            raise RefusedError("range", "The range ends before it begins.")
        last = min(end, now)
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        elif first <= last:
            merged.append((first, last))
    return tuple(merged)
