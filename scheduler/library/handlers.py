"""The handlers of the library: which callable or command runs for a schedule, and how it is run."""

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

from scheduler.engine.callable_launcher import CallableLauncher, CannotStartError, Task, TaskFailedError
from scheduler.engine.scheduling.launcher import Work
from scheduler.library.errors import InvalidScheduleError
from scheduler.library.values import DueRun, StopFlag
from scheduler.store import logs, occurrences
from scheduler.store.database import Database
from scheduler.timing.durations import describe_duration
from scheduler.workers.command import CommandNotFoundError, RunningCommand, find_program

Handler: TypeAlias = Callable[[DueRun], Any]
"""A callable that does the work; what it returns is ignored, and an exception is a failed run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Command:
    words: tuple[str, ...]
    time_limit: timedelta | None
    folder: Path | None
    environment: Mapping[str, str]


class Handlers:
    """By name, or for all other schedules. Any thread may register one; an assignment is atomic."""

    def __init__(self, database: Database, name_of: Callable[[str], str]) -> None:
        self._database = database
        self._name_of = name_of
        self._by_name: dict[str | None, Handler | _Command] = {}

    def register_callable(self, handler: Handler, name: str | None) -> None:
        if not callable(handler):
            raise InvalidScheduleError(
                "handler", f"handler: {handler!r} is neither a callable nor a list of arguments."
            )
        if inspect.iscoroutinefunction(handler):
            raise InvalidScheduleError(
                "handler", "handler: coroutine functions are not supported; call asyncio.run(…) in a function."
            )
        self._by_name[name] = handler

    def register_command(
        self,
        words: Sequence[str],
        name: str | None,
        time_limit: timedelta | None,
        folder: str | os.PathLike[str] | None,
        environment: Mapping[str, str] | None,
    ) -> None:
        if not words or not all(isinstance(word, str) for word in words):
            raise InvalidScheduleError("handler", f"handler: {words!r} is not a list of texts; write ['rsync', '-a'].")
        if time_limit is not None and time_limit <= timedelta():
            raise InvalidScheduleError("time_limit", f"time_limit: {time_limit} is not positive.")
        self._by_name[name] = _Command(
            words=tuple(words),
            time_limit=time_limit,
            folder=None if folder is None else Path(folder).absolute(),
            environment=dict(environment or {}),
        )

    def find_task(self, launcher: CallableLauncher, work: Work) -> Task:
        """The task of a schedule's handler; CannotStartError if there is none, or its program is missing."""
        name = self._name_of(work.subject)
        handler = self._by_name.get(name, self._by_name.get(None))
        if handler is None:
            raise CannotStartError(f"There is no handler for {name!r}. Register one with on_due().")
        run = self._describe(work, name)
        if isinstance(handler, _Command):
            return self._command_task(handler, run, launcher)
        return _callable_task(handler, run, launcher)

    def _describe(self, work: Work, name: str) -> DueRun:
        row = occurrences.find(self._database.read(), work.key)
        assert row is not None
        return DueRun(
            name=name,
            planned=row.planned,
            due=row.due,
            key=row.key,
            origin=row.origin,
            is_late=bool(row.late),
            attempt=row.unlaunched + 1,
            _stop=StopFlag(),
        )

    def _command_task(self, command: _Command, run: DueRun, launcher: CallableLauncher) -> Task:
        environment = {**os.environ, **command.environment, **_variables(run)}
        try:
            program = find_program(command.words, environment, command.folder)
        except CommandNotFoundError:
            raise CannotStartError(
                f"The command {command.words[0]} was not found. Install it, or use its full path."
            ) from None

        def execute(work: Work) -> None:
            try:
                running = RunningCommand((program, *command.words[1:]), environment, command.folder)
            except OSError as error:
                raise TaskFailedError(
                    f"The command {command.words[0]} could not be started: {error.strerror or error}."
                ) from error
            launcher.attach_worker(work, running)
            result = running.wait(None if command.time_limit is None else command.time_limit.total_seconds())
            if result.output:
                with self._database.write() as db:
                    logs.append(db, work.key, result.output)
            if result.is_overdue and command.time_limit is not None:
                limit = describe_duration(command.time_limit)
                raise TaskFailedError(f"The command {command.words[0]} was stopped after its time limit of {limit}.")
            if result.code:
                how = f"exited with code {result.code}" if result.code > 0 else f"was ended by signal {-result.code}"
                raise TaskFailedError(f"The command {command.words[0]} {how}.")

        return execute


def _callable_task(handler: Handler, run: DueRun, launcher: CallableLauncher) -> Task:
    def execute(work: Work) -> None:
        launcher.attach_worker(work, run._stop)  # noqa: SLF001  the library sets what the handler only reads
        handler(run)

    return execute


def _variables(run: DueRun) -> dict[str, str]:
    """What a command learns about its run."""
    return {
        "SCHEDULE_NAME": run.name,
        "SCHEDULE_PLANNED": run.planned.isoformat(),
        "SCHEDULE_KEY": run.key,
        "SCHEDULE_ORIGIN": run.origin,
        "SCHEDULE_ATTEMPT": str(run.attempt),
    }
