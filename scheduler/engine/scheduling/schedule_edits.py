"""What a schedule is: adding one, editing one, and closing the account of its old times."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from scheduler.engine.context import Context, late_columns
from scheduler.engine.emission import Emission
from scheduler.engine.refusal import RefusedError
from scheduler.store import backfills, occurrences, schedules
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.overlap import Underway, decide_overlap
from scheduler.timing.policies import Overlap, Policies
from scheduler.timing.spec import Kind, Spec


def schedule_id(workflow: str, handler: str) -> str:
    return f"{workflow}/{handler}"


class Definition:
    """Writes schedules inside a transaction of the caller's; returns their new version."""

    def __init__(self, context: Context, emission: Emission) -> None:
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
        identity = schedule_id(workflow, handler)
        old = schedules.find(db, identity)
        if old is not None and old.removed is None:
            raise RefusedError("exists", f"There is already a schedule {identity}.")
        row = ScheduleRow(
            id=identity,
            workflow=workflow,
            handler=handler,
            kind=kind,
            spec=self._write_spec(identity, written, None, now),
            policies=json.dumps(self._read_policies(policies, kind).write()),
            version=1 if old is None else old.version + 1,
            next_at=None,
            next_due=None,
            computed=now,
            created=now,
        )
        schedules.save(db, self._emission.armed(db, row, self._next_or_refuse(db, row, now), now))
        return row.version

    def edit(
        self,
        db: sqlite3.Connection,
        row: ScheduleRow,
        written: Mapping[str, Any] | None,
        policies: Mapping[str, Any] | None,
        now: datetime,
    ) -> int:
        """Make it as written; what is None stays. Times that do not change go on as if nothing had happened."""
        kept = self._understand(row)
        if written is None and kept is None:
            raise RefusedError("trouble", f"{row.id} was set aside: {row.trouble} Give it new times.")
        before = self._policies_of(row)
        after = before if policies is None else self._read_policies(policies, row.kind)
        if after is None:
            raise RefusedError("trouble", f"{row.id} was set aside: {row.trouble} Give it new policies.")
        changes: dict[str, Any] = {
            "kind": row.kind,
            "spec": row.spec if written is None else self._write_spec(row.id, written, kept, now),
            "policies": json.dumps(after.write()),
            "version": row.version + 1,
            "trouble": None,
        }
        if before is None:
            schedules.update(db, row.id, policies=changes["policies"])
            row = row._replace(policies=changes["policies"])
        spec, _ = self._context.compile(row.id, changes["spec"])
        same = kept is not None and spec.has_same_times(kept)
        if not same:
            row = self._close(db, row, kept, now)
        schedules.update(db, row.id, **changes)
        new = row._replace(**changes)
        if same and kept is not None:
            self._go_on(db, new if spec.jitter == kept.jitter else new._replace(next_due=None), now)
        else:
            self._emission.arm(db, new, self._next_or_refuse(db, new, now), now)
        if before is None or before.overlap != after.overlap:
            self._decide_again(db, row.id, after.overlap, now)
        if before is None or (before.catchup, before.catchup_window) != (after.catchup, after.catchup_window):
            self._emission.plan_again(db, row.id, now)
        return row.version + 1

    def remove(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> int:
        """Take it off; its history and its name stay, and what runs may finish."""
        with self._emission.setting_aside(db, row.id):
            self._emission.give_up(db, row, Reason.REMOVED, now)
        for one in occurrences.queued(db, row.id):
            occurrences.move(db, one.key, State.QUEUED, State.DROPPED, reason=Reason.REMOVED, ended=now)
        backfills.cancel_all(db, row.id, now)
        changes = {"removed": now, "next_at": None, "next_due": None, "skip_at": None}
        schedules.update(db, row.id, version=row.version + 1, **changes)
        return row.version + 1

    def merge_policies(self, row: ScheduleRow, policies: Mapping[str, Any]) -> dict[str, Any]:
        """What is written over what is stored."""
        stored = self._policies_of(row)
        return {**({} if stored is None else stored.write()), **policies}

    def _close(self, db: sqlite3.Connection, row: ScheduleRow, kept: Spec | None, now: datetime) -> ScheduleRow:
        """Account for the old times up to now, as far as anybody knows them."""
        if kept is None:
            schedules.update(db, row.id, skip_at=None, **late_columns(None))
            return row._replace(skip_at=None, next_at=None, next_due=None, late_next=None)
        settled = row if row.rests else self._emission.settle(db, row, now)
        return self._emission.give_up(db, settled, Reason.EDITED, now)

    def _go_on(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> None:
        """The same times; but the limit may now be reached, or no longer."""
        if row.next_at is None:
            self._emission.arm(db, row, self._emission.next_time(db, row, now), now)
        elif self._emission.is_spent(row):
            self._emission.finish(db, row, now)
        else:
            self._emission.arm(db, row, row.next_at, now)

    def _decide_again(self, db: sqlite3.Connection, schedule: str, overlap: Overlap, now: datetime) -> None:
        """What waits is decided again, under the policy that holds now."""
        seen: list[Underway] = []
        for one in occurrences.underway(db, schedule):
            if one.origin is Origin.BACKFILL:
                continue
            decision = decide_overlap(overlap, seen)
            if not one.gives_way:
                seen.append(one)
                continue
            for key in decision.replaced:
                occurrences.move(db, key, State.QUEUED, State.COALESCED, reason=Reason.REPLACED, ended=now)
            seen = [other for other in seen if other.key not in decision.replaced]
            if decision.state is State.QUEUED:
                seen.append(one)
            else:
                occurrences.move(db, one.key, State.QUEUED, decision.state, reason=decision.reason, ended=now)

    def _understand(self, row: ScheduleRow) -> Spec | None:
        """The stored spec, if it makes sense."""
        try:
            return self._context.compile(row.id, row.spec)[0]
        except BadScheduleError:
            return None

    def _policies_of(self, row: ScheduleRow) -> Policies | None:
        try:
            return self._context.policies(row)
        except BadScheduleError:
            return None

    def _write_spec(self, schedule: str, written: Mapping[str, Any], kept: Spec | None, now: datetime) -> str:
        """Check what was written. What was resolved when the schedule was made survives: its zone and its anchor.

        The anchor is the caller's now: a later one would itself be the next time.
        """
        given = dict(written)
        if given.get("jitter") is None and self._context.settings.jitter is not None:
            given["jitter"] = self._context.settings.jitter
        if given.get("timezone") is None and kept is not None:
            given["timezone"] = kept.timezone
        spec = self._context.read_spec(given, now)
        if spec.kind is Kind.EVERY and given.get("anchor") is None and kept is not None and kept.every == spec.every:
            spec = replace(spec, anchor=kept.anchor)
        text = json.dumps(spec.write())
        self._context.keep(schedule, text, spec, spec.times(self._context.machine_zone))
        return text

    def _read_policies(self, written: Mapping[str, Any], kind: str) -> Policies:
        policies = Policies.read(written, self._context.settings.policies(kind))
        refuse_side_by_side(policies.overlap, kind)
        return policies

    def _next_or_refuse(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> datetime | None:
        """The next time; none if the limit of runs is reached already, which is no mistake of the times."""
        next_at = self._emission.next_time(db, row, now)
        if next_at is None and not self._emission.is_spent(row):
            raise BadScheduleError("schedule", "schedule: it has no time after now; give it a later or wider one.")
        return next_at


def refuse_side_by_side(overlap: Overlap | None, kind: str) -> None:
    if overlap is Overlap.ALLOW_ALL and kind != "job":
        raise BadScheduleError(
            "overlap", f"overlap: allow_all is only for jobs; a {kind} keeps state that two runs would overwrite."
        )
