"""JSON of servers and of connectors: whether it can be kept, and what of it can."""

import json
import math
from typing import Any

MAX_DEPTH = 100
NOT_JSON = "is not JSON"
TOO_LARGE = "is too large"
_MAX_CHARACTERS = 100_000_000
_MAX_VALUES = 5_000_000
_MAX_INTEGER_BITS = 10_000
"""Longer ones cannot be written in decimal digits."""


class UnusableJsonError(ValueError):
    """`reason` is to be read after "it": what it holds that cannot be used."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_json(body: bytes) -> Any:
    """The value in the body; UnusableJsonError if it is none, or one that cannot be kept."""
    value = _parse(body)
    if reason := find_problem(value):
        raise UnusableJsonError(reason)
    return value


def read_what_can_be_kept(body: bytes) -> Any:
    """The value in the body with None in place of what cannot be kept; UnusableJsonError if it is no JSON."""
    return _repair(_parse(body), MAX_DEPTH)


def find_problem(value: Any, max_characters: int = _MAX_CHARACTERS) -> str:
    """Why a value cannot be kept, to be read after "it"; empty if it can, written with so many characters at most."""
    try:
        return _find_problem(value) or _try_to_write(value, max_characters)
    except Exception:  # noqa: BLE001  connectors hand back objects of their own, which may do anything when looked at
        return "is no JSON value"


def _find_problem(value: Any) -> str:
    """Looks at what could stop the writer only half-way, or take all memory."""
    waiting = [(value, 1)]
    values = characters = 0
    while waiting:
        one, depth = waiting.pop()
        values += 1
        characters += len(one) if isinstance(one, str) else 0
        if depth > MAX_DEPTH:
            return f"is nested deeper than {MAX_DEPTH} levels"
        if values > _MAX_VALUES or characters > _MAX_CHARACTERS:
            return TOO_LARGE
        if isinstance(one, float) and not math.isfinite(one):
            return "holds a number that is not finite"
        if isinstance(one, int) and one.bit_length() > _MAX_INTEGER_BITS:
            return "holds a number that is too long"
        if isinstance(one, dict):
            waiting += [(part, depth + 1) for pair in one.items() for part in pair]
        elif isinstance(one, list | tuple):
            waiting += [(part, depth + 1) for part in one]
    return ""


def _try_to_write(value: Any, max_characters: int) -> str:
    return TOO_LARGE if len(json.dumps(value, allow_nan=False)) > max_characters else ""


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except RecursionError:
        raise UnusableJsonError(f"is nested deeper than {MAX_DEPTH} levels") from None
    except ValueError:
        raise UnusableJsonError(NOT_JSON) from None


def _repair(value: Any, depth: int) -> Any:
    if depth == 0 or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, dict):
        return {name: _repair(one, depth - 1) for name, one in value.items()}
    if isinstance(value, list):
        return [_repair(one, depth - 1) for one in value]
    return value
