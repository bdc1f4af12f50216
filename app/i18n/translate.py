"""Says texts of the engine in the user's language. Other text is left unchanged: it comes from a script or a server."""

import json
import re
from datetime import time
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QLocale

from app.i18n.script_errors import explain_error
from app.i18n.time_text import format_wall_time
from app.resources import MissingResourceError, find_resource
from scheduler.user_text import UserText, fill

_SCRIPT_ERRORS = ("{name}, line {line}: {message}", "{name}: {message}")
_TIME_OF_DAY = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?", re.ASCII)


def translate_text(text: str) -> str:
    """Unchanged if the language is English, apart from times of day, which are written as the user's locale does."""
    templates = _read_templates(QLocale().name()[:2])
    if isinstance(text, UserText):
        return _translate(text, templates)
    is_sentence = text.endswith((".", "?"))  # stored by an earlier version, which kept no templates
    return (templates.get(text) or text) if is_sentence else text


def _translate(text: Any, templates: dict[str, str]) -> str:
    if not isinstance(text, UserText):  # a field as it was given: a name, a path, a number
        return format_wall_time(time.fromisoformat(text)) if _is_time(text) else str(text)
    fields = text.fields
    if text.template in _SCRIPT_ERRORS:
        fields = {**fields, "message": _explain(fields["message"])}
    return fill(templates.get(text.template) or text.template, fields, lambda field: _translate(field, templates))


def _explain(message: Any) -> Any:
    return message if isinstance(message, UserText) else explain_error(str(message))


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and _TIME_OF_DAY.fullmatch(value) is not None


@lru_cache(maxsize=1)
def _read_templates(language: str) -> dict[str, str]:
    """The templates of the engine's texts in a language such as `de`; empty if there are none."""
    try:
        text = find_resource(f"translations/engine_{language}.json").read_text(encoding="utf-8")
    except MissingResourceError:
        return {}
    templates: dict[str, str] = json.loads(text)
    return templates
