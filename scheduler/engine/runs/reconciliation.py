"""Finds out whether an outside action happened: asks the tool's checker a few times, then the user."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from scheduler.connections import abandoned_calls
from scheduler.connections.connector import Checked
from scheduler.engine.context import EngineContext
from scheduler.engine.runs import user_requests
from scheduler.engine.runs.attempt import AttemptFailedError
from scheduler.engine.runs.finish import request_outcome
from scheduler.engine.runs.tool_calls import ToolCaller
from scheduler.engine.runs.write_retry import RetryingWriter
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import RunPhase
from scheduler.rules.reconciliation import evaluate_negative_check
from scheduler.rules.requests import RequestKind
from scheduler.store import connections, mutations, requests, runs
from scheduler.store.errors import StaleError
from scheduler.store.mutations import MutationRow
from scheduler.store.requests import RequestAnswer

MAX_CHECKS = 5
_FIRST_DELAY, _MAX_DELAY = timedelta(seconds=10), timedelta(minutes=10)
_STILL_RUNNING_DELAY = timedelta(seconds=30)


def check_delay(checks: int) -> timedelta:
    """The delay after that many failed checks: 10 s, doubling to 10 minutes."""
    return min(_FIRST_DELAY * (1 << max(checks - 1, 0)), _MAX_DELAY)


@dataclass(slots=True)
class _Watch:
    """Monotonic times for one unknown outcome; a restart begins again, to be safe."""

    ended: float
    """A time at which the call had certainly ended."""
    first_no: float | None = None


class Reconciler:
    def __init__(self, context: EngineContext, tools: ToolCaller, writer: RetryingWriter) -> None:
        self._context = context
        self._tools = tools
        self._writer = writer
        self._watches: dict[tuple[str, datetime], _Watch] = {}
        """By run and start of the call: a second call of the same run gets its own watch."""

    def check(self, mutation: MutationRow) -> None:
        """Check once and store what is known now."""
        store = self._find_out(mutation)
        with suppress(StaleError):  # the user, or another check, was first
            self._writer.write(store, durable=True)
        self._context.announce(Announcement(mutation.workflow))

    def _find_out(self, mutation: MutationRow) -> Callable[[sqlite3.Connection], None]:
        if abandoned_calls.is_running(mutation.key):
            return partial(self._store_still_running, mutation)
        if (late := self._tools.take_late_outcome(mutation)) is not None:
            return partial(self._store_outcome, mutation, late)
        tool = self._tools.find_checker(mutation)
        if tool is None:
            return partial(self._ask_user, mutation)
        watch = self._watches.setdefault((mutation.run, mutation.begun), _Watch(self._context.clock.monotonic()))
        try:
            found = self._tools.check_outcome(tool, mutation)
        except AttemptFailedError as failed:
            return partial(self._store_failure, mutation, failed.failure)
        if found.happened:
            return partial(self._store_outcome, mutation, found)
        denial = evaluate_negative_check(
            ended=watch.ended,
            first_no=watch.first_no,
            now=self._context.clock.monotonic(),
            window=tool.apply_window.total_seconds(),
        )
        watch.first_no = denial.first_no
        if denial.did_not_happen:
            return partial(self._store_outcome, mutation, found)
        return partial(self._check_later, mutation, timedelta(seconds=denial.wait_s))

    def _store_outcome(self, mutation: MutationRow, found: Checked, db: sqlite3.Connection) -> None:
        self._watches.pop((mutation.run, mutation.begun), None)
        record_outcome(db, mutation.run, happened=found.happened, result=found.result, now=self._context.clock.now())

    def _check_later(self, mutation: MutationRow, wait: timedelta, db: sqlite3.Connection) -> None:
        mutations.schedule_check(db, mutation.run, self._context.clock.now() + wait, counts=False)

    def _store_still_running(self, mutation: MutationRow, db: sqlite3.Connection) -> None:
        """Decide nothing while the call runs; after a few checks ask the user, who may know the outcome."""
        checks = mutation.checks + 1
        wait = check_delay(checks)
        if checks >= MAX_CHECKS:
            self._ask_user(mutation, db)
            wait = _STILL_RUNNING_DELAY  # keep checking: the call may end before the user answers
        mutations.schedule_check(db, mutation.run, self._context.clock.now() + wait, counts=True)

    def _store_failure(self, mutation: MutationRow, failure: Failure, db: sqlite3.Connection) -> None:
        now, checks = self._context.clock.now(), mutation.checks + failure.counts
        match failure.kind:
            case FailureClass.AUTH:
                mutations.schedule_check(db, mutation.run, None, counts=False)
                connections.set_trouble(db, mutation.connection, failure.sentence)
                run = runs.find(db, mutation.run)
                assert run is not None
                user_requests.ask(db, RequestKind.RECONNECT, run, failure.sentence, now, subject=mutation.connection)
            case FailureClass.UNSURE:
                self._ask_user(mutation, db)
            case _ if checks >= MAX_CHECKS:
                self._ask_user(mutation, db)
            case _:
                mutations.schedule_check(db, mutation.run, now + check_delay(checks), counts=failure.counts)

    def _ask_user(self, mutation: MutationRow, db: sqlite3.Connection) -> None:
        run = runs.find(db, mutation.run)
        assert run is not None
        sentence = (run.error or {}).get("sentence", "")
        request_outcome(db, run, sentence, self._context.clock.now(), has_checker=False)


def record_outcome(db: sqlite3.Connection, run: str, *, happened: bool | None, result: object, now: datetime) -> None:
    """Record the outcome (None: the user skips it) and resume the run."""
    status = {True: MutationStatus.APPLIED, False: MutationStatus.FAILED, None: MutationStatus.SKIPPED}[happened]
    mutations.record_outcome(db, run, MutationStatus.UNSURE, status, now, result=result)
    if status is not MutationStatus.FAILED:
        runs.advance_waiting(db, run, RunPhase.MUTATING, RunPhase.MUTATED, now, outcome=result)
    requests.close(db, now, RequestAnswer.SOLVED, run=run)
    runs.schedule_resume(db, run, now)
