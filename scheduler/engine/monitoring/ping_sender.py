"""Sends pings, each connection's on a thread of its own: nothing waits for them, and late ones are not sent."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry
from scheduler.connections.secrets import Secrets
from scheduler.engine.context import EngineContext
from scheduler.engine.runs import user_requests
from scheduler.engine.runs.tool_calls import redact_failure
from scheduler.engine.scheduling.conditions import list_unmet
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.rules.failures import FailureClass
from scheduler.rules.pings import Ping, PingEvent
from scheduler.rules.requests import RequestKind
from scheduler.store import connections, logs, runs
from scheduler.store.errors import StoreError
from scheduler.timing.policies import Need
from scheduler.user_text import UserText

log = logging.getLogger(__name__)

Notify = Callable[[str, str], None]
"""Shows the user a title and a text."""

TIMEOUT_S = 10.0
RETRY_DELAYS_S = (3.0, 15.0)
_MAX_WAITING = 20
"""Pings of one connection; the oldest are dropped first."""
_MIN_INTERVAL_S = 10.0
"""Between two pings that only say that all is well."""
_CLOSE_TIMEOUT_S = 2.0
"""How long quitting waits for what is being sent."""
_MAX_OUTPUT_CHARS = 5_000


@dataclass(slots=True)
class _PingQueue:
    """The pings of one connection, with the workflow that each is about."""

    connection: str
    waiting: deque[tuple[Ping, str]] = field(default_factory=deque)
    """The first is being sent."""
    woken: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    well_at: float | None = None
    """When the last ping said that all is well; None after any other."""

    def takes(self, ping: Ping, now: float) -> bool:
        """Whether it says anything that the service does not know yet."""
        if ping.event is PingEvent.FAIL or self.well_at is None:
            return True
        return now >= self.well_at + _MIN_INTERVAL_S


class PingSender:
    """Any thread may submit. The last result of each connection is reported to the user once, until it changes."""

    def __init__(self, context: EngineContext, registry: Registry, secrets: Secrets, notify: Notify) -> None:
        self._context = context
        self._notify = notify
        self._registry = registry
        self._secrets = secrets
        self._lock = threading.Lock()
        self._queues: dict[str, _PingQueue] = {}
        self._closing = threading.Event()

    def submit(self, connection: str, ping: Ping, workflow: str = "") -> None:
        """Send it soon. `workflow` is where a failure is reported; empty if it is about Dayhand itself."""
        with self._lock:
            queue = self._queues.setdefault(connection, _PingQueue(connection))
            if self._closing.is_set() or not queue.takes(ping, self._context.clock.monotonic()):
                return
            if ping.event is not PingEvent.START:
                queue.well_at = self._context.clock.monotonic() if ping.event is PingEvent.SUCCESS else None
            if len(queue.waiting) >= _MAX_WAITING:
                del queue.waiting[1]
            queue.waiting.append((ping, workflow))
            if queue.thread is None:
                queue.thread = threading.Thread(target=self._serve, args=(queue,), name=connection, daemon=True)
                queue.thread.start()
        queue.woken.set()

    def close(self) -> None:
        """Let what is being sent end, but not for long; what cannot be sent now is dropped."""
        with self._lock:
            self._closing.set()
            queues = list(self._queues.values())
        for queue in queues:
            queue.woken.set()
        end = time.monotonic() + _CLOSE_TIMEOUT_S
        for queue in queues:
            if queue.thread is not None:
                queue.thread.join(max(end - time.monotonic(), 0))

    def _serve(self, queue: _PingQueue) -> None:
        while True:
            queue.woken.wait()
            queue.woken.clear()
            while queue.waiting:
                try:
                    self._deliver(queue.connection, *queue.waiting[0])
                except StoreError as error:
                    log.info("A ping of %s was not sent: %s", queue.connection, error)
                except Exception:  # the outermost frame of this thread: logged, and the next ping gets its turn
                    log.exception("A ping of %s could not be sent", queue.connection)
                with self._lock:
                    queue.waiting.popleft()
            if self._closing.is_set():
                return

    def _deliver(self, connection: str, ping: Ping, workflow: str) -> None:
        sentence = ""
        for delay in (0.0, *RETRY_DELAYS_S):
            if delay and self._closing.wait(delay):
                return
            if ping.is_stale(self._context.clock.now()):
                log.info("A ping of %s was dropped because it was too old", connection)
                break
            try:
                self._send(connection, ping)
            except ToolFailedError as error:
                sentence = error.failure.sentence
                if error.failure.kind not in (FailureClass.TRANSIENT, FailureClass.UNSURE):
                    break
            else:
                self._report_success(connection)
                return
        if sentence:
            self._report_failure(connection, workflow, sentence)

    def _send(self, connection: str, ping: Ping) -> None:
        """ToolFailedError without anything secret if it could not be sent."""
        from scheduler.connections.connectors.ping import (  # noqa: PLC0415  loads what only pings need
            OUTPUT_FIELD,
            list_secrets,
            send_ping,
        )

        settings = self._read_settings(connection)
        if settings.get(OUTPUT_FIELD) and ping.run and ping.event is not PingEvent.START:
            ping = replace(ping, text=self._read_output(ping.run))
        try:
            send_ping(settings, ping, self._context.clock.now(), TIMEOUT_S)
        except ToolFailedError as error:
            raise ToolFailedError(redact_failure(error.failure, list_secrets(settings))) from None

    def _read_settings(self, connection: str) -> Mapping[str, Any]:
        with self._context.database.quick_read() as db:
            row = connections.find(db, connection)
        if row is None:
            sentence = UserText("{connection} is not connected yet.", connection=connection)
            raise ToolFailedError.because(FailureClass.AUTH, sentence)
        try:
            secrets = self._secrets.read(connection)
            return self._registry.check_settings("ping", {**row.settings, **secrets})
        except ConnectionRuleError as error:
            raise ToolFailedError.because(FailureClass.AUTH, error.sentence) from error

    def _read_output(self, run: str) -> str:
        with self._context.database.quick_read() as db:
            row = runs.find(db, run)
            printed = logs.read_end(db, run, _MAX_OUTPUT_CHARS)
        sentence = str(((row and row.error) or {}).get("sentence") or "")
        return "\n".join(part for part in (printed.rstrip(), sentence) if part)

    def _report_success(self, connection: str) -> None:
        database = self._context.database
        with database.quick_read() as db:
            is_reported = user_requests.is_reported(db, RequestKind.PING_FAILED, connection)
            row = connections.find(db, connection)
        if is_reported or (row is not None and row.trouble is not None):
            with database.write() as db:
                user_requests.end_report(db, RequestKind.PING_FAILED, connection, self._context.clock.now())
                connections.set_trouble(db, connection, None)
            self._context.report_change(Announcement(connection))

    def _report_failure(self, connection: str, workflow: str, why: str) -> None:
        """Once: with the workflow that it is about, or else with the connection. Being offline is shown elsewhere."""
        log.warning("A ping of %s could not be sent: %s", connection, why)
        if list_unmet(self._context.conditions, (Need.NETWORK,)):
            return
        sentence = UserText("The ping {connection} could not be sent. {why}", connection=connection, why=why)
        now = self._context.clock.now()
        with self._context.database.write() as db:
            row = connections.find(db, connection)
            is_known = row is not None and row.trouble is not None
            if workflow and not user_requests.is_reported(db, RequestKind.PING_FAILED, connection):
                user_requests.report(db, RequestKind.PING_FAILED, workflow, connection, sentence, now)
            elif not workflow:
                connections.set_trouble(db, connection, sentence)
        self._context.report_change(Announcement(workflow or connection))
        if not workflow and not is_known:
            self._notify("Dayhand", sentence)
