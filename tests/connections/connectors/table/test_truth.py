"""Whatever fails while rows are added, at whatever step: "failed" added none, and the checker knows the rest."""

import errno
import itertools
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections import disk as real_disk
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.table import csv_table, writing
from scheduler.connections.connectors.table.ledger import Ledger
from scheduler.connections.connectors.table.writing import beside
from scheduler.rules.failures import FailureClass
from tests.connections.connectors.table.tables import append, check, read, refused
from tests.connections.faulty_disk import Disk, Fault

FAILED, UNSURE, APPLIED = "failed", "unsure", "applied"
CERTAIN = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS)
BROKEN = (errno.EIO, errno.ESTALE)
OFFERS = {"any disk": True, "a plain disk": False}

_BESIDE = (("create", FAILED, FAILED), ("create", FAILED, FAILED), ("unlink", FAILED, FAILED))
"""The lock and the ledger, and a part that a killed process may have left."""
_PART = (("create", FAILED, FAILED), ("write", FAILED, FAILED), ("sync file", FAILED, FAILED))
_LAST = ("ledger finish", UNSURE, UNSURE)
_BEGIN = ("ledger begin", FAILED, FAILED)

Steps = tuple[tuple[str, str, str], ...]
TABLE: dict[str, tuple[bytes | None, dict[str, Any], Steps, Steps]] = {
    "rows for a new file": (
        None,
        {"a": 1},
        (
            *_BESIDE,
            ("create", FAILED, FAILED),
            _BEGIN,
            ("write", FAILED, FAILED),
            ("sync file", UNSURE, UNSURE),
            ("sync folder", UNSURE, UNSURE),
            _LAST,
        ),
        (),
    ),
    "more rows": (
        b"a\n0\n",
        {"a": 1},
        (*_BESIDE, _BEGIN, ("write", FAILED, FAILED), ("sync file", UNSURE, UNSURE), _LAST),
        (),
    ),
    "a new column": (
        b"a\n0\n",
        {"b": 1},
        (
            *_BESIDE,
            _BEGIN,
            *_PART,
            ("exchange", FAILED, UNSURE),
            ("unlink", UNSURE, UNSURE),
            ("sync folder", UNSURE, UNSURE),
            _LAST,
        ),
        (*_BESIDE, _BEGIN, *_PART, ("replace", FAILED, UNSURE), ("sync folder", UNSURE, UNSURE), _LAST),
    ),
}
"""What was there, what is added, and each step with what comes of a refusal and of a broken disk; twice if need be."""


def steps_of(name: str, *, offers: bool) -> Steps:
    _, _, steps, plain = TABLE[name]
    return steps if offers or not plain else plain


def cells() -> list[Any]:
    """An error after the step, which was done all the same, can only come where it leaves open what happened."""
    return [
        pytest.param(name, offers, number, expected, codes, when, id=f"{name}, {disk}, {number} {step}, {how}, {when}")
        for name, (disk, offers) in itertools.product(TABLE, OFFERS.items())
        for number, (step, certain, broken) in enumerate(steps_of(name, offers=offers))
        for how, expected, codes in (("refused", certain, CERTAIN), ("broken", broken, BROKEN))
        for when in (("before", "after") if expected == UNSURE else ("before",))
    ]


def play(path: Path, name: str, disk: Disk) -> str:
    before, row, _, _ = TABLE[name]
    if before is not None:
        path.write_bytes(before)
    try:
        with disk.inserted():
            append(path, [row])
    except ToolFailedError as error:
        return UNSURE if error.failure.kind is FailureClass.UNSURE else FAILED
    return APPLIED


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


@pytest.mark.parametrize("offers", OFFERS.values(), ids=OFFERS)
@pytest.mark.parametrize("name", TABLE)
def test_the_table_has_every_step(tmp_path: Path, name: str, *, offers: bool) -> None:
    disk = Disk(offers_exchange=offers, ledger=Ledger)
    assert play(tmp_path / "t.csv", name, disk) == APPLIED
    assert disk.steps == [step for step, _, _ in steps_of(name, offers=offers)]


@pytest.mark.parametrize(("name", "offers", "number", "expected", "codes", "when"), cells())
def test_a_step_that_fails(
    tmp_path: Path, name: str, number: int, expected: str, codes: tuple[int, ...], when: str, *, offers: bool
) -> None:
    for code in codes:
        path = tmp_path / str(code) / "t.csv"
        path.parent.mkdir()
        said = play(path, name, Disk(Fault(number, code, when), offers_exchange=offers, ledger=Ledger))
        assert said == expected, errno.errorcode[code]
        before, row, _, _ = TABLE[name]
        if said == FAILED:
            assert content(path) == before
            assert not beside(path, "part").exists()
        happened = knows(path) if said == UNSURE else said == APPLIED
        assert (content(path) != before) == happened
        append(path, [row])  # as a retry would
        column, value = next(iter(row.items()))
        assert [one[column] for one in read(path)].count(str(value)) == 1
        assert not beside(path, "part").exists()


def knows(path: Path) -> bool:
    return check(path).happened


