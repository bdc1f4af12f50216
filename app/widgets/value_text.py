"""Values of a call and their labels as unambiguous text: nothing hidden, no two labels alike. Pure.

What Dayhand adds to a value is in ⟨angle brackets⟩.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.widgets.server_names import add_punycode
from app.widgets.visible_text import ELLIPSIS, escape_invisible, truncate

_NOTHING = "\N{EN DASH}"
_MAX_INDENTED_CHARS = 100_000
"""Longer JSON is not indented: that could take many times its size."""
_MAX_AMBIGUOUS_CHARS = 40
"""Longest text that could be mistaken for a value such as "yes" or "(empty list)"."""
_MAX_SPACES = 16
_MAX_INDENT = 220
"""Spaces at the start of a line; JSON nests up to 100 deep."""
_SPACE = r"[ \t\u00a0\u202f\u3000]"
_SPACES = re.compile(rf"(?<=\S){_SPACE}{{{_MAX_SPACES + 1},}}|^{_SPACE}{{{_MAX_INDENT + 1},}}", re.MULTILINE)
_EMPTY_LINES = re.compile(rf"(?:^{_SPACE}*\n){{3,}}", re.MULTILINE)
_JSON = json.JSONEncoder(ensure_ascii=False)
KeyPath = tuple[str, ...]
"""The keys that lead to a value."""
MAX_KEY_CHARS = 120
_KEY_SEPARATOR = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
_PLAIN_NAME = re.compile(r"[A-Za-z0-9]+(?:[_ -][A-Za-z0-9]+)*", re.ASCII)
_MAX_PLAIN_NAME_CHARS = 40
translate = QCoreApplication.translate


def format_value(value: Any, limit: int | None = None) -> str:
    """Words for simple values, JSON for nested ones; truncated after `limit` characters."""
    match value:
        case None:
            return _NOTHING
        case bool():
            return translate("details", "yes") if value else translate("details", "no")
        case str():
            return _format_text(value, limit)
        case dict():
            return _format_nested(value, limit) if value else translate("details", "(empty object)")
        case list() | tuple():
            return _format_nested(value, limit) if value else translate("details", "(empty list)")
        case _:
            return truncate(str(value), limit)


def format_line(value: Any, limit: int) -> str:
    """The same on one line."""
    return format_value(value, limit).replace("\n", " ↵ ")


def escape_hidden(text: str) -> str:
    """The text with hidden characters, long gaps and internationalized host names made visible."""
    return _count_gaps(escape_invisible(add_punycode(text)))


def format_json(value: Any) -> str:
    """The full value, indented unless it is huge."""
    whole = _JSON.encode(value)
    return json.dumps(value, ensure_ascii=False, indent=2) if len(whole) <= _MAX_INDENTED_CHARS else whole


def _format_text(text: str, limit: int | None) -> str:
    if not text:
        return translate("details", "(empty)")
    shown = escape_hidden(text if limit is None else text[:limit])
    ended = shown if limit is None or len(text) <= limit else f"{shown}{ELLIPSIS}"
    return f'"{ended}"' if _is_ambiguous(text) else ended


def _is_ambiguous(text: str) -> bool:
    """Whether it could be read as another type of value, or starts or ends with whitespace."""
    if text[0].isspace() or text[-1].isspace() or text[0] == text[-1] == '"':
        return True
    if len(text) > _MAX_AMBIGUOUS_CHARS:
        return False
    simple: tuple[Any, ...] = (None, True, False, "", [], {})
    ambiguous = {"true", "false", "null", "none", *(format_value(one).casefold() for one in simple)}
    return text.casefold() in ambiguous


def _format_nested(value: Any, limit: int | None) -> str:
    if limit is None:
        return escape_hidden(_JSON.encode(value))
    parts, size = [], 0
    for part in _JSON.iterencode(value):
        parts.append(part)
        size += len(part)
        if size > limit:
            break
    return truncate(escape_hidden("".join(parts)[: limit + 1]), limit)


def _count_gaps(text: str) -> str:
    """Replace long runs of spaces and empty lines by their count."""
    if len(text) <= _MAX_SPACES and text.count("\n") < 3:
        return text
    lines = translate("details", "⟨{number} empty lines⟩")
    spaces = translate("details", "⟨{number} spaces⟩")
    text = _EMPTY_LINES.sub(lambda found: f"{lines.format(number=found[0].count(chr(10)))}\n", text)
    return _SPACES.sub(lambda found: spaces.format(number=len(found[0])), text)


def format_key(key: str) -> str:
    """`Message id` for message_id; anything but a plain name is shown unchanged."""
    if len(key) <= _MAX_PLAIN_NAME_CHARS and _PLAIN_NAME.fullmatch(key):
        words = key.replace("_", " ")
        return words[:1].upper() + words[1:]
    return format_line(key, MAX_KEY_CHARS)


def make_labels(
    paths: Sequence[KeyPath],
    known_labels: Mapping[str, str],
    reserved_labels: Collection[str] = (),
    *,
    is_short: bool = False,
) -> list[str]:
    """A label per path. `known_labels` maps top-level keys to labels; `reserved_labels` are already in use.

    Labels that look alike get the exact keys added. With `is_short`, a label leaves out what is above its key where
    that is unambiguous.
    """
    labels = [
        _KEY_SEPARATOR.join([known_labels.get(path[0]) or format_key(path[0]), *map(format_key, path[1:])])
        for path in paths
    ]
    if is_short:
        last = [label if len(path) == 1 else format_key(path[-1]) for label, path in zip(labels, paths, strict=True)]
        labels = _distinguish(last, labels, reserved_labels)
    labels = _distinguish(
        labels, [f"{label} ({_format_path(path)})" for label, path in zip(labels, paths, strict=True)], reserved_labels
    )
    numbered = [f"{label} #{place}" for place, label in enumerate(labels, 1)]
    return _distinguish(labels, numbered, reserved_labels)


def is_truncated(path: KeyPath) -> bool:
    """Whether the label of this path is truncated."""
    return any(len(key) > MAX_KEY_CHARS for key in path)


def _distinguish(labels: Sequence[str], longer: Sequence[str], taken: Collection[str]) -> list[str]:
    number = Counter(map(_comparison_key, (*labels, *taken)))
    return [
        second if number[_comparison_key(first)] > 1 else first for first, second in zip(labels, longer, strict=True)
    ]


def _format_path(path: KeyPath) -> str:
    """The exact keys, with non-ASCII letters escaped."""
    return _KEY_SEPARATOR.join(truncate(json.dumps(key[: MAX_KEY_CHARS + 1]), MAX_KEY_CHARS) for key in path)


def _comparison_key(label: str) -> str:
    """A key that is equal for labels that look alike."""
    return " ".join(unicodedata.normalize("NFKC", label).casefold().replace("_", " ").split()).removesuffix(ELLIPSIS)
