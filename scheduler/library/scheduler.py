"""The class `Scheduler`: commands on schedules, handlers, and what drives them. What it reads is in `queries`."""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self, TypeVar, overload

from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.settings import Settings
from scheduler.library.arguments import check_name, read_overlap, refuse_naive, write_policies, write_times
from scheduler.library.errors import InvalidScheduleError, SchedulerStateError, StoreFileError
from scheduler.library.handlers import Handler
from scheduler.library.queries import LibraryQueries
from scheduler.library.runtime import GROUP, LibraryRuntime, schedule_id
from scheduler.library.values import BackfillProgress, backfill_progress
from scheduler.store import backfills
from scheduler.timing.policies import Catchup, Overlap

_HandlerT = TypeVar("_HandlerT", bound=Handler)
_TIMEOUT_S = 30.0


class Scheduler(LibraryQueries):
    """Schedules in one SQLite file, and the handlers that run when they are due.

    Any thread may call any method. Each command is stored when it returns, and survives a crash.

    path: the file; it is created if it does not exist. One scheduler at a time can have it open.
    timezone: the default zone of new schedules, and the one that `timezone="local"` follows; the machine's if None.
    concurrency: how many runs may be in progress at once, over all schedules.
    keep: how long the run log is kept; None keeps it forever.
    clock: an object with `now()`, an aware datetime, and `monotonic()`, seconds; for tests.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        timezone: str | None = None,
        concurrency: int = 4,
        keep: timedelta | None = timedelta(days=365),
        clock: Clock | None = None,
    ) -> None:
        if not isinstance(concurrency, int) or concurrency < 1:
            raise InvalidScheduleError("concurrency", f"concurrency: {concurrency!r} is not a number from 1 on.")
        if str(path) == ":memory:":
            raise StoreFileError("Schedules are stored in a file, not in memory. For tests, use a temporary file.")
        self._runtime = LibraryRuntime(
            Path(path).expanduser().resolve(),
            timezone=timezone,
            clock=clock or SystemClock(),
            settings=Settings(concurrency=concurrency, kept=keep),
        )

    def upsert_schedule(
        self,
        name: str,
        *,
        every: str | timedelta | None = None,
        cron: str | Sequence[str] | None = None,
        calendar: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        at: str | datetime | None = None,
        timezone: str | None = None,
        anchor: str | datetime | None = None,
        start_at: str | datetime | None = None,
        end_at: str | datetime | None = None,
        exclude: Sequence[Any] | str | Mapping[str, Any] | None = None,
        limit: int | None = None,
        jitter: str | timedelta | None = None,
        overlap: Overlap | str = Overlap.SKIP,
        catchup: Catchup | str = Catchup.ONE,
        catchup_window: str | timedelta | None = None,
        pause_on_failure: bool = False,
        if_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> int:
        """Create the schedule, or change the one of that name to exactly this; returns its version.

        If nothing changes, nothing is disturbed, so a program can call it at every start. It never ends a pause.

        every: an interval such as "5m", "1.5h" or a timedelta; at least 10 seconds.
        cron: an expression of 5 fields, 6 with leading seconds, or 7 with seconds and year; or several.
        calendar: parts of a date and time, such as {"hour": 9, "weekday": "mon-fri"}; or several.
        at: one instant. Give exactly one of `every`, `cron`, `calendar` and `at`.
        timezone: an IANA name, or "local" to follow the machine; the scheduler's if None.
        anchor: for `every`, the instant from which intervals count; the time of creation if None.
        start_at: no times before it. `end_at`: no times after it.
        exclude: dates ("2026-12-24"), ranges of dates ("2026-12-24/2027-01-01") or calendars without times.
        limit: end after so many automatic runs.
        jitter: shift each start by up to that much, "30s"; or only later, "+30s".
        overlap: what happens if a run is due while another one has not ended; a value of `Overlap`.
        catchup: which of the missed times run later; a value of `Catchup`.
        catchup_window: how old a missed time may be; None for no limit.
        pause_on_failure: pause the schedule when a run fails.
        if_version: change it only if it still has that version; 0 to create it only if it does not exist.
        idempotency_key: repeating the command with the same key returns the first answer and changes nothing.
        """
        kinds: dict[str, Any] = {"every": every, "cron": cron, "calendar": calendar, "at": at}
        options = {"timezone": timezone, "anchor": anchor, "start_at": start_at, "end_at": end_at, "exclude": exclude}
        spec = write_times({**kinds, **options, "limit": limit, "jitter": jitter})
        policies = write_policies(overlap, catchup, catchup_window, pause_on_failure=pause_on_failure)
        identity, key = schedule_id(check_name(name)), _scoped(name, idempotency_key)
        with self._runtime.using_engine(name, if_version) as engine:
            commands = engine.commands
            if if_version is None:
                same = None if key is not None else self._runtime.find_same(name, spec, policies)
                return same or commands.put(GROUP, name, spec, policies, idempotency_key=key).version
            if if_version == 0:
                return commands.add(GROUP, name, spec, policies, idempotency_key=key).version
            changes = {"spec": spec, "policies": policies}
            return commands.edit(identity, version=if_version, idempotency_key=key, **changes).version

    def pause(
        self,
        name: str,
        *,
        until: datetime | None = None,
        note: str | None = None,
        if_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> int:
        """Let its times pass without running, until then or until `resume`; returns the new version."""
        refuse_naive(until, "until")
        with self._runtime.using_engine(name, if_version) as engine:
            return engine.commands.pause(
                schedule_id(name),
                note=note,
                until=until,
                version=if_version,
                idempotency_key=_scoped(name, idempotency_key),
            ).version

    def resume(self, name: str, *, if_version: int | None = None, idempotency_key: str | None = None) -> int:
        """End the pause; `catchup` decides about the times that passed. Returns the new version."""
        key = _scoped(name, idempotency_key)
        with self._runtime.using_engine(name, if_version) as engine:
            return engine.commands.resume(schedule_id(name), version=if_version, idempotency_key=key).version

    def skip_next(self, name: str, *, if_version: int | None = None, idempotency_key: str | None = None) -> int:
        """Skip the next time, once; returns the new version."""
        key = _scoped(name, idempotency_key)
        with self._runtime.using_engine(name, if_version) as engine:
            return engine.commands.skip_next(schedule_id(name), version=if_version, idempotency_key=key).version

    def delete(self, name: str, *, if_version: int | None = None, idempotency_key: str | None = None) -> int:
        """Remove the schedule. Its run log stays, and what runs may finish. Returns its last version."""
        key = _scoped(name, idempotency_key)
        with self._runtime.using_engine(name, if_version) as engine:
            return engine.commands.delete(schedule_id(name), version=if_version, idempotency_key=key).version

    def trigger(self, name: str, *, overlap: Overlap | str | None = None, idempotency_key: str | None = None) -> str:
        """Run it now, even if it is paused; its planned times do not move. Returns the key of the run.

        overlap: what to do if it is running; without one, the new run waits for its turn.
        """
        with self._runtime.using_engine(name) as engine:
            answer = engine.commands.trigger(
                schedule_id(name),
                overlap=None if overlap is None else read_overlap(overlap),
                idempotency_key=_scoped(name, idempotency_key),
            )
        assert answer.occurrence is not None
        return answer.occurrence

    def backfill(
        self,
        name: str,
        start: datetime | None = None,
        end: datetime | None = None,
        *,
        ranges: Sequence[tuple[datetime, datetime]] | None = None,
        overlap: Overlap | str = Overlap.BUFFER_ALL,
        missing: bool = False,
        idempotency_key: str | None = None,
    ) -> BackfillProgress:
        """Run the planned times of the past from `start` to `end`, both inclusive, or of several `ranges`.

        missing: leave out the times that ran already.
        """
        if ranges is None and start is not None and end is not None:
            ranges = [(start, end)]
        elif ranges is None or start is not None or end is not None:
            raise InvalidScheduleError("range", "Give either start and end, or ranges.")
        for first, last in ranges:
            refuse_naive(first, "start")
            refuse_naive(last, "end")
        with self._runtime.using_engine(name) as engine:
            answer = engine.commands.backfill(
                schedule_id(name),
                ranges,
                overlap=read_overlap(overlap),
                missing=missing,
                idempotency_key=_scoped(name, idempotency_key),
            )
            row = backfills.find(self._runtime.database.read(), answer.backfill or "")
        assert row is not None
        return backfill_progress(row)

    def cancel_backfill(self, backfill: str, *, idempotency_key: str | None = None) -> None:
        """Drop what a backfill has not started yet; what runs may finish."""
        with self._runtime.using_engine() as engine:
            engine.commands.cancel_backfill(backfill, idempotency_key=_scoped(backfill, idempotency_key))

    def stop_running(self, name: str, *, kill: bool = False, idempotency_key: str | None = None) -> None:
        """Stop what the schedule runs now: a command is asked to exit, or killed; a callable must check `DueRun`."""
        with self._runtime.using_engine(name) as engine:
            engine.commands.stop(schedule_id(name), kill=kill, idempotency_key=_scoped(name, idempotency_key))

    @overload
    def on_due(self, handler: _HandlerT, *, name: str | None = None) -> _HandlerT: ...
    @overload
    def on_due(self, *, name: str | None = None) -> Callable[[_HandlerT], _HandlerT]: ...
    @overload
    def on_due(
        self,
        handler: Sequence[str],
        *,
        name: str | None = None,
        time_limit: timedelta | None = None,
        folder: str | os.PathLike[str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Sequence[str]: ...
    def on_due(
        self,
        handler: Any = None,
        *,
        name: str | None = None,
        time_limit: timedelta | None = None,
        folder: str | os.PathLike[str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Any:
        """Say what to run for the schedule `name`, or for all that have no handler of their own.

        Handlers are not stored: register them at every start, before `start`. Also works as a decorator.

        handler: a callable that takes a `DueRun`, called in a thread; an exception is a failed run. Or a command as a
            list of arguments, started without a shell; any exit code but 0 is a failed run. It finds its run in the
            variables SCHEDULE_NAME, SCHEDULE_PLANNED, SCHEDULE_KEY, SCHEDULE_ORIGIN and SCHEDULE_ATTEMPT.
        name: only for this schedule, which need not exist yet.
        time_limit: for a command, after which it is asked to exit (SIGTERM), and killed 5 seconds later.
        folder: for a command, where it runs.
        environment: for a command, more variables.
        """
        if handler is None:
            return lambda decorated: self.on_due(decorated, name=name)
        handlers = self._runtime.handlers
        if isinstance(handler, str):
            raise InvalidScheduleError("handler", f"handler: write the command as a list, not as {handler!r}.")
        if isinstance(handler, Sequence):
            handlers.register_command(handler, name, time_limit, folder, environment)
        elif time_limit is not None or folder is not None or environment is not None:
            raise InvalidScheduleError(
                "handler", "time_limit, folder and environment are for commands; a thread cannot be stopped."
            )
        else:
            handlers.register_callable(handler, name)
        return handler

    def start(self) -> None:
        """Run what is due, in threads of its own, until `stop` or `close`."""
        self._runtime.start()

    def stop(self, timeout: float | None = _TIMEOUT_S) -> bool:
        """Start nothing more, and wait for what runs; returns whether all of it ended within `timeout` seconds.

        The file stays open, and `start` continues.
        """
        return self._runtime.stop(timeout)

    def close(self, timeout: float | None = _TIMEOUT_S) -> None:
        """Stop, and release the file. What still runs after `timeout` seconds is asked to stop.

        A command is killed 5 seconds later. A callable that does not end is recorded as interrupted when the file is
        opened again. Used as a context manager, a scheduler closes at the end.
        """
        self._runtime.close(timeout)

    def tick(self, now: datetime | None = None) -> datetime:
        """Instead of `start`, for a host with its own timer: start what is due, and return when to call it again.

        That is at most a minute ahead, and earlier if `on_wake` says so. It never waits for a handler.

        now: the current time, if the caller has just read it.
        """
        refuse_naive(now, "now")
        if self._runtime.is_started:
            raise SchedulerStateError("This scheduler was started, so it ticks by itself. Call either start or tick.")
        with self._runtime.using_engine():
            return self._runtime.tick(now)

    def on_wake(self, callback: Callable[[], object]) -> None:
        """For a host that calls `tick`: `callback` is called when that is needed earlier than `tick` said.

        It is called from any thread, and must only pass this on, for example by emitting a signal.
        """
        self._runtime.on_wake = callback

    def wake(self) -> None:
        """Something outside changed, for example the computer woke up: check now what is due."""
        with self._runtime.using_engine():
            self._runtime.wake()

    def __enter__(self) -> Self:
        """The scheduler itself; it is not started."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def _scoped(name: str, idempotency_key: str | None) -> str | None:
    """Keys of different schedules do not interfere."""
    return None if idempotency_key is None else f"{name} {idempotency_key}"
