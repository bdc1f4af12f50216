"""The output of runs."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scheduler.store import logs
from scheduler.store.logs import LogPiece
from tests.store.workflow_rows import store


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with store(tmp_path) as database, database.write() as db:
        yield db


def test_pieces_are_joined_in_order(db: sqlite3.Connection) -> None:
    """Even if one ends in the middle of a line and other runs print in between."""
    for run, text in [("r1", "one\ntw"), ("r2", "other\n"), ("r1", "o\n"), ("r1", "drei\n")]:
        logs.append(db, run, text)
    assert logs.read(db, "r1") == "one\ntwo\ndrei\n"
    assert logs.read(db, "r2") == "other\n"


def test_a_run_that_printed_nothing_has_an_empty_log(db: sqlite3.Connection) -> None:
    assert logs.read(db, "r1") == ""
    assert logs.since(db, "r1") == []


def test_following_a_log_returns_only_new_pieces(db: sqlite3.Connection) -> None:
    logs.append(db, "r1", "a")
    logs.append(db, "r1", "b")
    first = logs.since(db, "r1")
    assert first == [LogPiece(1, "a"), LogPiece(2, "b")]
    assert logs.since(db, "r1", first[-1].part) == []
    logs.append(db, "r1", "c")
    assert logs.since(db, "r1", first[-1].part) == [LogPiece(3, "c")]


def test_a_piece_knows_when_it_was_printed(db: sqlite3.Connection) -> None:
    noon = datetime(2026, 11, 16, 12, tzinfo=UTC)
    logs.append(db, "r1", "earlier\n")
    logs.append(db, "r1", "noon\n", noon)
    logs.append(db, "r1", "clock set back\n", noon - timedelta(hours=1))
    logs.append(db, "r1", "later\n", noon + timedelta(seconds=5))
    pieces = logs.since(db, "r1")
    assert [one.text for one in pieces] == ["earlier\n", "noon\n", "clock set back\n", "later\n"]
    times = [None, noon, noon + timedelta(milliseconds=1), noon + timedelta(seconds=5)]
    assert [one.at for one in pieces] == times
