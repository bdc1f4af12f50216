"""The engine's tick: records what is due, starts what can start, and returns when to tick next."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.context import EngineContext
from scheduler.engine.scheduling.backfill import BackfillEmission
from scheduler.engine.scheduling.clock_rollback import CLOCK_TOLERANCE, ClockRollback
from scheduler.engine.scheduling.conditions import Conditions, UnknownConditions
from scheduler.engine.scheduling.dispatch import Dispatch
from scheduler.engine.scheduling.emission import Emission
from scheduler.engine.scheduling.in_flight import InFlight
from scheduler.engine.scheduling.launcher import Announce, Announcement, Launcher
from scheduler.engine.scheduling.occurrence_lifecycle import OccurrenceLifecycle
from scheduler.engine.scheduling.schedule_commands import ScheduleCommands
from scheduler.engine.settings import Settings
from scheduler.store import handlers, key_values, lanes, occurrences, schedules, workflows
from scheduler.store.database import Database
from scheduler.store.next_wake import NextWake, read_next_wake
from scheduler.store.schedules import ScheduleRow
from scheduler.store.workflows import WorkflowStatus
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import OccurrenceReason
from scheduler.timing.zones import LOCAL, find_zone
from scheduler.user_text import UserText

MAX_SLEEP = timedelta(seconds=60)
_IDLE_BEFORE_CHECKPOINT = timedelta(milliseconds=50)
PAUSED_UNTIL_KEY, PAUSE_NOTE_KEY = "paused until", "pause note"
"""The stored keys for until when everything is paused, and the user's note about it."""
_ZONE = "zone"
"""The stored key for the machine's time zone at the last start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineParts:
    """What an engine has before its launcher, which may need it."""

    context: EngineContext
    emission: Emission
    lifecycle: OccurrenceLifecycle
    in_flight: InFlight


class Engine:
    """`tick` and commands belong to one thread; a launcher may report from any."""

    def __init__(
        self,
        database: Database,
        make_launcher: Callable[[EngineParts], Launcher],
        *,
        machine_zone: str,
        clock: Clock | None = None,
        conditions: Conditions | None = None,
        settings: Settings | None = None,
        announce: Announce = lambda _: None,
        after_tick: Callable[[datetime], None] = lambda _: None,
    ) -> None:
        """`after_tick` is called after each tick that succeeded."""
        self._listener = announce
        self._after_tick = after_tick
        self.context = self._context = EngineContext(
            database=database,
            clock=clock or SystemClock(),
            announce=self._on_change,
            report_change=announce,
            settings=settings or Settings(),
            machine_zone=machine_zone,
            conditions=conditions or UnknownConditions(),
        )
        self._emission = Emission(self._context)
        self._backfill_emission = BackfillEmission(self._context, self._emission)
        self._clock_rollback = ClockRollback(self._context, self._emission)
        self.lifecycle = lifecycle = OccurrenceLifecycle(self._context, self._emission)
        in_flight = InFlight(self._context, lifecycle)
        launcher = make_launcher(
            EngineParts(context=self._context, emission=self._emission, lifecycle=lifecycle, in_flight=in_flight)
        )
        self._dispatch = Dispatch(self._context, launcher, self._emission, lifecycle, in_flight)
        self.dispatch = self._dispatch
        self.commands = ScheduleCommands(self._context, self._emission, self._dispatch)
        self._must_check = True
        self._wake: datetime | None = None
        self._seen: datetime | None = None

    def recover(self) -> None:
        """Once, before the first tick: handle what an earlier process left, and a clock or zone change since."""
        self._seen = now = self._context.clock.now()
        until = key_values.read(self._context.database.read(), PAUSED_UNTIL_KEY)
        self._context.paused_until = None if until is None else datetime.fromisoformat(until)
        self._dispatch.recover(now)
        self._clock_rollback.correct_times(now, while_running=False)
        self._emission.enable_valid(now)
        here, last = self._context.machine_zone, key_values.read(self._context.database.read(), _ZONE)
        if last is not None:
            self._context.machine_zone = last
        self.change_zone(here)

    def tick(self, now: datetime) -> datetime:
        """Do what is due and return when to tick next. Reads no disk when nothing is due."""
        wake = self._tick(now)
        self._after_tick(now)
        return wake

    def _tick(self, now: datetime) -> datetime:
        if self._seen is not None and now < self._seen - CLOCK_TOLERANCE:
            self._clock_rollback.correct_times(now, while_running=True)
            self._must_check = True
        self._seen = now
        if not self._must_check and self._wake is not None and now < self._wake:
            return min(self._wake, now + MAX_SLEEP)
        is_time = self._wake is not None and now >= self._wake
        # No wake time until this tick is done, so that a failed tick is repeated.
        self._must_check, self._wake = False, None
        if self._context.is_paused(now):
            assert self._context.paused_until is not None
            self._wake = self._context.paused_until
            return min(self._wake, now + MAX_SLEEP)
        database = self._context.database
        if not is_time:
            with database.quick_read() as db:
                is_time = schedules.is_any_due(db, now)
        with database.write() if is_time else database.quick_read() as db:
            more = is_time and self._emission.emit_due(db, now)
            next_wake = read_next_wake(db, now)
            choice = self._dispatch.select(db, next_wake, now)
        self._dispatch.start(choice)
        if next_wake.has_pending_work:
            more |= self._do_deferred_work(now)
        self._wake = now if more else self._next_wake(next_wake, now)
        if self._must_check:
            return now
        if self._dispatch.in_flight == 0 and self._wake > now + _IDLE_BEFORE_CHECKPOINT:
            self._context.database.checkpoint()
        return min(self._wake, now + MAX_SLEEP)

    @property
    def is_idle(self) -> bool:
        """Nothing runs and nothing is queued."""
        return self._dispatch.in_flight == 0 and not occurrences.list_queued(self._context.database.read())

    def wake(self) -> None:
        """Something outside changed (network, power): check again at the next tick, even if nothing is due."""
        self._must_check = True

    def change_zone(self, machine_zone: str) -> None:
        """Switch to the machine's new zone: schedules that follow it get a new next time.

        What became due in the old zone is recorded first. Raises BadScheduleError for an unknown zone.
        """
        find_zone(machine_zone)
        now, old = self._context.clock.now(), self._context.machine_zone
        try:
            with self._context.database.write() as db:
                key_values.write(db, _ZONE, machine_zone)
                if machine_zone == old:
                    return
                rows = [row for row in schedules.list_all(db) if row.trouble is None and self._follows_machine(row)]
                for row in rows:
                    with self._emission.disabling_on_error(db, row.id):
                        recorded = self._emission.record_late(db, self._emission.record_due(db, row, now), now)
                        self._emission.record_gap(db, recorded, OccurrenceReason.ZONE, now)
                self._context.machine_zone = machine_zone
                for row in rows:
                    with self._emission.disabling_on_error(db, row.id):
                        self._emission.set_next_time(db, row, self._emission.next_time(db, row, now), now)
        except BaseException:
            self._context.machine_zone = old
            raise
        self._on_change(
            Announcement(
                "zone", UserText("The time zone of this computer is now {machine_zone}.", machine_zone=machine_zone)
            )
        )

    def _follows_machine(self, row: ScheduleRow) -> bool:
        try:
            return self._context.compile(row.id, row.spec)[0].timezone == LOCAL
        except BadScheduleError:
            return False

    def _do_deferred_work(self, now: datetime) -> bool:
        """What is less urgent: waits that end, missed times, backfills. Returns whether to tick again at once."""
        with self._context.database.write() as db:
            resumed = schedules.list_resuming(db, now)
            for row in resumed:
                if not row.held and row.paused_until is not None:
                    self._emission.record_paused(db, row, row.paused_until, now)
                schedules.update(db, row.id, paused=False, paused_until=None, pause_note=None, version=row.version + 1)
            resumed_workflows = workflows.list_resuming(db, now)
            for workflow in resumed_workflows:
                for row in schedules.list_all(db, workflow=workflow.slug):
                    if not row.paused and row.trouble is None and workflow.paused_until is not None:
                        self._emission.record_paused(db, row, workflow.paused_until, now)
                workflows.set_status(db, workflow.slug, WorkflowStatus.ACTIVE)
                handlers.request_check(db, workflow.slug)
            released = lanes.release_backed_off(db, now)
            caught_up = self._emission.emit_catch_up(db, now)
            backfilled = self._backfill_emission.advance(db, now)
        for workflow in resumed_workflows:
            self._context.announce(Announcement(workflow.slug))
        return bool(resumed or resumed_workflows or released) or caught_up or backfilled

    def _next_wake(self, next_wake: NextWake, now: datetime) -> datetime:
        if self._dispatch.is_waiting or next_wake.has_pending_work:
            return min(next_wake.at, self._dispatch.next_retry(now) or next_wake.at, now + MAX_SLEEP)
        return next_wake.at

    def _on_change(self, announcement: Announcement) -> None:
        self._must_check = True
        self._listener(replace(announcement, wakes_engine=True))
