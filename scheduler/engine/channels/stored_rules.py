"""The rules of each channel and what must be remembered about it, as single values in the store."""

import json
import sqlite3
from dataclasses import asdict, dataclass, replace
from typing import Any

from scheduler.connections.channel import UserChannel
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry
from scheduler.engine.errors import RefusedError
from scheduler.rules.channels import ChannelRules, parse_rules
from scheduler.store import channel_messages, connections, key_values
from scheduler.user_text import UserText

_RULES, _STATE = "channel rules ", "channel state "


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelState:
    cursor: str = ""
    """Up to where replies were read."""
    last_step: int | None = None
    """Of the last code of the authenticator app that was used."""
    wrong_codes: int = 0
    """In a row."""
    locked: str = ""
    """Why only rejections are accepted until the user unlocks it; empty if it is not locked."""


def find_channel(registry: Registry, name: str) -> UserChannel | None:
    try:
        return registry.connector_of(name).channel
    except ConnectionRuleError:
        return None


def list_channels(db: sqlite3.Connection, registry: Registry) -> tuple[str, ...]:
    """The connections that can be channels, on or off."""
    return tuple(row.name for row in connections.list_all(db) if find_channel(registry, row.name) is not None)


def require_channel(db: sqlite3.Connection, registry: Registry, name: str) -> UserChannel:
    channel = find_channel(registry, name)
    if channel is None or connections.find(db, name) is None:
        known = ", ".join(list_channels(db, registry))
        if not known:
            sentence = UserText("{name} is not a channel. Connect one first: dayhand connect ntfy:me", name=name)
        else:
            sentence = UserText("{name} is not a channel. There are: {known}.", name=name, known=known)
        raise RefusedError("channel", sentence)
    return channel


def has_code(db: sqlite3.Connection, name: str, channel: UserChannel) -> bool:
    """Whether a code is set up; those in the keyring are missing in the stored settings."""
    row = connections.find(db, name)
    if row is None or not channel.code_field:
        return False
    return channel.code_field not in row.settings or bool(row.settings[channel.code_field])


def turn_on_new(db: sqlite3.Connection, registry: Registry, name: str) -> None:
    """The user has connected it. One that only carries news serves other purposes too, so it stays off."""
    channel = find_channel(registry, name)
    if channel is not None and channel.receive is not None and key_values.read(db, f"{_RULES}{name}") is None:
        save_rules(db, name, ChannelRules())


def read_rules(db: sqlite3.Connection, name: str) -> ChannelRules:
    """Off until it is connected here: an imported store may belong to a computer that uses the channel already."""
    return parse_rules({"is_on": False, **_read(db, f"{_RULES}{name}")})


def save_rules(db: sqlite3.Connection, name: str, rules: ChannelRules) -> None:
    key_values.write(db, f"{_RULES}{name}", json.dumps(rules.to_json()))


def read_state(db: sqlite3.Connection, name: str) -> ChannelState:
    return ChannelState(**_read(db, f"{_STATE}{name}"))


def save_state(db: sqlite3.Connection, name: str, state: ChannelState, **changes: Any) -> ChannelState:
    state = replace(state, **changes)
    key_values.write(db, f"{_STATE}{name}", json.dumps(asdict(state)))
    return state


def start_over(db: sqlite3.Connection, name: str) -> None:
    """The connection is another topic or chat now: what was sent to the old one can no longer be answered."""
    save_state(db, name, read_state(db, name), cursor="", locked="", wrong_codes=0)
    channel_messages.delete_channel(db, name)


def forget(db: sqlite3.Connection, name: str) -> None:
    """The connection was removed."""
    key_values.delete(db, f"{_RULES}{name}", f"{_STATE}{name}")
    channel_messages.delete_channel(db, name)


def _read(db: sqlite3.Connection, key: str) -> dict[str, Any]:
    written = key_values.read(db, key)
    return {} if written is None else json.loads(written)
