"""The loop of a worker process: load a script once, run its phases as the host asks."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from . import _protocol as protocol
from ._brand import brand
from ._errors import TooLarge
from ._link import Link
from ._script import Script

if TYPE_CHECKING:
    from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def main(argument: str) -> None:
    """Serve until the host closes the connection. The argument is JSON: descriptors, limits, the host, a fence."""
    told = json.loads(argument)
    if told["fence"]:
        _raise_fence()
    link = Link(told["read"], told["write"], told["message"])
    _bind_to_host(told["host"])
    brand()
    output = Output()
    _limit_memory(told["memory"])
    load = link.next_command()
    script = Script(load["path"], is_fenced=told["fence"])
    link.begin(0)
    _answer(link, output, script, script.load(load["source"]), (load["path"], 1))
    traces = Traces()
    following: protocol.Message | None = None
    while True:
        command = following or link.next_command()
        output.restore()
        link.begin(command["run"])
        may_look_outside = "call" in protocol.ALLOWED[command["phase"]]
        answer = script.run(link, command)
        following = script.following(link, command, answer)
        if not _answer(link, output, script, answer, script.place_of(command), traces if may_look_outside else None):
            following = None


def _answer(
    link: Link,
    output: Output,
    script: Script,
    answer: protocol.Message,
    place: tuple[str, int],
    traces: Traces | None = None,
) -> bool:
    """Tell the host how it ended; False if it had to be told something else."""
    if not link.is_owner:
        os._exit(0)  # a fork of the script came back from its handler; the worker has its own way back
    answer["run"] = link.finish()
    output.flush()
    answer["left"] = _left_something() or (traces is not None and traces.are_there())
    try:
        link.send(answer)
    except protocol.TooLargeError as error:
        link.send(
            {
                **script.explain(TooLarge(f"what it returned was {error}", place)),
                "run": answer["run"],
                "left": answer["left"],
            }
        )
        return False
    return True


def _left_something() -> bool:
    """Whether children or threads of the script are still there, so that this worker must not be used again."""
    if threading.active_count() > 2:
        return True
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    except AttributeError:  # no such thing on Windows
        return False
    return True


class Traces:
    """What a handler may change for the whole process; whoever came next would find it so."""

    def __init__(self) -> None:
        try:
            import resource  # noqa: PLC0415  Unix only
        except ImportError:
            self._limits: Callable[[], object] = lambda: None
        else:
            self._limits = partial(resource.getrlimit, resource.RLIMIT_NOFILE)
        # The mapping behind os.environ where there is one: comparing that costs a hundredth.
        self._environment: Any = getattr(os.environ, "_data", os.environ)
        self._before, self._named = self._look(), dict(self._environment)

    def are_there(self) -> bool:
        """Whether something is not as the script's top level left it, so that this worker must not be used again."""
        return self._look() != self._before or self._environment != self._named

    def _look(self) -> object:
        try:
            return os.getcwd(), self._limits(), sys.gettrace()
        except OSError:  # the folder is gone
            return object()


class Output:
    """The script's standard streams; what it closed is open again for the next phase."""

    def __init__(self) -> None:
        self._kept = [os.dup(number) for number in (0, 1, 2)]
        self._made_of = [_identity(number) for number in (0, 1, 2)]
        self._open()

    def restore(self) -> None:
        """As they were at the start."""
        for number, kept in enumerate(self._kept):
            if _identity(number) != self._made_of[number]:
                os.dup2(kept, number)
        if sys.stdout is not self._streams[0] or sys.stderr is not self._streams[1] or self._is_closed():
            self._open()

    def flush(self) -> None:
        """Everything that was printed is on its way before the phase ends."""
        for stream in {id(one): one for one in (*self._streams, sys.stdout, sys.stderr)}.values():
            with suppress(Exception):  # whatever the script put there
                stream.flush()

    def _open(self) -> None:
        self._streams = [
            open(number, "w", encoding="utf-8", errors="backslashreplace", buffering=1, newline="\n", closefd=False)  # noqa: SIM115
            for number in (1, 2)
        ]
        sys.stdout, sys.stderr = self._streams
        sys.__stdout__, sys.__stderr__ = self._streams  # type: ignore[misc]

    def _is_closed(self) -> bool:
        return any(stream.closed for stream in self._streams)


def _identity(descriptor: int) -> Any:
    try:
        told = os.fstat(descriptor)
    except OSError:
        return None
    return told.st_dev, told.st_ino


def _limit_memory(limit: int) -> None:
    try:
        import resource  # noqa: PLC0415  Unix only

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        most = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    except (ImportError, OSError, ValueError):
        return


def _raise_fence() -> None:
    with suppress(ImportError, OSError, AttributeError):  # some small Pythons have no ctypes
        from ._fence import raise_fence  # noqa: PLC0415

        raise_fence()


def _bind_to_host(host: int) -> None:
    """Die with the host, and inherit the children of our children, so that all can be found and ended."""
    if not sys.platform.startswith("linux"):
        return
    try:
        import ctypes  # noqa: PLC0415  missing in some small Pythons

        prctl = ctypes.CDLL(None).prctl
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return
    if os.getppid() != host:
        os._exit(0)
