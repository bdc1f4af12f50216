"""Starting what is queued, and recording how it went. Reports may come from any thread."""

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Protocol

from scheduler.engine.conditions import Conditions, unmet
from scheduler.engine.context import Context
from scheduler.engine.emission import Emission
from scheduler.engine.launcher import Announcement, CouldNotStartError, Launcher, Outcome, Result, Work
from scheduler.store import occurrences, schedules
from scheduler.store.occurrences import Candidate, OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.backoff import TOO_MANY, launch_delay, retry_delay
from scheduler.timing.catchup import GRACE
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.policies import Overlap, Policies


class Tell(Protocol):
    def __call__(self, announcement: Announcement, *, changes_times: bool) -> None:
        """Say that a run began or ended, and whether the engine has a new time to wake for."""


@dataclass(slots=True)
class _Stop:
    """What was asked of a running one."""

    reason: Reason
    kill: bool


@dataclass(slots=True)
class _Choice:
    """What to do with the occurrences that wait."""

    starts: list[OccurrenceRow] = field(default_factory=list)
    ends: list[tuple[OccurrenceRow, State, Reason]] = field(default_factory=list)
    """Those that will never start."""
    broken: dict[str, str] = field(default_factory=dict)
    """Schedules that make no sense, with what is wrong."""


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
        self._stops: dict[str, _Stop] = {}
        self._ends: deque[tuple[Work, Outcome]] = deque()
        self._ready: list[tuple[Work, Callable[[], None]]] | None = None
        """While the engine hands work over: what is ready to begin."""
        self._starter = 0

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
        busy = occurrences.busy_schedules(db)
        retries: Iterable[Candidate] = ()
        if busy:
            self._stop_overtaken(db, now)
            retries = occurrences.retries(db, now)
        self._start(self._choose(chain(retries, occurrences.queue(db, now, backfill=False)), busy, now))
        if not occurrences.is_waiting(db, now):
            return False
        self._start(self._choose(occurrences.queue(db, now, backfill=True), busy, now))
        return occurrences.is_waiting(db, now)

    def stop(self, key: str, *, kill: bool, reason: Reason = Reason.STOPPED) -> None:
        """End a started occurrence: at once if it only waits for its next attempt."""
        with self._lock:
            flies = key in self._flights
            if flies:
                self._stops.setdefault(key, _Stop(reason, kill)).kill = kill
        if flies:
            self._launcher.stop(key, kill=kill)
            return
        with self._context.database.write() as db:
            one = occurrences.find(db, key)
            if one is None or one.state is not State.STARTED:
                return
            ended = self._context.clock.now()
            occurrences.move(db, key, State.STARTED, State.CANCELLED, reason=reason, retry_at=None, ended=ended)
        self._tell(Announcement(one.schedule), changes_times=True)

    def begin(self, work: Work, go: Callable[[], None]) -> None:
        if self._ready is not None and self._starter == threading.get_ident():
            self._ready.append((work, go))
        else:
            self._begin_all([(work, go)])

    def ended(self, work: Work, outcome: Outcome) -> None:
        self._ends.append((work, outcome))
        self._tell(Announcement(work.schedule), changes_times=True)

    def record_ends(self, db: sqlite3.Connection, now: datetime) -> list[Work]:
        """Write down what launchers reported since the last look; forget it when that is stored."""
        reported = list(self._ends)
        for work, outcome in reported:
            self._end(db, work, outcome, now)
        return [work for work, _ in reported]

    def forget_ends(self, works: list[Work]) -> None:
        for work in works:
            self._ends.popleft()
            self._land(work)

    def _choose(self, line: Iterable[Candidate], busy: set[str], now: datetime) -> _Choice:
        """As many as there are free slots, one of each schedule at a time; `busy` grows by what is chosen."""
        choice = _Choice()
        room = self._context.settings.concurrency - len(self._flights)
        if room <= 0:
            return choice
        flying = {work.schedule for work in self._flights.values()}
        busy |= flying
        for one, written, kind in line:
            if len(choice.starts) >= room:
                break
            if one.key in self._flights or one.schedule in choice.broken:
                continue
            try:
                policies = self._context.read_policies(written, kind)
            except BadScheduleError as error:
                choice.broken[one.schedule] = error.sentence
                continue
            beside = (one.overlap or policies.overlap) is Overlap.ALLOW_ALL
            in_the_way = flying if one.state is State.STARTED else busy
            if one.reason is Reason.UNREADABLE:
                choice.ends.append((one, State.FAILED, Reason.UNREADABLE))
            elif _is_expired(one, policies, now):
                choice.ends.append((one, State.MISSED, Reason.EXPIRED))
            elif (beside or one.schedule not in in_the_way) and self._may_start(one, policies):
                # One that is to be launched again a little later keeps its place in the line.
                if one.retry_at is None or one.retry_at <= now:
                    choice.starts.append(one)
                busy.add(one.schedule)
                flying.add(one.schedule)
        return choice

    def _stop_overtaken(self, db: sqlite3.Connection, now: datetime) -> None:
        """Ask those to end that a newer one waits for; once, and once more if it is to be by force."""
        for key, policy in occurrences.overtaken(db, now):
            kill = policy is Overlap.TERMINATE_OTHER
            asked = self._stops.get(key)
            if asked is None or (kill and not asked.kill):
                self.stop(key, kill=kill, reason=Reason.OVERTAKEN)

    def _clear_away(self, choice: _Choice) -> None:
        now = self._context.clock.now()
        with self._context.database.write() as db:
            for schedule, sentence in choice.broken.items():
                self._emission.set_aside(db, schedule, sentence)
            for one, state, reason in choice.ends:
                occurrences.move(
                    db, one.key, one.state, state, reason=reason, detail=one.detail, retry_at=None, ended=now
                )
        for one, _, _ in choice.ends:
            self._tell(Announcement(one.schedule), changes_times=True)

    def _start(self, choice: _Choice) -> None:
        """Hand them to the launcher; those that are ready at once begin in one transaction."""
        if choice.ends or choice.broken:
            self._clear_away(choice)
        if not choice.starts:
            return
        self._ready, self._starter = [], threading.get_ident()
        try:
            for one in choice.starts:
                work = Work(
                    key=one.key, schedule=one.schedule, planned=one.planned, origin=one.origin, attempt=one.attempts + 1
                )
                with self._lock:
                    self._flights[one.key] = work
                try:
                    self._launcher.start(work, self)
                except CouldNotStartError as error:
                    self.ended(work, Outcome(Result.FAILED, str(error)))
        finally:
            ready, self._ready = self._ready, None
        if ready:
            self._begin_all(ready)

    def _begin_all(self, ready: list[tuple[Work, Callable[[], None]]]) -> None:
        begun: set[str] = set()
        try:
            with self._context.database.write() as db:
                now = self._context.clock.now()
                begun = {work.key for work, _ in ready if self._begin(db, work, now)}
        except BaseException:
            begun = set()
            raise
        finally:
            for work, go in ready:
                if work.key in begun:
                    go()
                else:
                    self._land(work)
                self._tell(Announcement(work.schedule), changes_times=work.key not in begun)

    def _may_start(self, one: OccurrenceRow, policies: Policies) -> bool:
        """Whether the machine offers what it needs; a person's own wish is not held back."""
        return one.origin is Origin.MANUAL or not unmet(self._conditions, policies.needs)

    def _begin(self, db: sqlite3.Connection, work: Work, now: datetime) -> bool:
        if work.attempt > 1:
            return occurrences.adjust(db, work.key, State.STARTED, retry_at=None, attempts=work.attempt, unlaunched=0)
        if occurrences.state_of(db, work.key) is not State.QUEUED:
            return False
        counted = schedules.count_run(
            db,
            work.schedule,
            now,
            automatic=work.origin is Origin.AUTOMATIC,
            wanted=work.origin in (Origin.MANUAL, Origin.BACKFILL),
        )
        if counted is None:
            self._drop_beyond_limit(db, work, now)
            return False
        occurrences.move(db, work.key, State.QUEUED, State.STARTED, began=now, attempts=1, unlaunched=0, retry_at=None)
        runs, limit = counted
        if runs == limit:
            self._finish(db, work.schedule, now)
        return True

    def _drop_beyond_limit(self, db: sqlite3.Connection, work: Work, now: datetime) -> None:
        row = schedules.find(db, work.schedule)
        assert row is not None
        with self._emission.setting_aside(db, work.schedule):
            if work.origin is Origin.AUTOMATIC and self._emission.is_spent(row):
                occurrences.move(db, work.key, State.QUEUED, State.DROPPED, reason=Reason.LIMIT, ended=now)

    def _finish(self, db: sqlite3.Connection, schedule: str, now: datetime) -> None:
        row = schedules.find(db, schedule)
        assert row is not None
        with self._emission.setting_aside(db, schedule):
            self._emission.finish(db, row, now)

    def _end(self, db: sqlite3.Connection, work: Work, outcome: Outcome, now: datetime) -> None:
        one = occurrences.find(db, work.key)
        if one is None or one.state not in (State.QUEUED, State.STARTED):
            return
        stop = self._stops.get(one.key)
        if one.attempts < work.attempt:
            self._could_not_start(db, one, outcome.detail, now)
        elif outcome.result is Result.SUCCEEDED:
            schedules.forgive(db, one.schedule)
            occurrences.move(db, one.key, State.STARTED, State.SUCCEEDED, detail=outcome.detail, ended=now)
        elif stop is not None or outcome.result is Result.CANCELLED:
            reason = Reason.STOPPED if stop is None else stop.reason
            occurrences.move(
                db, one.key, State.STARTED, State.CANCELLED, reason=reason, detail=outcome.detail, ended=now
            )
        else:
            self._fail(db, one, outcome, now)

    def _fail(self, db: sqlite3.Connection, one: OccurrenceRow, outcome: Outcome, now: datetime) -> None:
        row = schedules.find(db, one.schedule)
        assert row is not None
        failures = schedules.count_failure(db, row.id)
        if outcome.result is Result.TRANSIENT and failures < TOO_MANY and row.removed is None:
            wait = retry_delay(failures, one.key, outcome.retry_after)
            occurrences.adjust(db, one.key, State.STARTED, retry_at=now + wait, detail=outcome.detail)
            return
        reason = Reason.TOO_MANY_FAILURES if failures >= TOO_MANY else Reason.ERROR
        occurrences.move(db, one.key, State.STARTED, State.FAILED, reason=reason, detail=outcome.detail, ended=now)
        self._hold_back(db, row, failures)

    def _could_not_start(self, db: sqlite3.Connection, one: OccurrenceRow, detail: str | None, now: datetime) -> None:
        failures = one.unlaunched + 1
        wait = launch_delay(failures)
        if wait is not None:
            occurrences.adjust(db, one.key, one.state, unlaunched=failures, retry_at=now + wait, detail=detail)
            return
        occurrences.move(
            db, one.key, one.state, State.FAILED, reason=Reason.COULD_NOT_START, detail=detail, retry_at=None, ended=now
        )
        row = schedules.find(db, one.schedule)
        assert row is not None
        self._hold_back(db, row, schedules.count_failure(db, row.id))

    def _hold_back(self, db: sqlite3.Connection, row: ScheduleRow, failures: int) -> None:
        """After a failure for good: block the schedule if it was one too many, or pause it if it says so."""
        if failures >= TOO_MANY:
            schedules.update(db, row.id, blocked=Reason.TOO_MANY_FAILURES.sentence)
            return
        with self._emission.setting_aside(db, row.id):
            if self._context.policies(row).pause_on_failure and not row.paused:
                schedules.update(db, row.id, paused=True, pause_note="Paused after a failure.", version=row.version + 1)

    def _land(self, work: Work) -> None:
        with self._lock:
            self._flights.pop(work.key, None)
            self._stops.pop(work.key, None)


def _is_expired(one: OccurrenceRow, policies: Policies, now: datetime) -> bool:
    """Whether it has waited beyond the catch-up window; what was recorded in time has the grace at least."""
    window = policies.catchup_window
    if not window or one.state is not State.QUEUED or one.origin is not Origin.AUTOMATIC:
        return False
    since = one.planned if one.late else max(one.planned, one.due)
    return since < now - max(window, GRACE)
