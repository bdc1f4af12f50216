"""Starting what is queued, and recording how it went. Reports may come from any thread."""

import sqlite3
import threading
from collections import deque
from datetime import datetime
from itertools import chain
from typing import Protocol

from scheduler.engine.conditions import Conditions, unmet
from scheduler.engine.context import Context
from scheduler.engine.emission import Emission
from scheduler.engine.launcher import Announcement, CouldNotStartError, Launcher, Outcome, Result, Work
from scheduler.store import occurrences, schedules
from scheduler.store.errors import StaleError
from scheduler.store.occurrences import OccurrenceRow
from scheduler.timing.backoff import TOO_MANY, launch_delay, retry_delay
from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.policies import Overlap, Policies


class Tell(Protocol):
    def __call__(self, announcement: Announcement, *, changes_times: bool) -> None:
        """Say that a run began or ended, and whether the engine has a new time to wake for."""


class Dispatch:
    """Hands due occurrences to the launcher, at most `concurrency` at once."""

    def __init__(
        self, context: Context, launcher: Launcher, conditions: Conditions, emission: Emission, tell: Tell
    ) -> None:
        self._tell = tell
        self._context = context
        self._launcher = launcher
        self._conditions = conditions
        self._emission = emission
        self._lock = threading.Lock()
        self._flights: dict[str, Work] = {}
        self._overtaken: set[str] = set()
        self._ends: deque[tuple[Work, Outcome]] = deque()

    @property
    def in_flight(self) -> int:
        return len(self._flights)

    def recover(self, now: datetime) -> None:
        """After a restart: what was running has ended with the process that ran it."""
        with self._context.database.write() as db:
            for one, _, _ in list(occurrences.started(db)):
                if one.retry_at is None:
                    occurrences.move(db, one.key, State.STARTED, State.FAILED, reason=Reason.INTERRUPTED, ended=now)

    def start_due(self, now: datetime) -> bool:
        """Start what can start; says whether something that is due has to wait."""
        db = self._context.database.read()
        for one in self._candidates(db, now):
            self._start(one)
        return occurrences.is_waiting(db, now)

    def _candidates(self, db: sqlite3.Connection, now: datetime) -> list[OccurrenceRow]:
        """As many as there are free slots: next attempts first, backfills last, one of each schedule at a time."""
        room = self._context.settings.concurrency - len(self._flights)
        found: list[OccurrenceRow] = []
        if room <= 0:
            return found
        busy = {work.schedule for work in self._flights.values()}
        for one, written, kind in occurrences.started(db):
            busy.add(one.schedule)
            is_due = one.retry_at is not None and one.retry_at <= now and one.key not in self._flights
            if is_due and self._may_start(one, self._context.read_policies(written, kind)):
                found.append(one)
        for one, written, kind in chain(*(occurrences.queue(db, now, backfill=last) for last in (False, True))):
            if len(found) >= room:
                break
            policies = self._context.read_policies(written, kind)
            if self._is_expired(one, policies, now):
                self._expire(one, now)
            elif one.key in self._flights or not self._may_start(one, policies):
                continue
            elif one.schedule not in busy or (one.overlap or policies.overlap) is Overlap.ALLOW_ALL:
                busy.add(one.schedule)
                found.append(one)
        return found[:room]

    def stop(self, key: str, *, kill: bool, overtaken: bool = False) -> None:
        """End a started occurrence: at once if it only waits for its next attempt."""
        if key in self._flights:
            if overtaken:
                self._overtaken.add(key)
            self._launcher.stop(key, kill=kill)
            return
        reason = Reason.OVERTAKEN if overtaken else Reason.STOPPED
        with self._context.database.write() as db:
            one = occurrences.find(db, key)
            if one is not None and one.state is State.STARTED:
                ended = self._context.clock.now()
                occurrences.move(db, key, State.STARTED, State.CANCELLED, reason=reason, retry_at=None, ended=ended)

    def began(self, work: Work) -> bool:
        now = self._context.clock.now()
        try:
            with self._context.database.write() as db:
                begins = self._begin(db, work, now)
        except StaleError:
            begins = False
        if not begins:
            self._land(work)
        self._tell(Announcement(work.schedule), changes_times=not begins)
        return begins

    def ended(self, work: Work, outcome: Outcome) -> None:
        self._ends.append((work, outcome))
        self._tell(Announcement(work.schedule), changes_times=True)

    def record_ends(self, db: sqlite3.Connection, now: datetime) -> None:
        """Write down what launchers reported since the last look."""
        while self._ends:
            work, outcome = self._ends[0]
            self._end(db, work, outcome, now)
            self._ends.popleft()
            self._land(work)

    def _start(self, one: OccurrenceRow) -> None:
        attempt = one.attempts + 1 if one.state is State.STARTED else 1
        work = Work(key=one.key, schedule=one.schedule, planned=one.planned, origin=one.origin, attempt=attempt)
        with self._lock:
            self._flights[one.key] = work
        try:
            self._launcher.start(work, self)
        except CouldNotStartError as error:
            self.ended(work, Outcome(Result.FAILED, str(error)))

    def _may_start(self, one: OccurrenceRow, policies: Policies) -> bool:
        """Whether the machine offers what it needs; a person's own wish is not held back."""
        return one.origin is Origin.MANUAL or not unmet(self._conditions, policies.needs)

    def _is_expired(self, one: OccurrenceRow, policies: Policies, now: datetime) -> bool:
        window = policies.catchup_window
        if not window or one.state is not State.QUEUED or one.origin is not Origin.AUTOMATIC:
            return False
        return one.planned < now - window

    def _begin(self, db: sqlite3.Connection, work: Work, now: datetime) -> bool:
        if work.attempt > 1:
            return occurrences.adjust(db, work.key, State.STARTED, retry_at=None, attempts=work.attempt)
        counted = schedules.count_run(db, work.schedule, now, automatic=work.origin is Origin.AUTOMATIC)
        if counted is None:
            occurrences.move(db, work.key, State.QUEUED, State.DROPPED, reason=Reason.LIMIT, ended=now)
            return False
        occurrences.move(db, work.key, State.QUEUED, State.STARTED, began=now, attempts=1, retry_at=None)
        runs, limit = counted
        if runs == limit:
            self._finish(db, work.schedule, now)
        return True

    def _finish(self, db: sqlite3.Connection, schedule: str, now: datetime) -> None:
        """The limit of runs is reached: no more times, and nothing that waits will run."""
        row = schedules.find(db, schedule)
        assert row is not None
        _, times = self._context.compile(row.id, row.spec)
        self._emission.drop_late(db, row, times, Reason.LIMIT, now)
        self._emission.drop_queued(db, row.id, State.DROPPED, Reason.LIMIT, now)
        schedules.update(db, row.id, next_at=None, next_due=None)

    def _end(self, db: sqlite3.Connection, work: Work, outcome: Outcome, now: datetime) -> None:
        one = occurrences.find(db, work.key)
        if one is None:
            return
        if one.state is State.QUEUED:
            self._could_not_start(db, one, outcome.detail or "", now)
        elif one.state is State.STARTED and outcome.result is Result.SUCCEEDED:
            schedules.forgive(db, one.schedule)
            occurrences.move(db, one.key, State.STARTED, State.SUCCEEDED, detail=outcome.detail, ended=now)
        elif one.state is State.STARTED and outcome.result is Result.CANCELLED:
            reason = Reason.OVERTAKEN if one.key in self._overtaken else Reason.STOPPED
            occurrences.move(db, one.key, State.STARTED, State.CANCELLED, reason=reason, ended=now)
        elif one.state is State.STARTED:
            self._fail(db, one, outcome, now)

    def _fail(self, db: sqlite3.Connection, one: OccurrenceRow, outcome: Outcome, now: datetime) -> None:
        failures = schedules.count_failure(db, one.schedule)
        if outcome.result is Result.TRANSIENT and failures < TOO_MANY:
            wait = retry_delay(failures, one.key, outcome.retry_after)
            occurrences.adjust(db, one.key, State.STARTED, retry_at=now + wait, detail=outcome.detail)
            return
        reason = Reason.TOO_MANY_FAILURES if failures >= TOO_MANY else Reason.ERROR
        occurrences.move(db, one.key, State.STARTED, State.FAILED, reason=reason, detail=outcome.detail, ended=now)
        row = schedules.find(db, one.schedule)
        assert row is not None
        if failures >= TOO_MANY:
            schedules.update(db, row.id, blocked=Reason.TOO_MANY_FAILURES.sentence)
        elif self._context.policies(row).pause_on_failure and not row.paused:
            schedules.update(db, row.id, paused=True, pause_note="Paused after a failure.", version=row.version + 1)

    def _could_not_start(self, db: sqlite3.Connection, one: OccurrenceRow, detail: str, now: datetime) -> None:
        failures = one.attempts + 1
        wait = launch_delay(failures)
        if wait is not None:
            occurrences.adjust(db, one.key, State.QUEUED, attempts=failures, retry_at=now + wait, detail=detail)
            return
        occurrences.move(
            db, one.key, State.QUEUED, State.FAILED, reason=Reason.COULD_NOT_START, detail=detail, ended=now
        )

    def _expire(self, one: OccurrenceRow, now: datetime) -> None:
        try:
            with self._context.database.write() as db:
                occurrences.move(db, one.key, State.QUEUED, State.MISSED, reason=Reason.EXPIRED, ended=now)
        except StaleError:
            return

    def _land(self, work: Work) -> None:
        with self._lock:
            self._flights.pop(work.key, None)
            self._overtaken.discard(work.key)
