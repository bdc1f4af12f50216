"""The user of random histories: answers requests truthfully or wrongly, and remembers what they approved."""

import sqlite3
from collections.abc import Callable
from typing import Any

from scheduler.connections.connector import Call
from scheduler.rules.requests import RequestKind
from scheduler.store import mutations
from scheduler.store.requests import RequestRow
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.true_world import TrueWorld

ANSWERED_ONCE = (
    RequestKind.APPROVAL,
    RequestKind.QUESTION,
    RequestKind.PERMISSION,
    RequestKind.UNSURE,
    RequestKind.INTERRUPTED,
)
"""The kinds of which the first answer counts."""
WORDS = ("yes", "no", "always", "edit", "skip")


class KnowingUser:
    """Knows from the world whether an action happened."""

    def __init__(self, runtime: RuntimeFixture, world: TrueWorld) -> None:
        self._runtime = runtime
        self._world = world
        self._approved: dict[tuple[str, str], str] = {}
        """By chain and events: what the call may say, as the user approved it last."""
        self.answered_wrong: set[str] = set()
        """Events about which the user answered wrongly."""

    @property
    def _db(self) -> sqlite3.Connection:
        return self._runtime.database.read()

    def answers(self, row: RequestRow, word: str, *, mistaken: bool) -> tuple[Callable[[], Any], Callable[[], Any]]:
        """The user's answer, and a different one."""
        answering = self._runtime.request_commands
        assert row.run is not None
        match row.kind:
            case RequestKind.APPROVAL if word == "edit":
                edits = {"text": "edited"}
                self._approved[self._approval_of(row)] = "edited"
                return (lambda: answering.approve(row.id, edits=edits)), lambda: answering.approve(row.id)
            case RequestKind.APPROVAL | RequestKind.PERMISSION:
                if row.kind is RequestKind.APPROVAL and word != "no":
                    self._approved[self._approval_of(row)] = row.call["parameters"]["text"]
                yes, no = (lambda: answering.approve(row.id, always=word == "always")), lambda: answering.reject(row.id)
                return (no, yes) if word == "no" else (yes, no)
            case RequestKind.QUESTION:
                answer, no = (lambda: answering.answer(row.id, {"answer": word})), lambda: answering.reject(row.id)
                return (no, answer) if word == "no" else (answer, no)
            case RequestKind.UNSURE | RequestKind.INTERRUPTED:
                given = self._truth(row, word, mistaken=mistaken)
                other = "skip" if given != "skip" else "happened"
                return (lambda: answering.resolve(row.run, given)), lambda: answering.resolve(row.run, other)
            case RequestKind.RECONNECT:
                save = self._runtime.services.grant_commands.save_connection
                return (lambda: save(row.subject, {})), lambda: None
        return (lambda: answering.retry(row.run)), lambda: None

    def expected_text(self, call: Call) -> str | None:
        """What this call may say; None if the user was not asked."""
        query = "SELECT r.chain FROM runs r JOIN mutations m ON m.run = r.id WHERE m.key = ? LIMIT 1"
        chain = self._db.execute(query, (call.key,)).fetchone()[0]
        return self._approved.get((chain, str(call.parameters["n"])))

    def _truth(self, row: RequestRow, word: str, *, mistaken: bool) -> str:
        mutation = mutations.find(self._db, row.run or "")
        if mutation is None or word == "skip":
            return "skip" if word == "skip" else "not-happened"
        self._world.carry_out()
        happened = mutation.key in self._world.happened
        if mistaken or any(key == mutation.key for _, key, _ in self._world.coming):
            self.answered_wrong |= set(mutation.parameters["n"])
        return "happened" if happened is not mistaken else "not-happened"

    def _approval_of(self, row: RequestRow) -> tuple[str, str]:
        chain = self._db.execute("SELECT chain FROM runs WHERE id = ?", (row.run,)).fetchone()[0]
        return chain, str(row.call["parameters"]["n"])
