"""Slack: what was said, and saying it once, against the emulator."""

import json
from datetime import timedelta
from typing import Any

import pytest

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.slack.connector import slack
from scheduler.connections.given import check_parameters, check_settings
from scheduler.rules.failures import FailureClass
from tests.connections import fronts
from tests.connections.calls import call, tool_of
from tests.connections.emulator import SLACK_TOKEN
from tests.connections.front import Front, Rule
from tests.connections.hostile_mail import answering, saying

SAY = {"channel": "#general", "text": "Grüße & <b>"}


emulator, front = fronts.emulator, fronts.slack_front


def make(front: Front, tool: str, key: str, **parameters: Any) -> Call:
    check_parameters(tool_of(slack, tool), parameters)
    return call({"base_url": front.url, "access_token": SLACK_TOKEN}, key, **parameters)


def use(front: Front, tool: str, key: str = "", **parameters: Any) -> Any:
    return tool_of(slack, tool).run(make(front, tool, key, **parameters))


def check(front: Front, key: str, **parameters: Any) -> Checked:
    checker = tool_of(slack, "post").check
    assert checker is not None
    return checker(make(front, "post", key, **parameters))


def refused(front: Front, tool: str, key: str = "k", **parameters: Any) -> tuple[FailureClass, str]:
    with pytest.raises(ToolFailedError) as failed:
        use(front, tool, key, **parameters)
    return failed.value.failure.kind, failed.value.failure.sentence


def test_a_token_or_a_client_is_enough() -> None:
    assert check_settings(slack, {"access_token": "xoxb-1"})["base_url"] == "https://slack.com"
    assert check_settings(slack, {"client_id": "1"})["access_token"] is None


def test_it_says_where_it_is_signed_in(front: Front) -> None:
    assert slack.test(make(front, "list_channels", "")) == "Signed in to Emulate as admin."


def test_nobody_signed_in_is_no_riddle(front: Front) -> None:
    with pytest.raises(ToolFailedError) as failed:
        tool_of(slack, "list_channels").run(call({"base_url": front.url}))
    assert failed.value.failure.kind is FailureClass.AUTH
    assert front.seen == []


def test_how_long_it_asks_us_to_wait_is_reckoned_from_the_time_of_the_call() -> None:
    """A date, from a server that does not say what time it is there; also while somebody signs in."""
    later = b"HTTP/1.1 429 Slower\r\nRetry-After: Mon, 04 May 2026 09:02:00 GMT\r\nContent-Length: 0\r\n\r\n"
    assert slack.oauth is not None
    with saying(answering(b"", later)) as port:
        asked = call({"base_url": f"http://127.0.0.1:{port}", "access_token": "x"}, channel="C0000000")
        for ask in (slack.oauth.account, tool_of(slack, "list_messages").run):
            with pytest.raises(ToolFailedError) as failed:
                ask(asked)
            assert failed.value.failure.retry_after == timedelta(minutes=2)


def test_channels_are_listed_page_by_page(front: Front) -> None:
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


def test_what_is_said_can_be_read(front: Front) -> None:
    first = use(front, "post", "first", channel="random", text="One")
    second = use(front, "post", "second", channel=first["channel"], text="Two é")
    heard = use(front, "list_messages", channel="random", limit=2)
    assert [one["text"] for one in heard] == ["Two é", "One"]
    assert [one["id"] for one in use(front, "list_messages", channel="#random", after=first["id"])] == [second["id"]]


def test_an_answer_goes_into_its_thread(front: Front) -> None:
    asked = use(front, "post", "asked", channel="random", text="Why?")
    answered = use(front, "post", "answered", channel="random", text="Because", thread=asked["id"])
    said = next(one for one in use(front, "list_messages", channel="random") if one["id"] == asked["id"])
    assert said["replies"] == 1
    checked = check(front, "answered", channel="random", text="Because", thread=asked["id"])
    assert checked.happened and checked.result["id"] == answered["id"]


def test_a_post_whose_answer_was_lost_is_found_and_not_said_again(front: Front) -> None:
    """X2: the checker finds the mark that the post carries."""
    assert not check(front, "lost", **SAY).happened
    front.rules.append(Rule("chat.postMessage", drop=True))
    assert refused(front, "post", "lost", **SAY)[0] is FailureClass.UNSURE
    checked = check(front, "lost", **SAY)
    assert checked.happened
    (said,) = [one for one in use(front, "list_messages", channel="general") if one["text"] == SAY["text"]]
    assert checked.result["id"] == said["id"]
    assert not check(front, "another", **SAY).happened


def test_a_channel_that_is_not_there_is_said(front: Front) -> None:
    kind, said = refused(front, "post", channel="#nowhere", text="x")
    assert kind is FailureClass.LOGIC and "#nowhere" in said
    kind, said = refused(front, "post", channel="C999999999", text="x")
    assert kind is FailureClass.LOGIC and "channel_not_found" in said


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("post", {"channel": "C000000001", "text": " "}),
        ("post", {"channel": "C000000001", "text": "x" * 40_001}),
        ("list_channels", {"limit": 0}),
        ("list_messages", {"channel": "C000000001", "limit": 1001}),
    ],
)
def test_what_slack_would_not_take_is_not_sent(front: Front, tool: str, given: dict[str, Any]) -> None:
    assert refused(front, tool, **given)[0] is FailureClass.LOGIC
    assert front.seen == []


@pytest.mark.parametrize(
    ("word", "of_a_post", "of_a_read"),
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
def test_the_word_decides(front: Front, word: str, of_a_post: FailureClass, of_a_read: FailureClass) -> None:
    body = json.dumps({"ok": False, "error": word}).encode()
    for tool, path, kind in (
        ("post", "chat.postMessage", of_a_post),
        ("list_messages", "conversations.history", of_a_read),
    ):
        front.rules.append(Rule(path, status=200, body=body))
        given = {"channel": "C000000001"} | ({"text": "x"} if tool == "post" else {})
        got, said = refused(front, tool, **given)
        assert got is kind and word in said and SLACK_TOKEN not in said


@pytest.mark.parametrize(
    ("status", "kind"), [(429, FailureClass.TRANSIENT), (503, FailureClass.UNSURE), (200, FailureClass.UNSURE)]
)
def test_a_status_or_nonsense_is_told_apart(front: Front, status: int, kind: FailureClass) -> None:
    front.rules.append(Rule("chat.postMessage", status=status, body=b"[]"))
    assert refused(front, "post", channel="C000000001", text="x")[0] is kind
