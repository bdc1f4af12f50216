"""Files are written atomically, moved and deleted once, and checkers report the truth."""

import base64
import errno
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from scheduler.connections import safe_files
from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.file_system import posix
from scheduler.rules.failures import FailureClass
from tests.connections.connectors.files.file_tools import check, identify, refused, use
from tests.connections.tool_calls import NOW


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return tmp_path


def test_a_written_file_has_the_content(here: Path) -> None:
    assert use(here, "write", path="2026/05/a.txt", text="é\r\n") == {"path": "2026/05/a.txt", "size": 4}
    assert (here / "2026/05/a.txt").read_bytes() == "é\r\n".encode()
    use(here, "write", path="b", base64=base64.b64encode(b"\xff").decode())
    assert (here / "b").read_bytes() == b"\xff"


def test_a_file_is_replaced_only_on_request_and_keeps_its_permissions(here: Path) -> None:
    (here / "a").write_text("old")
    (here / "a").chmod(0o640)
    assert refused(here, FailureClass.LOGIC, "write", path="a", text="new") == "a already exists."
    assert (here / "a").read_text() == "old"
    use(here, "write", path="a", text="new", overwrite=True)
    assert (here / "a").read_text() == "new"
    assert (here / "a").stat().st_mode & 0o777 == 0o640
    assert [place.name for place in here.iterdir()] == ["a"]


def test_writing_the_same_content_again_changes_nothing(here: Path) -> None:
    use(here, "write", path="a", text="x")
    before = (here / "a").stat()
    use(here, "write", path="a", text="x")
    assert (here / "a").stat() == before


@pytest.mark.parametrize(
    "content", [{}, {"text": "a", "base64": "YQ=="}, {"base64": "not base64"}, {"base64": "é"}, {"text": "\ud800"}]
)
def test_invalid_content_is_refused(here: Path, content: dict[str, str]) -> None:
    refused(here, FailureClass.LOGIC, "write", path="a", **content)
    assert list(here.iterdir()) == []


def test_a_folder_is_never_overwritten(here: Path) -> None:
    (here / "root/sub").mkdir(parents=True)
    (here / "root/self").symlink_to(here / "root")
    for path in ("sub", "self"):
        assert "is a folder" in refused(here / "root", FailureClass.LOGIC, "write", path=path, text="x", overwrite=True)
    assert [place.name for place in here.iterdir()] == ["root"]


def test_the_write_checker_finds_the_new_or_the_old_file(here: Path) -> None:
    parameters = {"path": "a", "text": "x", "overwrite": True}
    (here / "a").write_text("y")
    approved = identify(here, "write", **parameters)
    assert not check(here, "write", approved, **parameters).happened
    use(here, "write", **parameters)
    assert check(here, "write", approved, **parameters) == Checked(happened=True, result={"path": "a", "size": 1})


@pytest.mark.parametrize("now", ["gone", "changed", "its folder is gone"])
def test_the_write_checker_does_not_guess(here: Path, now: str) -> None:
    """It may have been written, and then removed or changed by another program."""
    use(here, "write", path="out/a", text="x")
    (here / "out/a").unlink()
    if now == "changed":
        (here / "out/a").write_text("changed")
    elif now == "its folder is gone":
        (here / "out").rmdir()
    with pytest.raises(ToolFailedError) as error:
        check(here, "write", path="out/a", text="x")
    assert error.value.failure.kind is FailureClass.UNSURE


KILLED_WHILE_WRITING = """
import os, signal, sys
from pathlib import Path
from tests.connections.connectors.files.file_tools import use
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
use(Path(sys.argv[1]), "write", path="a", text="new", overwrite=True)
"""


def test_the_checker_removes_what_a_killed_writer_left(here: Path) -> None:
    (here / "a").write_text("old")
    approved = identify(here, "write", path="a", text="new", overwrite=True)
    kill_while_writing(here)
    assert (here / "a").read_text() == "old"
    assert not check(here, "write", approved, path="a", text="new", overwrite=True).happened
    assert [place.name for place in here.iterdir()] == ["a"]


def kill_while_writing(here: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED_WHILE_WRITING, str(here)], check=False)
    assert killed.returncode == -signal.SIGKILL


def test_leftovers_of_killed_writers_are_removed_by_later_writes(here: Path) -> None:
    (here / "a").touch()
    kill_while_writing(here)
    use(here, "write", path="b", text="x")
    (here / "a").unlink()
    kill_while_writing(here)
    [part] = here.glob(".dayhand-part-*")
    os.utime(part, ((NOW - timedelta(hours=2)).timestamp(),) * 2)
    use(here, "write", path="c", text="x")
    assert not list(here.glob(".dayhand-part-*"))


def test_moving_works_for_folders_and_creates_parents(here: Path) -> None:
    use(here, "write", path="in/a", text="x")
    assert use(here, "move", source="in", target="done/2026") == {"path": "done/2026"}
    assert (here / "done/2026/a").read_text() == "x"
    assert not (here / "in").exists()


