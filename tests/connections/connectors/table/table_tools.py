"""Helpers that run the table tools on a file."""

from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.table.connector import table
from scheduler.rules.failures import FailureClass
from tests.connections.tool_calls import call, tool_of


def append(path: Path, rows: list[Any], key: str = "k", seconds: float = 30, **settings: str) -> Any:
    return tool_of(table, "append").run(call({"path": str(path), **settings}, key, seconds, rows=rows))


def check(path: Path, key: str = "k", **settings: str) -> Checked:
    checker = tool_of(table, "append").check
    assert checker is not None
    return checker(call({"path": str(path), **settings}, key, rows=[]))


def read(path: Path, **parameters: Any) -> Any:
    settings = {"table": parameters.pop("table")} if "table" in parameters else {}
    return tool_of(table, "read").run(call({"path": str(path), **settings}, **parameters))


def refused(kind: FailureClass, act: Any, *arguments: Any, **named: Any) -> str:
    with pytest.raises(ToolFailedError) as error:
        act(*arguments, **named)
    assert error.value.failure.kind is kind, error.value.failure
    return error.value.failure.sentence
