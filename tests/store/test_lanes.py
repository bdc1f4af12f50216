"""Lanes: blocked with a reason that stays until it is resolved."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.rules.requests import WAITS_FOR_TIME, Block
from scheduler.store import events, lanes
from scheduler.store.database import Database
from scheduler.store.lanes import LaneRow, StartConditions
from tests.store.workflow_rows import LATER, NOW, add_workflow, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database, database.write() as db:
        lanes.ensure(db, "w", "backup")
        yield database


@pytest.fixture
def db(database: Database) -> sqlite3.Connection:
    return database.read()


def blocked_lane(block: Block = Block.SCRIPT_ERROR, run: str | None = "r1", name: str = "") -> LaneRow:
    return LaneRow("w", name, block, f"It is {block}.", run, LATER)


def test_a_new_lane_is_not_blocked(db: sqlite3.Connection) -> None:
    assert lanes.find(db, "w", "backup") == LaneRow("w", "backup")
    assert lanes.find(db, "w", "nobody") is None
    assert lanes.list_blocked(db) == []


def test_a_deploy_does_not_unblock_a_lane(db: sqlite3.Connection) -> None:
    lanes.block(db, blocked_lane())
    lanes.ensure(db, "w", "")
    assert lanes.find(db, "w", "") == blocked_lane()


def test_blocking_one_lane_leaves_the_others_open(db: sqlite3.Connection) -> None:
    add_workflow(db, "v")
    lanes.block(db, blocked_lane())
    assert lanes.of_workflow(db, "w") == [blocked_lane(), LaneRow("w", "backup")]
    assert lanes.of_workflow(db, "v") == [LaneRow("v", "")]


@pytest.mark.parametrize("first", [block for block in Block if block not in WAITS_FOR_TIME])
def test_the_first_reason_stays(db: sqlite3.Connection, first: Block) -> None:
    """Another run does not hide what the user has to resolve."""
    lanes.block(db, blocked_lane(first))
    lanes.block(db, blocked_lane(Block.INTERNAL, run="r2"))
    lanes.block(db, blocked_lane(Block.RETRYING, run="r2"))
    assert lanes.find(db, "w", "") == blocked_lane(first)


def test_the_run_that_blocked_it_may_change_the_reason(db: sqlite3.Connection) -> None:
    lanes.block(db, blocked_lane(Block.UNSURE))
    lanes.block(db, blocked_lane(Block.RECONNECT))
    assert lanes.find(db, "w", "") == blocked_lane(Block.RECONNECT)


def test_any_other_reason_replaces_a_transient_failure(db: sqlite3.Connection) -> None:
    lanes.block(db, blocked_lane(Block.RETRYING))
    lanes.block(db, blocked_lane(Block.TOO_MANY_FAILURES, run="r2"))
    assert lanes.find(db, "w", "") == blocked_lane(Block.TOO_MANY_FAILURES, run="r2")


def test_unblocking_returns_whether_it_was_blocked(db: sqlite3.Connection) -> None:
    lanes.block(db, blocked_lane())
    assert lanes.unblock(db, "w", "")
    assert not lanes.unblock(db, "w", "")
    assert lanes.find(db, "w", "") == LaneRow("w", "")


def test_a_run_unblocks_only_lanes_that_it_blocked(db: sqlite3.Connection) -> None:
    lanes.block(db, blocked_lane())
    assert not lanes.unblock(db, "w", "", run="r2")
    assert not lanes.unblock(db, "w", "backup", run="r1")
    assert lanes.unblock(db, "w", "", run="r1")


def test_every_blocked_lane_is_found(db: sqlite3.Connection) -> None:
    add_workflow(db, "v")
    lanes.block(db, blocked_lane(name="backup"))
    lanes.block(db, LaneRow("v", "", Block.PERMISSION, "May it?", "r9"))
    assert [(one.workflow, one.name, one.blocked) for one in lanes.list_blocked(db)] == [
        ("v", "", Block.PERMISSION),
        ("w", "backup", Block.SCRIPT_ERROR),
    ]


def test_removing_a_lane_removes_its_reason(db: sqlite3.Connection) -> None:
    lanes.block(db, blocked_lane(name="backup"))
    lanes.remove(db, "w", "backup")
    lanes.ensure(db, "w", "backup")
    assert lanes.find(db, "w", "backup") == LaneRow("w", "backup")


def test_start_conditions_include_the_current_script_and_sequence(db: sqlite3.Connection) -> None:
    events.publish(db, "w", "mails", "a", "t", 1, NOW)
    assert lanes.read_start_conditions(db, "w", "") == StartConditions(
        is_active=True, script=1, sequence=1, blocked=None, run=None
    )
    assert lanes.read_start_conditions(db, "w", "nobody") is None
    assert lanes.read_start_conditions(db, "nobody", "") is None


def test_a_blocked_lane_is_open_to_successors_of_the_blocking_run(db: sqlite3.Connection) -> None:
    def is_open_to(run: str | None, name: str = "") -> bool:
        ground = lanes.read_start_conditions(db, "w", name)
        assert ground is not None
        return ground.can_start(run)

    assert is_open_to(None) and is_open_to("r1")
    lanes.block(db, blocked_lane())
    assert is_open_to("r1") and not is_open_to("r2") and not is_open_to(None)
    assert is_open_to(None, "backup")
    lanes.block(db, blocked_lane(run=None, name="backup"))
    assert not is_open_to(None, "backup")


@pytest.mark.parametrize("change", ["status = 'paused'", "status = 'archived'", "fixing = 1"])
def test_no_lane_is_open_while_its_workflow_may_not_run(db: sqlite3.Connection, change: str) -> None:
    lanes.block(db, blocked_lane())
    db.execute(f"UPDATE workflows SET {change}")
    for name in ("", "backup"):
        ground = lanes.read_start_conditions(db, "w", name)
        assert ground is not None
        assert not ground.can_start(None) and not ground.can_start("r1")


def test_a_shorter_wait_of_another_run_does_not_replace_a_longer_one(db: sqlite3.Connection) -> None:
    """Runs of an `allow_all` job fail side by side."""
    longer = blocked_lane(Block.BACKING_OFF, "r1")
    lanes.block(db, longer)
    lanes.block(db, blocked_lane(Block.RETRYING, "r2")._replace(until=NOW))
    assert lanes.find(db, "w", "") == longer
    lanes.block(db, longer._replace(until=NOW))
    assert lanes.find(db, "w", "") == longer._replace(until=NOW)
    lanes.block(db, blocked_lane(Block.TOO_MANY_FAILURES, "r2"))
    assert lanes.find(db, "w", "") == blocked_lane(Block.TOO_MANY_FAILURES, "r2")
