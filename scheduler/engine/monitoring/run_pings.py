"""Tells the monitoring service of a handler when its runs start and how they end."""

import logging
import sqlite3

from scheduler.engine.context import EngineContext
from scheduler.engine.monitoring.ping_sender import PingSender
from scheduler.engine.runs.attempt import Attempt
from scheduler.engine.script_plan import HandlerPlan, ScriptPlan
from scheduler.rules.phases import first_phase
from scheduler.rules.pings import Ping, PingEvent, find_ping_event
from scheduler.rules.requests import WAITS_FOR_TIME
from scheduler.store import handlers, lanes, runs
from scheduler.store.errors import StoreError

log = logging.getLogger(__name__)


class RunPings:
    """Implements RunObserver. Never fails and never waits; what it tells is best effort."""

    def __init__(self, context: EngineContext, sender: PingSender) -> None:
        self._context = context
        self._sender = sender

    def run_started(self, attempt: Attempt) -> None:
        """Later attempts of a run are not told."""
        handler, row = attempt.handler, attempt.row
        if handler.ping is None or row.attempt > 1 or attempt.phase is not first_phase(handler.kind):
            return
        ping = Ping(event=PingEvent.START, at=self._context.clock.now(), chain=row.chain, run=row.id)
        self._sender.submit(handler.ping, ping, attempt.workflow)

    def run_ended(self, plan: ScriptPlan, handler: HandlerPlan, run: str, db: sqlite3.Connection | None = None) -> None:
        """It ended, waits, or was interrupted."""
        if handler.ping is None:
            return
        try:
            if db is not None:
                self._tell_end(db, plan, handler, handler.ping, run)
            else:
                with self._context.database.quick_read() as reading:
                    self._tell_end(reading, plan, handler, handler.ping, run)
        except StoreError as error:
            log.info("No ping about %s: %s", run, error)

    def _tell_end(
        self, db: sqlite3.Connection, plan: ScriptPlan, handler: HandlerPlan, connection: str, run: str
    ) -> None:
        row = runs.find(db, run)
        if row is None:
            return
        error = row.error or {}
        event = find_ping_event(row.status, is_continued=row.resume_at is not None, has_error=bool(error))
        if event is None or (event is PingEvent.SUCCESS and _is_other_failing(db, plan, handler)):
            return
        ping = Ping(
            event=event,
            at=self._context.clock.now(),
            chain=row.chain,
            run=row.id,
            took=None if row.began is None or row.ended is None else row.ended - row.began,
            exit_code=error.get("exit_code"),
        )
        self._sender.submit(connection, ping, plan.workflow)


def _is_other_failing(db: sqlite3.Connection, plan: ScriptPlan, handler: HandlerPlan) -> bool:
    """Whether another handler with the same ping is failing: the success of one must not hide it."""
    others = {one.name: one for one in plan.handlers.values() if one.ping == handler.ping and one is not handler}
    if not others:
        return False
    stopped = {
        lane.name
        for lane in lanes.of_workflow(db, plan.workflow)
        if lane.blocked is not None and lane.blocked not in WAITS_FOR_TIME
    }
    failing = {one.name for one in handlers.list_failing(db) if one.workflow == plan.workflow}
    return any(name in failing or (one.lane in stopped and one.lane != handler.lane) for name, one in others.items())
