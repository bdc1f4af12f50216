"""The client side of the control channel. Loads neither Qt nor SQLite."""

import contextlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from app.ipc import transport
from app.ipc.framing import BadLineError, LineReader, write_line
from app.ipc.transport import Connection

NOT_RESPONDING = (
    "Dayhand is running but does not respond. Wait a moment; if that does not help, quit it and start it again."
)
_TIMEOUT_S = 30.0


class NoAnswerError(Exception):
    """The app closed the connection or sent garbage before it answered."""

    def __init__(
        self, sentence: str = "Dayhand quit before it answered. Check whether it was done before you try again."
    ) -> None:
        super().__init__(sentence)


def connect(folder: Path) -> Connection | None:
    """Connect to the app of that data folder; None if none is running. NoAnswerError in a sandboxed script."""
    try:
        end = transport.connect(folder)
    except PermissionError as error:
        raise NoAnswerError("A workflow without jobs cannot talk to Dayhand. Use a job, or do it yourself.") from error
    if end is not None:
        end.settimeout(_TIMEOUT_S)
    return end


def call(
    end: Connection, verb: str, arguments: dict[str, Any], *, timeout_s: float | None = None
) -> Iterator[dict[str, Any]]:
    """Send a command and yield every message of the answer; NoAnswerError if one takes longer than `timeout_s`."""
    with closing(end):
        with contextlib.suppress(OSError):  # refused before everything was sent; the reason is read below
            write_line(end, {"verb": verb, "arguments": arguments}, _TIMEOUT_S)
        reader = LineReader(end)
        while True:
            message = None
            with contextlib.suppress(OSError, BadLineError):
                message = reader.read(timeout_s)
            if message is None:
                raise NoAnswerError
            yield message
            if "answer" in message or "error" in message:
                return
