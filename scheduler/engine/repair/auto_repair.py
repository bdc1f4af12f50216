"""Repairs by themselves: a script that fails is handed to the fixer of the settings, on a thread of its own."""

import logging
import sqlite3
import threading
from collections.abc import Callable
from datetime import datetime
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from scheduler.engine.backoff import delay_after
from scheduler.engine.context import Context
from scheduler.engine.launcher import Announcement
from scheduler.engine.once import carry_out
from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs import asking
from scheduler.engine.workflows.deploying import Deploying
from scheduler.engine.workflows.names import find_run
from scheduler.rules.phases import Status
from scheduler.store import facts, repairs, runs, workflows
from scheduler.store.errors import StoreClosedError, StoreError
from scheduler.store.requests import RequestKind, RequestRow
from scheduler.store.runs import RunRow
from scheduler.store.workflows import ScriptOrigin

if TYPE_CHECKING:
    from scheduler.engine.fixing.fixer import Fixer
    from scheduler.engine.fixing.proposals import Proposal
    from scheduler.engine.house import House

log = logging.getLogger(__name__)

MOST_ATTEMPTS = 3
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 60.0
"""Seconds until a store that refused is asked again, twice as long each time."""
_PATIENCE = 10.0
"""Seconds that closing waits for a trial that is under way; the store is closed under a longer one."""


