"""What waits for an answer or for its next attempt, and will not go on: it is over, and its occurrence with it."""

import sqlite3
from datetime import datetime

from scheduler.engine.dispatch import Dispatch
from scheduler.engine.runs.recovery import drop
from scheduler.store import lanes, runs
from scheduler.store.runs import RunRow


def let_go(db: sqlite3.Connection, dispatch: Dispatch, row: RunRow, now: datetime, note: str) -> None:
    drop(db, row, now, note)
    if row.occurrence is not None:
        dispatch.give_up(db, row.occurrence, now, detail=note)


def let_all_go(db: sqlite3.Connection, dispatch: Dispatch, workflow: str, now: datetime, note: str) -> None:
    """Of a whole workflow, also a job of which nobody has said whether it finished."""
    for row in runs.unfinished(db, workflow):
        let_go(db, dispatch, row, now, note)
    for lane in lanes.of_workflow(db, workflow):
        asked = None if lane.run is None else runs.find(db, lane.run)
        if asked is not None:
            let_go(db, dispatch, asked, now, note)
