"""What a script gets for an action that was not done."""

from datetime import UTC, datetime
from typing import Any

import pytest

from scheduler.connections.connector import Call
from scheduler.engine.workflows.trying.pretending import seeming_result

START = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "tool", "given", "result"),
    [
        ("table", "append", {"rows": [{}, {}]}, {"added": 2}),
        ("files", "write", {"path": "a", "text": "hé"}, {"path": "a", "size": 3}),
        ("files", "move", {"source": "a", "target": "b"}, {"path": "b"}),
        ("files", "delete", {"path": "a"}, None),
        ("notify", "send", {"title": "x"}, None),
        ("smtp", "send", {}, {}),
    ],
)
def test_the_script_goes_on_with_an_answer_of_the_right_shape(
    kind: str, tool: str, given: dict[str, Any], result: Any
) -> None:
    call = Call(parameters=given, settings={}, key="k", now=START, connection=f"{kind}:x")
    assert seeming_result(kind, tool, call) == result
