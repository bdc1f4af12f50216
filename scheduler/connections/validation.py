"""Whether parameters and settings are what a tool or a connection takes. The values of secrets are never quoted."""

import math
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from scheduler.connections.connector import Connector, Field, FieldKind, ParameterKind, Tool
from scheduler.connections.errors import BadParametersError, BadSettingsError

_WORDS = {
    ParameterKind.TEXT: "a text",
    ParameterKind.NUMBER: "a number",
    ParameterKind.WHOLE: "a whole number",
    ParameterKind.FLAG: "true or false",
    ParameterKind.LIST: "a list",
    ParameterKind.OBJECT: "an object",
    ParameterKind.ANY: "any value",
}
_FLAGS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_FITS: dict[ParameterKind, Callable[[Any], bool]] = {
    ParameterKind.TEXT: lambda value: isinstance(value, str),
    ParameterKind.NUMBER: _is_number,
    ParameterKind.WHOLE: lambda value: isinstance(value, int) and not isinstance(value, bool),
    ParameterKind.FLAG: lambda value: isinstance(value, bool),
    ParameterKind.LIST: lambda value: isinstance(value, list | tuple),
    ParameterKind.OBJECT: lambda value: isinstance(value, Mapping) and all(isinstance(name, str) for name in value),
    ParameterKind.ANY: lambda _: True,
}


def check_parameters(tool: Tool, parameters: Mapping[str, Any]) -> None:
    """BadParametersError names the first parameter that is unknown, missing or of the wrong kind."""
    for name in parameters:
        if name not in tool.parameters:
            raise BadParametersError(f'{tool.name} has no parameter "{name}".{_hint(name, tool.parameters)}')
    for name, parameter in tool.parameters.items():
        words = _WORDS[parameter.kind]
        value = parameters.get(name)
        if value is None:
            if parameter.required and not (name in parameters and parameter.kind is ParameterKind.ANY):
                raise BadParametersError(f'{tool.name} needs "{name}": {words}.')
        elif not _FITS[parameter.kind](value):
            raise BadParametersError(f'"{name}" of {tool.name} takes {words}, not {_kind_of(value)}.')


def check_settings(connector: Connector, given: Mapping[str, Any]) -> dict[str, Any]:
    """All fields with their values or defaults; BadSettingsError names the first that cannot be accepted.

    Numbers and flags may come as texts, as forms and command lines give them.
    """
    fields = {field.name: field for field in connector.fields}
    for name in given:
        if name not in fields:
            raise BadSettingsError(f'A {connector.title} connection has no field "{name}".{_hint(name, fields)}')
    settings: dict[str, Any] = {}
    for field in connector.fields:
        value = given.get(field.name)
        if value is None or value == "":
            if field.required and field.default is None:
                raise BadSettingsError(f'{field.label} ("{field.name}") is missing. {field.help}'.rstrip())
            settings[field.name] = field.default
        else:
            settings[field.name] = _read_field(field, value)
    return settings


def _read_field(field: Field, value: Any) -> Any:
    match field.kind:
        case FieldKind.NUMBER:
            number = _number(value)
            if number is None:
                raise _not_accepted(field, "a number")
            return number
        case FieldKind.FLAG:
            flag = _FLAGS.get(value.strip().lower()) if isinstance(value, str) else value
            if not isinstance(flag, bool):
                raise _not_accepted(field, "yes or no")
            return flag
        case FieldKind.CHOICE:
            if value not in field.choices:
                raise _not_accepted(field, f"one of {', '.join(field.choices)}")
        case FieldKind.PATH:
            if not isinstance(value, str) or "\0" in value or not (value.startswith("~") or Path(value).is_absolute()):
                raise _not_accepted(field, "a full path, from the root or from ~")
        case FieldKind.TEXT:
            if not isinstance(value, str):
                raise _not_accepted(field, "a text")
    return value


def _number(value: Any) -> int | float | None:
    if not isinstance(value, str):
        return value if _is_number(value) else None
    for read in (int, float):
        try:
            number = read(value)
        except ValueError:
            continue
        return number if math.isfinite(number) else None
    return None


def _not_accepted(field: Field, words: str) -> BadSettingsError:
    return BadSettingsError(f'{field.label} ("{field.name}") takes {words}.')


def _kind_of(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "one that is not finite"
    order = (ParameterKind.FLAG, ParameterKind.WHOLE, *ParameterKind)
    return _WORDS[next(kind for kind in order if _FITS[kind](value))]


def _hint(name: str, known: Mapping[str, Any]) -> str:
    close = get_close_matches(name, known, 1)
    if close:
        return f' Did you mean "{close[0]}"?'
    return f" It takes: {', '.join(known)}." if known else " It takes none."
