"""Commands of jobs: started by the worker itself, in its own process group, so that Stop ends them too."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ._errors import CommandFailed, Ended

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._link import Link


def run_command(link: Link, command: list[str], *, check: bool) -> int:
    """Run it to its end with output to the log; SIGTERM when the run is cancelled."""
    import subprocess  # noqa: PLC0415  most workers never need it

    words = [os.path.expanduser(word) if word.startswith("~") else word for word in command]
    link.stop_if_cancelled()
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        with _own_limits_lifted():
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=1, stderr=2)  # noqa: S603  a list, never a shell
    except FileNotFoundError:
        raise CommandFailed(f"The command {words[0]} was not found. Install it, or write its whole path.") from None
    except OSError as error:
        raise CommandFailed(f"The command {words[0]} could not be started: {error.strerror or error}.") from error
    with link.on_cancel(process.terminate):
        code = process.wait()
    if link.is_cancelled:
        raise Ended
    if code and check:
        how = f"was ended by {_name(-code)}" if code < 0 else f"ended with code {code}"
        raise CommandFailed(f"The command {words[0]} {how}; its output is in the log.", code)
    return code


@contextmanager
def _own_limits_lifted() -> Iterator[None]:
    """The script's memory limit counts address space, of which many programs reserve more than they use."""
    try:
        import resource  # noqa: PLC0415  Unix only
    except ImportError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
