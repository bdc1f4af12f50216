"""Finding out whether an outside action happened: its tool's checker, a few times, then the person."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from scheduler.connections import abandoned_calls
from scheduler.connections.connector import Checked
from scheduler.engine.context import Context
from scheduler.engine.launcher import Announcement
from scheduler.engine.runs import asking
from scheduler.engine.runs.endings import ask_whether_it_happened
from scheduler.engine.runs.insisting import Insistence
from scheduler.engine.runs.tools import FailedError, Tools
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.mutations import Mutation
from scheduler.rules.phases import Phase
from scheduler.rules.reconciliation import weigh_no
from scheduler.store import connections, mutations, requests, runs
from scheduler.store.errors import StaleError
from scheduler.store.mutations import MutationRow
from scheduler.store.requests import Given, RequestKind

TRIES = 5
_FIRST, _LONGEST = timedelta(seconds=10), timedelta(minutes=10)
_STILL_RUNNING = timedelta(seconds=30)


def next_check(checks: int) -> timedelta:
    """The wait after that many checks in vain: 10 s, doubling to 10 minutes."""
    return min(_FIRST * (1 << max(checks - 1, 0)), _LONGEST)


@dataclass(slots=True)
class _Watch:
    """Since when an outcome is looked for, in seconds that only ever pass; a restart begins again, on the safe side."""

    ended: float
    """When the call had ended for sure."""
    first_no: float | None = None


class Reconciling:
    def __init__(self, context: Context, tools: Tools, insistence: Insistence) -> None:
        self._context = context
        self._tools = tools
        self._insistence = insistence
        self._watches: dict[tuple[str, datetime], _Watch] = {}
        """By run and beginning of the call, so that a second call of the same run is waited for anew."""

    def check(self, mutation: MutationRow) -> None:
        """Find out once more, and write down what is known now."""
        note = self._find_out(mutation)
        with suppress(StaleError):  # the user, or another check, was first
            self._insistence.write(note, durable=True)
        self._context.announce(Announcement(mutation.workflow))

    def _find_out(self, mutation: MutationRow) -> Callable[[sqlite3.Connection], None]:
        if abandoned_calls.is_running(mutation.key):
            return partial(self._note_still_running, mutation)
        if (late := self._tools.late_outcome(mutation)) is not None:
            return partial(self._settle, mutation, late)
        tool = self._tools.checker(mutation)
        if tool is None:
            return partial(self._ask_user, mutation)
        watch = self._watches.setdefault((mutation.run, mutation.begun), _Watch(self._context.clock.monotonic()))
        try:
            found = self._tools.check(tool, mutation)
        except FailedError as failed:
            return partial(self._note_failure, mutation, failed.failure)
        if found.happened:
            return partial(self._settle, mutation, found)
        denial = weigh_no(
            ended=watch.ended,
            first_no=watch.first_no,
            now=self._context.clock.monotonic(),
            window=tool.apply_window.total_seconds(),
        )
        watch.first_no = denial.first_no
        if denial.did_not_happen:
            return partial(self._settle, mutation, found)
        return partial(self._wait, mutation, timedelta(seconds=denial.wait_s))

    def _settle(self, mutation: MutationRow, found: Checked, db: sqlite3.Connection) -> None:
        self._watches.pop((mutation.run, mutation.begun), None)
        settle(db, mutation.run, happened=found.happened, result=found.result, now=self._context.clock.now())

    def _wait(self, mutation: MutationRow, wait: timedelta, db: sqlite3.Connection) -> None:
        mutations.check_again(db, mutation.run, self._context.clock.now() + wait, counts=False)

    def _note_still_running(self, mutation: MutationRow, db: sqlite3.Connection) -> None:
        """Nothing is decided while the call runs; after a while the user is told, who may know how it ends."""
        checks = mutation.checks + 1
        wait = next_check(checks)
        if checks >= TRIES:
            self._ask_user(mutation, db)
            wait = _STILL_RUNNING  # how it ended is to be known before the user answers
        mutations.check_again(db, mutation.run, self._context.clock.now() + wait, counts=True)

    def _note_failure(self, mutation: MutationRow, failure: Failure, db: sqlite3.Connection) -> None:
        now, checks = self._context.clock.now(), mutation.checks + failure.counts
        match failure.kind:
            case FailureClass.AUTH:
                mutations.check_again(db, mutation.run, None, counts=False)
                connections.set_trouble(db, mutation.connection, failure.sentence)
                run = runs.find(db, mutation.run)
                assert run is not None
                asking.ask(db, RequestKind.RECONNECT, run, failure.sentence, now, subject=mutation.connection)
            case FailureClass.UNSURE:
                self._ask_user(mutation, db)
            case _ if checks >= TRIES:
                self._ask_user(mutation, db)
            case _:
                mutations.check_again(db, mutation.run, now + next_check(checks), counts=failure.counts)

    def _ask_user(self, mutation: MutationRow, db: sqlite3.Connection) -> None:
        run = runs.find(db, mutation.run)
        assert run is not None
        said = (run.error or {}).get("sentence", "")
        ask_whether_it_happened(db, run, said, self._context.clock.now(), can_find_out=False)


def settle(db: sqlite3.Connection, run: str, *, happened: bool | None, result: object, now: datetime) -> None:
    """It is known now: it happened, it did not, or (None) the person lets it go. The run goes on from that."""
    word = {True: Mutation.APPLIED, False: Mutation.FAILED, None: Mutation.SKIPPED}[happened]
    mutations.settle(db, run, Mutation.UNSURE, word, now, result=result)
    if word is not Mutation.FAILED:
        runs.settle_phase(db, run, Phase.MUTATING, Phase.MUTATED, now, outcome=result)
    requests.close(db, now, Given.SOLVED, run=run)
    runs.resume(db, run, now)
