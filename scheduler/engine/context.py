"""What every part of the engine needs at hand: the store, the clock, the settings, compiled schedules."""

import json
import sqlite3
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scheduler.engine.clock import Clock
from scheduler.engine.conditions import Conditions, UnknownConditions
from scheduler.engine.launcher import Announce
from scheduler.engine.settings import Settings
from scheduler.store import occurrences
from scheduler.store.database import Database
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.due import Late, Standing
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.policies import Policies
from scheduler.timing.spec import Spec
from scheduler.timing.times import Times

_COMPILED_AT_MOST = 1_000


@dataclass(slots=True, kw_only=True)
class Context:
    database: Database
    clock: Clock
    announce: Announce
    """Say that something changed, and that the engine should look again."""
    tell: Announce
    """Say that something changed that a person may be looking at."""
    settings: Settings
    machine_zone: str
    conditions: Conditions = field(default_factory=UnknownConditions)
    paused_until: datetime | None = None
    """Until when nothing at all starts, because the person said so; None if things go on."""
    _policies: dict[tuple[str, str], Policies] = field(default_factory=dict)
    _compiled: OrderedDict[str, tuple[str, str, Spec, Times]] = field(default_factory=OrderedDict)

    def is_paused(self, now: datetime) -> bool:
        return self.paused_until is not None and now < self.paused_until

    def compile(self, schedule: str, written: str) -> tuple[Spec, Times]:
        """The stored spec, read and compiled; kept while it is used. BadScheduleError if it makes no sense."""
        known = self._compiled.get(schedule)
        if known is not None and known[:2] == (written, self.machine_zone):
            self._compiled.move_to_end(schedule)
            return known[2:]
        spec = self.read_spec(_load(written, "spec"), self.clock.now())
        times = spec.times(self.machine_zone)
        self.keep(schedule, written, spec, times)
        return spec, times

    def keep(self, schedule: str, written: str, spec: Spec, times: Times) -> None:
        self._compiled[schedule] = (written, self.machine_zone, spec, times)
        if len(self._compiled) > _COMPILED_AT_MOST:
            self._compiled.popitem(last=False)

    def read_spec(self, written: Mapping[str, Any], now: datetime) -> Spec:
        return Spec.read(written, machine_zone=self.machine_zone, now=now)

    def policies(self, row: ScheduleRow) -> Policies:
        return self.read_policies(row.policies, row.kind)

    def read_policies(self, written: str, kind: str) -> Policies:
        """The stored policies, read; most schedules share a few, so they are kept."""
        known = self._policies.get((written, kind))
        if known is None:
            known = Policies.read(_load(written, "policies"), self.settings.policies(kind))
            if len(self._policies) > _COMPILED_AT_MOST:
                self._policies.clear()
            self._policies[written, kind] = known
        return known

    def standing(self, db: sqlite3.Connection, row: ScheduleRow) -> Standing:
        """Where a schedule stands, beside the times from there on that have a row already."""
        first = row.late_next or row.next_at
        taken = frozenset() if first is None else occurrences.recorded(db, row.id, first)
        return self.standing_alone(row, taken)

    def standing_alone(self, row: ScheduleRow, taken: frozenset[datetime] = frozenset()) -> Standing:
        spec, times = self.compile(row.id, row.spec)
        return Standing(
            id=row.id,
            times=times,
            jitter=spec.jitter,
            policies=self.policies(row),
            next_at=row.next_at,
            next_due=row.next_due,
            skip_at=row.skip_at,
            late=late_of(row),
            taken=taken,
        )


def late_of(row: ScheduleRow) -> Late | None:
    if row.late_next is None or row.late_until is None or row.late_began is None:
        return None
    return Late(
        next=row.late_next,
        until=row.late_until,
        began=row.late_began,
        total=row.late_total or 1,
        made=row.late_made or 0,
    )


def late_columns(late: Late | None) -> dict[str, datetime | int | None]:
    if late is None:
        return dict.fromkeys(("late_next", "late_until", "late_began", "late_total", "late_made"))
    return {
        "late_next": late.next,
        "late_until": late.until,
        "late_began": late.began,
        "late_total": late.total,
        "late_made": late.made,
    }


def _load(text: str, field: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise BadScheduleError(field, f"{field}: the stored text cannot be read.") from error
    if not isinstance(value, dict):
        raise BadScheduleError(field, f"{field}: the stored text is not a set of settings.")
    return value
