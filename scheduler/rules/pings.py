"""Pings: what a monitoring service is told about a run or about Dayhand itself, and when. Pure."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from scheduler.rules.phases import RunStatus

PING_KIND = "ping"
"""The kind of the connections that pings go through."""
MAX_PING_AGE = timedelta(seconds=60)
"""An older ping is not sent: the service would take it for something that happens now."""
_RUNS = uuid.UUID("5b0c4d1e-3a77-4d0c-9a40-6a1d0f6c2e11")


class PingEvent(StrEnum):
    START = "start"
    SUCCESS = "success"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    event: PingEvent
    at: datetime
    """When it happened."""
    chain: str = ""
    """Of the run; empty if it is about Dayhand itself."""
    run: str = ""
    """The last attempt."""
    took: timedelta | None = None
    exit_code: int | None = None
    """Of the command that failed."""
    text: str = ""
    """The last lines of its output, if the user sends them."""

    @property
    def rid(self) -> str:
        """Identifies the run to the service, which wants a UUID; the same for its start and its end."""
        return str(uuid.uuid5(_RUNS, self.chain)) if self.chain else ""

    def is_stale(self, now: datetime) -> bool:
        return not -MAX_PING_AGE <= now - self.at <= MAX_PING_AGE


def find_ping_event(status: RunStatus, *, is_continued: bool, has_error: bool) -> PingEvent | None:
    """What to tell about a run that ended or waits; None while it continues by itself or waits for an approval."""
    if is_continued:
        return None
    match status:
        case RunStatus.COMMITTED:
            return PingEvent.SUCCESS
        case RunStatus.LOGIC | RunStatus.INTERNAL | RunStatus.CRASHED | RunStatus.TRANSIENT:
            return PingEvent.FAIL
        case RunStatus.APPROVAL if has_error:  # it needs a reconnect or a permission
            return PingEvent.FAIL
    return None
