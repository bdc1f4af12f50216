"""Reminds of requests that expire, and lets them expire: whoever changes the row first decides."""

import sqlite3
from functools import partial

from scheduler.engine.context import EngineContext
from scheduler.engine.runs import user_requests
from scheduler.engine.runs.write_retry import RetryingWriter
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.rules.expiry import EXPIRED, ExpiryStep, OnExpiry, decide_expiry
from scheduler.store import requests
from scheduler.store.requests import AnswerOutcome, GivenAnswer, RequestAnswer


class RequestExpiry:
    """Runs on the threads of runs."""

    def __init__(self, context: EngineContext, writer: RetryingWriter) -> None:
        self._context = context
        self._writer = writer

    def settle(self, request: str) -> None:
        """Do what is due for a request: remind, expire, or wait a little longer."""
        workflow = self._writer.write(partial(self._settle, request=request))
        if workflow is not None:
            self._context.announce(Announcement(workflow))

    def _settle(self, db: sqlite3.Connection, request: str) -> str | None:
        """The workflow, if the request was still open."""
        row, now = requests.find(db, request), self._context.clock.now()
        if row is None or row.answer is not None or row.expires is None:
            return None
        decision = decide_expiry(
            created=row.created,
            expires=row.expires,
            reminded=row.reminded,
            wake_at=row.wake_at,
            on_expiry=OnExpiry(row.on_expiry or OnExpiry.REJECT),
            now=now,
        )
        if decision.step is ExpiryStep.EXPIRE:
            given = GivenAnswer(RequestAnswer.EXPIRED, reason=EXPIRED)
            if requests.answer(db, row.id, given, now) is AnswerOutcome.ACCEPTED:
                user_requests.skip(db, row, EXPIRED, now)
        else:
            reminded = now if decision.step is ExpiryStep.REMIND else row.reminded
            requests.set_wake(db, row.id, decision.wake_at, reminded)
        return row.workflow
