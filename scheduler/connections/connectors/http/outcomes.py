"""Whether a web API says that it did what was sent to it."""

import re

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.this_computer import is_local_name
from scheduler.connections.web import Answer
from scheduler.connections.web_errors import unusable

_UNCLEAR = (206, 207)
"""A part of something, and several outcomes at once."""
_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?+\s*+(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_BEGINNING = 10_000


def doubt(answer: Answer) -> ToolFailedError | None:
    """Why a status of success leaves open whether it was done; None if it was.

    Done is any other success that passed `web.check`, whatever is in it: nothing is known of the API. Only over an open
    connection, the page of a network that asks for a login comes as a success of the server that was asked.
    """
    if answer.status in _UNCLEAR:
        return unusable(
            f"{answer.host} answered with {answer.status}, which does not confirm that it was done.", acts=True
        )
    if answer.url.startswith("http:") and not is_local_name(answer.host) and _PAGE.match(answer.body[:_BEGINNING]):
        return unusable(f"{answer.host} answered with a web page. It may be the login page of this network.", acts=True)
    return None
