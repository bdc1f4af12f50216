"""Workflows: what the user set, what a deploy changes, and what is removed with them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.rules.mutations import MutationStatus
from scheduler.rules.requests import RequestKind
from scheduler.store import connections, events, grants, logs, mutations, requests, runs, workflows
from scheduler.store.database import Database
from scheduler.store.grants import Grant, GrantKind
from scheduler.store.mutations import MutationRow
from scheduler.store.requests import RequestRow
from scheduler.store.workflows import ScriptOrigin, ScriptRow, WorkflowRow, WorkflowStatus
from tests.store.workflow_rows import LATER, NOW, add_workflow, make_run, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database:
        yield database


def find_workflow(database: Database) -> WorkflowRow:
    row = workflows.find(database.read(), "w")
    assert row is not None
    return row


def test_scripts_are_numbered_and_never_change(database: Database) -> None:
    second = ScriptRow("w", 2, "bb", "pass", ScriptOrigin.FIX, {"handlers": ["x"]}, LATER)
    with database.write() as db:
        workflows.add_script(db, second)
    assert [one.number for one in workflows.list_scripts(database.read(), "w")] == [2, 1]
    assert workflows.find_script(database.read(), "w", 2) == second


def test_a_deploy_keeps_what_the_user_set(database: Database) -> None:
    with database.write() as db:
        workflows.set_status(db, "w", workflows.WorkflowStatus.PAUSED)
        old = workflows.find(db, "w")
        assert old is not None
        workflows.save(db, old._replace(script=2, status=workflows.WorkflowStatus.ACTIVE, tags=("x",)))
    row = workflows.find(database.read(), "w")
    assert row is not None
    assert (row.status, row.script, row.tags) == (workflows.WorkflowStatus.PAUSED, 2, ("x",))
    assert row.version > old.version


def test_an_unknown_script_version_is_not_found(database: Database) -> None:
    assert workflows.find_script(database.read(), "w", 9) is None
    assert workflows.find_script(database.read(), "v", 1) is None


def test_workflows_are_listed_by_name(database: Database) -> None:
    with database.write() as db:
        add_workflow(db, "a")
    assert [one.slug for one in workflows.list_all(database.read())] == ["a", "w"]
    assert workflows.find(database.read(), "nobody") is None


def test_file_watching_survives_a_deploy(database: Database) -> None:
    before = find_workflow(database)
    with database.write() as db:
        workflows.set_watching(db, "w", watching=True)
        workflows.save(db, before._replace(script=2))
    assert (find_workflow(database).watching, find_workflow(database).script) == (True, 2)
    assert workflows.current_script(database.read(), "w") == 2


def test_a_deploy_keeps_the_event_sequence(database: Database) -> None:
    with database.write() as db:
        events.publish(db, "w", "mails", "a", "t", 1, NOW)
        workflows.save(db, find_workflow(database)._replace(script=2, sequence=0))
    assert workflows.sequence_of(database.read(), "w") == find_workflow(database).sequence == 1


def test_a_change_by_the_user_is_a_new_version(database: Database) -> None:
    versions = [find_workflow(database).version]
    for change in (
        lambda db: workflows.set_status(db, "w", WorkflowStatus.ARCHIVED),
        lambda db: workflows.set_watching(db, "w", watching=False),
    ):
        with database.write() as db:
            change(db)
        versions.append(find_workflow(database).version)
    assert versions == [1, 2, 3]
    assert find_workflow(database).status is WorkflowStatus.ARCHIVED


def rows_of(database: Database, workflow: str) -> dict[str, int]:
    """The number of rows of a workflow in every table that names one."""
    read = database.read()
    tables = [row[0] for row in read.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = {table: {row[1] for row in read.execute(f"PRAGMA table_info({table})")} for table in tables}
    counts = {
        table: read.execute(f"SELECT count(*) FROM {table} WHERE workflow = ?", (workflow,)).fetchone()[0]
        for table in tables
        if "workflow" in columns[table] and table != "schedules"
    }
    counts["workflows"] = read.execute("SELECT count(*) FROM workflows WHERE slug = ?", (workflow,)).fetchone()[0]
    counts["logs"] = read.execute("SELECT count(*) FROM logs WHERE run = ?", (f"run of {workflow}",)).fetchone()[0]
    return counts


def test_a_removed_workflow_leaves_nothing_and_takes_nothing_of_others(database: Database) -> None:
    with database.write() as db:
        add_workflow(db, "v")
        for slug in ("v", "w"):
            name = f"run of {slug}"
            runs.insert(db, make_run(name, workflow=slug))
            logs.append(db, name, "hello")
            events.publish(db, slug, "mails", "a", "t", 1, NOW)
            grants.add(db, Grant(slug, "file", "table:x", "append", GrantKind.APPROVAL, NOW))
            requests.add(db, RequestRow(name, RequestKind.APPROVAL, slug, name, "May I?", NOW, name))
            mutations.begin(db, MutationRow(name, slug, "table:x", "append", {}, "k", MutationStatus.IN_FLIGHT, NOW))
        connections.save(db, "table:x", {"path": "x.csv"}, NOW)
    before = rows_of(database, "v")
    assert all(rows_of(database, "w").values()), "every table has something to remove"
    with database.write() as db:
        workflows.remove(db, "w")
    assert not any(rows_of(database, "w").values())
    assert rows_of(database, "v") == before
    assert connections.find(database.read(), "table:x") is not None
