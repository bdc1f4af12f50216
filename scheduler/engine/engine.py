"""The ticking engine: each tick records what is due, starts what can start, and says when to come back."""

import sqlite3
from datetime import datetime, timedelta

from scheduler.engine.backfilling import Backfilling
from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.commands import Commands
from scheduler.engine.conditions import Conditions, UnknownConditions
from scheduler.engine.context import Context, late_columns, late_of
from scheduler.engine.dispatch import Dispatch
from scheduler.engine.emission import Emission, cut_late
from scheduler.engine.launcher import Announce, Announcement, Launcher
from scheduler.engine.settings import Settings
from scheduler.engine.views import Views
from scheduler.store import occurrences, schedules
from scheduler.store.agenda import Agenda, read_agenda
from scheduler.store.database import Database
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.catchup import gap_of
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import Reason, State
from scheduler.timing.policies import Overlap
from scheduler.timing.zones import LOCAL

LONGEST_SLEEP = timedelta(seconds=60)
_FAR_AHEAD = timedelta(hours=1)
_CLOCK_TOLERANCE = timedelta(seconds=60)


class Engine:
    """`tick` and commands belong to one thread; a launcher may report from any."""

    def __init__(
        self,
        database: Database,
        launcher: Launcher,
        *,
        machine_zone: str,
        clock: Clock | None = None,
        conditions: Conditions | None = None,
        settings: Settings | None = None,
        announce: Announce = lambda _: None,
    ) -> None:
        self._listener = announce
        self._waiting = False
        self._context = Context(
            database=database,
            clock=clock or SystemClock(),
            announce=self._stir,
            settings=settings or Settings(),
            machine_zone=machine_zone,
        )
        self._emission = Emission(self._context)
        self._backfilling = Backfilling(self._context)
        self._dispatch = Dispatch(
            self._context, launcher, conditions or UnknownConditions(), self._emission, self._hear_of_run
        )
        self.commands = Commands(self._context, self._emission, self._dispatch)
        self.views = Views(self._context)
        self._stirred = True
        self._wake: datetime | None = None
        self._seen: datetime | None = None

    def recover(self) -> None:
        """Once, before the first tick: what an earlier process left, and a clock that went back meanwhile."""
        now = self._context.clock.now()
        self._dispatch.recover(now)
        self._rewind(now)

    def tick(self, now: datetime) -> datetime:
        """Do what is due and return when to tick next. With nothing due this touches no disk."""
        if self._seen is not None and now < self._seen - _CLOCK_TOLERANCE:
            self._rewind(now)
        self._seen = now
        if not self._stirred and self._wake is not None and now < self._wake:
            return min(self._wake, now + LONGEST_SLEEP)
        self._stirred = False
        with self._context.database.write() as db:
            self._dispatch.record_ends(db, now)
            stopped, more = self._emission.emit_due(db, now)
        self._stop(stopped)
        self._waiting = True
        self._waiting = self._dispatch.start_due(now)
        agenda = read_agenda(self._context.database.read(), now)
        if agenda.has_chores:
            more |= self._do_chores(now)
        self._wake = now if more else self._next_wake(agenda, now)
        return now if self._stirred else min(self._wake, now + LONGEST_SLEEP)

    @property
    def is_idle(self) -> bool:
        """Nothing runs and nothing waits to run."""
        return self._dispatch.in_flight == 0 and not occurrences.queued(self._context.database.read())

    def stir(self) -> None:
        """Something outside changed (network, power): look again at the next tick, whatever its time."""
        self._stirred = True

    def follow_zone(self, machine_zone: str) -> None:
        """The machine moved to another zone: schedules that follow it get a new next time."""
        now = self._context.clock.now()
        if machine_zone == self._context.machine_zone:
            return
        with self._context.database.write() as db:
            rows = [row for row in schedules.every_one(db) if row.trouble is None and self._follows_machine(row)]
            for row in rows:
                self._emission.settle(db, row, now)
            self._context.machine_zone = machine_zone
            for row in rows:
                self._rearm(db, row, now)
        self._stir(Announcement("zone", f"The time zone of this computer is now {machine_zone}."))

    def _follows_machine(self, row: ScheduleRow) -> bool:
        try:
            return self._context.compile(row.id, row.spec)[0].timezone == LOCAL
        except BadScheduleError:
            return False

    def _rearm(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> None:
        standing = self._context.standing(row)
        next_at = self._emission.first_unrecorded(db, row.id, standing.times, now)
        self._emission.arm(db, row, standing, next_at, now)

    def _rewind(self, now: datetime) -> None:
        """The clock went back: nothing recorded fires again, and nothing ahead is taken for granted."""
        warnings = []
        with self._context.database.write() as db:
            for row in schedules.computed_after(db, now + _CLOCK_TOLERANCE):
                try:
                    self._forget_future(db, row, now)
                except BadScheduleError as error:
                    schedules.update(db, row.id, trouble=error.sentence)
            for one in occurrences.queued(db):
                if one.planned > now + _FAR_AHEAD:
                    occurrences.move(db, one.key, State.QUEUED, State.DROPPED, reason=Reason.CLOCK, ended=now)
                    warnings.append(f"{one.schedule}: a run planned for {one.planned:%Y-%m-%d %H:%M} UTC was dropped.")
        for sentence in warnings:
            self._stir(Announcement("clock", f"The clock was set back. {sentence}", is_warning=True))
        self._stirred = True

    def _forget_future(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> None:
        times = self._context.standing(row).times
        for _, gap in occurrences.gaps_reaching(db, row.id, now):
            occurrences.remove_gap(db, row.id, gap)
            if gap.first <= now:
                last = times.last(gap.first - timedelta(microseconds=1), now)
                if last is not None:
                    self._emission.add_gap(db, row.id, gap_of(times, gap.first, last, gap.reason), now)
        if (late := late_of(row)) is not None and late.until > now:
            schedules.update(db, row.id, **late_columns(cut_late(late, times, now)))
        if row.next_at is not None and row.next_at > now:
            self._rearm(db, row, now)
        else:
            schedules.update(db, row.id, computed=now)

    def _do_chores(self, now: datetime) -> bool:
        """What is not on time anyway: pauses that end, missed times, backfills. Says whether to look again at once."""
        with self._context.database.write() as db:
            resumed = schedules.resuming(db, now)
            for row in resumed:
                schedules.update(db, row.id, paused=False, paused_until=None, pause_note=None, version=row.version + 1)
            caught_up = self._emission.advance_late(db, now)
            overtaken, backfilled = self._backfilling.advance(db, now)
        self._stop(overtaken)
        return bool(resumed) or caught_up or backfilled

    def _stop(self, keys: list[str]) -> None:
        for key in keys:
            db = self._context.database.read()
            one = occurrences.find(db, key)
            row = None if one is None else schedules.find(db, one.schedule)
            if one is not None and row is not None:
                policy = one.overlap or self._context.policies(row).overlap
                kill = policy is Overlap.TERMINATE_OTHER
                self._dispatch.stop(key, kill=kill, overtaken=True)

    def _next_wake(self, agenda: Agenda, now: datetime) -> datetime:
        if self._waiting or agenda.has_chores:
            return min(agenda.next, now + LONGEST_SLEEP)
        return agenda.next

    def _hear_of_run(self, announcement: Announcement, *, changes_times: bool) -> None:
        """A run began or ended, in any thread: worth a look only if something waits or the next time moved."""
        if changes_times or self._waiting:
            self._stirred = True
        self._listener(announcement)

    def _stir(self, announcement: Announcement) -> None:
        self._stirred = True
        self._listener(announcement)