def be_saved(path: Path) -> None:
    """As editors do: a new file under the old name."""
    path.with_name("saved").write_bytes(b"a,mine\n0,x\n")
    path.with_name("saved").replace(path)


@pytest.mark.parametrize("row", [{"a": 1}, {"b": 1}])
def test_a_file_that_is_saved_while_its_columns_are_read_is_left_as_it_was_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: dict[str, Any]
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\n0\n")
    header = csv_table._header

    def read_and_be_late(place: Path) -> Any:
        found = header(place)
        be_saved(path)
        return found

    monkeypatch.setattr(csv_table, "_header", read_and_be_late)
    assert "nothing was done" in refused(FailureClass.TRANSIENT, append, path, [row])
    assert path.read_bytes() == b"a,mine\n0,x\n"
    monkeypatch.undo()
    append(path, [row])
    assert read(path)[0] == {"a": "0", "mine": "x"} | ({"b": ""} if "b" in row else {})


@pytest.mark.parametrize("offers", [True, False])
def test_a_file_that_is_saved_at_the_moment_of_a_new_column_is_left_as_it_was_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, offers: bool
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\n0\n")
    write_part = writing.write_part

    def write_and_be_late(*given: Any) -> None:
        write_part(*given)
        be_saved(path)

    monkeypatch.setattr(writing, "write_part", write_and_be_late)
    with Disk(offers_exchange=offers).inserted():
        assert "nothing was done" in refused(FailureClass.TRANSIENT, append, path, [{"b": 1}])
    assert path.read_bytes() == b"a,mine\n0,x\n"
    assert not beside(path, "part").exists()
    assert not check(path).happened


def test_rows_that_went_to_a_file_which_was_replaced_in_that_moment_are_not_called_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\n0\n")
    write_all = real_disk.write_all

    def write_and_be_late(*given: Any) -> None:
        write_all(*given)
        be_saved(path)

    monkeypatch.setattr(writing, "write_all", write_and_be_late)
    refused(FailureClass.UNSURE, append, path, [{"a": 1}])
    monkeypatch.undo()
    refused(FailureClass.UNSURE, check, path)
    assert path.read_bytes() == b"a,mine\n0,x\n"


def test_rows_that_the_user_deleted_before_anybody_looked_are_not_added_again(tmp_path: Path) -> None:
    """Killed after they were written and before that was noted; nobody can tell that from a kill before, so it asks."""
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\n0\n")
    child = os.fork()
    if child == 0:
        steps = [step for step, _, _ in TABLE["more rows"][2]]
        with Disk(Fault(steps.index("ledger finish")), ledger=Ledger).inserted():
            append(path, [{"a": 1}])
        os._exit(0)
    os.waitpid(child, 0)
    assert path.read_bytes() == b"a\n0\n1\n"
    path.write_bytes(b"a\n0\n")
    refused(FailureClass.UNSURE, check, path)


def test_a_ledger_that_somebody_removed_is_no_proof(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    append(path, [{"a": 1}])
    beside(path, "ledger").unlink()
    refused(FailureClass.UNSURE, check, path)


def test_a_ledger_of_an_older_version_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\n0\n")
    with sqlite3.connect(beside(path, "ledger")) as db:
        db.execute(
            "CREATE TABLE additions (key TEXT PRIMARY KEY, state TEXT NOT NULL, result TEXT NOT NULL, size INTEGER, "
            "payload BLOB, old TEXT, new TEXT) STRICT"
        )
        db.execute("INSERT INTO additions (key, state, result, size, payload) VALUES ('k', 'begun', '1', 4, x'31')")
    db.close()
    assert not check(path).happened
    append(path, [{"a": 1}])
    assert check(path).happened


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def damaged(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + b"nonsense" * 500)


def not_text(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")


REFUSED: list[tuple[str, Callable[[Path], Any], str]] = [
    ("t.csv", Path.mkdir, "is not a file"),
    ("t.csv", a_pipe, "is not a file"),
    ("t.csv", not_text, "is not UTF-8"),
    ("t.sqlite", Path.mkdir, "is not a file"),
    ("t.sqlite", a_pipe, "is not a file"),
    ("t.sqlite", damaged, "is damaged"),
    ("t.sqlite", not_text, "is damaged"),
    ("gone/t.csv", lambda _: None, "The folder"),
    ("gone/t.sqlite", lambda _: None, "The folder"),
]


@pytest.mark.parametrize(("name", "become", "said"), REFUSED)
def test_what_is_no_table_is_left_as_it_is(tmp_path: Path, name: str, become: Callable[[Path], Any], said: str) -> None:
    path = tmp_path / name
    become(path)
    before = (path.lstat().st_mode, path.lstat().st_size) if os.path.lexists(path) else None
    assert said in refused(FailureClass.LOGIC, append, path, [{"a": 1}])
    assert ((path.lstat().st_mode, path.lstat().st_size) if os.path.lexists(path) else None) == before


def test_a_database_that_somebody_holds_is_tried_later(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    append(path, [{"a": 0}], "0")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert "nothing was done" in refused(FailureClass.TRANSIENT, append, path, [{"a": 1}], seconds=0.1)
    holder.close()
    assert not check(path).happened
    append(path, [{"a": 1}])
    assert len(read(path)) == 2
