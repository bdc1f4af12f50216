"""The decision log: one line of JSON for what was decided about a planned time, once it is stored.

It is written from the rows that a transaction changed, so it never says what was rolled back. How a run went is in the
history. A line holds names, times and reasons only, no data of a script and no secret.
"""

import json
import logging
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from scheduler.engine.clock import Clock
from scheduler.store import occurrence_changes
from scheduler.store.database import Database, parse_enum, to_instant, to_ms
from scheduler.store.occurrence_changes import OccurrenceChange
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState

LOGGER = "scheduler.decisions"
"""The name of the logger; each of its messages is one or more lines of JSON."""
CAUGHT_UP, FAILED_TO_START, CLOCK_SET_BACK = "caught up", "failed to start", "clock set back"
"""Decisions that are not the name of a state."""

log = logging.getLogger(LOGGER)


def write_decisions(database: Database, clock: Clock) -> None:
    """Write a line for every decision that is committed to that store from now on."""

    def write(changes: list[Any]) -> None:
        if log.isEnabledFor(logging.INFO):
            decided = [change for change in changes if _is_decision(*change[8:11])]
            if decided:
                log.info(Decisions(decided, clock.now()))

    occurrence_changes.watch(database, write)


def log_clock_set_back(now: datetime, schedules: int, dropped: int) -> None:
    """One line for all schedules whose next time was computed again, and all times that were dropped."""
    line = {"at": _format(to_ms(now) or 0), "decision": CLOCK_SET_BACK, "schedules": schedules, "dropped": dropped}
    log.info("%s", json.dumps(line))


class Decisions:
    """The decisions of one transaction; they become text only if a handler writes them."""

    def __init__(self, changes: Sequence[Any], at: datetime) -> None:
        self._changes = changes
        self._at = to_ms(at) or 0

    def __str__(self) -> str:
        return "\n".join(json.dumps(one) for one in self.values())

    def values(self) -> Iterator[dict[str, Any]]:
        changes = [OccurrenceChange._make(one) for one in self._changes]
        # A start that was taken back in the same transaction was none.
        taken_back = {one.key for one in changes if (one.old_state, one.state) == ("started", "queued")}
        for one in changes:
            if one.key not in taken_back or one.state not in ("started", "queued"):
                yield self._describe(one)

    def _describe(self, one: OccurrenceChange) -> dict[str, Any]:
        said: dict[str, Any] = {
            "at": _format(self._at),
            "schedule": one.schedule,
            "planned": _format(one.planned),
            "decision": _decision(one),
            "late_s": (self._at - one.planned) / 1000,
        }
        if one.reason is not None:
            said["reason"] = parse_enum(OccurrenceReason, one.reason, OccurrenceReason.UNREADABLE).name.lower()
        if one.key is None:
            said |= {"until": _format(one.last), "count": one.number}
            if one.more:
                said["more"] = True
        if one.origin != OccurrenceOrigin.AUTOMATIC:
            said["origin"] = one.origin
        if one.retry_at is not None:
            said["retry_at"] = _format(one.retry_at)
        return said


def _is_decision(old_state: str | None, state: str, reason: str | None) -> bool:
    """Whether the scheduler decided it: how a run ended is not, and a clock set back has a line of its own."""
    if state == OccurrenceState.SUCCEEDED or (old_state is not None and reason == OccurrenceReason.CLOCK):
        return False
    return state != OccurrenceState.FAILED or reason != OccurrenceReason.ERROR


def _decision(one: OccurrenceChange) -> str:
    if one.reason == OccurrenceReason.COULD_NOT_START or one.old_state == one.state:
        return FAILED_TO_START
    if one.state == OccurrenceState.QUEUED and one.late:
        return CAUGHT_UP
    return one.state


@lru_cache(maxsize=64)  # many schedules are due at the same time
def _format(milliseconds: int) -> str:
    return to_instant(milliseconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")
