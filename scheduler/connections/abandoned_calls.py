"""Actions that timed out but still run on a thread of this process; their outcome is unknown until they end."""

from concurrent.futures import Future
from threading import Lock
from typing import Any, NamedTuple

from scheduler.connections.connector import Call


class AbandonedCall(NamedTuple):
    call: Call
    future: Future[Any]


_calls: dict[str, AbandonedCall] = {}
"""By idempotency key. A thread cannot be killed, so these outlive the run that made the call."""
_lock = Lock()


def add(call: Call, answer: Future[Any]) -> None:
    with _lock:
        _calls[call.key] = AbandonedCall(call, answer)


def is_known(key: str) -> bool:
    """Whether the call is still running, or has ended and its result was not taken yet."""
    with _lock:
        return key in _calls


def is_running(key: str) -> bool:
    with _lock:
        return key in _calls and not _calls[key].future.done()


def forget(key: str) -> None:
    """Drop the call: its outcome is known from elsewhere."""
    with _lock:
        _calls.pop(key, None)


def pop_finished(key: str) -> AbandonedCall | None:
    """Remove and return the call if it has ended; None if it is still running or was never abandoned."""
    with _lock:
        return _calls.pop(key) if key in _calls and _calls[key].future.done() else None
