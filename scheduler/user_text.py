"""Text for the user: made in English by the engine, stored with its template and fields, translated by the window."""

import json
from collections.abc import Sequence
from typing import Literal

from dayhand._user_text import UserText, fill, from_json, to_json

__all__ = ["UserText", "add_full_stop", "fill", "from_json", "join_texts", "join_words", "pack", "to_json", "unpack"]

_SENTENCE_ENDS = (".", "!", "?", "…")
_PREFIX = '{"template":'


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
