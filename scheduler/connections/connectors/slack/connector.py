"""Slack: list channels and messages, and post a message exactly once."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from scheduler.connections.connector import (
    Call,
    Checked,
    Connector,
    Field,
    Parameter,
    ParameterKind,
    Tool,
    ToolExample,
    ToolFailedError,
)
from scheduler.connections.connectors.paging import ResultPage, iterate_pages, read_limit
from scheduler.connections.connectors.slack.api import SLACK_URL, base_url, call_method, fetch_account
from scheduler.connections.errors import logic_failure
from scheduler.connections.json_reader import JsonObject
from scheduler.connections.oauth.fields import sign_in_fields
from scheduler.connections.oauth.provider import OAuth
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_CHANNEL_ID = re.compile(r"[CDG][A-Z0-9]{7,}", re.ASCII)
_CHANNEL_TYPES = "public_channel,private_channel"
_EVENT_TYPE = "dayhand_post"
_MAX_TEXT_CHARS = 40_000
_MAX_CHECKED = 1000
_CLOCK_TOLERANCE = timedelta(days=1)
"""How far this computer's clock may be off."""


def _channels(call: Call) -> list[dict[str, Any]]:
    parameters = {"types": _CHANNEL_TYPES, "exclude_archived": "true"}
    return [
        {
            "id": one.get("id"),
            "name": one.get("name"),
            "is_private": bool(one.get("is_private")),
            "topic": one.nested("topic").get("value"),
        }
        for one in _list_all(call, "conversations.list", "channels", parameters, read_limit(call, 100, 1000))
    ]


def _messages(call: Call) -> list[dict[str, Any]]:
    parameters = {"channel": _find_channel(call)}
    if call.parameters.get("after"):
        parameters["oldest"] = call.parameters["after"]
    found = _list_all(call, "conversations.history", "messages", parameters, read_limit(call, 100, 1000))
    return [_describe(one) for one in found if _is_after(one, call.parameters.get("after"))]


def _is_after(message: JsonObject, after: str | None) -> bool:
    """Servers may return the message itself too."""
    try:
        return not after or float(message.get("ts")) > float(after)
    except (TypeError, ValueError) as error:
        raise logic_failure(
            UserText('"{after}" is not a message id such as 1777885200.000100.', after=after)
        ) from error


def _validate_post(parameters: Mapping[str, Any]) -> None:
    text = parameters["text"]
    if not text.strip() or len(text) > _MAX_TEXT_CHARS:
        raise logic_failure(
            UserText('"text" must have 1 to {max_text_chars} characters.', max_text_chars=_MAX_TEXT_CHARS)
        )


def _post(call: Call) -> dict[str, Any]:
    _validate_post(call.parameters)
    text = call.parameters["text"]
    channel = _find_channel(call)
    parameters = {
        "channel": channel,
        "text": text,
        "metadata": {"event_type": _EVENT_TYPE, "event_payload": {"key": _key_digest(call)}},
    }
    if call.parameters.get("thread"):
        parameters["thread_ts"] = call.parameters["thread"]
    posted = call_method(call, "chat.postMessage", parameters, acts=True)
    return {"channel": posted.get("channel") or channel, "id": posted.get("ts")}


def _check_post(call: Call) -> Checked:
    """Find the post by its hidden metadata among all messages since then."""
    channel = _find_channel(call)
    text, count = call.parameters["text"], 0
    for one in _messages_since(call, channel):
        metadata = one.nested("metadata")
        if metadata.get("event_type") == _EVENT_TYPE and metadata.nested("event_payload").get("key") == _key_digest(
            call
        ):
            return Checked(happened=True, result={"channel": channel, "id": one.get("ts")})
        if one.get("text") == text and one.get("bot_id") and "metadata" not in one:
            raise _unclear(
                UserText("An app posted the same text there, but Slack does not tell whether it was this post.")
            )
        count += 1
    if count == _MAX_CHECKED:
        raise _unclear(UserText("Too many messages were posted since then to tell whether this one was."))
    return Checked(happened=False)


def _messages_since(call: Call, channel: str) -> Iterator[JsonObject]:
    parameters = {"channel": channel, "include_all_metadata": "true"}
    if call.since is not None:
        parameters["oldest"] = f"{(call.since - _CLOCK_TOLERANCE).timestamp():.6f}"
    thread = call.parameters.get("thread")
    if not thread:
        return _list_all(call, "conversations.history", "messages", parameters, _MAX_CHECKED)
    thread_start = call_method(call, "conversations.replies", {"channel": channel, "ts": thread, "limit": "1"}).objects(
        "messages"
    )
    first = next((one.text("thread_ts") for one in thread_start if one.get("thread_ts")), thread)  # a reply to a reply
    return _list_all(call, "conversations.replies", "messages", parameters | {"ts": first}, _MAX_CHECKED)


