"""A power cut must not lose the record of an outside action: its transactions are synced to the disk."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.rules.failures import FailureClass
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer

FULL = 2


class Watched(RuntimeFixture):
    """Records how every transaction is committed and which mutations it changes."""

    def open(self) -> None:
        self.commits: list[tuple[int, list[str]]] = []
        super().open()
        write = self.database.write

        @contextmanager
        def watched(*, durable: bool = False) -> Iterator[sqlite3.Connection]:
            with write(durable=durable) as db:
                before = _mutations(db)
                yield db
                changed = [status for status in _mutations(db) if status not in before]
                self.commits.append((db.execute("PRAGMA synchronous").fetchone()[0], changed))

        self.database.write = watched  # type: ignore[method-assign]

    def guards(self) -> list[tuple[int, str]]:
        """Each change of a mutation, with how it was committed."""
        return [(how, status.split()[1]) for how, changed in self.commits for status in changed]


def _mutations(db: sqlite3.Connection) -> list[str]:
    return [f"{key} {status}" for key, status in db.execute("SELECT key, status FROM mutations")]


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    runtime = Watched(tmp_path)
    yield runtime
    runtime.close()


def test_start_and_outcome_of_an_action_are_synced(watched: Watched) -> None:
    watched.deploy(consumer())
    watched.publish("a")
    watched.tick()
    assert watched.guards() == [(FULL, "in_flight"), (FULL, "applied")]
    others = [how for how, changed in watched.commits if not changed]
    assert others and FULL not in others, "nothing else is synced"


@pytest.mark.parametrize(
    ("kind", "outcomes"),
    [
        (FailureClass.TRANSIENT, ["in_flight", "failed"]),
        (FailureClass.UNSURE, ["in_flight", "unsure", "applied"]),
    ],
)
def test_every_other_outcome_is_synced(watched: Watched, kind: FailureClass, outcomes: list[Any]) -> None:
    watched.service.fails = [fail(kind)]
    watched.deploy(consumer())
    watched.publish("a")
    watched.tick()
    assert watched.guards() == [(FULL, word) for word in outcomes]
    watched.pass_time(timedelta(minutes=1))
    assert {how for how, _ in watched.guards()} == {FULL}
    assert watched.events() == {"a": "consumed"}
