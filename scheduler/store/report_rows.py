"""What a report is made of: how runs ended, what did not run and why, and what the user answered."""

import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from scheduler.rules.requests import REQUESTS
from scheduler.store.database import to_instant, to_ms
from scheduler.store.history import first_number_since
from scheduler.store.requests import RequestAnswer
from scheduler.user_text import unpack

_MILLISECOND = timedelta(milliseconds=1)
# Of several attempts only the last one counts.
_ENDINGS = """
SELECT r.workflow, r.handler,
    sum(r.status = 'committed' AND r.refusal IS NULL), sum(r.status = 'committed' AND r.refusal IS NOT NULL),
    sum(r.status IN ('failed:logic', 'failed:internal', 'crashed')
        OR (r.status = 'paused:transient' AND r.resume_at IS NULL)), sum(r.status = 'cancelled')
FROM runs r WHERE r.number >= ? AND r.number < ? AND NOT EXISTS (
    SELECT 1 FROM runs n INDEXED BY runs_of_chain
    WHERE n.chain = r.chain AND n.attempt > 1 AND n.attempt > r.attempt)
GROUP BY r.workflow, r.handler
"""
_LAST_SUMMARY = (
    "SELECT summary FROM runs WHERE workflow = ? AND number >= ? AND number < ? AND status = 'committed' "
    "AND summary IS NOT NULL ORDER BY number DESC LIMIT 1"
)
_NOT_RUN = """
SELECT schedule, state, reason, sum(number), min(first), max(last) FROM (
    SELECT schedule, state, reason, 1 AS number, planned AS first, planned AS last FROM occurrences
    WHERE began IS NULL AND state NOT IN ('queued', 'started') AND planned >= ?1 AND planned < ?2
    UNION ALL
    SELECT schedule, state, reason, number, first, last FROM gaps WHERE first >= ?1 AND first < ?2
) GROUP BY schedule, state, reason ORDER BY min(first)
"""
_BY_USER = (
    RequestAnswer.YES,
    RequestAnswer.NO,
    RequestAnswer.ANSWERED,
    RequestAnswer.EXPIRED,
    RequestAnswer.HAPPENED,
    RequestAnswer.NOT_HAPPENED,
    RequestAnswer.SKIP,
)
_REPORTS = tuple(kind for kind, spec in REQUESTS.items() if spec.is_report)


class EndingCounts(NamedTuple):
    """How the runs of a handler ended."""

    workflow: str
    handler: str
    succeeded: int
    refused: int
    """Rejected by the user, or expired."""
    failed: int
    cancelled: int


class NotRunCounts(NamedTuple):
    """Planned times of a schedule that did not run, for one reason."""

    schedule: str
    state: str
    reason: str | None
    number: int
    first: datetime
    last: datetime


class AnsweredRow(NamedTuple):
    workflow: str
    kind: str
    sentence: str
    answer: str
    answered: datetime
    reason: str | None
    answered_from: str | None


def count_endings(db: sqlite3.Connection, since: datetime, until: datetime) -> list[EndingCounts]:
    """Of runs created in [since, until)."""
    return [EndingCounts(*row) for row in db.execute(_ENDINGS, _numbers(db, since, until))]


def find_last_summary(db: sqlite3.Connection, workflow: str, since: datetime, until: datetime) -> str:
    row = db.execute(_LAST_SUMMARY, (workflow, *_numbers(db, since, until))).fetchone()
    return "" if row is None else unpack(row[0]) or ""


def count_not_run(db: sqlite3.Connection, since: datetime, until: datetime) -> list[NotRunCounts]:
    """Of times planned in [since, until), by schedule, state and reason."""
    rows = db.execute(_NOT_RUN, (to_ms(since), to_ms(until)))
    return [NotRunCounts(row[0], row[1], row[2], row[3], to_instant(row[4]), to_instant(row[5])) for row in rows]


def iter_answered(db: sqlite3.Connection, since: datetime, until: datetime) -> Iterator[AnsweredRow]:
    """What was answered in [since, until), or expired; not what solved itself, nor reports that were dismissed."""
    answers, reports = ", ".join("?" * len(_BY_USER)), ", ".join("?" * len(_REPORTS))
    rows = db.execute(
        "SELECT workflow, kind, sentence, answer, answered, reason, answered_from FROM requests "
        f"WHERE answered >= ? AND answered < ? AND answer IN ({answers}) AND kind NOT IN ({reports}) "
        "ORDER BY answered",
        (to_ms(since), to_ms(until), *_BY_USER, *_REPORTS),
    )
    for row in rows:
        yield AnsweredRow(row[0], row[1], unpack(row[2]) or "", row[3], to_instant(row[4]), row[5], row[6])


def _numbers(db: sqlite3.Connection, since: datetime, until: datetime) -> tuple[int, int]:
    return first_number_since(db, since), first_number_since(db, until)
