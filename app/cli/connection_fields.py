"""The help of `connect` for one kind of connection: its fields. Needs neither a running app nor any data."""

from collections.abc import Iterator
from typing import Any

from app.cli.command import CommandResult
from app.cli.formatting import format_entries
from scheduler.connections.connector import Field
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import builtin_registry
from scheduler.engine.api.json_values import to_json
from scheduler.engine.errors import RefusedError


def list_fields(connection: str) -> CommandResult:
    try:
        fields = builtin_registry(lambda _title, _text: None).connector_of(connection).fields
    except ConnectionRuleError as error:
        raise RefusedError("connection", error.sentence) from error
    answer = {"connection": connection, "fields": to_json(fields)}
    return CommandResult(answer, lambda _: _render(connection, fields))


def _render(connection: str, fields: tuple[Field, ...]) -> Iterator[str]:
    yield f"usage: dayhand connect {connection} [--FIELD VALUE …]"
    yield ""
    if fields:
        yield from format_entries((_name_field(one), _describe_field(one)) for one in fields)
    else:
        yield f"{connection} has no fields."
    yield ""
    yield "Options of every connection: dayhand connect --help"
    yield f"What scripts can do with it: dayhand tools {connection.partition(':')[0]}"


def _name_field(field: Field) -> str:
    """The option to type; a secret has none."""
    name = f"{field.name} (a secret: you are asked for it)" if field.secret else _option(field.name)
    if field.default is not None:
        return f"{name} (default: {_to_text(field.default)})"
    return f"{name} (required)" if field.required and not field.secret else name


def _describe_field(field: Field) -> str:
    """Its label and help, the values to choose from, and which other field it belongs to."""
    parts = [f"{field.label}.", str(field.help)]
    if field.choices:
        parts.append(f"One of: {', '.join(field.choices)}.")
    if field.when is not None:
        other, values = field.when
        parts.append(f"Only with {' '.join([_option(other), ' or '.join(values)]).strip()}.")
    return " ".join(part for part in parts if part)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _to_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
