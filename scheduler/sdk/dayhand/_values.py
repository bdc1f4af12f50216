"""Only JSON passes between a script and Dayhand; what is not JSON is named by its path."""

from __future__ import annotations

from typing import Any

from ._errors import Misuse

_DEEPEST = 100
_LONGEST = 1024  # bits of a whole number; readers of JSON give up somewhere beyond

_FIXES = {
    "datetime": "write .isoformat()",
    "date": "write .isoformat()",
    "time": "write .isoformat()",
    "timedelta": "write .total_seconds()",
    "Decimal": "write str(…) or float(…)",
    "UUID": "write str(…)",
    "PosixPath": "write str(…)",
    "WindowsPath": "write str(…)",
    "set": "write sorted(…) or list(…)",
    "frozenset": "write sorted(…) or list(…)",
    "generator": "write list(…)",
    "bytes": "write .decode(), or the path of a file",
    "bytearray": "write .decode(), or the path of a file",
    "Event": "write .data",
}
_GENERAL = "JSON has texts, numbers, True, False, None, lists and dicts"


def check(value: Any, name: str) -> None:
    """Raise Misuse unless the value, called `name` in its sentence, is JSON."""
    if not _is_plain(value, 0):
        path, complaint = _find(value, name, 0) or (name, f"is not JSON; {_GENERAL}")
        raise Misuse(f"{path} {complaint}.")


def _is_plain(value: Any, depth: int) -> bool:
    if value is None or value is True or value is False:
        return True
    if isinstance(value, str):
        return value.isascii() or _is_whole(value)
    if isinstance(value, int):
        return value.bit_length() <= _LONGEST
    if isinstance(value, float):
        return value - value == 0
    if depth > _DEEPEST:
        return False
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_whole(key) for key in value) and all(
            _is_plain(item, depth + 1) for item in value.values()
        )
    return isinstance(value, (list, tuple)) and all(_is_plain(item, depth + 1) for item in value)


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _find(value: Any, path: str, depth: int) -> tuple[str, str] | None:
    if depth > _DEEPEST:
        return path[:80] + "…", "is nested too deeply, or contains itself; make it flat"
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                return path, f"has the key {key!r}, {kind_of(key)}; keys are texts: write str({key!r})"
            if not _is_whole(key):
                return path, f"has the key {key!r} with half a character; write .encode(errors='replace').decode()"
        inside = ((item, f"{path}.{key}" if key.isidentifier() else f"{path}[{key!r}]") for key, item in value.items())
    elif isinstance(value, (list, tuple)):
        inside = ((item, f"{path}[{number}]") for number, item in enumerate(value))
    else:
        return None if _is_plain(value, depth) else (path, _complain(value))
    return next((found for item, name in inside if (found := _find(item, name, depth + 1))), None)


def _complain(value: Any) -> str:
    if isinstance(value, str):
        return "is a text with half a character; write .encode(errors='replace').decode()"
    if isinstance(value, float):
        return f"is {value}, which JSON does not have; write None"
    if isinstance(value, int):
        return "is a number too long to be read again; write str(…)"
    return f"is {kind_of(value)}; {_FIXES.get(type(value).__name__, _GENERAL)}"


def kind_of(value: Any) -> str:
    """The type's name with its article: "a list", "an int"."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"
