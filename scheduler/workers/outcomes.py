"""How a phase in a worker can end."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import Any

from dayhand import _protocol as protocol

from scheduler.timing.durations import describe_seconds
from scheduler.user_text import UserText


@dataclass(frozen=True, slots=True)
class Finished:
    """The handler returned. What `value` holds depends on the phase:

    producer and next: {"state": dict | None}; job: {"result": JSON}; mutate: {"call": the one outside call | None};
    prepare: {"nothing": True, "wake_at"} or {"nothing": False, "reserve", "data", "say", "ui", "wake_at"}.
    """  # noqa: D400  ends in a list

    value: dict[str, Any]


class Fault(StrEnum):
    """What the script did wrong."""

    SCRIPT_ERROR = protocol.SCRIPT_ERROR
    """It raised."""
    MISUSE = protocol.MISUSE
    """It used something that does not exist or is not allowed there."""
    BAD_RETURN = protocol.BAD_RETURN
    """It returned something its phase cannot use."""
    TOO_LARGE = protocol.TOO_LARGE
    """A message to or from it was over the size limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptFailed:
    fault: Fault
    message: str
    file: str | None = None
    line: int | None = None
    traceback: str = ""
    command: str = ""
    """The command line of a job that failed, if that was it."""
    exit_code: int | None = None
    """Of that command, if it ended by itself."""

    @property
    def sentence(self) -> str:
        """The message, preceded by file and line if the error is in the script and they are known."""
        if self.file is None or self.line is None or self.command:
            return self.message
        return UserText(
            "{name}, line {line}: {message}", name=PurePath(self.file).name, line=self.line, message=self.message
        )


class ExitCause(StrEnum):
    """How a worker was lost."""

    SIGNAL = "signal"
    EXIT = "exit"
    """It exited in the middle of a phase."""
    MEMORY = "out of memory"
    GARBAGE = "garbage"
    """It sent an invalid message."""
    HUNG_UP = "hung up"
    """It closed the connection or stopped reading, but is still running."""


@dataclass(frozen=True, slots=True)
class WorkerDied:
    cause: ExitCause
    sentence: str
    line: int | None = None
    """Where in the script, if known."""


@dataclass(frozen=True, slots=True)
class TimedOut:
    sentence: str
    line: int | None = None
    """Where in the script it was stuck, if known."""
    command: str = ""
    """The command line of a job that was still running, if known."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    sentence: str = UserText("It was stopped.")


Outcome = Finished | ScriptFailed | WorkerDied | TimedOut | Cancelled


class WorkerStartError(Exception):
    """No worker could be started; the message says why."""


def describe_timeout(phase: str, seconds: float) -> TimedOut:
    """For a phase, or for loading, which has no name."""
    limit = describe_seconds(seconds)
    if phase:
        return TimedOut(UserText("It took longer than {limit} and was stopped.", limit=limit))
    return TimedOut(UserText("the script did not finish loading within {limit}.", limit=limit))


def refuse_input(phase: str, error: protocol.TooLargeError) -> ScriptFailed:
    return ScriptFailed(
        fault=Fault.TOO_LARGE,
        message=UserText("the input of {phase} was {error}", phase=phase or UserText("the worker"), error=error),
    )
