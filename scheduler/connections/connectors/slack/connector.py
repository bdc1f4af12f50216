"""Slack: what is said in a workspace, and saying something there once."""

import hashlib
import re
from collections.abc import Iterator
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
    ToolFailedError,
)
from scheduler.connections.connectors.paging import Page, limit_of, page_through
from scheduler.connections.connectors.slack.web import SLACK, account_of, ask, place_of
from scheduler.connections.mistakes import wrong
from scheduler.connections.oauth.fields import sign_in_fields
from scheduler.connections.oauth.provider import OAuth
from scheduler.connections.told import Told
from scheduler.rules.failures import FailureClass

_CHANNEL_ID = re.compile(r"[CDG][A-Z0-9]{7,}", re.ASCII)
_KINDS = "public_channel,private_channel"
_MARK = "dayhand_post"
_LONGEST = 40_000
_LOOKED_AT = 1000
_CLOCKS_DIFFER = timedelta(days=1)
"""How far the clock of this computer may be from Slack's."""


def _channels(call: Call) -> list[dict[str, Any]]:
    asked = {"types": _KINDS, "exclude_archived": "true"}
    return [
        {
            "id": one.get("id"),
            "name": one.get("name"),
            "is_private": bool(one.get("is_private")),
            "topic": one.inner("topic").get("value"),
        }
        for one in _all(call, "conversations.list", "channels", asked, limit_of(call, 100, 1000))
    ]


def _messages(call: Call) -> list[dict[str, Any]]:
    asked = {"channel": _channel(call)}
    if call.parameters.get("after"):
        asked["oldest"] = call.parameters["after"]
    found = _all(call, "conversations.history", "messages", asked, limit_of(call, 100, 1000))
    return [_told(one) for one in found if _is_after(one, call.parameters.get("after"))]


def _is_after(message: Told, after: str | None) -> bool:
    """Servers may give the message itself as well."""
    try:
        return not after or float(message.get("ts")) > float(after)
    except (TypeError, ValueError) as error:
        raise wrong(f'"{after}" is not the id of a message, such as 1777885200.000100.') from error


def _post(call: Call) -> dict[str, Any]:
    text = call.parameters["text"]
    if not text.strip() or len(text) > _LONGEST:
        raise wrong(f'"text" has from 1 to {_LONGEST} characters.')
    channel = _channel(call)
    asked = {
        "channel": channel,
        "text": text,
        "metadata": {"event_type": _MARK, "event_payload": {"key": _mark(call)}},
    }
    if call.parameters.get("thread"):
        asked["thread_ts"] = call.parameters["thread"]
    posted = ask(call, "chat.postMessage", asked, acts=True)
    return {"channel": posted.get("channel") or channel, "id": posted.get("ts")}


def _check_post(call: Call) -> Checked:
    """By the mark in what Slack keeps beside a message and does not show, among all that was said since."""
    channel = _channel(call)
    text, count = call.parameters["text"], 0
    for one in _said_since(call, channel):
        about = one.inner("metadata")
        if about.get("event_type") == _MARK and about.inner("event_payload").get("key") == _mark(call):
            return Checked(happened=True, result={"channel": channel, "id": one.get("ts")})
        if one.get("text") == text and one.get("bot_id") and "metadata" not in one:
            raise _cannot_tell("An app posted the same text there, and Slack does not say whether it was this one.")
        count += 1
    if count == _LOOKED_AT:
        raise _cannot_tell("So much was said since then that it cannot be told whether this was posted.")
    return Checked(happened=False)


def _said_since(call: Call, channel: str) -> Iterator[Told]:
    asked = {"channel": channel, "include_all_metadata": "true"}
    if call.since is not None:
        asked["oldest"] = f"{(call.since - _CLOCKS_DIFFER).timestamp():.6f}"
    thread = call.parameters.get("thread")
    if not thread:
        return _all(call, "conversations.history", "messages", asked, _LOOKED_AT)
    whole = ask(call, "conversations.replies", {"channel": channel, "ts": thread, "limit": "1"}).each("messages")
    first = next((one.text("thread_ts") for one in whole if one.get("thread_ts")), thread)  # an answer to an answer
    return _all(call, "conversations.replies", "messages", asked | {"ts": first}, _LOOKED_AT)


