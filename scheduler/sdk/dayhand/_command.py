"""Commands of jobs: started by the worker in its own process group, or by the host if they get secrets."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ._errors import AttemptEnded, CommandFailed
from ._source_location import caller
from ._user_text import UserText

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._channel import HostChannel


def run_command(link: HostChannel, command: list[str], *, check: bool, secrets: dict[str, str] | None = None) -> int:
    """Run it to completion with output to the log; SIGTERM if the run is cancelled."""
    words = [os.path.expanduser(word) if word.startswith("~") else word for word in command]
    link.stop_if_cancelled()
    sys.stdout.flush()
    sys.stderr.flush()
    code = _run_on_host(link, words, secrets) if secrets else _run(link, words)
    if link.is_cancelled:
        link.stopped_command = command_line(words)
        raise AttemptEnded
    if code and check:
        how = (
            UserText("was killed by {signal_name}", signal_name=_signal_name(-code))
            if code < 0
            else UserText("exited with code {code}", code=code)
        )
        sentence = UserText("The command {words} {how}.", words=_name(words), how=how)
        raise CommandFailed(sentence, code, command_line(words))
    return code


def command_line(words: list[str]) -> str:
    """As it would be typed, cut to a length that can be shown."""
    from ._command_name import describe_command  # noqa: PLC0415  most workers never need it

    return describe_command(words)


def _name(words: list[str]) -> str:
    from ._command_name import name_program  # noqa: PLC0415  as above

    return name_program(words)


def _run_on_host(link: HostChannel, words: list[str], secrets: dict[str, str]) -> int:
    """The host passes the secrets to the command only."""
    reply = link.ask(
        "run",
        command=words,
        secrets=secrets,
        environment=dict(os.environ),
        folder=os.getcwd(),
        line=caller()[1],
    )
    if "failed" in reply:
        raise CommandFailed(reply["failed"], command=command_line(words))
    return int(reply["code"])


def _run(link: HostChannel, words: list[str]) -> int:
    import subprocess  # noqa: PLC0415  most workers never need it

    try:
        with _memory_limit_lifted():
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=1, stderr=2)  # noqa: S603  a list, never a shell
    except FileNotFoundError:
        raise CommandFailed(
            UserText("The command {words} was not found. Install it, or use its full path.", words=words[0]),
            command=command_line(words),
        ) from None
    except OSError as error:
        raise CommandFailed(
            UserText(
                "The command {words} could not be started: {strerror}.",
                words=words[0],
                strerror=error.strerror or error,
            ),
            command=command_line(words),
        ) from error
    with link.on_cancel(process.terminate):
        return process.wait()


@contextmanager
def _memory_limit_lifted() -> Iterator[None]:
    """The script's memory limit counts address space, and many programs reserve more than they use."""
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


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return UserText("signal {number}", number=number)
