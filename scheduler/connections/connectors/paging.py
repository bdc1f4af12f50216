"""Lists that a service returns in pages, up to a limit and within the time of one call."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.errors import logic_failure
from scheduler.connections.json_reader import JsonObject
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

ResultPage = tuple[list[JsonObject], str]
"""The items, and the token of the next page; empty on the last."""


def iterate_pages(call: Call, limit: int, fetch: Callable[[Call, str, int], ResultPage]) -> Iterator[JsonObject]:
    """At most `limit` items. `fetch` gets the page token, empty for the first, and how many items are left to read."""
    deadline, left, token = time.monotonic() + call.seconds, limit, ""
    while left > 0:
        items, token = fetch(with_time_left(call, deadline), token, left)
        yield from items[:left]
        left -= len(items)
        if not token or not items:
            return


def with_time_left(call: Call, deadline: float) -> Call:
    """The same call with the seconds left until the deadline, for tools that send many requests."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise ToolFailedError.because(
            FailureClass.TRANSIENT,
            UserText(
                "{connection} took longer than {seconds} seconds. Lower the limit.",
                connection=call.connection,
                seconds=f"{call.seconds:g}",
            ),
        )
    return replace(call, seconds=left)


def read_limit(call: Call, default: int, maximum: int) -> int:
    given = call.parameters.get("limit")
    if given is None:
        return default
    if not 1 <= given <= maximum:
        raise logic_failure(UserText('"limit" must be between 1 and {maximum}.', maximum=maximum))
    return int(given)
