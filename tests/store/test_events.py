"""Events: published once, reserved together, never revived."""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from scheduler.rules.phases import HandlerKind
from scheduler.store import events, handlers
from scheduler.store.database import Database
from scheduler.store.events import EVENT_MOVES, EventState, NotPendingError
from tests.store.workflow_rows import LATER, NOW, add_run, add_workflow, sequence_of, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database:
        add_run(database, "r1")
        add_run(database, "r2")
        yield database


def publish(database: Database, identity: str, data: Any = None, topic: str = "mails", title: str = "t") -> bool:
    with database.write() as db:
        return events.publish(db, "w", topic, identity, title, data, NOW)


def pending(database: Database, topic: str = "mails") -> list[str]:
    return [event.id for event in events.peek(database.read(), "w", topic, 100)]


def sequence(database: Database) -> int:
    return sequence_of(database)


def latest(database: Database, handler: str = "file") -> int:
    """The sequence of the latest event for the handler."""
    row = handlers.find(database.read(), "w", handler)
    assert row is not None
    return row.latest


def reserve(database: Database, run: str, *ids: str) -> None:
    with database.write() as db:
        events.reserve(db, "w", run, [("mails", identity) for identity in ids])


def test_the_same_id_twice_is_one_event_with_the_newest_data(database: Database) -> None:
    publish(database, "a", {"n": 1})
    publish(database, "a", {"n": 2})
    [event] = events.peek(database.read(), "w", "mails", 10)
    assert json.loads(event.data_json) == {"n": 2}


def test_a_consumed_event_is_never_revived(database: Database) -> None:
    """Publishing it again changes nothing."""
    publish(database, "a", 1)
    reserve(database, "r1", "a")
    with database.write() as db:
        assert events.close_reserved(db, "r1", EventState.CONSUMED) == 1
    assert not publish(database, "a", 2)
    assert pending(database) == []


def test_publishing_the_same_again_is_not_new(database: Database) -> None:
    assert publish(database, "a", {"x": 1, "y": 2})
    before = sequence(database)
    assert not publish(database, "a", {"y": 2, "x": 1})
    assert sequence(database) == before


def test_new_and_changed_events_count_as_new(database: Database) -> None:
    before = sequence(database)
    publish(database, "a", 1)
    inserted = sequence(database)
    publish(database, "a", 2)
    assert before < inserted < sequence(database)


def test_new_events_reach_only_subscribers(database: Database) -> None:
    """One sequence for all topics of a workflow."""
    with database.write() as db:
        add_workflow(db, "other")
        handlers.save(db, "w", "read", HandlerKind.CONSUMER, ["news"])
    publish(database, "a", topic="mails")
    publish(database, "a", topic="news")
    publish(database, "b", topic="mails")
    publish(database, "x", topic="nobody's")
    assert (latest(database, "file"), latest(database, "read"), latest(database, "poll")) == (3, 2, 0)
    foreign = handlers.find(database.read(), "other", "file")
    assert foreign is not None
    assert foreign.latest == sequence_of(database, "other") == 0


def test_repeated_events_and_data_for_reserved_ones_are_not_new_to_consumers(database: Database) -> None:
    """Data for a reserved event counts as new when it is released."""
    publish(database, "a", 1)
    before = latest(database)
    publish(database, "a", 1)
    reserve(database, "r1", "a")
    publish(database, "a", 2)
    assert latest(database) == before
    with database.write() as db:
        events.release(db, "r1")
    assert latest(database) == sequence(database) > before


def test_a_changed_event_keeps_its_position(database: Database) -> None:
    """Oldest first, by first publication."""
    for identity in ("a", "b", "c"):
        publish(database, identity, 1)
    publish(database, "a", 2)
    assert pending(database) == ["a", "b", "c"]
    assert [event.id for event in events.peek(database.read(), "w", "mails", 2)] == ["a", "b"]


@pytest.mark.parametrize("missing", ["nowhere", "reserved", "foreign"])
def test_reserving_a_missing_event_reserves_nothing(database: Database, missing: str) -> None:
    publish(database, "a")
    publish(database, "reserved")
    publish(database, "foreign", topic="news")
    reserve(database, "r1", "reserved")
    with pytest.raises(NotPendingError, match=missing):
        reserve(database, "r2", "a", missing)
    assert pending(database) == ["a"]


def test_released_events_are_pending_again_and_count_the_attempt(database: Database) -> None:
    publish(database, "a")
    reserve(database, "r1", "a")
    assert pending(database) == []
    with database.write() as db:
        assert events.release(db, "r1") == 1
    [event] = events.peek(database.read(), "w", "mails", 10)
    assert event.attempt == 1


