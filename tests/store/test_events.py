"""Events: published once, reserved whole, never revived."""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from scheduler.rules.phases import HandlerKind
from scheduler.store import events, handlers, workflows
from scheduler.store.database import Database
from scheduler.store.events import EVENT_MOVES, EventState, NotPendingError
from tests.store.workflow_rows import LATER, NOW, add_run, add_workflow, store


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
    return workflows.sequence_of(database.read(), "w")


def latest(database: Database, handler: str = "file") -> int:
    """The last news that the handler has had."""
    found = handlers.find(database.read(), "w", handler)
    assert found is not None
    return found.latest


def reserve(database: Database, run: str, *ids: str) -> None:
    with database.write() as db:
        events.reserve(db, "w", run, [("mails", identity) for identity in ids])


def test_the_same_id_twice_is_one_event_with_the_newest_data(database: Database) -> None:
    """K1"""
    publish(database, "a", {"n": 1})
    publish(database, "a", {"n": 2})
    [event] = events.peek(database.read(), "w", "mails", 10)
    assert json.loads(event.written) == {"n": 2}


def test_a_consumed_event_is_never_revived(database: Database) -> None:
    """K1, invariant 8."""
    publish(database, "a", 1)
    reserve(database, "r1", "a")
    with database.write() as db:
        assert events.settle(db, "r1", EventState.CONSUMED) == 1
    assert not publish(database, "a", 2)
    assert pending(database) == []


def test_publishing_the_same_again_is_no_news(database: Database) -> None:
    """K14"""
    assert publish(database, "a", {"x": 1, "y": 2})
    before = sequence(database)
    assert not publish(database, "a", {"y": 2, "x": 1})
    assert sequence(database) == before


def test_new_and_changed_events_are_news(database: Database) -> None:
    before = sequence(database)
    publish(database, "a", 1)
    inserted = sequence(database)
    publish(database, "a", 2)
    assert before < inserted < sequence(database)


def test_news_reaches_those_who_subscribe_and_nobody_else(database: Database) -> None:
    """One sequence for all topics of a workflow."""
    with database.write() as db:
        add_workflow(db, "other")
        handlers.put(db, "w", "read", HandlerKind.CONSUMER, ["news"])
    publish(database, "a", topic="mails")
    publish(database, "a", topic="news")
    publish(database, "b", topic="mails")
    publish(database, "x", topic="nobody's")
    assert (latest(database, "file"), latest(database, "read"), latest(database, "poll")) == (3, 2, 0)
    foreign = handlers.find(database.read(), "other", "file")
    assert foreign is not None
    assert foreign.latest == workflows.sequence_of(database.read(), "other") == 0


def test_the_same_again_and_what_waits_for_a_release_are_no_news_to_anybody(database: Database) -> None:
    """K14, K2: data for a reserved event becomes news when it is released."""
    publish(database, "a", 1)
    before = latest(database)
    publish(database, "a", 1)
    reserve(database, "r1", "a")
    publish(database, "a", 2)
    assert latest(database) == before
    with database.write() as db:
        events.release(db, "r1")
    assert latest(database) == sequence(database) > before


def test_a_change_does_not_lose_the_place_in_line(database: Database) -> None:
    """K7: oldest first, by when it first came."""
    for identity in ("a", "b", "c"):
        publish(database, identity, 1)
    publish(database, "a", 2)
    assert pending(database) == ["a", "b", "c"]
    assert [event.id for event in events.peek(database.read(), "w", "mails", 2)] == ["a", "b"]


@pytest.mark.parametrize("missing", ["nowhere", "reserved", "foreign"])
def test_reserving_what_is_not_there_reserves_nothing(database: Database, missing: str) -> None:
    """K8"""
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
    assert [event.written for event in events.reserved_by(database.read(), "r1")] == ["1"]
    assert sequence(database) == before
    with database.write() as db:
        events.release(db, "r1")
    assert [event.written for event in events.peek(database.read(), "w", "mails", 10)] == ["2"]
    assert sequence(database) > before


