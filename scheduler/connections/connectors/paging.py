"""Lists that a service gives page by page: as many as are wanted, within the time of one call."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.mistakes import wrong
from scheduler.connections.told import Told
from scheduler.rules.failures import FailureClass

Page = tuple[list[Told], str]
"""What is on it, and what leads to the next; nothing on the last."""


def page_through(call: Call, limit: int, ask: Callable[[Call, str, int], Page]) -> Iterator[Told]:
    """At most `limit` of them. `ask` gets the way to a page, none to the first, and how many are still wanted."""
    end, left, way = time.monotonic() + call.seconds, limit, ""
    while left > 0:
        listed, way = ask(until(call, end), way, left)
        yield from listed[:left]
        left -= len(listed)
        if not way or not listed:
            return


def until(call: Call, end: float) -> Call:
    """The same call with the seconds that are left; for what takes many requests."""
    left = end - time.monotonic()
    if left <= 0:
        raise ToolFailedError.because(
            FailureClass.TRANSIENT, f"{call.connection} took longer than {call.seconds:g} seconds. Ask for less."
        )
    return replace(call, seconds=left)


def limit_of(call: Call, usual: int, most: int) -> int:
    given = call.parameters.get("limit")
    if given is None:
        return usual
    if not 1 <= given <= most:
        raise wrong(f'"limit" takes a number from 1 to {most}.')
    return int(given)
