"""Validating tool parameters and connection settings. Errors never quote values, which may be secret."""

import math
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from scheduler.connections.connector import Connector, Field, FieldKind, ParameterKind, Tool
from scheduler.connections.errors import BadParametersError, BadSettingsError
from scheduler.user_text import UserText, join_texts

_KIND_TEXT = {
    ParameterKind.TEXT: UserText("a text"),
    ParameterKind.NUMBER: UserText("a number"),
    ParameterKind.WHOLE: UserText("a whole number"),
    ParameterKind.FLAG: UserText("true or false"),
    ParameterKind.LIST: UserText("a list"),
    ParameterKind.OBJECT: UserText("an object"),
    ParameterKind.ANY: UserText("any value"),
}
_FLAG_TEXTS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_IS_KIND: dict[ParameterKind, Callable[[Any], bool]] = {
    ParameterKind.TEXT: lambda value: isinstance(value, str),
    ParameterKind.NUMBER: _is_number,
    ParameterKind.WHOLE: lambda value: isinstance(value, int) and not isinstance(value, bool),
    ParameterKind.FLAG: lambda value: isinstance(value, bool),
    ParameterKind.LIST: lambda value: isinstance(value, list | tuple),
    ParameterKind.OBJECT: lambda value: isinstance(value, Mapping) and all(isinstance(name, str) for name in value),
    ParameterKind.ANY: lambda _: True,
}


def check_parameters(tool: Tool, parameters: Mapping[str, Any]) -> None:
    """Raise BadParametersError for the first parameter that is unknown, missing or of the wrong type.

    A value of `...` is any: it is not known before the script runs.
    """
    for name in parameters:
        if name not in tool.parameters:
            raise BadParametersError(
                UserText(
                    '{tool} has no parameter "{name}".{suggest}',
                    tool=tool.name,
                    name=name,
                    suggest=_suggest(name, tool.parameters),
                )
            )
    for name, parameter in tool.parameters.items():
        words = _KIND_TEXT[parameter.kind]
        value = parameters.get(name)
        if value is None:
            if parameter.required and not (name in parameters and parameter.kind is ParameterKind.ANY):
                raise BadParametersError(
                    UserText('{tool} needs "{name}": {words}.', tool=tool.name, name=name, words=words)
                )
        elif value is not ... and not _IS_KIND[parameter.kind](value):
            raise BadParametersError(
                UserText(
                    '"{name}" of {tool} takes {words}, not {kind}.',
                    name=name,
                    tool=tool.name,
                    words=words,
                    kind=_describe_kind(value),
                )
            )


def check_settings(connector: Connector, given: Mapping[str, Any]) -> dict[str, Any]:
    """All fields with their values or defaults; BadSettingsError for the first invalid one.

    Numbers and flags may be given as text, as forms and command lines do.
    """
    fields = {field.name: field for field in connector.fields}
    for name in given:
        if name not in fields:
            raise BadSettingsError(
                UserText(
                    'A {title} connection has no field "{name}".{suggest}',
                    title=connector.title,
                    name=name,
                    suggest=_suggest(name, fields),
                )
            )
    settings: dict[str, Any] = {}
    for field in connector.fields:
        value = given.get(field.name)
        if value is None or value == "":
            if field.required and field.default is None:
                raise BadSettingsError(
                    join_texts(
                        [
                            UserText('{label} ("{field}") is missing.', label=field.label, field=field.name),
                            *([field.help] if field.help else []),
                        ],
                        " ",
                    )
                )
            settings[field.name] = field.default
        else:
            settings[field.name] = _parse_field(field, value)
    return settings


def _parse_field(field: Field, value: Any) -> Any:
    match field.kind:
        case FieldKind.NUMBER:
            number = _parse_number(value)
            if number is None:
                raise _bad_field(field, UserText("a number"))
            return number
        case FieldKind.FLAG:
            flag = _FLAG_TEXTS.get(value.strip().lower()) if isinstance(value, str) else value
            if not isinstance(flag, bool):
                raise _bad_field(field, UserText("yes or no"))
            return flag
        case FieldKind.CHOICE:
            if value not in field.choices:
                raise _bad_field(field, UserText("one of {choices}", choices=", ".join(field.choices)))
        case FieldKind.PATH:
            if not isinstance(value, str) or "\0" in value or not (value.startswith("~") or Path(value).is_absolute()):
                raise _bad_field(field, UserText("a full path, from the root or from ~"))
        case FieldKind.TEXT:
            if not isinstance(value, str):
                raise _bad_field(field, UserText("a text"))
    return value


def _parse_number(value: Any) -> int | float | None:
    if not isinstance(value, str):
        return value if _is_number(value) else None
    for read in (int, float):
        try:
            number = read(value)
        except ValueError:
            continue
        return number if math.isfinite(number) else None
    return None


def _bad_field(field: Field, words: str) -> BadSettingsError:
    return BadSettingsError(
        UserText('{label} ("{field}") takes {words}.', label=field.label, field=field.name, words=words)
    )


def _describe_kind(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return UserText("one that is not finite")
    order = (ParameterKind.FLAG, ParameterKind.WHOLE, *ParameterKind)
    return _KIND_TEXT[next(kind for kind in order if _IS_KIND[kind](value))]


def _suggest(name: str, known: Mapping[str, Any]) -> str:
    close = get_close_matches(name, known, 1)
    if close:
        return UserText(' Did you mean "{close}"?', close=close[0])
    return UserText(" It takes: {known}.", known=", ".join(known)) if known else UserText(" It takes none.")
