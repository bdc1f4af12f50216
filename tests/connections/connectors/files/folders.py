"""The tools of the connector in a folder of the test's own."""

from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.files.connector import files
from scheduler.rules.failures import FailureClass
from tests.connections.calls import call, tool_of


def use(here: Path, tool: str, **parameters: Any) -> Any:
    return tool_of(files, tool).run(call({"path": str(here)}, "k", **parameters))


def check(here: Path, tool: str, **parameters: Any) -> Checked:
    checker = tool_of(files, tool).check
    assert checker is not None
    return checker(call({"path": str(here)}, "k", **parameters))


def refused(here: Path, kind: FailureClass, tool: str, **parameters: Any) -> str:
    with pytest.raises(ToolFailedError) as error:
        use(here, tool, **parameters)
    assert error.value.failure.kind is kind
    return error.value.failure.sentence
