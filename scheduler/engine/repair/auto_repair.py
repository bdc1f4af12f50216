"""Automatic repairs: hands failed scripts to the configured fixer, on its own thread."""

import logging
import sqlite3
import threading
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from scheduler.connections.secrets import Secrets
from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.idempotency import run_once
from scheduler.engine.lookup import find_run
from scheduler.engine.runs import user_requests
from scheduler.engine.scheduling.error_backoff import delay_after
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.engine.workflows.deployment import Deployer
from scheduler.engine.workflows.validation import ScriptValidator
from scheduler.rules.phases import RunStatus
from scheduler.rules.requests import RequestKind
from scheduler.store import key_values, repairs, runs, workflows
from scheduler.store.errors import StoreClosedError, StoreError
from scheduler.store.requests import RequestRow
from scheduler.store.runs import RunRow
from scheduler.store.workflows import ScriptOrigin
from scheduler.user_text import UserText

if TYPE_CHECKING:
    from scheduler.engine.repair.fixer import Fixer
    from scheduler.engine.repair.proposals import Proposal

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
_FIRST_RETRY_S, _MAX_RETRY_S = 0.5, 60.0
"""Delays after a store error, doubled each time."""
_CLOSE_TIMEOUT_S = 10.0
"""How long closing waits for a dry run; the store is closed under a longer one."""


