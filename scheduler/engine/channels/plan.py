"""What a channel has to send and to close now: its rules applied to what is open and what it was told before."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime, tzinfo

from scheduler.engine.channels.stored_rules import read_rules
from scheduler.rules.channels import HOUR, ChannelItem, ChannelTopic, Presence, decide, topic_of
from scheduler.store import channel_messages, requests
from scheduler.store.channel_messages import ChannelMessageKind, ChannelMessageRow, ChannelMessageState

_NEWS = "news:"
_UNANSWERABLE = (ChannelMessageKind.SUMMARY, ChannelMessageKind.NEWS, ChannelMessageKind.NOTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelPlan:
    questions: tuple[str, ...] = ()
    """Requests, each with a message of its own."""
    summary: tuple[str, ...] = ()
    """Requests for one message together."""
    news: tuple[ChannelMessageRow, ...] = ()
    news_summary: tuple[ChannelMessageRow, ...] = ()
    dropped: tuple[ChannelMessageRow, ...] = ()
    closing: tuple[ChannelMessageRow, ...] = ()
    """Messages that need nothing any more."""
    wake_at: datetime | None = None

    @property
    def is_empty(self) -> bool:
        return not (self.questions or self.summary or self.news or self.news_summary or self.dropped or self.closing)


def plan_messages(db: sqlite3.Connection, channel: str, presence: Presence, now: datetime, zone: tzinfo) -> ChannelPlan:
    rules = read_rules(db, channel)
    rows = channel_messages.list_open(db, channel)
    asked = requests.list_open(db)
    queued = {f"{_NEWS}{row.id}": row for row in rows if row.state is ChannelMessageState.QUEUED}
    items = [
        ChannelItem(key=one.id, topic=topic_of(one.kind), workflows=(one.workflow,), since=one.created) for one in asked
    ]
    items += [
        ChannelItem(key=key, topic=ChannelTopic.MESSAGES, workflows=rules.workflows, since=row.created)
        for key, row in queued.items()
    ]
    sent = channel_messages.list_sent_times(db, channel, now - HOUR)
    decision = decide(items, channel_messages.list_covered(db, channel), sent, rules, presence, now, zone)
    is_off = [row for row in queued.values() if not rules.covers(ChannelTopic.MESSAGES, rules.workflows or ("",))]
    return ChannelPlan(
        questions=tuple(key for key in decision.single if key not in queued),
        summary=tuple(key for key in decision.summary if key not in queued),
        news=tuple(queued[key] for key in decision.single if key in queued),
        news_summary=tuple(queued[key] for key in decision.summary if key in queued),
        dropped=(*(queued[key] for key in decision.dropped), *is_off),
        closing=tuple(row for row in rows if _is_over(row, {one.id: one.hash for one in asked}, now)),
        wake_at=min(
            (at for at in (decision.wake_at, *(row.expires for row in rows if row.kind not in _UNANSWERABLE)) if at),
            default=None,
        ),
    )


def _is_over(row: ChannelMessageRow, asked: dict[str, str | None], now: datetime) -> bool:
    match row.kind:
        case ChannelMessageKind.NEWS | ChannelMessageKind.NOTE:
            return False
        case ChannelMessageKind.SUMMARY:
            return row.state is ChannelMessageState.SENT and not asked.keys() & {*row.covers}
        case _:
            if row.state not in (ChannelMessageState.SENT, ChannelMessageState.USED):
                return False
            is_asked = row.request in asked and asked[row.request or ""] == row.call_hash
            is_answered_code = row.kind is ChannelMessageKind.CODE and row.state is ChannelMessageState.USED
            return not is_asked or is_answered_code or (row.expires is not None and now >= row.expires)
