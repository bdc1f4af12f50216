"""Files are read and listed, never outside the folder."""

import base64
import errno
import os
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.files.connector import files
from scheduler.rules.failures import FailureClass
from tests.connections.connectors.files.file_tools import refused, use
from tests.connections.tool_calls import NOW, call, tool_of


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return tmp_path


def test_text_is_returned_as_text_and_anything_else_as_base64(here: Path) -> None:
    (here / "a.txt").write_bytes("é\r\n".encode())
    (here / "b.bin").write_bytes(b"\xff\x00")
    (here / "c.bin").write_bytes(b"a\x00b")
    assert use(here, "read", path="a.txt")["text"] == "é\r\n"
    for name in ("b.bin", "c.bin"):
        result = use(here, "read", path=name)
        assert "text" not in result
        assert base64.b64decode(result["base64"]) == (here / name).read_bytes()


def test_a_file_has_size_and_modification_time(here: Path) -> None:
    (here / "a.txt").write_text("abc")
    os.utime(here / "a.txt", (NOW.timestamp(), NOW.timestamp()))
    assert use(here, "read", path="a.txt") == {
        "path": "a.txt",
        "name": "a.txt",
        "size": 3,
        "modified": NOW.isoformat(),
        "is_folder": False,
        "text": "abc",
    }


def test_ten_megabytes_are_read_and_more_is_refused(here: Path) -> None:
    (here / "large").write_bytes(b"x" * 10 * 1024 * 1024)
    assert len(use(here, "read", path="large")["text"]) == 10 * 1024 * 1024
    with (here / "large").open("ab") as file:
        file.write(b"x")
    assert "10 MB" in refused(here, FailureClass.LOGIC, "read", path="large")


def test_only_files_are_read(here: Path) -> None:
    (here / "folder").mkdir()
    os.mkfifo(here / "pipe")
    assert refused(here, FailureClass.LOGIC, "read", path="gone") == "gone does not exist."
    assert refused(here, FailureClass.LOGIC, "read", path="folder") == "folder is a folder."
    assert refused(here, FailureClass.LOGIC, "read", path="pipe") == "pipe is not a file."


def paths(listed: list[dict[str, Any]]) -> list[str]:
    return [entry["path"] for entry in listed]


def test_a_listing_is_sorted_and_filtered(here: Path) -> None:
    (here / "sub/deep").mkdir(parents=True)
    for name in ("b.pdf", "a.pdf", "c.txt", "sub/d.pdf", "sub/deep/e.pdf", ".dayhand-part-1"):
        (here / name).touch()
    assert paths(use(here, "list")) == ["a.pdf", "b.pdf", "c.txt", "sub"]
    assert paths(use(here, "list", pattern="*.pdf")) == ["a.pdf", "b.pdf"]
    assert paths(use(here, "list", pattern="*.pdf", recursive=True)) == [
        "a.pdf",
        "b.pdf",
        "sub/d.pdf",
        "sub/deep/e.pdf",
    ]
    assert paths(use(here, "list", path="sub")) == ["sub/d.pdf", "sub/deep"]
    assert [entry["is_folder"] for entry in use(here, "list", path="sub")] == [False, True]


def test_a_listing_stays_inside_the_folder(here: Path) -> None:
    root = here / "root"
    root.mkdir()
    (here / "outside.txt").write_text("secret")
    (root / "file").touch()
    for name, target in {"out": here, "leak": here / "outside.txt", "dead": here / "no", "in": root / "file"}.items():
        (root / name).symlink_to(target)
    (root / "circle").symlink_to(root)
    assert paths(use(root, "list", recursive=True)) == ["circle", "file", "in"]


def test_a_listing_omits_names_that_are_not_text(here: Path) -> None:
    (here / "a").touch()
    Path(os.fsdecode(os.fsencode(here) + b"/\xff")).touch()
    assert paths(use(here, "list")) == ["a"]


def test_an_invalid_listing_is_refused(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not a name pattern" in refused(here, FailureClass.LOGIC, "list", pattern="a/*")
    assert refused(here, FailureClass.LOGIC, "list", path="gone") == "gone does not exist."
    monkeypatch.setattr("scheduler.connections.connectors.files.connector._MAX_FILES", 2)
    for name in "abc":
        (here / name).touch()
    assert "More than 2 files" in refused(here, FailureClass.LOGIC, "list")


def test_a_listing_has_a_time_limit(here: Path) -> None:
    (here / "a").touch()
    with pytest.raises(ToolFailedError, match="too large to list in 0 seconds"):
        tool_of(files, "list").run(call({"path": str(here)}, seconds=0))


def test_an_unreadable_folder_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fake: a folder without permissions, as root can read everything."""
    (here / "open/closed").mkdir(parents=True)
    scan = os.scandir

    def refuse(folder: Path) -> Any:
        if Path(folder).name == "closed":
            raise PermissionError(errno.EACCES, "no")
        return scan(folder)

    monkeypatch.setattr(os, "scandir", refuse)
    assert "open/closed cannot be read" in refused(here, FailureClass.PERMISSION, "list", recursive=True)


def test_only_deleting_needs_approval() -> None:
    assert {tool.name: (tool.mutating, tool.acts_on_others) for tool in files.tools} == {
        "read": (False, False),
        "list": (False, False),
        "write": (True, False),
        "move": (True, False),
        "move_many": (True, False),
        "delete": (True, True),
    }


def test_testing_the_connection_reports_access(here: Path) -> None:
    assert files.test(call({"path": str(here)})).endswith("can be read and changed; it contains 0 entries.")
    with pytest.raises(ToolFailedError):
        files.test(call({"path": str(here / "gone")}))