class AutoRepair:
    """The store records what is being repaired, so that a repair continues after a crash at any point.

    A fixer's answer is applied on the engine thread.
    """

    def __init__(
        self,
        context: EngineContext,
        deployment: Deployer,
        validation: ScriptValidator,
        secrets: Secrets,
        *,
        dry_run: Callable[[str, str], str | None],
        run_on_engine_thread: Callable[[Callable[[], None]], object],
    ) -> None:
        self._context = context
        self._deployment = deployment
        self._validation = validation
        self._secrets = secrets
        self._dry_run = dry_run
        self._run_on_engine_thread = run_on_engine_thread
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._fixer: Fixer | None = None
        self._handed_over: set[str] = set()
        self._closing = threading.Event()

    def repair_failed_run(self, db: sqlite3.Connection, run: str, now: datetime) -> None:
        if not self._context.settings.fixer.is_on:
            return
        row = runs.find(db, run)
        if row is None or row.status is not RunStatus.LOGIC or row.followed or row.resume_at is not None:
            return
        if (row.error or {}).get("command"):
            return  # a command failed, not the script
        flow = workflows.find(db, row.workflow)
        script = workflows.find_script(db, row.workflow, row.script)
        if flow is None or script is None or flow.fixing or flow.script != row.script:
            return
        if script.origin is ScriptOrigin.ROLLBACK:
            return  # the user chose to go back to this version
        if self._has_no_attempts_left(db, row):
            self._leave(
                db,
                row,
                UserText(
                    "{max_attempts} repairs were tried without success. Fix the script yourself.",
                    max_attempts=MAX_ATTEMPTS,
                ),
                now,
            )
            return
        if self._context.settings.fixer.shows:
            self._ask_first(db, row, now)
        else:
            self._begin(db, row, now)

    def start(self, run: str) -> dict[str, Any]:
        """The user has reviewed what is sent and wants the repair. On the engine thread."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_run(db, run)
            flow = workflows.find(db, row.workflow)
            if not self._context.settings.fixer.is_on:
                raise RefusedError("fixer", UserText("No fixer is set up to repair scripts. Choose one in Settings."))
            if row.status is not RunStatus.LOGIC or row.followed or flow is None or flow.script != row.script:
                raise RefusedError(
                    "not failed", UserText("Only a run whose script failed and is still in use can be repaired.")
                )
            if flow.fixing:
                raise RefusedError("fixing", UserText("A repair of {flow} is already being prepared.", flow=flow.name))
            if self._has_no_attempts_left(db, row):
                raise RefusedError(
                    "no fix", UserText("{max_attempts} repairs were tried without success.", max_attempts=MAX_ATTEMPTS)
                )
            self._begin(db, row, now)
            return {"run": row.id}

        return run_once(self._context, "repair", run, None, act)

    def recover(self, db: sqlite3.Connection, now: datetime) -> None:
        for workflow in repairs.list_repairing(db):
            run = repairs.failed_run(db, workflow)
            row = None if run is None else runs.find(db, run)
            if row is None or row.status is not RunStatus.LOGIC or row.followed:
                repairs.end(db, workflow)
            elif self._context.settings.fixer.is_on and not self._has_no_attempts_left(db, row):
                self._wake_thread()
            else:
                self._leave(db, row, UserText("Dayhand quit before a repair was ready. Fix the script yourself."), now)

    def accept(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        from scheduler.engine.repair import proposals  # noqa: PLC0415  most users never need it

        if row.kind is RequestKind.FIX:
            proposals.apply_approved(db, self._deployment, row, now)

    def decline(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        from scheduler.engine.repair import proposals  # noqa: PLC0415  as above

        if row.kind is RequestKind.REPAIRED:
            proposals.undo(db, self._deployment, row, now)
            return
        run = None if row.run is None else runs.find(db, row.run)
        if run is not None and run.status is RunStatus.LOGIC and not run.followed:
            self._leave(db, run, UserText("You declined the repair."), now)

    @property
    def is_repairing(self) -> bool:
        return bool(repairs.list_repairing(self._context.database.read()))

    def close(self) -> None:
        """Cancel the fixer; its repair starts again when Dayhand starts again."""
        with self._lock:
            self._closing.set()
            thread, fixer = self._thread, self._fixer
        self._wake.set()
        if fixer is not None:
            fixer.cancel()
        if thread is not None:
            thread.join(_CLOSE_TIMEOUT_S)

    def _begin(self, db: sqlite3.Connection, row: RunRow, now: datetime) -> None:
        repairs.begin(db, row.workflow, row.id)
        user_requests.close(db, row.id, now)
        self._wake_thread()

    def _ask_first(self, db: sqlite3.Connection, row: RunRow, now: datetime) -> None:
        from scheduler.engine.repair.proposals import ask_before_sending  # noqa: PLC0415
        from scheduler.engine.repair.proposer import describe_failure  # noqa: PLC0415  as above

        ask_before_sending(db, row, now, sent=describe_failure(db, row).full_text)

    def _wake_thread(self) -> None:
        """Have the thread check for repairs; it sees what this transaction writes once that is committed."""
        with self._lock:
            if self._closing.is_set():
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="repairs", daemon=True)
                self._thread.start()
        self._wake.set()

    def _serve(self) -> None:
        failures = 0
        while not self._closing.is_set():
            self._wake.wait()
            self._wake.clear()
            try:
                while not self._closing.is_set() and (row := self._next()) is not None:
                    self._repair(row)
            except StoreClosedError:
                return
            except Exception:  # the outermost frame of this thread: log and retry
                log.exception("A repair could not be prepared")
                failures += 1
                if not self._closing.wait(delay_after(failures, _MAX_RETRY_S, _FIRST_RETRY_S)):
                    self._wake.set()
            else:
                failures = 0

    def _next(self) -> RunRow | None:
        """In a write transaction, so that it waits for the one that requested the repair."""
        with self._context.database.write() as db:
            for workflow in repairs.list_repairing(db):
                run = repairs.failed_run(db, workflow)
                if run is not None and run not in self._handed_over:
                    return runs.find(db, run)
        return None

    def _repair(self, row: RunRow) -> None:
        from scheduler.engine.repair.fixer import RepairCancelledError  # noqa: PLC0415  as above
        from scheduler.engine.repair.proposer import NoRepairError  # noqa: PLC0415

        self._handed_over.add(row.id)
        try:
            proposal = self._ask(row)
        except (RepairCancelledError, StoreClosedError):
            return
        except NoRepairError as error:
            self._finish(row, None, UserText("No repair was found. {sentences}", sentences=error.sentences[-1]))
        except RefusedError as error:
            self._finish(row, None, error.sentence)
        except StoreError as error:
            self._finish(row, None, str(error))
        except Exception as error:  # the workflow must not stay blocked because of a bug of ours
            log.exception("A repair could not be prepared")
            self._finish(
                row,
                None,
                UserText(
                    "No repair was found because of an error in Dayhand ({error_type}).",
                    error_type=type(error).__name__,
                ),
            )
        else:
            self._finish(row, proposal, "")

    def _ask(self, row: RunRow) -> "Proposal":
        from scheduler.engine.repair.fixer import RepairCancelledError  # noqa: PLC0415  as above
        from scheduler.engine.repair.proposer import RepairProposer, make_fixer  # noqa: PLC0415

        choice = self._context.settings.fixer
        fixer = make_fixer(choice, self._secrets)
        with self._lock:
            if self._closing.is_set():
                raise RepairCancelledError
            self._fixer = fixer
        try:
            proposer = RepairProposer(
                self._context.database, self._validation, fixer, seconds=choice.seconds, dry_run=self._dry_run
            )
            return proposer.propose(row.id)
        finally:
            with self._lock:
                self._fixer = None

    def _finish(self, row: RunRow, proposal: "Proposal | None", why: str, tries: int = 1) -> None:
        if not self._closing.is_set():
            self._run_on_engine_thread(lambda: self._store_result(row, proposal, why, tries))

    def _store_result(self, row: RunRow, proposal: "Proposal | None", why: str, tries: int) -> None:
        """On the engine thread: end the repair and store its result in one transaction."""
        sentences: list[str] = []

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, str]:
            sentences.append(self._write(db, row, proposal, why, now))
            return {}

        try:
            run_once(self._context, "repair", row.workflow, None, act)
        except StoreClosedError:
            return  # the next start continues from what is stored
        except StoreError as error:
            log.warning("A repair could not be stored and will be retried: %s", error)
            delay = delay_after(tries, _MAX_RETRY_S, _FIRST_RETRY_S)
            timer = threading.Timer(delay, self._finish, (row, proposal, why, tries + 1))
            timer.daemon = True
            timer.start()
            return
        self._handed_over.discard(row.id)
        if sentences[-1]:
            self._context.report_change(Announcement(row.workflow, sentences[-1]))

    def _write(self, db: sqlite3.Connection, old: RunRow, proposal: "Proposal | None", why: str, now: datetime) -> str:
        """Write the result; returns a sentence to show to the user, if any."""
        from scheduler.engine.repair import proposals  # noqa: PLC0415  as above

        flow, row = workflows.find(db, old.workflow), runs.find(db, old.id)
        if flow is None or row is None:
            repairs.end(db, old.workflow)
            return ""
        if proposal is not None and flow.script != proposal.base:
            number = proposals.store_unused(db, flow.slug, proposal.validated, now)
            return UserText(
                "A repair of {flow} arrived after a newer script; it is kept as version {number} but not used.",
                flow=flow.name,
                number=number,
            )
        if repairs.failed_run(db, flow.slug) != row.id:
            return ""  # the user took over
        repairs.end(db, flow.slug)
        if row.status is not RunStatus.LOGIC or row.followed:
            return ""
        if proposal is None:
            self._leave(db, row, why, now)
        elif self._context.settings.fixer.applies and not proposal.asks:
            number = proposals.apply_automatically(db, self._deployment, proposal, row, now)
            return UserText("{flow} was repaired and continues with version {number}.", flow=flow.name, number=number)
        else:
            proposals.offer(db, proposal, row, now)
        return ""

    def _leave(self, db: sqlite3.Connection, row: RunRow, why: str, now: datetime) -> None:
        from scheduler.engine.repair.proposals import leave_to_user  # noqa: PLC0415  as above

        leave_to_user(db, row, why, now)

    def _has_no_attempts_left(self, db: sqlite3.Connection, row: RunRow) -> bool:
        """Counts repairs in one chain of attempts, and over versions without a successful run in between."""
        in_chain = int(key_values.read(db, attempts_key(row.chain)) or 0)
        return max(in_chain, repairs.count_failed_repairs(db, row.workflow, row.handler, row.script)) >= MAX_ATTEMPTS


def attempts_key(chain: str) -> str:
    """The stored key that counts how often a fixer was asked about a chain of attempts."""
    return f"fixes of {chain}"
