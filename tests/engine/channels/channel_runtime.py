"""A runtime with two channels whose service is a list: one proves who answers, the other does not."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from scheduler.connections.channel import ChannelMessage, ChannelReply, StopSignal, UserChannel
from scheduler.connections.connector import Call, Connector, Field, ToolFailedError
from scheduler.connections.registry import Registry
from scheduler.engine.channels.answers import ChannelAnswer
from scheduler.rules.channels import Presence
from scheduler.rules.one_time_codes import code_at, make_key, parse_key, step_at
from scheduler.store import channel_messages
from scheduler.store.channel_messages import ChannelMessageRow
from scheduler.store.requests import RequestRow
from scheduler.timing.zones import find_zone
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer

OPEN, PROVED = "open:me", "proved:me"
KEY = make_key(bytes(range(20)))
PIN = "2580"
STEP = timedelta(seconds=30)


@dataclass
class ListService:
    """Remembers what it was sent; fails if told so."""

    sent: list[ChannelMessage] = field(default_factory=list)
    updated: list[tuple[str, ChannelMessage]] = field(default_factory=list)
    fails: list[ToolFailedError] = field(default_factory=list)

    def send(self, _: Call, message: ChannelMessage) -> str:
        if self.fails:
            raise self.fails.pop(0)
        self.sent.append(message)
        return f"m{len(self.sent)}"

    def update(self, _: Call, message: str, content: ChannelMessage) -> None:
        self.updated.append((message, content))

    def receive(self, _: Call, __: str, ___: StopSignal) -> Any:
        return iter(tuple[ChannelReply, ...]())

    def connector(self, kind: str, *, proves_sender: bool) -> Connector:
        channel = UserChannel(
            send=self.send,
            update=self.update,
            receive=self.receive,
            proves_sender=proves_sender,
            code_field="code",
        )
        code = Field(name="code", label="Code", required=False)
        return Connector(
            kind=kind, title=kind, help="", fields=(code,), tools=(), test=lambda _: "It works.", channel=channel
        )


class ChannelRuntime(RuntimeFixture):
    def __init__(self, folder: Path) -> None:
        self.list_service = ListService()
        super().__init__(folder)

    def open(self) -> None:
        world = self.service.registry().connector("world")
        connectors = [
            world,
            self.list_service.connector("open", proves_sender=False),
            self.list_service.connector("proved", proves_sender=True),
        ]
        self.service.registry = lambda: Registry(connectors)  # type: ignore[method-assign]
        super().open()
        self.answers, self.channels = self.services.channel_answers, self.services.channels
        self.listening_since = self.clock.wall

    def connect(self, *, code: bool = True) -> None:
        self.services.connect(OPEN, {"code": KEY if code else ""})
        self.services.connect(PROVED, {"code": PIN if code else ""})

    def ask(self, tool: str = "act", approve: str = "always") -> RequestRow:
        """Let a workflow ask for an approval."""
        self.deploy(consumer(approve=approve, tool=tool))
        self.publish("a", {})
        self.tick()
        [request] = self.requests()
        return request

    def send(self, request: RequestRow, channel: str = PROVED, message: str = "Something") -> ChannelMessage:
        """The message about it, with its buttons."""
        offered = self.channels.list_offered(channel, request.id)
        labels = tuple((action, action.value) for action in offered)
        self.channels.send_question(channel, request.id, ChannelMessage(title="W", text=message), labels)
        return self.list_service.sent[-1]

    def press(self, message: ChannelMessage, label: str, channel: str = PROVED) -> ChannelAnswer:
        [button] = [one for one in message.buttons if one.label == label]
        answer = self.answers.press(channel, button.payload)
        if answer.result == "needs code":
            self.channels.send_code_request(channel, answer.request, ChannelMessage(title="Code?"))
        return answer

    def write(self, text: str, channel: str = PROVED) -> ChannelAnswer:
        code = self.channels.read_code(channel)
        return self.answers.confirm(channel, text, code, self.listening_since)

    def show_code(self) -> str:
        """What the authenticator app shows now."""
        key = parse_key(KEY)
        assert key is not None
        return code_at(key, step_at(self.clock.wall))

    def rows(self, channel: str) -> list[ChannelMessageRow]:
        return channel_messages.list_open(self.database.read(), channel)

    def plan(self, channel: str = PROVED) -> Any:
        return self.channels.plan(channel, Presence(), find_zone("UTC"))

    def calls(self) -> int:
        """How often the outside action was carried out."""
        return len(self.service.calls)
