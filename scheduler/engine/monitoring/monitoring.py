"""Everything that watches the engine and its runs, in one object."""

import logging
import sqlite3
from datetime import datetime

from scheduler.connections.registry import Registry
from scheduler.connections.secrets import Secrets
from scheduler.engine.context import EngineContext
from scheduler.engine.monitoring.expectations import Expectations
from scheduler.engine.monitoring.heartbeat import Heartbeat
from scheduler.engine.monitoring.ping_sender import Notify, PingSender
from scheduler.engine.monitoring.report_mail import ReportMail, WriteReport
from scheduler.engine.monitoring.run_pings import RunPings
from scheduler.engine.runs.attempt import Attempt
from scheduler.engine.runs.tool_calls import ToolCaller
from scheduler.engine.script_plan import HandlerPlan, ScriptPlan, ScriptPlans
from scheduler.store.errors import StoreError

log = logging.getLogger(__name__)


class Monitoring:
    """Implements RunObserver."""

    def __init__(
        self,
        context: EngineContext,
        plans: ScriptPlans,
        registry: Registry,
        secrets: Secrets,
        notify: Notify,
        write_report: WriteReport | None = None,
    ) -> None:
        """Without `write_report`, no reports are mailed."""
        self.pings = PingSender(context, registry, secrets, notify)
        self._run_pings = RunPings(context, self.pings)
        self._heartbeat = Heartbeat(context, self.pings)
        self._expectations = Expectations(context, plans)
        tools = ToolCaller(context.database, context.clock, registry, secrets)
        self._report_mail = None if write_report is None else ReportMail(context, tools, write_report, notify)

    def run_started(self, attempt: Attempt) -> None:
        self._run_pings.run_started(attempt)

    def run_ended(self, plan: ScriptPlan, handler: HandlerPlan, run: str, db: sqlite3.Connection | None = None) -> None:
        self._run_pings.run_ended(plan, handler, run, db)
        if handler.overdue_after is not None or handler.expected is not None:
            self._expectations.run_ended()

    def tick(self, now: datetime) -> None:
        """On the engine's thread, after each tick that succeeded."""
        self._heartbeat.tick(now)
        try:
            self._expectations.tick(now)
            if self._report_mail is not None:
                self._report_mail.tick(now)
        except StoreError as error:
            log.info("Overdue runs and reports could not be checked: %s", error)

    def close(self) -> None:
        self.pings.close()
        if self._report_mail is not None:
            self._report_mail.close()


class NoMonitoring:
    """Null object, for dry runs."""

    def run_started(self, attempt: Attempt) -> None:
        """Nobody is told."""

    def run_ended(self, plan: ScriptPlan, handler: HandlerPlan, run: str, db: sqlite3.Connection | None = None) -> None:
        """As above."""

    def tick(self, now: datetime) -> None:
        """As above."""

    def close(self) -> None:
        """Nothing is open."""
