"""Working off backfills, a few rows at a time, behind everything regular."""

import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice

from scheduler.engine.context import Context
from scheduler.engine.emission import Emission
from scheduler.store import backfills, occurrences, schedules
from scheduler.store.backfills import BackfillRow
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.occurrences import Origin, Reason, State, occurrence_key
from scheduler.timing.overlap import Decision, Underway, decide_overlap
from scheduler.timing.times import Times

_TICK = timedelta(microseconds=1)


class Backfilling:
    def __init__(self, context: Context, emission: Emission) -> None:
        self._context = context
        self._emission = emission

    def advance(self, db: sqlite3.Connection, now: datetime) -> bool:
        """Make the next rows of each open backfill; says whether there were any."""
        more = False
        for backfill in backfills.still_open(db):
            row = schedules.find(db, backfill.schedule)
            if row is None:
                backfills.cancel(db, backfill.id, now)
            elif row.trouble is None:
                with self._emission.setting_aside(db, row.id):
                    more |= self._advance(db, row, backfill, now)
        return more

    def _advance(self, db: sqlite3.Connection, row: ScheduleRow, backfill: BackfillRow, now: datetime) -> bool:
        own = [one for one in occurrences.underway(db, row.id) if one.origin is Origin.BACKFILL]
        settings = self._context.settings
        room = min(settings.waiting_at_most - len(own), settings.backfill_per_tick)
        if room <= 0:
            return False
        _, times = self._context.compile(row.id, row.spec)
        chunk = list(islice(_remaining(backfill, times), room))
        made = 0
        ran = occurrences.that_ran(db, row.id, chunk[0], chunk[-1]) if chunk and backfill.missing else frozenset()
        for planned in chunk:
            if planned in ran:
                continue
            decision = decide_overlap(backfill.overlap, own)
            for waiting in decision.replaced:
                occurrences.move(db, waiting, State.QUEUED, State.COALESCED, reason=Reason.REPLACED, ended=now)
            own = [one for one in own if one.key not in decision.replaced]
            new = _row_of(backfill, planned, decision, now)
            made += occurrences.insert(db, new)
            if new.state is State.QUEUED:
                own.append(Underway(new.key, Origin.BACKFILL, State.QUEUED))
        backfills.advance(db, backfill.id, chunk[-1] if chunk else backfill.cursor, made)
        if len(chunk) < room:
            backfills.end(db, backfill.id, now)
        return True


def count_missing(db: sqlite3.Connection, schedule: str, times: Times, first: datetime, last: datetime) -> int:
    """How many times of that range a backfill would run that leaves out those that ran."""
    ran = occurrences.that_ran(db, schedule, first, last)
    return sum(at not in ran for at in times.between(first - _TICK, last))


def _row_of(backfill: BackfillRow, planned: datetime, decision: Decision, now: datetime) -> OccurrenceRow:
    return OccurrenceRow(
        key=occurrence_key(backfill.schedule, planned, Origin.BACKFILL, backfill.id),
        schedule=backfill.schedule,
        planned=planned,
        due=now,
        origin=Origin.BACKFILL,
        state=decision.state,
        reason=decision.reason,
        overlap=backfill.overlap,
        backfill=backfill.id,
        created=now,
        ended=None if decision.state is State.QUEUED else now,
    )


def _remaining(backfill: BackfillRow, times: Times) -> Iterator[datetime]:
    for first, last in backfill.ranges:
        after = first - _TICK if backfill.cursor is None else max(first - _TICK, backfill.cursor)
        yield from times.between(after, last)
