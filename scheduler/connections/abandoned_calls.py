"""Actions that took too long and still run on threads of this process: until one ends, nobody knows what it did."""

from concurrent.futures import Future
from threading import Lock
from typing import Any, NamedTuple

from scheduler.connections.connector import Call


class AbandonedCall(NamedTuple):
    call: Call
    answer: Future[Any]


_calls: dict[str, AbandonedCall] = {}
"""By idempotency key. A thread cannot be ended, so these outlive whatever made the call."""
_lock = Lock()


def add(call: Call, answer: Future[Any]) -> None:
    with _lock:
        _calls[call.key] = AbandonedCall(call, answer)


def is_known(key: str) -> bool:
    """Whether the call still runs, or has ended and nobody has asked yet what it came to."""
    with _lock:
        return key in _calls


def is_running(key: str) -> bool:
    with _lock:
        return key in _calls and not _calls[key].answer.done()


def forget(key: str) -> None:
    """Somebody knows better what it came to."""
    with _lock:
        _calls.pop(key, None)


def take(key: str) -> AbandonedCall | None:
    """The call once it has ended, and only once; None if it still runs, or was never given up on."""
    with _lock:
        return _calls.pop(key) if key in _calls and _calls[key].answer.done() else None