def _unclear(sentence: str) -> ToolFailedError:
    return ToolFailedError.because(FailureClass.TRANSIENT, sentence)


def _list_all(call: Call, method: str, items: str, parameters: dict[str, Any], limit: int) -> Iterator[JsonObject]:
    def page(call: Call, cursor: str, left: int) -> ResultPage:
        answer = call_method(
            call, method, {**parameters, "limit": str(min(left, 200))} | ({"cursor": cursor} if cursor else {})
        )
        return answer.objects(items), answer.nested("response_metadata").text("next_cursor")

    return iterate_pages(call, limit, page)


def _find_channel(call: Call) -> str:
    """The id of the channel; a name is looked up."""
    given: str = call.parameters["channel"].strip()
    if _CHANNEL_ID.fullmatch(given):
        return given
    name = given.removeprefix("#")
    parameters = {"types": _CHANNEL_TYPES, "exclude_archived": "true"}
    for one in _list_all(call, "conversations.list", "channels", parameters, 10_000):
        if one.get("name") == name:
            return one.text("id")
    raise logic_failure(UserText("There is no channel #{name}, or the app was not added to it.", name=name))


def _key_digest(call: Call) -> str:
    return hashlib.sha256(call.key.encode()).hexdigest()


def _sent_at(message: JsonObject) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(message.get("ts")), UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _describe(message: JsonObject) -> dict[str, Any]:
    sent_at = _sent_at(message)
    return {
        "id": message.get("ts"),
        "user": message.get("user"),
        "text": message.get("text"),
        "date": None if sent_at is None else sent_at.isoformat(),
        "thread": message.get("thread_ts"),
        "replies": message.get("reply_count") or 0,
    }


def _test(call: Call) -> str:
    given = call_method(call, "auth.test", {})
    return UserText("Signed in to {team} as {user}.", team=given.get("team"), user=given.get("user"))


_CHANNEL = Parameter(ParameterKind.TEXT, help="Name such as #general, or id.")
_LIMIT = Parameter(ParameterKind.WHOLE, required=False, help="Maximum number of results; default 100.")

slack = Connector(
    kind="slack",
    title="Slack",
    help="Reads and posts messages in a Slack workspace.",
    fields=(
        *sign_in_fields(
            UserText("From the app that you created for your workspace, under Basic Information."), required=False
        ),
        Field(
            name="access_token",
            label="Token",
            help="A bot token of that app; leave empty to sign in through the browser.",
            secret=True,
            required=False,
        ),
        Field(
            name="base_url",
            label="Address",
            help="Only for a Slack-compatible server.",
            required=False,
            default=SLACK_URL,
        ),
    ),
    tools=(
        Tool(
            name="list_channels",
            may=UserText("list the channels of {name}"),
            help=UserText("List the channels that the app can see."),
            parameters={"limit": _LIMIT},
            example=ToolExample({}, [{"id": "C024BE91L", "name": "general", "is_private": False, "topic": ""}]),
            run=_channels,
        ),
        Tool(
            name="list_messages",
            may=UserText("read messages in {name}"),
            help=UserText("List the messages in a channel, newest first."),
            parameters={
                "channel": _CHANNEL,
                "after": Parameter(
                    ParameterKind.TEXT, required=False, help="Id of a message; only later ones are listed."
                ),
                "limit": _LIMIT,
            },
            example=ToolExample(
                {"channel": "#general", "limit": 10},
                [
                    {
                        "id": "1777885200.000100",
                        "user": "U061F7AUR",
                        "text": "Hello",
                        "date": "2026-05-04T09:00:00.000100+00:00",
                        "thread": None,
                        "replies": 0,
                    }
                ],
            ),
            run=_messages,
        ),
        Tool(
            name="post",
            may=UserText("post in your name in {name}"),
            help=UserText("Post a message in a channel exactly once."),
            parameters={
                "channel": _CHANNEL,
                "text": Parameter(ParameterKind.TEXT, help="Text of the message.", editable=True),
                "thread": Parameter(ParameterKind.TEXT, required=False, help="Id of the message to reply to."),
            },
            example=ToolExample(
                {"channel": "#general", "text": "Hello"}, {"channel": "C024BE91L", "id": "1777885200.000200"}
            ),
            run=_post,
            mutating=True,
            acts_on_others=True,
            check=_check_post,
            validate=_validate_post,
            # A message is visible as soon as Slack accepts it. Not idempotent: Slack accepts no key for posting.
        ),
    ),
    test=_test,
    oauth=OAuth(
        authorize_url=lambda settings: f"{base_url(settings)}/oauth/v2/authorize",
        token_url=lambda settings: f"{base_url(settings)}/api/oauth.v2.access",
        account=fetch_account,
        is_needed=lambda settings: not settings.get("access_token"),
        scopes=("chat:write", "channels:read", "channels:history", "groups:read", "groups:history"),
        scope_separator=",",
    ),
)
