"""One value of a call as text: unmistakable, with nothing hidden, and no longer than asked for. Pure.

What is written out by Dayhand and is not part of the value stands in ⟨angle brackets⟩.
"""

import json
import re
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.widgets.plain import MORE, cut, reveal
from app.widgets.server_names import add_wire_forms

_NOTHING = "\N{EN DASH}"
_INDENTED = 100_000
"""JSON of so many characters is spread over lines; indenting more of it could take many times its size."""
_LONGEST_WORD = 40
"""Of the words for what is no text."""
_MAX_SPACES = 16
_MAX_INDENT = 220
"""Of JSON, which nests up to 100 deep."""
_SPACE = r"[ \t\u00a0\u202f\u3000]"
_SPACES = re.compile(rf"(?<=\S){_SPACE}{{{_MAX_SPACES + 1},}}|^{_SPACE}{{{_MAX_INDENT + 1},}}", re.MULTILINE)
_EMPTY_LINES = re.compile(rf"(?:^{_SPACE}*\n){{3,}}", re.MULTILINE)
_JSON = json.JSONEncoder(ensure_ascii=False)
translate = QCoreApplication.translate


def say_value(value: Any, limit: int | None = None) -> str:
    """In words where it is simple, as JSON where it is nested; cut with an ellipsis after `limit` characters."""
    match value:
        case None:
            return _NOTHING
        case bool():
            return translate("details", "yes") if value else translate("details", "no")
        case str():
            return _say_text(value, limit)
        case dict():
            return _write_nested(value, limit) if value else translate("details", "(empty object)")
        case list() | tuple():
            return _write_nested(value, limit) if value else translate("details", "(empty list)")
        case _:
            return cut(str(value), limit)


def say_line(value: Any, limit: int) -> str:
    """The same in one line."""
    return say_value(value, limit).replace("\n", " ↵ ")


def show_text(text: str) -> str:
    """A text of several lines as it is, with what is hidden in it or pushes it out of sight written out."""
    return _show_gaps(reveal(add_wire_forms(text)))


def write_json(value: Any) -> str:
    """All of it, exactly."""
    whole = _JSON.encode(value)
    return json.dumps(value, ensure_ascii=False, indent=2) if len(whole) <= _INDENTED else whole


def _say_text(text: str, limit: int | None) -> str:
    if not text:
        return translate("details", "(empty)")
    shown = show_text(text if limit is None else text[:limit])
    ended = shown if limit is None or len(text) <= limit else f"{shown}{MORE}"
    return f'"{ended}"' if _could_mislead(text) else ended


def _could_mislead(text: str) -> bool:
    """Whether it reads like something that is no text, or begins or ends with what is not seen."""
    if text[0].isspace() or text[-1].isspace() or text[0] == text[-1] == '"':
        return True
    if len(text) > _LONGEST_WORD:
        return False
    simple: tuple[Any, ...] = (None, True, False, "", [], {})
    said = {"true", "false", "null", "none", *(say_value(one).casefold() for one in simple)}
    return text.casefold() in said


def _write_nested(value: Any, limit: int | None) -> str:
    if limit is None:
        return show_text(_JSON.encode(value))
    parts, size = [], 0
    for part in _JSON.iterencode(value):
        parts.append(part)
        size += len(part)
        if size > limit:
            break
    return cut(show_text("".join(parts)[: limit + 1]), limit)


def _show_gaps(text: str) -> str:
    """Spaces and empty lines that would push the rest away are counted instead."""
    if len(text) <= _MAX_SPACES and text.count("\n") < 3:
        return text
    lines = translate("details", "⟨{number} empty lines⟩")
    spaces = translate("details", "⟨{number} spaces⟩")
    text = _EMPTY_LINES.sub(lambda found: f"{lines.format(number=found[0].count(chr(10)))}\n", text)
    return _SPACES.sub(lambda found: spaces.format(number=len(found[0])), text)
