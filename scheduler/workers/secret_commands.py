"""Commands that the host runs for a script because they get secrets the script must not see."""

import subprocess
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dayhand import _protocol as protocol

from scheduler.user_text import UserText
from scheduler.workers.processes import MARK_VARIABLE
from scheduler.workers.script_messages import read_line
from scheduler.workers.system import kill_tree, lower_priority, offer_secrets, start_process, terminate_tree

OnCommandEnd = Callable[[dict[str, Any]], None]
"""Called with the result: the exit code, or why the command did not start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretCommand:
    """A command as requested by a script."""

    words: list[str]
    secrets: dict[str, str]
    """By environment variable, the connection whose secret it gets."""
    environment: dict[str, str]
    folder: str
    line: int | None

    @classmethod
    def from_message(cls, message: protocol.Message) -> "SecretCommand":
        words = message.get("command")
        if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
            raise protocol.GarbageError(UserText("command is not a list of strings"))
        return cls(
            words=words,
            secrets=_texts(message, "secrets"),
            environment=_texts(message, "environment"),
            folder=str(message.get("folder")),
            line=read_line(message),
        )


class SecretCommands:
    """The commands of one worker. Each has its own session, writes to the worker's log and carries its mark."""

    def __init__(self, mark: str, output: int) -> None:
        self._mark = mark
        self._output = output
        self._lock = threading.Lock()
        self._running: dict[threading.Thread, subprocess.Popen[bytes]] = {}

    def start(self, command: SecretCommand, secrets: Mapping[str, str], ended: OnCommandEnd) -> None:
        """Each secret goes into a pipe; the environment holds only its path, which can be read once."""
        try:
            with offer_secrets(secrets) as places:
                process = start_process(
                    command.words,
                    stdin=subprocess.DEVNULL,
                    stdout=self._output,
                    stderr=self._output,
                    cwd=command.folder,
                    env={**command.environment, MARK_VARIABLE: self._mark, **places.variables},
                    mark=self._mark,
                    descriptors=places.descriptors,
                )
                places.serve(process)
        except (OSError, ValueError) as error:
            ended({"failed": _explain(command, error)})
            return
        lower_priority(process)
        waiting = threading.Thread(
            target=self._wait, args=(process, ended), name=UserText("command of a job"), daemon=True
        )
        with self._lock:
            self._running[waiting] = process
        waiting.start()

    def stop(self) -> None:
        """Ask all of them to exit."""
        self._for_each(terminate_tree)

    def kill(self) -> None:
        self._for_each(kill_tree)

    def end(self, grace: float) -> None:
        """Wait up to `grace` seconds for each to exit, then kill them."""
        with self._lock:
            waiting = list(self._running)
        for one in waiting:
            one.join(grace)
        self.kill()
        for one in waiting:
            one.join()

    def _wait(self, process: "subprocess.Popen[bytes]", ended: OnCommandEnd) -> None:
        code = process.wait()
        with self._lock:
            del self._running[threading.current_thread()]
        ended({"code": code})

    def _for_each(self, act: "Callable[[subprocess.Popen[bytes]], None]") -> None:
        with self._lock:
            for process in self._running.values():
                if process.returncode is None:  # not waited for yet, so the pid cannot have been reused
                    act(process)


def _explain(command: SecretCommand, error: Exception) -> str:
    word = command.words[0]
    if isinstance(error, FileNotFoundError) and error.filename == word:
        return UserText("The command {word} was not found. Install it, or use its full path.", word=word)
    return UserText(
        "The command {word} could not be started: {getattr}.",
        word=word,
        getattr=getattr(error, "strerror", None) or error,
    )


def _texts(message: protocol.Message, name: str) -> dict[str, str]:
    value = message.get(name)
    if not isinstance(value, dict) or not all(isinstance(one, str) and "\0" not in one for one in value.values()):
        raise protocol.GarbageError(UserText("{name} is not an object of strings", name=name))
    return value
