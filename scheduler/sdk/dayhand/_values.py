"""Only JSON passes between a script and Dayhand; anything else is reported by its path in the value."""

from __future__ import annotations

from typing import Any

from ._errors import Misuse
from ._user_text import UserText

_MAX_DEPTH = 100
_MAX_INT_BITS = 1024  # JSON parsers fail somewhere beyond

_HINTS = {
    "datetime": UserText("write .isoformat()"),
    "date": UserText("write .isoformat()"),
    "time": UserText("write .isoformat()"),
    "timedelta": UserText("write .total_seconds()"),
    "Decimal": UserText("write str(…) or float(…)"),
    "UUID": UserText("write str(…)"),
    "PosixPath": UserText("write str(…)"),
    "WindowsPath": UserText("write str(…)"),
    "set": UserText("write sorted(…) or list(…)"),
    "frozenset": UserText("write sorted(…) or list(…)"),
    "generator": UserText("write list(…)"),
    "bytes": UserText("write .decode(), or the path of a file"),
    "bytearray": UserText("write .decode(), or the path of a file"),
    "Event": UserText("write .data"),
}
_GENERAL = UserText("JSON has strings, numbers, True, False, None, lists and dicts")


def check(value: Any, name: str) -> None:
    """Raise Misuse unless the value is JSON; `name` is its name in the message."""
    if not _is_json(value, 0):
        path, complaint = _find_problem(value, name, 0) or (name, UserText("is not JSON; {general}", general=_GENERAL))
        raise Misuse(UserText("{path} {complaint}.", path=path, complaint=complaint))


def _is_json(value: Any, depth: int) -> bool:
    if value is None or value is True or value is False:
        return True
    if isinstance(value, str):
        return value.isascii() or _is_valid_unicode(value)
    if isinstance(value, int):
        return value.bit_length() <= _MAX_INT_BITS
    if isinstance(value, float):
        return value - value == 0
    if depth > _MAX_DEPTH:
        return False
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_valid_unicode(key) for key in value) and all(
            _is_json(item, depth + 1) for item in value.values()
        )
    return isinstance(value, (list, tuple)) and all(_is_json(item, depth + 1) for item in value)


def _is_valid_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _find_problem(value: Any, path: str, depth: int) -> tuple[str, str] | None:
    if depth > _MAX_DEPTH:
        return path[:80] + "…", UserText("is nested too deeply, or contains itself; make it flatter")
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                return path, UserText(
                    "has the key {key}, {kind}; keys are strings: write str({key})",
                    key=repr(key),
                    kind=describe_type(key),
                )
            if not _is_valid_unicode(key):
                return path, UserText(
                    "has the key {key} with an invalid character; write .encode(errors='replace').decode()",
                    key=repr(key),
                )
        inside = ((item, f"{path}.{key}" if key.isidentifier() else f"{path}[{key!r}]") for key, item in value.items())
    elif isinstance(value, (list, tuple)):
        inside = ((item, f"{path}[{number}]") for number, item in enumerate(value))
    else:
        return None if _is_json(value, depth) else (path, _describe_problem(value))
    return next((found for item, name in inside if (found := _find_problem(item, name, depth + 1))), None)


def _describe_problem(value: Any) -> str:
    if isinstance(value, str):
        return UserText("is a string with an invalid character; write .encode(errors='replace').decode()")
    if isinstance(value, float):
        return UserText("is {value}, which JSON does not have; write None", value=value)
    if isinstance(value, int):
        return UserText("is too large for a JSON number; write str(…)")
    return UserText("is {kind}; {hints}", kind=describe_type(value), hints=_HINTS.get(type(value).__name__, _GENERAL))


def describe_type(value: Any) -> str:
    """The type's name with its article: "a list", "an int"."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"
