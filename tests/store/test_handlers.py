"""Handlers: what is kept of them, and which consumers have a reason to run."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from scheduler.rules.phases import HandlerKind
from scheduler.store import events, handlers, lanes, workflows
from scheduler.store.database import Database
from scheduler.store.handlers import HandlerRow
from scheduler.store.lanes import Block, LaneRow
from scheduler.store.workflows import WorkflowStatus
from tests.store.workflow_rows import LATER, NOW, add_workflow, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Its consumer has had the look that it was owed."""
    with store(tmp_path) as database:
        change(database, "file", look=False)
        yield database


def change(database: Database, name: str, workflow: str = "w", **facts: Any) -> None:
    with database.write() as db:
        handlers.update(db, workflow, name, **facts)


def found(database: Database, name: str = "file") -> HandlerRow:
    row = handlers.find(database.read(), "w", name)
    assert row is not None
    return row


def publish(database: Database, identity: str, topic: str = "mails", data: Any = None) -> None:
    with database.write() as db:
        events.publish(db, "w", topic, identity, "t", data, NOW)


def ready(database: Database, now: datetime = NOW) -> list[str]:
    return [f"{one.workflow}/{one.name}" for one in handlers.ready(database.read(), now)]


def test_state_is_kept_by_the_name_of_its_handler(database: Database) -> None:
    """A handler that is removed and comes back goes on where it was."""
    change(database, "file", state={"filed": 3}, result=[1], seen=7, wake_at=LATER, failures=2)
    with database.write() as db:
        handlers.remove(db, "w", "file")
    assert [one.name for one in handlers.of_workflow(database.read(), "w")] == ["poll"]
    assert (found(database).state, found(database).wake_at, found(database).look) == ({"filed": 3}, None, False)
    with database.write() as db:
        handlers.put(db, "w", "file", HandlerKind.CONSUMER)
    one = found(database)
    assert (one.state, one.result, one.seen, one.wake_at, one.look) == ({"filed": 3}, [1], 7, None, True)


def test_a_new_handler_has_an_empty_state(database: Database) -> None:
    with database.write() as db:
        handlers.put(db, "w", "new", HandlerKind.JOB)
    assert found(database, "new") == HandlerRow(
        "w", "new", HandlerKind.JOB, {}, None, 0, 0, look=False, wake_at=None, failures=0
    )
    assert handlers.find(database.read(), "w", "nobody") is None


@pytest.mark.parametrize("result", [None, 0, "", [], {"a": [1]}])
def test_a_result_comes_back_as_it_was(database: Database, result: Any) -> None:
    change(database, "file", result=result)
    assert found(database).result == result


@pytest.mark.parametrize("kind", HandlerKind)
def test_only_a_consumer_is_owed_a_look_when_it_is_deployed(database: Database, kind: HandlerKind) -> None:
    """On the first deploy, and on every other."""
    for _ in range(2):
        with database.write() as db:
            handlers.put(db, "w", "x", kind)
        assert found(database, "x").look is (kind is HandlerKind.CONSUMER)
        change(database, "x", look=False)


def test_a_deploy_replaces_the_subscriptions(database: Database) -> None:
    assert handlers.topics(database.read(), "w") == {"mails", "news"}
    with database.write() as db:
        handlers.put(db, "w", "file", HandlerKind.CONSUMER, ["mails", "bills"])
    assert handlers.topics(database.read(), "w") == {"mails", "bills"}
    change(database, "file", look=False)
    publish(database, "a", "news")
    assert ready(database) == []
    publish(database, "a", "bills")
    assert ready(database) == ["w/file"]


def test_a_topic_stays_known_while_anybody_takes_from_it(database: Database) -> None:
    with database.write() as db:
        handlers.put(db, "w", "read", HandlerKind.CONSUMER, ["news"])
        handlers.remove(db, "w", "file")
    assert handlers.topics(database.read(), "w") == {"news"}


def test_failures_are_counted_in_a_row_for_each_handler(database: Database) -> None:
    with database.write() as db:
        assert [handlers.count_failure(db, "w", "file") for _ in range(3)] == [1, 2, 3]
        assert handlers.count_failure(db, "w", "poll") == 1
        handlers.forgive(db, "w", "file")
    assert (found(database, "file").failures, found(database, "poll").failures) == (0, 1)
    with database.write() as db:
        handlers.count_failure(db, "w", "file")
        handlers.forgive(db, "w")
    assert (found(database, "file").failures, found(database, "poll").failures) == (0, 0)


