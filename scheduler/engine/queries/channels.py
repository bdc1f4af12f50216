"""Channels: their rules, and what waits in them. Knows no secrets."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduler.engine.channels.stored_rules import find_channel, has_code, list_channels, read_rules, read_state
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.store import channel_messages, connections
from scheduler.store.channel_messages import ChannelMessageState
from scheduler.user_text import unpack


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelView:
    channel: str
    """The name of the connection."""
    title: str
    rules: dict[str, Any]
    takes_answers: bool
    """Whether requests can be answered through it, or it only carries news."""
    proves_sender: bool
    """Whether the service makes sure that only the user answers; otherwise approving needs a code."""
    has_code: bool
    """Whether a code is set up."""
    needs_recipient: bool
    locked: str
    """Why only rejections are accepted; empty if it is not locked."""
    trouble: str | None
    """Why it must be connected again."""
    waiting: int
    """Messages to be sent."""
    last_sent: datetime | None


def find_all(snapshot: Snapshot) -> list[ChannelView]:
    return [_view(snapshot, name) for name in list_channels(snapshot.db, snapshot.registry)]


def _view(snapshot: Snapshot, name: str) -> ChannelView:
    db, registry = snapshot.db, snapshot.registry
    channel, row, state = find_channel(registry, name), connections.find(db, name), read_state(db, name)
    assert channel is not None
    assert row is not None
    open_now = channel_messages.list_open(db, name)
    return ChannelView(
        channel=name,
        title=registry.connector_of(name).title,
        rules=read_rules(db, name).to_json(),
        takes_answers=channel.receive is not None,
        proves_sender=channel.proves_sender,
        has_code=has_code(db, name, channel),
        needs_recipient=channel.needs_recipient,
        locked=unpack(state.locked) or "",
        trouble=row.trouble,
        waiting=sum(one.state in (ChannelMessageState.QUEUED, ChannelMessageState.SENDING) for one in open_now),
        last_sent=channel_messages.find_last_sent(db, name),
    )