def test_data_that_waits_is_forgotten_when_the_old_data_comes_again(database: Database) -> None:
    publish(database, "a", 1)
    reserve(database, "r1", "a")
    publish(database, "a", 2)
    publish(database, "a", 1)
    with database.write() as db:
        events.release(db, "r1")
    assert [event.written for event in events.peek(database.read(), "w", "mails", 10)] == ["1"]


def test_a_retry_takes_over_what_was_reserved(database: Database) -> None:
    """Invariant 5: only the run or its descendants consume it."""
    publish(database, "a")
    reserve(database, "r1", "a")
    with database.write() as db:
        events.hand_over(db, "r1", "r2")
        assert events.settle(db, "r1", EventState.CONSUMED) == 0
        assert events.settle(db, "r2", EventState.CONSUMED) == 1


def test_pending_events_of_a_topic_that_is_gone_are_skipped(database: Database) -> None:
    publish(database, "a")
    publish(database, "b")
    reserve(database, "r1", "b")
    with database.write() as db:
        assert events.skip_pending(db, "w", "mails") == 1
    assert pending(database) == []
    assert [event.id for event in events.reserved_by(database.read(), "r1")] == ["b"]


def test_one_pending_event_may_be_skipped_alone(database: Database) -> None:
    publish(database, "a")
    publish(database, "b")
    with database.write() as db:
        assert events.skip_pending(db, "w", "mails", "a") == 1
        assert events.skip_pending(db, "w", "mails", "a") == 0, "skipped is final"
    assert pending(database) == ["b"]


def test_what_waits_is_counted_by_topic_up_to_a_limit(database: Database) -> None:
    for identity in ("a", "b", "c"):
        publish(database, identity)
    publish(database, "x", topic="nobody's")
    reserve(database, "r1", "c")
    assert events.number_pending(database.read(), "w") == {"mails": 2, "news": 0}
    assert events.number_pending(database.read(), "w", most=1)["mails"] == 1


def test_topics_in_use_are_those_with_events_that_wait(database: Database) -> None:
    """A deploy skips what is left in topics that are gone."""
    publish(database, "a", topic="mails")
    publish(database, "b", topic="gone")
    assert events.topics_in_use(database.read(), "w") == {"mails", "gone"}
    reserve(database, "r1", "a")
    assert events.topics_in_use(database.read(), "w") == {"gone"}


def test_topics_in_use_are_found_as_soon_among_many_events_as_among_few(database: Database) -> None:
    """K11: a deploy does not read all that waits. What is counted are steps of SQLite, not time."""
    steps: list[None] = []

    def cost() -> int:
        steps.clear()
        db = database.read()
        db.set_progress_handler(lambda: steps.append(None), 1)
        assert events.topics_in_use(db, "w") == {"mails", "gone"}
        db.set_progress_handler(None, 1)
        return len(steps)

    for topic in ("mails", "gone"):
        publish(database, "first", topic=topic)
    few = cost()
    with database.write() as db:
        for number in range(500):
            events.publish(db, "w", "mails", str(number), "t", None, NOW)
    assert cost() == few > 0


def test_publishes_that_are_rolled_back_leave_no_trace(database: Database) -> None:
    def fail() -> None:
        with database.write() as db:
            events.publish(db, "w", "mails", "a", "t", 1, LATER)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert (pending(database), sequence(database)) == ([], 0)


@pytest.mark.parametrize(("old", "new"), list(product(EventState, EventState)))
def test_every_pair_of_states(old: EventState, new: EventState) -> None:
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
def test_looking_at_pending_events_never_walks_the_table(database: Database, query: str) -> None:
    """K11: a million events cost no more than a thousand."""
    plan = " ".join(row[3] for row in database.read().execute(f"EXPLAIN QUERY PLAN {query}"))
    assert "SCAN events" not in plan
    assert "SEARCH events USING" in plan
