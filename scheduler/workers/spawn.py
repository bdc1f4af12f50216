"""Starting a worker process: file descriptors, environment, Python."""

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

from scheduler.user_text import UserText
from scheduler.workers.outcomes import WorkerStartError
from scheduler.workers.processes import MARK_VARIABLE, mark_number
from scheduler.workers.sandbox import HAS_SANDBOX, sandboxed
from scheduler.workers.script import MEGABYTE, Limits
from scheduler.workers.system import (
    PASSED_VARIABLES,
    enlarge_pipe,
    inheritable_number,
    start_process,
)
from scheduler.workers.worker_records import MARK_LENGTH

_START = Path(dayhand.__file__).with_name("_start.py")

# A worker dies with the thread that started it (PR_SET_PDEATHSIG), so one permanent thread starts them all.
_starter = ThreadPoolExecutor(1, thread_name_prefix="start workers")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpawnedProcess:
    process: "subprocess.Popen[bytes]"
    reading: int
    writing: int
    output: int
    log: int
    """The write end of `output`, for commands that the host runs."""
    mark: str


def worker_command(python: str | None, *, is_sandboxed: bool) -> list[str]:
    """The command line of a worker: the author's Python, or ours, which enters the sandbox itself."""
    if python is None and getattr(sys, "frozen", False):
        return [sys.executable, "--worker"]
    command = [python or sys.executable, "-I", "-X", "faulthandler", str(_START)]
    return sandboxed(command) if python is not None and is_sandboxed else command


def worker_environment(variables: Mapping[str, str], mark: str) -> dict[str, str]:
    """The few variables that scripts may see, and the mark by which their processes are found."""
    passed = {name: value for name, value in variables.items() if name in PASSED_VARIABLES or name.startswith("LC_")}
    return {**passed, MARK_VARIABLE: mark}


def spawn(python: str | None, limits: Limits, *, is_sandboxed: bool) -> SpawnedProcess:
    """Start a worker in its own session; WorkerStartError if that failed."""
    command = worker_command(python, is_sandboxed=is_sandboxed)
    return _starter.submit(_spawn, command, limits, is_sandboxed=is_sandboxed, is_ours=python is None).result()


def _spawn(command: Sequence[str], limits: Limits, *, is_sandboxed: bool, is_ours: bool) -> SpawnedProcess:
    mark = secrets.token_hex(MARK_LENGTH // 2)
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    log_in, log_out = os.pipe()
    enlarge_pipe(log_in, MEGABYTE)
    options = {
        "read": inheritable_number(theirs_in),
        "write": inheritable_number(theirs_out),
        "message": limits.message,
        "memory": limits.memory,
        "host": os.getpid(),
        "mark": mark_number(mark),
        "sandbox": is_sandboxed and HAS_SANDBOX,
    }
    try:
        process = start_process(
            [*command, json.dumps(options)],
            stdin=subprocess.DEVNULL,
            stdout=log_out,
            stderr=log_out,
            cwd=_home(),
            env=worker_environment(os.environ, mark),
            mark=mark,
            descriptors=(theirs_in, theirs_out),
            # Our own Python marks itself, which is faster; another may run packages before `dayhand` is loaded.
            marks_itself=is_ours,
            memory=limits.memory,
        )
    except OSError as error:
        for descriptor in (ours_out, ours_in, log_in, log_out):
            os.close(descriptor)
        raise WorkerStartError(
            UserText(
                "The Python for this script, {command}, could not be started: {strerror}.",
                command=command[0],
                strerror=error.strerror or error,
            )
        ) from error
    finally:
        for descriptor in (theirs_in, theirs_out):
            os.close(descriptor)
    return SpawnedProcess(process=process, reading=ours_in, writing=ours_out, output=log_in, log=log_out, mark=mark)


def _home() -> Path:
    home = Path("~").expanduser()
    return home if home.is_dir() else Path("/")
