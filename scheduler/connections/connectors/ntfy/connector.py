"""The ntfy connector: questions and news to the ntfy app, through any server."""

from scheduler.connections import http_client
from scheduler.connections.channel import UserChannel
from scheduler.connections.connector import Call, Connector, Field
from scheduler.connections.connectors.http_auth import CERTIFICATE, ssl_context
from scheduler.connections.connectors.ntfy.topic import (
    CODE_FIELD,
    Topic,
    auth_headers,
    publish,
    receive,
    topic_of,
    update,
)
from scheduler.connections.errors import logic_failure
from scheduler.rules.one_time_codes import parse_key
from scheduler.user_text import UserText


def _test(call: Call) -> str:
    """Reads only: a message would reach the phone."""
    topic = topic_of(call)
    key = call.settings.get(CODE_FIELD)
    if key and parse_key(str(key)) is None:
        raise logic_failure(
            UserText("The authenticator key is not valid. Leave it empty, then create one: dayhand channels code")
        )
    for name in (topic.name, topic.answers):
        http_client.check(_ask_access(call, topic, name, auth_headers(call)), call.now)
    ready = UserText("{host} is ready. Subscribe to {topic} in the ntfy app.", host=topic.host, topic=topic.name)
    if _ask_access(call, topic, topic.name, {}).status == 200:
        return UserText("{ready} Everybody who knows the name of the topic can read what is sent there.", ready=ready)
    return ready


def _ask_access(call: Call, topic: Topic, name: str, headers: dict[str, str]) -> http_client.Answer:
    return http_client.request(
        "GET", f"{topic.server}/{name}/auth", headers=headers, seconds=call.seconds, context=ssl_context(call)
    )


ntfy = Connector(
    kind="ntfy",
    title="Phone (ntfy)",
    help="Sends questions and news to the ntfy app on your phone.",
    fields=(
        Field(name="server", label="Server", help="Your own, or the public one.", default="https://ntfy.sh"),
        Field(
            name="topic",
            label="Topic",
            help="Only for Dayhand; long and hard to guess, for example dayhand-x7Kq2mW9.",
        ),
        Field(
            name="token",
            label="Access token",
            help="If the server asks for a login: one that may read and write both topics.",
            secret=True,
            required=False,
        ),
        Field(
            name="answer_token",
            label="Access token of the buttons",
            help="If the server asks for a login: one that may only write to the topic that ends in -answers. "
            "It is part of each message.",
            secret=True,
            required=False,
        ),
        Field(
            name=CODE_FIELD,
            label="Authenticator key",
            help="Needed to approve from the phone; dayhand channels code creates it.",
            secret=True,
            required=False,
        ),
        CERTIFICATE,
    ),
    tools=(),
    test=_test,
    channel=UserChannel(send=publish, update=update, receive=receive, code_field=CODE_FIELD),
)
