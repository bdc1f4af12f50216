"""A command's end of the control socket. Loads neither Qt nor SQLite."""

import contextlib
import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from app.control.lines import BadLineError, LineReader, write_line
from app.control.place import places

SILENT = "Dayhand is running but does not answer. Wait a moment; if that does not help, end it and start it again."
_SECONDS_TO_ASK = 30.0


class LostError(Exception):
    """The app went away, or spoke nonsense, before it had answered."""

    def __init__(
        self, sentence: str = "Dayhand ended before it answered. Look whether it was done before you try again."
    ) -> None:
        super().__init__(sentence)


def reach(folder: Path) -> socket.socket | None:
    """A connection to the app of that data folder, or None if none is running. LostError if it may not be asked."""
    for place in places(folder):
        try:
            end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        except PermissionError as error:
            raise LostError("A workflow without jobs cannot reach Dayhand. Do it in a job, or yourself.") from error
        try:
            if os.lstat(place.parent).st_uid == os.getuid():
                end.settimeout(_SECONDS_TO_ASK)
                end.connect(str(place))
                return end
        except OSError:
            pass
        end.close()
    return None


def ask(
    end: socket.socket, verb: str, arguments: dict[str, Any], *, seconds: float | None = None
) -> Iterator[dict[str, Any]]:
    """Every message of the answer; LostError if the last one is missing, or does not come in so many seconds."""
    with closing(end):
        with contextlib.suppress(OSError):  # sent away before everything was said: it is read why
            write_line(end, {"verb": verb, "arguments": arguments}, _SECONDS_TO_ASK)
        reader = LineReader(end)
        while True:
            message = None
            with contextlib.suppress(OSError, BadLineError):
                message = reader.read(seconds)
            if message is None:
                raise LostError
            yield message
            if "answer" in message or "error" in message:
                return
