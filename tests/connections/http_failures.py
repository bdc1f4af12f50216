"""Helpers for requests that fail."""

from collections.abc import Callable
from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.http_client import Answer, request
from scheduler.rules.failures import Failure


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def get(url: str, **more: Any) -> Answer:
    return request("GET", url, **{"seconds": 30, **more})


def failure(ask: Callable[[], Any]) -> Failure:
    with pytest.raises(ToolFailedError) as caught:
        ask()
    return caught.value.failure


def require_complete(answer: Answer) -> Answer:
    """Return the answer, or raise if its body is incomplete."""
    if answer.incomplete:
        raise answer.incomplete
    return answer


def post(url: str, **more: Any) -> Answer:
    return require_complete(request("POST", url, acts=True, **{"seconds": 30, "body": b"mine", **more}))


def read_and_action_failures(url: str, **more: Any) -> tuple[Failure, Failure]:
    """The failures of a read and of an action on the same server."""
    read = failure(lambda: get(url, **more))
    acted = failure(lambda: post(url, **more))
    return read, acted
