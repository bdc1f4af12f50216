"""Moves occurrences through their states: begun, could not start, ended. Always in the caller's transaction."""

import sqlite3
from datetime import datetime

from scheduler.engine.context import EngineContext
from scheduler.engine.scheduling.emission import Emission
from scheduler.engine.scheduling.launcher import Outcome, Result, Work
from scheduler.store import occurrences, schedules
from scheduler.timing.backoff import launch_delay
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.user_text import UserText


class OccurrenceLifecycle:
    def __init__(self, context: EngineContext, emission: Emission) -> None:
        self._context = context
        self._emission = emission

    def begin(self, db: sqlite3.Connection, work: Work, now: datetime) -> bool:
        """Mark it as started and count it against the schedule's limit; False if it may no longer start."""
        started = {"state": OccurrenceState.STARTED, "began": now, "unlaunched": 0, "retry_at": None}
        if not occurrences.update_if(db, work.key, OccurrenceState.QUEUED, **started):
            return False
        counted = schedules.record_start(
            db,
            work.subject,
            now,
            automatic=work.origin is OccurrenceOrigin.AUTOMATIC,
            by_user=work.origin in (OccurrenceOrigin.MANUAL, OccurrenceOrigin.BACKFILL),
        )
        if counted is None:
            occurrences.update_if(db, work.key, OccurrenceState.STARTED, state=OccurrenceState.QUEUED, began=None)
            self._drop_beyond_limit(db, work, now)
            return False
        runs, limit = counted
        if runs == limit:
            self._finish(db, work.subject, now)
        return True

    def end(
        self, db: sqlite3.Connection, key: str, outcome: Outcome, now: datetime, stopped: OccurrenceReason | None = None
    ) -> None:
        """Record how its last attempt ended; `stopped` is the reason if it was asked to stop."""
        if outcome.result is Result.SUCCEEDED:
            values = {"state": OccurrenceState.SUCCEEDED, "reason": None, "detail": outcome.detail, "ended": now}
            if not occurrences.update_if(db, key, OccurrenceState.STARTED, **values):
                occurrences.update_if(db, key, OccurrenceState.FAILED, **values)  # a failed one that was retried
        elif stopped is not None or outcome.result is Result.CANCELLED:
            self._close(db, key, OccurrenceState.CANCELLED, stopped or OccurrenceReason.STOPPED, outcome.detail, now)
        elif self._close(db, key, OccurrenceState.FAILED, OccurrenceReason.ERROR, outcome.detail, now):
            self._pause_after_failure(db, key)

    def could_not_start(self, db: sqlite3.Connection, key: str, sentence: str, now: datetime) -> None:
        """Retry a little later, three times; then fail."""
        one = occurrences.find(db, key)
        if one is None or one.state is not OccurrenceState.QUEUED:
            return
        failures = one.unlaunched + 1
        wait = launch_delay(failures)
        if wait is not None:
            occurrences.update_if(
                db, key, OccurrenceState.QUEUED, unlaunched=failures, retry_at=now + wait, detail=sentence
            )
            return
        reason = OccurrenceReason.COULD_NOT_START
        occurrences.move(
            db,
            key,
            OccurrenceState.QUEUED,
            OccurrenceState.FAILED,
            reason=reason,
            detail=sentence,
            ended=now,
        )
        self._pause_after_failure(db, key)

    def cancel(
        self, db: sqlite3.Connection, key: str, reason: OccurrenceReason, now: datetime, detail: str | None = None
    ) -> bool:
        """Cancel an occurrence that has started and waits for its next attempt; returns whether there was one."""
        return self._close(db, key, OccurrenceState.CANCELLED, reason, detail, now)

    def resolve_interrupted(self, db: sqlite3.Connection, key: str, now: datetime, *, happened: bool) -> None:
        """The user says what became of an interrupted job."""
        outcome = Outcome(Result.SUCCEEDED) if happened else Outcome(Result.CANCELLED, UserText("You left it at that."))
        self.end(db, key, outcome, now, None)

    def interrupt(self, db: sqlite3.Connection, continuing: set[str], now: datetime) -> None:
        """After a restart: fail what was started and ended with the process, unless its attempts continue."""
        for one, *_ in list(occurrences.iter_started(db)):
            if one.key not in continuing:
                self._close(db, one.key, OccurrenceState.FAILED, OccurrenceReason.INTERRUPTED, None, now)

    def _close(
        self,
        db: sqlite3.Connection,
        key: str,
        state: OccurrenceState,
        reason: OccurrenceReason | None,
        detail: str | None,
        now: datetime,
    ) -> bool:
        return occurrences.update_if(
            db, key, OccurrenceState.STARTED, state=state, reason=reason, detail=detail, ended=now
        )

    def _pause_after_failure(self, db: sqlite3.Connection, key: str) -> None:
        """Pause the schedule of a finally failed occurrence if its policy says so."""
        one = occurrences.find(db, key)
        row = None if one is None else schedules.find(db, one.schedule)
        if row is None:
            return
        with self._emission.disabling_on_error(db, row.id):
            if self._context.policies(row).pause_on_failure and not row.paused:
                schedules.update(
                    db, row.id, paused=True, pause_note=UserText("Paused after a failure."), version=row.version + 1
                )

    def _drop_beyond_limit(self, db: sqlite3.Connection, work: Work, now: datetime) -> None:
        row = schedules.find(db, work.subject)
        assert row is not None
        with self._emission.disabling_on_error(db, work.subject):
            if work.origin is OccurrenceOrigin.AUTOMATIC and self._emission.has_reached_limit(row):
                occurrences.move(
                    db,
                    work.key,
                    OccurrenceState.QUEUED,
                    OccurrenceState.DROPPED,
                    reason=OccurrenceReason.LIMIT,
                    ended=now,
                )

    def _finish(self, db: sqlite3.Connection, schedule: str, now: datetime) -> None:
        row = schedules.find(db, schedule)
        assert row is not None
        with self._emission.disabling_on_error(db, schedule):
            self._emission.finish(db, row, now)
