"""The ticking engine: each tick records what is due, starts what can start, and says when to come back."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from scheduler.engine.backfilling import Backfilling
from scheduler.engine.book import Book
from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.commands import Commands
from scheduler.engine.conditions import Conditions, UnknownConditions
from scheduler.engine.context import Context
from scheduler.engine.dispatch import Dispatch
from scheduler.engine.emission import Emission
from scheduler.engine.launcher import Announce, Announcement, Launcher
from scheduler.engine.rewinding import TOLERANCE, Rewinding
from scheduler.engine.settings import Settings
from scheduler.engine.views import Views
from scheduler.store import facts, occurrences, schedules
from scheduler.store.agenda import Agenda, read_agenda
from scheduler.store.database import Database
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import Reason
from scheduler.timing.zones import LOCAL, find_zone

LONGEST_SLEEP = timedelta(seconds=60)
_QUIET = timedelta(milliseconds=50)
PAUSED = "paused until"
"""The fact that keeps until when nothing at all starts."""
_ZONE = "zone"
"""The fact that keeps the zone of the machine for the next start."""


class Engine:
    """`tick` and commands belong to one thread; a launcher may report from any."""

    def __init__(
        self,
        database: Database,
        launcher: Launcher | Callable[[Context], Launcher],
        *,
        machine_zone: str,
        clock: Clock | None = None,
        conditions: Conditions | None = None,
        settings: Settings | None = None,
        announce: Announce = lambda _: None,
    ) -> None:
        self._listener = announce
        self.context = self._context = Context(
            database=database,
            clock=clock or SystemClock(),
            announce=self._stir,
            tell=announce,
            settings=settings or Settings(),
            machine_zone=machine_zone,
            conditions=conditions or UnknownConditions(),
        )
        self._emission = Emission(self._context)
        self._backfilling = Backfilling(self._context, self._emission)
        self._rewinding = Rewinding(self._context, self._emission)
        book = Book(self._context, self._emission)
        if callable(launcher):
            launcher = launcher(self._context)
        self.launcher = launcher
        self._dispatch = Dispatch(self._context, launcher, self._emission, book)
        self.dispatch = self._dispatch
        self.commands = Commands(self._context, self._emission, self._dispatch)
        self.views = Views(self._context)
        self._stirred = True
        self._wake: datetime | None = None
        self._seen: datetime | None = None

    def recover(self) -> None:
        """Once, before the first tick: what an earlier process left, and a clock or zone that changed meanwhile."""
        self._seen = now = self._context.clock.now()
        until = facts.read(self._context.database.read(), PAUSED)
        self._context.paused_until = None if until is None else datetime.fromisoformat(until)
        self._dispatch.recover(now)
        self._rewinding.rewind(now, seen=False)
        self._emission.take_back(now)
        here, last = self._context.machine_zone, facts.read(self._context.database.read(), _ZONE)
        if last is not None:
            self._context.machine_zone = last
        self.follow_zone(here)

    def tick(self, now: datetime) -> datetime:
        """Do what is due and return when to tick next. With nothing due this touches no disk."""
        if self._seen is not None and now < self._seen - TOLERANCE:
            self._rewinding.rewind(now, seen=True)
            self._stirred = True
        self._seen = now
        if not self._stirred and self._wake is not None and now < self._wake:
            return min(self._wake, now + LONGEST_SLEEP)
        is_time = self._wake is not None and now >= self._wake
        # Until this tick is through there is no time to sleep until, so one that fails is done again.
        self._stirred, self._wake = False, None
        if self._context.is_paused(now):
            assert self._context.paused_until is not None
            self._wake = self._context.paused_until
            return min(self._wake, now + LONGEST_SLEEP)
        database = self._context.database
        if not is_time:
            with database.at_hand() as db:
                is_time = schedules.is_any_due(db, now)
        with database.write() if is_time else database.at_hand() as db:
            more = is_time and self._emission.emit_due(db, now)
            agenda = read_agenda(db, now)
            choice = self._dispatch.look(db, agenda, now)
        self._dispatch.take_up(choice)
        if agenda.has_chores:
            more |= self._do_chores(now)
        self._wake = now if more else self._next_wake(agenda, now)
        if self._stirred:
            return now
        if self._dispatch.in_flight == 0 and self._wake > now + _QUIET:
            self._context.database.move_log()
        return min(self._wake, now + LONGEST_SLEEP)

    @property
    def is_idle(self) -> bool:
        """Nothing runs and nothing waits to run."""
        return self._dispatch.in_flight == 0 and not occurrences.queued(self._context.database.read())

    def stir(self) -> None:
        """Something outside changed (network, power): look again at the next tick, whatever its time."""
        self._stirred = True

    def follow_zone(self, machine_zone: str) -> None:
        """The machine is in that zone now: schedules that follow it get a new next time.

        What fell due under the old zone is recorded by it first. BadScheduleError if nobody knows the zone.
        """
        find_zone(machine_zone)
        now, old = self._context.clock.now(), self._context.machine_zone
        try:
            with self._context.database.write() as db:
                facts.write(db, _ZONE, machine_zone)
                if machine_zone == old:
                    return
                rows = [row for row in schedules.every_one(db) if row.trouble is None and self._follows_machine(row)]
                for row in rows:
                    with self._emission.setting_aside(db, row.id):
                        settled = self._emission.record_late(db, self._emission.settle(db, row, now), now)
                        self._emission.give_up(db, settled, Reason.EDITED, now)
                self._context.machine_zone = machine_zone
                for row in rows:
                    with self._emission.setting_aside(db, row.id):
                        self._emission.arm(db, row, self._emission.next_time(db, row, now), now)
        except BaseException:
            self._context.machine_zone = old
            raise
        self._stir(Announcement("zone", f"The time zone of this computer is now {machine_zone}."))

    def _follows_machine(self, row: ScheduleRow) -> bool:
        try:
            return self._context.compile(row.id, row.spec)[0].timezone == LOCAL
        except BadScheduleError:
            return False

    def _do_chores(self, now: datetime) -> bool:
        """What is not on time anyway: pauses that end, missed times, backfills. Says whether to look again at once."""
        with self._context.database.write() as db:
            resumed = schedules.resuming(db, now)
            for row in resumed:
                schedules.update(db, row.id, paused=False, paused_until=None, pause_note=None, version=row.version + 1)
            caught_up = self._emission.advance_late(db, now)
            backfilled = self._backfilling.advance(db, now)
        return bool(resumed) or caught_up or backfilled

    def _next_wake(self, agenda: Agenda, now: datetime) -> datetime:
        if self._dispatch.is_waiting or agenda.has_chores:
            return min(agenda.next, self._dispatch.next_try(now) or agenda.next, now + LONGEST_SLEEP)
        return agenda.next

    def _stir(self, announcement: Announcement) -> None:
        self._stirred = True
        self._listener(replace(announcement, stirs=True))