def test_a_failure_of_one_that_is_unknown_is_its_first(database: Database) -> None:
    with database.write() as db:
        assert handlers.count_failure(db, "w", "nobody") == 1


def test_without_news_a_wake_or_a_look_nobody_runs(database: Database) -> None:
    """K3: pending events alone are no reason to run."""
    assert ready(database) == []
    publish(database, "a")
    assert ready(database) == ["w/file"]
    change(database, "file", seen=found(database).latest)
    assert ready(database, LATER) == []


def test_an_event_that_arrives_during_a_run_is_not_lost(database: Database) -> None:
    """K2: what was seen is the sequence at the start of the run."""
    publish(database, "a")
    start = workflows.sequence_of(database.read(), "w")
    publish(database, "b")
    change(database, "file", seen=start)
    assert ready(database) == ["w/file"]


@pytest.mark.parametrize("kind", [HandlerKind.PRODUCER, HandlerKind.JOB])
def test_only_consumers_run_because_of_events(database: Database, kind: HandlerKind) -> None:
    with database.write() as db:
        handlers.put(db, "w", "file", kind, ["mails"])
    publish(database, "a")
    assert ready(database) == []


def test_a_wake_time_is_ready_when_it_has_come(database: Database) -> None:
    """K4"""
    change(database, "file", wake_at=LATER)
    assert ready(database, NOW) == []
    assert ready(database, LATER) == ["w/file"]
    [one] = handlers.ready(database.read(), LATER)
    assert (one.wake_at, one.place) == (LATER, None)


def test_wake_times_are_kept_for_each_consumer(database: Database) -> None:
    """K6"""
    with database.write() as db:
        handlers.put(db, "w", "read", HandlerKind.CONSUMER, ["news"])
        handlers.update(db, "w", "read", look=False, wake_at=NOW)
        handlers.update(db, "w", "file", wake_at=LATER)
    assert ready(database, NOW) == ["w/read"]
    assert sorted(ready(database, LATER)) == ["w/file", "w/read"]


def test_more_reasons_than_one_are_one_turn(database: Database) -> None:
    publish(database, "a")
    change(database, "file", look=True, wake_at=NOW)
    assert ready(database) == ["w/file"]


def test_a_run_that_begins_takes_the_look_and_gets_the_state(database: Database) -> None:
    change(database, "file", look=True, state={"filed": 3}, result={"rows": 2})
    with database.write() as db:
        assert handlers.begin(db, "w", "file") == ({"filed": 3}, {"rows": 2})
        assert handlers.begin(db, "w", "poll") == ({}, None)
        assert handlers.begin(db, "w", "nobody") == ({}, None)
    assert ready(database) == []


@pytest.mark.parametrize("wake_at", [None, LATER])
def test_what_prepare_said_is_kept(database: Database, wake_at: datetime | None) -> None:
    """K5: a wake time that is not said again is cleared."""
    publish(database, "a")
    change(database, "file", wake_at=NOW)
    with database.write() as db:
        handlers.prepared(db, "w", "file", 1, wake_at)
    assert (found(database).seen, found(database).wake_at) == (1, wake_at)
    assert ready(database) == []


def test_a_stopped_consumer_does_not_start_again_by_itself(database: Database) -> None:
    """K13: until there is news after its start."""
    publish(database, "a")
    with database.write() as db:
        handlers.begin(db, "w", "file")
    change(database, "file", look=True, wake_at=NOW)
    with database.write() as db:
        handlers.calm(db, "w", "file", NOW)
    assert ready(database, LATER) == []
    publish(database, "b")
    assert ready(database) == ["w/file"]


def test_what_came_after_the_stopped_run_began_is_news(database: Database) -> None:
    """K13."""
    with database.write() as db:
        handlers.begin(db, "w", "file")
    publish(database, "a")
    with database.write() as db:
        handlers.calm(db, "w", "file", NOW)
    assert ready(database) == ["w/file"]


def test_a_stop_keeps_a_wake_time_that_has_not_come_and_what_was_seen(database: Database) -> None:
    change(database, "file", seen=7, wake_at=LATER)
    with database.write() as db:
        handlers.calm(db, "w", "file", NOW)
    assert (found(database).seen, found(database).wake_at) == (7, LATER)


