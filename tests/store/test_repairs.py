"""Repairs in the store: which workflow is blocked, because of which run, and how many repairs did not help."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.rules.phases import RunPhase, RunStatus
from scheduler.rules.requests import Block
from scheduler.store import key_values, lanes, repairs, runs, workflows
from scheduler.store.database import Database
from scheduler.store.lanes import LaneRow
from scheduler.store.workflows import ScriptOrigin, ScriptRow
from tests.store.workflow_rows import NOW, make_run, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database:
        yield database


def add_script(db: sqlite3.Connection, number: int, origin: ScriptOrigin) -> None:
    workflows.add_script(db, ScriptRow("w", number, "bb", "pass", origin, {"handlers": []}, NOW))


def is_open(database: Database) -> bool:
    ground = lanes.read_start_conditions(database.read(), "w", "")
    return ground is not None and ground.can_start(None)


def test_the_lanes_are_blocked_during_a_repair(database: Database) -> None:
    assert (is_open(database), repairs.list_repairing(database.read())) == (True, [])
    with database.write() as db:
        repairs.begin(db, "w", "r1")
    assert (is_open(database), repairs.list_repairing(database.read())) == (False, ["w"])
    assert repairs.failed_run(database.read(), "w") == "r1"
    with database.write() as db:
        assert repairs.end(db, "w")
        assert not repairs.end(db, "w")
    assert (is_open(database), repairs.failed_run(database.read(), "w")) == (True, None)


def test_a_removed_workflow_has_no_repair(database: Database) -> None:
    assert repairs.failed_run(database.read(), "gone") is None
    with database.write() as db:
        assert not repairs.end(db, "gone")


def test_without_the_stored_run_the_blocked_lane_names_it(database: Database) -> None:
    with database.write() as db:
        repairs.begin(db, "w", "r1")
        key_values.delete(db, "fixing w")
    assert repairs.failed_run(database.read(), "w") is None
    with database.write() as db:
        lanes.block(db, LaneRow("w", "", Block.SCRIPT_ERROR, "It broke.", "r2"))
    assert repairs.failed_run(database.read(), "w") == "r2"


def test_repairs_are_counted_until_one_lets_a_run_finish(database: Database) -> None:
    with database.write() as db:
        for number in (2, 3, 4):
            add_script(db, number, ScriptOrigin.FIX)
    assert [repairs.count_failed_repairs(database.read(), "w", "file", number) for number in (1, 2, 3, 4)] == [
        0,
        1,
        2,
        3,
    ]
    with database.write() as db:
        done = make_run("r1", phase=RunPhase.COMMITTED, status=RunStatus.COMMITTED)._replace(script=3, handler="file")
        runs.insert(db, done)
    assert [repairs.count_failed_repairs(database.read(), "w", "file", number) for number in (3, 4)] == [0, 1]
    assert repairs.count_failed_repairs(database.read(), "w", "poll", 4) == 3, (
        "a success of another handler does not count"
    )


@pytest.mark.parametrize("origin", [ScriptOrigin.AUTHOR, ScriptOrigin.ROLLBACK])
def test_a_deploy_or_rollback_by_the_user_resets_the_count(database: Database, origin: ScriptOrigin) -> None:
    with database.write() as db:
        add_script(db, 2, ScriptOrigin.FIX)
        add_script(db, 3, origin)
        add_script(db, 4, ScriptOrigin.FIX)
    assert repairs.count_failed_repairs(database.read(), "w", "file", 4) == 1
