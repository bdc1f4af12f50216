"""Wraps the system calls that change a disk, to make one fail or to kill the process there.

The calls are real, on real files. Errors of a broken disk and a kill at an exact moment cannot be produced
for real, so they are injected.
"""

import errno
import os
import signal
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from scheduler.file_system import posix


@dataclass
class Fault:
    """At this step: an error instead of the step or after it; without a code, the process is killed."""

    step: int
    code: int | None = None
    when: str = "before"
    """Or "after"; or "half": after half of the bytes of a write."""

    def strike(self, kind: type[Exception] = OSError) -> NoReturn:
        if self.code is not None and kind is sqlite3.OperationalError:
            error = sqlite3.OperationalError(os.strerror(self.code))
            error.sqlite_errorcode = _SQLITE.get(self.code, sqlite3.SQLITE_IOERR)
            raise error
        if self.code is not None:
            raise OSError(self.code, os.strerror(self.code))
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


@dataclass
class Disk:
    fault: Fault | None = None
    offers_exchange: bool = True
    """Whether the disk supports atomic renames without replacing, and swaps."""
    ledger: type | None = None
    """A class whose statements are steps too; they fail like SQLite."""
    steps: list[str] = field(default_factory=list)

    @contextmanager
    def inserted(self) -> Iterator[None]:
        """Wrap all calls in this context."""
        real = {(os, name): getattr(os, name) for name in _CALLS} | {(posix, "_rename"): posix._rename}
        if self.ledger is not None:
            real |= {(self.ledger, name): getattr(self.ledger, name) for name in _STATEMENTS}
        for (owner, name), call in real.items():
            setattr(owner, name, self._around(name, call))
        try:
            yield
        finally:
            for (owner, name), call in real.items():
                setattr(owner, name, call)

    def _around(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*given: Any, **named: Any) -> Any:
            if name == "_rename" and not self.offers_exchange:
                return False
            step = _name(name, given)
            if step is None:
                return call(*given, **named)
            self.steps.append(step)
            fault = self.fault if self.fault is not None and self.fault.step == len(self.steps) - 1 else None
            kind = sqlite3.OperationalError if name in _STATEMENTS else OSError
            if fault is not None and fault.when == "before":
                fault.strike(kind)
            if fault is not None and fault.when == "half" and name == "write":
                given = (given[0], given[1][: len(given[1]) // 2])
            try:
                return call(*given, **named)
            finally:
                if fault is not None:
                    fault.strike(kind)

        return stepped


_CALLS = ("open", "mkdir", "write", "fsync", "unlink", "rmdir", "rename", "replace", "ftruncate")
_STATEMENTS = ("begin", "finish", "remove")
_SQLITE = {
    errno.ENOSPC: sqlite3.SQLITE_FULL,
    errno.EDQUOT: sqlite3.SQLITE_FULL,
    errno.EACCES: sqlite3.SQLITE_READONLY,
    errno.EROFS: sqlite3.SQLITE_READONLY,
}


def _name(call: str, given: tuple[Any, ...]) -> str | None:
    """The name of the step; None for a call that changes nothing."""
    match call:
        case "begin" | "finish" | "remove":
            return f"ledger {call}"
        case "open":
            return "create" if given[1] & os.O_CREAT else None
        case "fsync":
            return "sync folder" if stat.S_ISDIR(os.fstat(given[0]).st_mode) else "sync file"
        case "_rename":
            return {1: "rename", 2: "exchange"}[given[2]]
    return call
