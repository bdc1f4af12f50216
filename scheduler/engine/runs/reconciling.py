"""Finding out whether an outside action happened: its tool's checker, a few times, then the person."""

import sqlite3
from datetime import datetime, timedelta

from scheduler.engine.context import Context
from scheduler.engine.launcher import Announcement
from scheduler.engine.runs import asking
from scheduler.engine.runs.endings import ask_whether_it_happened
from scheduler.engine.runs.tools import FailedError, Tools
from scheduler.rules.failures import FailureClass
from scheduler.rules.mutations import Mutation
from scheduler.rules.phases import Phase
from scheduler.store import connections, mutations, requests, runs
from scheduler.store.mutations import MutationRow
from scheduler.store.requests import Given, RequestKind

TRIES = 5
_FIRST, _LONGEST = timedelta(seconds=10), timedelta(minutes=10)


def next_check(checks: int) -> timedelta:
    """The wait after that many checks in vain: 10 s, doubling to 10 minutes."""
    return min(_FIRST * (1 << (checks - 1)), _LONGEST)


class Reconciling:
    def __init__(self, context: Context, tools: Tools) -> None:
        self._context = context
        self._tools = tools

    def check(self, mutation: MutationRow) -> None:
        """Ask the tool once, and write down what is known now."""
        try:
            found = self._tools.look_after(mutation.workflow, mutation)
        except FailedError as failed:
            self._note_failure(mutation, failed)
        else:
            with self._context.database.write(durable=True) as db:
                now = self._context.clock.now()
                if found is None:
                    self._ask_person(db, mutation, now)
                else:
                    settle(db, mutation.run, happened=found.happened, result=found.result, now=now)
        self._context.announce(Announcement(mutation.workflow))

    def _note_failure(self, mutation: MutationRow, failed: FailedError) -> None:
        now = self._context.clock.now()
        with self._context.database.write() as db:
            match failed.failure.kind:
                case FailureClass.AUTH:
                    mutations.check_again(db, mutation.run, None, counts=False)
                    connections.set_trouble(db, mutation.connection, failed.failure.sentence)
                    run = runs.find(db, mutation.run)
                    assert run is not None
                    said = failed.failure.sentence
                    asking.ask(db, RequestKind.RECONNECT, run, said, now, subject=mutation.connection)
                case FailureClass.UNSURE:
                    self._ask_person(db, mutation, now)
                case _ if mutation.checks + 1 >= TRIES:
                    self._ask_person(db, mutation, now)
                case _:
                    mutations.check_again(
                        db, mutation.run, now + next_check(mutation.checks + 1), counts=failed.failure.counts
                    )

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
