"""A power cut must not forget that something was done: what guards an outside action waits for the disk."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.rules.failures import FailureClass
from tests.runs.scripts import consumer
from tests.runs.shop import Shop, fail

FULL = 2


class Watched(Shop):
    """Notes how every transaction is committed, and what it does to the ledger."""

    def open(self) -> None:
        self.commits: list[tuple[int, list[str]]] = []
        super().open()
        write = self.database.write

        @contextmanager
        def watched(*, durable: bool = False) -> Iterator[sqlite3.Connection]:
            with write(durable=durable) as db:
                before = _ledger(db)
                yield db
                changed = [status for status in _ledger(db) if status not in before]
                self.commits.append((db.execute("PRAGMA synchronous").fetchone()[0], changed))

        self.database.write = watched  # type: ignore[method-assign]

    def guards(self) -> list[tuple[int, str]]:
        """Each change of the ledger, with how it was committed."""
        return [(how, status.split()[1]) for how, changed in self.commits for status in changed]


def _ledger(db: sqlite3.Connection) -> list[str]:
    return [f"{key} {status}" for key, status in db.execute("SELECT key, status FROM mutations")]


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    shop = Watched(tmp_path)
    yield shop
    shop.close()


def test_the_beginning_and_the_outcome_wait_for_the_disk(watched: Watched) -> None:
    watched.deploy(consumer())
    watched.publish("a")
    watched.tick()
    assert watched.guards() == [(FULL, "in_flight"), (FULL, "applied")]
    others = [how for how, changed in watched.commits if not changed]
    assert others and FULL not in others, "and nothing else does"


@pytest.mark.parametrize(
    ("kind", "outcomes"),
    [
        (FailureClass.TRANSIENT, ["in_flight", "failed"]),
        (FailureClass.UNSURE, ["in_flight", "unsure", "applied"]),
    ],
)
def test_so_does_every_other_outcome(watched: Watched, kind: FailureClass, outcomes: list[Any]) -> None:
    watched.world.fails = [fail(kind)]
    watched.deploy(consumer())
    watched.publish("a")
    watched.tick()
    assert watched.guards() == [(FULL, word) for word in outcomes]
    watched.pass_time(timedelta(minutes=1))
    assert {how for how, _ in watched.guards()} == {FULL}
    assert watched.events() == {"a": "consumed"}
