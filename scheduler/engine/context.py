"""What every part of the engine shares: the store, the clock, the settings and compiled schedules."""

import json
import sqlite3
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scheduler.engine.clock import Clock
from scheduler.engine.scheduling.conditions import Conditions, UnknownConditions
from scheduler.engine.scheduling.launcher import Announce
from scheduler.engine.settings import Settings
from scheduler.store import occurrences
from scheduler.store.database import Database
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.compiled import PlannedTimes
from scheduler.timing.due import CatchupCursor, ScheduleSnapshot
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.policies import Policies
from scheduler.timing.spec import ScheduleSpec
from scheduler.user_text import UserText

_MAX_COMPILED = 1_000


@dataclass(slots=True, kw_only=True)
class EngineContext:
    database: Database
    clock: Clock
    announce: Announce
    """Report a change after which the engine should tick again."""
    report_change: Announce
    """Report a change that only matters to the user interface."""
    settings: Settings
    machine_zone: str
    conditions: Conditions = field(default_factory=UnknownConditions)
    paused_until: datetime | None = None
    """Until when the user paused everything, also once that has passed; None if nothing is paused."""
    _policies: dict[tuple[str, str], Policies] = field(default_factory=dict)
    _compiled: OrderedDict[str, tuple[str, str, ScheduleSpec, PlannedTimes]] = field(default_factory=OrderedDict)

    def change_settings(self, settings: Settings) -> None:
        """Takes effect at once for every schedule that does not set the value itself."""
        self.settings = settings
        self._policies = {}

    def is_paused(self, now: datetime) -> bool:
        return self.paused_until is not None and now < self.paused_until

    def compile(self, schedule: str, written: str) -> tuple[ScheduleSpec, PlannedTimes]:
        """The stored spec, parsed and compiled; cached. Raises BadScheduleError if it is invalid."""
        known = self._compiled.get(schedule)
        if known is not None and known[:2] == (written, self.machine_zone):
            with suppress(KeyError):  # another thread has just removed it
                self._compiled.move_to_end(schedule)
            return known[2:]
        spec = self.parse_spec(_load(written, "spec"), self.clock.now())
        times = spec.compile(self.machine_zone)
        self.cache(schedule, written, spec, times)
        return spec, times

    def cache(self, schedule: str, written: str, spec: ScheduleSpec, times: PlannedTimes) -> None:
        self._compiled[schedule] = (written, self.machine_zone, spec, times)
        if len(self._compiled) > _MAX_COMPILED:
            self._compiled.popitem(last=False)

    def parse_spec(self, written: Mapping[str, Any], now: datetime) -> ScheduleSpec:
        return ScheduleSpec.read(written, machine_zone=self.machine_zone, now=now)

    def policies(self, row: ScheduleRow) -> Policies:
        return self.parse_policies(row.policies, row.kind)

    def parse_policies(self, written: str, kind: str) -> Policies:
        """The stored policies, parsed; cached, as most schedules share a few."""
        known = self._policies.get((written, kind))
        if known is None:
            known = Policies.read(_load(written, "policies"), self.settings.policies(kind))
            if len(self._policies) > _MAX_COMPILED:
                self._policies.clear()
            self._policies[written, kind] = known
        return known

    def timing_state(self, db: sqlite3.Connection, row: ScheduleRow) -> ScheduleSnapshot:
        """The timing state of a schedule, with the times ahead that already have a row."""
        first = row.late_next or row.next_at
        taken = frozenset() if first is None else occurrences.recorded_times(db, row.id, first)
        return self.build_timing_state(row, taken)

    def build_timing_state(self, row: ScheduleRow, taken: frozenset[datetime] = frozenset()) -> ScheduleSnapshot:
        spec, times = self.compile(row.id, row.spec)
        return ScheduleSnapshot(
            id=row.id,
            times=times,
            jitter=self.settings.jitter if spec.jitter is None else spec.jitter,
            policies=self.policies(row),
            next_at=row.next_at,
            next_due=row.next_due,
            skip_at=row.skip_at,
            late=read_late(row),
            taken=taken,
            paused_until=self.paused_until,
            buffer_limit=self.settings.buffer_limit,
        )


def read_late(row: ScheduleRow) -> CatchupCursor | None:
    if row.late_next is None or row.late_until is None or row.late_began is None:
        return None
    return CatchupCursor(
        next=row.late_next,
        until=row.late_until,
        began=row.late_began,
        total=row.late_total or 1,
        made=row.late_made or 0,
    )


def late_columns(late: CatchupCursor | None) -> dict[str, datetime | int | None]:
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
        raise BadScheduleError(field, UserText("{field}: the stored text cannot be read.", field=field)) from error
    if not isinstance(value, dict):
        raise BadScheduleError(field, UserText("{field}: the stored text is not a set of settings.", field=field))
    return value
