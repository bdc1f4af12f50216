"""Grants: added once, checked exactly, and revoked by any filter."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.store import grants
from scheduler.store.grants import Grant, GrantKind
from tests.store.workflow_rows import LATER, NOW, add_workflow, store

APPEND = Grant("w", "file", "table:x", "append", GrantKind.APPROVAL, NOW)
USE = Grant("w", "", "table:x", "append", GrantKind.PERMISSION, NOW)
SEND = Grant("w", "file", "mail:y", "send", GrantKind.APPROVAL, NOW)
OTHER = Grant("w", "report", "table:x", "append", GrantKind.APPROVAL, NOW)
FOREIGN = APPEND._replace(workflow="v")
ALL = (APPEND, USE, SEND, OTHER, FOREIGN)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with store(tmp_path) as database, database.write() as db:
        add_workflow(db, "v")
        yield db


def given(db: sqlite3.Connection) -> list[Grant]:
    return [one for one in ALL if grants.has(db, *one[:5])]


def test_nothing_is_allowed_at_first(db: sqlite3.Connection) -> None:
    assert given(db) == []


@pytest.mark.parametrize("one", ALL)
def test_a_grant_allows_exactly_its_scope(db: sqlite3.Connection, one: Grant) -> None:
    """The scope is workflow, handler, connection, tool and kind."""
    assert grants.add(db, one)
    assert given(db) == [one]
    assert grants.of_workflow(db, one.workflow) == [one]


def test_a_grant_added_twice_is_stored_once_with_its_first_time(db: sqlite3.Connection) -> None:
    assert grants.add(db, APPEND)
    assert not grants.add(db, APPEND._replace(created=LATER))
    assert grants.of_workflow(db, "w") == [APPEND]


@pytest.mark.parametrize(
    ("scope", "left"),
    [
        ({}, [FOREIGN]),
        ({"connection": "table:x"}, [SEND, FOREIGN]),
        ({"connection": "table:x", "tool": "append", "handler": "file"}, [USE, SEND, OTHER, FOREIGN]),
        ({"tool": "send"}, [APPEND, USE, OTHER, FOREIGN]),
        ({"handler": "report"}, [APPEND, USE, SEND, FOREIGN]),
        ({"handler": ""}, [APPEND, SEND, OTHER, FOREIGN]),
        ({"kind": GrantKind.APPROVAL}, [USE, FOREIGN]),
        ({"connection": "nobody"}, list(ALL)),
    ],
)
def test_matching_grants_are_revoked(db: sqlite3.Connection, scope: dict[str, str], left: list[Grant]) -> None:
    for one in ALL:
        grants.add(db, one)
    assert grants.revoke(db, "w", **scope) == len(ALL) - len(left)  # type: ignore[arg-type]
    assert given(db) == left


def test_grants_are_listed_by_connection_and_tool(db: sqlite3.Connection) -> None:
    for one in ALL:
        grants.add(db, one)
    assert grants.of_workflow(db, "w") == [SEND, APPEND, OTHER, USE]
