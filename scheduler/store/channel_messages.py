"""Messages to the user's channels: what was sent about which request, and which tokens may still answer.

A message is stored before it is sent. Its token is stored only as a hash and counts for one answer.
"""

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from scheduler.store.database import from_ms, to_ms


class ChannelMessageKind(StrEnum):
    QUESTION = "question"
    """About one request, with buttons."""
    SUMMARY = "summary"
    """About several requests."""
    CODE = "code"
    """Asks for the code that confirms an answer."""
    NEWS = "news"
    """What a script tells the user."""
    NOTE = "note"
    """What Dayhand says about the channel itself; nothing is expected of it once it is sent."""


class ChannelMessageState(StrEnum):
    QUEUED = "queued"
    """To be sent."""
    SENDING = "sending"
    """It may have been sent."""
    SENT = "sent"
    USED = "used"
    """Its token has answered."""
    CLOSED = "closed"
    """Nothing is expected of it any more, and it says so if it can be updated."""


class ChannelMessageRow(NamedTuple):
    channel: str
    kind: ChannelMessageKind
    state: ChannelMessageState
    created: datetime
    id: int = 0
    sent: datetime | None = None
    expires: datetime | None = None
    """Until when its token counts."""
    covers: tuple[str, ...] = ()
    """The requests that it is about; of news, the name of the workflow."""
    request: str | None = None
    """The request that its buttons answer."""
    call_hash: str | None = None
    """The exact call that was asked about."""
    actions: tuple[str, ...] = ()
    pressed: str | None = None
    """The button that waits for a code."""
    token_hash: str | None = None
    content_hash: str | None = None
    message: str | None = None
    """The service's name of it."""
    title: str | None = None
    body: str | None = None
    """The text, until it is sent; only of news."""


_COLUMNS = ChannelMessageRow._fields
_ALL = f"SELECT {', '.join(_COLUMNS)} FROM channel_messages"
_OPEN = "state <> 'closed'"


def add(db: sqlite3.Connection, row: ChannelMessageRow) -> int:
    values = {**row._asdict(), "covers": json.dumps(row.covers), "actions": json.dumps(row.actions)}
    values |= {name: to_ms(values[name]) for name in ("created", "sent", "expires")}
    del values["id"]
    query = f"INSERT INTO channel_messages ({', '.join(values)}) VALUES ({', '.join('?' * len(values))}) RETURNING id"
    number: int = db.execute(query, tuple(values.values())).fetchone()[0]
    return number


def move(
    db: sqlite3.Connection, id_: int, before: Iterable[ChannelMessageState], after: ChannelMessageState, **changes: Any
) -> bool:
    """Change its state if it is one of those; returns whether it was."""
    states = tuple(before)
    sets = "".join(f", {name} = ?" for name in changes)
    values = [to_ms(value) if isinstance(value, datetime) else value for value in changes.values()]
    query = f"UPDATE channel_messages SET state = ?{sets} WHERE id = ? AND state IN ({', '.join('?' * len(states))})"
    return db.execute(query, (after, *values, id_, *states)).rowcount == 1


def note_sent(db: sqlite3.Connection, id_: int, after: ChannelMessageState, now: datetime, message: str) -> None:
    """The service accepted it, though an answer to it may have come before."""
    query = (
        "UPDATE channel_messages SET state = iif(state = 'sending', ?, state), sent = ?, message = ?, title = NULL, "
        "body = NULL WHERE id = ?"
    )
    db.execute(query, (after, to_ms(now), message, id_))


def find(db: sqlite3.Connection, id_: int) -> ChannelMessageRow | None:
    return _first(db, "id = ?", id_)


def find_by_token(db: sqlite3.Connection, token_hash: str) -> ChannelMessageRow | None:
    return _first(db, "token_hash = ?", token_hash)


def list_open(db: sqlite3.Connection, channel: str | None = None) -> list[ChannelMessageRow]:
    """Those that may still be sent, answered or updated, the oldest first."""
    where = _OPEN if channel is None else f"{_OPEN} AND channel = ?"
    rows = db.execute(f"{_ALL} WHERE {where} ORDER BY id", () if channel is None else (channel,))
    return [_from_sql(row) for row in rows]


def list_published(db: sqlite3.Connection, channel: str, content_hash: str) -> list[ChannelMessageRow]:
    """Our messages with that content, whatever became of them."""
    rows = db.execute(f"{_ALL} WHERE channel = ? AND content_hash = ? ORDER BY id", (channel, content_hash))
    return [_from_sql(row) for row in rows]


def list_covered(db: sqlite3.Connection, channel: str) -> set[str]:
    """The requests that the channel was told about."""
    found: set[str] = set()
    query = "SELECT covers FROM channel_messages WHERE channel = ? AND kind IN ('question', 'summary')"
    for (covers,) in db.execute(query, (channel,)):
        found.update(json.loads(covers))
    return found


def list_sent_times(db: sqlite3.Connection, channel: str, since: datetime) -> list[datetime]:
    """When messages were sent, apart from those that answer somebody who pressed a button."""
    query = "SELECT sent FROM channel_messages WHERE channel = ? AND sent >= ? AND kind NOT IN ('code', 'note')"
    return [at for (sent,) in db.execute(query, (channel, to_ms(since))) if (at := from_ms(sent)) is not None]


def find_last_sent(db: sqlite3.Connection, channel: str) -> datetime | None:
    (sent,) = db.execute("SELECT max(sent) FROM channel_messages WHERE channel = ?", (channel,)).fetchone()
    return from_ms(sent)


def delete(db: sqlite3.Connection, id_: int) -> None:
    db.execute("DELETE FROM channel_messages WHERE id = ?", (id_,))


def delete_channel(db: sqlite3.Connection, channel: str) -> None:
    db.execute("DELETE FROM channel_messages WHERE channel = ?", (channel,))


def delete_before(db: sqlite3.Connection, at: datetime) -> int:
    return db.execute("DELETE FROM channel_messages WHERE state = 'closed' AND created < ?", (to_ms(at),)).rowcount


def _first(db: sqlite3.Connection, where: str, *values: Any) -> ChannelMessageRow | None:
    row = db.execute(f"{_ALL} WHERE {where}", values).fetchone()
    return None if row is None else _from_sql(row)


def _from_sql(row: sqlite3.Row) -> ChannelMessageRow:
    values = dict(zip(_COLUMNS, row, strict=True))
    values |= {name: from_ms(values[name]) for name in ("created", "sent", "expires")}
    values |= {name: tuple(json.loads(values[name])) for name in ("covers", "actions")}
    return ChannelMessageRow(
        **{**values, "kind": ChannelMessageKind(values["kind"]), "state": ChannelMessageState(values["state"])}
    )
