"""Handlers: their stored state, and which consumers have a reason to run."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from scheduler.rules.handler_ids import handler_id
from scheduler.rules.phases import HandlerKind
from scheduler.rules.requests import Block
from scheduler.store import events, handlers, lanes, workflows
from scheduler.store.database import Database
from scheduler.store.handlers import HandlerRow
from scheduler.store.lanes import LaneRow
from scheduler.store.workflows import WorkflowStatus
from tests.store.workflow_rows import LATER, NOW, add_workflow, sequence_of, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Its consumer has no check due."""
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
    return [handler_id(one.workflow, one.name) for one in handlers.list_ready(database.read(), now)]


def test_state_is_kept_by_the_name_of_its_handler(database: Database) -> None:
    """A handler that is removed and added again continues with its state."""
    change(database, "file", state={"filed": 3}, result=[1], seen=7, wake_at=LATER, failures=2)
    with database.write() as db:
        handlers.remove(db, "w", "file")
    publish(database, "a")
    assert ready(database, LATER) == [], "a removed handler does not run"
    assert (found(database).state, found(database).wake_at, found(database).look) == ({"filed": 3}, None, False)
    with database.write() as db:
        handlers.save(db, "w", "file", HandlerKind.CONSUMER)
    one = found(database)
    assert (one.state, one.result, one.seen, one.wake_at, one.look) == ({"filed": 3}, [1], 7, None, True)


def test_a_new_handler_has_an_empty_state(database: Database) -> None:
    with database.write() as db:
        handlers.save(db, "w", "new", HandlerKind.JOB)
    assert found(database, "new") == HandlerRow(
        "w", "new", HandlerKind.JOB, {}, None, 0, 0, look=False, wake_at=None, failures=0, failing_since=None
    )
    assert handlers.find(database.read(), "w", "nobody") is None


@pytest.mark.parametrize("result", [None, 0, "", [], {"a": [1]}])
def test_a_result_is_read_as_it_was_stored(database: Database, result: Any) -> None:
    change(database, "file", result=result)
    assert found(database).result == result


@pytest.mark.parametrize("kind", HandlerKind)
def test_only_a_consumer_must_check_after_a_deploy(database: Database, kind: HandlerKind) -> None:
    """On the first and every later deploy."""
    for _ in range(2):
        with database.write() as db:
            handlers.save(db, "w", "x", kind)
        assert found(database, "x").look is (kind is HandlerKind.CONSUMER)
        change(database, "x", look=False)


def test_a_deploy_replaces_the_subscriptions(database: Database) -> None:
    assert handlers.subscribed_topics(database.read(), "w") == {"mails", "news"}
    with database.write() as db:
        handlers.save(db, "w", "file", HandlerKind.CONSUMER, ["mails", "bills"])
    assert handlers.subscribed_topics(database.read(), "w") == {"mails", "bills"}
    change(database, "file", look=False)
    publish(database, "a", "news")
    assert ready(database) == []
    publish(database, "a", "bills")
    assert ready(database) == ["w/file"]


def test_a_topic_stays_known_while_it_has_a_subscriber(database: Database) -> None:
    with database.write() as db:
        handlers.save(db, "w", "read", HandlerKind.CONSUMER, ["news"])
        handlers.remove(db, "w", "file")
    assert handlers.subscribed_topics(database.read(), "w") == {"news"}


def test_failures_are_counted_in_a_row_for_each_handler(database: Database) -> None:
    with database.write() as db:
        assert [handlers.count_failure(db, "w", "file", NOW) for _ in range(3)] == [1, 2, 3]
        assert handlers.count_failure(db, "w", "poll", NOW) == 1
        handlers.reset_failures(db, "w", "file")
    assert (found(database, "file").failures, found(database, "poll").failures) == (0, 1)
    with database.write() as db:
        handlers.count_failure(db, "w", "file", NOW)
        handlers.reset_failures(db, "w")
    assert (found(database, "file").failures, found(database, "poll").failures) == (0, 0)


