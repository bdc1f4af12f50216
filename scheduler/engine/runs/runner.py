"""The run layer behind the engine's seam: takes turns, tells runs on threads of its own, goes on after a crash."""

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
from scheduler.engine.context import Context
from scheduler.engine.fixing.seam import NoRepairs, Repairing
from scheduler.engine.launcher import Announcement, Outcome, Reports, Result, Work
from scheduler.engine.plans import Plan, Plans
from scheduler.engine.runs import beginning, recovery, turns
from scheduler.engine.runs.attempt import Attempt
from scheduler.engine.runs.endings import Endings
from scheduler.engine.runs.insisting import Insistence
from scheduler.engine.runs.reconciling import Reconciling
from scheduler.engine.runs.stories import Outlook, OvertakenError, StoppedError, Story
from scheduler.engine.runs.tools import FailedError, Secrets, Tools
from scheduler.engine.runs.turns import Errand
from scheduler.engine.runs.workshop import BadScriptError, NoWorkerError, Workshop
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.lanes import Candidate
from scheduler.store import handlers, logs, runs
from scheduler.store.errors import StaleError, StoreClosedError, StoreError
from scheduler.store.runs import RunRow
from scheduler.workers.worker import Worker

log = logging.getLogger(__name__)

MayGoOn = Callable[[str], bool]
Ending = Callable[[sqlite3.Connection, datetime], None]


