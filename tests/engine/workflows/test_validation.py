"""What a script's process says about its workflow is read with care: the script may have forged it."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from scheduler.engine.workflows.validation import InvalidScriptError, read_plan
from scheduler.workers.outcomes import Finished
from scheduler.workers.worker import Worker
from tests.workers.worker_fixture import RECEIPTS, script

MISSING = "missing"
VALUES = [MISSING, None, 3, -1, 10**30, 1.5, "x", [1], [[]], {"a": 1}, True]


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    worker = Worker(script(RECEIPTS))
    try:
        outcome = worker.load()
    finally:
        worker.end()
    assert isinstance(outcome, Finished), outcome
    return outcome.value


def _variants(described: dict[str, Any], value: object) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in described:
        changed = copy.deepcopy(described)
        changed[name] = value
        yield name, changed
    for number, handler in enumerate(described["handlers"]):
        for name in handler:
            changed = copy.deepcopy(described)
            changed["handlers"][number][name] = value
            yield f"{number} {name}", changed


def _without_missing(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_missing(one) for name, one in value.items() if one is not MISSING}
    return [_without_missing(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_a_forged_description_is_refused_or_harmless(described: dict[str, Any], value: object) -> None:
    refused = set()
    for name, changed in _variants(described, value):
        try:
            plan = read_plan("/home/ada/chore.py", RECEIPTS, _without_missing(changed))
        except InvalidScriptError as error:
            assert str(error).startswith("chore.py"), error  # noqa: PT017  raised for some of them
            refused.add(name)
        else:
            assert isinstance(plan.name, str)
            assert all(isinstance(one.line, int) for one in plan.handlers.values())
    wanted = {"handlers", "0 kind"} if value in (True, 3) else {"handlers", "0 kind", "line", "0 line"}
    assert wanted <= refused


def test_a_genuine_description_is_read(described: dict[str, Any]) -> None:
    assert read_plan("/home/ada/chore.py", RECEIPTS, described).name == "Receipts"
