"""Repairs in the store: whose lanes rest, for which run, and how many did not help."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.rules.phases import Phase, Status
from scheduler.store import facts, lanes, repairs, runs, workflows
from scheduler.store.database import Database
from scheduler.store.lanes import Block, LaneRow
from scheduler.store.workflows import ScriptOrigin, ScriptRow
from tests.store.workflow_rows import NOW, run, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database:
        yield database


def add_script(db: sqlite3.Connection, number: int, origin: ScriptOrigin) -> None:
    workflows.add_script(db, ScriptRow("w", number, "bb", "pass", origin, {"handlers": []}, NOW))


def is_open(database: Database) -> bool:
    ground = lanes.ground(database.read(), "w", "")
    return ground is not None and ground.is_open_to(None)


def test_the_lanes_rest_from_beginning_to_end(database: Database) -> None:
    assert (is_open(database), repairs.under_way(database.read())) == (True, [])
    with database.write() as db:
        repairs.begin(db, "w", "r1")
    assert (is_open(database), repairs.under_way(database.read())) == (False, ["w"])
    assert repairs.run_of(database.read(), "w") == "r1"
    with database.write() as db:
        assert repairs.end(db, "w")
        assert not repairs.end(db, "w")
    assert (is_open(database), repairs.run_of(database.read(), "w")) == (True, None)


def test_nothing_is_known_of_a_workflow_that_is_gone(database: Database) -> None:
    assert repairs.run_of(database.read(), "gone") is None
    with database.write() as db:
        assert not repairs.end(db, "gone")


def test_without_the_fact_the_closed_lane_says_which_run_it_is(database: Database) -> None:
    with database.write() as db:
        repairs.begin(db, "w", "r1")
        facts.forget(db, "fixing w")
    assert repairs.run_of(database.read(), "w") is None
    with database.write() as db:
        lanes.block(db, LaneRow("w", "", Block.SCRIPT_ERROR, "It broke.", "r2"))
    assert repairs.run_of(database.read(), "w") == "r2"


def test_repairs_count_until_one_lets_a_run_finish(database: Database) -> None:
    with database.write() as db:
        for number in (2, 3, 4):
            add_script(db, number, ScriptOrigin.FIX)
    assert [repairs.in_vain(database.read(), "w", "file", number) for number in (1, 2, 3, 4)] == [0, 1, 2, 3]
    with database.write() as db:
        done = run("r1", phase=Phase.COMMITTED, status=Status.COMMITTED)._replace(script=3, handler="file")
        runs.insert(db, done)
    assert [repairs.in_vain(database.read(), "w", "file", number) for number in (3, 4)] == [0, 1]
    assert repairs.in_vain(database.read(), "w", "poll", 4) == 3, "another handler says nothing about this one"


@pytest.mark.parametrize("origin", [ScriptOrigin.AUTHOR, ScriptOrigin.ROLLBACK])
def test_what_a_person_decided_begins_anew(database: Database, origin: ScriptOrigin) -> None:
    with database.write() as db:
        add_script(db, 2, ScriptOrigin.FIX)
        add_script(db, 3, origin)
        add_script(db, 4, ScriptOrigin.FIX)
    assert repairs.in_vain(database.read(), "w", "file", 4) == 1
