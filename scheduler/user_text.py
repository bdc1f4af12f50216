"""Text for the user: made in English by the engine, stored with its template and fields, translated by the window."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Literal

from dayhand._user_text import UserText, fill, from_json, to_json

__all__ = [
    "UserText",
    "add_full_stop",
    "fill",
    "format_instants",
    "from_json",
    "instant_text",
    "join_texts",
    "join_words",
    "pack",
    "to_json",
    "unpack",
]

_SENTENCE_ENDS = (".", "!", "?", "…")
_PREFIX = '{"template":'
_INSTANT_TEMPLATE = "{instant}"


def join_words(parts: Sequence[str], last: Literal["and", "or"] = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(parts) < 2:
        return parts[0] if parts else ""
    if last == "or":
        return UserText("{list} or {last}", list=parts[:-1], last=parts[-1])
    return UserText("{list} and {last}", list=parts[:-1], last=parts[-1])


def join_texts(parts: Sequence[str], separator: str) -> str:
    """All of them; each can still be translated."""
    names = [f"part{number}" for number in range(len(parts))]
    return UserText(separator.join(f"{{{name}}}" for name in names), **dict(zip(names, parts, strict=True)))


def add_full_stop(text: str) -> str:
    """Add a full stop unless the text already ends a sentence."""
    text = text if isinstance(text, UserText) else text.rstrip()
    return text if not text or text.endswith(_SENTENCE_ENDS) else UserText("{text}.", text=text)


def instant_text(at: datetime) -> UserText:
    """A point in time as part of a text that is stored; `format_instants` writes it when the text is shown."""
    return UserText(_INSTANT_TEMPLATE, instant=at.isoformat())


def format_instants(text: str, format_at: Callable[[datetime], str]) -> str:
    """The text with every `instant_text` in it written by `format_at`."""
    return str(_format_instants(text, format_at))


def _format_instants(value: Any, format_at: Callable[[datetime], str]) -> Any:
    if isinstance(value, (list, tuple)):
        return [_format_instants(item, format_at) for item in value]
    if not isinstance(value, UserText):
        return value
    if value.template == _INSTANT_TEMPLATE:
        return format_at(datetime.fromisoformat(str(value)))
    fields = {name: _format_instants(field, format_at) for name, field in value.fields.items()}
    return UserText(value.template, **fields)


def pack(text: str | None) -> str | None:
    """As it is stored: text that was made from a template as JSON, other text unchanged."""
    if isinstance(text, UserText) or (text is not None and text.startswith(_PREFIX)):
        return json.dumps(to_json(text if isinstance(text, UserText) else UserText("{text}", text=text)))
    return text


def unpack(stored: str | None) -> str | None:
    """The text that was stored; whatever is no packed text is returned as it is."""
    if stored is None or not stored.startswith(_PREFIX):
        return stored
    try:
        text = from_json(json.loads(stored))
    except (ValueError, TypeError, RecursionError):
        return stored
    return text if isinstance(text, UserText) else stored
