"""Carries out each command once: repeating it with the same idempotency key returns the first answer."""

import sqlite3
from collections.abc import Callable
from datetime import datetime
from typing import Any

from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.store import idempotency
from scheduler.timing.errors import BadScheduleError
from scheduler.user_text import UserText

Act = Callable[[sqlite3.Connection, datetime], dict[str, Any]]


def run_once(context: EngineContext, verb: str, subject: str, idempotency_key: str | None, act: Act) -> dict[str, Any]:
    """Run the command in one transaction and announce it. Raises RefusedError; nothing has changed then."""
    now = context.clock.now()
    with context.database.write() as db:
        if (first := find_first_answer(db, verb, idempotency_key)) is not None:
            return first
        try:
            answer = act(db, now)
        except BadScheduleError as error:
            raise RefusedError(error.field, error.sentence) from error
        if idempotency_key is not None:
            idempotency.save(db, idempotency_key, verb, answer, now)
    context.announce(Announcement(subject))
    return answer


def find_first_answer(db: sqlite3.Connection, verb: str, idempotency_key: str | None) -> dict[str, Any] | None:
    """The stored answer of an earlier command with that key; refused if the key belongs to another verb."""
    kept = None if idempotency_key is None else idempotency.find(db, idempotency_key)
    if kept is None:
        return None
    first, answer = kept
    if first != verb:
        raise RefusedError(
            "request",
            UserText(
                "The idempotency key {key} was already used to {first}; use a new one to {verb}.",
                key=idempotency_key,
                first=first,
                verb=verb,
            ),
        )
    return answer
