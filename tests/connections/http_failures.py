"""Asking servers, and how it ends when it does not end well."""

from collections.abc import Callable
from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.web import Answer, request
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


def whole(answer: Answer) -> Answer:
    """The answer, if all of its body came."""
    if answer.incomplete:
        raise answer.incomplete
    return answer


def post(url: str, **more: Any) -> Answer:
    return whole(request("POST", url, acts=True, **{"seconds": 30, "body": b"mine", **more}))


def both(url: str, **more: Any) -> tuple[Failure, Failure]:
    """How the same trouble ends for a look and for an action."""
    read = failure(lambda: get(url, **more))
    acted = failure(lambda: post(url, **more))
    return read, acted
