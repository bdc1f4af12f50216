"""Views as JSON values: instants as UTC text, enums as their words, dataclasses as objects.

What is JSON already, such as the rows of a call, is handed on and not copied.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from operator import is_
from typing import Any


def plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return write_time(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        made = {str(plain(key)): plain(one) for key, one in value.items()}
        return value if type(value) is dict and _is_same(made, value) else made
    if isinstance(value, list | tuple):
        items = [plain(one) for one in value]
        return value if type(value) is list and all(map(is_, items, value)) else items
    return value


def _is_same(made: dict[str, Any], value: dict[Any, Any]) -> bool:
    return all(map(is_, made.values(), value.values())) and all(map(is_, made, value))


def write_time(at: datetime) -> str:
    """To the millisecond where there is one, as the store keeps it."""
    utc = at.astimezone(UTC)
    shown = utc.strftime("%Y-%m-%dT%H:%M:%S")
    return f"{shown}.{utc.microsecond // 1000:03}Z" if utc.microsecond else f"{shown}Z"
