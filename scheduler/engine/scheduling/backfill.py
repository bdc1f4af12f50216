"""Adds the occurrences of open backfills, a few rows per tick."""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice

from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.scheduling.emission import Emission
from scheduler.store import backfills, occurrences, schedules
from scheduler.store.backfills import BackfillRow
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.compiled import PlannedTimes
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceState, occurrence_key
from scheduler.timing.overlap import OverlapDecision, UnfinishedOccurrence, decide_overlap
from scheduler.user_text import UserText

_MAX_BACKFILL_RUNS = 100_000
_INSTANT = timedelta(microseconds=1)


class BackfillEmission:
    def __init__(self, context: EngineContext, emission: Emission) -> None:
        self._context = context
        self._emission = emission

    def advance(self, db: sqlite3.Connection, now: datetime) -> bool:
        """Add the next rows of each open backfill; returns whether there were any."""
        more = False
        for backfill in backfills.list_open(db):
            row = schedules.find(db, backfill.schedule)
            if row is None:
                backfills.cancel(db, backfill.id, now)
            elif row.trouble is None:
                with self._emission.disabling_on_error(db, row.id):
                    more |= self._advance(db, row, backfill, now)
        return more

    def _advance(self, db: sqlite3.Connection, row: ScheduleRow, backfill: BackfillRow, now: datetime) -> bool:
        own = [one for one in occurrences.list_unfinished(db, row.id) if one.origin is OccurrenceOrigin.BACKFILL]
        settings = self._context.settings
        room = min(settings.waiting_at_most - len(own), settings.backfill_per_tick)
        if room <= 0:
            return False
        _, times = self._context.compile(row.id, row.spec)
        chunk = list(islice(_remaining(backfill, times), room))
        added = 0
        ran = occurrences.times_that_ran(db, row.id, chunk[0], chunk[-1]) if chunk and backfill.missing else frozenset()
        for planned in chunk:
            if planned in ran:
                continue
            decision = decide_overlap(backfill.overlap, own, buffer_limit=settings.buffer_limit)
            occurrences.coalesce(db, decision.replaced, now)
            own = [one for one in own if one.key not in decision.replaced]
            new = _row_of(backfill, planned, decision, now)
            added += occurrences.insert(db, new)
            if new.state is OccurrenceState.QUEUED:
                own.append(UnfinishedOccurrence(new.key, OccurrenceOrigin.BACKFILL, OccurrenceState.QUEUED))
        backfills.advance(db, backfill.id, chunk[-1] if chunk else backfill.cursor, added)
        if len(chunk) < room:
            backfills.finish(db, backfill.id, now)
        return True


def count_missing(db: sqlite3.Connection, schedule: str, times: PlannedTimes, first: datetime, last: datetime) -> int:
    """How many times in that range have not run."""
    ran = occurrences.times_that_ran(db, schedule, first, last)
    return sum(at not in ran for at in times.between(first - _INSTANT, last))


def _row_of(backfill: BackfillRow, planned: datetime, decision: OverlapDecision, now: datetime) -> OccurrenceRow:
    return OccurrenceRow(
        key=occurrence_key(backfill.schedule, planned, OccurrenceOrigin.BACKFILL, backfill.id),
        schedule=backfill.schedule,
        planned=planned,
        due=now,
        origin=OccurrenceOrigin.BACKFILL,
        state=decision.state,
        reason=decision.reason,
        overlap=backfill.overlap,
        backfill=backfill.id,
        created=now,
        ended=None if decision.state is OccurrenceState.QUEUED else now,
    )


def _remaining(backfill: BackfillRow, times: PlannedTimes) -> Iterator[datetime]:
    for first, last in backfill.ranges:
        after = first - _INSTANT if backfill.cursor is None else max(first - _INSTANT, backfill.cursor)
        yield from times.between(after, last)


def merge_ranges(ranges: Sequence[tuple[datetime, datetime]], now: datetime) -> tuple[tuple[datetime, datetime], ...]:
    """The ranges in order, cut off at now, merged where they overlap."""
    merged: list[tuple[datetime, datetime]] = []
    for first, end in sorted(ranges):
        if end < first:
            raise RefusedError("range", UserText("The range ends before it starts."))
        last = min(end, now)
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        elif first <= last:
            merged.append((first, last))
    return tuple(merged)


def count_backfill(
    db: sqlite3.Connection,
    schedule: str,
    times: PlannedTimes,
    spans: Sequence[tuple[datetime, datetime]],
    *,
    missing: bool,
) -> int:
    """How many runs it will have; RefusedError if there are none, or too many."""
    total = sum(times.count(first - _INSTANT, last, _MAX_BACKFILL_RUNS).number for first, last in spans)
    if total == 0:
        raise RefusedError("no times", UserText("{schedule} has no scheduled runs in that range.", schedule=schedule))
    if total >= _MAX_BACKFILL_RUNS:
        raise RefusedError(
            "too many", UserText("That range has {total} runs or more. Choose a shorter one.", total=f"{total:,}")
        )
    if not missing:
        return total
    total = sum(count_missing(db, schedule, times, first, last) for first, last in spans)
    if total == 0:
        raise RefusedError(
            "no times", UserText("{schedule} already ran at every time in that range.", schedule=schedule)
        )
    return total
