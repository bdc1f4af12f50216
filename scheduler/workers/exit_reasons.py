"""Why a worker process ended, as a sentence for the script's author."""

import signal
import subprocess
from collections.abc import Sequence

from dayhand import _protocol as protocol

from scheduler.user_text import UserText, join_texts
from scheduler.workers.outcomes import ExitCause, WorkerDied
from scheduler.workers.script import MEGABYTE, Limits
from scheduler.workers.system import wait_for_exit_code

_EXIT_TIMEOUT_S = 1.0
_START_ERRORS = ("is too old; Dayhand", ", could not be started: ")
_FIRST_EXCEPTION = 1 << 16
"""Windows has exception codes from here on, and no signals."""


def explain_exit(process: "subprocess.Popen[bytes]", limits: Limits) -> WorkerDied:
    """The connection is closed: find out how the process ended, or that it is still running."""
    code = wait_for_exit_code(process, _EXIT_TIMEOUT_S)
    if code is None or code == protocol.HUNG_UP:
        return WorkerDied(
            ExitCause.HUNG_UP,
            UserText("The script closed its connection to Dayhand. Close only files that the script opened itself."),
        )
    if code >= 0:
        return WorkerDied(
            ExitCause.EXIT,
            UserText(
                "The script exited its own process with code {code}. Return from the handler, or raise an error.",
                code=code,
            ),
        )
    killed = UserText("The script's process was killed by {name}.", name=_signal_name(-code))
    hints: dict[int, str] = {
        signal.SIGKILL: UserText(
            "The system may have run out of memory; a script may use {size}.", size=_format_size(limits.memory)
        ),
        signal.SIGSEGV: UserText("A library used by the script crashed; the log may say which."),
        signal.SIGABRT: UserText("A library used by the script aborted; the log may say why."),
    }
    return WorkerDied(
        ExitCause.SIGNAL,
        join_texts([killed, hints[-code]] if -code in hints else [killed], " "),
    )


def describe_garbage(error: Exception) -> str:
    return UserText(
        "The script's process sent Dayhand an invalid message ({error}). Write only to files that "
        "the script opened itself.",
        error=error,
    )


def describe_out_of_memory(limits: Limits, line: int | None) -> WorkerDied:
    sentence = UserText(
        "The script ran out of memory; it may use {size}. Process less at a time.", size=_format_size(limits.memory)
    )
    return WorkerDied(ExitCause.MEMORY, sentence, line)


def find_start_error(output: Sequence[str]) -> str | None:
    """The error of a Python that could not start the worker loop; None if the script itself exited."""
    text = "".join(output).strip()
    return text.splitlines()[-1] if any(words in text for words in _START_ERRORS) else None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return (
            UserText("signal {number}", number=number)
            if number < _FIRST_EXCEPTION
            else UserText("exception 0x{value}", value=f"{(1 << 32) - number:08X}")
        )


def _format_size(size: int) -> str:
    return f"{size / MEGABYTE / 1024:g} GB" if size >= 1024 * MEGABYTE else f"{size / MEGABYTE:g} MB"
