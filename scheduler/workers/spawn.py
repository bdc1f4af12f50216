"""Starting a worker process: its descriptors, its environment, its Python."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import dayhand

from scheduler.workers.fencing import fenced
from scheduler.workers.limits import MEGABYTE, Limits
from scheduler.workers.origin import MARK_AS_SCRIPT
from scheduler.workers.outcomes import CouldNotStartError
from scheduler.workers.processes import MARK
from scheduler.workers.records import MARK_LENGTH
from scheduler.workers.system import PASSED_ON, hand_over, number_of, take_in, widen

_START = Path(dayhand.__file__).with_name("_start.py")

# A worker dies with the thread that started it (PR_SET_PDEATHSIG), so one thread starts them all and never ends.
_starter = ThreadPoolExecutor(1, thread_name_prefix="start workers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawned:
    process: "subprocess.Popen[bytes]"
    reading: int
    writing: int
    output: int
    log: int
    """The other end of it, for commands that the host runs."""
    mark: str


def command_for(python: str | None, *, is_fenced: bool) -> list[str]:
    """How a worker is started: in the author's Python, or in ours, which raises the fence itself."""
    if python is None and getattr(sys, "frozen", False):
        return [sys.executable, "--worker"]
    command = [python or sys.executable, "-I", "-X", "faulthandler", str(_START)]
    return fenced(command) if python is not None and is_fenced else command


def environment(surroundings: Mapping[str, str], mark: str) -> dict[str, str]:
    """The few variables that scripts may see, and the mark by which their processes are found."""
    passed = {name: value for name, value in surroundings.items() if name in PASSED_ON or name.startswith("LC_")}
    return {**passed, MARK: mark}


def spawn(python: str | None, limits: Limits, *, is_fenced: bool) -> Spawned:
    """Start a worker in a session of its own; CouldNotStartError says why it could not be."""
    command = command_for(python, is_fenced=is_fenced)
    return _starter.submit(_spawn, command, limits, is_fenced=is_fenced, is_ours=python is None).result()


def _spawn(command: Sequence[str], limits: Limits, *, is_fenced: bool, is_ours: bool) -> Spawned:
    mark = secrets.token_hex(MARK_LENGTH // 2)
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    log_in, log_out = os.pipe()
    widen(log_in, MEGABYTE)
    told = {
        "read": number_of(theirs_in),
        "write": number_of(theirs_out),
        "message": limits.message,
        "memory": limits.memory,
        "host": os.getpid(),
        "fence": is_fenced and sys.platform.startswith("linux"),
    }
    try:
        process = subprocess.Popen(  # noqa: S603  a list, never a shell
            [*command, json.dumps(told)],
            stdin=subprocess.DEVNULL,
            stdout=log_out,
            stderr=log_out,
            cwd=_home(),
            env=environment(os.environ, mark),
            # Our own Python marks itself, which is faster; another may run packages before `dayhand` is loaded.
            preexec_fn=None if is_ours else MARK_AS_SCRIPT,  # noqa: PLW1509  one call that takes no lock
            **hand_over(theirs_in, theirs_out),
        )
    except OSError as error:
        for descriptor in (ours_out, ours_in, log_in, log_out):
            os.close(descriptor)
        raise CouldNotStartError(
            f"The Python for this script, {command[0]}, could not be started: {error.strerror or error}."
        ) from error
    finally:
        for descriptor in (theirs_in, theirs_out):
            os.close(descriptor)
    take_in(process, mark, limits.memory)
    return Spawned(process=process, reading=ours_in, writing=ours_out, output=log_in, log=log_out, mark=mark)


def _home() -> Path:
    home = Path("~").expanduser()
    return home if home.is_dir() else Path("/")
