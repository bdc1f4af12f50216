"""Lanes: closed with a reason that stays, opened by whoever deals with it."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.rules.phases import HandlerKind
from scheduler.store import events, lanes
from scheduler.store.database import Database
from scheduler.store.lanes import Block, Ground, LaneRow
from tests.store.workflow_rows import LATER, NOW, add_workflow, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database, database.write() as db:
        lanes.put(db, "w", "backup")
        yield database


@pytest.fixture
def db(database: Database) -> sqlite3.Connection:
    return database.read()


def closed(block: Block = Block.SCRIPT_ERROR, run: str | None = "r1", name: str = "") -> LaneRow:
    return LaneRow("w", name, block, f"It is {block}.", run, LATER)


@pytest.mark.parametrize(
    ("kind", "lane"), [(HandlerKind.JOB, "h"), (HandlerKind.PRODUCER, ""), (HandlerKind.CONSUMER, "")]
)
def test_a_job_has_a_lane_of_its_own(kind: HandlerKind, lane: str) -> None:
    assert lanes.lane_of("h", kind) == lane


def test_a_lane_is_open_at_first(db: sqlite3.Connection) -> None:
    assert lanes.find(db, "w", "backup") == LaneRow("w", "backup")
    assert lanes.find(db, "w", "nobody") is None
    assert lanes.blocked(db) == []


def test_a_deploy_does_not_open_a_lane(db: sqlite3.Connection) -> None:
    lanes.block(db, closed())
    lanes.put(db, "w", "")
    assert lanes.find(db, "w", "") == closed()


def test_closing_one_lane_leaves_the_others_open(db: sqlite3.Connection) -> None:
    add_workflow(db, "v")
    lanes.block(db, closed())
    assert lanes.of_workflow(db, "w") == [closed(), LaneRow("w", "backup")]
    assert lanes.of_workflow(db, "v") == [LaneRow("v", "")]


@pytest.mark.parametrize("first", [block for block in Block if block is not Block.RETRYING])
def test_the_first_reason_stays(db: sqlite3.Connection, first: Block) -> None:
    """What another run adds does not hide what the person has to deal with."""
    lanes.block(db, closed(first))
    lanes.block(db, closed(Block.INTERNAL, run="r2"))
    lanes.block(db, closed(Block.RETRYING, run="r2"))
    assert lanes.find(db, "w", "") == closed(first)


def test_the_run_that_closed_it_may_say_something_else(db: sqlite3.Connection) -> None:
    lanes.block(db, closed(Block.UNSURE))
    lanes.block(db, closed(Block.RECONNECT))
    assert lanes.find(db, "w", "") == closed(Block.RECONNECT)


def test_a_passing_failure_gives_way_to_any_other_reason(db: sqlite3.Connection) -> None:
    lanes.block(db, closed(Block.RETRYING))
    lanes.block(db, closed(Block.TOO_MANY_FAILURES, run="r2"))
    assert lanes.find(db, "w", "") == closed(Block.TOO_MANY_FAILURES, run="r2")


def test_opening_says_whether_it_had_been_closed(db: sqlite3.Connection) -> None:
    lanes.block(db, closed())
    assert lanes.open_up(db, "w", "")
    assert not lanes.open_up(db, "w", "")
    assert lanes.find(db, "w", "") == LaneRow("w", "")


def test_a_run_opens_only_what_it_had_closed_itself(db: sqlite3.Connection) -> None:
    lanes.block(db, closed())
    assert not lanes.open_up(db, "w", "", run="r2")
    assert not lanes.open_up(db, "w", "backup", run="r1")
    assert lanes.open_up(db, "w", "", run="r1")


def test_every_closed_lane_is_found(db: sqlite3.Connection) -> None:
    add_workflow(db, "v")
    lanes.block(db, closed(name="backup"))
    lanes.block(db, LaneRow("v", "", Block.PERMISSION, "May it?", "r9"))
    assert [(one.workflow, one.name, one.blocked) for one in lanes.blocked(db)] == [
        ("v", "", Block.PERMISSION),
        ("w", "backup", Block.SCRIPT_ERROR),
    ]


def test_the_lane_of_a_job_that_is_gone_goes_with_its_reason(db: sqlite3.Connection) -> None:
    lanes.block(db, closed(name="backup"))
    lanes.remove(db, "w", "backup")
    lanes.put(db, "w", "backup")
    assert lanes.find(db, "w", "backup") == LaneRow("w", "backup")


def test_the_ground_of_a_run_is_what_new_runs_use(db: sqlite3.Connection) -> None:
    events.publish(db, "w", "mails", "a", "t", 1, NOW)
    assert lanes.ground(db, "w", "") == Ground(is_active=True, script=1, sequence=1, blocked=None, run=None)
    assert lanes.ground(db, "w", "nobody") is None
    assert lanes.ground(db, "nobody", "") is None


def test_a_closed_lane_is_open_to_what_follows_the_run_that_closed_it(db: sqlite3.Connection) -> None:
    def is_open_to(run: str | None, name: str = "") -> bool:
        ground = lanes.ground(db, "w", name)
        assert ground is not None
        return ground.is_open_to(run)

    assert is_open_to(None) and is_open_to("r1")
    lanes.block(db, closed())
    assert is_open_to("r1") and not is_open_to("r2") and not is_open_to(None)
    assert is_open_to(None, "backup")
    lanes.block(db, closed(run=None, name="backup"))
    assert not is_open_to(None, "backup")


@pytest.mark.parametrize("change", ["status = 'paused'", "status = 'archived'", "fixing = 1"])
def test_no_lane_is_open_where_the_workflow_may_not_run(db: sqlite3.Connection, change: str) -> None:
    lanes.block(db, closed())
    db.execute(f"UPDATE workflows SET {change}")
    for name in ("", "backup"):
        ground = lanes.ground(db, "w", name)
        assert ground is not None
        assert not ground.is_open_to(None) and not ground.is_open_to("r1")
