"""Typed connection fields are converted by kind; secrets are refused."""

from typing import Any

import pytest

from scheduler.connections.connector import Connector, Field, FieldKind
from scheduler.connections.registry import Registry
from scheduler.engine.api.request_commands import parse_fields
from scheduler.engine.errors import RefusedError

MAIL = Connector(
    kind="mail",
    title="Mail",
    help="Sends mail.",
    fields=(
        Field(name="host", label="Server"),
        Field(name="port", label="Port", kind=FieldKind.NUMBER),
        Field(name="tls", label="Encrypted", kind=FieldKind.FLAG),
        Field(name="password", label="Password", secret=True),
    ),
    tools=(),
    test=lambda _: "It works.",
)


def read(**given: Any) -> dict[str, Any]:
    return parse_fields(Registry([MAIL]), "mail:home", given)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"host": "993", "port": "993", "tls": "true"}, {"host": "993", "port": 993, "tls": True}),
        ({"port": "1.5", "tls": "false"}, {"port": 1.5, "tls": False}),
        ({"port": "many", "tls": "perhaps"}, {"port": "many", "tls": "perhaps"}),
        ({"port": 993, "tls": True}, {"port": 993, "tls": True}),
        ({"colour": "red"}, {"colour": "red"}),
    ],
    ids=str,
)
def test_typed_text_is_converted_to_the_kind_of_the_field(given: dict[str, Any], expected: dict[str, Any]) -> None:
    """Invalid values are left to the connector's own rules."""
    assert read(**given) == expected


def test_a_secret_in_a_command_is_refused() -> None:
    with pytest.raises(RefusedError, match="Password of mail:home is a secret") as refused:
        read(host="x", password="hunter2")
    assert "hunter2" not in str(refused.value)
