"""Text for the user that can be translated later, because it remembers its template and its fields."""

from __future__ import annotations

import re
from typing import Any, Callable

_MAX_DEPTH = 12
_FIELD = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class UserText(str):
    """An English text with the template and the fields that it was made from.

    `UserText("{name} failed {count} times.", name="Backup", count=3)` is the string "Backup failed 3 times.".
    A field can be such a text too, or a list, which is joined with commas. `{Name}` stands for the field `name`
    with a capital first letter.
    """

    __slots__ = ("fields", "template")

    template: str
    fields: dict[str, Any]

    def __new__(cls, template: str, /, **fields: Any) -> UserText:  # noqa: PYI034  Self is newer than Python 3.9
        fields = {name: _plain(value) for name, value in fields.items()}
        text = super().__new__(cls, fill(template, fields, str))
        text.template = str.__str__(template)
        text.fields = fields
        return text

    def __str__(self) -> UserText:
        """Itself, so that `str(error)` can still be translated."""
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        """For copies."""
        return (self.template,), self.fields

    def map(self, change: Callable[[str], str]) -> UserText:
        """The same text with every field changed, as it is written."""
        return UserText(self.template, **{name: _map(value, change) for name, value in self.fields.items()})


def fill(template: str, fields: dict[str, Any], spell: Callable[[Any], str]) -> str:
    """The template with each field as `spell` writes it; names without a field are kept."""

    def write(hole: re.Match[str]) -> str:
        name = hole[1]
        if name in fields:
            return _write(fields[name], spell)
        if (lower := name[0].lower() + name[1:]) in fields:
            text = _write(fields[lower], spell)
            return text[:1].upper() + text[1:]
        return hole[0]

    return _FIELD.sub(write, template)


def to_json(value: Any) -> Any:
    """As JSON: a text that was made from a template as an object, anything else unchanged."""
    if isinstance(value, UserText):
        return {"template": value.template, "fields": {name: to_json(field) for name, field in value.fields.items()}}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return value


def from_json(value: Any, depth: int = 0) -> Any:
    """The reverse of `to_json`. ValueError if it is nothing that `to_json` returns: it may come from a script."""
    if depth > _MAX_DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(value, list):
        return [from_json(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    template, fields = value.get("template"), value.get("fields")
    if not isinstance(template, str) or not isinstance(fields, dict):
        raise ValueError("not a text")  # noqa: TRY004  the value is wrong
    return UserText(template, **{name: from_json(field, depth + 1) for name, field in fields.items()})


def _plain(value: Any) -> Any:
    """As JSON can hold it; an error by its message."""
    return value if isinstance(value, (str, int, float, list, tuple)) else str(value)


def _write(value: Any, spell: Callable[[Any], str]) -> str:
    return ", ".join(map(spell, value)) if isinstance(value, (list, tuple)) else spell(value)


def _map(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, UserText):
        return value.map(change)
    if isinstance(value, (list, tuple)):
        return [_map(item, change) for item in value]
    text = str(value)
    changed = change(text)
    return value if changed == text else changed