def test_data_for_a_reserved_event_waits_for_its_release(database: Database) -> None:
    publish(database, "a", 1)
    reserve(database, "r1", "a")
    before = sequence(database)
    assert not publish(database, "a", 2)
    assert [event.data_json for event in events.reserved_by(database.read(), "r1")] == ["1"]
    assert sequence(database) == before
    with database.write() as db:
        events.release(db, "r1")
    assert [event.data_json for event in events.peek(database.read(), "w", "mails", 10)] == ["2"]
    assert sequence(database) > before


def test_waiting_data_is_dropped_when_the_old_data_is_published_again(database: Database) -> None:
    publish(database, "a", 1)
    reserve(database, "r1", "a")
    publish(database, "a", 2)
    publish(database, "a", 1)
    with database.write() as db:
        events.release(db, "r1")
    assert [event.data_json for event in events.peek(database.read(), "w", "mails", 10)] == ["1"]


def test_a_retry_takes_over_what_was_reserved(database: Database) -> None:
    """Only the run or its descendants consume it."""
    publish(database, "a")
    reserve(database, "r1", "a")
    with database.write() as db:
        events.reassign(db, "r1", "r2")
        assert events.close_reserved(db, "r1", EventState.CONSUMED) == 0
        assert events.close_reserved(db, "r2", EventState.CONSUMED) == 1


def test_pending_events_of_a_removed_topic_are_skipped(database: Database) -> None:
    publish(database, "a")
    publish(database, "b")
    reserve(database, "r1", "b")
    with database.write() as db:
        assert events.skip_pending(db, "w", "mails") == 1
    assert pending(database) == []
    assert [event.id for event in events.reserved_by(database.read(), "r1")] == ["b"]


def test_a_single_pending_event_can_be_skipped(database: Database) -> None:
    publish(database, "a")
    publish(database, "b")
    with database.write() as db:
        assert events.skip_pending(db, "w", "mails", "a") == 1
        assert events.skip_pending(db, "w", "mails", "a") == 0, "skipped is final"
    assert pending(database) == ["b"]


def test_pending_events_are_counted_by_topic_up_to_a_limit(database: Database) -> None:
    for identity in ("a", "b", "c"):
        publish(database, identity)
    publish(database, "x", topic="nobody's")
    reserve(database, "r1", "c")
    assert events.count_pending(database.read(), "w") == {"mails": 2, "news": 0}
    assert events.count_pending(database.read(), "w", most=1)["mails"] == 1


def test_topics_in_use_are_those_with_pending_events(database: Database) -> None:
    """A deploy skips what is left in removed topics."""
    publish(database, "a", topic="mails")
    publish(database, "b", topic="gone")
    assert events.topics_with_pending(database.read(), "w") == {"mails", "gone"}
    reserve(database, "r1", "a")
    assert events.topics_with_pending(database.read(), "w") == {"gone"}


def test_finding_topics_in_use_costs_the_same_with_many_events_as_with_few(database: Database) -> None:
    """A deploy does not read all pending events. This counts SQLite's steps, not time."""
    steps: list[None] = []

    def cost() -> int:
        steps.clear()
        db = database.read()
        db.set_progress_handler(lambda: steps.append(None), 1)
        assert events.topics_with_pending(db, "w") == {"mails", "gone"}
        db.set_progress_handler(None, 1)
        return len(steps)

    for topic in ("mails", "gone"):
        publish(database, "first", topic=topic)
    few = cost()
    with database.write() as db:
        for number in range(500):
            events.publish(db, "w", "mails", str(number), "t", None, NOW)
    assert 0 < cost() <= few


def test_rolled_back_publishes_leave_no_trace(database: Database) -> None:
    def fail() -> None:
        with database.write() as db:
            events.publish(db, "w", "mails", "a", "t", 1, LATER)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert (pending(database), sequence(database)) == ([], 0)


@pytest.mark.parametrize(("old", "new"), list(product(EventState, EventState)))
def test_only_these_moves_are_legal(old: EventState, new: EventState) -> None:
    legal = {
        ("pending", "reserved"),
        ("pending", "skipped"),
        ("reserved", "pending"),
        ("reserved", "consumed"),
        ("reserved", "skipped"),
    }
    assert (new in EVENT_MOVES[old]) == ((old.value, new.value) in legal)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1 FROM events WHERE workflow = 'w' AND topic = 'mails' AND state = 'pending' ORDER BY born LIMIT 5",
        "SELECT min(born) FROM events WHERE workflow = 'w' AND topic = 'mails' AND state = 'pending'",
        "SELECT 1 FROM events WHERE run = 'r1' AND state = 'reserved' ORDER BY born",
    ],
)
def test_queries_for_pending_events_never_scan_the_table(database: Database, query: str) -> None:
    """A million events cost no more than a thousand."""
    plan = " ".join(row[3] for row in database.read().execute(f"EXPLAIN QUERY PLAN {query}"))
    assert "SCAN events" not in plan
    assert "SEARCH events USING" in plan