def test_a_failure_of_an_unknown_handler_counts_as_its_first(database: Database) -> None:
    with database.write() as db:
        assert handlers.count_failure(db, "w", "nobody", NOW) == 1


def test_without_new_events_a_wake_or_a_check_no_consumer_runs(database: Database) -> None:
    """Pending events alone are no reason to run."""
    assert ready(database) == []
    publish(database, "a")
    assert ready(database) == ["w/file"]
    change(database, "file", seen=found(database).latest)
    assert ready(database, LATER) == []


def test_an_event_that_arrives_during_a_run_is_not_lost(database: Database) -> None:
    """What was seen is the sequence at the start of the run."""
    publish(database, "a")
    start = sequence_of(database)
    publish(database, "b")
    change(database, "file", seen=start)
    assert ready(database) == ["w/file"]


@pytest.mark.parametrize("kind", [HandlerKind.PRODUCER, HandlerKind.JOB])
def test_only_consumers_run_because_of_events(database: Database, kind: HandlerKind) -> None:
    with database.write() as db:
        handlers.save(db, "w", "file", kind, ["mails"])
    publish(database, "a")
    assert ready(database) == []


def test_a_consumer_is_ready_from_its_wake_time_on(database: Database) -> None:
    change(database, "file", wake_at=LATER)
    assert ready(database, NOW) == []
    assert ready(database, LATER) == ["w/file"]
    [one] = handlers.list_ready(database.read(), LATER)
    assert (one.wake_at, one.oldest_event) == (LATER, None)


def test_wake_times_are_kept_for_each_consumer(database: Database) -> None:
    with database.write() as db:
        handlers.save(db, "w", "read", HandlerKind.CONSUMER, ["news"])
        handlers.update(db, "w", "read", look=False, wake_at=NOW)
        handlers.update(db, "w", "file", wake_at=LATER)
    assert ready(database, NOW) == ["w/read"]
    assert sorted(ready(database, LATER)) == ["w/file", "w/read"]


def test_several_reasons_to_run_give_one_row(database: Database) -> None:
    publish(database, "a")
    change(database, "file", look=True, wake_at=NOW)
    assert ready(database) == ["w/file"]


def test_a_starting_run_clears_the_check_and_gets_the_state(database: Database) -> None:
    change(database, "file", look=True, state={"filed": 3}, result={"rows": 2})
    with database.write() as db:
        assert handlers.begin_run(db, "w", "file") == ({"filed": 3}, {"rows": 2})
        assert handlers.begin_run(db, "w", "poll") == ({}, None)
        assert handlers.begin_run(db, "w", "nobody") == ({}, None)
    assert ready(database) == []


@pytest.mark.parametrize("wake_at", [None, LATER])
def test_the_sequence_and_wake_time_of_a_prepare_are_stored(database: Database, wake_at: datetime | None) -> None:
    """A wake time that is not repeated is cleared."""
    publish(database, "a")
    change(database, "file", wake_at=NOW)
    with database.write() as db:
        handlers.record_prepare(db, "w", "file", 1, wake_at)
    assert (found(database).seen, found(database).wake_at) == (1, wake_at)
    assert ready(database) == []


def test_a_stopped_consumer_does_not_restart_automatically(database: Database) -> None:
    """Until there are events newer than its start."""
    publish(database, "a")
    with database.write() as db:
        handlers.begin_run(db, "w", "file")
    change(database, "file", look=True, wake_at=NOW)
    with database.write() as db:
        handlers.reset_after_stop(db, "w", "file", NOW)
    assert ready(database, LATER) == []
    publish(database, "b")
    assert ready(database) == ["w/file"]


def test_events_published_after_the_stopped_run_began_are_new(database: Database) -> None:
    with database.write() as db:
        handlers.begin_run(db, "w", "file")
    publish(database, "a")
    with database.write() as db:
        handlers.reset_after_stop(db, "w", "file", NOW)
    assert ready(database) == ["w/file"]


