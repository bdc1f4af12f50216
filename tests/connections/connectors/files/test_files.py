"""Files: read and listed as they are, never outside their folder."""

import base64
import errno
import os
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.files.connector import files
from scheduler.rules.failures import FailureClass
from tests.connections.calls import NOW, call, tool_of
from tests.connections.connectors.files.folders import refused, use


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return tmp_path


def test_text_comes_as_text_and_the_rest_as_base64(here: Path) -> None:
    (here / "a.txt").write_bytes("é\r\n".encode())
    (here / "b.bin").write_bytes(b"\xff\x00")
    (here / "c.bin").write_bytes(b"a\x00b")
    assert use(here, "read", path="a.txt")["text"] == "é\r\n"
    for name in ("b.bin", "c.bin"):
        told = use(here, "read", path=name)
        assert "text" not in told
        assert base64.b64decode(told["base64"]) == (here / name).read_bytes()


def test_a_file_says_when_it_was_changed_and_how_large_it_is(here: Path) -> None:
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


def test_ten_megabytes_are_read_and_a_byte_more_is_not(here: Path) -> None:
    (here / "large").write_bytes(b"x" * 10 * 1024 * 1024)
    assert len(use(here, "read", path="large")["text"]) == 10 * 1024 * 1024
    with (here / "large").open("ab") as file:
        file.write(b"x")
    assert "10 MB" in refused(here, FailureClass.LOGIC, "read", path="large")


def test_what_is_not_a_file_is_not_read(here: Path) -> None:
    (here / "folder").mkdir()
    os.mkfifo(here / "pipe")
    assert refused(here, FailureClass.LOGIC, "read", path="gone") == "gone is not there."
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


def test_a_listing_never_looks_outside(here: Path) -> None:
    root = here / "root"
    root.mkdir()
    (here / "outside.txt").write_text("secret")
    (root / "file").touch()
    for name, target in {"out": here, "leak": here / "outside.txt", "dead": here / "no", "in": root / "file"}.items():
        (root / name).symlink_to(target)
    (root / "circle").symlink_to(root)
    assert paths(use(root, "list", recursive=True)) == ["circle", "file", "in"]


def test_a_listing_leaves_out_names_that_are_no_text(here: Path) -> None:
    (here / "a").touch()
    Path(os.fsdecode(os.fsencode(here) + b"/\xff")).touch()
    assert paths(use(here, "list")) == ["a"]


def test_a_listing_refuses_what_it_cannot_do(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not a pattern" in refused(here, FailureClass.LOGIC, "list", pattern="a/*")
    assert refused(here, FailureClass.LOGIC, "list", path="gone") == "gone is not there."
    monkeypatch.setattr("scheduler.connections.connectors.files.connector._MOST", 2)
    for name in "abc":
        (here / name).touch()
    assert "More than 2 files" in refused(here, FailureClass.LOGIC, "list")


def test_a_listing_has_the_time_of_its_call(here: Path) -> None:
    (here / "a").touch()
    with pytest.raises(ToolFailedError, match="too large to list in 0 seconds"):
        tool_of(files, "list").run(call({"path": str(here)}, seconds=0))


def test_a_folder_that_cannot_be_looked_into_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fake: a folder without permissions, which does not exist for root."""
    (here / "open/closed").mkdir(parents=True)
    scan = os.scandir

    def refuse(folder: Path) -> Any:
        if Path(folder).name == "closed":
            raise PermissionError(errno.EACCES, "no")
        return scan(folder)

    monkeypatch.setattr(os, "scandir", refuse)
    assert "open/closed cannot be read" in refused(here, FailureClass.PERMISSION, "list", recursive=True)


def test_only_deleting_asks_first() -> None:
    assert {tool.name: (tool.mutating, tool.acts_on_others) for tool in files.tools} == {
        "read": (False, False),
        "list": (False, False),
        "write": (True, False),
        "move": (True, False),
        "delete": (True, True),
    }


def test_trying_the_connection(here: Path) -> None:
    assert files.test(call({"path": str(here)})).endswith("can be read and changed; it holds 0 entries.")
    with pytest.raises(ToolFailedError):
        files.test(call({"path": str(here / "gone")}))
