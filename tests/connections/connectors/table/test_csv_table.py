"""CSV files: the user's format is kept, crashes leave no partial rows, and the checker admits when it cannot tell."""

import errno
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.connections.connectors.table import csv_table, safe_append
from scheduler.connections.connectors.table.ledger import Addition, Ledger, open_ledger
from scheduler.connections.connectors.table.safe_append import sidecar_path
from scheduler.connections.safe_files import locked
from scheduler.file_system.windows_names import find_name_mistake
from scheduler.rules.failures import FailureClass
from tests.connections.connectors.table.table_tools import append, check, read, refused

texts = st.text(st.characters(codec="utf-8") | st.sampled_from(',;\t"\r\n\0 \ufeff'))
names = texts.filter(bool)
batches = st.lists(st.lists(st.dictionaries(names, texts, min_size=1), min_size=1, max_size=3), min_size=1, max_size=4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.csv"


def begin(path: Path, payload: bytes, key: str = "k") -> int:
    """Simulate a writer that was killed right after it began."""
    size = path.stat().st_size if path.exists() else 0
    with open_ledger(sidecar_path(path, "ledger")) as ledger:
        ledger.begin(Addition(key=key, result={"added": 1}, size=size, payload=payload))
    return size


@given(batches=batches)
@settings(max_examples=40, deadline=None)
def test_added_rows_are_read_back(tmp_path_factory: pytest.TempPathFactory, batches: list[Any]) -> None:
    path = tmp_path_factory.mktemp("trip") / "t.csv"
    rows: list[dict[str, str]] = []
    for number, batch in enumerate(batches):
        append(path, batch, str(number))
        rows += batch
        columns = list(dict.fromkeys(name for row in rows for name in row))
        assert read(path) == [{name: row.get(name, "") for name in columns} for row in rows]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a,b\n1,2\n", b"a,b\n1,2\n3,\n"),
        (b"a,b\n1,2", b"a,b\n1,2\n3,\n"),
        (b"a;b\r\n1;2\r\n", b"a;b\r\n1;2\r\n3;\r\n"),
        (b"a;b\r\n1;2", b"a;b\r\n1;2\r\n3;\r\n"),
        (b"\xef\xbb\xbfa\tb\n", b"\xef\xbb\xbfa\tb\n3\t\n"),
        (b' "q" ,a\n x ,"y"\n', b' "q" ,a\n x ,"y"\n,3\n'),
        (b"", b"a\n3\n"),
    ],
)
def test_the_format_of_an_existing_file_is_kept(path: Path, before: bytes, after: bytes) -> None:
    path.write_bytes(before)
    append(path, [{"a": 3}])
    assert path.read_bytes() == after


