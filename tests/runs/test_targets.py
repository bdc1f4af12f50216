"""An approval is for one file: another file with the same name asks again and is not touched before."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connectors.files import changes
from tests.engine.engine_fixture import MINUTE
from tests.killing import KILLED
from tests.runs.folder_runtime import FolderRuntime


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[FolderRuntime]:
    runtime = FolderRuntime(tmp_path)
    yield runtime
    runtime.close()


def kill_while_acting(runtime: FolderRuntime, place: str) -> None:
    """Close the app, start it as its own process, approve, and have it killed at that place."""
    runtime.close()
    command = [sys.executable, "-m", "tests.runs.folder_runtime", str(runtime.folder), place]
    killed = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert killed.returncode == KILLED, killed.stderr


def test_a_new_file_with_the_name_of_the_deleted_one_is_not_deleted(runtime: FolderRuntime) -> None:
    """Killed between the deletion and storing its outcome; then a new file gets the name."""
    (runtime.inbox / "a.txt").write_text("old")
    runtime.start("delete", path="a.txt")
    kill_while_acting(runtime, "before sync_folder")
    assert not (runtime.inbox / "a.txt").exists()
    (runtime.inbox / "a.txt").write_text("created later")
    runtime.open()
    runtime.pass_time(10 * MINUTE)
    assert (runtime.inbox / "a.txt").read_text() == "created later"
    assert runtime.requests() == []
    assert runtime.outcome() == "applied"
    assert runtime.events() == {"a": "consumed"}


def test_a_file_not_deleted_before_the_kill_is_deleted_after_the_check(runtime: FolderRuntime) -> None:
    (runtime.inbox / "a.txt").write_text("old")
    runtime.start("delete", path="a.txt")
    kill_while_acting(runtime, "before require_approved")
    runtime.open()
    runtime.pass_time(10 * MINUTE)
    assert runtime.requests() == [], "the approval holds for that file"
    assert not (runtime.inbox / "a.txt").exists()


ACTIONS: list[tuple[str, dict[str, Any]]] = [
    ("delete", {"path": "a.txt"}),
    ("move", {"source": "a.txt", "target": "b.txt"}),
    ("write", {"path": "a.txt", "text": "new", "overwrite": True}),
]


@pytest.mark.parametrize(("tool", "parameters"), ACTIONS)
def test_the_approved_file_needs_one_approval(runtime: FolderRuntime, tool: str, parameters: dict[str, Any]) -> None:
    (runtime.inbox / "a.txt").write_text("shown")
    runtime.start(tool, **parameters)
    assert runtime.only_request().call["target"]["size"] == len("shown")
    runtime.crash(off=timedelta(days=3))
    runtime.approve()
    assert runtime.requests() == [] and runtime.outcome() == "applied"
    assert runtime.mutation(runtime.runs("C")[-1].id).target["size"] == len("shown")  # type: ignore[union-attr]


@pytest.mark.parametrize(("tool", "parameters"), ACTIONS)
@pytest.mark.parametrize("how", ["replaced", "changed", "replaced by one that looks the same", "by a link"])
def test_another_file_with_the_same_name_asks_again(
    runtime: FolderRuntime, tool: str, parameters: dict[str, Any], how: str
) -> None:
    place = runtime.inbox / "a.txt"
    place.write_text("shown")
    runtime.start(tool, **parameters)
    first = runtime.only_request()
    change(place, how)
    runtime.approve()
    second = runtime.only_request()
    assert second.id != first.id and second.call["target"] != first.call["target"]
    assert [row.name for row in runtime.inbox.iterdir() if row.name != "other"] == ["a.txt"]
    assert place.is_symlink() or place.read_text() == ("shown" if "looks" in how else "other")
    runtime.approve()
    assert runtime.outcome() == "applied"


def change(place: Path, how: str) -> None:
    before = place.stat()
    match how:
        case "replaced":
            place.with_name("other").write_text("other")
            place.with_name("other").replace(place)
        case "changed":
            place.write_text("other")
        case "replaced by one that looks the same":
            place.with_name("other").write_text(place.read_text())
            os.utime(place.with_name("other"), ns=(before.st_atime_ns, before.st_mtime_ns))
            place.with_name("other").replace(place)
        case _:
            place.unlink()
            place.with_name("other").write_text("other")
            place.symlink_to("other")


def test_a_file_created_after_the_approval_is_not_overwritten(runtime: FolderRuntime) -> None:
    runtime.start("write", path="a.txt", text="new", overwrite=True)
    assert "target" not in runtime.only_request().call
    (runtime.inbox / "a.txt").write_text("created in between")
    runtime.approve()
    assert (runtime.inbox / "a.txt").read_text() == "created in between"
    assert runtime.only_request().call["target"]["size"] == len("created in between")


@pytest.mark.parametrize(("tool", "parameters"), ACTIONS)
@pytest.mark.parametrize("approve", ["always", "never"])
def test_a_file_replaced_at_the_moment_of_the_action_is_restored(
    runtime: FolderRuntime, monkeypatch: pytest.MonkeyPatch, tool: str, parameters: dict[str, Any], approve: str
) -> None:
    """Another program replaces the file after the last check and before the action (simulated)."""
    place = runtime.inbox / "a.txt"
    place.write_text("shown")
    require, comes = changes.require_approved, [True]

    def check_then_replace(*given: Any) -> None:
        require(*given)
        if comes and comes.pop():
            change(place, "replaced")

    for module in ("actions.require_approved", "changes.require_approved"):
        monkeypatch.setattr(f"scheduler.connections.connectors.files.{module}", check_then_replace)
    runtime.start(tool, approve, **parameters)
    if approve == "always":
        runtime.approve()
    assert place.read_text() == "other", "it is as the other program left it"
    assert [row.name for row in runtime.inbox.iterdir()] == ["a.txt"]
    assert runtime.outcome() == "failed"
    assert runtime.runs("C")[-1].status == "paused:transient"
    runtime.pass_time(2 * MINUTE)
    if approve == "always":
        assert runtime.only_request().call["target"]["size"] == len("other")
        assert place.read_text() == "other"
        runtime.approve()
    assert runtime.outcome() == "applied"


@pytest.mark.parametrize("approve", ["first", "always"])
def test_a_standing_approval_covers_only_the_folder_that_was_shown(runtime: FolderRuntime, approve: str) -> None:
    """The card shows one folder; the connection points to another one when the user chooses "always"."""
    (runtime.inbox / "old.txt").write_text("a")
    elsewhere = runtime.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "old.txt").write_text("b")
    runtime.start("delete", approve, path="old.txt")
    card = runtime.only_request()
    runtime.services.connect("files:inbox", {"path": str(elsewhere)})
    runtime.request_commands.approve(card.id, always=approve == "always")
    runtime.tick()
    assert (elsewhere / "old.txt").exists() and (runtime.inbox / "old.txt").exists()
    assert runtime.only_request().id != card.id
