"""A command line of an earlier version still talks to this app."""

from typing import Any

import pytest

from scheduler.engine.api.commands import CommandApi
from scheduler.engine.api.dispatcher import _use_current_names
from scheduler.engine.api.queries import QueryApi
from scheduler.engine.api.request_commands import RequestApi


@pytest.mark.parametrize(
    ("verb", "arguments", "expected"),
    [
        (CommandApi.run, {"target": "w", "request": "k"}, {"target": "w", "idempotency_key": "k"}),
        (RequestApi.approve, {"request": "q1", "request_id": "k"}, {"request": "q1", "idempotency_key": "k"}),
        (RequestApi.approve, {"request": "q1", "idempotency_key": "k"}, {"request": "q1", "idempotency_key": "k"}),
        (QueryApi.request_show, {"request": "q1"}, {"request": "q1"}),
    ],
)
def test_the_old_name_of_an_idempotency_key_is_understood(
    verb: Any, arguments: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert _use_current_names(verb, arguments) == expected