def test_a_look_is_owed_to_the_consumers_of_one_workflow_or_of_all(database: Database) -> None:
    """After a restart, a resume or a release."""
    with database.write() as db:
        add_workflow(db, "v")
        handlers.update(db, "v", "file", look=False)
        handlers.look_again(db, "w")
    assert ready(database) == ["w/file"]
    with database.write() as db:
        handlers.look_again(db)
    assert sorted(ready(database)) == ["v/file", "w/file"]
    assert not found(database, "poll").look


def test_a_removed_consumer_never_runs(database: Database) -> None:
    publish(database, "a")
    change(database, "file", look=True, wake_at=NOW)
    with database.write() as db:
        handlers.remove(db, "w", "file")
        handlers.look_again(db)
    assert ready(database) == []


def close_lane(database: Database) -> None:
    with database.write() as db:
        lanes.block(db, LaneRow("w", "", Block.RETRYING, "No network.", "r1", LATER))


def pause(database: Database) -> None:
    with database.write() as db:
        workflows.set_status(db, "w", WorkflowStatus.PAUSED)


def archive(database: Database) -> None:
    with database.write() as db:
        workflows.set_status(db, "w", WorkflowStatus.ARCHIVED)


def repair(database: Database) -> None:
    with database.write() as db:
        db.execute("UPDATE workflows SET fixing = 1 WHERE slug = 'w'")


@pytest.mark.parametrize("reason", ["news", "look", "wake"])
@pytest.mark.parametrize("hold", [close_lane, pause, archive, repair])
def test_nobody_runs_whose_workflow_may_not(database: Database, hold: Callable[[Database], None], reason: str) -> None:
    """Another workflow goes on; the open lane of a job is none of theirs."""
    with database.write() as db:
        add_workflow(db, "v")
        lanes.put(db, "w", "backup")
    if reason == "news":
        publish(database, "a")
    else:
        change(database, "file", **({"look": True} if reason == "look" else {"wake_at": NOW}))
    assert sorted(ready(database)) == ["v/file", "w/file"]
    hold(database)
    assert ready(database) == ["v/file"]
    assert handlers.ready_in(database.read(), "w") == []


def test_a_closed_job_keeps_no_consumer_waiting(database: Database) -> None:
    """O5"""
    with database.write() as db:
        lanes.put(db, "w", "backup")
        lanes.block(db, LaneRow("w", "backup", Block.SCRIPT_ERROR, "It raised.", "r1"))
    publish(database, "a")
    assert ready(database) == ["w/file"]


def test_the_place_in_line_is_that_of_the_oldest_pending_event(database: Database) -> None:
    """K7: over all topics that it subscribes to, and no others."""
    with database.write() as db:
        handlers.put(db, "w", "read", HandlerKind.CONSUMER, ["news", "bills"])
    publish(database, "1", "mails")
    publish(database, "2", "bills")
    publish(database, "3", "news")
    publish(database, "1", "mails", data="changed")
    assert {one.name: one.place for one in handlers.ready(database.read(), NOW)} == {"file": 1, "read": 2}
    with database.write() as db:
        events.reserve(db, "w", "r1", [("bills", "2"), ("mails", "1")])
    assert {one.name: one.place for one in handlers.ready(database.read(), NOW)} == {"file": 3, "read": 3}


def test_one_workflow_is_asked_for_news_and_looks_alone(database: Database) -> None:
    with database.write() as db:
        add_workflow(db, "v")
    change(database, "file", wake_at=NOW)
    assert handlers.ready_in(database.read(), "w") == []
    publish(database, "a")
    [one] = handlers.ready_in(database.read(), "w")
    assert (one.workflow, one.name, one.wake_at, one.place) == ("w", "file", NOW, 1)
    assert [one.name for one in handlers.ready_in(database.read(), "v")] == ["file"]


@pytest.mark.parametrize(
    ("query", "index"),
    [(handlers._READY, "handlers_ready"), (handlers._WOKEN.replace("?", "0"), "handlers_wake")],
)
def test_asking_who_is_ready_walks_no_table(database: Database, query: str, index: str) -> None:
    """K11: a million pending events, and a thousand workflows at rest, cost nothing."""
    plan = [row[3] for row in database.read().execute(f"EXPLAIN QUERY PLAN {query}")]
    assert any(f"USING INDEX {index}" in step for step in plan), plan
    assert [step for step in plan if step.startswith("SCAN") and index not in step] == []
