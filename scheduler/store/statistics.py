"""How many planned times became what, and how late the ones that ran began."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from scheduler.store.database import to_ms
from scheduler.store.reading import word
from scheduler.timing.occurrences import Reason, State


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of one kind there are."""

    state: State
    reason: Reason | None
    is_planned: bool
    """Whether they are times of the schedule itself."""
    number: int
    more: bool


def of_states(db: sqlite3.Connection, schedule: str | None, since: datetime | None) -> list[Tally]:
    """What became of the occurrences and gaps of one schedule or all, planned since."""
    where, values = "planned >= ?", [to_ms(since) or 0]
    reach = "last >= ?"
    if schedule is not None:
        where, reach = f"schedule = ? AND {where}", f"schedule = ? AND {reach}"
        values.insert(0, schedule)  # type: ignore[arg-type]
    query = (
        "SELECT state, reason, origin = 'automatic', count(*), 0 FROM occurrences "
        f"WHERE {where} GROUP BY 1, 2, 3 UNION ALL "
        f"SELECT state, reason, 1, sum(number), max(more) FROM gaps WHERE {reach} GROUP BY 1, 2"
    )
    return [
        Tally(
            word(State, state, State.DROPPED),
            None if reason is None else word(Reason, reason, Reason.UNREADABLE),
            bool(planned),
            number,
            bool(more),
        )
        for state, reason, planned, number, more in db.execute(query, values * 2)
    ]


def drifts(db: sqlite3.Connection, schedule: str | None, since: datetime | None, bounds: tuple[int, ...]) -> list[int]:
    """How many automatic runs began within each bound (milliseconds) of their planned time; the last is beyond all."""
    cases = " ".join(f"WHEN abs(began - planned) <= {bound} THEN {place}" for place, bound in enumerate(bounds))
    where, values = "began IS NOT NULL AND origin = 'automatic' AND planned >= ?", [to_ms(since) or 0]
    if schedule is not None:
        where = f"schedule = ? AND {where}"
        values.insert(0, schedule)  # type: ignore[arg-type]
    counts = [0] * (len(bounds) + 1)
    query = f"SELECT CASE {cases} ELSE {len(bounds)} END, count(*) FROM occurrences WHERE {where} GROUP BY 1"
    for place, number in db.execute(query, values):
        counts[place] = number
    return counts
