"""A disk error at any step of adding rows: "failed" added none, and the checker knows the rest."""

import errno
import itertools
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections import safe_files as real_disk
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.table import csv_table, safe_append
from scheduler.connections.connectors.table.ledger import Ledger
from scheduler.connections.connectors.table.safe_append import sidecar_path
from scheduler.rules.failures import FailureClass
from tests.connections.connectors.table.table_tools import append, check, read, refused
from tests.connections.faulty_disk import Disk, Fault

FAILED, UNSURE, APPLIED = "failed", "unsure", "applied"
DEFINITE = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS)
BROKEN = (errno.EIO, errno.ESTALE)
OFFERS = {"any disk": True, "a plain disk": False}

_SIDECARS = (("create", FAILED, FAILED), ("create", FAILED, FAILED), ("unlink", FAILED, FAILED))
"""The lock, the ledger, and a part file that a killed process may have left."""
_PART = (("create", FAILED, FAILED), ("write", FAILED, FAILED), ("sync file", FAILED, FAILED))
_LAST = ("ledger finish", UNSURE, UNSURE)
_BEGIN = ("ledger begin", FAILED, FAILED)

Steps = tuple[tuple[str, str, str], ...]
TABLE: dict[str, tuple[bytes | None, dict[str, Any], Steps, Steps]] = {
    "rows for a new file": (
        None,
        {"a": 1},
        (
            *_SIDECARS,
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
        (*_SIDECARS, _BEGIN, ("write", FAILED, FAILED), ("sync file", UNSURE, UNSURE), _LAST),
        (),
    ),
    "a new column": (
        b"a\n0\n",
        {"b": 1},
        (
            *_SIDECARS,
            _BEGIN,
            *_PART,
            ("exchange", FAILED, UNSURE),
            ("unlink", UNSURE, UNSURE),
            ("sync folder", UNSURE, UNSURE),
            _LAST,
        ),
        (*_SIDECARS, _BEGIN, *_PART, ("replace", FAILED, UNSURE), ("sync folder", UNSURE, UNSURE), _LAST),
    ),
}
"""The old content, the new row, and each step with its outcome for a definite error and for a broken disk.

The second list of steps is for disks that cannot swap files, if different."""


def steps_of(name: str, *, offers: bool) -> Steps:
    _, _, steps, plain = TABLE[name]
    return steps if offers or not plain else plain


def cells() -> list[Any]:
    """Errors after a completed step can only occur where the outcome is unsure."""
    return [
        pytest.param(name, offers, number, expected, codes, when, id=f"{name}, {disk}, {number} {step}, {how}, {when}")
        for name, (disk, offers) in itertools.product(TABLE, OFFERS.items())
        for number, (step, definite, broken) in enumerate(steps_of(name, offers=offers))
        for how, expected, codes in (("refused", definite, DEFINITE), ("broken", broken, BROKEN))
        for when in (("before", "after") if expected == UNSURE else ("before",))
    ]


def run(path: Path, name: str, disk: Disk) -> str:
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
    assert run(tmp_path / "t.csv", name, disk) == APPLIED
    assert disk.steps == [step for step, _, _ in steps_of(name, offers=offers)]


@pytest.mark.parametrize(("name", "offers", "number", "expected", "codes", "when"), cells())
def test_the_outcome_of_a_failed_step(
    tmp_path: Path, name: str, number: int, expected: str, codes: tuple[int, ...], when: str, *, offers: bool
) -> None:
    for code in codes:
        path = tmp_path / str(code) / "t.csv"
        path.parent.mkdir()
        outcome = run(path, name, Disk(Fault(number, code, when), offers_exchange=offers, ledger=Ledger))
        assert outcome == expected, errno.errorcode[code]
        before, row, _, _ = TABLE[name]
        if outcome == FAILED:
            assert content(path) == before
            assert not sidecar_path(path, "part").exists()
        happened = check_happened(path) if outcome == UNSURE else outcome == APPLIED
        assert (content(path) != before) == happened
        append(path, [row])  # like a retry
        column, value = next(iter(row.items()))
        assert [one[column] for one in read(path)].count(str(value)) == 1
        assert not sidecar_path(path, "part").exists()


def check_happened(path: Path) -> bool:
    return check(path).happened


def save_in_editor(path: Path) -> None:
    """Replace the file with a new one, as editors do."""
    path.with_name("saved").write_bytes(b"a,mine\n0,x\n")
    path.with_name("saved").replace(path)


@pytest.mark.parametrize("row", [{"a": 1}, {"b": 1}])
def test_a_file_saved_while_its_columns_are_read_is_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: dict[str, Any]
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\n0\n")
    header = csv_table._header

    def read_then_save(place: Path) -> Any:
        columns = header(place)
        save_in_editor(path)
        return columns

    monkeypatch.setattr(csv_table, "_header", read_then_save)
    assert "nothing was done" in refused(FailureClass.TRANSIENT, append, path, [row])
    assert path.read_bytes() == b"a,mine\n0,x\n"
    monkeypatch.undo()
    append(path, [row])
    assert read(path)[0] == {"a": "0", "mine": "x"} | ({"b": ""} if "b" in row else {})


@pytest.mark.parametrize("offers", [True, False])
def test_a_file_saved_while_a_column_is_added_is_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, offers: bool
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\n0\n")
    write_part = safe_append.write_part

    def write_then_save(*given: Any) -> None:
        write_part(*given)
        save_in_editor(path)

    monkeypatch.setattr(safe_append, "write_part", write_then_save)
    with Disk(offers_exchange=offers).inserted():
        assert "nothing was done" in refused(FailureClass.TRANSIENT, append, path, [{"b": 1}])
    assert path.read_bytes() == b"a,mine\n0,x\n"
    assert not sidecar_path(path, "part").exists()
    assert not check(path).happened


def test_rows_written_to_a_replaced_file_are_unsure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\n0\n")
    write_all = real_disk.write_all

    def write_then_save(*given: Any) -> None:
        write_all(*given)
        save_in_editor(path)

    monkeypatch.setattr(safe_append, "write_all", write_then_save)
    refused(FailureClass.UNSURE, append, path, [{"a": 1}])
    monkeypatch.undo()
    refused(FailureClass.UNSURE, check, path)
    assert path.read_bytes() == b"a,mine\n0,x\n"


def test_rows_that_the_user_deleted_before_the_check_are_not_added_again(tmp_path: Path) -> None:
    """Killed after writing but before recording it; that looks like a kill before writing, so it is unsure."""
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


def test_a_missing_ledger_is_unsure(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    append(path, [{"a": 1}])
    sidecar_path(path, "ledger").unlink()
    refused(FailureClass.UNSURE, check, path)


def test_a_ledger_of_an_older_version_is_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\n0\n")
    with sqlite3.connect(sidecar_path(path, "ledger")) as db:
        db.execute(
            "CREATE TABLE additions (key TEXT PRIMARY KEY, state TEXT NOT NULL, result TEXT NOT NULL, size INTEGER, "
            "payload BLOB, old TEXT, new TEXT) STRICT"
        )
        db.execute("INSERT INTO additions (key, state, result, size, payload) VALUES ('k', 'begun', '1', 4, x'31')")
    db.close()
    assert not check(path).happened
    append(path, [{"a": 1}])
    assert check(path).happened


def create_pipe(path: Path) -> None:
    os.mkfifo(path)


def create_damaged(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + b"nonsense" * 500)


def create_binary(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")


REFUSED: list[tuple[str, Callable[[Path], Any], str]] = [
    ("t.csv", Path.mkdir, "is not a file"),
    ("t.csv", create_pipe, "is not a file"),
    ("t.csv", create_binary, "is not UTF-8"),
    ("t.sqlite", Path.mkdir, "is not a file"),
    ("t.sqlite", create_pipe, "is not a file"),
    ("t.sqlite", create_damaged, "is damaged"),
    ("t.sqlite", create_binary, "is damaged"),
    ("gone/t.csv", lambda _: None, "The folder"),
    ("gone/t.sqlite", lambda _: None, "The folder"),
]


@pytest.mark.parametrize(("name", "create", "expected"), REFUSED)
def test_a_file_that_is_not_a_table_is_not_changed(
    tmp_path: Path, name: str, create: Callable[[Path], Any], expected: str
) -> None:
    path = tmp_path / name
    create(path)
    before = (path.lstat().st_mode, path.lstat().st_size) if os.path.lexists(path) else None
    assert expected in refused(FailureClass.LOGIC, append, path, [{"a": 1}])
    assert ((path.lstat().st_mode, path.lstat().st_size) if os.path.lexists(path) else None) == before


def test_a_locked_database_is_a_transient_error(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    append(path, [{"a": 0}], "0")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert "nothing was done" in refused(FailureClass.TRANSIENT, append, path, [{"a": 1}], seconds=0.1)
    holder.close()
    assert not check(path).happened
    append(path, [{"a": 1}])
    assert len(read(path)) == 2
