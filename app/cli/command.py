"""What a command is made of, and how it gets its answer: from the running app, otherwise from the store."""

import time
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.command_line import CommandOutput
from app.data.data_dir import convert_store_errors, data_dir
from app.ipc import client
from scheduler.engine.errors import RefusedError
from scheduler.user_text import unpack

if TYPE_CHECKING:
    from scheduler.engine.api.backend import FixerPreferences

_LOCK_TIMEOUT_S = 15.0
"""How long to wait for another command to release the folder, or for a starting app to listen."""
_RETRY_S = 0.1


@dataclass(frozen=True, slots=True)
class Command:
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], CommandOutput]
    rewrite: Callable[[list[str]], list[str]] = field(default=lambda words: words)
    """Changes the typed arguments before they are parsed."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """An answer, and how to print it."""

    answer: dict[str, Any]
    render: Callable[[dict[str, Any]], Iterable[str]]
    failure: str | None = None
    """Printed to stderr after the answer; the command then exits with 1."""

    def data(self) -> dict[str, Any]:
        return self.answer

    def lines(self) -> Iterable[str]:
        return self.render(self.answer)


def add_idempotency_key(parser: ArgumentParser) -> None:
    parser.add_argument("--idempotency-key", metavar="KEY", help="repeating a KEY returns the first answer")
    parser.add_argument("--request", dest="idempotency_key", help=SUPPRESS)  # its name in earlier versions


def call_api(options: Namespace, verb: str, **arguments: Any) -> dict[str, Any]:
    """Return the answer, or raise RefusedError."""
    for message in stream_api(options, verb, **arguments):
        if "answer" in message:
            answer: dict[str, Any] = message["answer"]
            return answer
    raise RefusedError("lost", str(client.NoAnswerError()))


def stream_api(options: Namespace, verb: str, **arguments: Any) -> Iterator[dict[str, Any]]:
    """Yield every message of the answer, or raise RefusedError."""
    folder = data_dir(options)
    try:
        for message in _messages(folder, verb, arguments):
            if "error" in message:
                raise RefusedError(message["error"]["code"], _sentence(message["error"]))
            yield message
    except client.NoAnswerError as error:
        raise RefusedError("lost", str(error)) from error


def _sentence(error: dict[str, Any]) -> str:
    """It can still be translated, unless an earlier version sent it."""
    return unpack(error.get("text")) or str(error["message"])


def _messages(folder: Path, verb: str, arguments: dict[str, Any]) -> Iterator[dict[str, Any]]:
    end = client.connect(folder)
    if end is not None:
        yield from client.call(end, verb, arguments)
        return
    with convert_store_errors():
        from app.data.saved_settings import SavedSettings
        from app.platform.zone import machine_zone
        from scheduler.engine.api.backend import not_running_error
        from scheduler.engine.api.dispatcher import error_message
        from scheduler.engine.api.offline_backend import open_dispatcher  # the store is loaded only if no app answers
        from scheduler.engine.data_folder import FolderInUseError

        zone = machine_zone()
        deadline = time.monotonic() + _LOCK_TIMEOUT_S
        while True:
            try:
                with open_dispatcher(
                    folder,
                    verb,
                    machine_zone=zone,
                    fixer_preferences=_fixer_preferences,
                    saved_settings=SavedSettings(folder),
                ) as dispatcher:
                    for message in dispatcher.dispatch(verb, arguments):
                        if message is None:  # it waits for something that only a running app can do
                            yield error_message(not_running_error())
                            return
                        yield message
            except FolderInUseError:  # another command is writing, or the app is starting
                if (end := client.connect(folder)) is not None:
                    yield from client.call(end, verb, arguments)
                    return
                if time.monotonic() > deadline:
                    raise
                time.sleep(_RETRY_S)
            else:
                return


def _fixer_preferences(folder: Path) -> "FixerPreferences":
    from app.data.preferences import SavedFixer  # loads Qt

    return SavedFixer(folder)
