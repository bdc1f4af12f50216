"""Why a worker was lost, in a sentence that helps its author."""

import signal
import subprocess
from collections.abc import Sequence

from dayhand import _protocol as protocol

from scheduler.workers.limits import MEGABYTE, Limits
from scheduler.workers.outcomes import Death, WorkerDied
from scheduler.workers.system import exit_code

_PATIENCE = 1.0
_FAILED_STARTS = ("is too old; Dayhand", ", could not be started: ")
_EXCEPTIONS = 1 << 16
"""Windows has numbers beyond that, and no signals."""


def explain(process: "subprocess.Popen[bytes]", limits: Limits) -> WorkerDied:
    """The connection is closed: find out how the process ended, or that it lives on."""
    code = exit_code(process, _PATIENCE)
    if code is None or code == protocol.HUNG_UP:
        return WorkerDied(
            Death.HUNG_UP,
            "The script closed its connection to Dayhand. Close only files that the script opened itself.",
        )
    if code >= 0:
        return WorkerDied(
            Death.EXIT,
            f"The script ended its own process with exit code {code}. Return from the handler, or raise an error.",
        )
    name = _name(-code)
    hints: dict[int, str] = {
        signal.SIGKILL: f" The system may have run out of memory; a script may use {_say(limits.memory)}.",
        signal.SIGSEGV: " A library of the script is broken; the log may say which.",
        signal.SIGABRT: " A library of the script gave up; the log may say why.",
    }
    return WorkerDied(Death.SIGNAL, f"The script's process was ended by {name}.{hints.get(-code, '')}")


def garbage(error: Exception) -> str:
    return (
        f"The script's process sent Dayhand something that is no message ({error}). "
        "Write only to files that the script opened itself."
    )


def out_of_memory(limits: Limits, line: object) -> WorkerDied:
    sentence = f"The script ran out of memory; it may use {_say(limits.memory)}. Work in smaller parts."
    return WorkerDied(Death.MEMORY, sentence, line if isinstance(line, int) else None)


def failed_start(said: Sequence[str]) -> str | None:
    """The sentence of a Python that could not even start the loop; None if the script itself ended."""
    text = "".join(said).strip()
    return text.splitlines()[-1] if any(words in text for words in _FAILED_STARTS) else None


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}" if number < _EXCEPTIONS else f"exception 0x{(1 << 32) - number:08X}"


def _say(size: int) -> str:
    return f"{size / MEGABYTE / 1024:g} GB" if size >= 1024 * MEGABYTE else f"{size / MEGABYTE:g} MB"
