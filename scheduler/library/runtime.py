"""One open file of the library: its lock, store, engine and handlers, and the thread that ticks it, if any."""

import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from scheduler.engine.callable_launcher import CallableLauncher
from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.maintenance import Maintenance
from scheduler.engine.queries.schedules import ScheduleQueries
from scheduler.engine.scheduling.engine import Engine, EngineParts
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.engine.scheduling.schedule_edits import ScheduleEdits
from scheduler.engine.settings import Settings
from scheduler.engine.ticker import Ticker
from scheduler.engine.timer_thread import TimerThread
from scheduler.library.errors import CLOSED, SchedulerStateError, converted_errors
from scheduler.library.handlers import Handlers
from scheduler.machine_zone import find_machine_zone
from scheduler.rules.handler_ids import handler_id, split_handler_id
from scheduler.store import schedules
from scheduler.store.errors import StoreError
from scheduler.store.lock import hold_file
from scheduler.store.opening import close_store
from scheduler.store.store_file import open_file, refuse_path
from scheduler.workers.command import GRACE_S

log = logging.getLogger(__name__)

GROUP = "jobs"
"""Takes the place of the workflow in the ids of schedules; there is no workflow of that name, or of any."""
_POLL_S = 0.5
"""An announcement may come just before the transaction that it is about is committed."""
_REAL_CLOCK = SystemClock()
"""Threads need real time, even if the schedules follow a clock of a test."""
_CHORES_INTERVAL_S = 60.0
_CHORES_PAUSE = timedelta(milliseconds=50)


def schedule_id(name: str) -> str:
    return handler_id(GROUP, name)


def schedule_name(identity: str) -> str:
    return split_handler_id(identity)[1]


class LibraryRuntime:
    """Any thread may use it: `engine` only within `using_engine`. Threads that run handlers never take that lock."""

    def __init__(self, path: Path, *, timezone: str | None, clock: Clock, settings: Settings) -> None:
        self.clock = clock
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._changed = threading.Condition()
        self._changes = 0
        self._follows_machine = timezone is None
        self._chores_after = 0.0
        self._timer: TimerThread | None = None
        self._is_closed = False
        self.on_wake: Callable[[], object] = lambda: None
        with converted_errors(), ExitStack() as opening:
            refuse_path(path)
            opening.enter_context(hold_file(path))
            self.database = open_file(path)
            opening.callback(close_store, self.database)
            self.handlers = Handlers(self.database, schedule_name)
            self._launcher = CallableLauncher(
                lambda work: self.handlers.find_task(self._launcher, work), settings.concurrency
            )
            self._engine = Engine(
                self.database,
                self._make_launcher,
                machine_zone=timezone or find_machine_zone(),
                clock=clock,
                settings=settings,
                announce=self._on_announcement,
            )
            self.queries = ScheduleQueries(self._engine.context)
            self._maintenance = Maintenance(self._engine.context)
            self._ticker = Ticker(self._engine, clock, self._on_announcement)
            self._ticker.recovered()
            self._opened = opening.pop_all()

    def _make_launcher(self, parts: EngineParts) -> CallableLauncher:
        self._edits = ScheduleEdits(parts.context, parts.emission)
        return self._launcher.attach(parts)

    def find_same(self, name: str, spec: Mapping[str, Any], policies: Mapping[str, Any]) -> int | None:
        """The version of the schedule if it has exactly these settings. To be called while using the engine."""
        row = schedules.find(self.database.read(), schedule_id(name))
        if row is None or row.removed is not None:
            return None
        return row.version if self._edits.has_same_settings(row, spec, policies, self.clock.now()) else None

    @contextmanager
    def using_engine(self, name: str = "", version: int | None = None) -> Iterator[Engine]:
        """The engine, for one command or query about the schedule `name`, with errors as the library raises them."""
        if os.getpid() != self._pid:
            raise SchedulerStateError("This scheduler was opened by another process. Open the file after the fork.")
        with converted_errors(schedule_id(name), name, version), self._lock:
            if self._is_closed:
                raise SchedulerStateError(CLOSED)
            yield self._engine

    def tick(self, now: datetime | None = None) -> datetime:
        """Tick and return when to tick next."""
        with self._lock:
            now = now or self.clock.now()
            wake = self._ticker.tick(now)
            if self._launcher.running == 0 and wake > now + _CHORES_PAUSE and self._do_chores():
                return now + _CHORES_PAUSE
            return wake

    @property
    def is_started(self) -> bool:
        return self._timer is not None

    def start(self) -> None:
        with self.using_engine():
            if self._timer is not None:
                raise SchedulerStateError("This scheduler has already been started.")
            self._timer = TimerThread(self.tick, self.clock, lambda: self._ticker.is_delayed)
            self._timer.start()

    def stop(self, timeout: float | None) -> bool:
        """Start nothing more, and wait for what runs; returns whether it ended in time."""
        if self._launcher.is_own_thread:
            raise SchedulerStateError("A handler cannot wait for its own end. Call stop() from another thread.")
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.stop()
        with self._lock:
            self._launcher.drop_ready()
        return self.wait_until(lambda: self._launcher.running == 0, timeout)

    def close(self, timeout: float | None) -> None:
        """Stop, ask what still runs to stop, and release the file."""
        if os.getpid() != self._pid or self._is_closed:
            return
        has_ended = self.stop(timeout)
        with self._lock:
            self._is_closed = True
        if not has_ended:
            self._launcher.stop_all()
        self._launcher.close(None if has_ended else 2 * GRACE_S)
        with converted_errors():
            self._opened.close()

    def wake(self) -> None:
        """Let the engine look again, soon."""
        self._engine.wake()
        self._wake_host()

    def wait_until(self, condition: Callable[[], bool], timeout: float | None) -> bool:
        """Check the condition after every change; returns whether it was met in time."""
        deadline = None if timeout is None else _REAL_CLOCK.monotonic() + timeout
        while True:
            seen = self._changes
            if condition():
                return True
            left = _POLL_S if deadline is None else min(deadline - _REAL_CLOCK.monotonic(), _POLL_S)
            if left <= 0:
                return False
            with self._changed:
                self._changed.wait_for(lambda seen=seen: self._changes != seen, left)  # type: ignore[misc]

    def _on_announcement(self, announcement: Announcement) -> None:
        """From any thread, perhaps within a transaction: takes no lock but that of the condition."""
        if announcement.is_warning:
            log.warning("%s", announcement.sentence)
        with self._changed:
            self._changes += 1
            self._changed.notify_all()
        if announcement.wakes_engine:
            self._wake_host()

    def _wake_host(self) -> None:
        timer = self._timer
        if timer is None:
            self.on_wake()
        else:
            timer.wake()

    def _do_chores(self) -> bool:
        """Once a minute: follow the machine's zone, and delete what is too old; returns whether there is more."""
        if self.clock.monotonic() < self._chores_after:
            return False
        try:
            if self._follows_machine and (zone := find_machine_zone()) != self._engine.context.machine_zone:
                self._engine.change_zone(zone)
            if self._maintenance.step():
                return True
        except StoreError:
            log.exception("Old history could not be deleted")
        self._chores_after = self.clock.monotonic() + _CHORES_INTERVAL_S
        return False
