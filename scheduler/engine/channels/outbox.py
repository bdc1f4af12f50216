"""What is sent through channels, stored before it is sent, so that a restart neither loses nor repeats it.

Thread-safe: channels are used by threads of their own.
"""

import hashlib
import secrets
import sqlite3
from collections.abc import Sequence
from datetime import datetime, timedelta

from scheduler.connections.channel import ChannelMessage
from scheduler.connections.registry import Registry, parse_name
from scheduler.engine.channels.stored_rules import list_channels, read_rules, read_state, save_state
from scheduler.engine.context import EngineContext
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.rules.channels import HOUR, ChannelTopic
from scheduler.rules.requests import RequestAction
from scheduler.store import channel_messages, requests, workflows
from scheduler.store.channel_messages import ChannelMessageKind, ChannelMessageRow, ChannelMessageState
from scheduler.store.requests import RequestRow
from scheduler.user_text import UserText, pack

TOKEN_LIFE = timedelta(hours=24)
CODE_LIFE = timedelta(minutes=10)
_KEPT = timedelta(days=30)
_TOKEN_BYTES = 24
_UNCERTAIN = timedelta(minutes=2)
"""How long after sending failed a message may still turn up at the service."""


def hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def hash_content(title: str, text: str) -> str:
    """Services leave out spaces around both."""
    return hash_text(f"{title.strip()}\n{text.strip()}")


def payload_of(action: RequestAction, token: str) -> str:
    return f"{action.value}.{token}"


