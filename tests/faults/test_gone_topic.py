"""New data for an event that is released after its topic was removed."""

from pathlib import Path

from scheduler.store import events, handlers
from tests.runs import invariants
from tests.runs.change_log import record_changes
from tests.store.workflow_rows import NOW, make_run, store


def test_a_skipped_event_is_not_changed_afterwards(tmp_path: Path) -> None:
    """A handled event stays as it is: the new data is applied before it is skipped, not after."""
    with store(tmp_path) as database:
        record_changes(database.read())
        with database.write() as db:
            events.publish(db, "w", "mails", "a", "t", 1, NOW)
            events.reserve(db, "w", make_run("r").id, [("mails", "a")])
            events.publish(db, "w", "mails", "a", "t", 2, NOW)
            handlers.remove(db, "w", "file")
            assert events.release(db, "r") == 1
            row = db.execute("SELECT state, data, later FROM events").fetchone()
        assert tuple(row) == ("skipped", "2", None)
        invariants.settled_events_are_final(database.read())
