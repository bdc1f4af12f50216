"""Starting what is queued, and recording how it went. Reports may come from any thread."""

import json
import sqlite3
import threading
from datetime import datetime
from typing import Protocol

from scheduler.engine.conditions import Conditions, unmet
from scheduler.engine.context import Context
from scheduler.engine.emission import Emission
from scheduler.engine.launcher import Announcement, CouldNotStartError, Launcher, Outcome, Result, Work
from scheduler.store import occurrences, schedules
from scheduler.store.errors import StaleError
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.backoff import TOO_MANY, launch_delay, retry_delay
from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.policies import Need, Overlap, Policies


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

    @property
    def in_flight(self) -> int:
        return len(self._flights)

    def recover(self, now: datetime) -> None:
        """After a restart: what was running has ended with the process that ran it."""
        with self._context.database.write() as db:
            for one in occurrences.started(db):
                if one.retry_at is None:
                    occurrences.move(db, one.key, State.STARTED, State.FAILED, reason=Reason.INTERRUPTED, ended=now)

    def start_due(self, now: datetime) -> bool:
        """Start what can start; says whether something that is due has to wait."""
        db = self._context.database.read()
        for one, policies in self._candidates(db, now):
            if self._room() > 0 and one.key not in self._flights:
                self._try_to_start(one, policies, now)
        return occurrences.is_waiting(db, now)

    def _candidates(self, db: sqlite3.Connection, now: datetime) -> list[tuple[OccurrenceRow, Policies]]:
        """Next attempts first, then what is queued; no more of it than could start if all conditions hold."""
        all_hold = not unmet(self._conditions, Need)
        most = self._room() + len(self._flights) + 1 if all_hold else -1
        found = [*occurrences.retries(db, now), *occurrences.startable(db, now, most)]
        return [(one, self._context.read_policies(text, kind)) for one, text, kind in found]

    def _room(self) -> int:
        return self._context.settings.concurrency - len(self._flights)

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
        with self._context.database.write() as db:
            begins = self._begin(db, work, now)
        if not begins:
            self._land(work)
        self._tell(Announcement(work.schedule), changes_times=not begins)
        return begins

    def ended(self, work: Work, outcome: Outcome) -> None:
        now = self._context.clock.now()
        try:
            with self._context.database.write() as db:
                one = occurrences.find(db, work.key)
                if one is not None and one.state is State.QUEUED:
                    self._could_not_start(db, one, outcome.detail or "", now)
                elif one is not None and one.state is State.STARTED:
                    self._end(db, one, outcome, now)
        finally:
            self._land(work)
            self._tell(Announcement(work.schedule), changes_times=outcome.result is not Result.SUCCEEDED)

    def _try_to_start(self, one: OccurrenceRow, policies: Policies, now: datetime) -> None:
        if self._is_expired(one, policies, now):
            self._end_queued(one, State.MISSED, Reason.EXPIRED, now)
            return
        work = Work(
            key=one.key, schedule=one.schedule, planned=one.planned, origin=one.origin, attempt=_attempt_of(one)
        )
        side_by_side = (one.overlap or policies.overlap) is Overlap.ALLOW_ALL
        with self._lock:
            taken = not side_by_side and any(other.schedule == one.schedule for other in self._flights.values())
            if taken or unmet(self._conditions, policies.needs):
                return
            self._flights[one.key] = work
        try:
            self._launcher.start(work, self)
        except CouldNotStartError as error:
            self.ended(work, Outcome(Result.FAILED, str(error)))

    def _is_expired(self, one: OccurrenceRow, policies: Policies, now: datetime) -> bool:
        window = policies.catchup_window
        if not window or one.state is not State.QUEUED or one.origin is not Origin.AUTOMATIC:
            return False
        return one.planned < now - window

    def _begin(self, db: sqlite3.Connection, work: Work, now: datetime) -> bool:
        one = occurrences.find(db, work.key)
        row = schedules.find(db, work.schedule)
        if one is None or row is None:
            return False
        if one.state is State.STARTED:
            return occurrences.adjust(db, one.key, State.STARTED, retry_at=None, attempts=one.attempts + 1)
        if one.state is not State.QUEUED:
            return False
        automatic = one.origin is Origin.AUTOMATIC
        limit = json.loads(row.spec).get("limit") if automatic else None
        if limit is not None and row.runs >= limit:
            occurrences.move(db, one.key, State.QUEUED, State.DROPPED, reason=Reason.LIMIT, ended=now)
            return False
        occurrences.move(db, one.key, State.QUEUED, State.STARTED, began=now, attempts=1, retry_at=None)
        if schedules.count_run(db, row.id, now, automatic=automatic) == limit:
            self._finish(db, row, now)
        return True

    def _finish(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> None:
        """The limit of runs is reached: no more times, and nothing that waits will run."""
        _, times = self._context.compile(row.id, row.spec)
        self._emission.drop_late(db, row, times, Reason.LIMIT, now)
        self._emission.drop_queued(db, row.id, State.DROPPED, Reason.LIMIT, now)
        schedules.update(db, row.id, next_at=None, next_due=None)

    def _end(self, db: sqlite3.Connection, one: OccurrenceRow, outcome: Outcome, now: datetime) -> None:
        match outcome.result:
            case Result.SUCCEEDED:
                schedules.forgive(db, one.schedule)
                occurrences.move(db, one.key, State.STARTED, State.SUCCEEDED, detail=outcome.detail, ended=now)
            case Result.CANCELLED:
                reason = Reason.OVERTAKEN if one.key in self._overtaken else Reason.STOPPED
                occurrences.move(db, one.key, State.STARTED, State.CANCELLED, reason=reason, ended=now)
            case Result.TRANSIENT | Result.FAILED:
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

    def _end_queued(self, one: OccurrenceRow, state: State, reason: Reason, now: datetime) -> None:
        try:
            with self._context.database.write() as db:
                occurrences.move(db, one.key, State.QUEUED, state, reason=reason, ended=now)
        except StaleError:
            return

    def _land(self, work: Work) -> None:
        with self._lock:
            self._flights.pop(work.key, None)
            self._overtaken.discard(work.key)


def _attempt_of(one: OccurrenceRow) -> int:
    return one.attempts + 1 if one.state is State.STARTED else 1