def test_moving_never_replaces_a_file(here: Path) -> None:
    for name in "ab":
        (here / name).write_text(name)
    (here / "dead").symlink_to("nowhere")
    assert refused(here, FailureClass.LOGIC, "move", source="a", target="b") == "b already exists."
    assert refused(here, FailureClass.LOGIC, "move", source="a", target="dead") == "dead already exists."
    assert refused(here, FailureClass.LOGIC, "move", source="gone", target="c") == "gone does not exist."
    assert [(here / name).read_text() for name in "ab"] == ["a", "b"]


def test_moving_a_folder_into_itself_is_refused(here: Path) -> None:
    (here / "a").mkdir()
    assert "cannot be put there" in refused(here, FailureClass.LOGIC, "move", source="a", target="a/b")


def test_moving_a_link_moves_the_link(here: Path) -> None:
    (here / "a").write_text("a")
    (here / "link").symlink_to("a")
    use(here, "move", source="link", target="other")
    assert (here / "other").is_symlink() and (here / "a").read_text() == "a"


def test_renaming_is_safe_without_support_of_the_system(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posix.ctypes, "CDLL", lambda *_, **__: None)
    for name in "ab":
        (here / name).write_text(name)
    refused(here, FailureClass.LOGIC, "move", source="a", target="b")
    use(here, "move", source="a", target="c")
    assert sorted(place.name for place in here.iterdir()) == ["b", "c"]


def test_the_move_checker_follows_the_exact_file(here: Path) -> None:
    (here / "a").write_text("moved")
    ends = {"source": "a", "target": "b"}
    approved = identify(here, "move", **ends)
    assert not check(here, "move", approved, **ends).happened
    (here / "b").touch()
    assert not check(here, "move", approved, **ends).happened
    (here / "b").unlink()
    use(here, "move", **ends)
    (here / "a").write_text("another, which came since")
    assert check(here, "move", approved, **ends) == Checked(happened=True, result={"path": "b"})
    (here / "b").unlink()
    (here / "b").write_text("not the one")
    with pytest.raises(ToolFailedError, match="unclear whether it was moved") as error:
        check(here, "move", approved, **ends)
    assert error.value.failure.kind is FailureClass.UNSURE


def test_deleting_files_links_and_empty_folders(here: Path) -> None:
    (here / "kept").touch()
    (here / "file").touch()
    (here / "link").symlink_to("kept")
    (here / "empty").mkdir()
    for name in ("file", "link", "empty"):
        approved = identify(here, "delete", path=name)
        assert not check(here, "delete", approved, path=name).happened
        assert use(here, "delete", path=name) is None
        assert check(here, "delete", approved, path=name).happened
    assert [place.name for place in here.iterdir()] == ["kept"]


def test_a_full_folder_is_not_deleted(here: Path) -> None:
    use(here, "write", path="full/a", text="x")
    assert "not empty" in refused(here, FailureClass.LOGIC, "delete", path="full")
    assert refused(here, FailureClass.LOGIC, "delete", path="gone") == "gone does not exist."


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (errno.EACCES, FailureClass.PERMISSION),
        (errno.EPERM, FailureClass.PERMISSION),
        (errno.EROFS, FailureClass.PERMISSION),
        (errno.ENOSPC, FailureClass.TRANSIENT),
        (errno.EDQUOT, FailureClass.TRANSIENT),
        (errno.EIO, FailureClass.TRANSIENT),
        (errno.ENAMETOOLONG, FailureClass.LOGIC),
    ],
)
def test_a_disk_that_refuses_leaves_nothing_behind(
    here: Path, monkeypatch: pytest.MonkeyPatch, code: int, kind: FailureClass
) -> None:
    """Fake: disk errors while writing."""

    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(safe_files, "write_all", fail)
    refused(here, kind, "write", path="a", text="x")
    assert list(here.iterdir()) == []


def test_a_failed_sync_is_unsure(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "a").touch()
    fsync = os.fsync

    def fail_for_folders(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").resolve().is_dir():
            raise OSError(errno.EIO, "broken")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fail_for_folders)
    moved = identify(here, "move", source="a", target="c")
    refused(here, FailureClass.UNSURE, "write", path="b", text="x")
    refused(here, FailureClass.UNSURE, "move", source="a", target="c")
    monkeypatch.undo()
    assert check(here, "write", path="b", text="x").happened
    assert check(here, "move", moved, source="a", target="c").happened
    monkeypatch.setattr(os, "fsync", fail_for_folders)
    refused(here, FailureClass.UNSURE, "delete", path="c")
    with pytest.raises(ToolFailedError):  # a yes must survive a power cut
        check(here, "delete", moved, path="c")
    monkeypatch.undo()
    assert check(here, "delete", moved, path="c").happened
