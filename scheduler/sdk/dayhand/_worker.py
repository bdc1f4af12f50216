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
from ._channel import HostChannel
from ._errors import TooLarge
from ._process_mark import mark_process
from ._script import LoadedScript
from ._user_text import UserText

if TYPE_CHECKING:
    from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def main(argument: str) -> None:
    """Run until the host closes the connection. The argument is JSON: descriptors, limits, host pid, sandbox or not."""
    options = json.loads(argument)
    mark_process(options["mark"])
    if options["sandbox"]:
        _enter_sandbox()
    link = HostChannel(options["read"], options["write"], options["message"])
    _bind_to_host(options["host"])
    output = StandardStreams()
    _limit_memory(options["memory"])
    load = link.next_command()
    script = LoadedScript(load["path"], is_sandboxed=options["sandbox"])
    link.begin(0)
    with link.on_cancel(partial(_report_stuck_line, link, load["path"])):
        loaded = script.load(load["source"])
    _answer(link, output, script, loaded, (load["path"], 1))
    traces = ProcessChanges()
    following: protocol.Message | None = None
    while True:
        command = following or link.next_command()
        output.restore()
        link.begin(command["run"])
        may_call = "call" in protocol.ALLOWED[command["phase"]]
        with link.on_cancel(partial(_log_stopped_line, link, load["path"])):
            answer = script.run(link, command)
        following = script.next_phase(link, command, answer)
        if not _answer(link, output, script, answer, script.location_of(command), traces if may_call else None):
            following = None


def _report_stuck_line(link: HostChannel, path: str) -> None:
    """Tell the host, which gives up on loading, which line of the script is running."""
    link.send({"type": "ended", "run": 0, "left": True, "line": _running_line(path)})


def _log_stopped_line(link: HostChannel, path: str) -> None:
    """Tell the author which line of the script was running when its time was over."""
    line = _running_line(path) if link.is_late else None
    if line is not None:
        link.write_log(f"Its time was over in {os.path.basename(path)}, line {line}.")


def _running_line(path: str) -> int | None:
    frame = sys._current_frames().get(threading.main_thread().ident or 0)  # noqa: SLF001  there is no other way
    while frame is not None and frame.f_code.co_filename != path:
        frame = frame.f_back
    return None if frame is None else frame.f_lineno


def _answer(
    link: HostChannel,
    output: StandardStreams,
    script: LoadedScript,
    answer: protocol.Message,
    place: tuple[str, int],
    traces: ProcessChanges | None = None,
) -> bool:
    """Send the host the result; False if an error was sent instead."""
    if not link.is_owner:
        os._exit(0)  # a process forked by the script returned from its handler; only the worker reports
    answer["run"] = link.finish()
    output.flush()
    answer["left"] = _left_something() or (traces is not None and traces.exist())
    try:
        link.send(answer)
    except protocol.TooLargeError as error:
        link.send(
            {
                **script.explain(TooLarge(UserText("the return value was {error}", error=error), place)),
                "run": answer["run"],
                "left": answer["left"],
            }
        )
        return False
    return True


def _left_something() -> bool:
    """Whether children or threads of the script remain, so that this worker must not be used again."""
    if threading.active_count() > 2:
        return True
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    except AttributeError:  # not on Windows
        return False
    return True


class ProcessChanges:
    """Detects process-wide changes by a handler, which the next run would see."""

    def __init__(self) -> None:
        try:
            import resource  # noqa: PLC0415  Unix only
        except ImportError:
            self._limits: Callable[[], object] = lambda: None
        else:
            self._limits = partial(resource.getrlimit, resource.RLIMIT_NOFILE)
        # Comparing the mapping behind os.environ, if there is one, is a hundred times faster.
        self._environment: Any = getattr(os.environ, "_data", os.environ)
        self._before, self._environment_before = self._read(), dict(self._environment)

    def exist(self) -> bool:
        """Whether something changed since the script was loaded, so that this worker must not be used again."""
        return self._read() != self._before or self._environment != self._environment_before

    def _read(self) -> object:
        try:
            return os.getcwd(), self._limits(), sys.gettrace()
        except OSError:  # the working directory is gone
            return object()


class StandardStreams:
    """The script's standard streams, reopened for each phase if it closed them."""

    def __init__(self) -> None:
        self._kept = [os.dup(number) for number in (0, 1, 2)]
        self._identities = [_identity(number) for number in (0, 1, 2)]
        self._open()

    def restore(self) -> None:
        """Reopen and replace what the script changed."""
        for number, kept in enumerate(self._kept):
            if _identity(number) != self._identities[number]:
                os.dup2(kept, number)
        if sys.stdout is not self._streams[0] or sys.stderr is not self._streams[1] or self._is_closed():
            self._open()

    def flush(self) -> None:
        """Write out what was printed before the phase ends."""
        for stream in {id(one): one for one in (*self._streams, sys.stdout, sys.stderr)}.values():
            with suppress(Exception):  # the script may have replaced it
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
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _limit_memory(limit: int) -> None:
    try:
        import resource  # noqa: PLC0415  Unix only

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        most = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    except (ImportError, OSError, ValueError):
        return


def _enter_sandbox() -> None:
    with suppress(ImportError, OSError, AttributeError):  # some small Pythons have no ctypes
        from ._sandbox import enter_sandbox  # noqa: PLC0415

        enter_sandbox()


def _bind_to_host(host: int) -> None:
    """Die with the host, and adopt orphaned descendants, so that all can be found and killed."""
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
