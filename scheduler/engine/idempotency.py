"""A command is carried out once: the same request id again gets the first answer, and nothing else."""

import sqlite3
from collections.abc import Callable
from datetime import datetime
from typing import Any

from scheduler.engine.context import Context
from scheduler.engine.launcher import Announcement
from scheduler.engine.refusal import RefusedError
from scheduler.store import answers
from scheduler.timing.errors import BadScheduleError

Act = Callable[[sqlite3.Connection, datetime], dict[str, Any]]


def carry_out(context: Context, verb: str, subject: str, request: str | None, act: Act) -> dict[str, Any]:
    """Do it in one transaction and say so; refused with a sentence, nothing has changed."""
    now = context.clock.now()
    with context.database.write() as db:
        if (first := first_answer(db, verb, request)) is not None:
            return first
        try:
            answer = act(db, now)
        except BadScheduleError as error:
            raise RefusedError(error.field, error.sentence) from error
        if request is not None:
            answers.keep(db, request, verb, answer, now)
    context.announce(Announcement(subject))
    return answer


def first_answer(db: sqlite3.Connection, verb: str, request: str | None) -> dict[str, Any] | None:
    """What that request was answered, if it came before; refused if it came with another command."""
    kept = None if request is None else answers.find(db, request)
    if kept is None:
        return None
    first, answer = kept
    if first != verb:
        raise RefusedError("request", f"The request id {request} was used to {first}; take another one to {verb}.")
    return answer
