"""Commands that the host runs for a script, because they are given secrets that the script must not see."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

from dayhand import _protocol as protocol

from scheduler.workers.origin import MARK_AS_SCRIPT
from scheduler.workers.processes import MARK
from scheduler.workers.system import hand_over, take_in

_LONGEST = 32_768
"""Bytes that a secret may have: it is written into a pipe before anybody reads."""

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has none, and runs none of these

Ended = Callable[[dict[str, Any]], None]
"""Hears how it went: its code, or why it failed to start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A command as a script asks for it."""

    words: list[str]
    secrets: dict[str, str]
    """By variable, the connection whose secret is wanted."""
    environment: dict[str, str]
    folder: str
    line: int | None

    @classmethod
    def read(cls, message: protocol.Message) -> "Wanted":
        words, line = message.get("command"), message.get("line")
        if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
            raise protocol.GarbageError("command is no list of texts")
        return cls(
            words=words,
            secrets=_texts(message, "secrets"),
            environment=_texts(message, "environment"),
            folder=str(message.get("folder")),
            line=line if isinstance(line, int) else None,
        )


class Commands:
    """Of one worker. Each has a session of its own, writes to the worker's log and carries its mark."""

    def __init__(self, mark: str, output: int) -> None:
        self._mark = mark
        self._output = output
        self._lock = threading.Lock()
        self._running: dict[threading.Thread, subprocess.Popen[bytes]] = {}

    def start(self, wanted: Wanted, secrets: Mapping[str, str], ended: Ended) -> None:
        """Each secret goes into a pipe, and the environment says only where that is: /dev/fd/N, to be read once."""
        with ExitStack() as ours:
            try:
                pipes = {name: _fill(secret, ours) for name, secret in secrets.items()}
                environment = {**wanted.environment, MARK: self._mark}
                process = subprocess.Popen(  # noqa: S603  a list, never a shell
                    wanted.words,
                    stdin=subprocess.DEVNULL,
                    stdout=self._output,
                    stderr=self._output,
                    cwd=wanted.folder,
                    preexec_fn=MARK_AS_SCRIPT,  # noqa: PLW1509  one call that takes no lock
                    env={**environment, **{name: f"/dev/fd/{pipe}" for name, pipe in pipes.items()}},
                    **hand_over(*pipes.values()),
                )
            except (OSError, ValueError) as error:
                ended({"failed": _explain(wanted, error)})
                return
        take_in(process, self._mark)
        waiting = threading.Thread(target=self._wait, args=(process, ended), name="command of a job", daemon=True)
        with self._lock:
            self._running[waiting] = process
        waiting.start()

    def stop(self) -> None:
        """Ask all of them to end."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(_KILL)

    def end(self, grace: float) -> None:
        """They have that long to end; then they are killed."""
        with self._lock:
            waiting = list(self._running)
        for one in waiting:
            one.join(grace)
        self.kill()
        for one in waiting:
            one.join()

    def _wait(self, process: "subprocess.Popen[bytes]", ended: Ended) -> None:
        code = process.wait()
        with self._lock:
            del self._running[threading.current_thread()]
        ended({"code": code})

    def _send(self, number: signal.Signals) -> None:
        with self._lock:
            for process in self._running.values():
                if process.returncode is None:  # its number is still its own: it was not waited for to the end
                    with suppress(OSError):
                        os.killpg(process.pid, number)


def _fill(secret: str, ours: ExitStack) -> int:
    """The reading end of a pipe that holds the secret and nothing else; closed here once the command has it."""
    if os.name == "nt":
        raise ValueError("secrets cannot be handed over on Windows yet")
    written = secret.encode()
    if len(written) > _LONGEST:
        raise ValueError("its secret is too long to be handed over")
    reading, writing = os.pipe()
    ours.callback(os.close, reading)
    with os.fdopen(writing, "wb") as end:
        end.write(written)
    return reading


def _explain(wanted: Wanted, error: Exception) -> str:
    word = wanted.words[0]
    if isinstance(error, FileNotFoundError) and error.filename == word:
        return f"The command {word} was not found. Install it, or write its whole path."
    return f"The command {word} could not be started: {getattr(error, 'strerror', None) or error}."


def _texts(message: protocol.Message, name: str) -> dict[str, str]:
    value = message.get(name)
    if not isinstance(value, dict) or not all(isinstance(one, str) and "\0" not in one for one in value.values()):
        raise protocol.GarbageError(f"{name} is no object of texts")
    return value
