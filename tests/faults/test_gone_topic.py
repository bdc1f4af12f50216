"""Newer data for an event whose run gives it back after its topic is gone."""

from pathlib import Path

from scheduler.store import events, handlers
from tests.runs import invariants
from tests.runs.witness import watch
from tests.store.workflow_rows import NOW, run, store


def test_an_event_that_is_skipped_is_not_changed_afterwards(tmp_path: Path) -> None:
    """Invariant 8: what it had to be told is told before, not after."""
    with store(tmp_path) as database:
        watch(database.read())
        with database.write() as db:
            events.publish(db, "w", "mails", "a", "t", 1, NOW)
            events.reserve(db, "w", run("r").id, [("mails", "a")])
            events.publish(db, "w", "mails", "a", "t", 2, NOW)
            handlers.remove(db, "w", "file")
            assert events.release(db, "r") == 1
            found = db.execute("SELECT state, data, later FROM events").fetchone()
        assert tuple(found) == ("skipped", "2", None)
        invariants.what_is_dealt_with_stays_so(database.read())
