"""Finding and killing processes with all their descendants: through /proc on Linux, by process group elsewhere."""

import os
import select
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from dayhand._process_mark import MOST_MEMORY

MARK_VARIABLE = "DAYHAND_WORKER"
"""The environment variable of a worker and all its descendants: a random string, not a secret."""

_PROC = "/proc"
_KILL_TIMEOUT_S = 2.0
"""A kill takes effect asynchronously."""
_MAX_ROUNDS = 50
_CHUNK_BYTES = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    pid: int
    parent: int
    session: int
    has_terminal: bool
    """Whether it has a controlling terminal, where someone may be typing."""
    name: bytes
    """The first 15 bytes of the program's name."""
    started: int
    """In clock ticks since boot; together with the pid it identifies one process."""
    is_alive: bool


def find_process(pid: int) -> Process | None:
    """Facts about a process; None if it does not exist or cannot be read."""
    try:
        stat = read_proc(pid, "stat")
    except OSError:
        return None
    name_end = stat.rindex(b")")  # the name itself may contain anything
    fields = stat[name_end + 2 :].split()
    return Process(
        pid=pid,
        parent=int(fields[1]),
        session=int(fields[3]),
        has_terminal=fields[4] != b"0",
        name=stat[stat.index(b"(") + 1 : name_end],
        started=int(fields[19]),
        is_alive=fields[0] not in (b"Z", b"X"),
    )


def has_mark(pid: int, mark: bytes) -> bool:
    """Whether the process, or one it was forked from, was started with that text in its environment."""
    try:
        return mark in read_proc(pid, "environ")
    except OSError:
        return False


def is_marked(pid: int) -> bool | None:
    """Whether it runs for a script, by the limit that `dayhand._process_mark` sets; None if that is not visible."""
    most = _read_limit(pid, b"Max file locks")
    return None if most is None else most == b"0"


def _read_limit(pid: int, name: bytes) -> bytes | None:
    """The hard limit of a process; None if that is not visible."""
    try:
        [line] = (line for line in read_proc(pid, "limits").splitlines() if line.startswith(name))
    except (OSError, ValueError):
        return None
    return line.split()[-2]


def mark_number(mark: str) -> int:
    """The limit that stands for a worker's mark."""
    return MOST_MEMORY + int.from_bytes(sha256(mark.encode()).digest()[:7])


def kill_with_descendants(root: int | None, mark: str) -> None:
    """Kill a process, all its descendants, its session, and every process with the mark.

    Without the process, what it started is also found if it deleted its environment.

    Everything found is stopped before anything is killed: a stopped process cannot fork, so the search terminates. The
    caller guarantees that `root`, if given, still names that process: a child of ours that was not waited for yet.
    """
    found: dict[int, Process] = {}
    first = None if root is None else find_process(root)
    others: set[int] = set()
    for _ in range(_MAX_ROUNDS):
        numbers = _pids() - others
        young = [one for one in _alive(numbers) if first is None or one.started >= first.started]
        others |= numbers - {one.pid for one in young}  # no descendant is older than the root
        new = [process for process in _members(root, mark, young) if process.pid not in found]
        if not new:
            break
        for process in new:
            found[process.pid] = process
            _send(process, signal.SIGSTOP)
    for process in found.values():
        _send(process, signal.SIGKILL)
    if root is not None:
        with suppress(OSError):
            os.killpg(root, signal.SIGKILL)
        with suppress(OSError):
            os.kill(root, signal.SIGKILL)
    deadline = time.monotonic() + _KILL_TIMEOUT_S
    while any(_is_running(process) for process in found.values()) and time.monotonic() < deadline:
        select.select((), (), (), 0.001)  # unlike sleep, not affected when the clock is faked


def _is_running(process: Process) -> bool:
    now = find_process(process.pid)
    return now is not None and now.is_alive and now.started == process.started


def _members(root: int | None, mark: str, among: list[Process]) -> list[Process]:
    carried = f"{MARK_VARIABLE}={mark}".encode()
    known = {root}
    size = 0
    while root is not None and size != len(known):
        size = len(known)
        known |= {process.pid for process in among if process.parent in known or process.session == root}
    return [
        process
        for process in among
        if process.pid != os.getpid()
        and (process.pid in known or has_mark(process.pid, carried) or (root is None and _has_limit(process.pid, mark)))
    ]


def _has_limit(pid: int, mark: str) -> bool:
    return _read_limit(pid, b"Max resident set") == str(mark_number(mark)).encode()


def _pids() -> set[int]:
    try:
        return {int(name) for name in os.listdir(_PROC) if name.isdecimal()}  # noqa: PTH208  see read_proc
    except OSError:
        return set()


def _alive(numbers: Iterable[int]) -> Iterator[Process]:
    return (process for number in numbers if (process := find_process(number)) is not None and process.is_alive)


def _send(process: Process, number: signal.Signals) -> None:
    """Signal that process, not a later one that got the same pid."""
    now = find_process(process.pid)
    if now is not None and now.started == process.started:
        with suppress(OSError):
            os.kill(process.pid, number)


def read_proc(pid: int, name: str) -> bytes:
    """Read /proc/PID/NAME with os.read: it runs for every process of the computer, and file objects cost more."""
    descriptor = os.open(f"{_PROC}/{pid}/{name}", os.O_RDONLY)
    try:
        parts = [os.read(descriptor, _CHUNK_BYTES)]
        while len(parts[-1]) == _CHUNK_BYTES:
            parts.append(os.read(descriptor, _CHUNK_BYTES))
        return b"".join(parts)
    finally:
        os.close(descriptor)
