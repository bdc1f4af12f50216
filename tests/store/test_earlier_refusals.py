"""The migration that finds out which earlier runs had been rejected."""

from pathlib import Path

import pytest

from scheduler.rules.history_query import HistoryQuery
from scheduler.rules.phases import RunStatus
from scheduler.rules.requests import RequestKind
from scheduler.store import history, migrations, requests
from scheduler.store.history_index import index_batch
from scheduler.store.requests import RequestRow
from tests.store.history_samples import MINUTE, add_ended_run
from tests.store.workflow_rows import NOW, store

ANSWERS = {"no": ["no"], "late": ["expired"], "yes": ["yes"], "again": ["no", "yes"], "changed": ["yes", "no"]}


@pytest.mark.parametrize("kind", [RequestKind.APPROVAL, RequestKind.QUESTION])
def test_the_last_answer_counts_and_the_search_finds_it(tmp_path: Path, kind: RequestKind) -> None:
    [step] = [script for number, script in migrations._steps() if number == 11]
    with store(tmp_path) as database, database.write() as db:
        for run, answers in ANSWERS.items():
            add_ended_run(db, run)
            for number, answer in enumerate(answers):
                asked = RequestRow(f"{run}{number}", kind, "w", run, "Do it?", NOW, run=run)
                requests.add(db, asked._replace(answer=answer, answered=NOW + number * MINUTE))
        while index_batch(db, 2):
            pass
        db.execute("ALTER TABLE runs DROP COLUMN refusal")
        for statement in migrations._statements(step):
            db.execute(statement)
        found = db.execute("SELECT id, refusal FROM runs WHERE refusal IS NOT NULL")
        assert dict(found.fetchall()) == {"no": "rejected", "late": "expired", "changed": "rejected"}
        statuses = ("done", "rejected", "expired", "committed")
        counted = [history.count_runs(db, HistoryQuery(statuses=(status,))) for status in statuses]
        assert counted == [2, 2, 1, 5]


def test_the_attempt_that_committed_is_the_one_that_was_rejected(tmp_path: Path) -> None:
    [step] = [script for number, script in migrations._steps() if number == 11]
    with store(tmp_path) as database, database.write() as db:
        add_ended_run(db, "first", status=RunStatus.CRASHED)
        add_ended_run(db, "first-2", chain="first", attempt=2, retry_of="first")
        asked = RequestRow("q", RequestKind.APPROVAL, "w", "first", "Do it?", NOW, run="first")
        requests.add(db, asked._replace(answer="no", answered=NOW))
        db.execute("ALTER TABLE runs DROP COLUMN refusal")
        for statement in migrations._statements(step):
            db.execute(statement)
        found = db.execute("SELECT id FROM runs WHERE refusal = 'rejected'").fetchall()
        assert [row[0] for row in found] == ["first-2"]
