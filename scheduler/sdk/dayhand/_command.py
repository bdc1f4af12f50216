"""Commands of jobs: started by the worker in its own process group, or by the host where they are given secrets."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ._errors import CommandFailed, Ended
from ._places import caller

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._link import Link


def run_command(link: Link, command: list[str], *, check: bool, secrets: dict[str, str] | None = None) -> int:
    """Run it to its end with output to the log; SIGTERM when the run is cancelled."""
    words = [os.path.expanduser(word) if word.startswith("~") else word for word in command]
    link.stop_if_cancelled()
    sys.stdout.flush()
    sys.stderr.flush()
    code = _have_it_run(link, words, secrets) if secrets else _run(link, words)
    if link.is_cancelled:
        raise Ended
    if code and check:
        how = f"was ended by {_name(-code)}" if code < 0 else f"ended with code {code}"
        raise CommandFailed(f"The command {words[0]} {how}; its output is in the log.", code)
    return code


def _have_it_run(link: Link, words: list[str], secrets: dict[str, str]) -> int:
    """By the host, which hands the secrets over to the command and to nobody else."""
    told = link.ask(
        "run",
        command=words,
        secrets=secrets,
        environment=dict(os.environ),
        folder=os.getcwd(),
        line=caller()[1],
    )
    if "failed" in told:
        raise CommandFailed(told["failed"])
    return int(told["code"])


def _run(link: Link, words: list[str]) -> int:
    import subprocess  # noqa: PLC0415  most workers never need it

    try:
        with _own_limits_lifted():
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=1, stderr=2)  # noqa: S603  a list, never a shell
    except FileNotFoundError:
        raise CommandFailed(f"The command {words[0]} was not found. Install it, or write its whole path.") from None
    except OSError as error:
        raise CommandFailed(f"The command {words[0]} could not be started: {error.strerror or error}.") from error
    with link.on_cancel(process.terminate):
        return process.wait()


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
