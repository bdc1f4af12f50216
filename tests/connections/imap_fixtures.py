"""Fixtures: a real IMAP server, one account per test, and the connector's tools for it."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
import trustme

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.mail.imap import imap
from scheduler.rules.failures import Failure
from tests.connections.dovecot import Dovecot, running_dovecot
from tests.connections.tool_calls import call, tool_of

AUTHORITY = trustme.CA()
USERS = tuple(f"user{number}" for number in range(100))
"""More than the tests in any file."""
NUMBER = itertools.count(1)
PASSWORD = "hünter 2 \"quoted\\'"


_turn = itertools.cycle(USERS)


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Dovecot]:
    """One server per test file."""
    with running_dovecot(AUTHORITY, **dict.fromkeys(USERS, PASSWORD)) as one:
        yield one


@pytest.fixture
def user() -> str:
    """An account that no other test in the file uses."""
    return next(_turn)


@pytest.fixture
def box(dovecot: Dovecot, user: str) -> "Box":
    return Box(dovecot, user)


class Box:
    """The account of one test."""

    def __init__(self, dovecot: Dovecot, user: str) -> None:
        self.dovecot, self.user = dovecot, user
        self.settings = dovecot.settings(user)

    def deliver(self, *headers: str, body: bytes = b"Hello\r\n", folder: str = "") -> None:
        number = next(NUMBER)
        if not any(header.startswith("Message-ID") for header in headers):
            headers = (*headers, f"Message-ID: <{number}@example.org>")
        message = "\r\n".join(headers).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body
        self.dovecot.deliver(self.user, message, f"{number:09}", folder)

    def run(self, name: str, **parameters: Any) -> Any:
        return tool_of(imap, name).run(call(self.settings, key="k", **parameters))

    def check(self, name: str, **parameters: Any) -> Checked:
        check = tool_of(imap, name).check
        assert check is not None
        return check(call(self.settings, key="k", **parameters))

    def fails(self, name: str, **parameters: Any) -> Failure:
        with pytest.raises(ToolFailedError) as failed:
            self.run(name, **parameters)
        return failed.value.failure


def subjects(mails: list[dict[str, Any]]) -> list[str]:
    return [mail["subject"] for mail in mails]
