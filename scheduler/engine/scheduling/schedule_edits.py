"""Adds, edits and removes schedules, and records what happens to the times that an edit replaces."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from scheduler.engine.context import EngineContext, late_columns
from scheduler.engine.errors import RefusedError
from scheduler.engine.scheduling.emission import Emission, find_hold_up
from scheduler.rules.handler_ids import handler_id
from scheduler.store import backfills, occurrences, schedules
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.timing.overlap import UnfinishedOccurrence, decide_held_up, decide_overlap
from scheduler.timing.policies import Overlap, Policies
from scheduler.timing.spec import ScheduleKind, ScheduleSpec
from scheduler.user_text import UserText


class ScheduleEdits:
    """Writes schedules within the caller's transaction; returns their new version."""

    def __init__(self, context: EngineContext, emission: Emission) -> None:
        self._context = context
        self._emission = emission

    def add(
        self,
        db: sqlite3.Connection,
        workflow: str,
        handler: str,
        written: Mapping[str, Any],
        policies: Mapping[str, Any],
        kind: str,
        now: datetime,
    ) -> int:
        identity = handler_id(workflow, handler)
        old = schedules.find(db, identity)
        if old is not None and old.removed is None:
            raise RefusedError("exists", UserText("A schedule {identity} already exists.", identity=identity))
        row = ScheduleRow(
            id=identity,
            workflow=workflow,
            handler=handler,
            kind=kind,
            spec=self._write_spec(identity, written, None, now),
            policies=self._write_policies(policies, kind),
            version=1 if old is None else old.version + 1,
            next_at=None,
            next_due=None,
            computed=now,
            created=now,
        )
        schedules.save(db, self._emission.with_next_time(db, row, self._next_or_refuse(db, row, now), now))
        return row.version

    def edit(
        self,
        db: sqlite3.Connection,
        row: ScheduleRow,
        written: Mapping[str, Any] | None,
        policies: Mapping[str, Any] | None,
        now: datetime,
    ) -> int:
        """Change what is not None. If the times stay the same, the schedule continues undisturbed."""
        kept = self._spec_or_none(row)
        if written is None and kept is None:
            raise RefusedError(
                "trouble", UserText("{id} cannot run: {trouble} Change its times.", id=row.id, trouble=row.trouble)
            )
        before = self._policies_or_none(row)
        if policies is None and before is None:
            raise RefusedError(
                "trouble", UserText("{id} cannot run: {trouble} Change its policies.", id=row.id, trouble=row.trouble)
            )
        changes: dict[str, Any] = {
            "kind": row.kind,
            "spec": row.spec if written is None else self._write_spec(row.id, written, kept, now),
            "policies": row.policies if policies is None else self._write_policies(policies, row.kind),
            "version": row.version + 1,
            "trouble": None,
        }
        after = self._context.parse_policies(changes["policies"], row.kind)
        if before is None:
            schedules.update(db, row.id, policies=changes["policies"])
            row = row._replace(policies=changes["policies"])
        spec, _ = self._context.compile(row.id, changes["spec"])
        same = kept is not None and spec.has_same_times(kept)
        if not same:
            row = self._end_old_times(db, row, kept, now)
        schedules.update(db, row.id, **changes)
        new = row._replace(**changes)
        if same and kept is not None:
            self._keep_times(db, new if spec.jitter == kept.jitter else new._replace(next_due=None), now)
        else:
            self._emission.set_next_time(db, new, self._next_or_refuse(db, new, now), now)
        if before is None or before.overlap != after.overlap:
            self._reapply_overlap(db, row, after, now)
        if before is None or (before.catchup, before.catchup_window) != (after.catchup, after.catchup_window):
            self._emission.reapply_catchup(db, row.id, now)
        return row.version + 1

    def has_same_settings(
        self, row: ScheduleRow, written: Mapping[str, Any], policies: Mapping[str, Any], now: datetime
    ) -> bool:
        """Whether an edit with these would change nothing."""
        if row.trouble is not None:
            return False
        spec = self._write_spec(row.id, written, self._spec_or_none(row), now)
        return (spec, self._write_policies(policies, row.kind)) == (row.spec, row.policies)

    def remove(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> int:
        """Remove the schedule; its history and name stay, and what runs may finish."""
        with self._emission.disabling_on_error(db, row.id):
            self._emission.record_gap(db, row, OccurrenceReason.REMOVED, now)
        for one in occurrences.list_queued(db, row.id):
            occurrences.move(
                db, one.key, OccurrenceState.QUEUED, OccurrenceState.DROPPED, reason=OccurrenceReason.REMOVED, ended=now
            )
        backfills.cancel_all(db, row.id, now)
        changes = {"removed": now, "next_at": None, "next_due": None, "skip_at": None}
        schedules.update(db, row.id, version=row.version + 1, **changes)
        return row.version + 1

    def merge_policies(self, row: ScheduleRow, policies: Mapping[str, Any]) -> dict[str, Any]:
        """The stored policies, overridden by the given ones; None removes one."""
        stored = {} if self._policies_or_none(row) is None else json.loads(row.policies)
        return {name: value for name, value in {**stored, **policies}.items() if value is not None}

    def merge_spec(self, row: ScheduleRow, changes: Mapping[str, Any]) -> dict[str, Any]:
        """The stored spec with these parts changed; None removes one.

        Another kind of times replaces the old one; another interval counts from the same anchor.
        """
        kept = self._spec_or_none(row)
        stored = {} if kept is None else kept.write()
        if kinds := {kind.value for kind in ScheduleKind} & changes.keys():
            replaced = set(ScheduleKind) if "every" in kinds else {*ScheduleKind, "anchor"}
            stored = {name: value for name, value in stored.items() if name not in replaced}
        return {name: value for name, value in {**stored, **changes}.items() if value is not None}

    def _end_old_times(
        self, db: sqlite3.Connection, row: ScheduleRow, kept: ScheduleSpec | None, now: datetime
    ) -> ScheduleRow:
        """Record the old times up to now, if the stored spec is valid."""
        if kept is None:
            schedules.update(db, row.id, skip_at=None, **late_columns(None))
            return row._replace(skip_at=None, next_at=None, next_due=None, late_next=None)
        recorded = row if row.is_suspended else self._emission.record_due(db, row, now)
        return self._emission.record_gap(db, recorded, OccurrenceReason.EDITED, now)

    def _keep_times(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> None:
        """The times are the same, but a new limit may be reached, or an old one lifted."""
        if row.next_at is None:
            self._emission.set_next_time(db, row, self._emission.next_time(db, row, now), now)
        elif self._emission.has_reached_limit(row):
            self._emission.finish(db, row, now)
        else:
            self._emission.set_next_time(db, row, row.next_at, now)

    def _reapply_overlap(self, db: sqlite3.Connection, row: ScheduleRow, policies: Policies, now: datetime) -> None:
        """Apply the new overlap policy to what is queued."""
        held_up = find_hold_up(db, row)
        seen: list[UnfinishedOccurrence] = []
        for one in occurrences.list_unfinished(db, row.id):
            if one.origin is OccurrenceOrigin.BACKFILL:
                continue
            limit = self._context.settings.buffer_limit
            if held_up is None:
                decision = decide_overlap(policies.overlap, seen, buffer_limit=limit)
            else:
                keep_late = policies.catchup.runs_all
                decision = decide_held_up(policies.overlap, seen, buffer_limit=limit, keep_late=keep_late)
            if not one.is_replaceable:
                seen.append(one)
                continue
            occurrences.coalesce(db, decision.replaced, now, held_up)
            seen = [other for other in seen if other.key not in decision.replaced]
            if decision.state is OccurrenceState.QUEUED:
                seen.append(one)
            else:
                occurrences.move(db, one.key, OccurrenceState.QUEUED, decision.state, reason=decision.reason, ended=now)

    def _spec_or_none(self, row: ScheduleRow) -> ScheduleSpec | None:
        try:
            return self._context.compile(row.id, row.spec)[0]
        except BadScheduleError:
            return None

    def _policies_or_none(self, row: ScheduleRow) -> Policies | None:
        try:
            return self._context.policies(row)
        except BadScheduleError:
            return None

    def _write_spec(self, schedule: str, written: Mapping[str, Any], kept: ScheduleSpec | None, now: datetime) -> str:
        """Check the spec and keep the zone and anchor that were resolved when the schedule was created.

        A new anchor is the caller's now; a later one would itself be the next time.
        """
        given = dict(written)
        if given.get("timezone") is None and kept is not None:
            given["timezone"] = kept.timezone
        spec = self._context.parse_spec(given, now)
        if (
            spec.kind is ScheduleKind.EVERY
            and given.get("anchor") is None
            and kept is not None
            and kept.every == spec.every
        ):
            spec = replace(spec, anchor=kept.anchor)
        text = json.dumps(spec.write())
        self._context.cache(schedule, text, spec, spec.compile(self._context.machine_zone))
        return text

    def _write_policies(self, written: Mapping[str, Any], kind: str) -> str:
        """Check the policies and keep only those that were given, so that the defaults apply to the others."""
        policies = Policies.read(written, self._context.settings.policies(kind))
        refuse_parallel_runs(policies.overlap, kind)
        return json.dumps({name: value for name, value in policies.write().items() if name in written})

    def _next_or_refuse(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> datetime | None:
        """The next time, or None if the limit of runs is reached; refused if the times themselves have ended."""
        next_at = self._emission.next_time(db, row, now)
        if next_at is None and not self._emission.has_reached_limit(row):
            raise BadScheduleError(
                "schedule", UserText("schedule: it has no time in the future; choose a later or wider one.")
            )
        return next_at


def refuse_parallel_runs(overlap: Overlap | None, kind: str) -> None:
    if overlap is Overlap.ALLOW_ALL and kind != "job":
        raise BadScheduleError(
            "overlap",
            UserText(
                "overlap: allow_all is only for jobs; a {kind} keeps state that two runs would overwrite.", kind=kind
            ),
        )
