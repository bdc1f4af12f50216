"""The protocol of host and worker: framed JSON, the message types, and what each phase may ask.

Both sides import this file and share nothing else. A message is a JSON object with a "type", sent as a length of four
bytes (big endian) and that many bytes of UTF-8. Output is separate: descriptors 1 and 2 of the worker are one pipe to
the host.

host to worker
    load(path, source)                      run the script's top level, once per worker
    run(run, handler, phase, inputs, facts, continues)
                                            one phase of one handler; if `continues` and prepare has something to do
                                            and asks the user nothing, the worker continues with mutate under the next
                                            number
    reply(question, value)                  the answer to a question
    end(question)                           there will be no answer: unwind the script
    cancel(run)                             ask the phase to end

worker to host
    loaded(description) | result(value) | failed(kind, message, file, line, traceback) | ended
                                            each with run (0 for load) and left: whether processes or threads remain;
                                            ended with the line that was running if loading took too long
    call(question, connection, tool, parameters, line)   questions: the script waits for the reply
    peek(question, topic, limit)
    checkpoint(question, state)
    run(question, command, secrets, environment, folder, line)   a command with secrets, run by the host
    publish(topic, id, title, data)         notes: the script does not wait
    done(text), problem(text), progress(done, total, text)
"""

from __future__ import annotations

import json
import re
import struct
from typing import Any

from ._user_text import UserText

HEADER = struct.Struct(">I")
MEGABYTE = 1 << 20
MAX_VALUES = 1_000_000
"""In one message of a script: strings, numbers, lists and objects. A small value takes the host up to 100 bytes."""

PRODUCER = "producer"
PREPARE = "prepare"
MUTATE = "mutate"
NEXT = "next"
JOB = "job"

QUESTIONS = frozenset({"call", "peek", "checkpoint", "run"})
NOTES = frozenset({"publish", "done", "problem", "progress"})
ENDINGS = frozenset({"loaded", "result", "failed", "ended"})

ALLOWED = {
    PRODUCER: frozenset({"call", "publish", "checkpoint", "problem", "progress"}),
    PREPARE: frozenset({"call", "peek", "progress"}),
    MUTATE: frozenset({"progress"}),
    NEXT: frozenset({"publish", "done", "problem", "progress"}),
    JOB: frozenset({"call", "run", "done", "problem", "progress"}),
}
"""What the worker may send while a phase runs. The call of `mutate` is its result, not a question."""

SCRIPT_ERROR = "script error"
MISUSE = "misuse"
BAD_RETURN = "bad return"
TOO_LARGE = "too large"
MEMORY = "memory"

HUNG_UP = 71
"""The exit code of a worker that lost its host."""

Message = dict[str, Any]

_write = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


_SUSPICIOUS = re.compile(rb"\\u[dD]|NaN|Infinity|[0-9][eE]\+?[0-9]{3}")
"""In messages that may contain what JSON parsers accept but no database does: half characters and endless numbers."""


class TooLargeError(Exception):
    """A message over the limit; it was not sent."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(
            UserText(
                "too large: {size} MB; at most {limit} MB can be passed at once between a script and "
                "Dayhand. Pass fewer rows, or the path of a file.",
                size=f"{size / MEGABYTE:.1f}",
                limit=f"{limit / MEGABYTE:.0f}",
            )
        )


class TooManyValuesError(TooLargeError):
    """A message with more values than the host accepts; it was not sent."""

    def __init__(self, most: int) -> None:
        Exception.__init__(
            self,
            UserText(
                "too large: more than {most} values, the most a script can pass to Dayhand at once. Pass "
                "fewer rows, or the path of a file.",
                most=f"{most:,}",
            ),
        )


class GarbageError(Exception):
    """Bytes that are not a valid message."""


def encode(message: Message, limit: int, most_values: int | None = None) -> bytes:
    """The bytes of a message, preceded by their length."""
    body = _write(message).encode("utf-8", "replace")
    if len(body) > limit:
        raise TooLargeError(len(body), limit)
    if most_values is not None and _has_more_values(body, most_values):
        raise TooManyValuesError(most_values)
    return HEADER.pack(len(body)) + body


def _has_more_values(body: bytes | bytearray, most: int) -> bool:
    """Counted before parsing: each value but the first comes after a comma or a bracket."""

    def marks(text: bytes | bytearray) -> int:
        return text.count(b",") + text.count(b"[") + text.count(b"{")

    if marks(body) <= most:
        return False
    bare = body.replace(b"\\\\", b"").replace(b'\\"', b"")  # now every quotation mark begins or ends a string
    return bare.count(b'"') > 4 * most or marks(b"".join(bare.split(b'"')[::2])) > most


def decode(body: bytes | bytearray) -> Message:
    """The message in these bytes."""
    try:
        message = json.loads(body.decode())  # of bytes, it would accept half characters
        if _SUSPICIOUS.search(body):
            _write(message).encode()
    except (ValueError, RecursionError) as error:
        raise GarbageError(UserText("it is not JSON")) from error
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise GarbageError(UserText("it has no type"))
    return message


class Inbox:
    """Assembles messages from bytes as they arrive."""

    def __init__(self, limit: int, most_values: int | None = None) -> None:
        self._limit = limit
        self._most_values = most_values
        self._bytes = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """Add bytes; returns the messages they completed."""
        self._bytes += data
        messages = []
        while len(self._bytes) >= HEADER.size:
            (length,) = HEADER.unpack_from(self._bytes)
            if length > self._limit:
                raise GarbageError(UserText("it announces {length} bytes", length=length))
            end = HEADER.size + length
            if len(self._bytes) < end:
                break
            body = self._bytes[HEADER.size : end]
            del self._bytes[:end]
            if self._most_values is not None and _has_more_values(body, self._most_values):
                raise GarbageError(f"it has more than {self._most_values:,} values")
            messages.append(decode(body))
        return messages
