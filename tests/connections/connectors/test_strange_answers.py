"""Services whose JSON has an unexpected shape: a clear failure, never an exception."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.connections.connector import Connector, ToolFailedError
from scheduler.connections.connectors.google.connector import google
from scheduler.connections.connectors.slack.connector import slack
from scheduler.connections.json_reader import JsonObject
from scheduler.rules.failures import FailureClass
from tests.connections.tool_calls import call, tool_of
from tests.connections.web_servers import HttpServer, ReceivedRequest, Reply, http_server

NAMES = st.sampled_from(
    [
        "messages",
        "items",
        "files",
        "labels",
        "channels",
        "id",
        "name",
        "payload",
        "headers",
        "parts",
        "body",
        "data",
        "start",
        "end",
        "dateTime",
        "filename",
        "labelIds",
        "parents",
        "appProperties",
        "internalDate",
        "nextPageToken",
        "ts",
        "metadata",
        "event_payload",
        "response_metadata",
        "next_cursor",
        "topic",
        "value",
        "email",
        "url",
        "team",
    ]
)
VALUES = st.recursive(
    st.sampled_from([None, True, 0, -1.5, 10**30, "", "x", "general", "9.1", "http://[", "\ud800"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=20,
)
ANSWERS = st.one_of(VALUES, st.dictionaries(NAMES, VALUES, min_size=8).map(lambda value: {**value, "ok": True}))
MAIL = {"to": ["a@example.org"], "subject": "s", "text": "t"}
EVENT = {"summary": "s", "start": "2026-05-04", "end": "2026-05-05"}
CALLS: list[tuple[Connector, str, dict[str, Any]]] = [
    (google, "search_mail", {"query": "q"}),
    (google, "fetch_mail", {"id": "1"}),
    (google, "fetch_attachment", {"id": "1", "attachment": "2"}),
    (google, "send_mail", MAIL),
    (google, "label_mail", {"id": "1", "add": ["x"]}),
    (google, "list_events", {}),
    (google, "create_event", EVENT),
    (google, "list_files", {}),
    (google, "upload_file", {"name": "n", "text": "t"}),
    (slack, "list_channels", {}),
    (slack, "list_messages", {"channel": "general", "after": "9.0"}),
    (slack, "post", {"channel": "general", "text": "t"}),
]


class FixedResponse:
    """A service that gives the same response to every request."""

    def __init__(self) -> None:
        self.answer: Any = None
        self.server: HttpServer | None = None

    def __call__(self, _: ReceivedRequest) -> Reply:
        return Reply(body=json.dumps(self.answer).encode())


@pytest.fixture(scope="module")
def strange() -> Iterator[FixedResponse]:
    response = FixedResponse()
    with http_server(response) as response.server:
        yield response


@pytest.mark.parametrize(("connector", "tool", "parameters"), CALLS, ids=[name for _, name, _ in CALLS])
@settings(deadline=None, max_examples=40)
@given(answer=ANSWERS)
def test_any_response_is_used_or_refused(
    connector: Connector, tool: str, parameters: dict[str, Any], answer: Any, strange: FixedResponse
) -> None:
    assert strange.server is not None
    strange.answer = answer
    known = {"base_url": strange.server.url, "access_token": "token", "account": "me@example.org"}
    chosen = tool_of(connector, tool)
    for ask in filter(None, (chosen.run, chosen.check, connector.test)):
        with suppress(ToolFailedError):
            ask(call(known, "key", **parameters))


def test_missing_values_read_as_empty() -> None:
    reader = JsonObject({"none": None}, "host", acts=False)
    for name in ("none", "missing"):
        values = (reader.text(name), reader.objects(name), reader.texts(name), reader.nested(name).get("x"))
        assert values == ("", [], [], None)


@pytest.mark.parametrize("value", [1, "x", ["x"], [1], True])
@pytest.mark.parametrize("kind", [FailureClass.LOGIC, FailureClass.UNSURE])
def test_a_wrong_type_is_refused_and_leaves_an_action_unsure(value: Any, kind: FailureClass) -> None:
    reader = JsonObject({"it": value}, "host", acts=kind is FailureClass.UNSURE)
    for read in (reader.nested, reader.objects):
        with pytest.raises(ToolFailedError) as failed:
            read("it")
        assert failed.value.failure.kind is kind
        assert "host sent an answer that Dayhand does not understand" in failed.value.failure.sentence
