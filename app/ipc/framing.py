"""One JSON object per line, with limits on size and time against a hostile peer."""

import json
import time
from typing import Any

from app.ipc.transport import Connection

MAX_LINE_BYTES = 16 * 1024 * 1024
_CHUNK_BYTES = 65_536


class BadLineError(Exception):
    """The line is invalid or was not complete in time; the message says which."""


class LineReader:
    def __init__(self, end: Connection, max_bytes: int = MAX_LINE_BYTES) -> None:
        self._end = end
        self._longest = max_bytes
        self._rest = bytearray()

    def read(self, timeout_s: float | None = None) -> dict[str, Any] | None:
        """The next object, or None at the end. BadLineError if it is invalid or incomplete after `timeout_s`."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        end = self._rest.find(b"\n")
        while end < 0:
            searched = len(self._rest)
            self._rest += self._receive(deadline)
            if len(self._rest) == searched:
                if self._rest:
                    raise BadLineError("The line is incomplete.")
                return None
            if len(self._rest) > self._longest:
                raise BadLineError(f"A line may have at most {self._longest:,} bytes.")
            end = self._rest.find(b"\n", searched)
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        return _parse(line)

    def _receive(self, deadline: float | None) -> bytes:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise BadLineError("The line was not complete in time.")
        self._end.settimeout(left)
        try:
            return self._end.recv(_CHUNK_BYTES)
        except TimeoutError as error:
            raise BadLineError("The line was not complete in time.") from error


def write_line(end: Connection, value: dict[str, Any], timeout_s: float | None = None) -> None:
    end.settimeout(timeout_s)
    end.sendall(json.dumps(value).encode() + b"\n")


def _parse(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadLineError("The line is not JSON.") from error
    if not isinstance(value, dict):
        raise BadLineError("The line is not a JSON object.")
    return value
