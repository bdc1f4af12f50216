"""Runs what dispatch starts, each run on its own thread, and continues runs after a crash."""

import logging
import sqlite3
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread

from scheduler.connections.registry import Registry
from scheduler.connections.secrets import Secrets
from scheduler.engine.context import EngineContext
from scheduler.engine.runs import ready_work, recovery, start
from scheduler.engine.runs.attempt import Attempt, AttemptFailedError, EventsSkippedError, StoppedError
from scheduler.engine.runs.execution import Execution, RunnerCallbacks
from scheduler.engine.runs.expiry import RequestExpiry
from scheduler.engine.runs.finish import AttemptFinisher
from scheduler.engine.runs.ready_work import WorkItem
from scheduler.engine.runs.reconciliation import Reconciler
from scheduler.engine.runs.run_services import RunServices
from scheduler.engine.runs.script_workers import BadScriptError, NoWorkerError, ScriptWorkers
from scheduler.engine.runs.tool_calls import ToolCaller
from scheduler.engine.runs.write_retry import RetryingWriter
from scheduler.engine.scheduling.in_flight import InFlight
from scheduler.engine.scheduling.launcher import Announcement, Outcome, Result, Work
from scheduler.engine.script_plan import ScriptPlan, ScriptPlans
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.handler_ids import handler_id, name_in_words, split_handler_id
from scheduler.rules.lanes import Candidate
from scheduler.store import handlers, logs, runs
from scheduler.store.errors import StaleError, StoreClosedError, StoreError
from scheduler.store.runs import RunRow
from scheduler.timing.occurrences import OccurrenceReason
from scheduler.user_text import UserText
from scheduler.workers.worker import Worker

log = logging.getLogger(__name__)

Ending = Callable[[sqlite3.Connection, datetime], None]