class ChannelOutbox:
    def __init__(self, context: EngineContext, registry: Registry) -> None:
        self._context = context
        self._registry = registry

    def queue_news(self, name: str, workflow: str, title: str, text: str) -> list[str]:
        """A script's message, for the channels that the user called by that name; returns them."""
        db, now = self._context.database.read(), self._context.clock.now()
        own = parse_name(name)[1]
        chosen = [
            one
            for one in list_channels(db, self._registry)
            if parse_name(one)[1] == own and read_rules(db, one).covers(ChannelTopic.MESSAGES, (workflow,))
        ]
        row = workflows.find(db, workflow)
        for one in chosen:
            self.queue(one, workflow if row is None else row.name, title, text, now)
        return chosen

    def queue(self, channel: str, workflow: str, title: str, text: str, now: datetime) -> None:
        """The name of the workflow is said too: a script must not seem to be Dayhand."""
        row = ChannelMessageRow(
            channel,
            ChannelMessageKind.NEWS,
            ChannelMessageState.QUEUED,
            now,
            covers=(workflow,),
            title=title,
            body=text,
        )
        with self._context.database.write() as db:
            channel_messages.add(db, row)
        self._context.report_change(Announcement(channel))

    def begin(self, row: ChannelMessageRow) -> tuple[ChannelMessageRow, str]:
        """Store a message that is about to be sent; returns it with the token of its buttons."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        life = CODE_LIFE if row.kind is ChannelMessageKind.CODE else TOKEN_LIFE
        now = self._context.clock.now()
        row = row._replace(created=now, expires=now + life, token_hash=hash_text(token))
        with self._context.database.write() as db:
            return row._replace(id=channel_messages.add(db, row)), token

    def note_content(self, row: ChannelMessageRow, message: ChannelMessage) -> None:
        """So that it is recognized if the service shows it to us; call it right before sending."""
        states = (ChannelMessageState.QUEUED, ChannelMessageState.SENDING)
        with self._context.database.write() as db:
            content = hash_content(message.title, message.text)
            channel_messages.move(db, row.id, states, ChannelMessageState.SENDING, content_hash=content, message=None)

    def note_update(self, row: ChannelMessageRow, message: ChannelMessage) -> None:
        """The text that takes its place is ours too. It is closed before: its buttons must not answer any more."""
        with self._context.database.write() as db:
            if channel_messages.move(db, row.id, [*ChannelMessageState], ChannelMessageState.CLOSED):
                content = hash_content(message.title, message.text)
                closed = ChannelMessageRow(
                    row.channel,
                    ChannelMessageKind.NEWS,
                    ChannelMessageState.CLOSED,
                    self._context.clock.now(),
                    content_hash=content,
                )
                channel_messages.add(db, closed)

    def finish(self, row: ChannelMessageRow, message: str) -> None:
        """It was sent; its text is no longer needed."""
        after = _state_when_sent(row)
        with self._context.database.write() as db:
            channel_messages.note_sent(db, row.id, after, self._context.clock.now(), message)

    def fail(self, row: ChannelMessageRow, *, is_unsure: bool) -> None:
        """It was not sent, or perhaps. Scripts' messages are sent again; everything else is decided again."""
        with self._context.database.write() as db:
            if row.kind is ChannelMessageKind.NEWS:
                channel_messages.move(db, row.id, [ChannelMessageState.SENDING], ChannelMessageState.QUEUED)
            elif not is_unsure:
                channel_messages.delete(db, row.id)

    def give_up_unsure(self, channel: str) -> None:
        """What may have been sent and was not seen at the service: its buttons never answer, and it is sent again."""
        now = self._context.clock.now()
        with self._context.database.write() as db:
            for row in channel_messages.list_open(db, channel):
                if row.state is ChannelMessageState.SENDING and now - row.created > _UNCERTAIN:
                    _void(db, row)

    def recover(self) -> None:
        """At the start: whatever was being sent is sent again, and a token that was used without an answer is void."""
        with self._context.database.write() as db:
            for row in channel_messages.list_open(db):
                request = None if row.request is None else requests.find(db, row.request)
                is_open = request is not None and request.answer is None
                if row.state is ChannelMessageState.SENDING and row.kind is ChannelMessageKind.NEWS:
                    channel_messages.move(db, row.id, [row.state], ChannelMessageState.QUEUED)
                elif row.state is ChannelMessageState.USED and is_open:
                    _void(db, row)
            channel_messages.delete_before(db, self._context.clock.now() - _KEPT)

    def drop(self, row: ChannelMessageRow) -> None:
        """Not to be sent any more."""
        with self._context.database.write() as db:
            channel_messages.move(
                db, row.id, [ChannelMessageState.QUEUED], ChannelMessageState.CLOSED, title=None, body=None
            )

    def adopt(self, channel: str, message: str, title: str, text: str) -> bool:
        """Whether something published in the channel is our own; notes the service's name of it."""
        with self._context.database.write() as db:
            for row in channel_messages.list_published(db, channel, hash_content(title, text)):
                if row.message in (None, message):
                    after = (
                        ChannelMessageState.CLOSED if row.kind is ChannelMessageKind.NEWS else ChannelMessageState.SENT
                    )
                    now = self._context.clock.now()
                    if row.state is ChannelMessageState.SENDING:
                        channel_messages.move(db, row.id, [row.state], after, sent=now, message=message)
                    elif row.message is None:
                        is_queued = row.state is ChannelMessageState.QUEUED
                        channel_messages.move(
                            db, row.id, [row.state], after if is_queued else row.state, message=message
                        )
                    return True
        return False

    def lock_after_foreign_message(self, channel: str) -> str:
        """Accept only rejections until the user unlocks it; returns the warning for the user, unless it was locked."""
        sentence = UserText(
            "Somebody else published a message in the topic of {channel}. It may be meant to mislead you, so only "
            "rejections are accepted until you unlock it: dayhand channels unlock {channel}",
            channel=channel,
        )
        with self._context.database.write() as db:
            state = read_state(db, channel)
            if state.locked:
                return ""
            save_state(db, channel, state, locked=pack(sentence))
        self._context.report_change(Announcement(channel))
        return sentence

    def save_cursor(self, channel: str, cursor: str) -> None:
        with self._context.database.write() as db:
            state = read_state(db, channel)
            if cursor and state.cursor != cursor:
                save_state(db, channel, state, cursor=cursor)

    def is_code_requested(self, channel: str, request: str, since: datetime) -> bool:
        """Whether a code was asked for since then, and still counts: pressing again asks no second time."""
        now = self._context.clock.now()
        return any(
            row.kind is ChannelMessageKind.CODE
            and row.request == request
            and row.state in (ChannelMessageState.SENDING, ChannelMessageState.SENT)
            and row.created >= since
            and (row.expires is None or now < row.expires)
            for row in self.list_open(channel)
        )

    def list_open(self, channel: str) -> list[ChannelMessageRow]:
        return channel_messages.list_open(self._context.database.read(), channel)

    def list_covered(self, channel: str) -> set[str]:
        return channel_messages.list_covered(self._context.database.read(), channel)

    def list_sent_times(self, channel: str) -> Sequence[datetime]:
        return channel_messages.list_sent_times(
            self._context.database.read(), channel, self._context.clock.now() - HOUR
        )

    def find_request(self, id_: str) -> RequestRow | None:
        return requests.find(self._context.database.read(), id_)


def _state_when_sent(row: ChannelMessageRow) -> ChannelMessageState:
    is_over = row.kind in (ChannelMessageKind.NEWS, ChannelMessageKind.NOTE)
    return ChannelMessageState.CLOSED if is_over else ChannelMessageState.SENT


def _void(db: sqlite3.Connection, row: ChannelMessageRow) -> None:
    """Its buttons never answer, and what it was about may be sent again."""
    channel_messages.move(db, row.id, [row.state], ChannelMessageState.CLOSED, covers="[]")
