"""Mails the report of each day or week once, also over restarts and sleep: the store knows what was sent."""

import json
import logging
import threading
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.errors import ConnectionRuleError
from scheduler.engine.context import EngineContext
from scheduler.engine.runs.attempt import AttemptFailedError, OutsideCall
from scheduler.engine.runs.tool_calls import ToolCaller
from scheduler.rules.failures import FailureClass
from scheduler.rules.report_periods import ReportPeriod, find_due_period
from scheduler.store import key_values
from scheduler.store.errors import StoreError
from scheduler.timing.backoff import retry_delay
from scheduler.timing.zones import find_zone
from scheduler.user_text import UserText

log = logging.getLogger(__name__)

_LEDGER = "report mail"
"""The stored key for the last report and what became of it."""
_INTERVAL = timedelta(minutes=1)
_CLOSE_TIMEOUT_S = 5.0


class ReportText(NamedTuple):
    """A report as it is mailed."""

    subject: str
    text: str
    html: str


WriteReport = Callable[[ReportPeriod], ReportText]


class MailState(StrEnum):
    WAITING = "waiting"
    """Nothing was sent; it is tried again."""
    SENDING = "sending"
    """It may have been sent."""
    SENT = "sent"
    UNSURE = "unsure"
    """It may have been sent, and nobody can find out: it is not sent again."""
    SKIPPED = "skipped"
    """It was over before reports were switched on."""


@dataclass(frozen=True, slots=True)
class MailedReport:
    """The last report, as stored."""

    period: str
    state: str
    key: str = ""
    """The idempotency key of its mail."""
    tries: int = 0
    began: str = ""
    """When sending began."""


class ReportMail:
    """`tick` belongs to the engine's thread; the mail is written and sent on one of its own."""

    def __init__(
        self, context: EngineContext, tools: ToolCaller, write_report: WriteReport, notify: Callable[[str, str], None]
    ) -> None:
        self._context = context
        self._notify = notify
        self._tools = tools
        self._write_report = write_report
        self._next_look: datetime | None = None
        self._wanted = ""
        self._thread: threading.Thread | None = None
        self._is_closing = False
        self._announced = ""
        """The period whose failure was announced."""

    def tick(self, now: datetime) -> None:
        """Send the report that is due, if there is one."""
        settings = self._context.settings
        wanted = f"{settings.report} {settings.report_connection} {settings.report_to}"
        is_time = self._next_look is None or not self._next_look - timedelta(hours=2) < now < self._next_look
        if not (is_time or wanted != self._wanted) or (self._thread is not None and self._thread.is_alive()):
            return
        self._wanted, self._next_look = wanted, now + _INTERVAL
        period = find_due_period(settings.report, now, find_zone(self._context.machine_zone))
        if period is None or not settings.report_connection or self._is_closing:
            return
        with self._context.database.quick_read() as db:
            written = key_values.read(db, _LEDGER)
        last = None if written is None else MailedReport(**json.loads(written))
        if last is None:
            self._record(MailedReport(period.key, MailState.SKIPPED))
            return
        if last.period != period.key:
            last = MailedReport(period.key, MailState.WAITING, f"report {uuid.uuid4().hex}")
        if last.state in (MailState.WAITING, MailState.SENDING):
            self._thread = threading.Thread(target=self._serve, args=(period, last), name="report", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Let what is being sent end, but not for long: the next start finds out what became of it."""
        self._is_closing = True
        if self._thread is not None:
            self._thread.join(_CLOSE_TIMEOUT_S)

    def _serve(self, period: ReportPeriod, last: MailedReport) -> None:
        try:
            failure = self._try_to_send(period, last)
            if failure is not None:
                self._retry_later(last, failure)
        except StoreError as error:  # the next look, or the next start, goes on from what is stored
            log.info("The report was not sent: %s", error)

    def _try_to_send(self, period: ReportPeriod, last: MailedReport) -> str | None:
        """Why it was not sent."""
        try:
            self._settle(period, last)
        except (AttemptFailedError, ConnectionRuleError, ToolFailedError) as error:
            return str(error)
        except StoreError:
            raise
        except Exception as error:  # the outermost frame of this thread
            log.exception("The report could not be sent")
            return type(error).__name__
        return None

    def _settle(self, period: ReportPeriod, last: MailedReport) -> None:
        connection = self._context.settings.report_connection
        tool = self._tools.registry.tool(connection, "send")
        ready = self._tools.prepare_call("", OutsideCall(connection=connection, tool="send", parameters={}), last.key)
        to = self._context.settings.report_to or str(ready.settings.get("from", ""))
        if last.state == MailState.SENDING:  # a crash, or a server that did not answer
            self._find_out(last, replace(ready, parameters={"to": to, "text": " "}))
            return
        report = self._write_report(period)
        parameters = {"to": to, "subject": report.subject, "text": report.text, "html": report.html}
        now = self._context.clock.now()
        self._record(replace(last, state=MailState.SENDING, began=now.isoformat()))
        try:
            self._tools.call_mutating(tool, replace(ready, parameters=parameters))
        except AttemptFailedError as error:
            if error.failure.kind is FailureClass.UNSURE:
                log.warning("It is not known whether the report was sent: %s", error.failure.sentence)
                return
            self._record(last)
            raise
        self._record(replace(last, state=MailState.SENT))
        log.info("The report %s was sent", period.key)

    def _find_out(self, last: MailedReport, ready: Call) -> None:
        """Whether it was sent. A "no" counts only after the time that a slow server may take."""
        tool = self._tools.registry.tool(ready.connection, "send")
        began, now = datetime.fromisoformat(last.began), self._context.clock.now()
        assert tool.check is not None
        try:
            happened = tool.check(replace(ready, since=began)).happened
        except ToolFailedError as error:
            if error.failure.kind is not FailureClass.UNSURE:
                raise
            self._record(replace(last, state=MailState.UNSURE))
            self._announce(last.period, UserText("It is not known whether the last report was mailed."))
            return
        if happened or now - began >= tool.apply_window:
            self._record(replace(last, state=MailState.SENT if happened else MailState.WAITING))

    def _retry_later(self, last: MailedReport, sentence: str) -> None:
        tries = last.tries + 1
        if last.state == MailState.WAITING:
            self._record(replace(last, tries=tries))
        self._next_look = self._context.clock.now() + retry_delay(tries, last.key[-8:])
        log.warning("The report was not sent: %s", sentence)
        self._announce(last.period, UserText("The report could not be mailed: {why}", why=sentence))

    def _announce(self, period: str, sentence: str) -> None:
        """Once for each report."""
        if self._announced != period:
            self._announced = period
            self._notify("Dayhand", sentence)

    def _record(self, mailed: MailedReport) -> None:
        with self._context.database.write() as db:
            key_values.write(db, _LEDGER, json.dumps(asdict(mailed)))
