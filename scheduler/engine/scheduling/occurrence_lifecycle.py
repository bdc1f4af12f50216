"""The book of occurrences: one begins, could not be started, or ends. Always in a transaction of the caller's."""

import sqlite3
from datetime import datetime

from scheduler.engine.context import Context
from scheduler.engine.emission import Emission
from scheduler.engine.launcher import Outcome, Result, Work
from scheduler.store import occurrences, schedules
from scheduler.timing.backoff import launch_delay
from scheduler.timing.occurrences import Origin, Reason, State


class Book:
    def __init__(self, context: Context, emission: Emission) -> None:
        self._context = context
        self._emission = emission

    def begin(self, db: sqlite3.Connection, work: Work, now: datetime) -> bool:
        """Stamp it as begun, and count it against its schedule's limit; False if it must not begin any longer."""
        started = {"state": State.STARTED, "began": now, "unlaunched": 0, "retry_at": None}
        if not occurrences.adjust(db, work.key, State.QUEUED, **started):
            return False
        counted = schedules.count_run(
            db,
            work.subject,
            now,
            automatic=work.origin is Origin.AUTOMATIC,
            wanted=work.origin in (Origin.MANUAL, Origin.BACKFILL),
        )
        if counted is None:
            occurrences.adjust(db, work.key, State.STARTED, state=State.QUEUED, began=None)
            self._drop_beyond_limit(db, work, now)
            return False
        runs, limit = counted
        if runs == limit:
            self._finish(db, work.subject, now)
        return True

    def end(
        self, db: sqlite3.Connection, key: str, outcome: Outcome, now: datetime, stopped: Reason | None = None
    ) -> None:
        """Write down how its last attempt went; `stopped` is why it was asked to end, if it was."""
        if outcome.result is Result.SUCCEEDED:
            facts = {"state": State.SUCCEEDED, "reason": None, "detail": outcome.detail, "ended": now}
            if not occurrences.adjust(db, key, State.STARTED, **facts):
                occurrences.adjust(db, key, State.FAILED, **facts)  # that one was tried again
        elif stopped is not None or outcome.result is Result.CANCELLED:
            self._close(db, key, State.CANCELLED, stopped or Reason.STOPPED, outcome.detail, now)
        elif self._close(db, key, State.FAILED, Reason.ERROR, outcome.detail, now):
            self._hold_back(db, key)

    def could_not_start(self, db: sqlite3.Connection, key: str, sentence: str, now: datetime) -> None:
        """Try again a little later, three times; then give up."""
        one = occurrences.find(db, key)
        if one is None or one.state is not State.QUEUED:
            return
        failures = one.unlaunched + 1
        wait = launch_delay(failures)
        if wait is not None:
            occurrences.adjust(db, key, State.QUEUED, unlaunched=failures, retry_at=now + wait, detail=sentence)
            return
        reason = Reason.COULD_NOT_START
        occurrences.move(db, key, State.QUEUED, State.FAILED, reason=reason, detail=sentence, retry_at=None, ended=now)
        self._hold_back(db, key)

    def give_up(
        self, db: sqlite3.Connection, key: str, reason: Reason, now: datetime, detail: str | None = None
    ) -> bool:
        """One that has begun and only waits is over; says whether it was there."""
        return self._close(db, key, State.CANCELLED, reason, detail, now)

    def interrupt(self, db: sqlite3.Connection, going_on: set[str], now: datetime) -> None:
        """After a restart: what had begun ended with the process that ran it, unless its attempts go on."""
        for one, *_ in list(occurrences.started(db)):
            if one.key not in going_on:
                self._close(db, one.key, State.FAILED, Reason.INTERRUPTED, None, now)

    def _close(
        self, db: sqlite3.Connection, key: str, state: State, reason: Reason | None, detail: str | None, now: datetime
    ) -> bool:
        return occurrences.adjust(db, key, State.STARTED, state=state, reason=reason, detail=detail, ended=now)

    def _hold_back(self, db: sqlite3.Connection, key: str) -> None:
        """After a failure for good: pause the schedule if it says so."""
        one = occurrences.find(db, key)
        row = None if one is None else schedules.find(db, one.schedule)
        if row is None:
            return
        with self._emission.setting_aside(db, row.id):
            if self._context.policies(row).pause_on_failure and not row.paused:
                schedules.update(db, row.id, paused=True, pause_note="Paused after a failure.", version=row.version + 1)

    def _drop_beyond_limit(self, db: sqlite3.Connection, work: Work, now: datetime) -> None:
        row = schedules.find(db, work.subject)
        assert row is not None
        with self._emission.setting_aside(db, work.subject):
            if work.origin is Origin.AUTOMATIC and self._emission.is_spent(row):
                occurrences.move(db, work.key, State.QUEUED, State.DROPPED, reason=Reason.LIMIT, ended=now)

    def _finish(self, db: sqlite3.Connection, schedule: str, now: datetime) -> None:
        row = schedules.find(db, schedule)
        assert row is not None
        with self._emission.setting_aside(db, schedule):
            self._emission.finish(db, row, now)
