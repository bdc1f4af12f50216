"""Finding out whether an outside action happened: its tool's checker, a few times, then the person."""

import sqlite3
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

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
from scheduler.store import connections, mutations, requests, runs
from scheduler.store.errors import StaleError
from scheduler.store.mutations import MutationRow
from scheduler.store.requests import Given, RequestKind

TRIES = 5
_FIRST, _LONGEST = timedelta(seconds=10), timedelta(minutes=10)


def next_check(checks: int) -> timedelta:
    """The wait after that many checks in vain: 10 s, doubling to 10 minutes."""
    return min(_FIRST * (1 << max(checks - 1, 0)), _LONGEST)


class Reconciling:
    def __init__(self, context: Context, tools: Tools, insistence: Insistence) -> None:
        self._context = context
        self._tools = tools
        self._insistence = insistence

    def check(self, mutation: MutationRow) -> None:
        """Ask the tool once, and write down what is known now."""
        try:
            found = self._tools.look_after(mutation.workflow, mutation)
        except FailedError as failed:
            note = partial(self._note_failure, mutation, failed.failure)
        else:
            note = partial(self._note, mutation, found)
        with suppress(StaleError):  # somebody else found out meanwhile
            self._insistence.write(note, durable=True)
        self._context.announce(Announcement(mutation.workflow))

    def _note(self, mutation: MutationRow, found: Checked | None, db: sqlite3.Connection) -> None:
        now = self._context.clock.now()
        if found is None:
            self._ask_person(db, mutation, now)
        else:
            settle(db, mutation.run, happened=found.happened, result=found.result, now=now)

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
                self._ask_person(db, mutation, now)
            case _ if checks >= TRIES:
                self._ask_person(db, mutation, now)
            case _:
                mutations.check_again(db, mutation.run, now + next_check(checks), counts=failure.counts)

    def _ask_person(self, db: sqlite3.Connection, mutation: MutationRow, now: datetime) -> None:
        run = runs.find(db, mutation.run)
        assert run is not None
        said = (run.error or {}).get("sentence", "")
        ask_whether_it_happened(db, run, said, now, has_checker=False)


def settle(db: sqlite3.Connection, run: str, *, happened: bool | None, result: object, now: datetime) -> None:
    """It is known now: it happened, it did not, or (None) the person lets it go. The run goes on from that."""
    word = {True: Mutation.APPLIED, False: Mutation.FAILED, None: Mutation.SKIPPED}[happened]
    mutations.settle(db, run, Mutation.UNSURE, word, now, result=result)
    if word is not Mutation.FAILED:
        runs.settle_phase(db, run, Phase.MUTATING, Phase.MUTATED, now, outcome=result)
    requests.close(db, now, Given.SOLVED, run=run)
    runs.resume(db, run, now)
