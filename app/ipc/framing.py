"""One JSON object per line, with limits on size and time: whoever is at the other end harms nobody."""

import json
import socket
import time
from typing import Any

LONGEST = 16 * 1024 * 1024
_PIECE = 65_536


class BadLineError(Exception):
    """What came is no request, or did not come in time; the message says which."""


class LineReader:
    """Reads lines from a socket."""

    def __init__(self, end: socket.socket, longest: int = LONGEST) -> None:
        self._end = end
        self._longest = longest
        self._rest = bytearray()

    def read(self, seconds: float | None = None) -> dict[str, Any] | None:
        """The next object, or None at the end; BadLineError for what is none, or takes longer than that in all."""
        limit = None if seconds is None else time.monotonic() + seconds
        end = self._rest.find(b"\n")
        while end < 0:
            looked_at = len(self._rest)
            self._rest += self._receive(limit)
            if len(self._rest) == looked_at:
                if self._rest:
                    raise BadLineError("The line has no end.")
                return None
            if len(self._rest) > self._longest:
                raise BadLineError(f"A line has at most {self._longest:,} bytes.")
            end = self._rest.find(b"\n", looked_at)
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        return _read(line)

    def _receive(self, limit: float | None) -> bytes:
        left = None if limit is None else limit - time.monotonic()
        if left is not None and left <= 0:
            raise BadLineError("The line did not come in time.")
        self._end.settimeout(left)
        try:
            return self._end.recv(_PIECE)
        except TimeoutError as error:
            raise BadLineError("The line did not come in time.") from error


def write_line(end: socket.socket, value: dict[str, Any], seconds: float | None = None) -> None:
    end.settimeout(seconds)
    end.sendall(json.dumps(value).encode() + b"\n")


def _read(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadLineError("The line is not JSON.") from error
    if not isinstance(value, dict):
        raise BadLineError("The line is not a JSON object.")
    return value
