"""The exceptions of the library. Their messages say what happened and what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

from scheduler.engine.callable_launcher import TaskFailedError
from scheduler.engine.errors import RefusedError
from scheduler.store.errors import (
    DiskFailedError,
    NewerStoreError,
    StoreClosedError,
    StoreDamagedError,
    StoreError,
    StoreGoneError,
)
from scheduler.store.lock import FileInUseError
from scheduler.timing.errors import BadScheduleError
from scheduler.user_text import UserText, fill


class SchedulerError(Exception):
    """The base of all exceptions that the library raises."""


class InvalidScheduleError(SchedulerError, ValueError):
    """Times, policies or arguments are not valid; nothing was changed. `field` names the argument to change."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class UnknownScheduleError(SchedulerError, LookupError):
    """There is no schedule, run or backfill of that name."""


class StaleVersionError(SchedulerError):
    """The schedule has changed since you read it; nothing was changed. Read it again, then decide.

    `expected` is the version you gave, `current` the stored one.
    """

    def __init__(self, message: str, expected: int, current: int) -> None:
        super().__init__(message)
        self.expected = expected
        self.current = current


class CommandRefusedError(SchedulerError):
    """The command makes no sense now, such as resuming what is not paused; nothing was changed.

    `code` is a short text for programs: `exists`, `busy`, `not paused`, `not running`, `already skipped`,
    `no more times`, `no times`, `too many`, `range`, `past`, `ended`, `trouble` or `request`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class StoreFileError(SchedulerError):
    """The file cannot be opened, read or written: missing permissions, full disk, damage, or another program's file."""


class StoreInUseError(StoreFileError):
    """Another scheduler has the file open, in this or another process."""


class SchedulerStateError(SchedulerError, RuntimeError):
    """Not possible now: the scheduler is closed, already started, or belongs to another process."""


class StopRequestedError(TaskFailedError):
    """Raised by `DueRun.stop_if_requested` in a handler, to end it early. The run is then recorded as cancelled."""


CLOSED = "This scheduler is closed. Open its file again with Scheduler(path)."


@contextmanager
def converted_errors(identity: str = "", name: str = "", version: int | None = None) -> Iterator[None]:
    """Convert the errors of engine and store; the schedule `identity` is called by its `name`."""

    def reword(field: str) -> str:
        return name if field == identity else "at" if field == "once" else field

    try:
        yield
    except (RefusedError, BadScheduleError) as error:
        code = error.code if isinstance(error, RefusedError) else error.field
        text = error.sentence
        raise _convert(code, text.map(reword) if isinstance(text, UserText) else text, text, version) from error
    except StoreClosedError as error:
        raise SchedulerStateError(CLOSED) from error
    except FileInUseError as error:
        raise StoreInUseError(str(error)) from error
    except StoreError as error:
        raise StoreFileError(_reword_for_programs(error)) from error


_FOR_PROGRAMS: dict[type[StoreError], str] = {
    DiskFailedError: "The disk could not read or write {path} ({cause}). Check the disk, then open the file again.",
    NewerStoreError: (
        "The file was written by a newer version (format {found}; this one knows up to {known}). Nothing was changed. "
        "Install the newer version, or use another file."
    ),
    StoreDamagedError: "{path} is damaged. Close the scheduler, and restore the file from a backup.",
    StoreGoneError: (
        "{path}, or a file beside it, was deleted or replaced while it was in use, so nothing is saved. "
        "Put it back, then open it again."
    ),
}
"""Where the sentence for users of the app speaks of what only the app has."""


def _reword_for_programs(error: StoreError) -> str:
    text, template = error.args[0], _FOR_PROGRAMS.get(type(error))
    return fill(template, text.fields, str) if template is not None and isinstance(text, UserText) else str(text)


_COMMAND_CODES = frozenset(
    {
        "already skipped", "busy", "ended", "exists", "no more times", "no times", "not paused", "not running",
        "past", "range", "request", "too many", "trouble",
    }
)  # fmt: skip


def _convert(code: str, message: str, original: str, version: int | None) -> SchedulerError:
    if code == "unknown":
        return UnknownScheduleError(message)
    if code == "stale" and version is not None and isinstance(original, UserText):
        versions = original.fields["versions"]
        return StaleVersionError(message, version, int(versions.fields["current"]))
    if code in _COMMAND_CODES:
        return CommandRefusedError(code, message)
    return InvalidScheduleError("at" if code == "once" else code, message)
