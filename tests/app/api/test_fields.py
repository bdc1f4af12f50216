"""The fields of a connection as they were typed: read by their kind, and never a secret."""

from typing import Any

import pytest

from app.desk.answering import read_fields
from scheduler.connections.connector import Connector, Field, FieldKind
from scheduler.connections.registry import Registry
from scheduler.engine.refusal import RefusedError

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
    return read_fields(Registry([MAIL]), "mail:home", given)


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
def test_what_was_typed_becomes_what_the_field_wants(given: dict[str, Any], expected: dict[str, Any]) -> None:
    """What cannot be so is left for the connector's own rules to refuse."""
    assert read(**given) == expected


def test_a_secret_is_never_taken_from_a_command() -> None:
    with pytest.raises(RefusedError, match="Password of mail:home is a secret") as refused:
        read(host="x", password="hunter2")
    assert "hunter2" not in str(refused.value)