def test_new_columns_keep_bom_newlines_delimiters_and_permissions(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbfa;b\r\n1;2\r\n\r\n3\r\n")
    path.chmod(0o640)
    append(path, [{"c": "x;y"}])
    assert path.read_bytes() == b'\xef\xbb\xbfa;b;c\r\n1;2;\r\n3;;\r\n;;"x;y"\r\n'
    assert path.stat().st_mode & 0o777 == 0o640


def test_cells_without_a_column_prevent_new_columns(path: Path) -> None:
    path.write_bytes(b"a\n1,2\n")
    assert "more cells" in refused(FailureClass.LOGIC, append, path, [{"b": 1}])
    assert path.read_bytes() == b"a\n1,2\n"
    assert not check(path).happened


def test_a_row_that_the_user_deleted_still_counts_as_added(path: Path) -> None:
    append(path, [{"a": 1}])
    path.write_text("a\n")
    assert check(path).happened
    append(path, [{"a": 1}])
    assert read(path) == []


def test_a_link_and_its_target_are_one_table(path: Path) -> None:
    append(path, [{"a": 1}], "1")
    link = path.with_name("link.csv")
    link.symlink_to(path)
    append(link, [{"b": 2}], "2")
    assert check(path, "2").happened
    assert link.is_symlink() and len(read(path)) == 2


def test_the_files_beside_it_are_hidden_and_private(path: Path) -> None:
    append(path, [{"a": "private"}], "1")
    append(path, [{"b": "private"}], "2")
    others = [place for place in path.parent.iterdir() if place != path]
    assert {place.name for place in others} == {".t.csv.dayhand-ledger", ".t.csv.dayhand-lock"}
    ledger = sidecar_path(path, "ledger")
    assert ledger.stat().st_mode & 0o777 == 0o600
    assert sqlite3.connect(ledger).execute("SELECT count(*) FROM additions WHERE payload IS NOT NULL").fetchone() == (
        0,
    )


PAYLOAD = 'a,é\n"x\r\n",2\n'.encode()


@pytest.mark.parametrize("before", [b"", b"q\n7\n"])
def test_a_torn_write_is_removed_completely(tmp_path: Path, before: bytes) -> None:
    for cut in range(len(PAYLOAD)):
        for zeros in (0, 5):
            path = tmp_path / f"{cut}-{zeros}.csv"
            path.write_bytes(before)
            begin(path, PAYLOAD)
            with path.open("ab") as file:
                file.write(PAYLOAD[:cut] + b"\0" * zeros)
            assert not check(path).happened
            assert path.read_bytes() == before


def test_a_complete_write_counts_even_if_not_recorded(path: Path) -> None:
    path.write_bytes(b"a\n")
    begin(path, b"1\n")
    path.write_bytes(b"a\n1\n")
    assert check(path).happened
    assert append(path, [{"a": 1}]) == {"added": 1}
    assert read(path) == [{"a": "1"}]


def test_a_torn_end_is_repaired_by_the_next_access(path: Path) -> None:
    for come in (read, lambda place: append(place, [], "other"), check):
        path.write_bytes(b"a\n1\n")
        begin(path, b'"torn row"\n')
        with path.open("ab") as file:
            file.write(b'"torn')
        come(path)
        assert path.read_bytes() == b"a\n1\n"


@pytest.mark.parametrize("after", [b"a\nother\n", b"", b"a\nmuch longer than before\n", None])
def test_a_file_changed_in_between_is_unsure(path: Path, after: bytes | None) -> None:
    path.write_bytes(b"a\n1\n")
    begin(path, b"2\n")
    path.unlink() if after is None else path.write_bytes(after)
    assert "Check whether" in refused(FailureClass.UNSURE, check, path)
    if after is not None:
        assert path.read_bytes() == after
    append(path, [{"a": 3}], "other")
    assert check(path, "other").happened
    refused(FailureClass.UNSURE, check, path)


@pytest.mark.parametrize("moment", ["write_part", "swap_files", "sync_folder", "finish"])
def test_new_columns_are_added_atomically(path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """Interrupted at each moment, as by a kill: nothing runs after it."""
    append(path, [{"a": 1}], "1")
    before = path.read_bytes()

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    owner: Any = {"finish": Ledger}.get(moment, safe_append)
    with monkeypatch.context() as patched:
        patched.setattr(owner, moment, stop)
        with pytest.raises(KeyboardInterrupt):
            append(path, [{"b": 2}])
    happened = check(path).happened
    assert happened == (moment in ("sync_folder", "finish"))
    assert happened == (path.read_bytes() != before)
    assert read(path)[0]["a"] == "1"
    assert not sidecar_path(path, "part").exists()


def test_new_columns_in_a_file_changed_in_between_are_unsure(path: Path) -> None:
    path.write_bytes(b"a\n1\n")
    with open_ledger(sidecar_path(path, "ledger")) as ledger:
        ledger.begin(Addition(key="k", result=None, old="one", new="another"))
    refused(FailureClass.UNSURE, check, path)


FILL = """
import resource, sys
from pathlib import Path
from tests.connections.connectors.table.table_tools import append, check, refused
from scheduler.rules.failures import FailureClass
path = Path(sys.argv[1])
size = path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, resource.RLIM_INFINITY))
print(refused(FailureClass.TRANSIENT, append, path, [{"a": "x" * 300}], "2"))
assert path.stat().st_size == size
assert not check(path, "2").happened
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
append(path, [{"a": "x" * 300}], "2")
"""


def test_a_full_disk_leaves_no_partial_row_and_a_retry_works(path: Path) -> None:
    """A full disk, simulated by a limit on file sizes."""
    append(path, [{"a": "y" * 1_000_000}], "1")
    done = subprocess.run([sys.executable, "-c", FILL, str(path)], check=True, capture_output=True, text=True)
    assert "no room left" in done.stdout
    assert [row["a"][0] for row in read(path)] == ["y", "x"]


def test_a_failed_sync_is_unsure(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fake: a broken disk."""

    def fail(*_: Any) -> None:
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched:
        patched.setattr(safe_append.os, "fsync", fail)
        refused(FailureClass.UNSURE, append, path, [{"a": 1}])
    assert check(path).happened


def test_a_ledger_error_after_writing_is_unsure(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never "failed": the rows would be added again under another key."""

    def fail(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    for number, row in enumerate([{"a": 1}, {"b": 2}]):
        with monkeypatch.context() as patched:
            patched.setattr(Ledger, "finish", fail)
            refused(FailureClass.UNSURE, append, path, [row], str(number))
        assert check(path, str(number)).happened
    assert len(read(path)) == 2


def test_a_damaged_ledger_adds_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(path, [{"a": 1}], "1")
    sidecar_path(path, "ledger").write_bytes(b"this is not a database" * 100)
    assert "Replace or remove it" in refused(FailureClass.LOGIC, append, path, [{"a": 2}], "2")
    assert path.read_bytes() == b"a\n1\n"


def test_a_table_in_a_read_only_folder_can_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fake: a read-only folder, as root can write everywhere."""
    path.write_bytes(b"a\n1\n")

    def refuse(*_: Any) -> Any:
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr(csv_table, "locked", refuse)
    assert read(path) == [{"a": "1"}]
    refused(FailureClass.PERMISSION, append, path, [{"a": 2}])


def test_a_reader_waits_for_the_writer(path: Path) -> None:
    path.write_bytes(b"a\n1\n")
    with locked(sidecar_path(path, "lock"), 1, "it"), pytest.raises(Exception, match="Something else is using"):
        csv_table.read(path, {}, 10, 0.05)


HOLD = """
import fcntl, os, sys
fcntl.flock(os.open(sys.argv[1], os.O_CREAT | os.O_RDWR), fcntl.LOCK_EX)
print(flush=True)
input()
"""


def test_a_lock_is_released_when_its_holder_dies(path: Path) -> None:
    lock = sidecar_path(path, "lock")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline()
        refused(FailureClass.TRANSIENT, append, path, [{"a": 1}], "k", 0.05)
        holder.kill()
        holder.wait()
        append(path, [{"a": 1}])
    assert len(read(path)) == 1


def test_rows_that_the_user_reported_missing_can_be_added(path: Path) -> None:
    """The user was asked because it was unclear; a retry with the same rows must not ask again."""
    append(path, [{"a": "1"}], key="first")
    with open_ledger(sidecar_path(path, "ledger")) as ledger:
        ledger.begin(Addition(key="k", result={"added": 1}, size=path.stat().st_size, payload=b"2"))
        ledger.mark_unknown("k")
    refused(FailureClass.UNSURE, check, path)
    assert append(path, [{"a": "2"}]) == {"added": 1}
    assert (read(path), check(path).happened) == ([{"a": "1"}, {"a": "2"}], True)


def test_a_table_with_a_name_that_the_system_refuses_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scheduler.connections.connectors.folder.find_name_mistake", find_name_mistake)
    sentence = refused(FailureClass.LOGIC, append, tmp_path / "50% off?.csv", [{"a": 1}], "1")
    assert sentence == 'The name "50% off?.csv" contains ?, which Windows does not allow in names.'
