"""Converts query results to JSON values: instants to UTC text, enums to their values, dataclasses to objects.

Values that are JSON already, such as the rows of a call, are passed on without a copy.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from operator import is_
from typing import Any

from scheduler.rules.requests import RequestKind


def to_json(value: Any) -> Any:
    if isinstance(value, RequestKind):
        return value.slug
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return format_instant(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        converted = {str(to_json(key)): to_json(one) for key, one in value.items()}
        return value if type(value) is dict and _is_same(converted, value) else converted
    if isinstance(value, list | tuple):
        items = [to_json(one) for one in value]
        return value if type(value) is list and all(map(is_, items, value)) else items
    return value


def _is_same(converted: dict[str, Any], value: dict[Any, Any]) -> bool:
    return all(map(is_, converted.values(), value.values())) and all(map(is_, converted, value))


def format_instant(at: datetime) -> str:
    """UTC, with milliseconds if there are any, like the store."""
    utc = at.astimezone(UTC)
    shown = utc.strftime("%Y-%m-%dT%H:%M:%S")
    return f"{shown}.{utc.microsecond // 1000:03}Z" if utc.microsecond else f"{shown}Z"
