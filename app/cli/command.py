"""What a verb is, and how it gets its answer: from the app that runs, else from the store alone."""

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.cli import Answer
from app.control import client
from app.keeping.folder import data_dir, refusing
from scheduler.engine.refusal import RefusedError

_PATIENCE = 15.0
"""Seconds that another command may keep the folder to itself, or an app may take to start listening."""
_PAUSE = 0.1


@dataclass(frozen=True, slots=True)
class Verb:
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], Answer]
    rewrite: Callable[[list[str]], list[str]] = field(default=lambda words: words)
    """What was typed, before it is read."""


@dataclass(frozen=True, slots=True)
class Told:
    """An answer, and the lines that people read."""

    answer: dict[str, Any]
    say: Callable[[dict[str, Any]], Iterable[str]]
    shortfall: str | None = None
    """It was done as far as it went, and that was not far enough: why."""

    def data(self) -> dict[str, Any]:
        return self.answer

    def lines(self) -> Iterable[str]:
        return self.say(self.answer)


def ask(options: Namespace, verb: str, **arguments: Any) -> dict[str, Any]:
    """The answer; RefusedError with its sentence."""
    for message in stream(options, verb, **arguments):
        if "answer" in message:
            answer: dict[str, Any] = message["answer"]
            return answer
    raise RefusedError("lost", str(client.LostError()))


def stream(options: Namespace, verb: str, **arguments: Any) -> Iterator[dict[str, Any]]:
    """Every message of the answer."""
    folder = data_dir(options)
    try:
        for message in _messages(folder, verb, arguments):
            if "error" in message:
                raise RefusedError(message["error"]["code"], message["error"]["message"])
            yield message
    except client.LostError as error:
        raise RefusedError("lost", str(error)) from error


def _messages(folder: Path, verb: str, arguments: dict[str, Any]) -> Iterator[dict[str, Any]]:
    end = client.reach(folder)
    if end is not None:
        yield from client.ask(end, verb, arguments)
        return
    with refusing():
        from app.desk.direct import open_desk  # the store is loaded only where no app answers
        from app.desk.floor import refuse_not_running
        from app.desk.refusals import write_refusal
        from scheduler.store.lock import FolderInUseError

        give_up = time.monotonic() + _PATIENCE
        while True:
            try:
                with open_desk(folder, verb) as desk:
                    for message in desk.answer(verb, arguments):
                        if message is None:  # it would wait for what only an app that runs can do
                            yield write_refusal(refuse_not_running())
                            return
                        yield message
            except FolderInUseError:  # another command writes, or the app is just starting
                if (end := client.reach(folder)) is not None:
                    yield from client.ask(end, verb, arguments)
                    return
                if time.monotonic() > give_up:
                    raise
                time.sleep(_PAUSE)
            else:
                return