def test_a_stop_keeps_a_future_wake_time_and_the_seen_sequence(database: Database) -> None:
    change(database, "file", seen=7, wake_at=LATER)
    with database.write() as db:
        handlers.reset_after_stop(db, "w", "file", NOW)
    assert (found(database).seen, found(database).wake_at) == (7, LATER)


def test_a_check_is_requested_for_the_consumers_of_one_workflow_or_of_all(database: Database) -> None:
    """After a restart, a resume or a release."""
    with database.write() as db:
        add_workflow(db, "v")
        handlers.update(db, "v", "file", look=False)
        handlers.request_check(db, "w")
    assert ready(database) == ["w/file"]
    with database.write() as db:
        handlers.request_check(db)
    assert sorted(ready(database)) == ["v/file", "w/file"]
    assert not found(database, "poll").look


def test_a_removed_consumer_never_runs(database: Database) -> None:
    publish(database, "a")
    change(database, "file", look=True, wake_at=NOW)
    with database.write() as db:
        handlers.remove(db, "w", "file")
        handlers.request_check(db)
    assert ready(database) == []


def block_lane(database: Database) -> None:
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
@pytest.mark.parametrize("hold", [block_lane, pause, archive, repair])
def test_no_consumer_runs_while_its_workflow_may_not(
    database: Database, hold: Callable[[Database], None], reason: str
) -> None:
    """Other workflows are not affected; the open lane of a job does not help."""
    with database.write() as db:
        add_workflow(db, "v")
        lanes.ensure(db, "w", "backup")
    if reason == "news":
        publish(database, "a")
    else:
        change(database, "file", **({"look": True} if reason == "look" else {"wake_at": NOW}))
    assert sorted(ready(database)) == ["v/file", "w/file"]
    hold(database)
    assert ready(database) == ["v/file"]
    assert handlers.list_ready_in(database.read(), "w") == []


def test_a_blocked_job_lane_does_not_block_consumers(database: Database) -> None:
    with database.write() as db:
        lanes.ensure(db, "w", "backup")
        lanes.block(db, LaneRow("w", "backup", Block.SCRIPT_ERROR, "It raised.", "r1"))
    publish(database, "a")
    assert ready(database) == ["w/file"]


def test_a_consumer_is_ranked_by_its_oldest_pending_event(database: Database) -> None:
    """Across all topics it subscribes to, and no others."""
    with database.write() as db:
        handlers.save(db, "w", "read", HandlerKind.CONSUMER, ["news", "bills"])
    publish(database, "1", "mails")
    publish(database, "2", "bills")
    publish(database, "3", "news")
    publish(database, "1", "mails", data="changed")
    assert {one.name: one.oldest_event for one in handlers.list_ready(database.read(), NOW)} == {"file": 1, "read": 2}
    with database.write() as db:
        events.reserve(db, "w", "r1", [("bills", "2"), ("mails", "1")])
    assert {one.name: one.oldest_event for one in handlers.list_ready(database.read(), NOW)} == {"file": 3, "read": 3}


def test_ready_consumers_can_be_limited_to_one_workflow(database: Database) -> None:
    with database.write() as db:
        add_workflow(db, "v")
    change(database, "file", wake_at=NOW)
    assert handlers.list_ready_in(database.read(), "w") == []
    publish(database, "a")
    [one] = handlers.list_ready_in(database.read(), "w")
    assert (one.workflow, one.name, one.wake_at, one.oldest_event) == ("w", "file", NOW, 1)
    assert [one.name for one in handlers.list_ready_in(database.read(), "v")] == ["file"]


@pytest.mark.parametrize(
    ("query", "index"),
    [(handlers._READY, "handlers_ready"), (handlers._WOKEN.replace("?", "0"), "handlers_wake")],
)
def test_finding_ready_consumers_scans_no_table(database: Database, query: str, index: str) -> None:
    """A million pending events and a thousand idle workflows cost nothing."""
    plan = [row[3] for row in database.read().execute(f"EXPLAIN QUERY PLAN {query}")]
    assert any(re.search(f"USING (COVERING )?INDEX {index}", step) for step in plan), plan
    assert [step for step in plan if step.startswith("SCAN") and index not in step] == []
