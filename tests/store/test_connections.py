"""Connections: their settings and trouble, no secrets."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.store import connections
from scheduler.store.connections import ConnectionRow
from tests.store.workflow_rows import LATER, NOW, store

HOME = ConnectionRow("imap:home", {"host": "imap.example", "port": 993}, None, NOW)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with store(tmp_path) as database, database.write() as db:
        connections.save(db, HOME.name, HOME.settings, NOW)
        yield db


def test_a_connection_is_read_as_it_was_saved(db: sqlite3.Connection) -> None:
    assert connections.find(db, "imap:home") == HOME
    assert connections.find(db, "imap:work") is None


def test_connections_are_listed_by_name(db: sqlite3.Connection) -> None:
    connections.save(db, "table:x", {}, NOW)
    connections.save(db, "folder:a", {}, NOW)
    assert [one.name for one in connections.list_all(db)] == ["folder:a", "imap:home", "table:x"]


def test_trouble_is_kept_until_it_is_cleared(db: sqlite3.Connection) -> None:
    connections.set_trouble(db, "imap:home", "The password was refused.")
    assert connections.find(db, "imap:home") == HOME._replace(trouble="The password was refused.")
    connections.set_trouble(db, "imap:home", None)
    assert connections.find(db, "imap:home") == HOME


def test_reconnecting_keeps_its_identity_and_clears_its_trouble(db: sqlite3.Connection) -> None:
    connections.set_trouble(db, "imap:home", "The password was refused.")
    connections.save(db, "imap:home", {"host": "new.example"}, LATER)
    assert connections.find(db, "imap:home") == ConnectionRow("imap:home", {"host": "new.example"}, None, NOW)


def test_trouble_of_a_removed_connection_does_not_create_it(db: sqlite3.Connection) -> None:
    connections.set_trouble(db, "imap:work", "The password was refused.")
    assert connections.list_all(db) == [HOME]


def test_remove_returns_whether_it_existed(db: sqlite3.Connection) -> None:
    assert connections.remove(db, "imap:home")
    assert not connections.remove(db, "imap:home")
    assert connections.list_all(db) == []