class RunLayer:
    """Implements the engine's Launcher. Any thread may stop a run; each run is told on one thread."""

    def __init__(
        self, context: Context, registry: Registry, workshop: Workshop, plans: Plans, secrets: Secrets | None = None
    ) -> None:
        self._context = context
        self.workshop = workshop
        self.plans = plans
        self.tools = Tools(context, registry, secrets)
        self._insistence = Insistence(context)
        self._reconciling = Reconciling(context, self.tools, self._insistence)
        self._line: SimpleQueue[tuple[Work, Reports] | None] = SimpleQueue()
        self._lock = Lock()
        self._threads: list[Thread] = []
        self._idle = 0
        self._flights: dict[str, Worker | None] = {}
        """By key of what is under way: the worker that runs its script, once there is one."""
        self._stops: dict[str, bool] = {}
        """By key: it was told to end, and whether by force."""
        self._is_closing = False
        self.may_go_on: MayGoOn = lambda _: False
        """Whether a lane may go on at once with its next consumer; the engine knows."""
        self.repairs: Repairing = NoRepairs()

    def turns(self, db: sqlite3.Connection, now: datetime) -> list[tuple[Candidate, Work]]:
        return turns.find(db, self.plans, now)

    def start(self, work: Work, reports: Reports) -> None:
        with self._lock:
            self._flights[work.key] = None
            self._idle -= 1
            if self._idle < 0:
                self._idle += 1
                thread = Thread(target=self._serve, name=f"run {len(self._threads) + 1}", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._line.put((work, reports))

    def stop(self, key: str, *, kill: bool) -> None:
        with self._lock:
            if key not in self._flights:
                return
            self._stops[key] = kill
            worker = self._flights[key]
        if worker is not None:
            worker.stop(kill=kill)

    def abandon(self, db: sqlite3.Connection, key: str, now: datetime) -> None:
        for row in runs.of_occurrence(db, key):
            recovery.drop(db, row, now, "The next time had come.")

    def recover(self, db: sqlite3.Connection, now: datetime) -> set[str]:
        self.repairs.recover(db, now)
        return recovery.recover(db, self.plans, self.tools, now)

    def close(self) -> None:
        """Ask what runs to end, and wait for it: it goes on at the next start."""
        with self._lock:
            self._is_closing = True
            under_way = list(self._flights)
            threads = list(self._threads)
        self._insistence.close()
        for key in under_way:
            self.stop(key, kill=False)
        for _ in threads:
            self._line.put(None)
        for thread in threads:
            thread.join()
        self.workshop.close()

    def _serve(self) -> None:
        while (taken := self._line.get()) is not None:
            following: Work | None
            following, reports = taken
            while following is not None:
                work = following
                if not self._serve_one(work, reports):
                    reports.hold_back(work)
                following = reports.relay(work)
                with self._lock:
                    self._flights.pop(work.key, None)
                    self._stops.pop(work.key, None)
                    if following is not None:
                        self._flights[following.key] = None
            with self._lock:
                self._idle += 1
            reports.land(work)

    def _serve_one(self, work: Work, reports: Reports) -> bool:
        """Whether it came to an end that is written down."""
        try:
            self._take(work, reports)
        except StoreClosedError:
            log.info("The store was closed while %s ran", work.subject)
        except StoreError as error:
            log.error("%s could not be told: %s", work.subject, error)  # noqa: TRY400  the sentence says it all
            self._context.tell(Announcement("store", str(error), is_warning=True))
            return False
        except Exception as error:  # the outermost frame of this thread: recorded and said
            log.exception("%s could not be told", work.subject)
            self._context.tell(Announcement(work.subject, f"{work.subject}: {error}", is_warning=True))
            return False
        return True

    def _take(self, work: Work, reports: Reports) -> None:
        errand = work.errand if isinstance(work.errand, Errand) else None
        if self._is_closing:
            return
        if errand is not None and errand.check is not None:
            self._reconciling.check(errand.check)
            return
        endings = Endings(reports)
        worker, attempt = self._begin(work, errand, reports)
        if attempt is None or worker is None:
            return
        story: Story | None = self._story(attempt, worker, endings)
        try:
            while story is not None:
                story = self._tell(story, endings)
        finally:
            with self._lock:
                self._flights[work.key] = None
            self.workshop.release(worker)

    def _begin(self, work: Work, errand: Errand | None, reports: Reports) -> tuple[Worker | None, Attempt | None]:
        """A worker first, then the row that says that it runs: what cannot be started has not begun."""
        while True:
            plan = self.plans.current(self._context.database.read(), work.subject.partition("/")[0])
            printed: list[str] = []
            try:
                worker = self.workshop.acquire(plan, printed.append)
            except NoWorkerError as error:
                self._could_not_start(
                    work, errand, plan, reports, Failure(kind=FailureClass.TRANSIENT, sentence=str(error))
                )
                return None, None
            except BadScriptError as error:
                self._could_not_start(work, errand, plan, reports, error.failure)
                return None, None
            try:
                attempt = self._insistence.write(
                    partial(self._write_beginning, work=work, errand=errand, plan=plan, reports=reports)
                )
            except beginning.OtherVersionError:
                self.workshop.release(worker)
                continue
            except BaseException:
                self.workshop.release(worker)
                raise
            if attempt is None:
                self.workshop.release(worker)
                return None, None
            with self._lock:
                self._flights[work.key] = worker
            self._context.tell(Announcement(work.subject))
            return worker, attempt

    def _write_beginning(
        self, db: sqlite3.Connection, work: Work, errand: Errand | None, plan: Plan, reports: Reports
    ) -> Attempt | None:
        now = self._context.clock.now()
        if work.origin is not None:
            return beginning.begin_occurrence(db, work, plan, reports, now)
        if errand is not None and errand.run is not None:
            if errand.run.handler in plan.handlers:
                return beginning.go_on(db, work, plan, errand.run, now)
            self._leave_behind(db, work, errand.run, reports, now)
            return None
        attempt = beginning.begin_consumer(db, work, plan, now)
        if attempt is not None:
            runs.insert(db, attempt.row)
        return attempt

    def _leave_behind(self, db: sqlite3.Connection, work: Work, row: RunRow, reports: Reports, now: datetime) -> None:
        """The script that would have gone on with it is gone."""
        note = f"{row.handler} was removed from the script."
        recovery.drop(db, runs.find(db, row.id) or row, now, note)
        if row.occurrence is not None:
            reports.end(db, work, Outcome(Result.CANCELLED, note), now)

    def _could_not_start(
        self, work: Work, errand: Errand | None, plan: Plan, reports: Reports, failure: Failure
    ) -> None:
        """Nothing ran. A planned time is tried again by the engine; the rest is a failed attempt like any other."""
        if work.origin is not None and failure.kind is FailureClass.TRANSIENT:
            reports.could_not_start(work, failure.sentence)
            return

        def write(db: sqlite3.Connection) -> None:
            attempt = self._write_beginning(db, work, errand, plan, reports)
            if attempt is not None:
                Endings(reports).fail(attempt, failure, None, db, self._context.clock.now())
                self.repairs.take(db, attempt.id, self._context.clock.now())

        with suppress(beginning.OtherVersionError):  # the next look begins with that one
            self._insistence.write(write)
        self._context.tell(Announcement(work.subject))

    def _story(self, attempt: Attempt, worker: Worker, endings: Endings) -> Story:
        next_of_lane = partial(self._next_of_lane, attempt, worker, endings)
        outlook = Outlook(next_of_lane, partial(self._stops.get, attempt.work.key))
        return Story(self._context, self.tools, endings, self._insistence, attempt, worker, outlook)

    def _tell(self, story: Story, endings: Endings) -> Story | None:
        """One run, and whatever went wrong with it written down; the next one if its lane goes on at once."""
        attempt = story.attempt
        ending: Ending | None = None
        try:
            story.tell()
        except StoppedError as stopped:
            ending = partial(self._stop, endings, attempt, str(stopped))
        except OvertakenError:
            ending = partial(endings.begin_again, attempt)
        except FailedError as error:
            ending = partial(endings.fail, attempt, error.failure, error.subject)
        except StoreClosedError:
            raise
        except StoreError as error:
            failure = _mistake(error) if isinstance(error, StaleError) else _trouble(error)
            ending = partial(endings.fail, attempt, failure, None)
        except Exception as error:  # noqa: BLE001  the outermost frame of a run: recorded as its failure
            ending = partial(endings.fail, attempt, _mistake(error), None)
        if ending is not None:
            self._end(story, ending)
        self._context.tell(Announcement(attempt.subject))
        story.release()
        return story.next

    def _end(self, story: Story, ending: Ending) -> None:
        """Write it down, whatever the store says."""
        text = story.conversation.take_log()

        def write(db: sqlite3.Connection) -> None:
            if text:
                logs.append(db, story.attempt.id, text)
            ending(db, self._context.clock.now())
            self.repairs.take(db, story.attempt.id, self._context.clock.now())

        self._insistence.write(write)

    def _stop(self, endings: Endings, attempt: Attempt, sentence: str, db: sqlite3.Connection, now: datetime) -> None:
        if self._is_closing:
            endings.interrupt(attempt, db, now)
        else:
            endings.cancel(attempt, sentence, db, now)

    def _next_of_lane(
        self, attempt: Attempt, worker: Worker, endings: Endings, db: sqlite3.Connection, now: datetime
    ) -> Story | None:
        """The consumer of this lane whose turn it is, if nothing else waits; it begins in the same transaction."""
        if attempt.handler.lane or self._is_closing or not worker.is_usable:
            return None
        if self._context.is_paused(now) or attempt.work.key in self._stops or not self.may_go_on(attempt.work.lane):
            return None
        ready = handlers.ready_in(db, attempt.workflow)
        if not ready:
            return None
        first = min(ready, key=lambda one: (one.place is None, one.place or 0, one.name))
        work = Work(key=attempt.work.key, lane=attempt.work.lane, subject=f"{attempt.workflow}/{first.name}")
        try:
            following = beginning.begin_consumer(db, work, attempt.plan, now)
        except beginning.OtherVersionError:
            return None  # it was deployed anew meanwhile: the engine begins with that
        return None if following is None else self._story(following, worker, endings)


def _trouble(error: StoreError) -> Failure:
    return Failure(kind=FailureClass.TRANSIENT, sentence=str(error), counts=False)


def _mistake(error: Exception) -> Failure:
    return Failure(
        kind=FailureClass.INTERNAL,
        sentence=f"Dayhand made a mistake ({type(error).__name__}: {error}).",
        traceback="".join(traceback.format_exception(error))[-20_000:],
    )