class Repairs:
    """The store says what is being repaired, so a crash at any point leaves something to go on from.

    What a fixer answers is used on the engine's thread: `hand_over` brings it there.
    """

    def __init__(self, house: "House", context: Context, deploying: Deploying) -> None:
        self._house = house
        self._context = context
        self._deploying = deploying
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._fixer: Fixer | None = None
        self._handed_over: set[str] = set()
        self._closing = threading.Event()
        self.errands: SimpleQueue[Callable[[], None]] = SimpleQueue()
        """What waits for the engine's thread, where nobody says how to get there."""
        self.hand_over: Callable[[Callable[[], None]], object] = self.errands.put

    def take(self, db: sqlite3.Connection, run: str, now: datetime) -> None:
        if not self._context.settings.fixer.is_on:
            return
        row = runs.find(db, run)
        if row is None or row.status is not Status.LOGIC:
            return
        flow = workflows.find(db, row.workflow)
        script = workflows.find_script(db, row.workflow, row.script)
        if flow is None or script is None or flow.fixing or flow.script != row.script:
            return
        if script.origin is ScriptOrigin.ROLLBACK:
            return  # the person went back to it, and knows what it does
        if self._is_used_up(db, row):
            self._leave(db, row, f"A repair was tried {MOST_ATTEMPTS} times already. Put it right yourself.", now)
            return
        if self._context.settings.fixer.shows:
            self._ask_first(db, row, now)
        else:
            self._begin(db, row, now)

    def start(self, run: str) -> dict[str, Any]:
        """The person looked at what is sent, and wants it sent. On the engine's thread."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_run(db, run)
            flow = workflows.find(db, row.workflow)
            if not self._context.settings.fixer.is_on:
                raise RefusedError("fixer", "Nobody was chosen to repair scripts. Choose in Settings.")
            if row.status is not Status.LOGIC or row.followed or flow is None or flow.script != row.script:
                raise RefusedError(
                    "not failed", "Only a run whose script failed, and is still in use, can be repaired."
                )
            if flow.fixing:
                raise RefusedError("fixing", f"A repair of {flow.name} is being prepared already.")
            if self._is_used_up(db, row):
                raise RefusedError("no fix", f"A repair was tried {MOST_ATTEMPTS} times already.")
            self._begin(db, row, now)
            return {"run": row.id}

        return carry_out(self._context, "repair", run, None, act)

    def recover(self, db: sqlite3.Connection, now: datetime) -> None:
        for workflow in repairs.under_way(db):
            run = repairs.run_of(db, workflow)
            row = None if run is None else runs.find(db, run)
            if row is None or row.status is not Status.LOGIC:
                repairs.end(db, workflow)
            elif self._context.settings.fixer.is_on and not self._is_used_up(db, row):
                self._look()
            else:
                self._leave(db, row, "Dayhand ended before there was a repair. Put it right yourself.", now)

    def accept(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        from scheduler.engine.fixing import proposals  # noqa: PLC0415  most people never need it

        if row.kind is RequestKind.FIX:
            proposals.apply(db, self._deploying, row, now)

    def decline(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        from scheduler.engine.fixing import proposals  # noqa: PLC0415  as above

        if row.kind is RequestKind.REPAIRED:
            proposals.take_back(db, self._deploying, row, now)
            return
        run = None if row.run is None else runs.find(db, row.run)
        if run is not None and run.status is Status.LOGIC:
            self._leave(db, run, "You did not want the repair.", now)

    @property
    def is_under_way(self) -> bool:
        return bool(repairs.under_way(self._context.database.read()))

    def close(self) -> None:
        """Nobody waits for a fixer any longer; what it was asked is asked again at the next start."""
        with self._lock:
            self._closing.set()
            thread, fixer = self._thread, self._fixer
        self._wake.set()
        if fixer is not None:
            fixer.give_up()
        if thread is not None:
            thread.join(_PATIENCE)

    def _begin(self, db: sqlite3.Connection, row: RunRow, now: datetime) -> None:
        repairs.begin(db, row.workflow, row.id)
        asking.close(db, row.id, now)
        self._look()

    def _ask_first(self, db: sqlite3.Connection, row: RunRow, now: datetime) -> None:
        from scheduler.engine.fixing.fixing import describe  # noqa: PLC0415  as above
        from scheduler.engine.fixing.proposals import ask_first  # noqa: PLC0415

        ask_first(db, row, now, sent=describe(db, row).whole)

    def _look(self) -> None:
        """Have the thread look; it sees what is written now once that is committed."""
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
            except Exception:  # the outermost frame of this thread: recorded, and looked at again
                log.exception("A repair could not be prepared")
                failures += 1
                if not self._closing.wait(delay_after(failures, _LONGEST_PAUSE_S, _FIRST_PAUSE_S)):
                    self._wake.set()
            else:
                failures = 0

    def _next(self) -> RunRow | None:
        """Writing, so that it waits for the transaction that asked for it."""
        with self._context.database.write() as db:
            for workflow in repairs.under_way(db):
                run = repairs.run_of(db, workflow)
                if run is not None and run not in self._handed_over:
                    return runs.find(db, run)
        return None

    def _repair(self, row: RunRow) -> None:
        from scheduler.engine.fixing.fixer import GivenUpError  # noqa: PLC0415  as above
        from scheduler.engine.fixing.fixing import NoFixError  # noqa: PLC0415

        self._handed_over.add(row.id)
        try:
            proposal = self._ask(row)
        except (GivenUpError, StoreClosedError):
            return
        except NoFixError as error:
            self._finish(row, None, f"No repair was found. {error.sentences[-1]}")
        except RefusedError as error:
            self._finish(row, None, error.sentence)
        except StoreError as error:
            self._finish(row, None, str(error))
        except Exception as error:  # the workflow must not rest for ever because of a mistake of ours
            log.exception("A repair could not be prepared")
            self._finish(row, None, f"No repair was found: Dayhand made a mistake ({type(error).__name__}).")
        else:
            self._finish(row, proposal, "")

    def _ask(self, row: RunRow) -> "Proposal":
        from scheduler.engine.fixing.fixer import GivenUpError  # noqa: PLC0415  as above
        from scheduler.engine.fixing.fixing import Fixing  # noqa: PLC0415
        from scheduler.engine.fixing.making import make_fixer  # noqa: PLC0415
        from scheduler.engine.fixing.rehearsal import rehearse  # noqa: PLC0415

        choice = self._context.settings.fixer
        fixer = make_fixer(choice, self._house.secrets)
        with self._lock:
            if self._closing.is_set():
                raise GivenUpError
            self._fixer = fixer
        try:
            fixing = Fixing(self._house, fixer, seconds=choice.seconds, rehearse=partial(rehearse, self._house))
            return fixing.propose(row.id)
        finally:
            with self._lock:
                self._fixer = None

    def _finish(self, row: RunRow, proposal: "Proposal | None", why: str, tries: int = 1) -> None:
        if not self._closing.is_set():
            self.hand_over(lambda: self._settle(row, proposal, why, tries))

    def _settle(self, row: RunRow, proposal: "Proposal | None", why: str, tries: int) -> None:
        """On the engine's thread, in one transaction: the workflow is being repaired until then, and no longer."""
        said: list[str] = []

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, str]:
            said.append(self._write(db, row, proposal, why, now))
            return {}

        try:
            carry_out(self._context, "repair", row.workflow, None, act)
        except StoreClosedError:
            return  # the next start goes on from what is stored
        except StoreError as error:
            log.warning("A repair could not be written down, and is tried again: %s", error)
            pause = delay_after(tries, _LONGEST_PAUSE_S, _FIRST_PAUSE_S)
            again = threading.Timer(pause, self._finish, (row, proposal, why, tries + 1))
            again.daemon = True
            again.start()
            return
        self._handed_over.discard(row.id)
        if said[-1]:
            self._context.tell(Announcement(row.workflow, said[-1]))

    def _write(self, db: sqlite3.Connection, old: RunRow, proposal: "Proposal | None", why: str, now: datetime) -> str:
        """What the person is told besides."""
        from scheduler.engine.fixing import proposals  # noqa: PLC0415  as above

        flow, row = workflows.find(db, old.workflow), runs.find(db, old.id)
        if flow is None or row is None:
            repairs.end(db, old.workflow)
            return ""
        if proposal is not None and flow.script != proposal.base:
            number = proposals.keep_unused(db, flow.slug, proposal.validated, now)
            return f"A repair of {flow.name} came after a newer script; it is kept as version {number} and not used."
        if repairs.run_of(db, flow.slug) != row.id:
            return ""  # the person took over
        repairs.end(db, flow.slug)
        if row.status is not Status.LOGIC:
            return ""
        if proposal is None:
            self._leave(db, row, why, now)
        elif self._context.settings.fixer.applies and not proposal.asks:
            number = proposals.use(db, self._deploying, proposal, row, now)
            return f"{flow.name} was repaired and goes on with version {number}."
        else:
            proposals.offer(db, proposal, row, now)
        return ""

    def _leave(self, db: sqlite3.Connection, row: RunRow, why: str, now: datetime) -> None:
        from scheduler.engine.fixing.proposals import leave  # noqa: PLC0415  as above

        leave(db, row, why, now)

    def _is_used_up(self, db: sqlite3.Connection, row: RunRow) -> bool:
        """In one chain of attempts, or from one version to the next without a run that was finished."""
        in_chain = int(facts.read(db, count_of(row.chain)) or 0)
        return max(in_chain, repairs.in_vain(db, row.workflow, row.handler, row.script)) >= MOST_ATTEMPTS


def count_of(chain: str) -> str:
    """The fact that counts how often a fixer was asked about a chain of attempts."""
    return f"fixes of {chain}"
