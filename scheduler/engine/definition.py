"""What a schedule is: adding one, editing one, and closing the account of its old times."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from scheduler.engine.context import Context, late_columns
from scheduler.engine.emission import Emission
from scheduler.engine.refusal import RefusedError
from scheduler.store import occurrences, schedules
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.catchup import gap_of
from scheduler.timing.due import Standing
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.overlap import decide_overlap
from scheduler.timing.policies import Overlap, Policies
from scheduler.timing.spec import Kind, Spec
from scheduler.timing.times import Times

_TICK = timedelta(microseconds=1)


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
        written_policies: Mapping[str, Any],
        kind: str,
        now: datetime,
    ) -> int:
        identity = schedule_id(workflow, handler)
        old = schedules.find(db, identity)
        if old is not None and old.removed is None:
            raise RefusedError("exists", f"There is already a schedule {identity}.")
        spec, times = self._read(written, kept=None)
        policies = self._read_policies(written_policies, kind)
        standing = Standing(id=identity, times=times, jitter=spec.jitter, policies=policies)
        next_at = self._next_or_refuse(db, identity, times, now)
        text = json.dumps(spec.write())
        self._context.keep(identity, text, spec, times)
        version = 1 if old is None else old.version + 1
        row = ScheduleRow(
            id=identity,
            workflow=workflow,
            handler=handler,
            kind=kind,
            spec=text,
            policies=json.dumps(policies.write()),
            version=version,
            next_at=next_at,
            next_due=standing.due_of(next_at),
            computed=now,
            created=now,
        )
        schedules.save(db, row)
        return version

    def edit(
        self,
        db: sqlite3.Connection,
        row: ScheduleRow,
        written: Mapping[str, Any] | None,
        written_policies: Mapping[str, Any] | None,
        now: datetime,
    ) -> int:
        old = None if row.trouble is not None else self._context.compile(row.id, row.spec)
        policies = (
            self._context.policies(row) if written_policies is None else self._read_policies(written_policies, row.kind)
        )
        spec, times = old or (None, None)
        if written is not None:
            spec, times = self._read(written, kept=None if old is None else old[0])
        if spec is None or times is None:
            raise RefusedError("trouble", f"{row.id} was set aside: {row.trouble} Give it new times.")
        text = json.dumps(spec.write())
        changes: dict[str, Any] = {"spec": text, "policies": json.dumps(policies.write()), "kind": row.kind}
        if old is None or not spec.has_same_times(old[0]):
            changes |= self._change_times(db, row, old, times, now)
            standing = Standing(id=row.id, times=times, jitter=spec.jitter, policies=policies)
            changes |= {"next_due": standing.due_of(changes["next_at"]), "computed": now, "trouble": None}
        elif row.next_at is not None:
            standing = Standing(id=row.id, times=times, jitter=spec.jitter, policies=policies)
            changes["next_due"] = standing.due_of(row.next_at)
        schedules.update(db, row.id, version=row.version + 1, **changes)
        self._context.keep(row.id, text, spec, times)
        self._requeue(db, row.id, policies, now)
        return row.version + 1

    def _change_times(
        self, db: sqlite3.Connection, row: ScheduleRow, old: tuple[Spec, Times] | None, times: Times, now: datetime
    ) -> dict[str, Any]:
        """Close the account of the old times up to now, then open one for the new."""
        if old is not None:
            if not row.paused:
                self._emission.settle(db, row, now)
            elif row.next_at is not None and (last := old[1].last(row.next_at - _TICK, now)) is not None:
                self._emission.add_gap(db, row.id, gap_of(old[1], row.next_at, last, Reason.EDITED), now)
            settled = schedules.find(db, row.id)
            assert settled is not None
            self._emission.drop_late(db, settled, old[1], Reason.EDITED, now)
        kept = row.skip_at is not None and times.after(row.skip_at - _TICK) == row.skip_at
        return {
            "next_at": self._next_or_refuse(db, row.id, times, now),
            "skip_at": row.skip_at if kept else None,
            **late_columns(None),
        }

    def _requeue(self, db: sqlite3.Connection, schedule: str, policies: Policies, now: datetime) -> None:
        """What waits is decided again, under the policy that holds now."""
        underway = [one for one in occurrences.underway(db, schedule) if one.origin is not Origin.BACKFILL]
        seen = [one for one in underway if not one.gives_way]
        for one in underway:
            if not one.gives_way:
                continue
            decision = decide_overlap(policies.overlap, seen)
            for key in decision.replaced:
                occurrences.move(db, key, State.QUEUED, State.COALESCED, reason=Reason.REPLACED, ended=now)
            seen = [other for other in seen if other.key not in decision.replaced]
            if decision.state is State.QUEUED:
                seen.append(one)
            else:
                occurrences.move(db, one.key, State.QUEUED, decision.state, reason=decision.reason, ended=now)

    def _read(self, written: Mapping[str, Any], kept: Spec | None) -> tuple[Spec, Times]:
        """Read what was written; the anchor of a grid survives an edit that does not touch its interval."""
        given = dict(written)
        if given.get("jitter") is None and self._context.settings.jitter is not None:
            given["jitter"] = self._context.settings.jitter
        spec = self._context.read_spec(given)
        if spec.kind is Kind.EVERY and "anchor" not in given and kept is not None and kept.every == spec.every:
            spec = replace(spec, anchor=kept.anchor)
        return spec, spec.times(self._context.machine_zone)

    def _read_policies(self, written: Mapping[str, Any], kind: str) -> Policies:
        policies = Policies.read(written, self._context.settings.policies(kind))
        if policies.overlap is Overlap.ALLOW_ALL and kind != "job":
            raise BadScheduleError(
                "overlap", f"overlap: allow_all is only for jobs; a {kind} keeps state that two runs would overwrite."
            )
        return policies

    def _next_or_refuse(self, db: sqlite3.Connection, schedule: str, times: Times, now: datetime) -> datetime:
        next_at = self._emission.first_unrecorded(db, schedule, times, now)
        if next_at is None:
            raise BadScheduleError("schedule", "schedule: it has no time after now; give it a later or wider one.")
        return next_at