def _cannot_tell(sentence: str) -> ToolFailedError:
    return ToolFailedError.because(FailureClass.TRANSIENT, sentence)


def _all(call: Call, method: str, items: str, asked: dict[str, Any], limit: int) -> Iterator[Told]:
    def page(call: Call, way: str, left: int) -> Page:
        answer = ask(call, method, {**asked, "limit": str(min(left, 200))} | ({"cursor": way} if way else {}))
        return answer.each(items), answer.inner("response_metadata").text("next_cursor")

    return page_through(call, limit, page)


def _channel(call: Call) -> str:
    """Its id; a name is looked up."""
    given: str = call.parameters["channel"].strip()
    if _CHANNEL_ID.fullmatch(given):
        return given
    name = given.removeprefix("#")
    asked = {"types": _KINDS, "exclude_archived": "true"}
    for one in _all(call, "conversations.list", "channels", asked, 10_000):
        if one.get("name") == name:
            return one.text("id")
    raise wrong(f"There is no channel #{name}, or the app has not been added to it.")


def _mark(call: Call) -> str:
    return hashlib.sha256(call.key.encode()).hexdigest()


def _moment(message: Told) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(message.get("ts")), UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _told(message: Told) -> dict[str, Any]:
    moment = _moment(message)
    return {
        "id": message.get("ts"),
        "user": message.get("user"),
        "text": message.get("text"),
        "date": None if moment is None else moment.isoformat(),
        "thread": message.get("thread_ts"),
        "replies": message.get("reply_count") or 0,
    }


def _test(call: Call) -> str:
    given = ask(call, "auth.test", {})
    return f"Signed in to {given.get('team')} as {given.get('user')}."


_CHANNEL = Parameter(ParameterKind.TEXT, help="A name such as #general, or an id.")
_MOST = Parameter(ParameterKind.WHOLE, required=False, help="How many at most; 100 if not given.")

slack = Connector(
    kind="slack",
    title="Slack",
    help="Reads and posts messages in a Slack workspace.",
    fields=(
        *sign_in_fields("From the app that you made for your workspace, under Basic Information.", required=False),
        Field(
            name="access_token",
            label="Token",
            help="A bot token of that app; leave it empty to sign in through the browser.",
            secret=True,
            required=False,
        ),
        Field(
            name="base_url",
            label="Address",
            help="Only for a server that speaks as Slack does.",
            required=False,
            default=SLACK,
        ),
    ),
    tools=(
        Tool(
            name="list_channels",
            may="list the channels of {name}",
            help="The channels that the app can see.",
            parameters={"limit": _MOST},
            run=_channels,
        ),
        Tool(
            name="list_messages",
            may="read what is said in {name}",
            help="What was said in a channel, newest first.",
            parameters={
                "channel": _CHANNEL,
                "after": Parameter(ParameterKind.TEXT, required=False, help="The id of a message; only later ones."),
                "limit": _MOST,
            },
            run=_messages,
        ),
        Tool(
            name="post",
            may="post in your name in {name}",
            help="Say something in a channel, once.",
            parameters={
                "channel": _CHANNEL,
                "text": Parameter(ParameterKind.TEXT, help="What to say."),
                "thread": Parameter(ParameterKind.TEXT, required=False, help="The id of the message to answer."),
            },
            run=_post,
            mutating=True,
            acts_on_others=True,
            check=_check_post,
            # A message is there once Slack has accepted it. Not idempotent: Slack takes no key for posting.
        ),
    ),
    test=_test,
    oauth=OAuth(
        authorize_url=lambda settings: f"{place_of(settings)}/oauth/v2/authorize",
        token_url=lambda settings: f"{place_of(settings)}/api/oauth.v2.access",
        account=account_of,
        wanted=lambda settings: not settings.get("access_token"),
        scopes=("chat:write", "channels:read", "channels:history", "groups:read", "groups:history"),
        separator=",",
    ),
)
