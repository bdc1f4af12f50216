"""Slack against the emulator: messages are listed, and posted exactly once."""

import json
from datetime import timedelta
from typing import Any

import pytest

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.slack.connector import slack
from scheduler.connections.validation import check_parameters, check_settings
from scheduler.rules.failures import FailureClass
from tests.connections import emulator_fixtures
from tests.connections.byte_server import scripted_replies, serve_conversation
from tests.connections.emulator import SLACK_TOKEN
from tests.connections.emulator_proxy import EmulatorProxy, Rule
from tests.connections.tool_calls import call, tool_of

MESSAGE = {"channel": "#general", "text": "Grüße & <b>"}


emulator, front = emulator_fixtures.emulator, emulator_fixtures.slack_proxy


def make(front: EmulatorProxy, tool: str, key: str, **parameters: Any) -> Call:
    check_parameters(tool_of(slack, tool), parameters)
    return call({"base_url": front.url, "access_token": SLACK_TOKEN}, key, **parameters)


def use(front: EmulatorProxy, tool: str, key: str = "", **parameters: Any) -> Any:
    return tool_of(slack, tool).run(make(front, tool, key, **parameters))


def check(front: EmulatorProxy, key: str, **parameters: Any) -> Checked:
    checker = tool_of(slack, "post").check
    assert checker is not None
    return checker(make(front, "post", key, **parameters))


def refused(front: EmulatorProxy, tool: str, key: str = "k", **parameters: Any) -> tuple[FailureClass, str]:
    with pytest.raises(ToolFailedError) as failed:
        use(front, tool, key, **parameters)
    return failed.value.failure.kind, failed.value.failure.sentence


def test_a_token_or_a_client_is_enough() -> None:
    assert check_settings(slack, {"access_token": "xoxb-1"})["base_url"] == "https://slack.com"
    assert check_settings(slack, {"client_id": "1"})["access_token"] is None


def test_testing_reports_workspace_and_user(front: EmulatorProxy) -> None:
    assert slack.test(make(front, "list_channels", "")) == "Signed in to Emulate as admin."


def test_a_missing_sign_in_is_an_auth_error(front: EmulatorProxy) -> None:
    with pytest.raises(ToolFailedError) as failed:
        tool_of(slack, "list_channels").run(call({"base_url": front.url}))
    assert failed.value.failure.kind is FailureClass.AUTH
    assert front.seen == []


def test_a_retry_after_date_is_relative_to_the_time_of_the_call() -> None:
    """Retry-After is a date, and the server sends no Date header; also while signing in."""
    later = b"HTTP/1.1 429 Slower\r\nRetry-After: Mon, 04 May 2026 09:02:00 GMT\r\nContent-Length: 0\r\n\r\n"
    assert slack.oauth is not None
    with serve_conversation(scripted_replies(b"", later)) as port:
        tool_call = call({"base_url": f"http://127.0.0.1:{port}", "access_token": "x"}, channel="C0000000")
        for ask in (slack.oauth.account, tool_of(slack, "list_messages").run):
            with pytest.raises(ToolFailedError) as failed:
                ask(tool_call)
            assert failed.value.failure.retry_after == timedelta(minutes=2)


def test_channels_are_listed_page_by_page(front: EmulatorProxy) -> None:
    names = [one["name"] for one in use(front, "list_channels")]
    assert names == ["general", "random"]
    assert [one["name"] for one in use(front, "list_channels", limit=1)] == ["general"]
    pages = [
        {"ok": True, "channels": [{"id": "C1", "name": "a"}], "response_metadata": {"next_cursor": "more"}},
        {"ok": True, "channels": [{"id": "C2", "name": "b"}], "response_metadata": {"next_cursor": ""}},
    ]
    front.rules += [Rule("conversations.list", status=200, body=json.dumps(page).encode()) for page in pages]
    assert [one["id"] for one in use(front, "list_channels")] == ["C1", "C2"]
    assert front.forms[-1]["cursor"] == "more"


