"""Uses the services of channels: sends, updates and receives with the settings and secrets of their connections."""

import json
from collections.abc import Iterator
from datetime import datetime, tzinfo

from scheduler.connections.channel import (
    MAX_TEXT_BYTES,
    ChannelButton,
    ChannelMessage,
    ChannelReply,
    StopSignal,
    UserChannel,
)
from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.redaction import find_secrets
from scheduler.connections.registry import Registry
from scheduler.connections.secrets import Secrets
from scheduler.engine.channels.answers import list_offered
from scheduler.engine.channels.outbox import ChannelOutbox, payload_of
from scheduler.engine.channels.plan import ChannelPlan, plan_messages
from scheduler.engine.channels.stored_rules import (
    ChannelState,
    list_channels,
    read_rules,
    read_state,
    require_channel,
)
from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.runs.tool_calls import redact_failure
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.rules.channels import ChannelRules, Presence
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.requests import RequestAction
from scheduler.store import connections, requests
from scheduler.store.channel_messages import ChannelMessageKind, ChannelMessageRow, ChannelMessageState
from scheduler.user_text import UserText

_TIMEOUT_S = 20.0


class ChannelSender:
    """For any thread that may block. Its failures say nothing that is secret."""

    def __init__(self, context: EngineContext, registry: Registry, secrets: Secrets) -> None:
        self._context = context
        self._registry = registry
        self._secrets = secrets
        self.outbox = ChannelOutbox(context, registry)

    def list_configured(self) -> dict[str, str]:
        """The channels that are on and work, with a text that changes when they are connected to something else."""
        db = self._context.database.read()
        found = {}
        for name in list_channels(db, self._registry):
            row = connections.find(db, name)
            if row is not None and row.trouble is None and read_rules(db, name).is_on:
                found[name] = json.dumps(row.settings, sort_keys=True)
        return found

    def rules(self, name: str) -> ChannelRules:
        return read_rules(self._context.database.read(), name)

    def state(self, name: str) -> ChannelState:
        return read_state(self._context.database.read(), name)

    def channel(self, name: str) -> UserChannel:
        return require_channel(self._context.database.read(), self._registry, name)

    def read_code(self, name: str) -> str:
        """The key of the authenticator app, or the user's code; empty if there is none."""
        field = self.channel(name).code_field
        return str(self._call(name).settings.get(field) or "") if field else ""

    def plan(self, name: str, presence: Presence, zone: tzinfo) -> ChannelPlan:
        now = self._context.clock.now()
        self.outbox.give_up_unsure(name)
        return plan_messages(self._context.database.read(), name, presence, now, zone)

    def list_offered(self, name: str, request: str) -> tuple[RequestAction, ...]:
        """The buttons of a message about that request."""
        db = self._context.database.read()
        row = requests.find(db, request)
        return () if row is None else list_offered(db, self._registry, name, row)

    def send_question(
        self, name: str, request: str, message: ChannelMessage, labels: tuple[tuple[RequestAction, str], ...]
    ) -> None:
        """About one request, with a button for each label."""
        row = self._about(name, ChannelMessageKind.QUESTION, request, tuple(action.value for action, _ in labels))
        if row is not None:
            self._send(row._replace(covers=(request,)), message, labels)

    def send_code_request(self, name: str, request: str, message: ChannelMessage) -> None:
        if (row := self._about(name, ChannelMessageKind.CODE, request, ())) is not None:
            self._send(row, message)

    def send_summary(self, name: str, covered: tuple[str, ...], message: ChannelMessage) -> None:
        now = self._context.clock.now()
        self._send(
            ChannelMessageRow(name, ChannelMessageKind.SUMMARY, ChannelMessageState.SENDING, now, covers=covered),
            message,
        )

    def send_news(self, row: ChannelMessageRow, message: ChannelMessage) -> None:
        self._send(row, message)

    def say(self, name: str, message: ChannelMessage) -> None:
        """Something about the channel itself, at once."""
        now = self._context.clock.now()
        self._send(ChannelMessageRow(name, ChannelMessageKind.NOTE, ChannelMessageState.SENDING, now), message)

    def _about(
        self, name: str, kind: ChannelMessageKind, request: str, actions: tuple[str, ...]
    ) -> ChannelMessageRow | None:
        """Bound to the call as it is now; None if the request is answered."""
        row = requests.find(self._context.database.read(), request)
        if row is None or row.answer is not None:
            return None
        now = self._context.clock.now()
        asked = ChannelMessageRow(name, kind, ChannelMessageState.SENDING, now, request=request, actions=actions)
        return asked._replace(call_hash=row.hash)

    def _send(
        self,
        row: ChannelMessageRow,
        message: ChannelMessage,
        labels: tuple[tuple[RequestAction, str], ...] = (),
    ) -> None:
        """Store and send a message. ToolFailedError says why it failed; it is decided again then."""
        channel, call = self.channel(row.channel), self._call(row.channel)
        row, token = self.outbox.begin(row) if row.id == 0 else (row, "")
        message = _complete(row, message, token, labels)
        if channel.needs_recipient:
            message = _address(message, self.rules(row.channel).to)
        self.outbox.note_content(row, message)
        try:
            found = channel.send(call, message)
        except ToolFailedError as error:
            self.outbox.fail(row, is_unsure=error.failure.kind is FailureClass.UNSURE)
            raise self._redact(row.channel, call, error) from error
        except BaseException:
            self.outbox.fail(row, is_unsure=True)
            raise
        self.outbox.finish(row, found)

    def send_test(self, name: str) -> dict[str, str]:
        """At once, whatever the rules say."""
        message = ChannelMessage(title="Dayhand", text=str(UserText("This is a test message. Everything works.")))
        try:
            self.say(name, message)
        except ToolFailedError as error:
            raise RefusedError("channel", error.failure.sentence) from error
        return {"channel": name}

    def close(self, row: ChannelMessageRow, message: ChannelMessage) -> None:
        """Make a message say that it needs nothing any more. Its buttons are void even if that fails."""
        channel, call = self.channel(row.channel), self._call(row.channel)
        message = _complete(row, message, "", ())
        self.outbox.note_update(row, message)
        is_old_code_request = row.kind is ChannelMessageKind.CODE and not channel.proves_sender
        if channel.update is None or row.message is None or is_old_code_request:
            return
        try:
            channel.update(call, row.message, message)
        except ToolFailedError as error:
            raise self._redact(row.channel, call, error) from error

    def receive(self, name: str, stop: StopSignal) -> Iterator[ChannelReply | None]:
        channel, call = self.channel(name), self._call(name)
        if channel.receive is None:
            return
        try:
            yield from channel.receive(call, self.state(name).cursor, stop)
        except ToolFailedError as error:
            raise self._redact(name, call, error) from error

    def now(self) -> datetime:
        return self._context.clock.now()

    def note_trouble(self, name: str, failure: Failure) -> None:
        """The service no longer accepts the connection: ask for a new one."""
        with self._context.database.write() as db:
            connections.set_trouble(db, name, failure.sentence)
        self._context.report_change(Announcement(name))

    def _call(self, name: str) -> Call:
        row = connections.find(self._context.database.read(), name)
        settings = {} if row is None else dict(row.settings)
        connector = self._registry.connector_of(name)
        if connector.has_secrets(settings):
            settings |= self._secrets.read(name)
        now = self._context.clock.now()
        return Call(parameters={}, settings=settings, key="", now=now, seconds=_TIMEOUT_S, connection=name)

    def _redact(self, name: str, call: Call, error: ToolFailedError) -> ToolFailedError:
        connector = self._registry.connector_of(name)
        return ToolFailedError(redact_failure(error.failure, find_secrets(connector, call.settings)))


def _complete(
    row: ChannelMessageRow, message: ChannelMessage, token: str, labels: tuple[tuple[RequestAction, str], ...]
) -> ChannelMessage:
    return ChannelMessage(
        title=_shorten(" ".join(message.title.split()), MAX_TEXT_BYTES // 10),
        text=_shorten(message.text.strip(), MAX_TEXT_BYTES),
        buttons=tuple(ChannelButton(label, payload_of(action, token)) for action, label in labels),
        is_urgent=message.is_urgent,
        is_silent=message.is_silent,
        reference=f"dayhand-{row.id}" if row.id else "",
        to=message.to,
    )


def _address(message: ChannelMessage, to: str) -> ChannelMessage:
    if not to:
        raise ToolFailedError.because(FailureClass.LOGIC, UserText("Set the recipient of this channel first."))
    return ChannelMessage(title=message.title, text=message.text, reference=message.reference, to=to)


def _shorten(text: str, most: int) -> str:
    encoded = text.encode()
    return text if len(encoded) <= most else f"{encoded[:most].decode(errors='ignore').rstrip()}…"
