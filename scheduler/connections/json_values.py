"""JSON from servers and connectors: parsing it and making sure that it can be stored."""

import json
import math
from dataclasses import replace
from typing import Any

from scheduler.connections.connector import Call, Checked, Tool
from scheduler.connections.errors import logic_failure
from scheduler.user_text import UserText

MAX_DEPTH = 100
NOT_JSON = UserText("is not JSON")
TOO_LARGE = UserText("is too large")
_MAX_CHARACTERS = 100_000_000
_MAX_RESULT_CHARACTERS = 8_000_000
"""For results of actions: the script's next phase gets them together with everything that the run prepared."""
_MAX_VALUES = 5_000_000
_MAX_INTEGER_BITS = 10_000
"""Python refuses to write longer ones in decimal digits."""


class UnusableJsonError(ValueError):
    """`reason` says why and reads after "it"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_json(body: bytes) -> Any:
    """Parse the body; UnusableJsonError if it is not JSON or cannot be stored."""
    value = _parse(body)
    if reason := find_storage_problem(value):
        raise UnusableJsonError(reason)
    return value


def read_storable_json(body: bytes) -> Any:
    """Parse the body with None in place of values that cannot be stored; UnusableJsonError if it is not JSON."""
    return _drop_unstorable(_parse(body), MAX_DEPTH)


def find_storage_problem(value: Any, max_characters: int = _MAX_CHARACTERS) -> str:
    """Why a value cannot be stored in so many characters, reads after "it"; empty if it can."""
    try:
        return _inspect(value) or _check_size(value, max_characters)
    except Exception:  # noqa: BLE001  third-party objects may raise anything when inspected
        return UserText("is not a JSON value")


def with_storable_results(tool: Tool) -> Tool:
    """The tool with storable results: a read that is not storable fails; an action succeeds with a note instead."""
    check, identify = tool.check, tool.identify_target

    def run(call: Call) -> Any:
        answer = tool.run(call)
        return storable_or_note(answer) if tool.mutating else _require_storable(answer, call)

    def read_target(call: Call) -> Any:
        assert identify is not None
        return _require_storable(identify(call), call)

    def check_storable(call: Call) -> Checked:
        assert check is not None
        found = check(call)
        return replace(found, result=storable_or_note(found.result))

    return replace(
        tool,
        run=run,
        check=None if check is None else check_storable,
        identify_target=None if identify is None else read_target,
    )


def _require_storable(answer: Any, call: Call) -> Any:
    if reason := find_storage_problem(answer):
        raise logic_failure(
            UserText(
                "The answer of {connection} cannot be used because it {reason}.",
                connection=call.connection,
                reason=reason,
            )
        )
    return answer


def storable_or_note(answer: Any) -> Any:
    """The result of an action, or a note that says why it cannot be stored."""
    reason = find_storage_problem(answer, _MAX_RESULT_CHARACTERS)
    return (
        {"note": UserText("Done, but the answer could not be stored because it {reason}.", reason=reason)}
        if reason
        else answer
    )


def _inspect(value: Any) -> str:
    """Find what would make json.dumps fail half-way or use up the memory."""
    pending = [(value, 1)]
    values = characters = 0
    while pending:
        one, depth = pending.pop()
        values += 1
        characters += len(one) if isinstance(one, str) else 0
        if depth > MAX_DEPTH:
            return UserText("is nested deeper than {max_depth} levels", max_depth=MAX_DEPTH)
        if values > _MAX_VALUES or characters > _MAX_CHARACTERS:
            return TOO_LARGE
        if isinstance(one, float) and not math.isfinite(one):
            return UserText("contains a number that is not finite")
        if isinstance(one, int) and one.bit_length() > _MAX_INTEGER_BITS:
            return UserText("contains a number that is too long")
        if isinstance(one, dict):
            pending += [(part, depth + 1) for pair in one.items() for part in pair]
        elif isinstance(one, list | tuple):
            pending += [(part, depth + 1) for part in one]
    return ""


def _check_size(value: Any, max_characters: int) -> str:
    return TOO_LARGE if len(json.dumps(value, allow_nan=False)) > max_characters else ""


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except RecursionError:
        raise UnusableJsonError(UserText("is nested deeper than {max_depth} levels", max_depth=MAX_DEPTH)) from None
    except ValueError:
        raise UnusableJsonError(NOT_JSON) from None


def _drop_unstorable(value: Any, depth: int) -> Any:
    if depth == 0 or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, dict):
        return {name: _drop_unstorable(one, depth - 1) for name, one in value.items()}
    if isinstance(value, list):
        return [_drop_unstorable(one, depth - 1) for one in value]
    return value
