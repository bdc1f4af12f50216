"""Helpers that run the file tools in a test's own folder."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.files.connector import files
from scheduler.rules.failures import FailureClass
from tests.connections.tool_calls import call, tool_of


def identify(here: Path, tool: str, **parameters: Any) -> Any:
    identifier = tool_of(files, tool).identify_target
    return None if identifier is None else identifier(call({"path": str(here)}, **parameters))


def use(here: Path, tool: str, **parameters: Any) -> Any:
    """Identify the target first, as the host does."""
    return use_on(identify(here, tool, **parameters), here, tool, **parameters)


def use_on(target: Any, here: Path, tool: str, /, **parameters: Any) -> Any:
    return tool_of(files, tool).run(replace(call({"path": str(here)}, "k", **parameters), target=target))


def check(here: Path, tool: str, approved: Any = None, **parameters: Any) -> Checked:
    checker = tool_of(files, tool).check
    assert checker is not None
    return checker(replace(call({"path": str(here)}, "k", **parameters), target=approved))


def refused(here: Path, kind: FailureClass, tool: str, **parameters: Any) -> str:
    with pytest.raises(ToolFailedError) as error:
        use(here, tool, **parameters)
    assert error.value.failure.kind is kind
    return error.value.failure.sentence