def test_posted_messages_can_be_read(front: EmulatorProxy) -> None:
    first = use(front, "post", "first", channel="random", text="One")
    second = use(front, "post", "second", channel=first["channel"], text="Two é")
    messages = use(front, "list_messages", channel="random", limit=2)
    assert [one["text"] for one in messages] == ["Two é", "One"]
    assert [one["id"] for one in use(front, "list_messages", channel="#random", after=first["id"])] == [second["id"]]


def test_a_reply_goes_into_its_thread(front: EmulatorProxy) -> None:
    question = use(front, "post", "asked", channel="random", text="Why?")
    answered = use(front, "post", "answered", channel="random", text="Because", thread=question["id"])
    sentence = next(one for one in use(front, "list_messages", channel="random") if one["id"] == question["id"])
    assert sentence["replies"] == 1
    checked = check(front, "answered", channel="random", text="Because", thread=question["id"])
    assert checked.happened and checked.result["id"] == answered["id"]


def test_a_post_whose_response_was_lost_is_found_and_not_repeated(front: EmulatorProxy) -> None:
    """The checker finds the key in the metadata of the post."""
    assert not check(front, "lost", **MESSAGE).happened
    front.rules.append(Rule("chat.postMessage", drop=True))
    assert refused(front, "post", "lost", **MESSAGE)[0] is FailureClass.UNSURE
    checked = check(front, "lost", **MESSAGE)
    assert checked.happened
    (sentence,) = [one for one in use(front, "list_messages", channel="general") if one["text"] == MESSAGE["text"]]
    assert checked.result["id"] == sentence["id"]
    assert not check(front, "another", **MESSAGE).happened


def test_an_unknown_channel_is_refused(front: EmulatorProxy) -> None:
    kind, sentence = refused(front, "post", channel="#nowhere", text="x")
    assert kind is FailureClass.LOGIC and "#nowhere" in sentence
    kind, sentence = refused(front, "post", channel="C999999999", text="x")
    assert kind is FailureClass.LOGIC and "channel_not_found" in sentence


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("post", {"channel": "C000000001", "text": " "}),
        ("post", {"channel": "C000000001", "text": "x" * 40_001}),
        ("list_channels", {"limit": 0}),
        ("list_messages", {"channel": "C000000001", "limit": 1001}),
    ],
)
def test_invalid_parameters_are_not_sent(front: EmulatorProxy, tool: str, given: dict[str, Any]) -> None:
    assert refused(front, tool, **given)[0] is FailureClass.LOGIC
    assert front.seen == []


@pytest.mark.parametrize(
    ("code", "for_a_post", "for_a_read"),
    [
        ("invalid_auth", FailureClass.AUTH, FailureClass.AUTH),
        ("token_revoked", FailureClass.AUTH, FailureClass.AUTH),
        ("missing_scope", FailureClass.PERMISSION, FailureClass.PERMISSION),
        ("not_in_channel", FailureClass.PERMISSION, FailureClass.PERMISSION),
        ("ratelimited", FailureClass.TRANSIENT, FailureClass.TRANSIENT),
        ("internal_error", FailureClass.UNSURE, FailureClass.TRANSIENT),
        ("msg_too_long", FailureClass.LOGIC, FailureClass.LOGIC),
    ],
)
def test_the_error_code_decides_the_failure_class(
    front: EmulatorProxy, code: str, for_a_post: FailureClass, for_a_read: FailureClass
) -> None:
    body = json.dumps({"ok": False, "error": code}).encode()
    for tool, path, kind in (
        ("post", "chat.postMessage", for_a_post),
        ("list_messages", "conversations.history", for_a_read),
    ):
        front.rules.append(Rule(path, status=200, body=body))
        given = {"channel": "C000000001"} | ({"text": "x"} if tool == "post" else {})
        got, sentence = refused(front, tool, **given)
        assert got is kind and code in sentence and SLACK_TOKEN not in sentence


@pytest.mark.parametrize(
    ("status", "kind"), [(429, FailureClass.TRANSIENT), (503, FailureClass.UNSURE), (200, FailureClass.UNSURE)]
)
def test_an_error_status_or_malformed_response_has_its_class(
    front: EmulatorProxy, status: int, kind: FailureClass
) -> None:
    front.rules.append(Rule("chat.postMessage", status=status, body=b"[]"))
    assert refused(front, "post", channel="C000000001", text="x")[0] is kind
