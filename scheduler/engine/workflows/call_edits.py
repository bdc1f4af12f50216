"""Changes of a call by the user before they approve it: only of what its tool marks as editable, checked first."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scheduler.connections.connector import ParameterKind, Tool, ToolFailedError
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry
from scheduler.engine.errors import RefusedError
from scheduler.engine.runs.attempt import OutsideCall
from scheduler.rules.requests import RequestKind
from scheduler.store.requests import RequestRow
from scheduler.user_text import UserText

MAX_EDIT_CHARS = 1_000_000
"""Of all changed values together, as JSON."""
_MAX_DEPTH = 20


def edit_asked_call(
    registry: Registry, row: RequestRow, edits: Mapping[str, Any], *, always: bool
) -> OutsideCall | None:
    """The call of a request with the user's changes; None if nothing is changed."""
    if not edits:
        return None
    if row.kind is not RequestKind.APPROVAL:
        raise RefusedError("edit", UserText("Only an action that waits for approval can be changed."))
    if always:
        sentence = UserText("A changed call is approved once; it cannot be allowed for good.")
        raise RefusedError("edit", sentence)
    asked = OutsideCall.from_stored(row.call)
    edited = edit_call(registry, asked, edits)
    return None if edited.hash == asked.hash else edited


def edit_call(registry: Registry, call: OutsideCall, edits: Mapping[str, Any]) -> OutsideCall:
    """The call with these parameters changed; RefusedError says what is wrong with them."""
    try:
        tool = registry.tool(call.connection, call.tool)
    except ConnectionRuleError as error:
        raise RefusedError("edit", error.sentence) from error
    parsed = {name: _parse(tool, name, value) for name, value in edits.items()}
    _refuse_unusable(parsed)
    edited = replace(call, parameters={**call.parameters, **parsed})
    try:
        registry.check_parameters(tool, edited.parameters)
        if tool.validate is not None:
            tool.validate(edited.parameters)
    except ConnectionRuleError as error:
        raise RefusedError("edit", error.sentence) from error
    except ToolFailedError as error:
        raise RefusedError("edit", error.failure.sentence) from error
    return edited


def _parse(tool: Tool, name: str, value: Any) -> Any:
    """The value; text for a parameter of another type is JSON, as typed in a command."""
    if name not in tool.editable:
        offered = ", ".join(tool.editable)
        sentence = (
            UserText("{name} cannot be changed; only {offered} can.", name=name, offered=offered)
            if offered
            else UserText("Nothing of {tool} can be changed; approve it as it is, or reject it.", tool=tool.name)
        )
        raise RefusedError("edit", sentence)
    kind = tool.parameters[name].kind
    if not isinstance(value, str) or kind in (ParameterKind.TEXT, ParameterKind.ANY):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        example = '[{"day": "Monday"}]' if kind is ParameterKind.LIST else "12"
        raise RefusedError(
            "edit", UserText("{name} is not valid JSON; write for example {example}.", name=name, example=example)
        ) from error


def _refuse_unusable(values: Mapping[str, Any]) -> None:
    """Refuse what cannot be stored, sent or shown: too long, nested too deeply, or half a character."""
    for name, value in values.items():
        if not _is_usable(value, 0):
            raise RefusedError("edit", UserText("{name} has a value that cannot be used.", name=name))
    if len(json.dumps(values)) > MAX_EDIT_CHARS:
        raise RefusedError(
            "edit", UserText("That is too long; the limit is {number} characters.", number=f"{MAX_EDIT_CHARS:,}")
        )


def _is_usable(value: Any, depth: int) -> bool:
    match value:
        case str():
            return not any("\ud800" <= letter <= "\udfff" for letter in value)
        case float():
            return value - value == 0
        case dict() | list() if depth > _MAX_DEPTH:
            return False
        case dict():
            return all(_is_usable(one, depth + 1) for pair in value.items() for one in pair)
        case list():
            return all(_is_usable(one, depth + 1) for one in value)
    return value is None or isinstance(value, bool | int)