class Runner:
    """Implements Launcher. Any thread may stop a run; each run is executed on one thread."""

    def __init__(
        self,
        context: EngineContext,
        in_flight: InFlight,
        registry: Registry,
        script_workers: ScriptWorkers,
        plans: ScriptPlans,
        secrets: Secrets,
        services: RunServices,
    ) -> None:
        self._context = context
        self._in_flight = in_flight
        self.script_workers = script_workers
        self.plans = plans
        self.tools = ToolCaller(context.database, context.clock, registry, secrets)
        self._insistence = RetryingWriter(context.database, context.report_change)
        self._reconciling = Reconciler(context, self.tools, self._insistence)
        self._expiry = RequestExpiry(context, self._insistence)
        self._finisher = AttemptFinisher(in_flight)
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._lock = Lock()
        self._threads: list[Thread] = []
        self._idle = 0
        self._is_closing = False
        self._repairs, self._observer = services.repairs, services.observer

    def list_ready(self, db: sqlite3.Connection, now: datetime) -> list[tuple[Candidate, Work]]:
        return ready_work.find_ready_work(db, self.plans, now)

    def start(self, work: Work) -> None:
        with self._lock:
            self._idle -= 1
            if self._idle < 0:
                self._idle += 1
                thread = Thread(target=self._serve_queue, name=f"run {len(self._threads) + 1}", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._queue.put(work)

    def stop(self, key: str, *, kill: bool) -> None:
        worker = self._in_flight.worker_of(key)
        if worker is not None:
            worker.stop(kill=kill)

    def abandon(self, db: sqlite3.Connection, key: str, reason: OccurrenceReason, now: datetime) -> None:
        for row in runs.of_occurrence(db, key):
            recovery.cancel_waiting_run(db, row, now, reason.sentence)

    def recover(self, db: sqlite3.Connection, now: datetime) -> set[str]:
        self._repairs.recover(db, now)
        interrupted = runs.list_active(db)
        continued = recovery.recover(db, self.plans, self.tools, now)
        for row in interrupted:
            plan = self.plans.find(db, row.workflow, row.script)
            self._observer.run_ended(plan, plan.handlers[row.handler], row.id, db)
        return continued

    def close(self) -> None:
        """Ask what runs to stop, and wait for it: it continues at the next start."""
        with self._lock:
            self._is_closing = True
            threads = list(self._threads)
        self._insistence.close()
        for work in self._in_flight.list_running():
            self._in_flight.request_stop(work.key, kill=False)
            self.stop(work.key, kill=False)
        for _ in threads:
            self._queue.put(None)
        for thread in threads:
            thread.join()
        self.script_workers.close()

    def _serve_queue(self) -> None:
        while (work := self._queue.get()) is not None:
            following: Work | None = work
            while following is not None:
                work = following
                if not self._serve_one(work):
                    self._in_flight.hold_back(work.lane)
                following = self._in_flight.replace_with_next(work)
            with self._lock:
                self._idle += 1
            self._in_flight.remove(work)

    def _serve_one(self, work: Work) -> bool:
        """Whether it came to an end that is recorded."""
        try:
            self._run(work)
        except StoreClosedError:
            log.info("The store was closed while %s ran", work.subject)
        except StoreError as error:
            log.error("%s could not be recorded: %s", work.subject, error)  # noqa: TRY400  the sentence says it all
            self._context.report_change(Announcement("store", str(error), is_warning=True))
            return False
        except Exception as error:  # the outermost frame of this thread: recorded and reported
            log.exception("%s could not be recorded", work.subject)
            self._context.report_change(Announcement(work.subject, f"{work.subject}: {error}", is_warning=True))
            return False
        return True

    def _run(self, work: Work) -> None:
        errand = work.payload if isinstance(work.payload, WorkItem) else None
        if self._is_closing:
            return
        if errand is not None and errand.check is not None:
            self._reconciling.check(errand.check)
            return
        if errand is not None and errand.request is not None:
            self._expiry.settle(errand.request)
            return
        worker, attempt = self._start(work, errand)
        if attempt is None or worker is None:
            return
        story: Execution | None = self._make_execution(attempt, worker)
        try:
            while story is not None:
                story = self._execute(story)
        finally:
            self._in_flight.attach_worker(work.key, None)
            self.script_workers.release(worker)

    def _start(self, work: Work, errand: WorkItem | None) -> tuple[Worker | None, Attempt | None]:
        """A worker first, then the row that says that the run began: what cannot be started has not begun."""
        while True:
            plan = self.plans.current(self._context.database.read(), split_handler_id(work.subject)[0])
            printed: list[str] = []
            try:
                worker = self.script_workers.acquire(plan, printed.append)
            except NoWorkerError as error:
                failure = Failure(kind=FailureClass.TRANSIENT, sentence=str(error))
                self._could_not_start(work, errand, plan, failure)
                return None, None
            except BadScriptError as error:
                self._could_not_start(work, errand, plan, error.failure)
                return None, None
            try:
                attempt = self._insistence.write(partial(self._record_start, work=work, errand=errand, plan=plan))
            except start.NewVersionError:
                self.script_workers.release(worker)
                continue
            except BaseException:
                self.script_workers.release(worker)
                raise
            if attempt is None:
                self.script_workers.release(worker)
                return None, None
            self._in_flight.attach_worker(work.key, worker)
            self._context.report_change(Announcement(work.subject))
            return worker, attempt

    def _record_start(
        self, db: sqlite3.Connection, work: Work, errand: WorkItem | None, plan: ScriptPlan
    ) -> Attempt | None:
        now = self._context.clock.now()
        if work.origin is not None:
            return start.start_occurrence(db, work, plan, self._in_flight, now)
        if errand is not None and errand.run is not None:
            if errand.run.handler in plan.handlers:
                return start.resume_run(db, work, plan, errand.run, now)
            self._drop_removed(db, work, errand.run, now)
            return None
        attempt = start.start_consumer(db, work, plan, now)
        if attempt is not None:
            runs.insert(db, attempt.row)
        return attempt

    def _drop_removed(self, db: sqlite3.Connection, work: Work, row: RunRow, now: datetime) -> None:
        """The handler that would have continued the run is gone from the script."""
        note = UserText("{handler} was removed from the script.", handler=name_in_words(row.handler))
        recovery.cancel_waiting_run(db, runs.find(db, row.id) or row, now, note)
        if row.occurrence is not None:
            self._in_flight.end(db, work, Outcome(Result.CANCELLED, note), now)

    def _could_not_start(self, work: Work, errand: WorkItem | None, plan: ScriptPlan, failure: Failure) -> None:
        """Nothing ran. An occurrence is launched again later; anything else is a failed attempt like any other."""
        if work.origin is not None and failure.kind is FailureClass.TRANSIENT:
            self._in_flight.could_not_start(work, failure.sentence)
            return

        def write(db: sqlite3.Connection) -> None:
            attempt = self._record_start(db, work, errand, plan)
            if attempt is not None:
                self._finisher.fail(attempt, failure, None, db, self._context.clock.now())
                self._repairs.repair_failed_run(db, attempt.id, self._context.clock.now())
                self._observer.run_ended(plan, attempt.handler, attempt.id, db)

        with suppress(start.NewVersionError):  # the next tick starts that version
            self._insistence.write(write)
        self._context.report_change(Announcement(work.subject))

    def _make_execution(self, attempt: Attempt, worker: Worker) -> Execution:
        next_of_lane = partial(self._next_of_lane, attempt, worker)
        outlook = RunnerCallbacks(next_of_lane, partial(self._in_flight.stop_requested, attempt.work.key))
        return Execution(self._context, self.tools, self._finisher, self._insistence, attempt, worker, outlook)

    def _execute(self, story: Execution) -> Execution | None:
        """Execute one run and record what went wrong; returns the next run if its lane continues at once."""
        attempt = story.attempt
        self._observer.run_started(attempt)
        ending: Ending | None = None
        try:
            story.run()
        except StoppedError as stopped:
            ending = partial(self._stop, attempt, str(stopped))
        except EventsSkippedError:
            ending = partial(self._finisher.prepare_again, attempt)
        except AttemptFailedError as error:
            ending = partial(self._finisher.fail, attempt, error.failure, error.subject)
        except StoreClosedError:
            raise
        except StoreError as error:
            failure = _internal_failure(error) if isinstance(error, StaleError) else _store_failure(error)
            ending = partial(self._finisher.fail, attempt, failure, None)
        except Exception as error:  # noqa: BLE001  the outermost frame of a run: recorded as its failure
            ending = partial(self._finisher.fail, attempt, _internal_failure(error), None)
        if ending is not None:
            self._record_end(story, ending)
        self._observer.run_ended(attempt.plan, attempt.handler, attempt.id)
        self._context.report_change(Announcement(attempt.subject))
        story.release()
        return story.next

    def _record_end(self, story: Execution, ending: Ending) -> None:
        """Record how it ended; retried until the store takes it."""
        text = story.script_host.take_log()

        def write(db: sqlite3.Connection) -> None:
            if text:
                logs.append(db, story.attempt.id, text, story.script_host.log_began)
            ending(db, self._context.clock.now())
            self._repairs.repair_failed_run(db, story.attempt.id, self._context.clock.now())

        self._insistence.write(write)

    def _stop(self, attempt: Attempt, sentence: str, db: sqlite3.Connection, now: datetime) -> None:
        if self._is_closing:
            self._finisher.interrupt(attempt, db, now)
            return
        reason = self._in_flight.stop_reason(attempt.work.key)
        if reason is OccurrenceReason.OVERTAKEN:
            sentence = reason.sentence
        self._finisher.cancel(attempt, sentence, db, now)

    def _next_of_lane(
        self, attempt: Attempt, worker: Worker, db: sqlite3.Connection, now: datetime
    ) -> Execution | None:
        """The next consumer of this lane, if nothing else waits; it begins in the same transaction."""
        if attempt.handler.lane or self._is_closing or not worker.is_usable:
            return None
        key, lane = attempt.work.key, attempt.work.lane
        if self._context.is_paused(now) or self._in_flight.stop_requested(key) is not None:
            return None
        if not self._in_flight.may_continue(lane):
            return None
        ready = handlers.list_ready_in(db, attempt.workflow)
        if not ready:
            return None
        first = min(ready, key=lambda one: (one.oldest_event is None, one.oldest_event or 0, one.name))
        work = Work(key=key, lane=lane, subject=handler_id(attempt.workflow, first.name))
        try:
            following = start.start_consumer(db, work, attempt.plan, now)
        except start.NewVersionError:
            return None  # a new version was deployed: the next tick starts that
        return None if following is None else self._make_execution(following, worker)


def _store_failure(error: StoreError) -> Failure:
    return Failure(kind=FailureClass.TRANSIENT, sentence=str(error), counts=False)


def _internal_failure(error: Exception) -> Failure:
    return Failure(
        kind=FailureClass.INTERNAL,
        sentence=UserText(
            "Dayhand made a mistake ({error_type}: {error}).", error_type=type(error).__name__, error=error
        ),
        traceback="".join(traceback.format_exception(error))[-20_000:],
    )
